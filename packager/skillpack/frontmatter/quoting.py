"""Quoting for hints: YAML scalars in quotes, and the whole lines to paste."""

from __future__ import annotations

import re

from skillpack.frontmatter.place import line_at

# Not \S: it leaves out blanks that are text to YAML. The value begins with no blank, so that a line of many blanks
# can be divided in one way only.
FIELD_LINE = re.compile(
    r"(?P<lead>[ \t]*(?:- +)*[\w.-]+[ \t]*:[ \t]+|[ \t]*(?:- +)+)"
    r"(?P<value>[^ \t\r](?:.*[^ \t\r])?)[ \t\r]*"
)

_MAX_HINT_CHARS = 1_200
"""A line to paste holds a description of the greatest length; a longer one is not worth printing."""


def with_line(what: str, line: str) -> str:
    """Return an instruction with the line to paste behind it, where there is one that is worth printing."""
    return f"{what}: {line}" if line and len(line) <= _MAX_HINT_CHARS else what


def quoted(text: str) -> str:
    """Return `text` as a quoted YAML scalar on one line, which every reader takes for the same text."""
    if not text.isprintable() or ("\\" in text and "'" in text and '"' in text):
        return '"' + "".join(_escaped(char) for char in text) + '"'
    if "\\" in text or '"' in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def _escaped(char: str) -> str:
    if char in '\\"':
        return f"\\{char}"
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def quoted_line(text: str, index: int) -> str:
    """Return the line around `index` with its value in quotes, or nothing when it is no `key: value`."""
    match = FIELD_LINE.fullmatch(line_at(text, index))
    return match["lead"].replace(":\t", ": ").replace("\t", "  ") + quoted(match["value"]) if match else ""
