"""Notes on a text: findings with the places that they have in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillpack.frontmatter.place import position

if TYPE_CHECKING:
    from skillpack.findings import Report
    from skillpack.frontmatter.refusal import RefusedError
    from skillpack.rules import Level, Levels


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """Where findings on one file go.

    `text` is the frontmatter between the fences, empty until it is found; it begins on line 2 of the file. `secrets`
    are the offsets in it of the keys and values that hold a secret.
    """

    place: str
    report: Report
    text: str = ""
    secrets: frozenset[int] = frozenset()

    def at(self, index: int) -> tuple[int, int]:
        """Return line and column in the file of an offset in the text."""
        line, column = position(self.text, index)
        return line + 1, column

    def add(
        self, code: str, index: int, message: str, *, hint: str = "", levels: Levels | None = None
    ) -> Level:
        """Report a finding at an offset in the text."""
        line, column = self.at(index)
        return self.report.add(code, self.place, message, hint=hint, line=line, column=column, levels=levels)

    def add_line(
        self,
        line: int,
        code: str,
        message: str,
        *,
        hint: str = "",
        column: int = 1,
        levels: Levels | None = None,
    ) -> Level:
        """Report a finding at a line of the file."""
        return self.report.add(code, self.place, message, hint=hint, line=line, column=column, levels=levels)

    def refuse(self, error: RefusedError, *, levels: Levels | None = None) -> Level:
        """Report the finding that stopped the reading."""
        return self.add(error.code, error.index, error.message, hint=error.hint, levels=levels)
