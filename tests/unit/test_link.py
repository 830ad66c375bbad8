"""Where links lead, as far as it may be told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from skillpack.discover.link import Target, find_target
from support.discovery import make

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    make(tmp_path, ["project/shared/x.md", "project/skills/pdf/SKILL.md", "project-other/x.md"])
    return tmp_path / "project"


@pytest.mark.parametrize(
    ("to", "target"),
    [
        ("../../shared/x.md", Target(where="inside", path="shared/x.md")),
        ("../../shared", Target(where="inside", path="shared")),
        ("SKILL.md", Target(where="inside", path="skills/pdf/SKILL.md")),
        (".", Target(where="above", path="skills/pdf")),
        ("../..", Target(where="above", path=".")),
        ("../../../project-other/x.md", Target(where="outside")),
        ("/etc/hostname", Target(where="outside")),
        ("missing", Target(where="missing")),
        ("SKILL.md/x", Target(where="missing")),
        ("link", Target(where="loop")),
    ],
)
def test_a_link_is_followed_to_its_end(project: Path, to: str, target: Target) -> None:
    link = project / "skills/pdf/link"
    link.symlink_to(to)
    assert find_target(link, project) == target


def test_a_link_to_a_link_that_leaves_the_project_leads_outside(project: Path) -> None:
    (project / "shared/out").symlink_to("/etc/hostname")
    (project / "skills/link").symlink_to("../shared/out")
    assert find_target(project / "skills/link", project) == Target(where="outside")


def test_a_name_that_is_not_utf_8_is_escaped(project: Path) -> None:
    (project / os.fsdecode(b"caf\xe9")).touch()
    (project / "link").symlink_to(os.fsdecode(b"caf\xe9"))
    assert find_target(project / "link", project).path == r"caf\xe9"
