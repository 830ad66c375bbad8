"""The document: a frontmatter's text composed to nodes within the limits, by one of PyYAML's parsers.

PyYAML has two parsers. libyaml's is about ten times as fast, and the two disagree on tabs, flow collections,
tags, directives and some comments. So the pure parser is the measure: it decides on every text that holds one
of these (`_UNSETTLED`), and on every text that libyaml rejects, so that messages and places are its own too.
Running both and comparing was rejected: findings would depend on whether libyaml is installed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from skillpack.frontmatter.diagnosis import diagnosis
from skillpack.frontmatter.node import Mapping, Node, Scalar, Sequence
from skillpack.frontmatter.place import offset
from skillpack.frontmatter.quoting import quoted_line, with_line
from skillpack.frontmatter.reference import sorts_in
from skillpack.frontmatter.refusal import RefusedError

Loader: TypeAlias = "type[yaml.BaseLoader | yaml.CBaseLoader]"

FASTEST: Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""libyaml's parser where PyYAML was built with it."""

MAX_DEPTH = 8
MAX_NODES = 1_000

_FIELDS_HINT = "write one field a line: name: …, description: …"

# What YAML forbids as it stands, and the line breaks that are YAML 1.1's alone.
_FOREIGN = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_ALWAYS_UNSETTLED = "\t[{"
_MAYBE_UNSETTLED = ("!", "%", "---", "...", "#")
_UNSETTLED = re.compile(r"(?:^|\s)!|^%|^---|^\.\.\.|[|>][-+0-9]*#", re.MULTILINE)
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BEYOND_UNICODE = re.compile(r"\\U(?!0010|000)[0-9A-Fa-f]{8}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A frontmatter's text as nodes. `references` are the first place of each sort of thing that `yaml-alias` refuses."""

    text: str
    root: Mapping
    references: dict[str, int]


class _PureLoader(yaml.BaseLoader):
    """The pure parser, which stops at nested flow collections before it looks ahead over thousands of them."""

    def fetch_flow_collection_start(self, token_class: type[yaml.Token]) -> None:
        super().fetch_flow_collection_start(token_class)
        if self.flow_level > MAX_DEPTH:
            raise _too_deep(self.get_mark().index - 1)


def is_settled(text: str) -> bool:
    """Return whether the two parsers read `text` alike, if they read it at all."""
    if any(mark in text for mark in _ALWAYS_UNSETTLED):
        return False
    # most texts have nothing of what the rest begins with, which is told thirty times as fast as searched for
    return not any(mark in text for mark in _MAYBE_UNSETTLED) or not _UNSETTLED.search(text)


def compose(text: str, loader: Loader) -> Document:
    """Return the nodes of a frontmatter, or raise the one finding that stops its reading."""
    if foreign := _FOREIGN.search(text):
        index = foreign.start()
        message = f"U+{ord(text[index]):04X} cannot stand in YAML as it is"
        hint = with_line("delete it, or quote the value", quoted_line(text, index))
        raise RefusedError("yaml-invalid", index, message, hint)
    if loader is not yaml.BaseLoader and is_settled(text):
        try:
            return _build(text, loader)
        except yaml.YAMLError:
            pass  # the pure parser says what is wrong and where
    try:
        return _build(text, _PureLoader)
    except yaml.MarkedYAMLError as error:
        raise diagnosis(text, error) from None
    except (ValueError, OverflowError):  # from chr(), which the pure parser hands any number
        escape = _BEYOND_UNICODE.search(text)
        raise _bad_escape(escape.start() if escape else 0) from None


def _build(text: str, loader: Loader | type[_PureLoader]) -> Document:
    """Build nodes from the parser's events, counting, so that no more is parsed than the limits allow."""
    roots: list[Node] = []
    open_nodes: list[tuple[yaml.CollectionStartEvent, list[Node]]] = []
    references: dict[str, int] = {}
    count = 0
    for event in yaml.parse(text, Loader=loader):
        index = offset(event.start_mark)
        for sort in sorts_in(event):
            references.setdefault(sort, index)
        if isinstance(event, yaml.NodeEvent):
            count += 1
            if count > MAX_NODES:
                message = f"the frontmatter has more than {MAX_NODES} keys and values"
                raise RefusedError("yaml-limits", index, message, "move data into a file of the skill")
        siblings = open_nodes[-1][1] if open_nodes else roots
        match event:
            case yaml.CollectionStartEvent():
                if len(open_nodes) == MAX_DEPTH:
                    raise _too_deep(index)
                open_nodes.append((event, []))
            case yaml.CollectionEndEvent():
                start, children = open_nodes.pop()
                (open_nodes[-1][1] if open_nodes else roots).append(_collection(start, children))
            case yaml.ScalarEvent():
                if _LONE_SURROGATE.search(event.value):
                    raise _bad_escape(index)
                siblings.append(
                    Scalar(text=event.value, plain=not event.style, start=index, end=offset(event.end_mark))
                )
            case yaml.AliasEvent():
                siblings.append(Scalar(text="", plain=False, start=index, end=index))
    if not roots:
        raise RefusedError("yaml-invalid", 0, "the frontmatter is empty", _FIELDS_HINT)
    if not isinstance(roots[0], Mapping):
        kind = "a list" if isinstance(roots[0], Sequence) else "one text"
        message = f"the frontmatter is {kind}, not a mapping of fields"
        raise RefusedError("yaml-invalid", roots[0].start, message, _FIELDS_HINT)
    return Document(text=text, root=roots[0], references=references)


def _collection(start: yaml.CollectionStartEvent, children: list[Node]) -> Node:
    index = offset(start.start_mark)
    if isinstance(start, yaml.SequenceStartEvent):
        return Sequence(items=tuple(children), flow=bool(start.flow_style), start=index)
    items = []
    for key, value in zip(children[::2], children[1::2], strict=True):
        if not isinstance(key, Scalar):
            message = "a key is a list or a mapping, which JSON and most readers cannot hold"
            raise RefusedError("yaml-invalid", key.start, message, "write the key as text")
        items.append((key, value))
    return Mapping(items=tuple(items), flow=bool(start.flow_style), start=index)


def _too_deep(index: int) -> RefusedError:
    message = f"the frontmatter is nested deeper than {MAX_DEPTH} levels"
    return RefusedError(
        "yaml-limits", index, message, "write it flatter, or move it into a file of the skill"
    )


def _bad_escape(index: int) -> RefusedError:
    message = "a \\u or \\U escape that is no character"
    return RefusedError("yaml-invalid", index, message, "write the character itself, or its \\U escape")
