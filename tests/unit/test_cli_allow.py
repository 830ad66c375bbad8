"""The command line about reviewed exceptions and skills inside skills: what it takes, prints and shows again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from skillpack import cli, config, pipeline
from support import projects, tokens
from support.archives import make_zip

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

MODULE = "src/agent/skills.py"
TOKEN = tokens.example("github-token")
FILES = {"skills/sing/ca.p12": b"\x00", "skills/sing/notes.md": TOKEN.text + TOKEN.text}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two skills, one of which has files to be allowed; it is the current directory."""
    root = projects.write(tmp_path / "project", {**projects.agent(), **FILES})
    monkeypatch.chdir(root)
    return root


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, arguments, prog_name="skillpack")


def configure(project: Path, lines: str) -> None:
    """Add lines to `[tool.skillpack]`."""
    path = project / "pyproject.toml"
    path.write_text(path.read_text(encoding="utf-8") + lines, encoding="utf-8")


def allow(project: Path) -> None:
    """Paste what the refusal says, with a reason."""
    printed = run("check").stderr
    blocks = re.findall(r"(?m)^    \[\[tool.*\n(?:    \w.*\n){4}", printed)
    reason = r'reason = "made for \u001b[2J the tests"'
    configure(project, "".join(blocks).replace('reason = ""', reason))


def test_a_refusal_prints_each_entry_once_and_never_the_secret(project: Path) -> None:
    result = run("check")
    assert result.exit_code == 1
    assert result.stderr.count("[[tool.skillpack.allow]]") == 2
    assert result.stderr.count("secret-content: ") == 2
    assert TOKEN.secret.decode() not in result.stderr
    assert "  or, if it may ship as it is, say why in pyproject.toml:\n    [[tool" in result.stderr
    assert result.stderr.endswith("refused: 3 errors\n")


def test_what_is_pasted_lets_the_skills_pass_and_is_shown_when_asked(project: Path) -> None:
    allow(project)
    result = run("bundle")
    assert (result.exit_code, result.stderr.count("\n")) == (0, 1)
    assert "; 3 notes (`skillpack check -v` lists them)" in result.stderr
    verbose = run("check", "-v").stderr
    assert verbose.count("; allowed: made for \\x1b[2J the tests") == 3
    assert TOKEN.secret.decode() not in verbose


def test_machines_get_the_entry_with_the_hint(project: Path) -> None:
    text = run("check", "--report-format", "json").stdout
    hints = [finding["hint"] for finding in json.loads(text)["findings"] if finding["hint"]]
    with_entry = [hint for hint in hints if "\n  [[tool.skillpack.allow]]\n  path = " in hint]
    assert len(with_entry) == len(set(with_entry)) == 2, "an entry for each file"
    assert all("allow]]" not in hint for hint in hints if hint not in with_entry)


def test_inspect_shows_the_exceptions_of_the_project_that_a_module_holds(project: Path) -> None:
    allow(project)
    configure(
        project,
        '[[tool.skillpack.allow]]\npath = "x"\nrule = "secret-dir"\nsha256 = "'
        + "0" * 64
        + '"\nreason = "x"\n',
    )
    assert run("bundle").exit_code == 0
    result = run("inspect", MODULE)
    assert (result.exit_code, result.stderr) == (0, "")
    shown = result.stdout.partition("\n\nexceptions, as pyproject.toml has them:\n")[2]
    assert re.fullmatch(
        r"  sha256:[0-9a-f]{12}  sing/ca\.p12: secret-name: made for \\x1b\[2J the tests\n"
        r"  sha256:[0-9a-f]{12}  sing/notes\.md: secret-content: made for \\x1b\[2J the tests\n",
        shown,
    )
    assert len(re.findall(r"\n  sha256:[0-9a-f]{64}  sing/", run("inspect", "-v", MODULE).stdout)) == 2
    facts = json.loads(run("inspect", "--json", MODULE).stdout)
    assert [exception["path"] for exception in facts["exceptions"]] == ["ca.p12", "notes.md"]
    assert set(facts["exceptions"][0]) == {"skill", "path", "rule", "sha256", "reason"}


def test_inspect_shows_the_exceptions_that_a_wheel_tells_of_wherever_it_is(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(project)
    assert run("bundle").exit_code == 0
    with pipeline.pack(config.load(project)) as packed:
        manifest = packed.manifest()
    module = (project / MODULE).read_bytes()
    wheel = make_zip(
        tmp_path / "agent-1.0-py3-none-any.whl",
        {"agent/skills.py": module, "agent-1.0.dist-info/extra_metadata/skillpack.json": manifest},
    )
    (project / "pyproject.toml").write_text("not TOML", encoding="utf-8")
    result = run("inspect", str(wheel))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "exceptions, as the manifest has them:\n  sha256:" in result.stdout
    assert len(json.loads(run("inspect", "--json", str(wheel)).stdout)["exceptions"]) == 2
    assert run("verify", str(wheel)).exit_code == 0


def test_inspect_does_without_a_configuration_that_cannot_be_read(project: Path) -> None:
    allow(project)
    assert run("bundle").exit_code == 0
    configure(project, "[[tool.skillpack.allow]]\n")
    result = run("inspect", MODULE)
    assert result.exit_code == 0
    assert "exceptions" not in result.stdout
    assert result.stderr.count("warning: no exceptions are shown: tool.skillpack.allow[2].") == 4
    assert json.loads(run("inspect", "-q", "--json", MODULE).stdout)["exceptions"] == []


def test_sources_are_compared_under_the_exceptions_that_they_were_packed_with(project: Path) -> None:
    allow(project)
    assert run("bundle").exit_code == 0
    assert run("verify", MODULE, "--against", "skills").exit_code == 0


def test_skills_inside_skills_are_split_by_a_flag(project: Path) -> None:
    configure(project, 'exclude = ["ca.p12", "skills/sing/notes.md"]\n')
    projects.write(project, projects.below("skills/sing", projects.skill("hum")))
    assert "nested-skill" in run("check").stderr
    result = run("check", "--nested", "split", "--expect", "hum")
    assert (result.exit_code, result.stderr.count("\n")) == (0, 1)
    configure(project, 'nested = "split"\n')
    assert run("bundle").exit_code == 0
    assert "nested-skill" in run("check", "--nested", "resource").stderr
    assert run("verify", MODULE, "--against", "skills").exit_code == 0
    assert run("verify", MODULE, "--against", "skills", "--nested", "resource").exit_code == 1
    wrong = run("check", "--nested", "both")
    assert wrong.exit_code == 2
    assert wrong.stderr == 'error: --nested: must be "resource" or "split", not "both"\n'
