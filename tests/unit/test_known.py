"""Frontmatters that an earlier run has read: they read alike, and only what pays is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skillpack import frontmatter
from skillpack.findings import Policy, Report
from support import tokens
from support.bundles import skill_md

FLOWING = (
    b'---\nname: dance\ndescription: Dances.\nmetadata: {a: "b"}\ntags: [x, [y], {z: 1}]\nplain:\n- a\n---\n'
)


def test_what_is_known_is_not_parsed_again_and_reads_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    documents: dict[str, Any] = {}
    known = frontmatter.Known(documents=documents, key="k")
    first = frontmatter.read(FLOWING, place="SKILL.md", directory="dance", report=Report(), known=known)
    documents["k"] = json.loads(json.dumps(documents["k"]))
    monkeypatch.setattr("skillpack.frontmatter.reading.compose", None)
    again = frontmatter.read(FLOWING, place="SKILL.md", directory="dance", report=Report(), known=known)
    assert first is not None
    assert again == first


def test_what_is_known_of_another_text_or_by_another_parser_is_read_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = frontmatter.Known(documents={}, key="k")
    frontmatter.read(FLOWING, place="SKILL.md", directory="dance", report=Report(), known=known)
    other = FLOWING.replace(b"Dances", b"Sings")
    found = frontmatter.read(other, place="SKILL.md", directory="dance", report=Report(), known=known)
    assert found is not None
    assert found.description == "Sings."
    monkeypatch.setattr("yaml.__version__", "0")
    assert known.recall("name: dance") is None


def test_what_the_fast_parser_reads_is_not_kept() -> None:
    known = frontmatter.Known(documents={}, key="k")
    frontmatter.read(skill_md("dance"), place="SKILL.md", directory="dance", report=Report(), known=known)
    assert known.documents == {}


@pytest.mark.parametrize(
    "line",
    [
        "note: [{secret}]",
        "note: [x] # {secret}",
        'note: ["{escaped}"]',
        'note: [x, "\\0{secret}"]',
    ],
)
def test_what_holds_a_secret_is_not_kept_in_the_text_or_as_yaml_reads_it(line: str) -> None:
    secret = tokens.example("github-token").secret.decode()
    escaped = f"\\x{ord(secret[0]):02x}{secret[1:]}"
    known = frontmatter.Known(documents={}, key="k")
    data = skill_md("dance").replace(
        b"\n---\n", f"\n{line.format(secret=secret, escaped=escaped)}\n---\n".encode(), 1
    )
    report = Report()
    frontmatter.read(data, place="SKILL.md", directory="dance", report=report, known=known)
    assert known.documents == {}


def test_a_repaired_text_is_not_kept() -> None:
    known = frontmatter.Known(documents={}, key="k")
    data = skill_md("dance", description="Use this: [always]")
    report = Report(Policy(setting="lenient"))
    read = frontmatter.read(data, place="SKILL.md", directory="dance", report=report, known=known)
    assert read is not None
    assert known.documents == {}
