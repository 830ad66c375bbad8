"""What is done to runs that replace an output with other skills and another runtime, and what has to hold after each.

Afterwards the output is the old one or the new one, whole; the run has told one thing and ended with its exit code; no
temporary file is left, or none after the next run where the run had no chance to remove it.
"""

from __future__ import annotations

import itertools
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from faults.workplace import FORMS, Done, Workplace, output

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class Tally:
    """What came of the runs of a scenario: how many there were, what was found, and the seconds that it took."""

    scenario: str
    runs: int = 0
    found: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, found: str) -> None:
        """Count a run and what was found after it."""
        self.runs += 1
        self.found[found] += 1


class Ground:
    """A project in which the output of one version is about to be replaced by a run of another."""

    def __init__(self, workplace: Workplace, form: str, before: str = "") -> None:
        self.workplace = workplace
        self.form = form
        self.before = before or form
        self.project = workplace.directory / "project"
        self.scratch = workplace.directory / "scratch"
        self._seen: dict[tuple[tuple[str, bytes], ...], str] = {}

    def lay(self, old: str = "old", new: str = "new") -> None:
        """Put the old output in its place, and the skills and the configuration of the new one."""
        self.workplace.renew(self.project, self.before, old)
        shutil.copy(self.workplace.template(self.form, new) / "pyproject.toml", self.project)
        self.workplace.put_skills(self.project, new)
        self.empty_scratch()

    def empty_scratch(self) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()

    def standing(self) -> str:
        """Return the version whose output is there; that of the same files is found by one import."""
        files = output(self.project)
        key = tuple(sorted((path, data) for path, data in files.items() if not path.endswith(".tmp")))
        if key not in self._seen:
            self._seen[key] = self.workplace.version_of(self.project)
        return self._seen[key]

    def expect_whole(self, version: str) -> None:
        """Fail unless the output of a version is there, and nothing else."""
        form = self.form if version == "new" else self.before
        self.workplace.expect_clean(self.project, form, version, self.scratch)

    def expect_good(self, done: Done) -> None:
        """Fail unless a run, the next one, has ended what was begun."""
        assert (done.code, done.told) == (0, []), done
        self.expect_whole("new")


@contextmanager
def tallied(scenario: str) -> Iterator[Tally]:
    """Give an empty tally; at the end of the block it has its seconds."""
    started = time.monotonic()
    tally = Tally(scenario)
    yield tally
    tally.seconds = time.monotonic() - started


Transitions = Sequence[tuple[str, str]]
"""The form before and the form after, of each replacement."""

SAME_FORMS = [(form, form) for form in FORMS]
CHANGES_OF_FORM = [(before, form) for before, form in itertools.product(FORMS, FORMS) if before != form]


def told(transitions: Transitions) -> str:
    """Return what a person reads."""
    forms = [before if before == form else f"{before} to {form}" for before, form in transitions]
    return ", ".join(forms)
