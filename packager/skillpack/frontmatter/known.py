"""What earlier runs have read: documents as values of JSON, which a cache can keep.

The pure parser, which many frontmatters need, takes a millisecond or more for one of them; this takes some
microseconds. What libyaml reads is not worth keeping.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from skillpack.frontmatter.document import Document, is_settled
from skillpack.frontmatter.node import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import MutableMapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The place of one file's document among those of a cache; `key` is what the file is known by there."""

    documents: MutableMapping[str, Any]
    key: str

    def recall(self, text: str) -> Document | None:
        """Return the document of `text`, the frontmatter of the file, if it is known."""
        found = self.documents.get(self.key)
        # The same file is read to another text at another level.
        if found is None or found[:2] != [yaml.__version__, text]:
            return None
        _, _, root, references = found
        return Document(text=text, root=_mapping(*root), references=references)

    def note(self, document: Document) -> None:
        """Keep a document if that pays."""
        if not is_settled(document.text):
            self.documents[self.key] = [
                yaml.__version__,
                document.text,
                _value(document.root),
                document.references,
            ]


def _value(node: Node) -> list[Any]:
    if isinstance(node, Scalar):
        return [node.text, node.plain, node.start, node.end]
    if isinstance(node, Sequence):
        return [[_value(item) for item in node.items], node.flow, node.start]
    keys, values = ([_value(pair[side]) for pair in node.items] for side in (0, 1))
    return [keys, values, node.flow, node.start]


def _node(value: list[Any]) -> Node:
    match value:
        case [list(keys), list(values), flow, start]:
            return _mapping(keys, values, flow, start)
        case [list(items), flow, start]:
            return Sequence(items=tuple(map(_node, items)), flow=flow, start=start)
    return _scalar(value)


def _mapping(keys: list[Any], values: list[Any], flow: Any, start: Any) -> Mapping:
    return Mapping(
        items=tuple(zip(map(_scalar, keys), map(_node, values), strict=True)), flow=flow, start=start
    )


def _scalar(value: list[Any]) -> Scalar:
    text, plain, start, end = value
    return Scalar(text=text, plain=plain, start=start, end=end)
