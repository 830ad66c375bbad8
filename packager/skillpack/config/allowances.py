"""Reviewed exceptions: the array `allow`."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from skillpack.findings import Allowance
from skillpack.rules import ALLOWABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillpack.config.table import Table


def read_allow(tool: Table) -> tuple[Allowance, ...]:
    """Return the array `allow`, in its order; two entries that allow the same are a fault."""
    entries: dict[tuple[str, str, str], Allowance] = {}
    for table in tool.tables("allow"):
        table.require(("path", "rule", "sha256", "reason"))
        path, rule = table.text("path", _blank_fault), table.choice("rule", ALLOWABLE)
        sha256, reason = table.text("sha256", _sha256_fault), table.text("reason", _reason_fault)
        if path is None or rule is None or sha256 is None or reason is None:
            continue
        entry = Allowance(path=str(PurePosixPath(path)), rule=rule, sha256=sha256, reason=reason)
        key = (entry.path, entry.rule, entry.sha256)
        if key in entries:
            table.faults.append((table.place, "allows the same as an entry above; remove one of them"))
        entries[key] = entry
    return tuple(entries.values())


def within(roots: Sequence[str], allow: Sequence[Allowance]) -> tuple[Allowance, ...]:
    """Return the entries about what lies in the roots: a run over others cannot find these unused."""
    return tuple(
        entry
        for entry in allow
        if any(root == "." or PurePosixPath(entry.path).is_relative_to(root) for root in roots)
    )


def _blank_fault(text: str) -> str:
    return "" if text else "is empty"


def _sha256_fault(text: str) -> str:
    if re.fullmatch(r"[0-9a-f]{64}", text):
        return ""
    return "must be the 64 lowercase hex digits that `sha256sum` prints and the refusal shows"


def _reason_fault(text: str) -> str:
    return "" if text.strip() else "is blank; say why this may ship"
