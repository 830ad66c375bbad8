"""What the runtime raises; each is a built-in error too, so that `except KeyError` works across modules."""

from __future__ import annotations

from skillpack.runtime.text import MAX_ECHO_CHARS, TYPE_CHECKING, echo

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_LISTED_NAMES = 20


class SkillNotFoundError(KeyError):
    """No skill has this name; `str()` lists a near match and some of the `known` names."""

    def __init__(self, wanted: object, known: Sequence[str] = ()) -> None:
        super().__init__(wanted, known)

    def __str__(self) -> str:
        return _not_found("skill", *self.args)


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

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = tuple(paths)
        super().__init__(self.paths)

    def __str__(self) -> str:
        return f"damaged or altered since it was packed: {', '.join(self.paths)}"


def _not_found(kind: str, wanted: object, known: Sequence[str]) -> str:
    import difflib

    text = f"no {kind} {echo(wanted)}"
    if not known:
        return f"{text} (there are none)"
    near = difflib.get_close_matches(str(wanted)[:MAX_ECHO_CHARS], known, n=1, cutoff=0.5)
    text += f"; did you mean {near[0]}?" if near else "."
    more = f", … ({len(known)} in all)" if len(known) > MAX_LISTED_NAMES else ""
    return f"{text} There are: {', '.join(known[:MAX_LISTED_NAMES])}{more}"
