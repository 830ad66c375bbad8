"""Findings for the tests of reports."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from skillpack.findings import Finding
from skillpack.rules import RULES, Level

FEW_RULES = {code: RULES[code] for code in ("bom", "name-format", "symlink")}
"""Enough of the registry for generated findings; to write all of it each time would be slow."""

SHOWN_LEVELS = (Level.NOTE, Level.WARNING, Level.ERROR)


def finding(code: str = "name-format", **fields: Any) -> Finding:
    """A finding: an error in a SKILL.md unless the fields say otherwise."""
    given: dict[str, Any] = {
        "level": Level.ERROR,
        "path": "skills/pdf/SKILL.md",
        "message": "name has a hyphen at its start or end",
    }
    return Finding(code=code, **{**given, **fields})


texts = st.text(max_size=20) | st.text(alphabet="a{}[](),:%\r\n\t\ud800\udcff\u202e\x1b/.é ", max_size=20)
findings = st.lists(
    st.builds(
        Finding,
        code=st.sampled_from(sorted(FEW_RULES)),
        level=st.sampled_from(SHOWN_LEVELS),
        path=texts.filter(bool),
        message=texts,
        hint=texts,
        line=st.integers(0, 3),
        column=st.integers(0, 3),
    ),
    max_size=6,
)
