"""The report in JSON: its form, key by key."""

from __future__ import annotations

import json

from skillpack.reports.record import FORMAT, VERSION, record
from skillpack.rules import Level
from support.reported import finding


def test_a_record_has_its_form_its_counts_and_all_keys_of_each_finding() -> None:
    first = finding(line=2, column=7, hint="use a-z")
    second = finding("bom", level=Level.WARNING, path="skills/a/SKILL.md", message="begins with a mark")
    assert json.loads(record([first, second])) == {
        "format": "skillpack-report",
        "version": 1,
        "summary": {"errors": 1, "warnings": 1, "notes": 0},
        "findings": [
            {
                "code": "bom",
                "level": "warning",
                "path": "skills/a/SKILL.md",
                "line": None,
                "column": None,
                "message": "begins with a mark",
                "hint": None,
            },
            {
                "code": "name-format",
                "level": "error",
                "path": "skills/pdf/SKILL.md",
                "line": 2,
                "column": 7,
                "message": "name has a hyphen at its start or end",
                "hint": "use a-z",
            },
        ],
    }


def test_a_record_of_nothing_is_a_record() -> None:
    assert json.loads(record([])) == {
        "format": FORMAT,
        "version": VERSION,
        "summary": {"errors": 0, "warnings": 0, "notes": 0},
        "findings": [],
    }


def test_the_text_is_ascii_and_ends_with_a_line_feed() -> None:
    text = record([finding(message="a\u202eé")])
    assert text.isascii()
    assert text.endswith("}\n")


def test_what_is_not_unicode_is_an_escape_that_every_reader_takes() -> None:
    text = record([finding(path="skills/a\udcff", message="b\ud800", hint="\udc80")])
    (written,) = json.loads(text)["findings"]
    assert (written["path"], written["message"], written["hint"]) == (
        "skills/a\\udcff",
        "b\\ud800",
        "\\udc80",
    )
