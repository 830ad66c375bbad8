"""Bundles made of bundles: some of the skills, those of several, other names."""

from __future__ import annotations

from _collections_abc import Mapping

from skillpack.runtime.assembly import adopted
from skillpack.runtime.errors import CollisionError
from skillpack.runtime.listing import TYPE_CHECKING
from skillpack.runtime.model import Skill
from skillpack.runtime.paths import check_name
from skillpack.runtime.text import chosen, echo, one_line, several

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from skillpack.runtime.bundle import SkillBundle

MAX_TOOL_NAME_CHARS = 128
"""The most that any dialect takes; a tool's name is in every answer that refers to it."""


def check_tools(load: str, read: str, style: str) -> None:
    """Raise `ValueError` unless these can be the names and the style of a bundle's tools."""
    sound = all(0 < len(name) <= MAX_TOOL_NAME_CHARS and one_line(name) == name for name in (load, read))
    if not sound or load == read or style not in ("list", "enum"):
        raise ValueError(
            "two different tool names and a style list or enum are needed, not "
            f"{echo(load)}, {echo(read)} and {echo(style)}"
        )


def selected(bundle: SkillBundle, patterns: Iterable[str]) -> list[Skill]:
    """Return the skills of `SkillBundle.select`."""
    names, idle = chosen(bundle, several(patterns, "select"))
    for pattern in idle:
        if not any(char in pattern for char in "*?["):
            bundle[pattern.removeprefix("!")]
    return [bundle[name] for name in names]


def overlaid(
    bundle: SkillBundle, others: Iterable[object], on_collision: str
) -> tuple[list[Skill], list[str]]:
    """Return the skills and the problems of `SkillBundle.overlay`."""
    if on_collision not in ("last", "first", "error"):
        raise ValueError(f"on_collision is last, first or error, not {echo(on_collision)}")
    found: dict[str, Skill] = dict(bundle)
    problems = list(bundle.problems)
    for other in others:
        problems += several(getattr(other, "problems", ()), "problems")
        for skill in _skills_of(other):
            present = found.setdefault(skill.name, skill)
            if present.digest != skill.digest and on_collision == "error":
                raise CollisionError(
                    f"two skills are named {echo(skill.name)}: {present.digest} and {skill.digest}; rename or "
                    "deselect one, or let the first or the last win"
                )
            if present.digest != skill.digest and on_collision == "last":
                found[skill.name] = skill
    return list(found.values()), problems


def renamed(bundle: SkillBundle, names: Mapping[str, str]) -> list[Skill]:
    """Return the skills of `SkillBundle.rename`."""
    for name in names:
        bundle[name]
    found: dict[str, Skill] = {}
    for name, skill in bundle.items():
        new = names.get(name, name)
        if new in found:
            raise CollisionError(f"two skills would be named {echo(new)}")
        found[new] = skill if new == name else adopted(skill, new)
    return list(found.values())


def _skills_of(source: Any) -> Iterator[Skill]:
    """Give the skills of a bundle, or a single skill, as skills of this module's class."""
    for skill in source.values() if isinstance(source, Mapping) else [source]:
        if type(skill) is Skill:
            check_name(skill.name)
        yield skill if type(skill) is Skill else adopted(skill)
