"""The command: each target for some time, by random changes or guided by coverage."""

from __future__ import annotations

import argparse
import hashlib
import platform
import re
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.mutation import CORPUS, run
from fuzz.targets import TARGETS
from support.environments import python_with

if TYPE_CHECKING:
    from collections.abc import Iterable

ATHERIS = "atheris==3.0.0"
CHECKOUT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Try random inputs. One that fails is kept in tests/fuzz/corpus, where every test run tries it again.",
    )
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)} (default: all)"
    )
    parser.add_argument("--seconds", type=float, default=60, help="for each target (default: 60)")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32, help="of the random changes")
    parser.add_argument(
        "--guided", action="store_true", help=f"guided by coverage, with {ATHERIS} (CPython 3.11 to 3.13)"
    )
    parser.add_argument(
        "--results", action="store_true", help=f"write {RESULTS.name}, too, if nothing is found"
    )
    options = parser.parse_args()
    unknown = sorted(set(options.targets) - TARGETS.keys())
    if unknown:
        parser.error(f"no such target: {', '.join(unknown)}")
    names = options.targets or list(TARGETS)
    tried = [(_guided if options.guided else _random)(name, options.seconds, options.seed) for name in names]
    if options.results and None not in tried:
        how = f"--seconds {options.seconds:g} --seed {options.seed}{' --guided' * options.guided}"
        rows = (f"| {name} | {count:,} |" for name, count in zip(names, tried, strict=True))
        RESULTS.write_text(page(how, rows), encoding="utf-8")
    sys.exit(None in tried)


def page(how: str, rows: Iterable[str]) -> str:
    """Return the page of results of a run in which nothing was found."""
    return f"""# Results

Written by `python -m tests.fuzz {how} --results`; do not edit. Nothing was found: no input raised what is no error of
skillpack's, took too long or too much memory, or broke the promise of its target. CPython {platform.python_version()}.

| target | inputs |
| --- | --- |
{chr(10).join(rows)}
"""


def _random(name: str, seconds: float, seed: int) -> int | None:
    """Return how many inputs were tried, None if one failed."""
    tried, fault = run(TARGETS[name], name, seconds=seconds, seed=seed)
    print(
        f"{name:12} {tried:>9,} inputs in {seconds:.0f} s, seed {seed}: {'a fault' if fault else 'nothing found'}",
        flush=True,
    )
    if fault is None:
        return tried
    traceback.print_exception(fault.error)
    file = CORPUS / name / hashlib.sha256(fault.data).hexdigest()[:12]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(fault.data)
    print(f"kept as {file.relative_to(CHECKOUT)}")
    return None


def _guided(name: str, seconds: float, seed: int) -> int | None:
    """Return how many inputs were tried, None if one failed."""
    python = python_with("fuzz", ATHERIS, "pyyaml", "blake3", "click", "pathspec", "hatchling")
    script = Path(__file__).with_name("guided.py")
    command = (python, script, name, str(int(seconds)), str(seed))
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        tried = None
        for line in process.stderr or ():
            sys.stderr.write(line)
            if found := re.match(r"stat::number_of_executed_units:\s*(\d+)", line):
                tried = int(found[1])
    return None if process.returncode else tried
