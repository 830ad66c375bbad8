"""Findings as text for a person: what is shown, what is folded, how a run's tally reads.

The command line and the hatch hook print the same lines; only the command line adds colour, by `paint`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from skillpack.findings import Finding, visible, with_entries_once
from skillpack.rules import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Paint = Callable[[str, "Role"], str]
    """Colours a piece of text by the role that it has in a report."""

Role = Literal["error", "warning", "note", "code", "hint", "good"]

MAX_PLACES = 3
"""How many findings of one code below error are shown on their own, and how many places a folded one names."""


def plain(text: str, _role: Role) -> str:
    """Leave `text` as it is: the paint of logs, files and build front ends."""
    return text


def shown(findings: Iterable[Finding], *, verbose: bool = False) -> tuple[Finding, ...]:
    """Return the findings to show, in their order.

    With `verbose` all of them. Otherwise no notes, and more than `MAX_PLACES` warnings of one code become one,
    at the place of the first, whose message has the count and the first places.
    """
    if verbose:
        return tuple(findings)
    kept = []
    warnings: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.level is Level.ERROR:
            kept.append(finding)
        elif finding.level is Level.WARNING:
            warnings[finding.code].append(finding)
    for same in warnings.values():
        kept += [_folded(same)] if len(same) > MAX_PLACES else same
    return tuple(sorted(kept, key=Finding.sort_key))


def _folded(group: list[Finding]) -> Finding:
    first, *others = group
    named = ", ".join(finding.place() for finding in others[: MAX_PLACES - 1])
    rest = len(group) - MAX_PLACES
    return replace(
        first,
        message=f"{first.message} ({len(group)} of these: here, {named} and {rest} more; `skillpack check -v` lists all)",
    )


def lines(findings: Iterable[Finding], *, verbose: bool = False, paint: Paint = plain) -> Iterator[str]:
    """Return the text of what `shown` keeps, a finding with its hint a string, painted.

    Findings that one entry would allow print it once.
    """
    for finding in with_entries_once(shown(findings, verbose=verbose)):
        level, code = paint(finding.level.label, _ROLES[finding.level]), paint(finding.code, "code")
        text = f"{finding.place()}: {level}: {code}: {visible(finding.message)}"
        yield f"{text}\n  {paint('hint', 'hint')}: {finding.advice_text()}" if finding.hint else text


_ROLES: dict[Level, Role] = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "note"}


def count(number: int, noun: str) -> str:
    """Return `1 skill`, `2 skills`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def tally(findings: Iterable[Finding], *, verbose: bool = False) -> str:
    """Return `1 error, 2 warnings, 3 notes`, without what is 0, or the empty string.

    Notes that are not shown are followed by the way to see them.
    """
    numbers = Counter(finding.level for finding in findings)
    parts = [
        count(numbers[level], level.label)
        for level in (Level.ERROR, Level.WARNING, Level.NOTE)
        if numbers[level]
    ]
    if numbers[Level.NOTE] and not verbose:
        parts[-1] += " (`skillpack check -v` lists them)"
    return ", ".join(parts)
