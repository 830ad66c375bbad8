"""What a report shows, what it folds and how it counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from skillpack.findings import Finding
from skillpack.reporting import MAX_PLACES, count, lines, shown, tally
from skillpack.rules import Level
from support.told import told

if TYPE_CHECKING:
    from skillpack.reporting import Role


def finding(
    path: str, code: str = "crlf", level: Level = Level.WARNING, *, line: int = 0, hint: str = ""
) -> Finding:
    return Finding(code=code, level=level, path=path, message=f"about {code}", hint=hint, line=line)


def alphabet(number: int, code: str = "crlf", level: Level = Level.WARNING) -> list[Finding]:
    return [finding(f"skills/{chr(97 + index)}/SKILL.md", code, level) for index in range(number)]


def test_nothing_found_is_nothing_shown() -> None:
    assert list(lines([])) == []
    assert tally([]) == ""


def test_a_line_is_the_text_of_its_finding() -> None:
    each = finding("skills/a\n/SKILL.md", line=3, hint="do this")
    assert list(lines([each])) == [told(each)]
    assert list(lines([finding("x")])) == ["x: warning: crlf: about crlf"]


def test_notes_are_shown_when_asked_for_only() -> None:
    found = [finding("a", "left-out", Level.NOTE), finding("b", "symlink", Level.ERROR), finding("c")]
    assert [each.path for each in shown(found)] == ["b", "c"]
    assert [each.path for each in shown(found, verbose=True)] == ["a", "b", "c"]


def test_three_warnings_of_one_code_stand_for_themselves() -> None:
    found = alphabet(MAX_PLACES)
    assert shown(found) == tuple(found)


def test_more_are_one_line_with_the_count_and_the_first_three_places() -> None:
    assert list(lines([*alphabet(6), finding("zoo", "bom", hint="save it without")])) == [
        "skills/a/SKILL.md: warning: crlf: about crlf (6 of these: here, skills/b/SKILL.md, skills/c/SKILL.md and 3 more; `skillpack check -v` lists all)",
        "zoo: warning: bom: about bom\n  hint: save it without",
    ]


def test_a_folded_line_says_line_and_column_of_the_places_it_names() -> None:
    found = [finding("a", line=number) for number in range(1, 5)]
    assert list(lines(found)) == [
        "a:1: warning: crlf: about crlf (4 of these: here, a:2, a:3 and 1 more; `skillpack check -v` lists all)"
    ]


def test_a_folded_line_keeps_the_hint_and_its_place_in_the_order() -> None:
    found = sorted(
        [*alphabet(4, "bom"), *alphabet(4, "crlf"), finding("skills/a/a", "symlink")], key=Finding.sort_key
    )
    assert [(each.path, each.code) for each in shown(found)] == [
        ("skills/a/SKILL.md", "bom"),
        ("skills/a/SKILL.md", "crlf"),
        ("skills/a/a", "symlink"),
    ]
    hinted = [finding(path, hint=f"mend {path}") for path in "abcd"]
    assert shown(hinted)[0].hint == "mend a"


def test_an_entry_that_allows_several_findings_is_printed_once() -> None:
    found = [
        replace(finding("a", "secret-content", Level.ERROR, line=line, hint="revoke it"), sha256=sha256)
        for line, sha256 in ((1, "0" * 64), (2, "0" * 64), (3, "1" * 64))
    ]
    first, second, third = lines(found)
    assert first == told(found[0])
    assert second == "a:2: error: secret-content: about secret-content\n  hint: revoke it"
    assert third == told(found[2])


def test_verbose_folds_nothing() -> None:
    found = alphabet(9)
    assert shown(found, verbose=True) == tuple(found)


def test_errors_are_never_folded() -> None:
    found = alphabet(9, "symlink", Level.ERROR)
    assert shown(found) == tuple(found)


def test_codes_are_folded_apart() -> None:
    found = sorted([*alphabet(3, "crlf"), *alphabet(3, "bom")], key=Finding.sort_key)
    assert shown(found) == tuple(found)


def test_paint_gets_the_words_that_have_a_role_and_no_other() -> None:
    painted: list[tuple[str, Role]] = []

    def paint(text: str, role: Role) -> str:
        painted.append((text, role))
        return f"<{text}>"

    found = [
        finding("a", "symlink", Level.ERROR, hint="do this"),
        finding("b", "crlf"),
        finding("c", "left-out", Level.NOTE),
    ]
    assert list(lines(found, verbose=True, paint=paint)) == [
        "a: <error>: <symlink>: about symlink\n  <hint>: do this",
        "b: <warning>: <crlf>: about crlf",
        "c: <note>: <left-out>: about left-out",
    ]
    assert painted == [
        ("error", "error"),
        ("symlink", "code"),
        ("hint", "hint"),
        ("warning", "warning"),
        ("crlf", "code"),
        ("note", "note"),
        ("left-out", "code"),
    ]


@pytest.mark.parametrize(
    ("errors", "warnings", "notes", "text"),
    [
        (1, 0, 0, "1 error"),
        (0, 2, 0, "2 warnings"),
        (0, 0, 1, "1 note (`skillpack check -v` lists them)"),
        (2, 1, 3, "2 errors, 1 warning, 3 notes (`skillpack check -v` lists them)"),
        (1000, 0, 0, "1,000 errors"),
    ],
)
def test_a_tally_counts_by_level_and_says_how_to_see_the_notes(
    errors: int, warnings: int, notes: int, text: str
) -> None:
    found = [
        *[finding("a", "symlink", Level.ERROR)] * errors,
        *[finding("a")] * warnings,
        *[finding("a", "left-out", Level.NOTE)] * notes,
    ]
    assert tally(found) == text


def test_a_verbose_tally_has_nothing_more_to_offer() -> None:
    assert tally([finding("a", "left-out", Level.NOTE)], verbose=True) == "1 note"


def test_a_count_agrees_with_its_noun() -> None:
    assert [count(number, "file") for number in (0, 1, 2, 1234)] == [
        "0 files",
        "1 file",
        "2 files",
        "1,234 files",
    ]
