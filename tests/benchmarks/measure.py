"""Fresh processes, both sides in turn, medians: what every figure here is made of."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Python code that prints one JSON object of figures; `arguments` are its `sys.argv[1:]`.

    `python` is the interpreter and `options` go before the code.
    """

    code: str
    arguments: Sequence[str | Path] = ()
    python: str | Path = sys.executable
    options: Sequence[str] = ("-I",)
    environment: Mapping[str, str] | None = None

    def run(self) -> dict[str, float]:
        """Return the figures of one fresh process, with its `cpu`, `wall` (seconds) and `peak` (bytes) as a whole."""
        command = [str(self.python), *self.options, "-c", self.code, *map(str, self.arguments)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, env={**os.environ, **(self.environment or {})}
        ) as process:
            assert process.stdout
            printed = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"exit code {process.returncode} of {command}")
        return {
            **json.loads(printed or "{}"),
            "cpu": usage.ru_utime + usage.ru_stime,
            "peak": usage.ru_maxrss * 1024,
        }


def medians(runs: int, **scripts: Script) -> dict[str, dict[str, float]]:
    """Return the median of each figure of each script over `runs` rounds; one round before them is not counted."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in scripts}
    for number in range(runs + 1):
        for name, script in scripts.items():
            figures = script.run()
            if number:
                found[name].append(figures)
    return {
        name: {key: statistics.median(figures[key] for figures in rounds) for key in rounds[0]}
        for name, rounds in found.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A figure and its target: `limit` is the most, or the least where `least` is set; None where there is none."""

    title: str
    input: str
    value: float
    unit: str
    limit: float | None = None
    least: bool = False
    remark: str = ""

    @property
    def verdict(self) -> str:
        """`met`, `missed`, or nothing where there is no target."""
        if self.limit is None:
            return ""
        return "met" if (self.value >= self.limit if self.least else self.value <= self.limit) else "missed"

    @property
    def target(self) -> str:
        """The target as it is printed."""
        return "" if self.limit is None else f"{'≥' if self.least else '≤'} {self.limit:g} {self.unit}"

    def cells(self) -> tuple[str, ...]:
        """Return what stands in a table."""
        return (self.title, self.input, f"{self.value:.3g} {self.unit}", self.target, self.verdict, self.remark)
