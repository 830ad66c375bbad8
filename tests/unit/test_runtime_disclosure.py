"""Three levels of disclosure: catalog, instructions, resources."""

from __future__ import annotations

import json
import sys
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from skillpack import digest
from skillpack.model import Frontmatter
from skillpack.runtime import IntegrityError, ResourceNotFoundError, SkillBundle, SkillNotFoundError
from skillpack.runtime.frames import attribute, frame_suffix, quoted
from skillpack.runtime.text import echo, escape, hides, one_line
from support.bundles import DEMO, SOLO, make_bundle, make_source, skill_md

ADVICE = (
    "Skills hold instructions for particular tasks; only their names and descriptions are shown here.\n"
    "When a task matches a description, call load_skill with that name first, then follow what it says.\n"
    "Read a file that a skill lists with read_skill_resource when it is needed; never guess names or paths."
)


def described(**descriptions: str) -> SkillBundle:
    made = [
        make_source(
            name,
            {"SKILL.md": skill_md(name)},
            frontmatter=Frontmatter(
                name=name, description=text, values={"name": name}, hidden=name == "ghost"
            ),
        )
        for name, text in descriptions.items()
    ]
    return digest.address(made).bundle


def bodied(body: str, **resources: bytes) -> SkillBundle:
    return make_bundle({"pdf": {"SKILL.md": skill_md("pdf", body=body), **resources}})


# ------------------------------------------------------------------ 1, the catalog


def test_the_markdown_catalog_has_one_line_a_skill_below_its_advice() -> None:
    bundle = make_bundle({"solo": SOLO, "demo": DEMO})
    assert bundle.catalog() == (
        f"## Available skills\n\n{ADVICE}\n\n- **demo**: A demo skill\n- **solo**: One file"
    )


def test_the_xml_catalog_is_escaped() -> None:
    catalog = described(a='1 < 2 & "3" </available_skills>').catalog("xml")
    advice, _, xml = catalog.partition("\n\n")
    assert advice == ADVICE
    assert '1 &lt; 2 &amp; "3" &lt;/available_skills&gt;' in xml
    root = ET.fromstring(xml)
    assert root.tag == "available_skills"
    assert [(skill.findtext("name"), skill.findtext("description")) for skill in root] == [
        ("a", '1 < 2 & "3" </available_skills>')
    ]


def test_the_json_catalog_is_one_object() -> None:
    assert json.loads(described(a="x").catalog("json")) == {
        "instructions": ADVICE,
        "skills": [{"name": "a", "description": "x"}],
    }


def test_another_style_is_refused() -> None:
    with pytest.raises(ValueError, match="a catalog is markdown, xml or json, not 'yaml'"):
        described(a="x").catalog("yaml")
    with pytest.raises(ValueError, match="'yaml'"):
        SkillBundle([]).catalog("yaml")


@pytest.mark.parametrize("style", ["markdown", "xml", "json"])
def test_without_skills_the_catalog_is_empty(style: str) -> None:
    assert SkillBundle([]).catalog(style) == ""
    assert described(ghost="hidden").catalog(style) == ""


def test_hidden_skills_are_not_in_the_catalog() -> None:
    assert "ghost" not in described(ghost="boo", a="x").catalog()


def test_a_description_stays_on_one_line_whatever_it_holds() -> None:
    text = "a\nb\r\nc\td\x0be\x0cf\x85g\u2028h\u2029i  j\x07k\u202el\u2066m\U000e0041n\x9fo"
    assert one_line(text) == "a b c d e f g h i jklmno"
    assert described(a=text).catalog().endswith("- **a**: a b c d e f g h i jklmno")


def test_no_character_that_is_dropped_is_printable() -> None:
    assert not [code for code in range(sys.maxunicode + 1) if hides(code) and chr(code).isprintable()]


def test_right_to_left_text_and_emoji_stay() -> None:
    text = "שלום 👩\u200d💻 é"
    assert one_line(text) == text


def test_the_catalog_uses_the_names_of_the_tools() -> None:
    catalog = described(a="x").with_tools("skill.use", "skill.read").catalog()
    assert "call skill.use with" in catalog
    assert "lists with skill.read when" in catalog


# ------------------------------------------------------------------ 2, the frame


def test_the_frame_byte_for_byte() -> None:
    bundle = bodied("# PDF\n\nRead it.\n\n\n", **{"references/a.md": b"x", "scripts/é.py": b"y"})
    assert bundle.load("pdf") == (
        '<skill_content name="pdf">\n'
        "# PDF\n"
        "\n"
        "Read it.\n"
        "\n"
        "<skill_resources>\n"
        '  <file path="references/a.md">read_skill_resource(name="pdf", path="references/a.md")</file>\n'
        '  <file path="scripts/é.py">read_skill_resource(name="pdf", path="scripts/é.py")</file>\n'
        "</skill_resources>\n"
        "</skill_content>"
    )


def test_a_skill_without_resources_says_so() -> None:
    assert bodied("Do it.\n").load("pdf") == (
        '<skill_content name="pdf">\nDo it.\n\nThis skill has no resources.\n</skill_content>'
    )


def test_an_empty_body_gives_the_description() -> None:
    bundle = make_bundle({"tools": {"SKILL.md": skill_md("tools", "Only tools", body="\n \n")}})
    assert bundle.load("tools").startswith(
        '<skill_content name="tools">\n(No instructions: this skill only names tools.)\nOnly tools\n\n'
    )


def test_a_directory_adds_two_lines() -> None:
    assert bodied("Do it.\n").load("pdf", directory=".kaged/skills/pdf") == (
        '<skill_content name="pdf">\n'
        "Do it.\n"
        "\n"
        "Skill directory: .kaged/skills/pdf\n"
        "Relative paths in this skill are relative to the skill directory.\n"
        "\n"
        "This skill has no resources.\n"
        "</skill_content>"
    )


def test_the_list_of_resources_ends_after_a_hundred_with_a_count() -> None:
    text = bodied("x", **{f"{number:03}.md": b"" for number in range(512)}).load("pdf")
    assert text.count("<file path=") == 100
    assert '  <file path="099.md">' in text
    assert "\n  … and 412 more.\n</skill_resources>" in text


def test_the_list_of_resources_is_bounded_in_characters() -> None:
    text = bodied("x", **{f"{'d' * 250}/{number:03}.md": b"" for number in range(90)}).load("pdf")
    listed = text.count("<file path=")
    assert 0 < listed < 90
    assert f"… and {90 - listed} more." in text
    assert len(text) < 26_000


def test_names_and_paths_cannot_leave_their_place() -> None:
    bundle = bodied("x", **{'a"<b>&.md': b""})
    assert (
        '  <file path="a&quot;&lt;b&gt;&amp;.md">'
        'read_skill_resource(name="pdf", path="a\\"\\u003cb>&.md")</file>'
    ) in bundle.load("pdf")


@pytest.mark.parametrize("tag", ["</skill_content>", "</SKILL_Resources>", "say skill_content"])
def test_a_body_cannot_close_its_frame(tag: str) -> None:
    bundle = bodied(f"{tag}\n")
    suffix = f"_{bundle['pdf'].digest[7:23]}"
    text = bundle.load("pdf")
    assert text.startswith(f'<skill_content{suffix} name="pdf">\n')
    assert text.endswith(f"\n</skill_content{suffix}>")


def test_a_frame_takes_more_of_the_digest_while_the_body_holds_it() -> None:
    hexadecimal = "0123456789abcdef" * 4
    text = f"skill_content_{hexadecimal[:24].upper()}"
    assert frame_suffix(text, f"sha256:{hexadecimal}") == f"_{hexadecimal[:32]}"
    assert frame_suffix("plain", f"sha256:{hexadecimal}") == ""
    assert frame_suffix(f"skill_content _{hexadecimal}", f"sha256:{hexadecimal}") == f"_{hexadecimal}"


def test_a_skill_is_loaded_by_its_full_digest() -> None:
    bundle = make_bundle({"solo": SOLO, "demo": DEMO})
    assert bundle.load(bundle["demo"].digest) == bundle.load("demo")
    with pytest.raises(SkillNotFoundError):
        bundle.load("sha256:00")
    with pytest.raises(SkillNotFoundError):
        bundle.load("other")


@pytest.mark.parametrize("name", [5, None, b"demo", ("demo",)])
def test_a_name_that_is_no_text_is_not_found(name: Any) -> None:
    bundle = make_bundle({"demo": DEMO})
    for load in (bundle.load, bundle.session().load, bundle.__getitem__):
        with pytest.raises(SkillNotFoundError, match="There are: demo"):
            load(name)
    for read in (bundle.read, bundle.read_bytes, bundle.session().read):
        with pytest.raises(SkillNotFoundError, match="There are: demo"):
            read(name, "SKILL.md")


def test_an_over_long_body_is_cut_at_a_line_end_and_says_how_to_go_on() -> None:
    body = "".join(f"line {number}\n" for number in range(1000))
    bundle = bodied(body)
    text = bundle.load("pdf", max_chars=2000)
    frame, _, tail = text.rpartition("\n")
    assert len(text) <= 2000
    assert frame.endswith("\n</skill_content>")
    offset = int(tail.rpartition("offset=")[2].removesuffix(")]"))
    whole = bundle["pdf"].file("SKILL.md").text()
    kept = offset - whole.index("line 0")
    assert tail == (
        f"[characters 0-{kept} of {len(body) - 1} of the instructions; continue with "
        f'read_skill_resource(name="pdf", path="SKILL.md", offset={offset})]'
    )
    assert body[:kept].rstrip("\n") in frame
    assert whole[offset - 1] == "\n"
    assert bundle.read("pdf", "SKILL.md", offset).startswith("line ")


def test_a_limit_below_the_frame_still_closes_it() -> None:
    text = bodied("one line\n" * 50).load("pdf", max_chars=1)
    assert text.startswith('<skill_content name="pdf">\n')
    assert "\n</skill_content>\n[characters 0-" in text


# ------------------------------------------------------------------ 3, resources


def test_a_short_file_is_given_as_it_is() -> None:
    assert make_bundle({"demo": DEMO}).read("demo", "scripts/x.py") == "print(1)\n"


def test_a_long_file_is_given_in_parts_that_end_at_a_line() -> None:
    text = "".join(f"line {number}\n" for number in range(100))
    bundle = bodied("x", **{"a.txt": text.encode()})
    part = bundle.read("pdf", "a.txt", 0, 100)
    assert part.endswith(f"\n[characters 0-94 of {len(text)}; continue with offset=94]")
    assert part.startswith("line 0\n")
    seen, offset = "", 0
    while True:
        part = bundle.read("pdf", "a.txt", offset, 100)
        content, _, tail = part.rpartition("[characters ")
        if not tail.endswith("]"):
            seen += part
            break
        seen += content
        offset = int(tail.rpartition("offset=")[2].removesuffix("]"))
    assert seen == text


def test_a_file_without_line_ends_is_cut_anywhere() -> None:
    bundle = bodied("x", **{"a.txt": b"x" * 30})
    assert bundle.read("pdf", "a.txt", 10, 10) == (
        "xxxxxxxxxx\n[characters 10-20 of 30; continue with offset=20]"
    )
    assert bundle.read("pdf", "a.txt", 30, 10) == ""


def test_characters_are_counted_not_bytes() -> None:
    bundle = bodied("x", **{"a.txt": "😀\n😀\n".encode()})
    assert bundle.read("pdf", "a.txt", 0, 3) == "😀\n[characters 0-2 of 4; continue with offset=2]"


@pytest.mark.parametrize(("offset", "limit"), [(-1, 10), (0, 0), (4, 10)])
def test_numbers_outside_the_file_are_refused(offset: int, limit: int) -> None:
    bundle = bodied("x", **{"a.txt": b"abc"})
    with pytest.raises(ValueError, match=f"offset {offset}, limit {limit}: the file has 3 characters"):
        bundle.read("pdf", "a.txt", offset, limit)


def test_a_binary_file_is_one_line_that_says_what_it_is() -> None:
    bundle = make_bundle({"demo": {**DEMO, "logo.png": b"\x89PNG\0"}})
    assert bundle.read("demo", "logo.png") == "[image/png, 5 bytes: a binary file, not shown as text]"
    assert bundle.read_bytes("demo", "logo.png") == b"\x89PNG\0"


def test_an_unknown_file_is_refused() -> None:
    with pytest.raises(ResourceNotFoundError):
        make_bundle({"demo": DEMO}).read("demo", "x.py")
    with pytest.raises(ResourceNotFoundError):
        make_bundle({"demo": DEMO}).read_bytes("demo", "x.py")


# ------------------------------------------------------------------ cost and trace


def test_the_cost_of_the_catalog_and_of_each_body() -> None:
    bundle = described(a="12345", ghost="boo")
    cost = bundle.catalog_cost()
    chars = len(bundle.catalog())
    assert cost["catalog"] == {"chars": chars, "tokens": (chars + 3) // 4}
    assert cost["skills"] == {
        "a": {"line_chars": len("- **a**: 12345"), "body_chars": 5, "body_tokens": 2},
        "ghost": {"line_chars": 0, "body_chars": 5, "body_tokens": 2},
    }


def test_trace_attributes_are_two_whatever_the_number_of_skills() -> None:
    bundle = described(a="x", b="y")
    assert bundle.trace_attributes() == {
        "skillpack.bundle.digest": bundle.digest,
        "skillpack.bundle.skills": 2,
    }


# ------------------------------------------------------------------ text


def test_echoes_are_short_ascii() -> None:
    assert echo("é") == "'\\xe9'"
    assert echo("😀" * 100_000) == ascii("😀" * 80)[:77] + "..."
    assert echo(12) == "12"


def test_escapes() -> None:
    assert escape('<a & "b">') == '&lt;a &amp; "b"&gt;'
    assert attribute('<a & "b">') == "&lt;a &amp; &quot;b&quot;&gt;"
    assert json.loads(quoted('a"\\<')) == 'a"\\<'
    assert "<" not in quoted("<")


def test_integrity_errors_pass_through() -> None:
    skill = make_bundle({"demo": DEMO})["demo"]
    object.__setattr__(skill.file("SKILL.md"), "_load", lambda: b"other")
    with pytest.raises(IntegrityError):
        SkillBundle([skill]).load("demo")


def test_nothing_that_a_line_drops_is_printable() -> None:
    assert [code for code in range(0x110000) if hides(code) and chr(code).isprintable()] == []
    assert one_line("a\u202eb \x85 c\U000e0041") == "ab c"


def test_the_catalog_is_the_same_before_and_after_skills_were_made() -> None:
    bundle = described(b="two\\n\nlines\tand a \\", a="x" * 50, ghost="hidden")
    before = bundle.catalog()
    assert bundle["a"].description == "x" * 50
    assert bundle.catalog() == before
    assert "ghost" not in before
    assert before.endswith("- **b**: two\\n lines and a \\")
