"""What the example harnesses print, as data."""

from __future__ import annotations

import itertools
import re

from support import projects

ENTRY = re.compile(r"^(?:\[([a-z]+)\]|(===)) ", flags=re.MULTILINE)


def stored(example: str, name: str = "transcript") -> str:
    """Return a transcript that an example keeps."""
    return (projects.EXAMPLES / example / f"{name}.txt").read_text(encoding="utf-8")


def entries(text: str) -> list[tuple[str, str]]:
    """Return role and text of each entry: `[role] text` on one line or several; `===` is a role too."""
    parts = ENTRY.split(text)
    return [
        (bracketed or ruled, said.removesuffix("\n"))
        for bracketed, ruled, said in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    ]


def of(text: str, role: str) -> list[str]:
    """Return the texts of a role."""
    return [said for spoken, said in entries(text) if spoken == role]


def answers(text: str, call: str) -> list[str]:
    """Return what was answered each time when a call, its arguments included, began with `call`."""
    return [
        answer
        for (role, said), (_, answer) in itertools.pairwise(entries(text))
        if role == "call" and said.startswith(call)
    ]


def section(text: str, heading: str) -> str:
    """Return what stands below the first `===` line that begins with `heading`, up to the next."""
    _, found, rest = text.partition(f"=== {heading}")
    assert found, heading
    return rest.partition("\n")[2].partition("\n=== ")[0] + "\n"
