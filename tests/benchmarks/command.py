"""The benchmarks: every row of the design page "Performance", measured, with its target and a verdict.

Machines are noisy: only ratios inside one run count. The inputs are made for the run and deleted.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import inputs, pack, peers, report, start
from benchmarks.emission import Emission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from benchmarks.measure import Row

RESULTS = Path(__file__).with_name("RESULTS.md")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the command line asks for and tell it."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "--input", choices=list(inputs.INPUTS), action="append", help="repeatable; default: all"
    )
    parser.add_argument(
        "--part", choices=list(report.PARTS), action="append", help="repeatable; default: all"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there, too")
    parser.add_argument("--results", action="store_true", help=f"write {RESULTS.name}, too")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has skillpack")
    given = parser.parse_args(arguments)
    names, parts = given.input or list(inputs.INPUTS), given.part or list(report.PARTS)
    measured: dict[str, list[Row]] = {part: [] for part in parts}
    with tempfile.TemporaryDirectory(prefix="skillpack-benchmarks-") as temporary:
        for name in names:
            print(f"making {name}", file=sys.stderr)
            skills = Path(temporary) / name / "skills"
            inputs.make(inputs.INPUTS[name], skills, inputs.real_files(), seed=name)
            emissions = functools.cache(functools.partial(Emission.made, skills, python=given.python))
            for part in parts:
                for row in _rows(part, name, skills, given.python, measured[part], emissions):
                    measured[part].append(row)
                    print(" | ".join(row.cells()), file=sys.stderr)
    described = report.machine()
    for part, rows in measured.items():
        print(f"\n{report.PARTS[part]}\n")
        print("\n".join(report.aligned(row.cells() for row in rows)))
    if given.json:
        facts = {
            "machine": described,
            **{part: [row.record() for row in rows] for part, rows in measured.items()},
        }
        given.json.write_text(f"{json.dumps(facts, indent=2)}\n", encoding="utf-8")
    if given.results:
        # without the place of the JSON, which is of no use to anybody else
        command = " ".join(
            ["python -m tests.benchmarks"]
            + [f"--input {name}" for name in given.input or ()]
            + [f"--part {part}" for part in given.part or ()]
            + ["--results"]
        )
        RESULTS.write_text(report.page(measured, described, command), encoding="utf-8")


def _rows(
    part: str,
    name: str,
    skills: Path,
    python: str,
    before: Iterable[Row],
    emissions: Callable[[str], Emission],
) -> Iterator[Row]:
    """Measure a part; `emissions` gives the emission of a form, which is made once for all parts."""
    if part == "pack":
        yield from pack.rows(name, skills, python, before)
        return
    for form in ("package", "module") if name == "S" and part == "start" else ("package",):
        emission = emissions(form)
        if part == "start":
            yield from start.rows(name, skills, emission)
        else:
            yield from peers.rows(name, skills, start.catalog(emission.compiled, python), f"{name}, {form}")
