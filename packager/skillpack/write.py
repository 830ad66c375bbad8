"""Files on disk. Emitted ones: whole or not at all, only when they differ, never over what skillpack did not write."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from skillpack.emit.layout import FIRST_LINE, is_emitted, sections, unix_lines
from skillpack.errors import OutputError
from skillpack.shadow import shadows

if TYPE_CHECKING:
    from collections.abc import Iterator

State = Literal["equal", "missing", "stale", "runtime-newer"]
"""How an output on disk stands to what would be written; `runtime-newer`: same skills, other code around them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """What stands in the place of the module and is not skillpack's: `message` says what, `hint` what to do."""

    message: str
    hint: str


FILE_MODE = 0o644
TEMPORARY_PREFIX = ".skillpack-"
LEFTOVER_SECONDS = 3600
"""A temporary file that is older than another by this is in no use: to write one takes seconds."""


def write(path: Path, data: bytes, *, root: Path, now: float, force: bool = False) -> bool:
    """Put `data` at `path` unless it is there already; return whether anything was written.

    The bytes appear under the name all at once, by a temporary file beside it. `root` is the project: no part of
    the path below it may be a link. `now` is the time in seconds since the epoch; the modification time of a
    replaced file is that, and at least a second later than it was, as Python takes a .pyc for current when size
    and second agree. `force` replaces a file that skillpack did not write. skillpack's own package of the module's
    name, which Python would prefer, goes. Raises `OutputError`.
    """
    with _failures(path, "written"):
        _refuse(path, _in_the_way(path, root, force=force))
        old = _existing(path)
        if old is None:
            if not path.parent.is_dir():
                raise OutputError(
                    f"{path}: the directory {path.parent} does not exist; create it if the path is right, else "
                    "mend `module` or -o"
                )
        elif old.st_size == len(data) and path.read_bytes() == data and _other_form(path) is None:
            return False
        package = _other_form(path)
        modified = None if old is None else max(int(now * 10**9), old.st_mtime_ns + 10**9)
        _replace(path, data, mode=FILE_MODE, modified=modified)
        if package is not None:
            package.unlink()
    return True


def replace(path: Path, data: bytes) -> None:
    """Put `data` in the place of the user's own file at `path`, all at once; the file keeps its mode.

    Raises `OutputError`, also when the file is a link or read-only: then, and at any other failure, it is as it was.
    """
    with _failures(path, "written"):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            raise OutputError(
                f"{path}: is a link, and skillpack does not write through links; edit its target"
            )
        if not stat.S_ISREG(mode):
            raise OutputError(f"{path}: is no regular file")
        if not os.access(path, os.W_OK):  # to replace it takes no more than a directory that can be written
            raise OutputError(f"{path}: is read-only; make it writable first")
        _replace(path, data, mode=stat.S_IMODE(mode))


def write_report(path: Path, data: bytes) -> None:
    """Write `data` to the file that the user named for it; raises `OutputError`.

    In place, as a shell's `>` does, since it may be a pipe, a device or a link to one (`/dev/stderr`, `>(…)`): to
    write beside it and rename would replace that. A link to anything else is refused.
    """
    with _failures(path, "written"):
        if path.is_symlink() and (path.is_file() or not path.exists()):
            raise OutputError(
                f"{path}: is a link, and skillpack does not write through links; name its target"
            )
        path.write_bytes(data)


def compare(path: Path, data: bytes, *, root: Path) -> State:
    """Return how the file at `path` stands to `data`, CRLF counting as LF.

    Raises `OutputError` where `write` would refuse to put `data`.
    """
    with _failures(path, "read"):
        _refuse(path, _in_the_way(path, root))
        if _existing(path) is None:
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
    with _failures(path, "removed"):
        ours = is_written(path, root=root)
        if ours:
            path.unlink()
    return ours


def is_written(path: Path, *, root: Path) -> bool:
    """Return whether there is a file at `path` that skillpack wrote, and no link leads there."""
    return _link(path, root) is None and path.is_file() and _is_ours(path)


def obstacle(path: Path, *, root: Path, force: bool = False) -> Obstacle | None:
    """Return what keeps the module from being written at `path`, or None; the finding `output-foreign`.

    `root` and `force` are those of `write`, which refuses the same. That the directory is not there yet is none, and
    neither is what cannot be read.
    """
    try:
        return _in_the_way(path, root, force=force)
    except OSError:
        return None


def _in_the_way(path: Path, root: Path, *, force: bool = False) -> Obstacle | None:
    link = _link(path, root)
    if link is not None:
        subject = "" if link == path.absolute() else f"its directory {link.name} "
        return Obstacle(
            message=f"{subject}is a link, and skillpack does not write through links",
            hint="remove the link, or choose another `module`",
        )
    old = _existing(path)
    if old is not None and not stat.S_ISREG(old.st_mode):
        what = "a directory" if stat.S_ISDIR(old.st_mode) else "no regular file"
        return Obstacle(message=f"is {what}", hint="move it away, or choose another `module`")
    if old is not None and not force and not _is_ours(path):
        return Obstacle(
            message="skillpack did not write this file (its first line would say so), so it stays",
            hint="move it away, choose another `module`, or replace it with `skillpack bundle --force`",
        )
    hiding = _hiding(path) if path.parent.is_dir() else []
    if hiding:
        return Obstacle(
            message=f"Python would import {hiding[0]}, which lies beside it, in its place",
            hint="move that away, or choose another `module`",
        )
    return None


@contextmanager
def _failures(path: Path, done: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be {done} ({error.strerror or error})") from None


def _link(path: Path, root: Path) -> Path | None:
    """Return the first part of `path` that is a link, from the last; above `root` links are the user's own."""
    target = path.absolute()
    places = [target, *target.parents]
    top = root.absolute()
    below = places[: places.index(top)] if top in places else places[:1]
    return next((place for place in below if place.is_symlink()), None)


def _existing(path: Path) -> os.stat_result | None:
    """Return what is known of what stands at `path`, None when there is nothing."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def _package(path: Path) -> Path:
    """Return where the package of the module's name would be, which Python would import instead of the module."""
    return path.with_suffix("") / "__init__.py"


def _other_form(path: Path) -> Path | None:
    """Return that package if skillpack wrote it."""
    package = _package(path)
    return package if package.is_file() and _is_ours(package) else None


def _hiding(path: Path) -> list[str]:
    """Return what is not skillpack's and would be imported in the place of the module, seen from its directory."""
    names = [entry.name for entry in path.parent.iterdir()]
    package = _package(path)
    if package.is_file() and not _is_ours(package):
        names.append(f"{package.parent.name}/{package.name}")
    return shadows(path.name, names)


def _is_ours(path: Path) -> bool:
    with path.open("rb") as stream:
        return is_emitted(stream.read(len(FIRST_LINE) + 2))


def _refuse(path: Path, found: Obstacle | None) -> None:
    if found is not None:
        raise OutputError(f"{path}: output-foreign: {found.message}; {found.hint}")


def _replace(path: Path, data: bytes, *, mode: int, modified: int | None = None) -> None:
    """Put `data` at `path` by a temporary file beside it; `modified` is its time in nanoseconds, if not now."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=TEMPORARY_PREFIX, suffix=".tmp")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            _remove_leftovers(path.parent, before=os.fstat(descriptor).st_mtime - LEFTOVER_SECONDS)
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
        part.chmod(mode)
        if modified is not None:
            os.utime(part, ns=(modified, modified))
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _remove_leftovers(directory: Path, *, before: float) -> None:
    """Remove what a killed run left beside the module, where a wheel would ship it.

    Ours is what has the name and either the first line or nothing in it yet. `before` is seconds since the epoch by
    the clock of the file system, so that the files of runs at the same time stay.
    """
    for path in directory.glob(f"{TEMPORARY_PREFIX}*.tmp"):
        with suppress(OSError):
            found = path.lstat()
            if (
                stat.S_ISREG(found.st_mode)
                and found.st_mtime < before
                and (not found.st_size or _is_ours(path))
            ):
                path.unlink()
