"""Directories of a root that are no skills: each is named, and where skills lie deeper, the root to add."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from skillpack.discover.stray import MAX_SEARCHED_DIRECTORIES
from skillpack.discover.walk import Limits
from skillpack.findings import Policy
from skillpack.rules import Level
from support.discovery import SYSTEMS, counting, failing_open, make, run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_directory_with_files_but_no_skill_md_is_a_warning_and_strict_an_error(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/notes/x.md"])
    finding = run(tmp_path).one("skill-md-missing")
    assert finding.level is Level.WARNING
    assert finding.path == "skills/notes"
    assert finding.message == "this directory has no SKILL.md"
    assert finding.hint == "add a SKILL.md, or exclude skills/notes/"
    assert run(tmp_path, policy=Policy(setting="strict")).findings[0].level is Level.ERROR


def test_following_the_hint_makes_the_finding_go_away(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/notes/x.md", "skills/office/csv/SKILL.md"])
    exclude = run(tmp_path).findings[0].hint.rpartition("exclude ")[2]
    root = run(tmp_path).findings[1].hint.split('"')[1]
    found = run(tmp_path, "skills", root, exclude=[exclude])
    assert found.codes == ["excluded"]
    assert found.places == ["skills/pdf", "skills/office/csv"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_where_skills_lie_deeper_the_hint_names_the_root_to_add(tmp_path: Path, system: str) -> None:
    make(tmp_path, ["skills/office/pdf/SKILL.md", "skills/office/csv/skill.md"])
    found = run(tmp_path, system=SYSTEMS[system])
    assert found.skills == ()
    finding = found.one("skill-md-missing")
    assert finding.path == "skills/office"
    assert finding.message == "this directory has no SKILL.md, but skills lie below it"
    assert finding.hint == 'add "skills/office" to `skills`'


def test_up_to_three_roots_are_named(tmp_path: Path) -> None:
    make(tmp_path, [f"skills/group/{name}/x/pdf/SKILL.md" for name in "abcde"])
    assert run(tmp_path).one("skill-md-missing").hint == (
        'add "skills/group/a/x", "skills/group/b/x", "skills/group/c/x" and 2 more to `skills`'
    )


def test_a_skill_inside_a_skill_adds_no_root(tmp_path: Path) -> None:
    make(tmp_path, ["skills/office/pdf/SKILL.md", "skills/office/pdf/sub/deep/SKILL.md"])
    assert run(tmp_path).one("skill-md-missing").hint == 'add "skills/office" to `skills`'


def test_roots_that_are_given_already_are_not_named(tmp_path: Path) -> None:
    make(tmp_path, ["skills/a/b/pdf/SKILL.md", "skills/c/pdf/SKILL.md", "skills/c/d/csv/SKILL.md"])
    found = run(tmp_path, "skills", "skills/a/b", "skills/c/pdf")
    assert found.one("skill-md-missing").hint == 'add "skills/c/d" to `skills`'


def test_an_empty_directory_is_a_note(tmp_path: Path) -> None:
    make(tmp_path, {"skills/pdf/SKILL.md": b"", "skills/empty": None, "skills/hollow/a/b": None})
    assert run(tmp_path).lines == ["skills/empty empty-directory", "skills/hollow empty-directory"]


def test_links_alone_are_not_nothing(tmp_path: Path) -> None:
    make(tmp_path, {"shared/pdf/SKILL.md": b"", "skills/group": None})
    (tmp_path / "skills/group/pdf").symlink_to("../../shared/pdf")
    assert run(tmp_path).lines == ["skills/group skill-md-missing"]


def test_what_is_refused_in_it_is_no_finding_since_nothing_of_it_is_packed(tmp_path: Path) -> None:
    make(tmp_path, ["skills/notes/x.md", "skills/notes/.git/HEAD", "skills/notes/__pycache__/x.pyc"])
    (tmp_path / "skills/notes/link").symlink_to("/etc/hostname")
    assert run(tmp_path).lines == ["skills/notes skill-md-missing"]


def test_a_skill_md_that_is_a_directory_is_none(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md/x"])
    assert run(tmp_path).lines == ["skills/pdf skill-md-missing"]


def test_the_search_reads_no_file_and_ends(tmp_path: Path) -> None:
    make(tmp_path, ["skills/data/x.md", *(f"skills/data/{index}/x" for index in range(300))])
    system, counts = counting(SYSTEMS["descriptors"])
    assert run(tmp_path, system=system).codes == ["skill-md-missing"]
    assert counts.read == 0
    assert len(counts.listed) == MAX_SEARCHED_DIRECTORIES + 1
    assert counts.live == 0


def test_the_search_keeps_to_the_limits(tmp_path: Path) -> None:
    make(tmp_path, [f"skills/data/{name}/x" for name in "abcdef"])
    limits = Limits(max_skill_files=2)
    assert run(tmp_path, limits=limits).codes == ["skill-md-missing"]


def test_a_directory_that_cannot_be_searched_is_still_named(tmp_path: Path) -> None:
    make(tmp_path, ["skills/data/closed/x"])
    system = failing_open(SYSTEMS["descriptors"], "closed", errno.EACCES)
    assert run(tmp_path, system=system).codes == ["skill-md-missing"]
