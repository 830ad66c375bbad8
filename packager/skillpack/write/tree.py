"""New files of the user's: a directory of them or a single one, all at once, never over anything that is there.

Neither over what comes while they are written: an empty directory alone may be taken for none. Where the file system
has no hard links a moment is left in which a file that comes is replaced.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from skillpack import temporary
from skillpack.errors import OutputError
from skillpack.findings import visible
from skillpack.paths import entry_faults, parents
from skillpack.runtime.paths import check_path
from skillpack.write import place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

EXECUTABLE_MODE = 0o755
DIRECTORY_MODE = 0o755
WINDOWS = os.name == "nt"


def write_new_tree(path: Path, files: Iterable[tuple[str, bytes, bool]], *, windows: bool = WINDOWS) -> None:
    """Put `files`, as (POSIX path, bytes, execute bit), into the directory `path`, which is not there yet or is empty.

    They are written into a temporary directory of ours alone, so that no link can lead out of it, and appear under
    `path` all at once; in an empty directory that is there, which may be a mount, one entry after the other in the
    order of `files`, and an entry that somebody has made there meanwhile is refused. What is raised on the way leaves it
    as it was. `windows` says that the system keeps names such as `aux` and `a:b` for something else.
    Raises `OutputError` for what is in the way, what cannot be written, a path that would leave the directory, and paths
    that are one for the file system.
    """
    with place.failures(path, "written"):
        is_there = _check_place(path)
        above = path if is_there else path.parent
        staging = temporary.name_in(above, place.TEMPORARY_PREFIX, place.TEMPORARY_SUFFIX)
        lock = None
        try:
            lock = temporary.create_directory(staging)
            entries: dict[str, None] = {}
            for name, data, executable in files:
                _put(staging, path, name, data, executable=executable, windows=windows)
                entries[name.partition("/")[0]] = None
            if is_there:
                _move(staging, path, list(entries))
            else:
                staging.chmod(DIRECTORY_MODE)
                staging.rename(path)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
            if lock is not None:
                os.close(lock)


def write_new_file(path: Path, data: bytes) -> None:
    """Put `data` at `path`, all at once, where nothing is yet; raises `OutputError`, also for what comes meanwhile."""
    with place.failures(path, "written"):
        _check_file(path)
        with place.beside(path, data, mode=place.FILE_MODE) as part:
            _move_file(part, path)


def check_new(path: Path, *, is_directory: bool) -> None:
    """Raise the `OutputError` with which `write_new_tree` or `write_new_file` would refuse a place, before all work."""
    with place.failures(path, "written"):
        if is_directory:
            _check_place(path)
        else:
            _check_file(path)


def _check_file(path: Path) -> None:
    if place.existing(path) is not None:
        raise _taken(path, "exists")
    _check_parent(path)


def _check_place(path: Path) -> bool:
    """Return whether there is an empty directory at `path`; raises `OutputError` for anything else that is there."""
    found = place.existing(path)
    if found is None:
        _check_parent(path)
        return False
    if stat.S_ISLNK(found.st_mode):
        raise OutputError(f"{path}: is a link, and skillpack does not write through links; name its target")
    if not stat.S_ISDIR(found.st_mode):
        raise _taken(path, "exists and is no directory")
    place.remove_leftovers(path)
    if any(path.iterdir()):
        raise _taken(path, "is not empty")
    return True


def _check_parent(path: Path) -> None:
    place.remove_leftovers(path.absolute().parent)
    if not path.absolute().parent.is_dir():
        raise OutputError(
            f"{path}: the directory {path.parent} does not exist; create it if the path is right"
        )


def _taken(path: Path, what: str) -> OutputError:
    return OutputError(f"{path}: {what}, and an export overwrites nothing; remove it, or name another place")


def _put(staging: Path, path: Path, name: str, data: bytes, *, executable: bool, windows: bool) -> None:
    """Write one file below the temporary directory; `path` is the one that messages name."""
    shown = f"{path}/{visible(name)}"
    try:
        check_path(name)
    except ValueError:
        raise OutputError(f"{shown}: would not be a file below {path}") from None
    for entry in (*parents(name), name):
        for fault in entry_faults(entry, place=shown) if windows else ():
            if fault.code == "path-windows":
                raise OutputError(
                    f"{shown}: {fault.message}; export on another system, or rename it in the skill"
                )
        with suppress(FileExistsError):
            if entry != name:
                (staging / entry).mkdir()
                (staging / entry).chmod(DIRECTORY_MODE)
    try:
        with (staging / name).open("xb") as stream:
            stream.write(data)
    except (FileExistsError, NotADirectoryError):
        raise OutputError(f"{shown}: this file system cannot tell it from another path") from None
    (staging / name).chmod(EXECUTABLE_MODE if executable else place.FILE_MODE)


def _move(staging: Path, path: Path, entries: Iterable[str]) -> None:
    """Move entries of the temporary directory to `path`; when one cannot be, those before it go back."""
    tried = []
    try:
        for entry in entries:
            tried.append(entry)
            if (staging / entry).is_dir():
                (staging / entry).rename(path / entry)
            else:
                _move_file(staging / entry, path / entry)
    except BaseException:
        for entry in tried:
            _move_back(path / entry, staging / entry)
        raise


def _move_back(target: Path, source: Path) -> None:
    """Take back what `_move` has moved, in full or by half: what is at `target` may be of somebody else."""
    if not os.path.lexists(source):
        target.rename(source)
    elif os.path.lexists(target) and target.samefile(source):
        target.unlink()


def _move_file(source: Path, target: Path) -> None:
    """Move a file to where nothing is: to rename it would replace what has come there."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise _taken(target, "exists") from None
    except OSError:  # no hard links here
        if place.existing(target) is not None:
            raise _taken(target, "exists") from None
        source.rename(target)
    else:
        source.unlink()
