"""Repair of text that is not YAML: the lines at fault, and the text with their values in quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.frontmatter.document import MAX_NODES, compose
from skillpack.frontmatter.place import line_at
from skillpack.frontmatter.quoting import FIELD_LINE, quoted_line
from skillpack.frontmatter.refusal import RefusedError

if TYPE_CHECKING:
    from skillpack.frontmatter.document import Loader


def broken_lines(text: str, loader: Loader) -> list[RefusedError]:
    """Return the fault of each top-level line `key: value` that is not YAML by itself, the last line first.

    A line with indented lines below it is left alone: what its value is, only its author knows.
    """
    candidates = []
    end = len(text)
    indented_below = False
    for line in reversed(text.split("\n")):
        start = end - len(line)
        if FIELD_LINE.fullmatch(line) and line[0] not in " \t-" and not indented_below:
            candidates.append((start, line.rstrip("\r")))
        if line.strip():
            indented_below = line[0] in " \t"
        end = start - 1
    if len(candidates) > MAX_NODES // 2:
        return []  # each line gives a key and a value: mended, they would still be beyond the limit
    broken = []
    for start, line in candidates:
        try:
            compose(line, loader)
        except RefusedError as error:
            if error.code == "yaml-invalid":
                error.index += start
                broken.append(error)
    return broken


def with_lines_quoted(text: str, faults_from_last: list[RefusedError]) -> str:
    """Return `text` with the value quoted on the line of each fault, of which the last in the text comes first."""
    for fault in faults_from_last:
        start = text.rfind("\n", 0, fault.index) + 1
        end = start + len(line_at(text, start))
        text = text[:start] + quoted_line(text, start) + text[end:]
    return text
