"""What is printed and written: a plain table, JSON, and a page with the machine's description."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.measure import Row

HEADINGS = ("figure", "input", "measured", "target", "verdict", "remark")
PARTS = {"start": "Start-up", "pack": "Packing", "peers": "Peers"}


def machine() -> dict[str, str]:
    """Return what a figure depends on besides skillpack."""
    return {
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "processor": _processor(),
        "processors": str(os.cpu_count()),
        "memory": f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.1f} GiB",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table as lines: columns are as wide as their widest cell."""
    table = [HEADINGS, *rows]
    widths = [max(len(cells[column]) for cells in table) for column in range(len(HEADINGS))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        for cells in table
    ]


def page(parts: dict[str, list[Row]], described: dict[str, str], command: str) -> str:
    """Return the page of results, in Markdown."""
    lines = [
        "# Results",
        "",
        f"Written by `{command}`; do not edit. Ratios are of medians of fresh processes that ran in turn.",
        "",
        *(f"- {key}: {value}" for key, value in described.items()),
    ]
    for part, rows in parts.items():
        lines += ["", f"## {PARTS[part]}", "", _cells(HEADINGS), _cells("---" for _ in HEADINGS)]
        lines += [_cells(row.cells()) for row in rows]
    return "\n".join([*lines, ""])


def _cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
