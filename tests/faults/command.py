"""All faults, in full: SIGKILL, SIGINT, full disks, too little memory, and what else stops a run or stands in its way.

The faults of the normal test run, `tests/e2e/test_faults.py`, are a part of these.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import signal
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults import points, processes, systems
from faults.ground import CHANGES_OF_FORM, SAME_FORMS
from faults.sealed import sealed
from faults.workplace import FORMS, Workplace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from faults.ground import Tally

RESULTS = Path(__file__).with_name("RESULTS.md")

Fault = Any
"""A function from a workplace to a tally; mypy does not infer the parameters of a lambda that has defaults."""

LEVELS_MIB = [*range(16, 64, 4), *range(64, 128, 8), 160, 240]
"""What `ulimit -v` is set to: from where Python does not start to where all is as ever."""


def all_faults(kills: int, seed: int) -> Iterator[Fault]:
    """Give what to do in a workplace, in turn."""
    whole, third, fifth, tenth = (points.every(step, seed) for step in (1, 3, 5, 10))
    same, changes = SAME_FORMS, CHANGES_OF_FORM
    for form in FORMS:
        yield lambda place, form=form: processes.killed_at_any_time(place, form, kills, seed)
    for transition in same:
        yield lambda place, transition=transition: points.killed_at_write_points(place, whole, [transition])
    yield lambda place: points.killed_at_write_points(place, fifth, changes)
    yield lambda place: points.stopped_at_write_points(place, third, "interrupt", same)
    yield lambda place: points.stopped_at_write_points(place, tenth, "terminate", same)
    yield lambda place: points.full_at_write_points(place, fifth, same + changes[:2])
    yield lambda place: points.vanished_at_write_points(place, tenth, "src/agent", same)
    yield lambda place: points.vanished_at_write_points(place, fifth, "src/agent/skills", same[1:])
    for form in FORMS:
        for number in (signal.SIGINT, signal.SIGTERM):
            yield lambda place, form=form, number=number: processes.stopped_at_any_time(
                place, form, number, kills // 20, seed
            )
        yield lambda place, form=form: processes.without_memory(place, form, LEVELS_MIB)
    yield lambda place: systems.killed_wheels(place, 12)
    yield lambda place: sealed("full_disk", place, [*range(0, 75, 5)], same)
    yield lambda place: sealed("full_scratch", place, same)
    yield lambda place: sealed("read_only", place, same)
    yield lambda place: points.at_once(place, 64, same)
    yield lambda place: processes.two_versions_at_once(place, 64, same)
    yield lambda place: systems.without_network(place, same)
    yield lambda place: systems.other_clock(place, same)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all faults and tell what came of them; exit with 1 when one does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="how many kills at random times for each form")
    parser.add_argument("--seed", type=int, default=0, help="of the random times and write points")
    parser.add_argument("--jobs", type=int, default=1, help="how many faults at the same time")
    parser.add_argument("--results", action="store_true", help=f"write {RESULTS.name}, too")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="faults-") as directory, ThreadPoolExecutor(given.jobs) as pool:
        runs = [
            pool.submit(_run, fault, Path(directory, str(number)))
            for number, fault in enumerate(all_faults(given.kills, given.seed))
        ]
        rows = [run.result() for run in runs]
    if given.results and None not in rows:
        RESULTS.write_text(page([line for line in rows if line], given.seed), encoding="utf-8")
    sys.exit(None in rows)


def _run(fault: Fault, directory: Path) -> str | None:
    """Return the line of a fault in the table, None when it does not hold; both are told."""
    directory.mkdir()
    try:
        line = row(fault(Workplace.made(directory)))
    except AssertionError:
        traceback.print_exc()
        return None
    print(line, file=sys.stderr, flush=True)
    shutil.rmtree(directory)
    return line


def row(tally: Tally) -> str:
    """Return the line of a scenario in the table."""
    found = ", ".join(f"{what} {count}" for what, count in sorted(tally.found.items()))
    return f"| {tally.scenario} | {tally.runs:,} | {found} | {tally.seconds:,.0f} |"


def page(rows: Sequence[str], seed: int) -> str:
    """Return the page of results."""
    system = f"{platform.system()} {platform.release()}, CPython {platform.python_version()}"
    return f"""# Results

Written by `python -m tests.faults --seed {seed} --results`; do not edit. Each run replaces an output with other skills and another runtime, and
in each the output was the old one or the new one, whole, by an import; the run told one thing at most and ended with its
exit code; no temporary file was left, or none after the next run where the run was killed. SIGKILL without a change of form is
sent at every write point, SIGINT at each third of them, the rest at each fifth or tenth. On {system}.

| what happens | runs | output after it | seconds |
| --- | --- | --- | --- |
{chr(10).join(rows)}
"""
