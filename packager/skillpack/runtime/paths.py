"""Names and paths of skills that come from elsewhere: what is not safe as a file is refused."""

from __future__ import annotations

from skillpack.runtime.listing import TYPE_CHECKING
from skillpack.runtime.text import echo, hides, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SEGMENT_BYTES = 255
"""What file systems take as the name of one file."""


def check_path(path: str) -> str:
    """Return `path` if it is a POSIX path that stays below its start, else raise `ValueError`."""
    parts = path.split("/")
    if (
        any(part in ("", ".", "..") for part in parts)
        or path[1:2] == ":"
        or any(char == "\\" or hides(ord(char)) for char in path)
    ):
        raise ValueError(f"not a relative POSIX path: {echo(path)}")
    if any(len(part.encode()) > MAX_SEGMENT_BYTES for part in parts):
        raise ValueError(f"a name of over {MAX_SEGMENT_BYTES} bytes: {echo(path)}")
    return path


def check_paths(paths: Iterable[str]) -> None:
    """Raise `ValueError` unless these can be the files of one skill: no path climbs, one is SKILL.md.

    Nor are two of them one where case does not count, or is any of them a directory of another.
    """
    known: dict[str, str] = {}
    for path in paths:
        key = check_path(path).casefold()
        if key in known:
            raise ValueError(
                f"two files at one path, or at one but for case: {echo(known[key])} and {echo(path)}"
            )
        known[key] = path
    if known.get("skill.md") != "SKILL.md":
        raise ValueError("a skill needs a file SKILL.md")
    for path in known:
        parts = path.split("/")
        for end in range(1, len(parts)):
            if (parent := "/".join(parts[:end])) in known:
                raise ValueError(f"a file and a directory at once: {echo(known[parent])}")


def check_name(name: str) -> str:
    """Return `name` if it can be a directory and a line of the catalog shows it as it is, else raise `ValueError`.

    A model can ask only for what it was shown.
    """
    if "/" in check_path(name) or not name.isprintable() or one_line(name) != name:
        raise ValueError(f"not the name of one directory: {echo(name)}")
    return name
