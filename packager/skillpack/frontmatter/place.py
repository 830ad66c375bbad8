"""Places in a text: offsets, lines and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import yaml
    from yaml._yaml import Mark as CMark


def offset(mark: yaml.Mark | CMark | None) -> int:
    """Return a mark's offset in the text; only errors, and events that no parser made, lack a mark."""
    return mark.index if mark else 0


def position(text: str, index: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1; LF ends a line, columns are code points."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def rest_of_line(text: str, index: int) -> str:
    """Return what stands from `index` to the end of its line, without the line end."""
    end = text.find("\n", index)
    return text[index : len(text) if end < 0 else end].rstrip("\r")


def line_at(text: str, index: int) -> str:
    """Return the line around `index`, without the line end."""
    start = text.rfind("\n", 0, index) + 1
    return rest_of_line(text, start)
