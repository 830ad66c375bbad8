"""The index and the contents of a bundle in files beside its module: the data form."""

from __future__ import annotations

from skillpack.runtime.text import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from skillpack.runtime.model import _Page

SUFFIX = ".bin"


def blob_pages(names: bytes, read: Callable[[str], bytes]) -> Callable[[int], _Page]:
    """Return what gives the pages of an index: `names` holds the file of each, a line a page.

    `read` gives the bytes of a file by its name. A page's file begins with a line of the files that its rows count
    from 0, with tabs between. What was read is kept, as an imported module is.
    """
    held: dict[str, bytes] = {}

    def blob(name: str) -> bytes:
        data = held.get(name)
        if data is None:
            data = held[name] = read(name)
        return data

    def page(number: int) -> _Page:
        head, _, index = blob(names.decode("ascii").split("\n")[number]).partition(b"\n")
        files = head.decode("ascii").split("\t")
        return index, lambda key: blob(files[int(key)])

    return page


def reader(spec: Any) -> Callable[[str], bytes]:
    """Return what reads a file beside a package by its name, through the loader of the package: also from a zip.

    `spec` is the package's `__spec__`.
    """
    directory = spec.submodule_search_locations[0]  # a freezer (Nuitka) adds places of its own

    def read(name: str) -> bytes:
        data: bytes = spec.loader.get_data(f"{directory}/{name}")
        return data

    return read
