"""Entries of `allowed-tools` and patterns of `globs`: how they are written, and what they match."""

from __future__ import annotations

from skillpack.runtime.listing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeGuard

    from skillpack.runtime.model import Skill

SHELL_SIGNS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029;|&`$<>()"
"""An argument that holds one of these may be more than the one command that it begins with."""


TOOL_SEPARATORS = " \t\r\n,"


def tools_of(value: object) -> tuple[str, ...] | None:
    """Return the tools that a value of `allowed-tools` names, or None when it names none.

    A text is split at white space and commas outside parentheses, so `Bash(git add:*,git commit:*) Read` is
    two tools; one with unbalanced parentheses is kept whole. The items of a list are kept as they are. A blank
    text and a value that is neither text nor a list of texts give None, an empty list gives the empty tuple.
    """
    if isinstance(value, str):
        parts = split_outside(value, TOOL_SEPARATORS, "()")
        return (value.strip(),) if parts is None else tuple(parts) or None
    return tuple(item for item in value if item.strip()) if is_texts(value) else None


def globs_of(value: object) -> tuple[str, ...]:
    """Return the patterns that a value of `globs` names: a list of texts, or a text with commas between them.

    A comma inside braces belongs to its pattern (`**/*.{ts,tsx}`).
    """
    if isinstance(value, str):
        parts = split_outside(value, ",", "{}") or value.split(",")
        return tuple(part.strip() for part in parts if part.strip())
    return tuple(item for item in value if item.strip()) if is_texts(value) else ()


def is_texts(value: object) -> TypeGuard[list[str] | tuple[str, ...]]:
    """Return whether a value is a list of texts."""
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)


def split_outside(text: str, separators: str, brackets: str) -> list[str] | None:
    """Split at `separators` outside `brackets`, dropping blank parts; None: the brackets do not balance."""
    parts = [""]
    depth = 0
    for char in text:
        depth += (char == brackets[0]) - (char == brackets[1])
        if depth < 0:
            return None
        if depth == 0 and char in separators:
            parts.append("")
        else:
            parts[-1] += char
    return [part for part in parts if part.strip()] if depth == 0 else None


def allows(entry: str, tool: str, argument: str | None = None) -> bool:
    """Return whether an entry of `allowed-tools` allows a tool with an argument, or with some argument for None.

    `T` matches the tool T, `T(P)` the argument P only, `T(P:*)` also one that begins with P and a blank and holds
    none of `SHELL_SIGNS`, and `T(*)` any argument, as `T` does: authors write it for that. `*` in T is a shell pattern.
    """
    from fnmatch import fnmatchcase

    name, pattern = _parts(entry)
    if not (fnmatchcase(tool, name) if "*" in name else tool == name):
        return False
    if pattern is None or pattern == "*" or argument is None:
        return True
    start = pattern.removesuffix(":*")
    is_longer = pattern.endswith(":*") and argument.startswith(f"{start} ")
    return argument == start or (is_longer and not any(sign in argument for sign in SHELL_SIGNS))


def lacking(skill: Skill, tools: Iterable[str]) -> list[str]:
    """Return the tools that a skill names in `allowed-tools` and that are not among `tools`."""
    entries = [entry for entry in skill.allowed_tools or () if not any(allows(entry, tool) for tool in tools)]
    return list(dict.fromkeys(_parts(entry)[0] for entry in entries))


def _parts(entry: str) -> tuple[str, str | None]:
    """Split an entry into the tool's name and what stands in its parentheses, if it has any."""
    name, opening, rest = entry.partition("(")
    return (name, rest[:-1]) if opening and rest.endswith(")") else (entry, None)


def matches_glob(path: str, pattern: str) -> bool:
    r"""Return whether a path matches a pattern of `globs`.

    `**` stands for any number of directories, none included, `*` and `?` stop at `/`, a pattern without `/` is held
    against the last part of the path, `\` reads as `/`, and braces and brackets stand for themselves.
    """
    from fnmatch import fnmatchcase

    parts = path.replace("\\", "/").removeprefix("./").split("/")
    segments = pattern.replace("\\", "/").removeprefix("./").split("/")
    if len(segments) == 1:
        parts = parts[-1:]
    # How many parts of the path the segments up to here can have taken: so no pattern makes this slow.
    taken = {0}
    for number, segment in enumerate(segments, 1):
        if segment == "**":
            is_last = number == len(segments)
            taken = set(range(min(taken, default=len(parts) + 1) + is_last, len(parts) + 1))
        else:
            shell = segment.replace("[", "[[]")
            taken = {end + 1 for end in taken if end < len(parts) and fnmatchcase(parts[end], shell)}
    return len(parts) in taken
