"""Wheels of every form, built by pip from a project and imported from where they were installed."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support import projects
from support.hatch_builds import build
from support.projects import OPTIONS, agent, pyproject

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

USE = """
import pickle, sys
from agent.skills import bundle
bundle.verify()
bundle.preload()
assert pickle.loads(pickle.dumps(bundle)) is bundle
print(bundle.digest, bundle.call("load_skill", {"name": "sing"}).splitlines()[0])
"""


@pytest.mark.parametrize("form", ["module", "package", "data", "auto"])
def test_an_installed_wheel_gives_the_same_answers(tmp_path: Path, form: str) -> None:
    toml = pyproject(options=f'{OPTIONS}format = "{form}"\n')
    project = projects.write(tmp_path / "agent", {**agent(), "pyproject.toml": toml})
    built = build(project)
    place = tmp_path / "site"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--target",
        str(place),
    ]
    subprocess.run([*pip, str(built.artifact())], check=True)
    code = f"import sys; sys.path.insert(0, {str(place)!r})\n{USE}"
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    digest, line = done.stdout.split(" ", 1)
    assert digest.startswith("sha256:")
    assert line == '<skill_content name="sing">\n'


@pytest.mark.parametrize("form", ["package", "data"])
def test_the_wheel_of_the_tree_is_the_wheel_of_the_sdist(tmp_path: Path, form: str) -> None:
    from support import artifacts

    toml = pyproject(options=f'{OPTIONS}format = "{form}"\n')
    project = projects.write(tmp_path / "agent", {**agent(), "pyproject.toml": toml})
    of_tree = build(project).artifact().read_bytes()
    unpacked = artifacts.unpack(build(project, "sdist").artifact(), tmp_path / "unpacked")
    assert build(unpacked).artifact().read_bytes() == of_tree
