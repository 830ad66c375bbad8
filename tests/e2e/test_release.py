"""What a release uploads: built from what is committed, twice, with pinned tools."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MADE = shutil.ignore_patterns(
    ".git", ".venv*", ".cache", "dist", "__pycache__", "node_modules", ".*_cache", ".coverage*"
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "repository"
    shutil.copytree(ROOT, folder, ignore=MADE)
    identity = ("-c", "user.name=Release", "-c", "user.email=release@example.com")
    for command in (
        ("init", "--quiet"),
        ("add", "--all"),
        (*identity, "commit", "--quiet", "--message=Release"),
    ):
        subprocess.run(("git", *command), cwd=folder, check=True)
    return folder


def build(repository: Path, *tag: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "COVERAGE_"))}
    command = ("bash", ".ci/build", *tag)
    return subprocess.run(command, cwd=repository, env=clean, capture_output=True, text=True, check=False)


def test_two_builds_of_a_commit_give_the_same_sdist_and_wheel(repository: Path) -> None:
    built = build(repository)
    assert built.returncode == 0, built.stderr
    files = sorted(path.name for path in (repository / "dist").iterdir())
    assert files == ["skillpack-0.1.0-py3-none-any.whl", "skillpack-0.1.0.tar.gz"]
    assert sorted(line.split()[1] for line in built.stdout.splitlines() if "  skillpack-" in line) == files


def test_a_tag_that_is_not_the_version_is_refused(repository: Path) -> None:
    built = build(repository, "v99.0.0")
    assert built.returncode == 1
    assert built.stderr.endswith("the tag is v99.0.0, but the version in pyproject.toml is another\n")
