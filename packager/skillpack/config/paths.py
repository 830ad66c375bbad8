"""Paths as they are written in the file and on the command line."""

from __future__ import annotations

from pathlib import PurePath

MAX_PATH_CHARS = 4_096
"""Beyond this no file system has a path: Linux takes this many bytes, others fewer."""


def path_fault(text: str) -> str:
    """Say what is wrong with a path as the file has it, whatever it leads to; empty if nothing is."""
    if not text:
        return "is empty"
    if "\0" in text:
        return "holds a NUL character"
    if "\\" in text:
        return "holds a backslash; write / between directories"
    if len(text) > MAX_PATH_CHARS:
        return f"has {len(text):,} characters, more than file systems take"
    return ""


def posix(argument: str) -> str:
    """Return a path of the command line with slashes; an empty one stays empty, where pathlib makes it `.`."""
    return PurePath(argument).as_posix() if argument else ""
