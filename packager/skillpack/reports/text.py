"""What reports do alike: an order, text that every reader takes, paths as services for code want them."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from skillpack.findings import with_entries_once
from skillpack.secrets.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillpack.findings import Finding

ABSOLUTE = re.compile(r"/|[A-Za-z]:/")
"""How an absolute path begins, on Windows too."""


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings by place; those that only their level or hint tells apart are in an order too.

    Findings that one entry would allow have it once.
    """
    in_place = sorted(findings, key=lambda finding: (finding.sort_key(), finding.level, finding.hint))
    return list(with_entries_once(in_place))


def sound(text: str) -> str:
    """Write lone surrogates as escapes: Python would pass them on, other readers would refuse the whole report."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def in_checkout(path: str, project: str) -> str:
    """Return a finding's path as a POSIX path from the root of the checkout.

    `project` is the POSIX path of the project's directory from there, empty where they are one. An absolute path
    stays absolute; one that leads out of the checkout still begins with `..`.
    """
    if ABSOLUTE.match(path):
        return sound(path)
    # The dots that are resolved here are those of a root like ../shared/skills: they stand at its beginning and
    # climb from the project's real directory, so that no link can make them mean something else.
    return sound(redacted(posixpath.normpath(posixpath.join(project, path))))
