"""Secrets that only a reader of YAML sees: behind an escape or a folded line, in the text that goes into the module.

The contents of the file as they are have been searched with all others; what was found there is not reported again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillpack.frontmatter.node import Mapping, Scalar
from skillpack.runtime.digest import sha256_hex
from skillpack.secrets.detection import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.frontmatter.node import Node
    from skillpack.frontmatter.notes import Notes


def report_secrets(notes: Notes, root: Node, data: bytes) -> frozenset[int]:
    """Report the secrets in decoded keys and values; return the offsets of the scalars that hold one, new or not.

    `data` is the content of the file, to which an entry that allows such a finding is bound.
    """
    holders: set[int] = set()
    in_file = None
    for key, value in _pairs(root):
        # with its key, since a format may be told by that: `aws_secret_access_key: …`
        before = f"{key.text}: " if key else ""
        begin = len(before.encode("utf-8"))
        for match in scan(f"{before}{value.text if value else ''}".encode()):
            holder = key if key and match.offset < begin else value
            holders.update(scalar.start for scalar in (holder,) if scalar)
            notes.report.conceal(notes.place, match.body)
            if in_file is None:
                in_file = {(found.rule.name, found.body) for found in scan(data)}
            if holder and (match.rule.name, match.body) not in in_file:
                remark = f"; {match.remark}" if match.remark else ""
                line, column = notes.at(holder.start)
                notes.report.add(
                    "secret-like" if match.rule.like else "secret-content",
                    notes.place,
                    f"{match.told}, as YAML reads it{remark}",
                    hint="revoke it where it was issued and take it out of the value",
                    line=line,
                    column=column,
                    sha256=sha256_hex(data),
                )
    return frozenset(holders)


def _pairs(node: Node) -> Iterator[tuple[Scalar | None, Scalar | None]]:
    """Yield each scalar below a node with its key: what has none is the item of a list, or the key of no scalar."""
    if isinstance(node, Scalar):
        yield None, node
    elif isinstance(node, Mapping):
        for key, value in node.items:
            if isinstance(value, Scalar):
                yield key, value
            else:
                yield key, None
                yield from _pairs(value)
    else:
        for item in node.items:
            yield from _pairs(item)


_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U000([0-9A-Fa-f]{5})|\r?\n[ \t]*)")


def conceal_escaped(notes: Notes) -> None:
    """Keep secrets behind escapes out of what is told of a text that is no YAML, or is repaired: its lines are quoted."""
    if "\\" not in notes.text:
        return
    text = _ESCAPE.sub(_character, notes.text)
    for match in scan(text.encode("utf-8", "surrogatepass")):
        notes.report.conceal(notes.place, match.body)


def _character(escape: re.Match[str]) -> str:
    code = next(filter(None, escape.groups()), "")
    return chr(int(code, 16)) if code else ""
