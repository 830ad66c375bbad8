"""Real processes, each with an interpreter of its own, that are stopped at any time, or are many."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from faults.ground import Ground, Tally, Transitions, tallied, told
from faults.workplace import PACKAGE, VERSIONS, Done, leftovers

if TYPE_CHECKING:
    from pathlib import Path

    from faults.workplace import Workplace


def killed_at_any_time(workplace: Workplace, form: str, kills: int, seed: int = 0) -> Tally:
    """SIGKILL at a random time of a run; each version replaces the other in turn.

    Every other kill is between the start and the end, the others between the first change of the output and the end: a
    run writes for a small part of its time.
    """
    with tallied(f"SIGKILL at a random time, {form}") as tally:
        ground = Ground(workplace, form)
        chance = random.Random(f"{seed} {form}")
        old, new = VERSIONS
        ground.lay(old, new)
        begun = time.monotonic()
        process = workplace.popen(new, ground.project, ground.scratch)
        _wait_for_a_change(process, ground.project)
        changed = time.monotonic()
        process.communicate()
        assert process.returncode == 0
        duration, writing = time.monotonic() - begun, time.monotonic() - changed
        old, new = new, old
        for number in range(kills):
            workplace.put_skills(ground.project, new)
            begun = time.monotonic()
            process = workplace.popen(new, ground.project, ground.scratch)
            try:
                if number % 2:
                    _wait_for_a_change(process, ground.project)
                    process.wait(chance.uniform(0, writing))
                else:
                    process.wait(chance.uniform(0, duration))
            except subprocess.TimeoutExpired:
                process.kill()
            process.communicate()
            if process.returncode == 0:
                duration = 0.5 * duration + 0.5 * (time.monotonic() - begun)
            else:
                duration *= 1.005  # a machine that has become slower would have all kills at the beginning
            tally.add(
                ("new" if workplace.version_of(ground.project) == new else "old")
                + (" (run was done)" if process.returncode == 0 else "")
            )
            # the next run is of either version
            following = chance.choice((old, new))
            workplace.put_skills(ground.project, following)
            done = workplace.bundle(following, ground.project, ground.scratch)
            assert (done.code, done.told) == (0, []), done
            workplace.expect_clean(ground.project, form, following, ground.scratch)
            old, new = following, VERSIONS[VERSIONS.index(following) - 1]
    return tally


def _wait_for_a_change(process: subprocess.Popen[str], project: Path) -> None:
    """Return once a run has made or removed a file of its output, or has ended."""
    before = _names(project)
    while process.poll() is None and _names(project) == before:
        pass


def _names(project: Path) -> set[str]:
    """Return the paths below the directory of the output, of what is still there when it is looked at."""
    return {
        os.path.join(place, name)  # noqa: PTH118 - many times a millisecond
        for place, directories, files in os.walk(project / "src")
        for name in (*directories, *files)
    }


READY = "import os, skillpack.__main__ as m; os.write(1, b'.'); m.main()"


def stopped_at_any_time(workplace: Workplace, form: str, number: int, times: int, seed: int = 0) -> Tally:
    """A signal that asks to stop, at a random time once the program runs."""
    name = signal.Signals(number).name
    with tallied(f"{name} at a random time, {form}") as tally:
        ground = Ground(workplace, form)
        chance = random.Random(f"{seed} {form} {name}")
        code, line = {signal.SIGINT: (130, ["error: interrupted"]), signal.SIGTERM: (143, [])}[
            signal.Signals(number)
        ]
        duration = 0.5
        for _ in range(times):
            ground.lay()
            process = subprocess.Popen(
                [sys.executable, "-c", READY, "bundle"],
                cwd=ground.project,
                env=workplace.environment("new", ground.scratch),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert process.stdout is not None
            assert process.stdout.read(1) == "."
            begun = time.monotonic()
            try:
                process.wait(chance.uniform(0.001, duration))
            except subprocess.TimeoutExpired:
                process.send_signal(number)
            _, errors = process.communicate()
            done = Done(code=process.returncode, errors=errors)
            if done.code == 0:
                duration = 0.5 * duration + 0.5 * (time.monotonic() - begun)
            version = ground.standing()
            tally.add(version)
            # before its handler is there, and once the interpreter ends, a signal ends the process on the spot
            assert (done.code, done.told) in [(code, line), (0, []), (-number, [])], done
            if done.code >= 0:
                assert leftovers(ground.project, ground.scratch) == []
            ground.expect_good(workplace.bundle("new", ground.project, ground.scratch))
    return tally


def without_memory(workplace: Workplace, form: str, levels: list[int]) -> Tally:
    """`ulimit -v` at levels in MiB: old or new, exit code 2 and one message from where Python itself can start."""
    with tallied(f"address space limited, {form}") as tally:
        ground = Ground(workplace, form)
        for level in levels:
            ground.lay()
            limited = ("prlimit", f"--as={level * 2**20}")
            environment = workplace.environment("new", ground.scratch)
            starts = subprocess.run(
                [
                    *limited,
                    sys.executable,
                    "-c",
                    "import click, blake3, pathspec, yaml, hashlib, socket, ctypes, unicodedata",
                ],
                env=environment,
                capture_output=True,
                check=False,
            )
            done = workplace.bundle("new", ground.project, ground.scratch, *limited)
            version = ground.standing()
            tally.add(version)
            if starts.returncode == 0 and done.code != 0:
                assert done.code == 2, (level, done)
                (message,) = done.told
                assert message.startswith("error: there is not enough memory "), (level, done)
            if starts.returncode == 0:
                assert leftovers(ground.project, ground.scratch) == [], level
                ground.expect_whole(version)
            ground.expect_good(workplace.bundle("new", ground.project, ground.scratch))
    return tally


def two_versions_at_once(workplace: Workplace, builds: int, transitions: Transitions) -> Tally:
    """As many of another version with other skills at the same time: the output is that of one of them."""
    with tallied(
        f"{builds} builds at once, half of another version and other skills, {told(transitions)}"
    ) as tally:
        for _, form in transitions:
            ground = Ground(workplace, form)
            ground.lay()
            for version in VERSIONS:
                workplace.put_skills(ground.project / version, version)
            processes = []
            for number in range(builds):
                version = VERSIONS[number % 2]
                command = [
                    sys.executable,
                    "-m",
                    "skillpack",
                    "bundle",
                    f"{version}/skills",
                    "-o",
                    f"{PACKAGE}/skills.py",
                ]
                processes.append(
                    subprocess.Popen(
                        command,
                        cwd=ground.project,
                        env=workplace.environment(version, ground.scratch),
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.PIPE,
                        text=True,
                    )
                )
            for process in processes:
                _, errors = process.communicate()
                done = Done(code=process.returncode, errors=errors)
                assert (done.code, done.told) == (0, []), done
            version = ground.standing()
            tally.runs += builds
            tally.found[version] += builds
            workplace.expect_clean(ground.project, form, version, ground.scratch)
    return tally
