"""Annotations on GitHub: workflow commands, which the runner of GitHub Actions takes from a step's output.

Their form and escapes are those of the runner's own toolkit (actions/toolkit, `command.ts`). GitHub shows at most
ten of a level for a step, so that what matters has to come first and notes only on request.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillpack.findings import visible
from skillpack.reports.text import in_checkout, in_order
from skillpack.rules import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from skillpack.findings import Finding

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def github(findings: Iterable[Finding], *, project: str = "", verbose: bool = False) -> str:
    """Return one workflow command a line: errors, then warnings and, with `verbose`, notes.

    `project` is the POSIX path of the project's directory from the root of the checkout.
    """
    shown = [finding for finding in in_order(findings) if verbose or finding.level is not Level.NOTE]
    shown.sort(key=lambda finding: -finding.level)
    return "".join(_annotation(finding, project) for finding in shown)


def _annotation(finding: Finding, project: str) -> str:
    properties: Mapping[str, str | int] = {
        "file": in_checkout(finding.path, project),
        "line": finding.line,
        "col": finding.column,
        "title": f"skillpack: {finding.code}",
    }
    written = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value)
    # The place and the code once more: the step's log shows the message alone.
    message = f"{finding.place()}: {finding.code}: {visible(finding.message)}"
    hint = f"\nhint: {finding.advice_text()}" if finding.hint else ""
    return f"::{_COMMANDS[finding.level]} {written}::{_data(message + hint)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


_CONTROL = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _property(text: str) -> str:
    # not all of what `visible` escapes: the rest may stand in the path of a file that GitHub is to find
    text = _CONTROL.sub(lambda match: visible(match[0]), text)
    return _data(text).replace(":", "%3A").replace(",", "%2C")
