"""The rules on decoded fields, one by one, on plain values."""

from __future__ import annotations

import sys

import pytest

from skillpack.fields import (
    FIELDS,
    HOST_FIELDS,
    TYPED_METADATA,
    Fault,
    excerpt,
    faults,
    name_faults,
    slug,
)
from skillpack.rules import RULES
from skillpack.runtime.matching import globs_of, tools_of

GOOD = {"name": "pdf-tools", "description": "Read PDF files. Use for invoices."}

ZERO_WIDTH_JOINER = "\u200d"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
TAG_LETTER = "\U000e0061"


def found(**fields: object) -> list[Fault]:
    """The faults of two good fields and what is given; `_` in a keyword stands for a hyphen."""
    return list(faults(GOOD | {key.replace("_", "-"): value for key, value in fields.items()}))


def codes(**fields: object) -> list[str]:
    return [fault.code for fault in found(**fields)]


def test_a_good_skill_has_no_fault() -> None:
    assert codes() == []
    assert (
        codes(
            license="MIT",
            compatibility="Needs network access",
            metadata={"author": "someone", "version": "1.0"},
            allowed_tools="Bash(git add:*,git commit:*) Read",
        )
        == []
    )


def test_every_code_is_in_the_registry() -> None:
    worst = faults(
        {
            "name": "a/claude</b>",
            "description": "</x>\x07\n<b>" + "x" * 1024,
            "license": "",
            "compatibility": [],
            "metadata": {"a": []},
            "allowed-tools": "(",
            "globs": {},
            "extra": "x",
            "NAME": "x",
        }
    )
    seen = {fault.code for fault in (*worst, *faults({}), *found(name="A", allowed_tools="a, b"))}
    assert seen <= set(RULES)
    assert len(seen) == 18


@pytest.mark.parametrize("name", [None, "", "  ", "\n", ["pdf"], {"a": "b"}])
def test_a_name_that_is_absent_blank_or_no_text_is_missing(name: object) -> None:
    assert codes(name=name) == ["name-missing"]


def test_a_missing_name_is_offered_the_name_of_the_directory() -> None:
    (fault,) = faults({"description": "d"}, directory="My Skill")
    assert (fault.message, fault.hint, fault.cure) == (
        "there is no name",
        "give the skill a name",
        "my-skill",
    )
    assert [fault.message for fault in faults({"name": " ", "description": "d"})] == ["name is blank"]
    assert [fault.message for fault in faults({"name": 3, "description": "d"})] == [
        "name is of type int, not text"
    ]


@pytest.mark.parametrize("name", ["a", "a1", "1", "pdf-tools", "a" * 64, "a-1-b"])
def test_a_name_of_letters_digits_and_single_hyphens_is_good(name: str) -> None:
    assert codes(name=name) == []


@pytest.mark.parametrize(
    ("name", "reason", "cure"),
    [
        ("a" * 65, "65 characters", "a" * 64),
        ("a" * 63 + "-b", "65 characters", "a" * 63),
        ("My-Skill", "'M', 'S'", "my-skill"),
        ("my skill", "' '", "my-skill"),
        ("my_skill", "'_'", "my-skill"),
        ("git:co", "':'", "git-co"),
        ("a--b", "hyphen", "a-b"),
        ("-a", "hyphen", "a"),
        ("a-", "hyphen", "a"),
        ("café", "'é'", "cafe"),
        ("cafe\u0301", "'\u0301'", "cafe"),
        ("straße", "'ß'", "strasse"),
        ("技能", "'技', '能'", ""),
        ("\u0663\u0664", "'\u0663', '\u0664'", ""),
        ("\uff50\uff44\uff46", "'\uff44'", "pdf"),
        ("a.b", "'.'", "a-b"),
    ],
)
def test_any_other_name_breaks_the_format_and_gets_the_nearest_good_one(
    name: str, reason: str, cure: str
) -> None:
    (fault,) = found(name=name)
    assert fault.code == "name-format"
    assert reason in fault.message
    assert fault.cure == cure


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("a/b", "/"),
        ("a\\b", "\\"),
        (".", "'.'"),
        ("..", "'..'"),
        ("pdf\n", "U+000A"),
        ("a\tb", "U+0009"),
        ("a\x00b", "U+0000"),
        ("a\u200bb", "U+200B"),
        (f"a{ZERO_WIDTH_JOINER}b", "U+200D"),
        ("a\u202eb", "U+202E"),
        ("a\xadb", "U+00AD"),
        ("a\ufe0fb", "U+FE0F"),
        (f"a{TAG_LETTER}", "U+E0061"),
        ("a\U000e0100", "U+E0100"),
    ],
)
def test_a_name_that_could_climb_or_hide_is_unsafe(name: str, held: str) -> None:
    (fault,) = found(name=name)
    assert fault.code == "name-unsafe"
    assert held in fault.message


@pytest.mark.parametrize(
    ("name", "word", "cure"),
    [
        ("claude-helper", "claude", "helper"),
        ("my-anthropic-x", "anthropic", "my-x"),
        ("CLAUDE", "claude", ""),
    ],
)
def test_the_words_that_one_vendor_reserves_are_named(name: str, word: str, cure: str) -> None:
    assert [(fault.message, fault.cure) for fault in name_faults(name) if fault.code == "name-reserved"] == [
        (f"name holds the word {word}, which one vendor's uploader refuses", cure)
    ]


@pytest.mark.parametrize("description", [None, "", " \n ", ["a"], {}])
def test_a_description_that_is_absent_blank_or_no_text_is_missing(description: object) -> None:
    (fault,) = found(description=description)
    assert fault.code == "description-missing"
    assert codes(description=fault.cure) == []


def test_a_description_is_measured_in_code_points() -> None:
    assert codes(description="\U0001f600" * 1024) == []
    (fault,) = found(description="x" * 1025)
    assert (fault.code, fault.message) == (
        "description-length",
        "description has 1025 characters; at most 1024 are allowed",
    )


@pytest.mark.parametrize("key", ["name", "description"])
def test_markup_is_found_in_names_and_descriptions(key: str) -> None:
    def markup(text: str) -> list[tuple[str, bool]]:
        kinds = ("description-closing-tag", "description-markup")
        return [(fault.code, fault.strict_only) for fault in found(**{key: text}) if fault.code in kinds]

    assert markup("a</skills>") == [("description-closing-tag", False), ("description-markup", True)]
    assert markup("a</ b") == [("description-markup", True)]
    assert markup("a <b> c") == [("description-markup", False)]
    assert markup("a <b>c</b>") == [("description-closing-tag", False), ("description-markup", False)]
    assert markup("a < b") == [("description-markup", True)]
    assert markup("a -> b") == [("description-markup", True)]
    assert markup("<1>") == [("description-markup", True)]


@pytest.mark.parametrize(
    "hiding",
    [
        *"\x00\x07\x0b\r\x1b\x7f\x85\x9b",
        *"\u2028\u2029\u202a\u202e\u2066\u2069",
        *"\u200b\u2060\u2064\u180e\u034f\u115f\u1160\u3164\uffa0\ufeff",
        TAG_LETTER,
        "\U000e0001",
        "\U000e0100",
        f"\U0001f3f4{TAG_LETTER}",
        "\ud800",
    ],
)
def test_characters_that_hide_or_command_are_named_and_not_shown(hiding: str) -> None:
    (fault,) = found(description=f"a{hiding}b")
    assert fault.code == "description-control"
    assert fault.message.endswith(f"U+{ord(hiding[-1]):04X}")
    assert codes(description=fault.cure) == []


@pytest.mark.parametrize("point", [0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x8FFFF, 0x10FFFF])
def test_noncharacters_are_no_part_of_a_description_or_a_name(point: int) -> None:
    (fault,) = found(description=f"a{chr(point)}b")
    assert (fault.code, fault.cure) == ("description-control", "ab")
    assert "noncharacter" in fault.message
    assert fault.message.endswith(f"U+{point:04X}")
    assert [fault.code for fault in name_faults(f"a{chr(point)}b")] == ["name-unsafe"]


@pytest.mark.parametrize("point", [0xFDCF, 0xFDF0, 0xFFFD, 0x10000, 0x1FFFD, 0x10FFFD])
def test_their_neighbours_are_characters(point: int) -> None:
    assert codes(description=f"a{chr(point)}b") == []


def test_white_space_around_a_description_is_what_python_strips() -> None:
    for char in (char for char in map(chr, range(sys.maxunicode + 1)) if char.isspace()):
        for text in (f"a{char}", f"{char}a"):
            (fault,) = (fault for fault in found(description=text) if fault.code == "description-edges")
            assert fault.cure == text.strip() == "a"
    assert codes(description="a\u3000b\nc") == ["description-lines"]
    assert codes(description="\u200ea\u200f") == []


@pytest.mark.parametrize(
    "fair",
    [
        "tab\there",
        "\U0001f469\u200d\U0001f4bb",
        "\u2764\ufe0f",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "soft\xadhyphen",
        "\u200eleft\u200f",
        f"{SCOTLAND} whisky",
    ],
)
def test_joiners_marks_selectors_and_flags_are_fair(fair: str) -> None:
    assert codes(description=fair) == []


@pytest.mark.parametrize("letters", ["gb", "123", "1gbs", "gbscotl"])
def test_what_is_spelled_like_a_flag_and_is_none_hides(letters: str) -> None:
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in letters)
    assert codes(description=f"a\U0001f3f4{tags}\U000e007f") == ["description-control"]


def test_a_flag_is_kept_when_hidden_characters_are_deleted() -> None:
    (fault,) = found(description=f"{SCOTLAND}\u200b{TAG_LETTER}!")
    assert fault.cure == f"{SCOTLAND}!"


def test_a_description_of_several_lines_is_mentioned() -> None:
    assert codes(description="one\ntwo") == ["description-lines"]
    assert codes(description="one line\n") == ["description-edges"]


@pytest.mark.parametrize("value", ["", "  ", ["MIT"], {"a": "b"}])
def test_license_and_compatibility_are_texts(value: object) -> None:
    assert codes(license=value) == ["license-type"]
    assert codes(compatibility=value) == ["compatibility-type"]


def test_compatibility_has_at_most_500_characters() -> None:
    assert codes(compatibility="x" * 500) == []
    assert codes(compatibility="x" * 501) == ["compatibility-type"]
    assert codes(license="x" * 5000) == []


def test_metadata_maps_text_to_text() -> None:
    assert codes(metadata={}) == []
    assert codes(metadata={"a": "b", "c": ""}) == []
    assert [fault.message for fault in found(metadata="")] == [
        "metadata is blank, not a mapping of text to text"
    ]
    assert [fault.message for fault in found(metadata="foo")] == [
        "metadata is text, not a mapping of text to text"
    ]
    assert [fault.message for fault in found(metadata=["a"])] == [
        "metadata is a list, not a mapping of text to text"
    ]
    nested = found(metadata={"tags": ["a"], "ok": "b", "x": {"y": "z"}, 1: "n"})
    assert [(fault.path, fault.message) for fault in nested] == [
        (("metadata", "tags"), "metadata.tags is a list, not text"),
        (("metadata", "x"), "metadata.x is a mapping, not text"),
        (("metadata", "1"), "metadata.1 is of type int, not text"),
    ]


@pytest.mark.parametrize("key", TYPED_METADATA)
def test_a_metadata_key_that_a_host_wants_otherwise_than_as_text_is_a_fault_at_strict(key: str) -> None:
    (fault,) = found(metadata={key: "true", "a": "b"})
    assert (fault.code, fault.path, fault.strict_only) == ("metadata-type", ("metadata", key), True)
    (fault,) = found(metadata={key: ["a"]})
    assert not fault.strict_only


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("Read", ("Read",)),
        ("Bash(git:*) Read", ("Bash(git:*)", "Read")),
        ("Bash(git add *) Read", ("Bash(git add *)", "Read")),
        ("Bash(git add:*,git commit:*) Read", ("Bash(git add:*,git commit:*)", "Read")),
        ("Bash(a (b c)) Read", ("Bash(a (b c))", "Read")),
    ],
)
def test_tools_are_split_at_spaces_outside_parentheses(value: str, named: tuple[str, ...]) -> None:
    assert tools_of(value) == named
    assert codes(allowed_tools=value) == []


@pytest.mark.parametrize(
    ("value", "named", "cure"),
    [
        ("Read, Write", ("Read", "Write"), "Read Write"),
        ("Bash(git:*),Read", ("Bash(git:*)", "Read"), "Bash(git:*) Read"),
        ("Read  Write", ("Read", "Write"), "Read Write"),
        ("Read\nWrite\n", ("Read", "Write"), "Read Write"),
        (["Read", "Bash(git add *)"], ("Read", "Bash(git add *)"), "Read Bash(git add *)"),
        (("Read", " "), ("Read",), "Read"),
        (["Read,Write"], ("Read,Write",), "Read Write"),
        ("", None, ""),
        (" , ", None, ""),
        ("\x85", None, ""),
    ],
)
def test_other_forms_of_allowed_tools_are_read_and_reported(
    value: object, named: tuple[str, ...] | None, cure: str
) -> None:
    assert tools_of(value) == named
    (fault,) = found(allowed_tools=value)
    assert (fault.code, fault.cure) == ("allowed-tools-form", cure)


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("Bash(git add", ("Bash(git add",)),
        (" Read) Write ( ", ("Read) Write (",)),
        (["Bash(a", "b)"], ("Bash(a", "b)")),
        ([], ()),
        (["", " "], ()),
        ({"Read": "yes"}, None),
        ([["Read"]], None),
        (3, None),
    ],
)
def test_allowed_tools_that_cannot_be_split_are_kept_verbatim_where_they_are_text(
    value: object, named: tuple[str, ...] | None
) -> None:
    assert tools_of(value) == named
    assert codes(allowed_tools=value) == ["allowed-tools-syntax"]


@pytest.mark.parametrize(
    ("value", "patterns", "faulty"),
    [
        ("*.py", ("*.py",), False),
        ("*.py, src/**", ("*.py", "src/**"), False),
        ("**/*.{ts,tsx},*.js", ("**/*.{ts,tsx}", "*.js"), False),
        ("a{b,c", ("a{b", "c"), False),
        ("", (), False),
        (["*.py", "*.js"], ("*.py", "*.js"), False),
        ([], (), False),
        (["*.py", ""], ("*.py",), True),
        ([["*.py"]], (), True),
        ({"a": "b"}, (), True),
    ],
)
def test_globs_are_a_list_of_texts_or_a_text_with_commas(
    value: object, patterns: tuple[str, ...], *, faulty: bool
) -> None:
    assert globs_of(value) == patterns
    assert ("globs-form" in codes(globs=value)) is faulty


def test_unknown_fields_are_one_fault_with_advice_for_each_sort() -> None:
    (fault,) = found(version="1", model="x", allowedTools="Read", tags=[])
    assert (fault.code, fault.path) == ("field-unknown", ("version",))
    assert fault.message == "fields beyond the six of the format: version, model, allowedTools, tags"
    assert fault.hint == (
        "version, tags: move it under metadata; "
        "model: a host's own field: keep it; strict hosts refuse it; "
        "allowedTools: rename it to allowed-tools"
    )


@pytest.mark.parametrize("key", sorted(HOST_FIELDS))
def test_a_hosts_own_field_is_to_be_kept(key: str) -> None:
    (fault,) = found(**{key: "x"})
    assert fault.hint == "a host's own field: keep it; strict hosts refuse it"


@pytest.mark.parametrize("key", FIELDS)
def test_a_known_field_in_other_letters_is_named_with_its_spelling(key: str) -> None:
    (fault,) = faults(GOOD | {key.title(): "x"})
    assert (fault.code, fault.path, fault.hint) == ("field-case", (key.title(),), f"rename it to {key}")


def test_a_slug_is_a_good_name_or_nothing() -> None:
    assert slug("My Skill!") == "my-skill"
    assert slug("ÉCOLE № 5") == "ecole-no-5"
    assert slug("-") == ""


def test_an_excerpt_has_at_most_so_many_characters() -> None:
    assert excerpt("abc", 3) == "abc"
    assert excerpt("abcd", 3) == "ab…"
    assert len(excerpt("x" * 100)) == 80


@pytest.mark.parametrize("text", ["", "  \n", "\u200d", "\ufe0f\u200b", "\u3164"])
def test_a_description_that_nobody_sees_is_missing(text: str) -> None:
    codes = [fault.code for fault in faults({"name": "a", "description": text})]
    assert codes == ["description-missing"]
