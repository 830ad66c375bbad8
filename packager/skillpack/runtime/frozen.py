"""What bundle, skill and file share: nothing of them can be changed, and they are equal when their digests are."""

from __future__ import annotations

from skillpack.runtime.listing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, NoReturn


def fill(frozen: object, **values: object) -> None:
    """Set attributes of an object that refuses it: in its making, and when a lazy value is first known."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


class _Frozen:
    """What bundle, skill and file share: no attribute can be set; equality and hash are by digest."""

    __slots__ = ()
    digest: str

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        digest = getattr(other, "digest", None)
        return NotImplemented if digest is None else bool(digest == self.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: object) -> Any:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a {type(self).__name__} is not pickled, nor is a bundle made at run time: pickle the bundle of an "
            "emitted module beside a name and a path, or send to_json(), or bytes()"
        )
