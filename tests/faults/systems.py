"""Systems that give less than usual: no room, nothing to write to, no network, another time."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from faults.ground import Ground, Tally, Transitions, tallied, told
from faults.workplace import Done, leftovers
from support import projects
from support.environments import program

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from faults.workplace import Workplace

PAGE_BYTES = 4096
AS_USER = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
"""What comes before a command of root's, for which no directory would be read-only."""

CLOCKS = ("1970-01-02 00:00:00", "2100-01-01 00:00:00")


@contextmanager
def disk(workplace: Workplace, options: str) -> Iterator[Path]:
    """Give a file system in memory that lasts for the block; this process has to be `sealed`."""
    place = workplace.directory / "disk"
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def free_pages(place: Path) -> int:
    """Return how much room there is."""
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize // PAGE_BYTES


def full_disk(workplace: Workplace, pages: Iterable[int], transitions: Transitions) -> Tally:
    """A little file system with room for so many pages only: the old output, or the new one where it fits."""
    with (
        tallied(f"tmpfs with a few free pages, {told(transitions)}") as tally,
        disk(workplace, "size=4m") as place,
    ):
        for before, form in transitions:
            ground = Ground(workplace, form, before)
            ground.project = place / "project"
            for count in pages:
                ground.lay()
                filler = place / "filler"
                filler.write_bytes(bytes(PAGE_BYTES * (free_pages(place) - count)))
                assert free_pages(place) == count
                done = workplace.bundle("new", ground.project, ground.scratch)
                if done.code:
                    _expect_old(ground, done, "cannot be written (No space left on device)")
                    tally.add("old")
                else:
                    ground.expect_good(done)
                    tally.add("new")
                filler.unlink()
                ground.expect_good(workplace.bundle("new", ground.project, ground.scratch))
    return tally


def full_scratch(workplace: Workplace, transitions: Transitions) -> Tally:
    """No room for the cache, which is done without, and none for the spool of large skills, which is told."""
    with (
        tallied(f"tmpfs full: cache, temporary directory, {told(transitions)}") as tally,
        disk(workplace, "size=64k") as place,
    ):
        for before, form in transitions:
            ground = Ground(workplace, form, before)
            ground.scratch = place / "scratch"
            for is_large in (False, True) if form != "module" else (False,):  # which is refused before
                ground.lay()
                if is_large:
                    noise = os.urandom(2**20)
                    large: dict[str, str | bytes] = {
                        f"huge-{n % 2}/{n}.bin": noise + bytes([n]) for n in range(70)
                    }
                    huge = {**projects.skill("huge-0"), **projects.skill("huge-1"), **large}
                    projects.write(ground.project / "skills", huge)
                filler = place / "filler"
                # Python takes another temporary directory when it can write nothing at all to this one
                filler.write_bytes(bytes(PAGE_BYTES * (free_pages(place) - 2 * is_large)))
                done = workplace.bundle("new", ground.project, ground.scratch)
                if is_large:
                    _expect_old(
                        ground,
                        done,
                        "cannot hold what was read (No space left on device); set TMPDIR to one with more room",
                    )
                    tally.add("old")
                else:
                    ground.expect_good(done)
                    tally.add("new")
                filler.unlink()
    return tally


def read_only(workplace: Workplace, transitions: Transitions) -> Tally:
    """A file system mounted for reading, and directories without the right to write: the old output stays."""
    with tallied(f"read-only output, {told(transitions)}") as tally:
        for before, form in transitions:
            ground = Ground(workplace, form, before)
            with disk(workplace, "size=4m") as place:
                ground.project = place / "project"
                ground.lay()
                subprocess.run(["mount", "-o", "remount,ro", place], check=True)
                done = workplace.bundle("new", ground.project, ground.scratch)
                _expect_old(ground, done, "cannot be written (Read-only file system)")
                tally.add("old")
            ground = Ground(workplace, form, before)
            ground.lay()
            directories = [path for path in (ground.project / "src").rglob("*") if path.is_dir()]
            for path in directories:
                path.chmod(0o555)
            done = workplace.bundle("new", ground.project, ground.scratch, *AS_USER)
            for path in directories:
                path.chmod(0o755)
            _expect_old(ground, done, "cannot be written (Permission denied)")
            tally.add("old")
    return tally


def without_network(workplace: Workplace, transitions: Transitions) -> Tally:
    """A system that has no network, not even to itself: bundles and wheels are as ever."""
    off = ("unshare", "--net") if os.geteuid() == 0 else ("unshare", "--map-root-user", "--net")
    with tallied(f"no network, {told(transitions)}") as tally:
        for before, form in transitions:
            ground = Ground(workplace, form, before)
            ground.lay()
            expected = wheel(workplace, ground)
            ground.expect_good(workplace.bundle("new", ground.project, ground.scratch, *off))
            tally.add("new")
            assert wheel(workplace, ground, *off) == expected
            tally.add("the same wheel")
    return tally


def other_clock(workplace: Workplace, transitions: Transitions) -> Tally:
    """The clock, and the times of all files, in 1970 and in 2100: what is imported after is the new output."""
    with tallied(f"clock in 1970 and 2100, {told(transitions)}") as tally:
        for before, form in transitions:
            ground = Ground(workplace, form, before)
            ground.lay()
            expected = wheel(workplace, ground)
            for clock in CLOCKS:
                ground.lay()
                subprocess.run(
                    [
                        "find",
                        ground.project,
                        "-exec",
                        "touch",
                        "--no-dereference",
                        f"--date={clock}Z",
                        "{}",
                        "+",
                    ],
                    check=True,
                )
                assert workplace.version_of(ground.project) == "old"  # and Python has compiled it
                faked = (program("faketime"), "-f", clock)
                ground.expect_good(workplace.bundle("new", ground.project, ground.scratch, *faked))
                assert workplace.version_of(ground.project) == "new"
                tally.add("new")
                assert wheel(workplace, ground, *faked) == expected
                tally.add("the same wheel")
    return tally


def wheel(workplace: Workplace, ground: Ground, *before: str) -> bytes:
    """Return the wheel that hatchling makes of a project; `before` comes before the interpreter."""
    out = ground.scratch / "dist"
    done = subprocess.run(
        [*before, sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out],
        cwd=ground.project,
        env=workplace.environment("new", ground.scratch),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (made,) = out.iterdir()
    data = made.read_bytes()
    shutil.rmtree(out)
    assert leftovers(ground.scratch) == []
    return data


def killed_wheels(workplace: Workplace, kills: int) -> Tally:
    """SIGKILL while a wheel is made: what the hook left in the temporary directory goes with the next."""
    with tallied("SIGKILL while a wheel is made") as tally:
        ground = Ground(workplace, "package")
        ground.lay()
        expected = wheel(workplace, ground)
        for number in range(kills):
            command = [sys.executable, "-c", _STOPPED_BUILD, str(number)]
            done = subprocess.run(
                [*command, "build", "-t", "wheel", "-d", ground.scratch / "dist"],
                cwd=ground.project,
                env=workplace.environment("new", ground.scratch),
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == -9, done.stderr
            tally.add("left and swept" if leftovers(ground.scratch) else "nothing left")
            shutil.rmtree(ground.scratch / "dist", ignore_errors=True)
            assert wheel(workplace, ground) == expected
    return tally


_STOPPED_BUILD = """
import os, signal, sys
limit = int(sys.argv.pop(1))
from hatch_skillpack import staging
add = staging.Staging.add
def stopping(self, *args, **named):
    global limit
    limit -= 1
    path = add(self, *args, **named)
    if limit < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return path
staging.Staging.add = stopping
from hatchling.cli import hatchling
hatchling()
"""


_CALLS = {
    "chmod": "chmod",
    "fchmod": "chmod",
    "fchmodat": "chmod",
    "fsync": "fsync",
    "fdatasync": "fsync",
    "ftruncate": "truncate",
    "link": "link",
    "linkat": "link",
    "mkdir": "mkdir",
    "mkdirat": "mkdir",
    "open": "open",
    "openat": "open",
    "pwrite64": "write",
    "rename": "replace",
    "renameat": "replace",
    "renameat2": "replace",
    "rmdir": "rmdir",
    "symlink": "symlink",
    "truncate": "truncate",
    "unlink": "unlink",
    "unlinkat": "unlink",
    "utimensat": "utime",
    "write": "write",
    "writev": "write",
}
"""The system calls that change files, by what the layer calls them; other names for them are not in use on Linux."""


def traced(workplace: Workplace, form: str) -> Counter[str]:
    """Return how many calls of each kind the system sees in a run, by the names of `points.counted`."""
    ground = Ground(workplace, form)
    ground.lay()
    trace = ground.scratch / "trace"
    strace = (
        program("strace"),
        "-f",
        "-e",
        f"trace={','.join(f'?{call}' for call in _CALLS)}",
        "-o",
        str(trace),
    )
    # what Python compiles of the program's own code is no part of its work
    ground.expect_good(
        workplace.bundle("new", ground.project, ground.scratch, *strace, "env", "PYTHONDONTWRITEBYTECODE=1")
    )
    seen: Counter[str] = Counter()
    unfinished: dict[str, str] = {}
    for printed in trace.read_text(encoding="utf-8").splitlines():
        line = printed
        # of calls in several threads strace tells the beginning and the end
        if begun := re.match(r"(\d+) +(.*) <unfinished \.\.\.>$", line):
            unfinished[begun[1]] = begun[2]
            continue
        if ended := re.match(r"(\d+) +<\.\.\. \w+ resumed>(.*)$", line):
            line = f"{ended[1]} {unfinished.pop(ended[1], '')}{ended[2]}"
        call = re.match(r"\d+ +(\w+)\((.*)\) += (?:\d+$|-1 EEXIST)", line)
        if not call or (call[1].startswith("open") and "O_CREAT" not in call[2]):
            continue
        if _CALLS[call[1]] == "write":
            if re.match(r"[012],", call[2]):
                continue
            seen["write, halfway"] += 1  # the layer makes two of one
        seen[_CALLS[call[1]]] += 1
    return seen


def _expect_old(ground: Ground, done: Done, reason: str) -> None:
    assert done.code == 2, done
    (message,) = done.told
    assert message.endswith(reason), done
    assert ground.standing() == "old"
    ground.expect_whole("old")
