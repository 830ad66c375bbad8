"""What the command line prints, whole: each run of a small project against the output that is checked in.

Anything here that changes is a change that users see.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from skillpack import cli
from support import projects

if TYPE_CHECKING:
    from collections.abc import Callable

EXPECTED = Path(__file__).parent / "command_line"

MODULE = "src/agent/skills.py"
WARNINGS = {
    f"skills/{name}/SKILL.md": f"---\r\nname: {name}\r\ndescription: Says how to {name}.\r\n---\r\n\r\nGo.\r\n"
    for name in ("dance", "hop", "jump", "run", "sing")
}
NOTES = {
    "skills/dance/.DS_Store": "x",
    "skills/sing/SKILL.md": "---\nname: sing\ndescription: Says how to sing.\nmood: good\n---\n\nSing.\n",
}
HIDDEN = "---\nname: hush\ndescription: Says how to hush.\nhide: true\n---\n\nHush.\n"
ERRORS = {"skills/sing/.env": "A=b\n", "skills/dance/SKILL.md": "# Dance\n"}

CASES: dict[str, tuple[dict[str, str], list[list[str]]]] = {
    "missing": ({}, [["inspect", "dist/agent.whl"], ["verify", "dist"]]),
    "configuration": (
        {},
        [["check", "--max-files", "0", "--rule", "name-mismach=error", "--exclude", "./a"]],
    ),
    "clean": ({}, [["check"], ["bundle", "--check"], ["bundle"], ["bundle"], ["bundle", "--check"]]),
    "warnings": (WARNINGS, [["check"], ["check", "-v"], ["check", "-q"]]),
    "notes": (NOTES, [["check"], ["check", "-v"]]),
    "refused": (ERRORS, [["bundle"], ["check", "-q"]]),
    "inspect": ({}, [["bundle", "-q"], ["inspect", MODULE], ["inspect", MODULE, "--json"]]),
    "verify": ({}, [["bundle", "-q"], ["verify", MODULE, "--against", "skills"]]),
    "export": (
        {"skills/hush/SKILL.md": HIDDEN},
        [
            ["export", "--help"],
            ["export", "mcp"],
            ["export", "packaged-json", "-o", "packaged.json"],
            ["export", "well-known", "-o", "well-known"],
            ["export", "zip", "-o", "zips", "--select", "!hush"],
            ["export", "assets", "-o", "assets", "--hidden"],
            ["export", "directory", "-o", "zips"],
            ["export", "sha256sums", "skills/sing"],
        ],
    ),
    "drift": ({}, [["bundle", "-q"], ["verify", MODULE, "--against", "skills", "--exclude", "scripts/"]]),
    "explain": (
        {},
        [
            ["explain", code]
            for code in ("name-mismatch", "symlink", "secret-content", "name_mismatch", "zzz")
        ],
    ),
    "serve": (
        {},
        [
            ["serve", "--help"],
            ["serve", MODULE, "--port", "8080"],
        ],
    ),
    "foreign": ({MODULE: "mine = 1\n"}, [["check"], ["bundle"], ["verify", MODULE]]),
}
"""By name: the files that the project has besides those of `projects.agent`, and the runs, one after the other."""


def transcript(runs: list[list[str]]) -> str:
    """Return commands, what each printed on both streams, and their exit codes."""
    lines = []
    for arguments in runs:
        result = CliRunner().invoke(cli.cli, arguments, prog_name="skillpack")
        lines.append(f"$ skillpack {' '.join(arguments)}\n{result.output}[{result.exit_code}]\n")
    return "\n".join(lines)


@pytest.mark.parametrize("case", CASES)
def test_the_output_is_the_expected_one(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expect: Callable[[Path, str], None]
) -> None:
    files, runs = CASES[case]
    monkeypatch.chdir(projects.write(tmp_path, {**projects.agent(), **files}))
    expect(EXPECTED / f"{case}.txt", transcript(runs))


def test_no_expected_output_is_left_of_a_case_that_has_gone() -> None:
    assert {path.name for path in EXPECTED.iterdir()} == {f"{case}.txt" for case in CASES}
