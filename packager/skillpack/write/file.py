"""A single file on disk: whole or not at all, only when it differs, never over what skillpack did not write."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from skillpack.emit.layout import INIT, folder_of, sections, unix_lines
from skillpack.errors import OutputError
from skillpack.shadow import shadows
from skillpack.write import folder, place
from skillpack.write.place import Obstacle

if TYPE_CHECKING:
    from pathlib import Path

    from skillpack.write.place import State


def write(path: Path, data: bytes, *, root: Path, now: float, force: bool = False) -> bool:
    """Put `data` at `path` unless it is there already; return whether anything was written.

    The bytes appear under the name all at once, by a temporary file beside it. `root` is the project: no part of
    the path below it may be a link. `now` is the time in seconds since the epoch; the modification time of a
    replaced file is that, and at least a second later than it was, as Python takes a .pyc for current when size
    and second agree. `force` replaces a file that skillpack did not write. skillpack's own package of the module's
    name, which Python would prefer, goes, and so does what is left of one. Raises `OutputError`.
    """
    with place.failures(path, "written"):
        place.refuse(_in_the_way(path, root, force=force))
        old = place.existing(path)
        if old is None:
            if not path.parent.is_dir():
                raise place.no_directory(path)
        elif old.st_size == len(data) and path.read_bytes() == data and _other_form(path) is None:
            return False
        package = _other_form(path)
        modified = None if old is None else place.modified(old, now)
        place.put(path, data, mode=place.FILE_MODE, modified=modified)
        if package is not None:
            folder.clear(package)
    return True


def replace(path: Path, data: bytes) -> None:
    """Put `data` in the place of the user's own file at `path`, all at once; the file keeps its mode.

    Raises `OutputError`, also when the file is a link or read-only: then, and at any other failure, it is as it was.
    """
    with place.failures(path, "written"):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            raise OutputError(
                f"{path}: is a link, and skillpack does not write through links; edit its target"
            )
        if not stat.S_ISREG(mode):
            raise OutputError(f"{path}: is no regular file")
        if not os.access(path, os.W_OK):  # to replace it takes no more than a directory that can be written
            raise OutputError(f"{path}: is read-only; make it writable first")
        place.remove_leftovers(path.parent)
        place.put(path, data, mode=stat.S_IMODE(mode))


def write_report(path: Path, data: bytes) -> None:
    """Write `data` to the file that the user named for it; raises `OutputError`.

    In place, as a shell's `>` does, since it may be a pipe, a device or a link to one (`/dev/stderr`, `>(…)`): to
    write beside it and rename would replace that. A link to anything else is refused.
    """
    with place.failures(path, "written"):
        if path.is_symlink() and (path.is_file() or not path.exists()):
            raise OutputError(
                f"{path}: is a link, and skillpack does not write through links; name its target"
            )
        path.write_bytes(data)


def compare(path: Path, data: bytes, *, root: Path) -> State:
    """Return how the file at `path` stands to `data`, CRLF counting as LF.

    Raises `OutputError` where `write` would refuse to put `data`.
    """
    with place.failures(path, "read"):
        place.refuse(_in_the_way(path, root))
        if place.existing(path) is None:
            return "missing"
        package = _other_form(path)
        found = unix_lines(path.read_bytes())
    if package is not None:
        return "stale"
    if found == data:
        return "equal"
    old, new = sections(found), sections(data)
    return "runtime-newer" if old is not None and new is not None and old.data == new.data else "stale"


def remove(path: Path, *, root: Path) -> bool:
    """Remove the file at `path` if skillpack wrote it and no link leads there; return whether it was removed."""
    with place.failures(path, "removed"):
        ours = is_written(path, root=root)
        if ours:
            place.remove_compiled(path)
            path.unlink()
    return ours


def is_written(path: Path, *, root: Path) -> bool:
    """Return whether there is a file at `path` that skillpack wrote, and no link leads there."""
    return place.link_on(path, root) is None and path.is_file() and place.is_ours(path)


def obstacle(path: Path, *, root: Path, force: bool = False) -> Obstacle | None:
    """Return what keeps a file from being written at `path`, or None; the finding `output-foreign`.

    `root` and `force` are those of `write`, which refuses the same. That the directory is not there yet is none, and
    neither is what cannot be read.
    """
    try:
        return _in_the_way(path, root, force=force)
    except OSError:
        return None


def _in_the_way(path: Path, root: Path, *, force: bool = False) -> Obstacle | None:
    found = place.file_in_the_way(path, root, force=force)
    if found is not None or not path.parent.is_dir():
        return found
    hiding = _hiding(path)
    if not hiding:
        return None
    return Obstacle(
        path=path,
        message=f"Python would import {hiding[0]}, which lies beside it, in its place",
        hint="move that away, or choose another `module`",
    )


def _other_form(path: Path) -> Path | None:
    """Return the folder of the module's name if skillpack wrote into it, also without the `__init__.py` that went first."""
    return folder_of(path) if folder.holds_ours(path) else None


def _hiding(path: Path) -> list[str]:
    """Return what is not skillpack's and would be imported in the place of the module, seen from its directory."""
    names = [entry.name for entry in path.parent.iterdir()]
    package = folder_of(path) / INIT
    if package.is_file() and (package.parent.is_symlink() or not place.is_ours(package)):
        names.append(f"{package.parent.name}/{package.name}")
    return [name for _, name in shadows([path.name], names)]
