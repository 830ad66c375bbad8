"""The report in JSON of our own, for scripts.

    {
      "format": "skillpack-report",
      "version": 1,
      "summary": {"errors": 1, "warnings": 0, "notes": 0},
      "findings": [
        {
          "code": "name-format",
          "level": "error",
          "path": "skills/pdf/SKILL.md",
          "line": 2,
          "column": 7,
          "message": "…",
          "hint": "…"
        }
      ]
    }

Every key is always there. `level` is `error`, `warning` or `note`. `path` is the POSIX path as the configuration
writes the skills root. `line` and `column` count from 1, the column in code points; they are null where the
finding is about the file as a whole. `hint` is null where there is none; where an exception can be made, its further
lines are what to add to pyproject.toml. Findings are sorted by path, line and column. The text is ASCII. Keys may be
added; `version` changes when one is removed or changes its meaning.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from skillpack.reports.text import in_order, sound
from skillpack.rules import Level

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillpack.findings import Finding

FORMAT = "skillpack-report"
VERSION = 1


def record(findings: Iterable[Finding]) -> str:
    """Return the findings as JSON text of the form above, with a line feed at the end."""
    ordered = in_order(findings)
    numbers = Counter(finding.level for finding in ordered)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "summary": {f"{level.label}s": numbers[level] for level in (Level.ERROR, Level.WARNING, Level.NOTE)},
        "findings": [
            {
                "code": finding.code,
                "level": finding.level.label,
                "path": sound(finding.path),
                "line": finding.line or None,
                "column": finding.column or None,
                "message": sound(finding.message),
                "hint": sound(finding.advice) or None,
            }
            for finding in ordered
        ],
    }
    # ASCII, since the text may end on a terminal (bidirectional overrides) or in a console's code page
    return json.dumps(document, indent=2) + "\n"
