"""Annotations on GitHub: one workflow command a finding, escaped as the runner reads it."""

from __future__ import annotations

import pytest

from skillpack.reports.github import github
from skillpack.rules import Level
from support.reported import finding


def test_an_error_with_its_place_and_its_hint() -> None:
    assert github([finding(line=2, column=7, hint="use a-z")]) == (
        "::error file=skills/pdf/SKILL.md,line=2,col=7,title=skillpack%3A name-format"
        "::skills/pdf/SKILL.md:2:7: name-format: name has a hyphen at its start or end%0Ahint: use a-z\n"
    )


def test_a_finding_about_a_whole_file_has_no_numbers() -> None:
    assert github([finding()]).startswith("::error file=skills/pdf/SKILL.md,title=")
    assert github([finding(line=3)]).startswith("::error file=skills/pdf/SKILL.md,line=3,title=")


def test_errors_come_first_and_notes_on_request() -> None:
    given = [
        finding("body-empty", level=Level.NOTE, path="a"),
        finding("bom", level=Level.WARNING, path="b"),
        finding(path="d"),
        finding(path="c"),
    ]
    commands = [line.partition(" ")[0] + line.partition("file=")[2][0] for line in github(given).splitlines()]
    assert commands == ["::errorc", "::errord", "::warningb"]
    assert github(given, verbose=True).splitlines()[-1].startswith("::notice file=a,")


def test_nothing_to_say_is_no_text() -> None:
    assert not github([])


@pytest.mark.parametrize(
    ("path", "escaped"),
    [
        ("a,b:c%d", "a%2Cb%3Ac%25d"),
        ("a\r\nb", "a%0D%0Ab"),
        ("a\udcff", "a\\udcff"),
        ("a\x1b[2J\x9b", "a\\x1b[2J\\x9b"),
        ("a\xa0é", "a\xa0é"),
    ],
)
def test_a_path_cannot_end_its_property_or_move_a_cursor(path: str, escaped: str) -> None:
    assert f"file={escaped},title=" in github([finding(path=path)])


def test_a_message_cannot_end_its_line_or_move_a_cursor() -> None:
    text = github([finding(message="50%\n::error::x\x1b[2J", hint="a\rb")])
    assert text.endswith(": 50%25\\n::error::x\\x1b[2J%0Ahint: a\\rb\n")
    assert text.count("\n") == 1


def test_paths_are_seen_from_the_root_of_the_checkout() -> None:
    assert "file=apps/agent/skills/a," in github([finding(path="skills/a")], project="apps/agent")
    assert "file=apps/shared/a," in github([finding(path="../shared/a")], project="apps/agent")
    assert "file=/srv/skills/a," in github([finding(path="/srv/skills/a")], project="apps/agent")
