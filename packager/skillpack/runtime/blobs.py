"""The index and the contents of a bundle in files beside its module: the data form."""

from __future__ import annotations

from skillpack.runtime.listing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from skillpack.runtime.model import _Page

_opened: dict[tuple[str, bytes], Blobs] = {}


class Blobs:
    """The files beside a package: `names` holds the name of each, a line each, that of the skills first.

    `read` gives the bytes of a file by its name. What was read is kept, as an imported module is.
    """

    def __init__(self, names: bytes, read: Callable[[str], bytes]) -> None:
        self._names, self._read, self._held = names.decode("ascii").split("\n"), read, dict[str, bytes]()

    def _blob(self, name: str) -> bytes:
        data = self._held.get(name)
        if data is None:
            data = self._held[name] = self._read(name)
        return data

    def skills(self) -> bytes:
        """Return the rows of the skills, as `SkillBundle.paged` wants them."""
        return self._blob(self._names[0])

    def shards(self, number: int) -> tuple[list[str], bytes]:
        """Return the files that the rows of a page count from 0, and the page: its file begins with a line of these.

        There are tabs between them.
        """
        head, _, index = self._blob(self._names[number + 1]).partition(b"\n")
        return head.decode("ascii").split("\t"), index

    def page(self, number: int) -> _Page:
        """Return a page of the index, as `SkillBundle.paged` wants it."""
        files, index = self.shards(number)
        return index, lambda key: self._blob(files[int(key)])


def blobs(names: bytes, spec: Any) -> Blobs:
    """Return the files beside the package whose `__spec__` is given."""
    key = (spec.origin, names)
    found = _opened.get(key)
    if found is None:
        found = _opened[key] = Blobs(names, reader(spec))
    return found


def reader(spec: Any) -> Callable[[str], bytes]:
    """Return what reads a file beside a package by its name, through the loader of the package: also from a zip.

    `spec` is the package's `__spec__`.
    """
    directory = spec.submodule_search_locations[0]  # a freezer (Nuitka) adds places of its own

    def read(name: str) -> bytes:
        data: bytes = spec.loader.get_data(f"{directory}/{name}")
        return data

    return read
