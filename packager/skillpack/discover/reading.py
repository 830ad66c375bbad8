"""Reading the user's directories: every entry is opened without following links, and checked once it is open.

A name that was looked at and then opened can be another thing by then: a naive check and open leaked a file
outside the tree 14 times in 4 s while another process swapped names. So directories are opened relative to
their parent's descriptor and files with `O_NOFOLLOW`, and what counts is what the open descriptor says.
Source: screening, "Reading files safely".
"""

from __future__ import annotations

import abc
import contextlib
import enum
import errno
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

Identity = tuple[int, int]
"""Device and inode: what makes two paths the same directory."""

_NAME_SURROGATE = 0x20000000
"""The bit of a Windows reparse tag that says: stands for another entry (a link, a junction, a mount).

Other reparse points are ordinary files to a reader, for example those of a synchronised cloud folder.
"""

# O_NONBLOCK: opening a FIFO that has no writer returns at once. O_NOCTTY: a terminal does not become ours.
_FILE_FLAGS = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
    _FILE_FLAGS |= getattr(os, _flag, 0)
_TOP_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_DIRECTORY_FLAGS = _TOP_FLAGS | getattr(os, "O_NOFOLLOW", 0)


class ChangedError(Exception):
    """An entry is no longer what it was a moment ago."""


class Kind(enum.Enum):
    """What an entry is, links not followed."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    SPECIAL = "special"


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """What the platform can do, and the system calls themselves, so that a test can stand in for both.

    `relative`: directories have descriptors, and entries can be opened relative to them without following
    links. Where this is missing, an entry is looked at, opened by its path, and compared with what was looked
    at: a file that is swapped is noticed, a directory that is swapped for a link and back may not be.
    `mode_bits`: files have execute bits.
    """

    relative: bool
    mode_bits: bool
    open: Callable[..., int] = os.open
    stat: Callable[..., os.stat_result] = os.stat
    fstat: Callable[[int], os.stat_result] = os.fstat
    read: Callable[[int, int], bytes] = os.read
    close: Callable[[int], None] = os.close
    scandir: Callable[..., AbstractContextManager[Iterable[os.DirEntry[str]]]] = os.scandir


SYSTEM = System(
    relative=(
        {os.open, os.stat} <= os.supports_dir_fd
        and os.scandir in os.supports_fd
        and hasattr(os, "O_NOFOLLOW")
        and hasattr(os, "O_DIRECTORY")
    ),
    mode_bits=os.name == "posix",
)
"""The platform that this runs on."""


class Directory(abc.ABC):
    """An open directory. Names are those that the system uses, which may hold lone surrogates.

    Every method raises `OSError` as the system call does, and `ChangedError`.
    """

    identity: Identity

    @abc.abstractmethod
    def entries(self) -> Iterator[tuple[str, Kind]]:
        """Yield the entries, in the order of the file system, without opening them."""

    @abc.abstractmethod
    def kind(self, name: str) -> Kind:
        """Return what the entry is now."""

    @abc.abstractmethod
    def open_directory(self, name: str) -> Directory:
        """Open an entry that is a directory; a link to one is an `OSError`."""

    @abc.abstractmethod
    def open_file(self, name: str) -> int:
        """Return a descriptor of an entry; a link is an `OSError`. It may be no file: see its `fstat`."""

    @abc.abstractmethod
    def close(self) -> None:
        """Give up the descriptor, if there is one."""


class _RelativeDirectory(Directory):
    """A directory by its descriptor."""

    def __init__(self, system: System, descriptor: int) -> None:
        self._system = system
        self._descriptor = descriptor
        try:
            self.identity = _identity(system.fstat(descriptor))
        except OSError:
            system.close(descriptor)
            raise

    def entries(self) -> Iterator[tuple[str, Kind]]:
        with self._system.scandir(self._descriptor) as entries:
            for entry in entries:
                is_file = entry.is_file(follow_symlinks=False)
                yield entry.name, Kind.FILE if is_file else _kind_of_other(entry)

    def kind(self, name: str) -> Kind:
        return kind_of(self._system.stat(name, dir_fd=self._descriptor, follow_symlinks=False))

    def open_directory(self, name: str) -> Directory:
        descriptor = self._system.open(name, _DIRECTORY_FLAGS, dir_fd=self._descriptor)
        return _RelativeDirectory(self._system, descriptor)

    def open_file(self, name: str) -> int:
        return self._system.open(name, _FILE_FLAGS, dir_fd=self._descriptor)

    def close(self) -> None:
        self._system.close(self._descriptor)


class _PathDirectory(Directory):
    """A directory by its path, for platforms without descriptors of directories."""

    def __init__(self, system: System, path: str, status: os.stat_result) -> None:
        self._system = system
        self._path = path
        self.identity = _identity(status)

    def entries(self) -> Iterator[tuple[str, Kind]]:
        with self._system.scandir(self._path) as entries:
            for entry in entries:
                yield entry.name, kind_of(entry.stat(follow_symlinks=False))
        if _identity(self._look(self._path)) != self.identity:
            raise ChangedError

    def kind(self, name: str) -> Kind:
        return kind_of(self._look(self._join(name)))

    def open_directory(self, name: str) -> Directory:
        path = self._join(name)
        status = self._look(path)
        kind = kind_of(status)
        if kind is not Kind.DIRECTORY:
            raise _os_error(errno.ELOOP if kind is Kind.LINK else errno.ENOTDIR)
        return _PathDirectory(self._system, path, status)

    def open_file(self, name: str) -> int:
        path = self._join(name)
        before = self._look(path)
        kind = kind_of(before)
        if kind is not Kind.FILE:
            # Not opened: without O_NONBLOCK a FIFO would wait, and opening a device can have effects.
            raise _os_error(errno.ELOOP if kind is Kind.LINK else errno.ENXIO)
        descriptor = self._system.open(path, _FILE_FLAGS & ~getattr(os, "O_NOFOLLOW", 0))
        with contextlib.ExitStack() as on_error:
            on_error.callback(self._system.close, descriptor)
            if _identity(self._system.fstat(descriptor)) != _identity(before):
                raise ChangedError
            on_error.pop_all()
        return descriptor

    def close(self) -> None:
        """Do nothing: there is no descriptor."""

    def _join(self, name: str) -> str:
        return os.path.join(self._path, name)  # noqa: PTH118 - names with lone surrogates, in the inner loop

    def _look(self, path: str) -> os.stat_result:
        return self._system.stat(path, follow_symlinks=False)


def open_top(path: str, system: System = SYSTEM) -> Directory:
    """Open the directory at `path` from which a walk starts; links on the way to it are followed.

    Raises `OSError`.
    """
    if system.relative:
        return _RelativeDirectory(system, system.open(path, _TOP_FLAGS))
    status = system.stat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise _os_error(errno.ENOTDIR)
    return _PathDirectory(system, path, status)


def read_whole(descriptor: int, status: os.stat_result, system: System = SYSTEM) -> bytes:
    """Return the contents of a file that is open at its beginning and whose `fstat` is `status`.

    Raises `OSError`, and `ChangedError` when the file is not as long as `status` says or was written to
    meanwhile.
    """
    size = status.st_size
    # One byte more than there should be: then one call reads the file and sees its end.
    data = piece = system.read(descriptor, size + 1)
    while piece and len(data) < size:  # what is not on a disk may come in pieces
        piece = system.read(descriptor, size + 1 - len(data))
        data += piece
    after = system.fstat(descriptor)
    if (
        len(data) != size
        or after.st_size != size
        # what writing to a file changes: its mtime can be set back, its ctime cannot
        or after.st_ctime_ns != status.st_ctime_ns
        or after.st_mtime_ns != status.st_mtime_ns
    ):
        raise ChangedError
    return data


def text_of(name: str) -> str | None:
    """Return an entry's name as UTF-8 text, whatever the locale says; None when it is none."""
    if name.isascii():
        return name
    try:
        return os.fsencode(name).decode("utf-8")
    except UnicodeDecodeError:
        return None


def shown(name: str) -> str:
    """Return a name for people: bytes that are not UTF-8 are written as escapes."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def path_of(top: Path, path: str) -> Path:
    """Return where the system has what lies at the POSIX path `path`, UTF-8 text, below `top`."""
    return top / os.fsdecode(path.encode("utf-8"))


def kind_of(status: os.stat_result) -> Kind:
    """Return the kind of what a `stat` that does not follow links has found."""
    if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) & _NAME_SURROGATE:
        return Kind.LINK
    if stat.S_ISDIR(status.st_mode):
        return Kind.DIRECTORY
    return Kind.FILE if stat.S_ISREG(status.st_mode) else Kind.SPECIAL


def _kind_of_other(entry: os.DirEntry[str]) -> Kind:
    """Return the kind that the directory itself records of what is no file: on most file systems no further system call."""
    if entry.is_dir(follow_symlinks=False):
        return Kind.DIRECTORY
    return Kind.LINK if entry.is_symlink() else Kind.SPECIAL


def _identity(status: os.stat_result) -> Identity:
    return (status.st_dev, status.st_ino)


def _os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
