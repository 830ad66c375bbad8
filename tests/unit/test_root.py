"""Skills roots: where they lie, and why one cannot be opened."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from skillpack.discover import Root
from skillpack.discover.root import identity_of, steps_below
from support.discovery import SYSTEMS, failing_open, make, meddling, run
from support.told import told

if TYPE_CHECKING:
    from pathlib import Path

    from skillpack.discover.reading import System


@pytest.fixture(params=list(SYSTEMS))
def system(request: pytest.FixtureRequest) -> System:
    """Each of the two ways to read."""
    return SYSTEMS[request.param]


def test_a_missing_root_is_an_error(tmp_path: Path, system: System) -> None:
    for written in ("skills", "a/b/skills", "../elsewhere/skills"):
        finding = run(tmp_path, written, system=system).one("root-missing")
        assert finding.path == written
        assert finding.message == "there is no such directory"
        assert finding.hint == "create the directory, or name another one in `skills`"


def test_a_root_below_a_file_is_missing(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["skills"])
    assert run(tmp_path, "skills/pdf", system=system).lines == ["skills/pdf root-missing"]


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("skills/pdf/SKILL.md", "name `skills/pdf`, its directory in `skills`"),
        ("skills/pdf/x.md", "name a directory in `skills`"),
        ("SKILL.md", "name a directory in `skills`"),
    ],
)
def test_a_root_that_is_a_file_is_an_error(tmp_path: Path, system: System, written: str, hint: str) -> None:
    make(tmp_path, [written])
    finding = run(tmp_path, written, system=system).one("root-missing")
    assert (finding.path, finding.message, finding.hint) == (written, "a file, not a directory", hint)


def test_a_root_that_is_a_fifo_does_not_block_and_is_called_what_it_is(
    tmp_path: Path, system: System
) -> None:
    os.mkfifo(tmp_path / "skills")
    finding = run(tmp_path, system=system).one("root-missing")
    assert finding.message == "a FIFO, a socket or a device, not a directory"
    assert finding.hint == "name a directory in `skills`"


def test_a_root_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md"])
    system = failing_open(SYSTEMS["descriptors"], "skills", errno.EACCES)
    finding = run(tmp_path, system=system).one("unreadable")
    assert (finding.path, finding.message) == ("skills", "cannot be read: permission denied")
    assert finding.hint == "make it readable"


def test_a_project_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md"])
    system = failing_open(SYSTEMS["descriptors"], tmp_path.name, errno.EACCES)
    assert run(tmp_path, system=system).lines == ["skills unreadable"]


# links


def test_a_root_that_is_a_link_is_refused_and_the_hint_names_its_target(
    tmp_path: Path, system: System
) -> None:
    make(tmp_path, ["shared/skills/pdf/SKILL.md"])
    (tmp_path / "skills").symlink_to("shared/skills")
    found = run(tmp_path, system=system)
    finding = found.one("symlink")
    assert finding.path == "skills"
    assert finding.message == "the skills root is a symbolic link to shared/skills"
    assert finding.hint == "write shared/skills in `skills` instead"
    assert found.skills == ()


def test_a_directory_on_the_way_to_a_root_is_no_link_either(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["real/skills/pdf/SKILL.md"])
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").symlink_to("../real")
    finding = run(tmp_path, "a/b/skills", system=system).one("symlink")
    assert finding.message == "its directory `a/b` is a symbolic link to real"
    assert finding.hint == "write real/skills in `skills` instead"


def test_a_link_to_a_directory_above_is_named_from_there(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "a/x"])
    (tmp_path / "a/up").symlink_to("..")
    finding = run(tmp_path, "a/up/skills", system=system).one("symlink")
    assert finding.hint == "write skills in `skills` instead"


def test_a_link_that_leaves_the_project_does_not_tell_where_to(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["private/pdf/SKILL.md", "project/x"])
    (tmp_path / "project/skills").symlink_to("../private")
    finding = run(tmp_path / "project", system=system).one("symlink")
    assert finding.message == "the skills root is a symbolic link to something outside the project"
    assert "private" not in told(finding)


@pytest.mark.parametrize("target", ["missing", "skills"])
def test_a_dangling_or_looping_root_is_refused(tmp_path: Path, system: System, target: str) -> None:
    (tmp_path / "skills").symlink_to(target)
    finding = run(tmp_path, system=system).one("symlink")
    assert finding.message == "the skills root is a symbolic link whose target cannot be found"
    assert finding.hint == "put the directory in the place of the link"


def test_links_above_the_project_are_followed(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["real/project/skills/pdf/SKILL.md"])
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "alias").symlink_to("real/project")
    for project in (tmp_path / "link/project", tmp_path / "alias"):
        found = run(project, system=system)
        assert found.findings == ()
        assert found.places == ["skills/pdf"]


def test_the_project_is_known_by_another_path_to_it(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["real/project/skills/pdf/SKILL.md"])
    (tmp_path / "link").symlink_to("real")
    root = Root(written="skills", directory=tmp_path / "real/project/skills")
    assert run(tmp_path / "link/project", roots=[root], system=system).findings == ()


def test_outside_the_project_the_root_itself_is_no_link(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["real/skills/pdf/SKILL.md", "project/x"])
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "skills").symlink_to("real/skills")
    assert run(tmp_path / "project", "../link/skills", system=system).codes == ["root-outside"]
    assert run(tmp_path / "project", "../skills", system=system).codes == ["symlink"]


def test_a_root_above_the_project_can_be_written_with_dots(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["pdf/SKILL.md", "project/x.md"])
    found = run(tmp_path / "project", "..", exclude=["project/"], system=system)
    assert found.lines == [".. root-outside", "../project excluded"]
    assert found.places == ["../pdf"]


def test_a_root_that_becomes_a_link_meanwhile_is_refused(tmp_path: Path) -> None:
    make(tmp_path, ["real/pdf/SKILL.md", "skills/pdf/SKILL.md"])

    def swap() -> None:
        (tmp_path / "skills").rename(tmp_path / "old")
        (tmp_path / "skills").symlink_to("real")

    assert run(tmp_path, system=meddling(SYSTEMS["descriptors"], "skills", swap)).codes == ["symlink"]


# where a path lies


def test_a_path_lies_below_a_directory_by_what_the_directory_is(tmp_path: Path) -> None:
    make(tmp_path, ["top/a/b"])
    (tmp_path / "alias").symlink_to("top")
    top = identity_of(tmp_path / "top")
    assert steps_below(tmp_path / "top", top) == ()
    assert steps_below(tmp_path / "top/a/missing", top) == ("a", "missing")
    assert steps_below(tmp_path / "alias/a", top) == ("a",)
    assert steps_below(tmp_path / "top/../top/a", top) == ("a",)
    assert steps_below(tmp_path / "top-other", top) is None
    assert steps_below(tmp_path / "top/missing/../../x", top) is None


@pytest.mark.parametrize("written", ["skills/*", "~/skills", "s?ills", "[ab]"])
def test_a_pattern_is_taken_for_a_name_and_that_is_said(tmp_path: Path, written: str) -> None:
    (tmp_path / "skills").mkdir()
    finding = run(tmp_path, written).one("root-missing")
    assert (
        finding.message
        == "there is no such directory, and `skills` takes paths as they are: no `~`, no patterns"
    )


def test_a_root_that_is_named_twice_is_told_by_the_numbers_of_its_entries(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "more/csv/SKILL.md"])
    finding = run(tmp_path, "skills", "more", "skills").one("root-repeated")
    assert finding.path == "skills"
    assert finding.message == "entries 1 and 3 of `skills` are this one directory, and it is packed once"
    assert finding.hint == "remove all but one of them"
