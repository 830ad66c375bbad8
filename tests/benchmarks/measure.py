"""Fresh processes, both sides in turn, medians: what every figure here is made of."""

from __future__ import annotations

import ast
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

# It imports nothing, so that what is measured pays for its own imports. The peak is that of this process alone:
# what `wait4` says of a child begins with what its parent had in memory.
_EPILOGUE = """
with open("/proc/self/status", "rb") as _status:
    figures["peak"] = next(int(_line.split()[1]) * 1024 for _line in _status if _line.startswith(b"VmHWM"))
print(figures)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Python code for a fresh process on Linux; it may put numbers into the dict `figures`, and prints nothing.

    `arguments` are its `sys.argv[1:]`, `python` is the interpreter, `options` go before the code. `before` is called
    ahead of each run.
    """

    code: str
    arguments: Sequence[str | Path] = ()
    python: str | Path = sys.executable
    options: Sequence[str] = ("-I",)
    environment: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[], None] | None = None

    def run(self) -> dict[str, float]:
        """Return the figures of one process, and those of it as a whole: `cpu`, `wall` (seconds), `peak` (bytes)."""
        code = f"figures = {{}}\n{self.code}\n{_EPILOGUE}"
        command = [str(self.python), *self.options, "-c", code, *map(str, self.arguments)]
        if self.before:
            self.before()
        begin = time.perf_counter()
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, env={**os.environ, **self.environment}
        ) as process:
            assert process.stdout
            printed = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begin
        if process.returncode:
            raise SystemExit(f"exit code {process.returncode} of {command}")
        figures: dict[str, float] = ast.literal_eval(printed.decode())
        return {**figures, "wall": wall, "cpu": usage.ru_utime + usage.ru_stime}


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
        value = f"{figure(self.value)} {self.unit}"
        return (self.title, self.input, value, self.target, self.verdict, self.remark)

    def record(self) -> dict[str, str | float | None]:
        """Return what stands in JSON."""
        return {
            "title": self.title,
            "input": self.input,
            "value": self.value,
            "unit": self.unit,
            "target": self.target,
            "verdict": self.verdict,
            "remark": self.remark,
        }


def figure(value: float) -> str:
    """Return a number with three digits that count, never in powers of ten."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
