"""The walk through one skill: links, special files, names, limits, and what happens meanwhile."""

from __future__ import annotations

import dataclasses
import errno
import os
import socket
import stat
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillpack.discover import walk
from skillpack.discover.walk import Limits
from skillpack.findings import Policy
from skillpack.rules import Level
from support.discovery import SYSTEMS, chain, counting, failing_list, failing_open, make, meddling, run

if TYPE_CHECKING:
    from skillpack.discover.reading import System

DESCRIPTORS = SYSTEMS["descriptors"]


@pytest.fixture(params=list(SYSTEMS))
def system(request: pytest.FixtureRequest) -> System:
    """Each of the two ways to read."""
    return SYSTEMS[request.param]


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill `skills/pdf` of the project, with nothing but its SKILL.md."""
    make(tmp_path, ["skills/pdf/SKILL.md"])
    return tmp_path / "skills/pdf"


# links


@pytest.mark.parametrize(
    ("to", "message", "hint"),
    [
        (
            "../../shared/x.md",
            "a symbolic link to shared/x.md",
            "replace the link with a copy of shared/x.md",
        ),
        ("../../shared", "a symbolic link to shared", "replace the link with a copy of shared"),
        ("..", "a symbolic link to skills, which holds the link itself", "remove the link"),
        ("missing", "a symbolic link whose target cannot be found", "remove the link"),
        ("link", "a symbolic link that leads back to itself", "remove the link"),
        (
            "/etc/hostname",
            "a symbolic link to something outside the project",
            "replace the link with a copy of what it leads to, outside the project, if it may be published",
        ),
    ],
)
@pytest.mark.parametrize("place", ["link", "sub/../link"])
def test_every_link_is_refused_and_the_hint_says_what_to_do(
    tmp_path: Path, skill: Path, system: System, to: str, message: str, hint: str, place: str
) -> None:
    make(tmp_path, ["shared/x.md"])
    (skill / "sub").mkdir()
    (skill / place).symlink_to(to)
    found = run(tmp_path, system=system)
    finding = found.one("symlink")
    assert (finding.path, finding.message, finding.hint) == ("skills/pdf/link", message, hint)
    assert finding.level is Level.ERROR
    assert list(found.contents) == ["skills/pdf/SKILL.md"]


def test_a_name_that_is_left_out_is_left_out_as_a_link_too(tmp_path: Path, skill: Path) -> None:
    # Package managers link node_modules; Emacs marks a file that is being edited with a dangling link.
    (skill / "node_modules").symlink_to("/elsewhere")
    (skill / ".#SKILL.md").symlink_to("somebody@host.1234")
    found = run(tmp_path)
    assert found.codes == ["left-out", "left-out"]
    assert found.skills[0].left_out == (".#SKILL.md", "node_modules")


# special files


def test_a_fifo_without_a_writer_is_an_error_and_does_not_block(
    tmp_path: Path, skill: Path, system: System
) -> None:
    os.mkfifo(skill / "pipe")
    finding = run(tmp_path, system=system).one("special-file")
    assert finding.path == "skills/pdf/pipe"
    assert finding.hint == "remove it, or exclude skills/pdf/pipe"


def test_a_socket_is_an_error(
    tmp_path: Path, skill: Path, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(skill)  # A socket's path has at most about 100 bytes.
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert run(tmp_path, system=system).lines == ["skills/pdf/socket special-file"]


def test_a_device_is_an_error_also_when_only_the_open_file_tells(tmp_path: Path, skill: Path) -> None:
    make(skill, {"device": b"x"})
    inode = (skill / "device").stat().st_ino

    def fstat(descriptor: int) -> os.stat_result:
        status = os.fstat(descriptor)
        if status.st_ino == inode:
            return os.stat_result((stat.S_IFCHR, *status[1:]))
        return status

    found = run(tmp_path, system=dataclasses.replace(DESCRIPTORS, fstat=fstat))
    assert found.lines == ["skills/pdf/device special-file"]


@pytest.mark.parametrize("name", ["file", "directory"])
def test_a_mount_inside_a_skill_is_an_error(tmp_path: Path, skill: Path, name: str) -> None:
    make(skill, ["file", "directory/x"])
    inode = (skill / name).stat().st_ino

    def fstat(descriptor: int) -> os.stat_result:
        status = os.fstat(descriptor)
        mounted = (status.st_mode, status.st_ino, status.st_dev + 1, *status[3:])
        return os.stat_result(mounted) if status.st_ino == inode else status

    system = dataclasses.replace(DESCRIPTORS, fstat=fstat)
    found = run(tmp_path, system=system)
    assert found.lines == [f"skills/pdf/{name} other-device"]
    assert found.findings[0].hint == f"unmount or exclude skills/pdf/{name}"
    if name == "directory":
        lowered = run(tmp_path, system=system, policy=Policy(rules={"other-device": Level.WARNING}))
        assert "skills/pdf/file" in lowered.contents


def test_a_file_with_two_links_is_a_note_and_packed(tmp_path: Path, skill: Path, system: System) -> None:
    make(tmp_path, ["cache/x.md"])
    os.link(tmp_path / "cache/x.md", skill / "x.md")
    found = run(tmp_path, system=system)
    assert found.lines == ["skills/pdf/x.md hardlink"]
    assert found.contents["skills/pdf/x.md"] == b"cache/x.md"


# names


def test_refused_names_are_not_opened(tmp_path: Path, skill: Path) -> None:
    make(skill, [".git/HEAD", "sub/.git", "cloud/credentials", "cloud/x.md"])
    system, counts = counting(DESCRIPTORS)
    found = run(tmp_path, system=system)
    assert found.lines == [
        "skills/pdf/.git vcs-entry",
        "skills/pdf/cloud secret-dir",
        "skills/pdf/sub/.git vcs-entry",
    ]
    assert counts.read == 1
    assert counts.live == 0


def test_a_refusal_that_the_policy_lowers_lets_the_entry_pass(tmp_path: Path, skill: Path) -> None:
    make(skill, ["a/b/x"])
    policy = Policy(rules={"limit-depth": Level.WARNING})
    found = run(tmp_path, policy=policy, limits=Limits(max_depth=1))
    assert found.one("limit-depth").level is Level.WARNING
    assert "skills/pdf/a/b/x" in found.contents


def test_left_out_entries_are_notes_and_listed_and_directories_not_entered(
    tmp_path: Path, skill: Path, system: System
) -> None:
    make(skill, ["a/__pycache__/x.pyc", "a/.DS_Store", "env/pyvenv.cfg", "env/lib/x.py"])
    (skill / "env/link").symlink_to("/etc/hostname")
    found = run(tmp_path, system=system)
    assert found.lines == [
        "skills/pdf/a/.DS_Store left-out",
        "skills/pdf/a/__pycache__ left-out",
        "skills/pdf/env left-out",
    ]
    assert found.skills[0].left_out == ("a/.DS_Store", "a/__pycache__/", "env/")


def test_names_that_are_not_utf_8_are_errors_with_the_name_escaped(
    tmp_path: Path, skill: Path, system: System
) -> None:
    for name in (b"caf\xe9.md", b"dir\xff"):
        Path(os.fsdecode(bytes(skill) + b"/" + name)).mkdir()
    found = run(tmp_path, system=system)
    assert found.lines == [r"skills/pdf/caf\xe9.md path-encoding", r"skills/pdf/dir\xff path-encoding"]


def test_an_empty_directory_is_a_note(tmp_path: Path, skill: Path, system: System) -> None:
    make(skill, {"a/b": None})
    assert run(tmp_path, system=system).lines == ["skills/pdf/a/b empty-directory"]


# what cannot be read


def test_a_file_or_directory_that_cannot_be_opened_is_an_error(tmp_path: Path, skill: Path) -> None:
    make(skill, ["closed/x.md", "locked.md", "open.md"])
    for name, path in (("closed", "skills/pdf/closed"), ("locked.md", "skills/pdf/locked.md")):
        found = run(tmp_path, system=failing_open(DESCRIPTORS, name, errno.EACCES))
        finding = found.one("unreadable")
        assert finding.path == path
        assert finding.message == "cannot be read: permission denied"
        assert finding.hint == "make it readable"
        assert "skills/pdf/open.md" in found.contents


def test_a_directory_that_cannot_be_listed_is_an_error(tmp_path: Path, skill: Path, system: System) -> None:
    make(skill, ["broken/x.md"])
    found = run(tmp_path, system=failing_list(system, skill / "broken", errno.EIO))
    assert found.lines == ["skills/pdf/broken unreadable"]


def test_an_error_while_reading_is_a_finding_and_leaves_no_descriptor(
    tmp_path: Path, skill: Path, system: System
) -> None:
    def read(descriptor: int, size: int) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    counted, counts = counting(system)
    found = run(tmp_path, system=dataclasses.replace(counted, read=read))
    assert found.one("unreadable").message == "cannot be read: input/output error"
    assert counts.live == 0


def test_an_error_without_a_number_is_told_in_its_own_words(tmp_path: Path, skill: Path) -> None:
    def read(descriptor: int, size: int) -> bytes:
        raise OSError("the driver gave up")

    found = run(tmp_path, system=dataclasses.replace(DESCRIPTORS, read=read))
    assert found.one("unreadable").message == "cannot be read: the driver gave up"


def test_what_vanishes_during_the_walk_is_an_error(tmp_path: Path, skill: Path, system: System) -> None:
    make(skill, ["x.md", "gone.md"])
    found = run(tmp_path, system=meddling(system, "SKILL.md", (skill / "gone.md").unlink))
    finding = found.one("unreadable")
    assert finding.path == "skills/pdf/gone.md"
    assert finding.message == "cannot be read: it was removed or replaced meanwhile"
    assert finding.hint == "run again when nothing writes to the skills"
    assert "skills/pdf/x.md" in found.contents


def test_a_file_that_changes_while_it_is_read_is_an_error(
    tmp_path: Path, skill: Path, system: System
) -> None:
    def read(descriptor: int, size: int) -> bytes:
        data = os.read(descriptor, size)
        with (skill / "SKILL.md").open("ab") as file:
            file.write(b"more")
        return data

    found = run(tmp_path, system=dataclasses.replace(system, read=read))
    finding = found.one("file-changed")
    assert (finding.path, finding.message) == ("skills/pdf/SKILL.md", "changed while it was read")
    assert found.contents == {}


def test_a_file_that_becomes_a_link_or_a_fifo_meanwhile_is_found_as_that(
    tmp_path: Path, skill: Path, system: System
) -> None:
    make(skill, ["x.md", "y.md"])

    def swap() -> None:
        (skill / "x.md").unlink()
        (skill / "x.md").symlink_to("/etc/hostname")
        (skill / "y.md").unlink()
        os.mkfifo(skill / "y.md")

    found = run(tmp_path, system=meddling(system, "SKILL.md", swap))
    assert found.lines == ["skills/pdf/x.md symlink", "skills/pdf/y.md special-file"]


def test_a_directory_that_becomes_something_else_meanwhile_is_found_as_that(
    tmp_path: Path, skill: Path, system: System
) -> None:
    make(skill, ["a/x.md", "b/x.md", "c/x.md"])

    def swap() -> None:
        for name in "abc":
            (skill / name).rename(tmp_path / name)
        (skill / "a").symlink_to(tmp_path / "a")
        (skill / "b").touch()
        os.mkfifo(skill / "c")

    found = run(tmp_path, system=meddling(system, "SKILL.md", swap))
    assert found.lines == [
        "skills/pdf/a symlink",
        "skills/pdf/b unreadable",
        "skills/pdf/c special-file",
    ]


def test_a_directory_that_is_swapped_for_a_link_never_leaks(tmp_path: Path, skill: Path) -> None:
    make(tmp_path, {"outside/x.md": b"secret", "skills/pdf/sub/x.md": b"innocent"})
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    sub, swapped, done = skill / "sub", 0, threading.Event()

    def swap() -> None:
        nonlocal swapped
        while not done.is_set():
            sub.rename(tmp_path / "kept")
            (tmp_path / "link").rename(sub)
            sub.rename(tmp_path / "link")
            (tmp_path / "kept").rename(sub)
            swapped += 1

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen: set[str] = set()
    start = time.monotonic()

    def have_met() -> bool:
        return swapped > 100 and {"symlink", "captured"} <= seen

    try:
        # On a busy machine it takes longer until swaps and reads have met.
        while (elapsed := time.monotonic() - start) < 0.5 or (elapsed < 30 and not have_met()):
            found = run(tmp_path)
            assert b"secret" not in found.contents.values()
            seen.update(found.codes)
            if "skills/pdf/sub/x.md" in found.contents:
                seen.add("captured")
    finally:
        done.set()
        swapper.join()
    assert have_met()


# limits


def test_a_skill_over_its_limit_of_files_gives_one_finding_and_is_not_read_further(
    tmp_path: Path, skill: Path, system: System
) -> None:
    make(skill, [f"venv/lib/{index}.py" for index in range(50)])
    counted, counts = counting(system)
    found = run(tmp_path, system=counted, limits=Limits(max_skill_files=20))
    finding = found.one("limit-files")
    assert found.codes == ["limit-files"]
    assert finding.path == "skills/pdf"
    assert finding.message == "the skill is over 20 files"
    assert finding.hint == "exclude what it does not need, such as skills/pdf/venv/, or raise max-skill-files"
    assert counts.read <= 1
    assert counts.live == 0
    assert run(tmp_path, limits=Limits(max_skill_files=51)).codes == []


def test_the_limit_of_files_counts_over_directories_and_each_skill_anew(tmp_path: Path) -> None:
    make(tmp_path, [f"skills/{skill}/{path}" for skill in "ab" for path in ("SKILL.md", "x/1", "y/2")])
    assert run(tmp_path, limits=Limits(max_skill_files=3)).codes == []
    found = run(tmp_path, limits=Limits(max_skill_files=2))
    assert found.lines == ["skills/a limit-files", "skills/b limit-files"]
    assert found.findings[0].hint.startswith("exclude what it does not need, such as skills/a/y/, or")
    flat = make(tmp_path / "flat", ["skills/a/SKILL.md", "skills/a/x"])
    finding = run(flat, limits=Limits(max_skill_files=1)).one("limit-files")
    assert finding.hint == "exclude what it does not need or raise max-skill-files"


@pytest.mark.slow
def test_a_directory_of_36_000_files_is_noticed_and_not_read(tmp_path: Path, skill: Path) -> None:
    (skill / "venv").mkdir()
    for index in range(36_000):
        (skill / f"venv/{index}.py").touch()
    system, counts = counting(DESCRIPTORS)
    assert run(tmp_path, system=system).codes == ["limit-files"]
    assert counts.read <= 1


@pytest.mark.parametrize("depth", [17, pytest.param(1_000, marks=pytest.mark.slow)])
def test_a_deep_tree_is_noticed_at_its_limit(tmp_path: Path, skill: Path, system: System, depth: int) -> None:
    counted, counts = counting(system)
    with chain(skill, depth):
        found = run(tmp_path, system=counted)
    finding = found.one("limit-depth")
    assert finding.path == "skills/pdf" + 17 * "/d"
    assert finding.message == "a directory below 16 others"
    assert finding.hint == f"exclude {finding.path}/, or raise max-depth"
    assert counts.most <= 20
    assert counts.live == 0


@pytest.mark.parametrize("depth", [16, pytest.param(700, marks=pytest.mark.slow)])
def test_a_tree_as_deep_as_the_limit_is_packed_however_deep_that_is(
    tmp_path: Path, skill: Path, depth: int
) -> None:
    with chain(skill, depth):
        found = run(tmp_path, limits=Limits(max_depth=depth))
    assert found.codes == []
    assert "skills/pdf" + depth * "/d" + "/x" in found.contents


def test_a_file_over_its_limit_is_refused_before_it_is_read(
    tmp_path: Path, skill: Path, system: System
) -> None:
    make(skill, {"a.bin": bytes(11), "b.bin": bytes(10), "c.bin": bytes(3_000_000)})
    counted, counts = counting(system)
    limits = Limits(max_file_bytes=20)
    found = run(tmp_path, system=counted, limits=limits)
    finding = found.one("limit-file-bytes")
    assert finding.path == "skills/pdf/c.bin"
    assert finding.message == "2.9 MiB: over 20 bytes"
    assert finding.hint == "exclude skills/pdf/c.bin, or raise max-file-bytes"
    assert counts.read == 3
    lowered = run(tmp_path, limits=limits, policy=Policy(rules={"limit-file-bytes": Level.OFF}))
    assert "skills/pdf/c.bin" in lowered.contents


def test_a_sparse_file_of_1_gib_is_refused_by_its_size(tmp_path: Path, skill: Path, system: System) -> None:
    with (skill / "a.bin").open("wb") as file:
        file.truncate(2**30)
    make(skill, ["b.md"])
    found = run(tmp_path, system=system)
    finding = found.one("limit-skill-bytes")
    assert found.codes == ["limit-skill-bytes"]
    assert finding.path == "skills/pdf/a.bin"
    assert finding.message == "1,024.0 MiB: with it the skill is over 64.0 MiB"
    assert sorted(found.contents) == ["skills/pdf/SKILL.md", "skills/pdf/b.md"]


def test_a_skill_over_its_limit_of_bytes_gives_one_finding(tmp_path: Path, skill: Path) -> None:
    make(skill, {name: bytes(40) for name in "abcd"})
    limits = Limits(max_skill_bytes=100)
    found = run(tmp_path, limits=limits)
    assert found.lines == ["skills/pdf/c limit-skill-bytes"]
    assert found.one("limit-skill-bytes").hint == "exclude skills/pdf/c, or raise max-skill-bytes"
    skill_md = run(tmp_path, limits=Limits(max_skill_bytes=1)).one("limit-skill-bytes")
    assert skill_md.path == "skills/pdf/SKILL.md"
    assert skill_md.hint == "exclude skills/pdf/, or raise max-skill-bytes"
    lowered = run(tmp_path, limits=limits, policy=Policy(rules={"limit-skill-bytes": Level.NOTE}))
    assert lowered.codes == ["limit-skill-bytes"]
    assert len(lowered.contents) == 5


def test_a_skill_over_its_limit_of_files_is_packed_when_that_is_no_error(tmp_path: Path, skill: Path) -> None:
    make(skill, ["a", "b", "c"])
    policy = Policy(rules={"limit-files": Level.WARNING})
    found = run(tmp_path, limits=Limits(max_skill_files=2), policy=policy)
    assert found.codes == ["limit-files"]
    assert len(found.contents) == 4


def test_a_run_over_its_limit_of_files_ends_there_and_keeps_what_it_has(
    tmp_path: Path, system: System
) -> None:
    make(tmp_path, [f"skills/{skill}/{path}" for skill in "abc" for path in ("SKILL.md", "x/y")])
    counted, counts = counting(system)
    found = run(tmp_path, system=counted, limits=Limits(max_files=3))
    finding = found.one("limit-run")
    assert found.codes == ["limit-run"]
    assert (finding.path, finding.message) == ("skills/b", "the run is over 3 files")
    assert finding.hint == "exclude what the skills do not need, or raise max-files"
    assert sorted(found.contents) == ["skills/a/SKILL.md", "skills/a/x/y", "skills/b/SKILL.md"]
    assert counts.live == 0


def test_a_run_over_its_limit_of_bytes_ends_there(tmp_path: Path) -> None:
    make(tmp_path, {f"skills/{name}/SKILL.md": bytes(40) for name in "abc"})
    found = run(tmp_path, limits=Limits(max_bytes=100))
    finding = found.one("limit-run")
    assert (finding.path, finding.message) == ("skills/c/SKILL.md", "the run is over 100 bytes")
    assert found.places == ["skills/a", "skills/b"]


def test_directories_and_other_entries_have_a_limit_too(
    tmp_path: Path, skill: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MAX_OTHER_ENTRIES", 20)
    make(skill, {f"d/{index}": None for index in range(30)})
    finding = run(tmp_path).one("limit-run")
    assert finding.message == "the run is over 20 directories and entries that are not packed"
    assert finding.path.startswith("skills/pdf/d/")


@pytest.mark.parametrize("place", ["skills", "skills/pdf", "skills/pdf/many"])
def test_a_directory_of_too_many_entries_is_not_even_listed_to_its_end(
    tmp_path: Path, skill: Path, system: System, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MAX_OTHER_ENTRIES", 20)
    make(tmp_path, [f"{place}/{index}" for index in range(25)])
    limits = Limits(max_files=4)
    found = run(tmp_path, system=system, limits=limits)
    finding = found.one("limit-run")
    assert (finding.path, finding.message) == (place, "the run is over 24 entries")
    if place == "skills":
        lowered = run(tmp_path, limits=limits, policy=Policy(rules={"limit-run": Level.WARNING}))
        assert lowered.places == ["skills/pdf"]


@pytest.mark.parametrize(("size", "codes"), [(2**20, []), (2**20 + 1, ["large-file"])])
def test_a_file_over_1_mib_is_a_note(tmp_path: Path, skill: Path, size: int, codes: list[str]) -> None:
    make(skill, {"x.bin": bytes(size)})
    assert run(tmp_path).codes == codes


def test_the_limits_are_those_of_the_design() -> None:
    limits = Limits()
    assert (limits.max_skill_files, limits.max_skill_bytes) == (4_096, 64 * 2**20)
    assert (limits.max_files, limits.max_bytes) == (50_000, 2**30)
    assert (limits.max_file_bytes, limits.max_depth) == (None, 16)


# files


@pytest.mark.parametrize("mode", [0o100, 0o010, 0o001, 0o755])
def test_any_execute_bit_counts(tmp_path: Path, skill: Path, system: System, mode: int) -> None:
    make(skill, ["run.sh"])
    (skill / "run.sh").chmod(0o600 | mode)
    (found,) = run(tmp_path, system=system).skills
    assert [file.executable for file in found.files] == [False, True]


def test_without_mode_bits_nothing_is_executable(tmp_path: Path, skill: Path, system: System) -> None:
    (skill / "SKILL.md").chmod(0o755)
    (found,) = run(tmp_path, system=dataclasses.replace(system, mode_bits=False)).skills
    assert [file.executable for file in found.files] == [False]
