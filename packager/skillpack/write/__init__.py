"""Emitted output on disk, in whatever form: written, compared, removed.

`file` holds the one-file form and what else is a single file, `folder` the package and data forms.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from skillpack.write import folder
from skillpack.write.file import compare, remove, replace, write, write_report
from skillpack.write.place import State

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "State",
    "compare",
    "compare_output",
    "remove",
    "remove_output",
    "replace",
    "write",
    "write_output",
    "write_report",
]


def write_output(
    module: Path, files: Iterator[tuple[str, bytes]], *, root: Path, now: float, force: bool = False
) -> bool:
    """Put what was emitted, as (relative path, bytes), in its place; return whether anything was written.

    `module` is the path of the one-file form; a folder form goes to the folder of its name. `root`, `now` and `force`
    are as `write` has them. Raises `OutputError`.
    """
    path, data = next(files)
    if not path:
        return write(module, data, root=root, now=now, force=force)
    return folder.write(module, chain([(path, data)], files), root=root, now=now, force=force)


def compare_output(module: Path, files: Iterator[tuple[str, bytes]], *, root: Path) -> State:
    """Return how the output on disk stands to what was emitted; the parameters are those of `write_output`.

    Raises `OutputError` where `write_output` would refuse.
    """
    path, data = next(files)
    if not path:
        return compare(module, data, root=root)
    return folder.compare(module, chain([(path, data)], files), root=root)


def remove_output(module: Path, *, root: Path) -> bool:
    """Remove what skillpack wrote at `module`, in any form; return whether there was anything."""
    removed = remove(module, root=root)
    return folder.remove(module, root=root) or removed
