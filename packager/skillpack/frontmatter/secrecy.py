"""Secrets that only a reader of YAML sees: behind an escape or a folded line, in the text that goes into the module.

The contents of the file as they are have been searched with all others; what was found there is not reported again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillpack.frontmatter.node import Mapping, Scalar
from skillpack.secrets.detection import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.frontmatter.node import Node
    from skillpack.frontmatter.notes import Notes


def holds_none(text: str, root: Node) -> bool:
    """Return whether no secret is in the text of a frontmatter, as it stands or as YAML reads it, in one scan."""
    together = "\n".join((text, *(_line(key, value) for key, value in _pairs(root))))
    # of a text with NUL the scan takes parts for UTF-16: each value has to be looked at by itself
    return "\0" not in together and not any(scan(together.encode()))


def report_secrets(notes: Notes, root: Node, data: bytes, sha256: str) -> frozenset[int]:
    """Report the secrets in decoded keys and values; return the offsets of the scalars that hold one, new or not.

    `data` is the content of the file, to whose `sha256` an entry that allows such a finding is bound.
    """
    holders: set[int] = set()
    in_file = None
    for key, value in _pairs(root):
        begin = len(_line(key, None).encode())
        for match in scan(_line(key, value).encode()):
            holder = key if key and match.offset < begin else value
            holders.update(scalar.start for scalar in (holder,) if scalar)
            notes.report.conceal(notes.place, match.body)
            if in_file is None:
                in_file = {(found.rule.name, found.body) for found in scan(data)}
            if holder and (match.rule.name, match.body) not in in_file:
                line, column = notes.at(holder.start)
                notes.report.add(
                    match.code,
                    notes.place,
                    f"{match.told}, as YAML reads it{match.ending}",
                    hint="revoke it where it was issued and take it out of the value",
                    line=line,
                    column=column,
                    sha256=sha256,
                )
    return frozenset(holders)


def _line(key: Scalar | None, value: Scalar | None) -> str:
    """Return a value with its key, since a format may be told by that: `aws_secret_access_key: …`."""
    return f"{f'{key.text}: ' if key else ''}{value.text if value else ''}"


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
