"""`skillpack init`: the file it changes, what it says, and when it stops."""

from __future__ import annotations

import builtins
import stat
import subprocess
import sys
import tomllib
from importlib import metadata
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from click.testing import CliRunner

from skillpack import cli, config, write
from skillpack.errors import OutputError
from skillpack.init import requirement
from support import hatch_builds, projects

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

PROJECT = '[project]\nname = "agent"\nversion = "1.0"\nrequires-python = ">=3.11"  # as skillpack\n'
BEFORE = f"""\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

{PROJECT}"""
REQUIREMENT = requirement(metadata.version("skillpack"))
AFTER = f"""\
[build-system]
requires = ["hatchling", "{REQUIREMENT}"]
build-backend = "hatchling.build"

{PROJECT}
[tool.hatch.build.hooks.skillpack]
"""
ADDED = (
    f'build-system.requires: added "{REQUIREMENT}"\n'
    "tool.hatch.build.hooks.skillpack: added, so that each build packs the skills\n"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of hatchling's with a package and skills that knows nothing of skillpack: the current directory."""
    files = {
        "pyproject.toml": BEFORE,
        **projects.PACKAGE,
        **projects.below("skills", projects.skill("dance")),
    }
    root = projects.write(tmp_path / "project", files)
    monkeypatch.chdir(root)
    return root


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, ["init", *arguments], prog_name="skillpack")


def text(project: Path) -> str:
    return (project / "pyproject.toml").read_bytes().decode()


def options(project: Path) -> Any:
    return tomllib.loads(text(project))["tool"].get("skillpack")


def unchanged(project: Path, *arguments: str, code: int = 2, before: str = BEFORE) -> str:
    """Run, assert that nothing was touched, and return what was said."""
    tree = projects.tree(project)
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert projects.tree(project) == tree
    assert text(project) == before
    return result.stderr


# ------------------------------------------------------------------ what it does


def test_it_adds_the_lines_and_says_so(project: Path) -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (0, "")
    assert text(project) == AFTER
    assert result.stderr == f"{ADDED}wrote pyproject.toml\n"


def test_what_it_wrote_packs(project: Path) -> None:
    run()
    result = CliRunner().invoke(cli.cli, ["bundle"], prog_name="skillpack")
    assert result.exit_code == 0
    assert result.stderr.startswith("wrote src/agent/skills.py: packed 1 skill")


def test_a_second_run_touches_nothing(project: Path) -> None:
    run("skills", "-o", "src/agent/packed.py")
    said = unchanged(project, "skills", "-o", "src/agent/packed.py", code=0, before=text(project))
    assert said == "unchanged pyproject.toml\n"


def test_mode_and_line_ends_stay(project: Path) -> None:
    path = project / "pyproject.toml"
    path.write_bytes(BEFORE.replace("\n", "\r\n").encode())
    path.chmod(0o640)
    assert run().exit_code == 0
    assert path.read_bytes() == AFTER.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_quiet_says_nothing_and_does_it(project: Path) -> None:
    assert run("-q").output == ""
    assert text(project) == AFTER


def test_skills_and_module_are_written_when_they_are_not_the_default(project: Path) -> None:
    projects.write(project, projects.below("prompts", projects.skill("sing")))
    run("skills", "-o", "src/agent/skills.py")
    assert options(project) is None
    result = run("prompts/", "--module", "src/agent/packed.py")
    assert options(project) == {"skills": ["prompts"], "module": "src/agent/packed.py"}
    assert 'tool.skillpack.skills: set to ["prompts"]\n' in result.stderr


def test_the_default_root_is_the_one_that_is_there(project: Path) -> None:
    (project / "skills").rename(project / "other")
    projects.write(project, projects.below(".agents/skills", projects.skill("sing")))
    run(".agents/skills")
    assert options(project) is None


@pytest.mark.parametrize("absolute", [False, True])
def test_paths_are_those_of_the_current_directory_and_become_those_of_the_file(
    project: Path, monkeypatch: pytest.MonkeyPatch, absolute: bool
) -> None:
    monkeypatch.chdir(project / "src")
    base = project / "src" if absolute else "."
    result = run(f"{base}/../skills/dance", "-o", f"{base}/agent/packed.py")
    assert options(project) == {"skills": ["skills/dance"], "module": "src/agent/packed.py"}
    assert result.stderr.endswith("wrote ../pyproject.toml\n")


def test_an_installed_distribution_stays_as_it_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "uv.lock").touch()
    monkeypatch.chdir(project / "skills")
    result = run("package:Desk_Tools", "package:desk-tools/call", "package:skillpack", ".")
    assert options(project) == {
        "skills": ["package:Desk_Tools", "package:desk-tools/call", "package:skillpack", "skills"]
    }
    assert "package:" not in str(tomllib.loads(text(project))["tool"]["uv"])
    advice = [line for line in result.stderr.splitlines() if line.startswith("note: ")]
    assert advice == [
        f'note: build-system.requires: add "{name}", whose skills are packed: builds in isolation have no other packages'
        for name in ("Desk_Tools", "desk-tools")
    ]


def test_a_root_outside_the_project_stays_absolute_when_it_was(tmp_path: Path, project: Path) -> None:
    projects.write(tmp_path, projects.below("shared", projects.skill("sing")))
    run(str(tmp_path / "shared"), "../shared")
    assert options(project) == {"skills": [str(tmp_path / "shared"), "../shared"]}


def test_uvs_lock_file_shows_that_uv_is_in_use(project: Path) -> None:
    run()
    assert "uv" not in tomllib.loads(text(project))["tool"]
    (project / "uv.lock").touch()
    assert "tool.uv.cache-keys: added " in run().stderr
    assert {"file": "skills/**/*"} in tomllib.loads(text(project))["tool"]["uv"]["cache-keys"]


# ------------------------------------------------------------------ a dry run


def test_a_dry_run_prints_the_diff_and_writes_nothing(project: Path) -> None:
    before = projects.tree(project)
    result = run("--dry-run")
    assert result.exit_code == 0
    assert projects.tree(project) == before
    assert result.stderr == f"{ADDED}would write pyproject.toml\n"
    assert result.stdout.splitlines() == [
        "--- pyproject.toml",
        "+++ pyproject.toml",
        "@@ -1,8 +1,10 @@",
        " [build-system]",
        '-requires = ["hatchling"]',
        f'+requires = ["hatchling", "{REQUIREMENT}"]',
        ' build-backend = "hatchling.build"',
        " ",
        *(f" {line}" for line in PROJECT.splitlines()),
        "+",
        "+[tool.hatch.build.hooks.skillpack]",
    ]


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "# \u2028 and \x85\n"])
def test_the_diff_applied_is_what_a_run_writes(project: Path, end: str) -> None:
    line_end = "\r\n" if end == "\r\n" else "\n"
    before = BEFORE.removesuffix("\n").replace("\n", line_end) + end
    (project / "pyproject.toml").write_bytes(before.encode())
    diff = run("--dry-run").stdout_bytes
    subprocess.run(["git", "apply", "-p0", "--whitespace=nowarn"], input=diff, check=True)
    applied = text(project)
    assert applied != before
    (project / "pyproject.toml").write_bytes(before.encode())
    run()
    assert text(project) == applied


def test_a_dry_run_with_nothing_to_do_prints_no_diff(project: Path) -> None:
    run()
    assert unchanged(project, "--dry-run", code=0, before=AFTER) == "unchanged pyproject.toml\n"


# ------------------------------------------------------------------ what is left to the user


def test_without_the_hook_it_says_how_the_module_gets_into_a_build(project: Path) -> None:
    said = unchanged(project, "--no-hook", code=0)
    assert said.startswith(
        "unchanged pyproject.toml\nnote: build-system.build-backend: hatchling.build builds"
    )
    assert 'if git ignores src/agent/skills.py, the build leaves it out without a word; add "/src/' in said


def test_a_hatch_toml_with_a_build_gets_the_hook(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    projects.write(project, {"hatch.toml": "[build.targets.wheel]\n"})
    monkeypatch.chdir(project / "src")
    dry = run("--dry-run")
    assert dry.stderr.endswith("would write ../pyproject.toml\nwould write ../hatch.toml\n")
    assert "\n--- ../hatch.toml\n" in dry.stdout
    assert dry.stdout.endswith(" [build.targets.wheel]\n+\n+[build.hooks.skillpack]\n")
    assert (project / "hatch.toml").read_text(encoding="utf-8") == "[build.targets.wheel]\n"
    assert run().stderr == (
        f'build-system.requires: added "{REQUIREMENT}"\n'
        "hatch.toml: build.hooks.skillpack: added, so that each build packs the skills\n"
        "wrote ../pyproject.toml\nwrote ../hatch.toml\n"
    )
    assert "skillpack" not in tomllib.loads(text(project)).get("tool", {}).get("hatch", {})
    assert tomllib.loads((project / "hatch.toml").read_text(encoding="utf-8"))["build"]["hooks"] == {
        "skillpack": {}
    }
    assert run().stderr == "unchanged ../pyproject.toml\n"


def test_hatchling_runs_the_hook_of_a_hatch_toml(project: Path) -> None:
    projects.write(project, {"hatch.toml": "[build.targets.wheel]\npackages = ['src/agent']\n"})
    run()
    assert "agent/skills.py" in hatch_builds.build(project).files


def test_only_a_hatch_toml_that_changes_is_written(project: Path) -> None:
    projects.write(project, {"hatch.toml": "[build]\n", "pyproject.toml": AFTER})
    assert run().stderr.endswith("packs the skills\nwrote hatch.toml\n")
    assert text(project) == AFTER


def test_a_hatch_toml_that_cannot_be_read_is_one_line(project: Path) -> None:
    (project / "hatch.toml").write_bytes(b"\xff")
    assert "hatch.toml:1: is not UTF-8; save it as UTF-8\n" in unchanged(project, before=text(project))


def test_what_the_configuration_has_to_say_is_said(project: Path) -> None:
    (project / "pyproject.toml").write_text(BEFORE.partition("requires-python")[0], encoding="utf-8")
    assert "note: project.requires-python: not set, which admits Python before 3.11" in run().stderr


def test_a_module_without_a_package_is_for_the_user_to_name(project: Path) -> None:
    (project / "src/agent").rename(project / "src/other")
    result = run()
    assert result.exit_code == 0
    assert "note: tool.skillpack.module: not set, and there is neither src/agent/ nor agent/" in result.stderr
    assert "module" not in run("-o", "src/other/skills.py").stderr.partition("wrote")[2]


def test_the_name_in_poetrys_own_table_leads_to_the_default_module(project: Path) -> None:
    before = (
        '[tool.poetry]\nname = "Agent"\n\n[build-system]\nrequires = ["x"]\nbuild-backend = "poetry.core"\n'
    )
    (project / "pyproject.toml").write_text(before, encoding="utf-8")
    said = unchanged(project, "-o", "src/agent/skills.py", code=0, before=before)
    assert "tool.poetry.include: if git ignores src/agent/skills.py" in said
    assert "tool.skillpack.module" not in said


@pytest.mark.parametrize(("arguments", "root"), [([], "skills"), (["prompts", "skills/dance"], "prompts")])
def test_skills_may_come_later(project: Path, arguments: list[str], root: str) -> None:
    if not arguments:
        (project / "skills").rename(project / "other")
    result = run(*arguments)
    assert result.exit_code == 0
    assert result.stderr.endswith(
        f"wrote pyproject.toml\nnote: {root}: is not there yet; next, write a skill: {root}/NAME/SKILL.md\n"
    )
    assert run("-q", *arguments).stderr == ""


# ------------------------------------------------------------------ when it stops


def test_without_a_project_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(config, "find_project", lambda _: None)  # whatever lies above the temporary directory
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"error: {tmp_path}: there is no pyproject.toml here or above, and skillpack init adds to one; "
        "create it first, with [build-system] and [project]\n"
    )


def test_without_tomlkit_it_says_what_to_install(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_tomlkit(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name.partition(".")[0] == "tomlkit":
            raise ModuleNotFoundError(f"No module named {name!r}", name="tomlkit")
        return real(name, *arguments, **keywords)

    real = builtins.__import__
    for module in ("skillpack.init", "skillpack.toml_document"):
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(builtins, "__import__", without_tomlkit)
    assert unchanged(project) == (
        "error: skillpack init needs tomlkit, which is not installed beside skillpack; "
        "install it there: python -m pip install tomlkit\n"
    )


def test_a_copy_that_is_not_installed_has_no_version_to_require(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert "this copy of skillpack is not installed" in unchanged(project)


def test_all_faults_come_at_once_and_nothing_is_written(project: Path) -> None:
    before = f'{BEFORE}[tool.skillpack]\nlevle = "strict"\n'
    (project / "pyproject.toml").write_text(before, encoding="utf-8")
    said = unchanged(project, "", "-o", "a-b.py", before=before)
    assert [line.split(": ")[:2] for line in said.splitlines()] == [
        ["error", "tool.skillpack.levle"],
        ["error", "SKILLS "],
        ["error", "-o a-b.py"],
    ]


def test_a_module_outside_the_project_is_refused(project: Path) -> None:
    said = unchanged(project, "-o", "../skills.py")
    assert said.startswith("error: -o ../skills.py: must stay inside the project; ")
    before = f'{BEFORE}[tool.skillpack]\nmodule = "src/agent/skills.py"\n'
    (project / "pyproject.toml").write_text(before, encoding="utf-8")
    said = unchanged(project, "prompts", "-o", "../skills.py", before=before)
    assert "to change it" not in said, "no value is advised that would be refused"


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("[project]\nname =\n", "pyproject.toml:2:7: is not TOML: invalid value\n"),
        (BEFORE.replace('["hatchling"]', '"hatchling"'), "build-system.requires: must be an array\n"),
        (
            f"\ufeff{BEFORE}",
            "pyproject.toml:1: begins with a byte order mark (BOM), which TOML does not allow; save it as UTF-8 without BOM\n",
        ),
    ],
)
def test_a_file_that_cannot_be_added_to_is_one_line(project: Path, before: str, message: str) -> None:
    (project / "pyproject.toml").write_text(before, encoding="utf-8")
    said = unchanged(project, before=before)
    assert said.endswith(message)
    assert said.count("\n") == 1


def test_a_link_is_not_written_through(project: Path) -> None:
    (project / "pyproject.toml").rename(project / "real.toml")
    (project / "pyproject.toml").symlink_to("real.toml")
    assert "is a link, and skillpack does not write through links; edit its target\n" in unchanged(project)


def test_what_could_not_be_written_is_not_said_to_be_done(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> NoReturn:
        raise OutputError(f"{path}: cannot be written (No space left on device)")

    monkeypatch.setattr(write, "replace", full)
    assert unchanged(project) == (
        f"error: {project / 'pyproject.toml'}: cannot be written (No space left on device)\n"
    )
