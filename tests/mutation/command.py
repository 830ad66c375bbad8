"""Small changes to the code, each of which a test has to notice: cosmic-ray over a sample of them.

What survives is a behaviour that no test says, or a change that has none: those are explained in `explained.toml`.
"""

from __future__ import annotations

import argparse
import functools
import platform
import re
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutation.session import COSMIC_RAY, mutate
from mutation.subjects import SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mutation.session import Mutant, Outcome

RESULTS = Path(__file__).with_name("RESULTS.md")
EXPLAINED = Path(__file__).with_name("explained.toml")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit with 1 when a mutant survives that is not explained."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help=f"of {', '.join(SUBJECTS)} (default: all)"
    )
    parser.add_argument("--sample", type=int, default=120, help="mutants a module, 0 for all (default: 120)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=1, help="how many modules at the same time")
    parser.add_argument(
        "--directory",
        type=Path,
        metavar="DIR",
        help="keep the runs there: the next one goes on with what has changed, is not explained or was not reached",
    )
    parser.add_argument("--results", action="store_true", help=f"write {RESULTS.name}, too")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.modules) - SUBJECTS.keys())
    if unknown:
        parser.error(f"no such module: {', '.join(unknown)}")
    how = f"--sample {given.sample} --seed {given.seed}"
    failed = False
    with tempfile.TemporaryDirectory(prefix="mutation-") as temporary, ThreadPoolExecutor(given.jobs) as pool:
        directory = given.directory or Path(temporary)
        runs = {
            name: pool.submit(_run, name, (directory / name).absolute(), given.sample, given.seed)
            for name in given.modules or SUBJECTS
        }
        for name, run in runs.items():
            outcome = run.result()
            told = section(name, how, outcome)
            print(told, flush=True)
            failed |= not all(map(reason, outcome.survivors))
            if given.results:
                RESULTS.write_text(page(RESULTS.read_text("utf-8"), {name: told}), encoding="utf-8")
    sys.exit(failed)


def _run(name: str, directory: Path, sample: int, seed: int) -> Outcome:
    directory.mkdir(parents=True, exist_ok=True)
    return mutate(SUBJECTS[name], directory, sample, seed, reason)


@functools.cache
def explained() -> list[dict[str, Any]]:
    """Return the entries of `explained.toml`."""
    entries: list[dict[str, Any]] = tomllib.loads(EXPLAINED.read_text("utf-8"))["mutant"]
    return entries


def reason(mutant: Mutant) -> str:
    """Return why no test can notice a mutant, empty where that is not known."""
    for entry in explained():
        if (
            mutant.file == entry["file"]
            and any(map(_same(mutant.line), entry["line"]))
            and any(fnmatchcase(mutant.operator, pattern) for pattern in entry.get("operators", ["*"]))
            and any(map(_same(mutant.becomes), entry.get("becomes", [mutant.becomes])))
        ):
            return str(entry["reason"])
    return ""


def _same(line: str) -> Callable[[str], bool]:
    """Return what tells whether a line is `line`, but for the blanks in it: cosmic-ray leaves some of its own."""
    words = "".join(line.split())
    return lambda other: "".join(other.split()) == words


def section(name: str, how: str, outcome: Outcome) -> str:
    """Return the section of a module on the page of results."""
    known = [mutant for mutant in outcome.survivors if reason(mutant)]
    others = [mutant for mutant in outcome.survivors if not reason(mutant)]
    killed, counted = outcome.run - len(outcome.survivors), outcome.run - len(known)
    score = (
        f"{killed} of {counted} killed ({100 * killed / counted:.1f} %), and {len(known)} that are explained"
    )
    ran = f"{outcome.run} of {outcome.possible:,} mutants, `{how}`, {outcome.seconds:,.0f} s"
    lines = [f"## {name}", "", f"{score}: {ran}, CPython {platform.python_version()}."]
    for title, mutants in (("Survived", others), ("Explained", known)):
        if mutants:
            lines += ["", f"{title}:", ""]
        for mutant in mutants:
            why = f"; {reason(mutant)}" if title == "Explained" else ""
            lines.append(
                f"- {mutant.file}, {mutant.operator}{why}\n\n      - {mutant.line}\n      + {mutant.becomes}\n"
            )
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def page(before: str, fresh: Mapping[str, str]) -> str:
    """Return the page of results: the sections in `fresh`, and those of other modules as they were."""
    kept = {part.split(None, 2)[1]: part.rstrip() + "\n" for part in re.split(r"(?m)^(?=## )", before)[1:]}
    sections = {**kept, **fresh}
    return f"""# Results

Written by `python -m tests.mutation --results`, section by section; do not edit. A mutant is the code with one small change, made by
{COSMIC_RAY}; it is killed when a test of its module fails or takes much too long. Why those that are explained cannot be killed stands
in [explained.toml](explained.toml).

{chr(10).join(sections[name] for name in SUBJECTS if name in sections)}"""
