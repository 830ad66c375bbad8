"""References: aliases, anchors, tags and the other marks of YAML that `yaml-alias` refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from skillpack.fields import excerpt
from skillpack.frontmatter.quoting import quoted_line, with_line

if TYPE_CHECKING:
    from collections.abc import Iterator

REFERENCES = {
    "alias": ("'*' at the start of a value is a YAML alias", "write out what it stands for"),
    "anchor": ("'&' at the start of a value is a YAML anchor", "delete"),
    "directive": ("a line that begins with % is a YAML directive", "delete the line"),
    "document": ("'---' and '...' at the start of a line separate YAML documents", "delete the line"),
    "merge": ("'<<' is YAML's merge key", "write out what it stands for"),
    "tag": ("'!' at the start of a value is a YAML tag", "delete"),
}
"""What `yaml-alias` refuses: message and hint; where text stands behind the mark, quoting is the better hint.

The hints for the marks of `_MARKS` go on with the mark.
"""

_MARKS = {"anchor": re.compile(r"&[\w-]*"), "tag": re.compile(r"![^\s,\[\]{}]*")}
_REFERENCE_IN_TEXT = re.compile(r"\*\S*\s*$|[&!]\S*[ \t]+[^\s|>\[{]", re.MULTILINE)


def sorts_in(event: yaml.Event) -> Iterator[str]:
    """Yield the sorts of thing in an event that `yaml-alias` refuses."""
    match event:
        case yaml.DocumentStartEvent():
            if event.explicit:
                yield "document"
            if event.version or event.tags:
                yield "directive"
        case yaml.DocumentEndEvent(explicit=True):
            yield "document"
        case yaml.AliasEvent():
            yield "alias"
        case yaml.ScalarEvent() | yaml.CollectionStartEvent():
            if event.anchor:
                yield "anchor"
            if event.tag:
                yield "tag"
            if isinstance(event, yaml.ScalarEvent) and event.value == "<<" and not event.style:
                yield "merge"


def message_and_hint(sort: str, text: str, index: int) -> tuple[str, str]:
    """Return what to say about a reference of `sort` whose offset in `text` is `index`."""
    message, hint = REFERENCES[sort]
    if sort in _MARKS and (mark := _MARKS[sort].search(text, index)):
        hint = f"{hint} {excerpt(mark[0])}"
    line = quoted_line(text, index) if _REFERENCE_IN_TEXT.match(text, index) else ""
    return message, with_line("quote the value", line) if line else hint
