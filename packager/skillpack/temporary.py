"""Temporary files that the next run knows from those in use: whoever makes one holds a lock on it.

The system lifts the lock from a run that is killed, so that what has no lock was left behind, however young it is. Age
alone was rejected: it keeps what a killed run left in the user's tree for as long as a slow run may take, and goes by
clocks.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEFTOVER_SECONDS = 3600
"""Where there are no locks: what is older by this than the last change of its directory is in no use."""

_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
# not to wait for a FIFO, whoever put it there
_LOOK = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_LOOK_INTO = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)


def name_in(directory: Path, prefix: str, suffix: str = "") -> Path:
    """Return the path of a temporary file that is not there yet: between prefix and suffix are 16 hex characters."""
    return directory / f"{prefix}{secrets.token_hex(8)}{suffix}"


@contextmanager
def written(path: Path, data: bytes, *, is_synced: bool = False) -> Iterator[None]:
    """Write `data` to a new file (mode 0600), which is in use within the `with` block; who fails there has it removed.

    With `is_synced` it is on the disk before. Raises `OSError`.
    """
    descriptor = held = None
    try:
        descriptor = _created(path)
        # the lock lasts as long as a copy of the descriptor; Windows has no locks, and moves no file that is open
        held = os.dup(descriptor) if os.name == "posix" else None
        with os.fdopen(descriptor, "wb") as stream:
            descriptor = None
            stream.write(data)
            stream.flush()
            if is_synced:
                os.fsync(stream.fileno())
        yield
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
    finally:
        for still_open in (descriptor, held):
            if still_open is not None:
                os.close(still_open)


def _created(path: Path) -> int:
    while True:
        descriptor = os.open(path, _CREATE, 0o600)
        try:
            lock(descriptor)
            if os.fstat(descriptor).st_nlink:
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # somebody swept it away before it was locked


def create_directory(path: Path) -> int | None:
    """Make a directory (mode 0700), in use until the descriptor that is returned is closed.

    Where directories cannot be opened or locked it is made all the same, and None is returned: `sweep` goes by its age
    there. Raises `OSError`.
    """
    while True:
        path.mkdir(mode=0o700)
        try:
            descriptor = os.open(path, _LOOK_INTO)
        except FileNotFoundError:
            continue  # somebody swept it away before it was opened
        except OSError:
            return None
        try:
            is_locked = lock(descriptor)
            is_there = is_at(descriptor, path)  # or before it was locked
        except BaseException:
            os.close(descriptor)
            raise
        if is_there and is_locked:
            return descriptor
        os.close(descriptor)
        if is_there:
            return None


def lock(descriptor: int) -> bool:
    """Wait for the lock on an open file and take it; return False where there are no locks."""
    try:
        import fcntl  # here, as Windows has none

        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except (ImportError, OSError):
        return False
    return True


def is_at(descriptor: int, path: Path) -> bool:
    """Return whether what is open is what stands at `path`, and was not removed meanwhile; raises `OSError`."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def sweep(directory: Path, prefix: str, suffix: str = "") -> None:
    """Remove the temporary files and directories with such names that no run uses; what cannot be removed stays."""
    with suppress(OSError):
        for path in _named(directory, prefix, suffix):
            with suppress(OSError):
                _sweep_one(path)


def _named(directory: Path, prefix: str, suffix: str) -> Iterator[Path]:
    name = re.compile(f"{re.escape(prefix)}[0-9a-f]{{16}}{re.escape(suffix)}")
    with os.scandir(directory) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(prefix)]
    return (directory / found for found in names if name.fullmatch(found))


def _sweep_one(path: Path) -> None:
    found = path.lstat()
    is_directory = stat.S_ISDIR(found.st_mode)
    if not is_directory and not stat.S_ISREG(found.st_mode):
        return
    # directories are made where anybody may make some
    if is_directory and found.st_uid != getattr(os, "geteuid", lambda: 0)():  # 0 is what Windows gives
        return
    is_locked = None
    unopened = [PermissionError] if is_directory else []  # Windows opens no directory
    with suppress(*unopened):
        descriptor = os.open(path, _LOOK_INTO if is_directory else _LOOK)
        try:
            is_locked = _try_lock(descriptor)
            if is_locked and os.path.samestat(os.fstat(descriptor), path.lstat()):
                _remove(path, is_directory=is_directory)
        finally:
            os.close(descriptor)
    if is_locked is None and found.st_mtime < path.parent.stat().st_mtime - LEFTOVER_SECONDS:
        _remove(path, is_directory=is_directory)  # after it was closed, as Windows wants it


def _remove(path: Path, *, is_directory: bool) -> None:
    if is_directory:
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()


def _try_lock(descriptor: int) -> bool | None:
    """Return whether the lock on an open file was free, and is taken now; None where there are no locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True
