"""What the runtime raises; each is a built-in error too, so that `except KeyError` works across modules."""

from __future__ import annotations

from skillpack.runtime.listing import TYPE_CHECKING
from skillpack.runtime.text import MAX_ECHO_CHARS, echo, listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


MAX_NEAR_CHARS = 1_024
"""A near match is shown whole, since it is asked for by all of its characters; longer ones no file system takes."""


class SkillNotFoundError(KeyError):
    """No skill has this name; `str()` lists a near match and some of the `known` names.

    `kind` says in words what there is none of: `skill`, or `loaded skill` in a session.
    """

    def __init__(self, wanted: object, known: Sequence[str] = (), kind: str = "skill") -> None:
        super().__init__(wanted, known, kind)

    def __str__(self) -> str:
        wanted, known, kind = self.args
        return _not_found(kind, wanted, known)


class ResourceNotFoundError(KeyError):
    """The skill has no file at this path; `str()` lists a near match and some of the `known` paths."""

    def __init__(self, wanted: object, known: Sequence[str] = ()) -> None:
        super().__init__(wanted, known)

    def __str__(self) -> str:
        return _not_found("file", *self.args)


class IntegrityError(ValueError):
    """Contents do not have the digest that was recorded when they were packed.

    `paths` names what is damaged: `<skill>/<path>` for a file, `<skill>` for a skill's index, `.` for the
    bundle as a whole.
    """

    paths: tuple[str, ...]

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = tuple(paths)
        super().__init__(self.paths)

    def __str__(self) -> str:
        return f"damaged or altered since it was packed: {', '.join(self.paths)}"


class SkillDefinitionError(ValueError):
    """A skill is not as it must be, or does not fit the agent; `problems` holds one line a fault."""

    problems: tuple[str, ...]

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(self.problems)


class CollisionError(ValueError):
    """Two skills with different contents have one name."""


class SkillSourceError(ValueError):
    """A source of skills cannot be read: a directory, a plugin, a function."""


def _not_found(kind: str, wanted: object, known: Sequence[str]) -> str:
    import difflib

    text = f"no {kind} {echo(wanted)}"
    if not known:
        return f"{text} (there are none)"
    start = str(wanted)[:MAX_ECHO_CHARS]
    near = [name for name in known if name.casefold() == start.casefold()]
    near = near or difflib.get_close_matches(start, known, n=1, cutoff=0.5)
    text += f"; did you mean {shown(near[0], MAX_NEAR_CHARS)}?" if near else "."
    return f"{text} There are: {listed(known)}"
