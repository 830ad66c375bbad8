"""The same bytes everywhere: one project in all forms, as wheels, sdists and modules, in varied surroundings.

The normal test run, `tests/e2e/test_reproducible.py`, builds in a part of these.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from reproducibility.matrix import (
    DIMENSIONS,
    Workshop,
    differences,
    file_system_of,
    other_interpreters,
    public_interpreter,
    python_of,
    rows,
)
from support.anywhere import PYODIDES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reproducibility.matrix import Built

RESULTS = Path(__file__).with_name("RESULTS.md")
MEMORY = Path("/dev/shm")


def builds(workshop: Workshop, seeds: int, jobs: int) -> Iterator[Built]:
    """Build in all surroundings."""
    first = rows(DIMENSIONS, 0)[0]
    varied = [row for seed in range(seeds) for row in rows(DIMENSIONS, seed)]
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(workshop.built, varied)
        public = public_interpreter()
        if public is not None:
            yield workshop.built({**first, "user": "nobody"}, public)
        for interpreter in other_interpreters():
            yield workshop.built(first, python_of(interpreter))
        yield from pool.map(workshop.built_in_pyodide, PYODIDES)


def main(arguments: Sequence[str] | None = None) -> None:
    """Build and compare; exit with 1 when anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.reproducibility", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="how often each pair of values is met anew")
    parser.add_argument("--jobs", type=int, default=1, help="how many builds at the same time")
    parser.add_argument("--results", action="store_true", help=f"write {RESULTS.name}, too")
    given = parser.parse_args(arguments)
    started = time.monotonic()
    made: list[Built] = []
    with (
        tempfile.TemporaryDirectory(prefix="reproducibility-") as directory,
        tempfile.TemporaryDirectory(prefix="reproducibility-", dir=MEMORY) as memory,
    ):
        for place in (directory, memory):
            Path(place).chmod(0o755)  # other users build there, too
        disk = file_system_of(Path(directory))
        for build in builds(Workshop(Path(directory), Path(memory)), given.seeds, given.jobs):
            made.append(build)
            print(
                ", ".join(f"{key} {value}" for key, value in build.row.items()), file=sys.stderr, flush=True
            )
    differing = differences(made)
    print("\n".join(differing or [f"{len(made)} builds, the same bytes"]), file=sys.stderr)
    if given.results and not differing:
        RESULTS.write_text(page(made, disk, time.monotonic() - started), encoding="utf-8")
    sys.exit(bool(differing))


def page(made: Sequence[Built], disk: str, seconds: float) -> str:
    """Return the page of results."""
    varied = "\n".join(f"| {name} | {', '.join(map(shown, values))} |" for name, values in DIMENSIONS.items())
    pythons = dict.fromkeys(build.python for build in made)
    compared = len(made[0].digests)
    return f"""# Results

Written by `python -m tests.reproducibility --results`; do not edit. {len(made):,} builds of one project, each as wheel, sdist
and in its tree, in three forms, by the real hook and command line: {compared} digests a build, **no difference**, in
{seconds:,.0f} seconds. On {platform.system()} {platform.release()}, user {os.geteuid()}; the disk is {disk}.

Each pair of these values was met in a build:

| what | values |
| --- | --- |
{varied}

`another` user is one of a user namespace, `nobody` is the system's own (run with its Python, once). With
`SOURCE_DATE_EPOCH` the times in wheels and sdists are that: they are compared with each other, and their contents and the
modules with all. The pythons: {", ".join(pythons)}; in Pyodide BLAKE3 is by a library of JavaScript's.
"""


def shown(value: str) -> str:
    """Return a value of a dimension for a person."""
    return f"`{value}`" if value else "unset"
