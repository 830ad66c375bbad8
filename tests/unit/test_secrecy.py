"""Secrets that only a reader of YAML sees are refused like any, and told like none."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from support import projects, tokens
from support.packing import pack, skillpack

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = tokens.example("github-token").secret.decode()
KEY = "Kq7/" + tokens.example("aws-secret-access-key").secret.decode()[4:]
HEAD = "---\nname: demo\ndescription: A demo\n"
LEVELS = ("--lenient", "--strict")


def hexed(text: str, least: int = 1) -> str:
    """Return a text with its first characters as escapes."""
    return "".join(f"\\x{ord(char):02x}" for char in text[:least]) + text[least:]


def long(text: str) -> str:
    return "".join(f"\\U{ord(char):08x}" for char in text)


def packed(project: Path, text: str) -> list[tuple[int, int, str]]:
    """Pack a SKILL.md; return the places of the secrets in it, with their codes."""
    projects.write(project, {"skills/demo/SKILL.md": text})
    return [
        (finding.line, finding.column, finding.code)
        for finding in pack(project).findings
        if finding.code.startswith("secret-")
    ]


@pytest.mark.parametrize(
    ("lines", "line", "column"),
    [
        (f'license: "{hexed(TOKEN)}"', 4, 10),
        (f'license: "{long(TOKEN)}"', 4, 10),
        (f'license: "{TOKEN[:20]}\\\n  {TOKEN[20:]}"', 4, 10),
        (f'"{hexed(TOKEN)}": x', 4, 1),
        (f'"{hexed(TOKEN)}": [x]', 4, 1),
        (f'metadata:\n  "{hexed(TOKEN)}": x', 5, 3),
        (f'metadata:\n  a: "{hexed(TOKEN)}"', 5, 6),
        (f'metadata:\n  - b: ["x", "{hexed(TOKEN)}"]', 5, 14),
        (f'allowed-tools:\n  - "Bash(curl -H {hexed(TOKEN)})"', 5, 5),
        (f'metadata:\n  aws_secret_access_key: "{hexed(KEY)}"', 5, 26),
    ],
)
def test_a_secret_behind_escapes_is_refused_at_the_line_of_its_value(
    tmp_path: Path, lines: str, line: int, column: int
) -> None:
    assert packed(tmp_path, f"{HEAD}{lines}\n---\nBody\n") == [(line, column, "secret-content")]
    for arguments in (("check",), *(("check", level) for level in LEVELS)):
        result = skillpack(tmp_path, *arguments)
        assert (result.exit_code, TOKEN[4:9] in result.output) == (1, False)


@pytest.mark.parametrize("folded", [TOKEN, f">\n  Use\n  {TOKEN}\n  now", f'"{TOKEN}"', f"|-\n  {TOKEN}"])
def test_what_the_file_shows_as_it_is_is_one_finding(tmp_path: Path, folded: str) -> None:
    ((_, _, code),) = packed(tmp_path, f"{HEAD}license: {folded}\n---\nBody\n")
    assert code == "secret-content"


def test_what_is_like_a_secret_warns(tmp_path: Path) -> None:
    like = tokens.example("jwt").secret.decode()
    assert packed(tmp_path, f'{HEAD}license: "{hexed(like)}"\n---\nBody\n') == [(4, 10, "secret-like")]


def test_such_a_finding_is_allowed_by_the_digest_of_the_file(tmp_path: Path) -> None:
    assert packed(tmp_path, f'{HEAD}license: "{hexed(TOKEN)}"\n---\nBody\n')
    (finding,) = pack(tmp_path).errors
    (entry,) = tomllib.loads(finding.advice.partition("pyproject.toml:\n")[2])["tool"]["skillpack"]["allow"]
    outcome = pack(tmp_path, allow=[{**entry, "reason": "made for a test"}])
    assert [finding.message.rpartition("; ")[2] for finding in outcome.findings] == [
        "allowed: made for a test"
    ]


@pytest.mark.parametrize("name", [TOKEN, f'"{hexed(TOKEN, 20)}"', f'"{long(TOKEN)}"'])
@pytest.mark.parametrize("level", ["--lenient", "--strict"])
def test_a_name_that_is_a_secret_is_described_by_nothing_of_it(tmp_path: Path, name: str, level: str) -> None:
    assert packed(tmp_path, f"---\nname: {name}\ndescription: d\n---\nBody\n")
    said = skillpack(tmp_path, "check", "-v", level).output
    assert "name has characters other than a-z, 0-9 and hyphens\n" in said
    assert "hint: use a-z, 0-9 and single hyphens between them\n" in said


@pytest.mark.parametrize("value", [f'"{hexed(TOKEN)}', f'"{TOKEN[:20]}\\\n  {TOKEN[20:]}" x'])
def test_a_text_that_is_no_yaml_is_quoted_without_it(tmp_path: Path, value: str) -> None:
    packed(tmp_path, f"{HEAD}license: {value}\n---\nBody\n")
    result = skillpack(tmp_path, "check", "-v")
    assert result.exit_code == 1
    assert all(TOKEN[at : at + 5] not in result.output for at in range(4, 36))
