"""The functions by which one file of a package imports the next: on first use, and where freezers can read it.

They stand in the data section, below the literals, one for each file in its order:

```
def part_0() -> bytes:
    from ._s0123456789abcdef import DATA

    return DATA
```

A call of `__import__` by a name from a literal was rejected: freezers and zip tools cannot see what it imports.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillpack.emit.literal import GrammarError

if TYPE_CHECKING:
    from collections.abc import Iterable

_PART = re.compile(
    rb"def part_([0-9]{1,9})\(\) -> (bytes|str):\n    from \.(_s[0-9a-f]{16}) import DATA\n\n    return DATA\n"
)
_SKILLS = re.compile(
    rb"def skills\(\) -> bytes:\n    from \.(_m[0-9a-f]{16}) import _SKILLS\n\n    return _SKILLS\n"
)
_PAGE = re.compile(
    rb"def page_([0-9]{1,9})\(\) -> \"_Page\":\n    from \.(_m[0-9a-f]{16}) import _INDEX, part\n\n"
    rb"    return _INDEX, part\n"
)


def render_part(number: int, shard: str, kind: str) -> bytes:
    """Return the function that imports a shard of contents, whose literal is of the `kind` `bytes` or `str`."""
    lines = (
        f"def part_{number}() -> {kind}:",
        f"    from .{shard} import DATA",
        "",
        "    return DATA",
    )
    return _text(lines)


def render_skills(table: str) -> bytes:
    """Return the function that imports the rows of the skills."""
    lines = (
        "def skills() -> bytes:",
        f"    from .{table} import _SKILLS",
        "",
        "    return _SKILLS",
    )
    return _text(lines)


def render_page(number: int, shard: str) -> bytes:
    """Return the function that imports a page of the index."""
    lines = (
        f'def page_{number}() -> "_Page":',
        f"    from .{shard} import _INDEX, part",
        "",
        "    return _INDEX, part",
    )
    return _text(lines)


def split(data: bytes) -> tuple[bytes, bytes]:
    """Return the literals of a data section, and the functions below them."""
    # No line of a literal begins with a letter, but that of its name, which is none of these.
    # To find the beginning of a line by an expression takes as long as to parse all literals above it.
    begin = (b"\n" + data).find(b"\ndef ")
    return (data, b"") if begin < 0 else (data[:begin], data[begin:])


def parse_parts(functions: bytes, above: bytes = b"") -> list[tuple[str, str]]:
    """Return the shards that a page's functions import, each with the kind of its literal, `bytes` or `str`.

    `GrammarError` for any other text, at the line of the section that begins with the literals `above` them.
    """
    return [(found[3].decode("ascii"), found[2].decode("ascii")) for found in _parse(functions, above, _PART)]


def parse_pages(functions: bytes, above: bytes = b"") -> list[str]:
    """Return the files that a package's functions import, that of the skills first, as `parse_parts` does."""
    table = _SKILLS.match(functions)
    if table is None:
        raise GrammarError(above.count(b"\n") + 1, "no function that imports the skills begins here")
    return [
        table[1].decode("ascii"),
        *(found[2].decode("ascii") for found in _parse(functions[table.end() :], above + table[0], _PAGE)),
    ]


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def _parse(functions: bytes, above: bytes, pattern: re.Pattern[bytes]) -> list[re.Match[bytes]]:
    matches: list[re.Match[bytes]] = []
    position = 0
    while position < len(functions):
        found = pattern.match(functions, position)
        if found is None or found[1] != b"%d" % len(matches):
            line = above.count(b"\n") + functions.count(b"\n", 0, position) + 1
            raise GrammarError(line, "no function of skillpack's begins here")
        matches.append(found)
        position = found.end()
    return matches
