"""What a person is told of one finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack import reporting

if TYPE_CHECKING:
    from skillpack.findings import Finding


def told(finding: Finding) -> str:
    """Return the lines of a finding with its advice, without colours."""
    return "\n".join(reporting.lines([finding], verbose=True))
