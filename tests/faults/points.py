"""Something happens at each write point of a run, one after the other."""

from __future__ import annotations

import itertools
import random
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from faults.ground import Ground, Tally, Transitions, tallied, told
from faults.runner import runner
from faults.workplace import PACKAGE, leftovers, output

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faults.runner import Ended, Runner
    from faults.workplace import Workplace

Share = Callable[[int], bool]
"""Whether to look at a write point: all of them take minutes."""


def every(step: int, seed: int | None = None) -> Share:
    """Look at one write point of `step`; at which depends on `seed`, and is another one in each run without."""
    offset = random.Random(seed).randrange(step)
    return lambda number: number % step == offset


def write_points(ground: Ground, server: Runner, action: str, share: Share) -> Iterator[tuple[Ended, str]]:
    """Give the runs in which something happens at a write point, each with the version that stands there after it."""
    for number in itertools.count():
        if not share(number):
            continue
        ground.lay()
        ended = server.bundle(ground.project, ground.scratch, action, number)
        if not ended.point:
            assert (ended.code, ended.told) == (0, []), ended
            return
        yield ended, f"{number} {ended.point}"


def killed_at_write_points(workplace: Workplace, share: Share, transitions: Transitions) -> Tally:
    """SIGKILL before and halfway through each call that changes a file."""
    with (
        tallied(f"SIGKILL at write points, {told(transitions)}") as tally,
        runner(workplace, "new") as server,
    ):
        for before, form in transitions:
            ground = Ground(workplace, form, before)
            for ended, point in write_points(ground, server, "kill", share):
                assert ended.code == -signal.SIGKILL, (ended, point)
                tally.add(ground.standing())
                ground.expect_good(server.bundle(ground.project, ground.scratch))
    return tally


def stopped_at_write_points(
    workplace: Workplace, share: Share, action: str, transitions: Transitions
) -> Tally:
    """SIGINT or SIGTERM at each of them: one message, the exit code of the signal, nothing left."""
    code, line = {"interrupt": (130, ["error: interrupted"]), "terminate": (143, [])}[action]
    with (
        tallied(
            f"{'SIGINT' if action == 'interrupt' else 'SIGTERM'} at write points, {told(transitions)}"
        ) as tally,
        runner(workplace, "new") as server,
    ):
        for before, form in transitions:
            ground = Ground(workplace, form, before)
            for ended, point in write_points(ground, server, action, share):
                assert (ended.code, ended.told) == (code, line), (ended, point)
                version = ground.standing()
                tally.add(version)
                assert leftovers(ground.project, ground.scratch) == [], point
                if version == "old":
                    ground.expect_whole("old")
                ground.expect_good(server.bundle(ground.project, ground.scratch))
    return tally


def full_at_write_points(workplace: Workplace, share: Share, transitions: Transitions) -> Tally:
    """No room from a write point on: what cannot do without is told in one message, and nothing is left."""
    with (
        tallied(f"disk full from a write point on, {told(transitions)}") as tally,
        runner(workplace, "new") as server,
    ):
        for before, form in transitions:
            ground = Ground(workplace, form, before)
            for ended, point in write_points(ground, server, "full", share):
                version = ground.standing()
                tally.add(version)
                assert leftovers(ground.project, ground.scratch) == [], point
                if ended.code == 0:  # the cache, without which one goes on
                    ground.expect_whole("new")
                    continue
                assert ended.code == 2, (ended, point)
                (message,) = ended.told
                assert message.endswith("cannot be written (No space left on device)"), (ended, point)
                if version == "old":
                    ground.expect_whole("old")
    return tally


def vanished_at_write_points(
    workplace: Workplace, share: Share, place: str, transitions: Transitions
) -> Tally:
    """The output's directory, or the project's package, is removed at a write point: a whole output or none."""
    with (
        tallied(f"{place} removed at write points, {told(transitions)}") as tally,
        runner(workplace, "new") as server,
    ):
        for before, form in transitions:
            ground = Ground(workplace, form, before)
            gone = ground.project / place
            for ended, point in write_points(ground, server, str(gone), share):
                assert ended.code in (0, 2), (ended, point)
                assert len(ended.told) == (ended.code == 2), (ended, point)
                left = output(ground.project)
                if any("skills.py" in path or path == "skills/__init__.py" for path in left):
                    assert ground.standing() == "new", point
                    tally.add("new")
                else:
                    tally.add("none")
                assert leftovers(ground.project, ground.scratch) == [], point
                shutil.copytree(
                    workplace.template(ground.before, "old") / PACKAGE,
                    ground.project / PACKAGE,
                    dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("skills", "skills.py*"),
                )
                ground.expect_good(server.bundle(ground.project, ground.scratch))
    return tally


def at_once(workplace: Workplace, builds: int, transitions: Transitions) -> Tally:
    """Many builds at once on one output: all succeed, and it is valid."""
    with (
        tallied(f"{builds} builds at once, {told(transitions)}") as tally,
        runner(workplace, "new") as server,
    ):
        for before, form in transitions:
            ground = Ground(workplace, form, before)
            ground.lay()
            for ended in server.bundles(ground.project, ground.scratch, builds):
                assert (ended.code, ended.told) == (0, []), ended
                tally.add("new")
            ground.expect_whole("new")
            assert ground.standing() == "new"
    return tally


def counted(workplace: Workplace, form: str) -> Counter[str]:
    """Return how many write points of each kind a run comes to."""
    ground = Ground(workplace, form)
    ground.lay()
    with runner(workplace, "new") as server:
        ended = server.bundle(ground.project, ground.scratch, "count")
    ground.expect_good(ended)
    return Counter(ended.point.splitlines())
