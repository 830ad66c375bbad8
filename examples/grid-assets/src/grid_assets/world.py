"""What is on this grid: assets, a workspace, operations. All of it is data that somebody else could have put there."""

from __future__ import annotations

from typing import Any

from grid_assets.skills import bundle
from grid_assets.venue import Venue

CLEANING: dict[str, Any] = {
    "name": "csv-cleaning",
    "description": "Clean a CSV file before it is analysed. Use when rows look wrong.",
    "skill": {
        "tools": ["v/ops/file/read", "v/ops/table/profile"],
        "context": [{"ref": "w/docs/csv-rules", "label": "House rules for CSV"}],
        "budget": 1200,
    },
}
CLEANING_BODY = """# Clean a CSV file

1. Read the file with `v/ops/file/read`. Profile it with `v/ops/table/profile` where you have that.
2. Name each fault with a row number: blank ids, two date orders, totals among the rows.
3. Say what you would change, and wait for a yes.
"""

CODE_REVIEW_BODY = """---
name: code-review
description: "Review code: faults first, style last. Use when a change is handed over."
license: MIT
---

# Review

1. Read the tests before the code; what they do not hold is the first finding.
2. A finding has a line, a case in which it goes wrong, and a way out.
"""

HOUSE_STYLE_BODY = "# House style\n\n" + "".join(
    f"{number}. {rule}\n"
    for number, rule in enumerate(
        ["Write for the reader who has two minutes.", "One thought, one sentence.", "Numbers have units."]
        * 20,
        1,
    )
)

REPORT_BUG: dict[str, Any] = {
    "name": "report-bug",
    "description": "File a well-formed bug report in the tracker.",
    "operation": {"adapter": "v/ops/mcp/call", "remoteToolName": "create_issue"},
    "skill": {},
}
REPORT_BUG_BODY = """# Report a bug

Give a title that says what fails and for whom. Call `report-bug` with it, once.
"""

SOURCES = ["w/skills", "v/skills", "w/later", "w/other-skills"]


def venue() -> Venue:
    """Return the venue as it is before anything happens."""
    place = Venue(
        {
            "v/ops/file/list": lambda: "w/orders.csv",
            "v/ops/file/read": lambda path: f"{path}: id,date,total\n7,03/04/2026,12\n,2026-04-05,9",
            "v/ops/ledger/post": lambda entry: f"posted {entry}",
            "v/ops/mcp/call": lambda operation, title: f"{operation['remoteToolName']}: filed #212, {title}",
        }
    )
    place.values |= {
        "v/skills": bundle,  # what came in the wheel
        "w/skills": {
            # an address, followed one step
            "cleaning": place.put(CLEANING, CLEANING_BODY),
            # a Markdown skill: name and description are in its frontmatter
            "code-review": place.put({"skill": {}}, CODE_REVIEW_BODY),
            # metadata in place, content in the metadata; v/skills has one of this name as well
            "grid": {
                "description": "Find your way on this team's part of the Grid. Use when an address is unclear.",
                "content": {
                    "contentType": "text/markdown",
                    "inline": "# Addresses\n\nOurs are below `w/`; ask before you write there.\n",
                },
            },
            # a toolset: no content
            "ledger": {
                "description": "Post to the ledger.",
                "skill": {"tools": ["v/ops/ledger/post"]},
            },
            "house-style": place.put({"description": "How we write. Use for any text."}, HOUSE_STYLE_BODY),
            "broken-skill": {"name": "broken-skill", "skill": {}},
            "odd": 42,
            "drifted": {
                "description": "Its content was changed.",
                "content": {"contentType": "text/markdown", "path": "drive/drifted.md", "sha256": "0" * 64},
            },
        },
        "w/other-skills": TimeoutError("timeout"),
        "w/docs/csv-rules": "Decimal comma, ISO dates, no totals.",
    }
    place.files["drive/drifted.md"] = b"# Changed\n"
    return place
