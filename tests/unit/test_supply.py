"""What builds and tests skillpack itself is pinned: packages by version and hash, actions by commit."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = sorted((ROOT / ".ci").glob("*.txt"))

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
REQUIREMENTS = [
    *PROJECT["build-system"]["requires"],
    *PROJECT["project"]["dependencies"],
    *PROJECT["project"]["optional-dependencies"]["dev"],
]


def entries(file: Path) -> list[str]:
    """Return each requirement of a pinned file with its hashes, on one line."""
    text = re.sub(r"^ *#.*\n", "", file.read_text("utf-8"), flags=re.MULTILINE)
    return text.replace("\\\n", " ").splitlines()


@pytest.mark.parametrize("file", PINNED, ids=lambda file: file.name)
def test_every_package_of_ci_is_pinned_to_one_version_and_its_hashes(file: Path) -> None:
    assert entries(file)
    for entry in entries(file):
        requirement, *hashes = entry.split("--hash=")
        (specifier,) = Requirement(requirement.strip()).specifier
        assert specifier.operator == "=="
        assert hashes
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64} *", value) for value in hashes)


@pytest.mark.parametrize("wanted", REQUIREMENTS)
def test_what_pyproject_requires_is_pinned_to_a_version_that_it_allows(wanted: str) -> None:
    pins = [
        Requirement(entry.split("--hash=")[0].strip()) for entry in entries(ROOT / ".ci" / "requirements.txt")
    ]
    versions = {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in pins}
    requirement = Requirement(wanted)
    assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), "run .ci/pin"


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
def test_every_action_is_pinned_to_a_commit_and_says_its_version(workflow: Path) -> None:
    used = re.findall(r"uses: (.*)", workflow.read_text("utf-8"))
    assert used
    assert [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[0-9.]+", line)] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_may_read_only_and_a_job_takes_what_it_needs_beyond(workflow: Path) -> None:
    text = workflow.read_text("utf-8")
    assert "\npermissions:\n  contents: read\njobs:" in re.sub(r"\nconcurrency:\n(  .*\n)*", "\n", text)
    assert re.findall(r"[\w-]+: write", text) == (
        ["id-token: write"] if workflow.name == "release.yml" else []
    )
    assert "secrets." not in text
