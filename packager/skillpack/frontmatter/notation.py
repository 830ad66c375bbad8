"""Notation of a document: what is YAML, and is not read alike everywhere or is not what its author meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillpack.fields import FIELDS, excerpt
from skillpack.frontmatter.node import Mapping, Scalar, Sequence, scalars
from skillpack.frontmatter.place import rest_of_line
from skillpack.frontmatter.quoting import quoted, with_line
from skillpack.frontmatter.reference import message_and_hint
from skillpack.frontmatter.values import reading_of, unreadable
from skillpack.rules import Level

if TYPE_CHECKING:
    from skillpack.frontmatter.document import Document
    from skillpack.frontmatter.node import Node
    from skillpack.frontmatter.notes import Notes
    from skillpack.rules import Levels

_DATE_LEVELS: Levels = (Level.NOTE, Level.WARNING, Level.ERROR)
_KEY_COMMENT_LEVELS: Levels = (Level.NOTE, Level.NOTE, Level.ERROR)

_COMMENT = re.compile(r"[ \t]+#")
_KEY_COMMENT = re.compile(r":[ \t]+#")
_HEADER = re.compile(r"[|>][-+0-9]*")
_HEADER_COMMENT = re.compile(r"[|>][-+0-9]*[ \t]+#")


def check(notes: Notes, document: Document) -> None:
    """Report what `yaml-alias` refuses, comments, ambiguous scalars, flow collections and keys that stand twice."""
    for sort, index in document.references.items():
        message, hint = message_and_hint(sort, notes.text, index)
        notes.add("yaml-alias", index, message, hint=hint)
    for key, value in document.root.items:
        if key.text in FIELDS:
            _check_key_comments(notes, key, value)
            _check_comments(notes, value)
            _check_readings(notes, key.text, value)
    _check_shape(notes, document.root)


def strip_hint(notes: Notes, scalar: Scalar) -> str:
    """Return the hint for white space around a block of text, or nothing where its header cannot strip it."""
    header = _HEADER.match(notes.text, scalar.start)
    if header is None or scalar.text.rstrip("\n") != scalar.text.strip():
        return ""
    stripping = header[0].replace("+", "") + "-"
    line = _line_before(notes, scalar) + stripping + rest_of_line(notes.text, header.end())
    return with_line(f"write {stripping} in place of {header[0]}", line)


def _check_shape(notes: Notes, node: Node, *, in_flow: bool = False) -> None:
    """Report flow collections (the outermost only), keys that stand twice, and numbers beyond all hosts."""
    if isinstance(node, Scalar):
        if problem := unreadable(node):
            notes.add("yaml-limits", node.start, problem, hint="quote it, as text")
        return
    if node.flow and not in_flow:
        shape, line = ("[…]", "`- item`") if isinstance(node, Sequence) else ("{…}", "`key: value`")
        message = f"a flow collection, {shape}, which some readers refuse"
        notes.add("yaml-flow", node.start, message, hint=f"write one indented line {line} for each entry")
    inside = in_flow or node.flow
    if isinstance(node, Sequence):
        for item in node.items:
            _check_shape(notes, item, in_flow=inside)
        return
    first: dict[str, int] = {}
    for key, value in node.items:
        if key.text in first:
            line_number, _ = notes.at(first[key.text])
            message = f"the key {excerpt(key.text)} stands twice in one mapping: it is on line {line_number} already"
            notes.add("yaml-duplicate-key", key.start, message, hint="delete one of the two")
        first.setdefault(key.text, key.start)
        _check_shape(notes, key, in_flow=inside)
        _check_shape(notes, value, in_flow=inside)


def _check_key_comments(notes: Notes, key: Scalar, value: Node) -> None:
    """Report comments between a key and its value that the reference validator may fail on.

    Whether it does depends on how the value is quoted and on the lines around it, which is more than an
    author should have to know.
    """
    if isinstance(value, Mapping):
        for inner in value.items:
            _check_key_comments(notes, *inner)
        return
    comment = _KEY_COMMENT.search(notes.text, key.end, value.start)
    if comment is None and "\n" in notes.text[key.end : value.start]:
        comment = _HEADER_COMMENT.match(notes.text, value.start)
    if comment:
        message = "a comment between a key and its value, which the reference validator may fail on"
        hint = "move the comment to a line of its own above the key"
        notes.add("yaml-comment", comment.end() - 1, message, hint=hint, levels=_KEY_COMMENT_LEVELS)


def _check_comments(notes: Notes, value: Node) -> None:
    for scalar in scalars(value):
        if scalar.plain and (comment := _COMMENT.match(notes.text, scalar.end)):
            message = "everything from the # on is a comment and no part of the value"
            index = comment.end() - 1
            whole = f"{scalar.text} {rest_of_line(notes.text, index)}".strip()
            line = _line_before(notes, scalar) + quoted(whole)
            hint = with_line("move the comment to a line of its own, or quote the value", line)
            notes.add("yaml-comment", index, message, hint=hint)


def _check_readings(notes: Notes, key: str, value: Node) -> None:
    """Report plain scalars that hosts read as something else than text."""
    in_text = key in {"name", "description"}
    for scalar in scalars(value, keys=True):
        # An empty field of its own is blank, which the field's rules report.
        reading = reading_of(scalar) if scalar.text or (key == "metadata" and scalar is not value) else ""
        if reading:
            line = _line_before(notes, scalar) + quoted(scalar.text) + rest_of_line(notes.text, scalar.end)
            notes.add(
                "ambiguous-text" if in_text else "ambiguous-scalar",
                scalar.start,
                f"some hosts read this value of {key} as {reading}, not as text",
                hint=with_line("quote it", line),
                levels=_DATE_LEVELS if reading == "a date" and not in_text else None,
            )


def _line_before(notes: Notes, scalar: Scalar) -> str:
    """Return the line up to a scalar; an empty one stands right behind its indicator."""
    before = notes.text[notes.text.rfind("\n", 0, scalar.start) + 1 : scalar.start]
    return before + " " * before.endswith((":", "-"))
