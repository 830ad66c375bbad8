"""Patterns: those of gitignore on paths, and those of a shell on names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillpack.config.table import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillpack.config.table import Faults, Place


def read_patterns(items: Iterable[tuple[Place, str]], faults: Faults) -> tuple[str, ...]:
    """Return the gitignore patterns that are patterns; one that can match nothing is a fault, not a silence."""
    patterns = []
    for place, text in items:
        if text.removeprefix("!").startswith("./"):
            faults.append((place, 'begins with "./", which matches nothing; write it without'))
        elif not _is_pattern(text):
            faults.append((place, f"{quoted(text)} is no gitignore pattern"))
        else:
            patterns.append(text)
    return tuple(patterns)


def read_names(items: Iterable[tuple[Place, str]], faults: Faults) -> tuple[str, ...]:
    """Return the shell patterns on names that are patterns; no name has a bracket, which one that is not closed means."""
    patterns = []
    for place, text in items:
        if text == "!" or re.search(r"\[(?!!?+.[^\]]*\])", text):
            faults.append((place, f"{quoted(text)} is no shell pattern"))
        else:
            patterns.append(text)
    return tuple(patterns)


def _is_pattern(text: str) -> bool:
    from pathspec import GitIgnoreSpec  # a tenth of the start of a run, which most projects do without

    try:
        compiled = GitIgnoreSpec.from_lines([text])
    except (ValueError, re.error):  # pathspec's own error is a ValueError; a range like [z-a] reaches re
        return False
    return any(pattern.include is not None for pattern in compiled.patterns)
