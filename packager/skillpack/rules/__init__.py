"""The registry of finding codes: what each means, which levels it has, why, and what to do.

The tables are those of the design pages "Reading SKILL.md" and "Screening". The registry is data: a check
names a code, and what there is to say about it is looked up here, by `skillpack explain`, the reports and the
README. Python and not a text format: it is compiled once, checked by the linters and the type checker, and read
without touching a file.

`rule` is what an entry is made of; the other modules hold the entries, a family of codes each.
"""

from __future__ import annotations

from itertools import chain

from skillpack.rules.artifacts import ARTIFACTS
from skillpack.rules.collection import COLLECTION
from skillpack.rules.contents import CONTENTS
from skillpack.rules.exclusion import EXCLUSION
from skillpack.rules.fields import FIELDS
from skillpack.rules.limits import LIMITS
from skillpack.rules.names import NAMES
from skillpack.rules.output import OUTPUT
from skillpack.rules.project import PROJECT
from skillpack.rules.reading import READING
from skillpack.rules.rule import LEVELS, SETTINGS, Example, Level, Levels, Rule, Setting
from skillpack.rules.secrets import SECRETS
from skillpack.rules.skill_md import SKILL_MD

__all__ = [
    "ALLOWABLE",
    "LEVELS",
    "RULES",
    "SETTINGS",
    "Example",
    "Level",
    "Levels",
    "Rule",
    "Setting",
    "rules_table",
]

RULES: dict[str, Rule] = {
    rule.code: rule
    for rule in chain(
        PROJECT,
        SKILL_MD,
        FIELDS,
        READING,
        COLLECTION,
        EXCLUSION,
        LIMITS,
        NAMES,
        SECRETS,
        CONTENTS,
        OUTPUT,
        ARTIFACTS,
    )
}
"""Every code by its name."""

ALLOWABLE = ("secret-name", "secret-dir", "secret-content", "invisible-text")
"""The codes about contents, which an `allow` entry bound to these can let pass."""


def rules_table() -> str:
    """Return every code with its levels and title as a Markdown table, for the README."""
    rows = [
        f"| `{rule.code}`{'*' if rule.pinned else ''} | {rule.title} | "
        + " | ".join(level.label for level in rule.levels)
        + " |"
        for rule in RULES.values()
    ]
    return "\n".join(["| code | about | lenient | default | strict |", "|---|---|---|---|---|", *rows])
