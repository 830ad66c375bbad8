"""Laws of reading SKILL.md: it never fails, its parsers agree, it loses no text, its hints mend."""

from __future__ import annotations

import json
import math
import re
from datetime import date
from typing import TYPE_CHECKING

import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from skillpack.fields import excerpt, faults, slug
from skillpack.findings import Finding, Policy, Report
from skillpack.frontmatter import FASTEST, read
from skillpack.rules import RULES, SETTINGS, Setting
from skillpack.runtime.matching import globs_of, tools_of
from skillpack.runtime.model import body_start

if TYPE_CHECKING:
    from skillpack.frontmatter import Loader
    from skillpack.model import Frontmatter, Json

PLACE = "skills/x/SKILL.md"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

# What a frontmatter is made of, right and wrong: marks, words, escapes, line ends, and whole lines.
PIECES = [
    *(
        "name: x\n",
        "description: d\n",
        "metadata:\n",
        "allowed-tools: ",
        "  a: b\n",
        "- x\n",
        "- ",
        "a: b: c\n",
    ),
    *(
        "a",
        "b c",
        "1",
        "no",
        "é",
        "\U0001f600",
        "\xa0",
        "\u3000",
        "key",
        "(",
        ")",
        "=",
        "~",
        "<<",
        "<<: ",
        "0x_",
    ),
    *(
        ": ",
        ":",
        " :",
        ",",
        "?",
        "? ",
        "-",
        "---",
        "--- ",
        "...",
        "\n---\n",
        "\n...\n",
        "|",
        "|\n  ",
        ">-\n  ",
        "|2",
        ">+",
    ),
    *(
        "'",
        '"',
        "''",
        '"a"',
        "'a': ",
        "\\",
        "\\n",
        "\\x41",
        "\\u0041",
        "\\ud800",
        "\\U00110000",
        "\\q",
        "\\N",
        "\\\n",
    ),
    *(
        "#",
        " # c",
        "#\n",
        "|#",
        "&a ",
        "*a",
        "*",
        "&",
        "!",
        "!!str ",
        "!x ",
        "!<a> ",
        "%",
        "%YAML 1.2\n",
        "@",
        "`",
    ),
    *(
        "[",
        "]",
        "{",
        "}",
        "[a, b]",
        "{a: b}",
        "[a:,b]",
        "[a](b)",
        "\t",
        ":\t",
        "\u2028",
        "\x85",
        "\ufeff",
        "\x7f",
        "\x07",
    ),
    *("\n", "\n", "\n", "\n  ", "\n    ", "\n ", " ", "  ", "\r\n", "\r"),
]
yaml_like = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)
setting_names = st.sampled_from(SETTINGS)
one_line = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), min_size=1, max_size=60).filter(
    lambda text: text.strip(" \t")
)


def reading(
    data: bytes, setting: Setting = "default", loader: Loader = FASTEST
) -> tuple[Frontmatter | None, tuple[Finding, ...]]:
    report = Report(Policy(setting=setting))
    return read(data, place=PLACE, directory="x", report=report, loader=loader), report.findings


def file(frontmatter: str, body: str = "Body\n") -> bytes:
    return f"---\n{frontmatter}\n---\n{body}".encode()


@settings(deadline=None, max_examples=400)
@given(yaml_like, setting_names)
@example("description: d\n", "default")
@example("a: |#x\n  b", "lenient")
@example("a: [b:,c]", "default")
@example("- !a%20 b", "default")
@example("%a\n--- # b\nc: d", "default")
def test_both_parsers_give_the_same_fields_and_findings(lines: str, setting: Setting) -> None:
    for start in ("", "name: x\ndescription: d\n"):
        data = file(start + lines)
        assert reading(data, setting, yaml.BaseLoader) == reading(data, setting, FASTEST)


@settings(deadline=None)
@given(st.one_of(st.binary(max_size=80), yaml_like.map(file), yaml_like.map(str.encode)), setting_names)
def test_reading_never_fails_and_never_drops_a_skill_unsaid(data: bytes, setting: Setting) -> None:
    fields, findings = reading(data, setting)
    assert fields is not None or any(finding.level.label == "error" for finding in findings)
    lines = data.decode("utf-8", "replace").split("\n")
    for finding in findings:
        assert finding.code in RULES
        assert finding.path == PLACE
        assert 1 <= finding.line <= len(lines)
        assert 1 <= finding.column <= len(lines[finding.line - 1]) + 1


@settings(deadline=None)
@given(yaml_like, setting_names)
def test_values_can_always_be_written_as_json(lines: str, setting: Setting) -> None:
    fields, _ = reading(file(f"name: x\ndescription: d\n{lines}"), setting)
    if fields is not None:
        json.dumps(fields.values, allow_nan=False).encode()
        json.dumps(fields.metadata).encode()


broken = st.builds(
    "{}{}".format,
    st.sampled_from(["", "`", "@", "%", "* ", "& ", "- ", "| ", "a: ", "[x](", '"a" ', "\u2028"]),
    one_line,
)


@settings(deadline=None)
@given(broken)
@example("Use when: asked")
@example("a: b # c")
@example("'\"\\ : \t\x85\u2028\ufeff\U000e0001")
@example("a: b\xa0")
def test_lenient_loses_no_text_of_a_line_that_is_not_yaml(text: str) -> None:
    assume("---" not in text)
    # U+0085 or a soft hyphen alone is no description: quoted it is one that nobody sees
    assume(any(char.isprintable() and not char.isspace() for char in text))
    fields, findings = reading(file(f"name: x\ndescription: {text}"), "lenient")
    if any(finding.code == "yaml-invalid" for finding in findings):
        assert fields is not None
        assert fields.description == text.strip(" \t")


@settings(deadline=None)
@given(broken, st.sampled_from(["", "  ", "- "]))
@example("Use when: asked", "  ")
@example("`\"a\" and 'b' and \\c`", "")
def test_pasting_the_quoted_line_mends_the_fault(text: str, indent: str) -> None:
    head = "name: x\ndescription: d\n" + ("metadata:\n" if indent else "")
    _, findings = reading(file(f"{head}{indent}a: {text}"))
    for finding in findings:
        if finding.code == "yaml-invalid" and finding.hint.startswith("quote the value: "):
            mended = finding.hint.removeprefix("quote the value: ")
            _, after = reading(file(head + mended))
            assert not [left for left in after if left.code == "yaml-invalid"]
            assert yaml.load(mended.removeprefix("- "), yaml.BaseLoader) == {"a": text.strip(" \t")}


scalars = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.dates(),
    st.sampled_from(["no", "1e3", "007", "0o7", "1:20", "1_0", ".inf", "~", "="]),
)
keys = st.text("abcdefgh", min_size=1, max_size=5)
trees = st.dictionaries(
    keys,
    st.recursive(
        scalars,
        lambda tree: st.lists(tree, max_size=3) | st.dictionaries(keys, tree, max_size=3),
        max_leaves=8,
    ),
)


def as_json(value: object) -> Json:
    """What SafeLoader gives, as the manifest holds it."""
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    assert value is None or isinstance(value, (bool, int, float, str))
    return value


@settings(deadline=None)
@given(trees, st.booleans())
def test_values_are_what_the_safe_loader_reads(tree: dict[str, object], flow: bool) -> None:
    text = yaml.safe_dump(tree, allow_unicode=False, default_flow_style=flow, width=10_000).strip("\n")
    assume(tree and "---" not in text)
    text = f"name: x\ndescription: d\n{'flow: ' * flow}{text}"
    fields, _ = reading(file(text))
    assert fields is not None
    expected = as_json(yaml.safe_load(text))
    assert json.dumps(fields.values) == json.dumps(expected)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["---", "--- ", "---\r", "a: b", "", " ", "-----", "\r"]), max_size=5),
    st.text("-ab \r\n"),
)
def test_the_runtime_finds_the_body_where_the_frontmatter_ends(lines: list[str], body: str) -> None:
    text = "---\nname: x\ndescription: d\n" + "\n".join([*lines, "---", ""]) + body
    fields, _ = reading(text.encode())
    start = body_start(text)
    assume(fields)
    assert reading(text[:start].encode())[0] == fields
    assert reading(f"{text[:start]}# Title\n---\nx: y".encode())[0] == fields
    head = text[:start].rstrip(" \t\r\n")
    assert head.endswith("\n---")
    assert "\n---\n" not in head.replace("\r\n", "\n")[3:]


texts: st.SearchStrategy[object] = st.recursive(
    st.text(max_size=30) | st.none() | st.integers(),
    lambda tree: st.lists(tree, max_size=3) | st.dictionaries(st.text(max_size=5), tree, max_size=3),
    max_leaves=6,
)
field_names = st.sampled_from(
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools", "globs", "Name", "x"]
)


@settings(deadline=None)
@given(st.dictionaries(field_names | st.text(max_size=5), texts, max_size=6))
def test_any_fields_have_faults_with_known_codes(fields: dict[str, object]) -> None:
    for fault in faults(fields):
        assert fault.code in RULES
        assert fault.message
        assert fault.path


@given(st.text(max_size=100))
def test_a_slug_is_a_good_name_or_nothing(text: str) -> None:
    name = slug(text)
    assert name == "" or (NAME.fullmatch(name) and len(name) <= 64)
    assert slug(name) == name
    assert all(fault.code == "name-reserved" for fault in faults({"name": name, "description": "d"}) if name)


@given(st.text("ab(), \n", max_size=20) | st.lists(st.text("ab(), \n", max_size=6), max_size=3))
def test_the_cure_for_a_form_of_allowed_tools_has_the_form(value: str | list[str]) -> None:
    for fault in faults({"name": "x", "description": "d", "allowed-tools": value}):
        if fault.cure:
            again = faults({"name": "x", "description": "d", "allowed-tools": fault.cure})
            assert list(again) == []
            assert tools_of(fault.cure)
    assert "".join(globs_of("a,b") + globs_of(["c"])) == "abc"


@given(st.text(max_size=50), st.integers(1, 40))
def test_an_excerpt_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    assert len(excerpt(text, limit)) <= limit
