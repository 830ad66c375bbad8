"""Emitted output on disk, in whatever form and with its stub: written, compared, removed.

`file` holds the one-file form and what else is a single file, `folder` the package and data forms, `lock` what keeps
runs at the same time apart; `tree` what is no output, but new files in a place that the user names.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING

from skillpack.emit.layout import INIT, folder_of
from skillpack.emit.stub import stub_path
from skillpack.write import file, folder, lock, place
from skillpack.write.file import compare, is_written, remove, replace, write, write_report
from skillpack.write.folder import part_obstacles
from skillpack.write.place import Obstacle, State
from skillpack.write.tree import check_new, write_new_file, write_new_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "Obstacle",
    "State",
    "check_new",
    "compare",
    "compare_output",
    "is_written",
    "obstacles",
    "part_obstacles",
    "remove",
    "remove_output",
    "replace",
    "write",
    "write_new_file",
    "write_new_tree",
    "write_output",
    "write_report",
]


def write_output(
    module: Path,
    files: Iterator[tuple[str, bytes]],
    stub: bytes | None = None,
    *,
    root: Path,
    now: float,
    force: bool = False,
) -> bool:
    """Put what was emitted, as (relative path, bytes), in its place; return whether anything was written or removed.

    `module` is the path of the one-file form; a folder form goes to the folder of its name. The stub comes last, and
    without one skillpack's own that is there goes. Another run that writes or removes the same folder waits. `root`,
    `now` and `force` are as `write` has them. Raises `OutputError`.
    """
    path, data = next(files)
    beside = _stub_place(module, path)
    if path:  # before the folder is made; asked again when no other run is at it
        place.refuse(folder.obstacle(module, root=root, force=force))
    with _alone(module, "written", make=bool(path) and module.parent.is_dir()):
        folder.remove_leftovers(module, root=root)
        if path:
            changed = folder.write(module, chain([(path, data)], files), root=root, now=now, force=force)
            changed |= remove(stub_path(module), root=root)
        else:
            changed = write(module, data, root=root, now=now, force=force)
        if stub is None:
            return remove(beside, root=root) or changed
        return write(beside, stub, root=root, now=now, force=force) or changed


def compare_output(
    module: Path, files: Iterator[tuple[str, bytes]], stub: bytes | None = None, *, root: Path
) -> list[tuple[Path, State]]:
    """Return how the output on disk stands to what was emitted, with its place, and its stub if there is to be or is one.

    The parameters are those of `write_output`. Raises `OutputError` where that would refuse.
    """
    path, data = next(files)
    beside = _stub_place(module, path)
    if path:
        state = folder.compare(module, chain([(path, data)], files), root=root)
        if state != "missing" and is_written(stub_path(module), root=root):
            state = "stale"
        states = [(folder_of(module), state)]
    else:
        states = [(module, compare(module, data, root=root))]
    if stub is not None:
        states.append((beside, compare(beside, stub, root=root)))
    elif is_written(beside, root=root):
        states.append((beside, "off"))
    return states


def remove_output(module: Path, *, root: Path) -> bool:
    """Remove what skillpack wrote at `module`, in any form; return whether there was anything."""
    with _alone(module, "removed"):
        folder.remove_leftovers(module, root=root)
        removed = [remove(path, root=root) for path in (module, stub_path(module))]
        return folder.remove(module, root=root) or any(removed)


def obstacles(
    module: Path, *, is_folder: bool, has_stub: bool, root: Path, force: bool = False
) -> list[Obstacle]:
    """Return what keeps an output from being written, whatever it is to hold; the findings `output-foreign`.

    `root` and `force` are those of `write_output`, which refuses the same.
    """
    found = [(folder if is_folder else file).obstacle(module, root=root, force=force)]
    if has_stub:
        beside = _stub_place(module, INIT if is_folder else "")
        found.append(file.obstacle(beside, root=root, force=force))
    return [obstacle for obstacle in found if obstacle is not None]


@contextmanager
def _alone(module: Path, done: str, *, make: bool = False) -> Iterator[None]:
    """Keep other runs out of the folder of the module's name, as `lock.held` does; raises `OutputError`."""
    target = folder_of(module)
    with place.failures(target, done), lock.held(target, make=make):
        yield


def _stub_place(module: Path, path: str) -> Path:
    """Return where the stub is of the form whose files have paths such as `path`."""
    return stub_path(folder_of(module) / INIT if path else module)
