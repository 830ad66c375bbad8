"""Every block of the README is run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillpack import config
from support import projects, readme, wheelhouse
from support.front_ends import UV, FrontEnd

if TYPE_CHECKING:
    from support.front_ends import Workshop

BLOCKS = readme.blocks()
PROJECT = '[project]\nname = "myagent"\nversion = "1.0"\nrequires-python = ">=3.11"\n'


def of(language: str) -> list[str]:
    return [block.text for block in BLOCKS if block.language == language]


CONSOLE, TOML, PYTHON, TEXT, MARKDOWN = map(of, ("console", "toml", "python", "text", "markdown"))
# What is about adapters runs where their frameworks are installed: in test_adapters.py.
PYTHON = [block for block in PYTHON if "skillpack.adapters" not in block]
HATCH, PACKAGES, ALLOW, POETRY, ARTIFACTS, UV_KEYS = TOML
(LISTED,) = (block for block in CONSOLE if block.startswith("$ skillpack list"))
*OUTPUTS, ATTRIBUTES = TEXT


def test_every_block_has_a_test_here() -> None:
    assert {block.language for block in BLOCKS} == {"console", "json", "toml", "python", "text", "markdown"}
    assert (len(CONSOLE), len(MARKDOWN)) == (6, 1)


# ------------------------------------------------------------------ the first two lines


def checkout(directory: Path) -> Path:
    """Return a copy of what git tracks here, without anything made by hand."""
    shutil.copytree(
        wheelhouse.CHECKOUT,
        directory,
        symlinks=True,
        ignore=shutil.ignore_patterns(
            ".git", ".venv*", ".cache", "dist", "*_cache", "__pycache__", ".hypothesis"
        ),
    )
    return directory


def test_the_first_line_shows_an_agent_reading_a_skill(tmp_path: Path) -> None:
    """It runs as it stands, against the public index, as on a fresh machine."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", CONSOLE[0]],
        cwd=checkout(tmp_path / "checkout"),
        env={**os.environ, "PATH": f"{Path(sys.base_prefix, 'bin')}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "## Available skills" in done.stdout
    assert '<skill_content name="commit-message">' in done.stdout


def test_the_first_two_blocks_are_one_line_each_and_ci_runs_both() -> None:
    assert all(line.count("\n") == 1 and not line.startswith("$") for line in CONSOLE[:2])
    assert CONSOLE[1].endswith("-m pytest\n")
    assert [block.language for block in BLOCKS[:2]] == ["console", "console"]
    ci = (wheelhouse.CHECKOUT / ".ci" / "run").read_text(encoding="utf-8")
    assert "setup_and_run=$(block 1)\nsetup_and_test=$(block 2)" in ci
    assert 'bash -euo pipefail -c "$setup_and_run"' in ci
    assert ci.rstrip().endswith('bash -euo pipefail -c "$setup_and_test"')


# ------------------------------------------------------------------ in your project


@pytest.fixture
def myagent(tmp_path: Path) -> Path:
    """Return the project that the README describes."""
    return projects.write(
        tmp_path / "myagent",
        {
            "pyproject.toml": f"{PROJECT}\n{HATCH}",
            "src/myagent/__init__.py": "",
            "skills/refunds/SKILL.md": MARKDOWN[0],
            "skills/refunds/references/exceptions.md": "Gift cards are never refunded.",
        },
    )


@pytest.mark.parametrize(("code", "output"), list(zip(PYTHON, OUTPUTS, strict=True)))
def test_the_python_blocks_print_what_stands_below_them(
    workshop: Workshop, myagent: Path, tmp_path: Path, code: str, output: str
) -> None:
    wheel = FrontEnd(name="pip", workshop=workshop).wheel(myagent, tmp_path / "dist").artifact()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    where = [str(tmp_path / "installed")]
    if "from skillpack.export" in code:  # as after `pip install --no-deps skillpack`
        where.append(str(wheelhouse.CHECKOUT / "packager"))
    script = f"import sys; sys.path[:0] = {where!r}\n{code}"
    done = workshop.run(sys.executable, "-S", "-I", "-c", script, cwd=tmp_path)
    assert (done.code, done.output) == (0, output)


@pytest.mark.parametrize("block", [block for block in CONSOLE[2:] if block != LISTED])
def test_the_console_blocks_print_what_they_show(
    workshop: Workshop, myagent: Path, tmp_path: Path, block: str
) -> None:
    refused = Path(shutil.copytree(projects.EXAMPLES / "refused", tmp_path / "refused", symlinks=True))
    for command, output in readme.transcript(block):
        directory = myagent if command != "skillpack check" else refused
        done = workshop.run("bash", "-c", command, cwd=directory)
        pattern = re.escape(output).replace("…", ".*")
        assert re.fullmatch(pattern, done.output, flags=re.DOTALL), f"{command}\n{done.output}"
        assert done.code == (1 if directory == refused else 0)


# ------------------------------------------------------------------ skills of other packages


def test_skills_of_another_package_are_packed_listed_and_shown(
    workshop: Workshop, myagent: Path, unpacked: Path, tmp_path: Path
) -> None:
    (myagent / "pyproject.toml").write_text(f"{PROJECT}\n{PACKAGES}", encoding="utf-8")
    # one directory of packages after the other, as they would be installed in an environment that builds
    beside = workshop.varied(PYTHONPATH=str(unpacked / "fastapi"))
    wheel = FrontEnd(name="pip", workshop=beside).wheel(myagent, tmp_path / "dist").artifact()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    assert (tmp_path / "installed/myagent/.agents/skills/fastapi/SKILL.md").is_file()
    (first, listed), (second, shown) = readme.transcript(LISTED)
    for command, output, site in (
        (first, listed, unpacked / "fastapi"),
        (second, shown, tmp_path / "installed"),
    ):
        done = workshop.varied(PYTHONPATH=str(site)).run("bash", "-c", command, cwd=myagent)
        assert done.code == 0, done.output
        assert re.fullmatch(re.escape(output).replace("…", ".*"), done.output), done.output


# ------------------------------------------------------------------ reviewed exceptions


def test_an_exception_lets_the_file_pass_until_it_is_edited(workshop: Workshop, myagent: Path) -> None:
    file = myagent / tomllib.loads(ALLOW)["tool"]["skillpack"]["allow"][0]["path"]
    projects.write(file.parent, {file.name: "a key for tests only\n"})
    refused = workshop.skillpack("check", cwd=myagent)
    assert (refused.code, "secret-name" in refused.output) == (1, True)
    (myagent / "pyproject.toml").write_text(f"{PROJECT}\n{HATCH}\n{ALLOW}", encoding="utf-8")
    allowed = workshop.skillpack("check", "-v", cwd=myagent)
    assert (allowed.code, "; allowed: the key of the public test shop" in allowed.output) == (0, True)
    file.write_text("another key\n", encoding="utf-8")
    edited = workshop.skillpack("check", cwd=myagent)
    assert (edited.code, "it has changed since it was allowed" in edited.output) == (1, True)


# ------------------------------------------------------------------ other back ends


def test_poetry_ships_an_ignored_module_with_its_line(
    workshop: Workshop, myagent: Path, tmp_path: Path
) -> None:
    wheel = ships_ignored_module(
        workshop,
        myagent,
        tmp_path,
        '[build-system]\nrequires = ["poetry-core>=2"]\nbuild-backend = "poetry.core.masonry.api"\n',
        POETRY,
    )
    assert "myagent/skills.py" in wheel


def test_hatchling_without_the_hook_ships_an_ignored_module_with_its_line(
    workshop: Workshop, myagent: Path, tmp_path: Path
) -> None:
    system = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
    assert "myagent/skills.py" in ships_ignored_module(workshop, myagent, tmp_path, system, ARTIFACTS)
    assert "myagent/skills.py" not in ships_ignored_module(
        workshop, myagent, tmp_path / "without", system, ""
    )


def ships_ignored_module(
    workshop: Workshop, project: Path, tmp_path: Path, system: str, line: str
) -> list[str]:
    """Return the names in the wheel of a project whose module is written by the command and ignored by git."""
    done = workshop.skillpack("bundle", cwd=project)
    assert done.code == 0, done.output
    (project / "pyproject.toml").write_text(f"{system}\n{PROJECT}\n{line}", encoding="utf-8")
    (project / ".gitignore").write_text("src/myagent/skills.py\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", project], check=True)
    wheel = FrontEnd(name="pip", workshop=workshop).wheel(project, tmp_path / "dist").artifact()
    (project / "pyproject.toml").write_text(f"{PROJECT}\n{HATCH}", encoding="utf-8")
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_attributes_keep_line_ends(myagent: Path) -> None:
    (myagent / ".gitattributes").write_text(ATTRIBUTES, encoding="utf-8")
    subprocess.run(["git", "init", "-q", myagent], check=True)
    done = subprocess.run(
        ["git", "check-attr", "text", "eol", "--", "src/myagent/skills.py", "skills/refunds/SKILL.md"],
        cwd=myagent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "src/myagent/skills.py: eol: lf" in done.stdout
    assert "skills/refunds/SKILL.md: text: unset" in done.stdout


def test_uv_builds_again_after_an_edit_of_a_skill_with_the_cache_keys(
    workshop: Workshop, myagent: Path, tmp_path: Path
) -> None:
    table = tomllib.loads(f"{PROJECT}\n{HATCH}\n{UV_KEYS}")
    assert config.from_table(table, myagent).notices == ()
    (myagent / "pyproject.toml").write_text(f"{PROJECT}\n{HATCH}\n{UV_KEYS}", encoding="utf-8")
    venv = tmp_path / "venv"
    installed = []
    for text in ("first", "second"):
        (myagent / "skills/refunds/references/exceptions.md").write_text(text, encoding="utf-8")
        for command in (
            (UV, "venv", "--quiet", "--clear", "--python", sys.executable, venv),
            (UV, "pip", "install", "--quiet", "--python", venv / "bin" / "python", myagent),
        ):
            done = workshop.run(*command, cwd=tmp_path)
            assert done.code == 0, done.output
        code = "from myagent.skills import bundle; print(bundle.read('refunds', 'references/exceptions.md'))"
        installed.append(workshop.run(venv / "bin" / "python", "-I", "-c", code).output.strip())
    assert installed == ["first", "second"]
