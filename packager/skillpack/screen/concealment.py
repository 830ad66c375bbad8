"""Text that hides: what a model reads and a reader of the page does not see.

The rules are those of the design page "Screening", "Text that hides".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillpack.invisible import hidden, name_of
from skillpack.rules import Level, Levels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.findings import Report

_NOTE: Levels = (Level.NOTE, Level.NOTE, Level.NOTE)

_CONTROL_BYTES = bytes(range(0x20)).translate(None, b"\t\n\r") + b"\x7f"


def _is_plain(data: bytes) -> bool:
    """Return whether there are only ASCII characters that can be seen; that is told ten times as fast as searched for."""
    return data.isascii() and len(data.translate(None, _CONTROL_BYTES)) == len(data)


def _text(data: bytes) -> str | None:
    """Return `data` as text, None for what is none: text is strict UTF-8 without NUL."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _position(text: str, at: int) -> tuple[int, int]:
    """Return line and column, counting from 1, of the character at `at`."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


_FRONTMATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*\r?(?:\n|\Z)")


def screen_instructions(place: str, data: bytes, sha256: str, report: Report) -> None:
    """Screen the body of a SKILL.md with these bytes; its frontmatter and its encoding are another stage's."""
    text = _text(data)
    if text is None:
        return
    frontmatter = _FRONTMATTER.match(text)
    start = frontmatter.end() if frontmatter else len(text) - len(text.removeprefix("\ufeff"))
    first_line = text.count("\n", 0, start) + 1
    line, counted = first_line, start
    found: dict[tuple[int, bool], list[re.Match[str]]] = {}
    for match in () if _is_plain(data) else hidden(text, start):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        found.setdefault((line, match.lastindex == 1), []).append(match)
    for (line, hides), matches in found.items():
        first = matches[0]
        more = f", and {len(matches) - 1:,} more on this line" if len(matches) > 1 else ""
        report.add(
            "invisible-text" if hides else "invisible-characters",
            place,
            f"{name_of(first[0])} cannot be seen by a reader{more}",
            hint="delete it: a model reads what a reviewer cannot see",
            line=line,
            column=first.start() - text.rfind("\n", 0, first.start()),
            sha256=sha256,
        )
    for line, column in _comments(text[start:]):
        report.add(
            "html-comment",
            place,
            "an HTML comment: a model reads it, a rendered page does not show it",
            hint="delete it, or write it as text",
            line=first_line + line,
            column=column + 1,
        )


_FENCE = re.compile(r"[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*(`{3,}+(?!.*`)|~{3,})")
_BACKTICKS = re.compile("`+")


def _comments(body: str) -> Iterator[tuple[int, int]]:
    """Yield line and column, counting from 0, of each HTML comment outside fenced code and code spans."""
    fence = ""
    in_comment = False
    for number, line in enumerate(body.split("\n") if "<!--" in body else ()):
        if in_comment:
            in_comment = "-->" not in line
        elif fence:
            mark = line.strip(" \t\r>")
            if mark.startswith(fence) and not mark.strip(fence[0]):
                fence = ""
        elif match := _FENCE.match(line):
            fence = match[1]
        elif "<!--" in line:
            shown = _without_code_spans(line)
            column = shown.find("<!--")
            if column >= 0:
                yield number, column
                in_comment = "-->" not in shown[column:]


def _without_code_spans(line: str) -> str:
    """Return `line` with blanks for what stands between two runs of equally many backticks (CommonMark, 6.1).

    A regular expression would look through the rest of the line for each run that has no second one.
    """
    runs = [run.span() for run in _BACKTICKS.finditer(line)]
    last = {end - start: start for start, end in runs}
    parts: list[str] = []
    kept = opened = length = 0
    for start, end in runs:
        if not length:
            if last[end - start] > start:
                opened, length = start, end - start
        elif end - start == length:
            parts += [line[kept:opened], " " * (end - opened)]
            kept, length = end, 0
    return "".join((*parts, line[kept:]))


class OtherTexts:
    """Collects what cannot be seen in the other texts of a skill: one warning and one note a skill."""

    def __init__(self) -> None:
        self._found: dict[bool, list[tuple[str, str, int, int]]] = {False: [], True: []}

    def look(self, place: str, data: bytes) -> bool:
        """Look at the file at `place`, whose content is `data`; return whether there is anything to report."""
        if _is_plain(data):
            return False
        text = _text(data)
        if text is None:
            return False
        first: dict[bool, re.Match[str]] = {}
        for match in hidden(text, 1 if text.startswith("\ufeff") else 0):
            first.setdefault(match.lastindex == 3, match)
        for is_control, match in first.items():
            self._found[is_control].append((place, match[0], *_position(text, match.start())))
        return bool(first)

    def report(self, report: Report) -> None:
        """Report the first place of each kind."""
        for is_control, found in self._found.items():
            if found:
                place, char, line, column = found[0]
                more = f", and so in {len(found) - 1:,} more files of the skill" if len(found) > 1 else ""
                report.add(
                    "invisible-characters",
                    place,
                    f"{name_of(char)} cannot be seen by a reader{more}",
                    hint="delete it, or write it as an escape",
                    line=line,
                    column=column,
                    levels=_NOTE if is_control else None,
                )
