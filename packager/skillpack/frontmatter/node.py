"""Nodes of a frontmatter: scalars, sequences and mappings, with their offsets in the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One text. `start` and `end` are offsets, here and below; `plain` means unquoted and not a block."""

    text: str
    plain: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A list; `flow` means written in brackets."""

    items: tuple[Node, ...]
    flow: bool
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """Keys and values in the order of the text, a key that stands twice too; `flow` means written in braces."""

    items: tuple[tuple[Scalar, Node], ...]
    flow: bool
    start: int


Node = Scalar | Sequence | Mapping


def scalars(node: Node, *, keys: bool = False) -> Iterator[Scalar]:
    """Yield the scalars below a node, those of mapping keys only if `keys`."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from scalars(item, keys=keys)
    else:
        for key, value in node.items:
            if keys:
                yield key
            yield from scalars(value, keys=keys)
