"""Skills from several ways of supply, brought together into one bundle."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, TypeGuard

from skillpack.runtime.bundle import SkillBundle
from skillpack.runtime.errors import CollisionError, SkillSourceError
from skillpack.runtime.text import echo, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

MAX_REASON_CHARS = 200
MAX_NESTING = 100
"""Lists in lists of sources; one that holds itself has more."""


async def resolve(
    sources: Sequence[object],
    context: object = None,
    *,
    on_collision: str = "last",
    on_error: str = "raise",
) -> SkillBundle:
    """Return the bundle of all that `sources` supply, for one session; `to_json` keeps it for the next turn.

    A source is a bundle or a skill of any module, a list of sources, the path of a directory (a text or a path object;
    read by `skillpack.from_directory`, whose broken skills are in `problems`), or a function of `context`, sync or
    async, that returns any of these. None is skipped. Sources are asked in their order, one after the other; a directory is read
    in this thread.

    Of two skills with one name and different contents `on_collision` takes the `last` or the `first`, or raises
    `CollisionError` (`error`); it is raised in any case when both come from functions, which have no order among
    them. A source that fails ends the call with its own exception (`raise`) or is a line in `problems` (`report`);
    a directory fails with `SkillSourceError`, also where only the runtime is installed. `TypeError` when `sources` is
    not a list, or something in it is none of the above, or a list holds itself.
    """
    if on_error not in ("raise", "report"):
        raise ValueError(f"on_error is raise or report, not {echo(on_error)}")
    bundle = SkillBundle([]).overlay(on_collision=on_collision)
    given: dict[str, str] = {}
    for source in list(_flat(sources)):
        try:
            part = await _supplied(source, context)
        except Exception as error:  # whatever a function of the application raises
            if on_error == "raise":
                raise
            reason = one_line(f"{type(error).__name__}: {error}")[:MAX_REASON_CHARS]
            bundle = bundle.overlay(SkillBundle([], problems=[f"{_label(source)} — UNAVAILABLE: {reason}"]))
            continue
        if callable(source):
            for name, skill in part.items():
                if given.setdefault(name, skill.digest) != skill.digest:
                    raise CollisionError(f"two functions supply different skills named {echo(name)}")
        bundle = bundle.overlay(part, on_collision=on_collision)
    return bundle


def _flat(sources: object, nesting: int = 0) -> Iterator[object]:
    """Give the sources of a list and of the lists in it, without None."""
    if nesting > MAX_NESTING:
        raise TypeError(f"a list of sources holds itself, or {MAX_NESTING} lists lie in one another")
    if not isinstance(sources, (list, tuple)):
        raise TypeError(f"sources are a list, not {echo(type(sources).__name__)}")
    for source in sources:
        if isinstance(source, (list, tuple)):
            yield from _flat(source, nesting + 1)
        elif callable(source) or _is_data(source):
            yield source
        elif source is not None:
            raise TypeError(
                "a source is a bundle, a skill, a list, the path of a directory or a function, not "
                f"{echo(type(source).__name__)}"
            )


def _is_data(source: object) -> bool:
    return _is_path(source) or isinstance(source, Mapping) or _is_skill(source)


def _is_skill(value: object) -> bool:
    """Return whether a value has what makes a skill, whatever its class: a name, a digest and files."""
    return (
        isinstance(getattr(value, "name", None), str)
        and isinstance(getattr(value, "digest", None), str)
        and isinstance(getattr(value, "files", None), Mapping)
    )


def _is_path(source: object) -> TypeGuard[str | PathLike[str]]:
    return isinstance(source, str) or hasattr(source, "__fspath__")


async def _supplied(source: object, context: object) -> SkillBundle:
    if not callable(source):
        return _read(source)
    result: Any = source(context)
    if isawaitable(result):
        result = await result
    bundle = SkillBundle([])
    for part in _flat([result]):
        if not _is_data(part):
            raise SkillSourceError(f"{_label(source)} supplied a function, not skills")
        bundle = bundle.overlay(_read(part))
    return bundle


def _read(source: object) -> SkillBundle:
    if not _is_path(source):
        return SkillBundle([]).overlay(source)
    try:
        from skillpack.sources import from_directory
    except ImportError as error:
        raise SkillSourceError(
            f"the directory {echo(str(source))} needs the packager, of which {error.name} is missing: install "
            "skillpack with its dependencies, or pack the skills"
        ) from error
    return from_directory(source)


def _label(source: object) -> str:
    if _is_path(source):
        return one_line(str(source))
    return one_line(str(getattr(source, "__qualname__", type(source).__name__)))
