"""The report in SARIF 2.1.0, for code scanning and editors (OASIS standard, with errata 01).

All rules of the registry are described in every report, so that a rule has the same index everywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from skillpack.reports.text import ABSOLUTE, in_checkout, in_order, sound
from skillpack.rules import RULES, SETTINGS, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from skillpack.findings import Finding
    from skillpack.rules import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

BASE = "%SRCROOT%"
"""The name of the checkout's root, which the reader of a report resolves."""

FINGERPRINT = "skillpackFinding/v1"
"""Our own key: GitHub fills in `primaryLocationLineHash` from the file itself, unless a report already has one."""

_LEVELS = {Level.OFF: "none", Level.NOTE: "note", Level.WARNING: "warning", Level.ERROR: "error"}


def sarif(
    findings: Iterable[Finding], *, version: str, project: str = "", rules: Mapping[str, Rule] = RULES
) -> str:
    """Return the findings as a SARIF log in JSON text, with a line feed at the end.

    `version` is that of skillpack. `project` is the POSIX path of the project's directory from the root of the
    checkout, to which all locations are relative. Every finding's code is one of `rules`.
    """
    indexes = {code: index for index, code in enumerate(rules)}
    alike: Counter[tuple[str, str, str]] = Counter()
    results = []
    for finding in in_order(findings):
        path = in_checkout(finding.path, project)
        # Figures come and go with the text around (a length, another line); the fault is still the same.
        identity = (finding.code, path, re.sub(r"[0-9]+", "#", finding.message))
        alike[identity] += 1
        results.append(
            {
                "ruleId": finding.code,
                "ruleIndex": indexes[finding.code],
                "level": _LEVELS[finding.level],
                "message": _message(
                    f"{finding.message}\nHint: {finding.advice}" if finding.hint else finding.message
                ),
                "locations": [{"physicalLocation": _location(finding, path)}],
                "partialFingerprints": {FINGERPRINT: _fingerprint(*identity, str(alike[identity]))},
            }
        )
    driver = {"name": "skillpack", "version": version, "rules": [_rule(rule) for rule in rules.values()]}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {BASE: {"description": _message("the root of the checkout")}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    default = rule.levels[SETTINGS.index("default")]
    lenient, usual, strict = (level.label for level in rule.levels)
    levels = f"{lenient} with --lenient, {usual} by default, {strict} with --strict"
    way_out = (
        "The level cannot be lowered: mend the file, or leave it out."
        if rule.pinned
        else f"Set another level with --rule {rule.code}=LEVEL or under [tool.skillpack.rules]."
    )
    return {
        "id": rule.code,
        "shortDescription": _message(rule.title),
        "fullDescription": _message(f"{rule.title}: {levels}"),
        "help": _message(f"Run skillpack explain {rule.code} for the reason and the way out. {way_out}"),
        "defaultConfiguration": {"level": _LEVELS[default]},
    }


def _message(text: str) -> dict[str, str]:
    """Return a message that a reader shows as it is: no placeholder (section 3.11.5), no link (3.11.6)."""
    return {"text": sound(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")}


def _location(finding: Finding, path: str) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": _artifact(path)}
    region = {"startLine": finding.line, "startColumn": finding.column}
    if finding.line:
        location["region"] = {key: number for key, number in region.items() if number}
    return location


def _artifact(path: str) -> dict[str, str]:
    if ABSOLUTE.match(path):
        return {"uri": f"file:///{quote(path.lstrip('/'), safe='/:')}"}
    # a colon in the first segment would make that a scheme; quote() escapes all of them
    return {"uri": quote(path), "uriBaseId": BASE}


def _fingerprint(*parts: str) -> str:
    return hashlib.sha256("\0".join(map(sound, parts)).encode("utf-8")).hexdigest()
