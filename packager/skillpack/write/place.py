"""The place of an output: whose it is, what is in the way there, and how bytes get there."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from skillpack import temporary
from skillpack.emit.layout import FIRST_LINE, is_emitted
from skillpack.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

State = Literal["equal", "missing", "stale", "runtime-newer", "off"]
"""How an output on disk stands to what would be written.

`runtime-newer`: same skills, other code around them; `off`: there is to be none, and there is one.
"""

FILE_MODE = 0o644
TEMPORARY_PREFIX = ".skillpack-"
TEMPORARY_SUFFIX = ".tmp"
CACHE = "__pycache__"


MOST_WAITING = 32
"""So many files at most are written and not in their places yet."""
_AT_A_TIME = 8


class _Waiting(NamedTuple):
    """A file that is written at `part` and is to be at `path`."""

    part: Path
    path: Path
    modified: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """What stands at `path`, in the place of an output, and is not skillpack's.

    `message` says what it is, `hint` what to do.
    """

    path: Path
    message: str
    hint: str


def refuse(found: Obstacle | None) -> None:
    """Raise `OutputError` if anything is in the way."""
    if found is not None:
        raise OutputError(f"{found.path}: output-foreign: {found.message}; {found.hint}")


@contextmanager
def failures(path: Path, done: str) -> Iterator[None]:
    """Turn an OSError into an `OutputError` that says what could not be done at `path`."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be {done} ({error.strerror or error})") from None


def link_on(path: Path, root: Path) -> Path | None:
    """Return the first part of `path` that is a link, from the last; above `root` links are the user's own."""
    target = path.absolute()
    places = [target, *target.parents]
    top = root.absolute()
    below = places[: places.index(top)] if top in places else places[:1]
    return next((place for place in below if place.is_symlink()), None)


def link_in_the_way(path: Path, root: Path) -> Obstacle | None:
    """Return the link by which one comes to `path`."""
    link = link_on(path, root)
    if link is None:
        return None
    subject = "" if link == path.absolute() else f"its directory {link.name} "
    return Obstacle(
        path=path,
        message=f"{subject}is a link, and skillpack does not write through links",
        hint="remove the link, or choose another `module`",
    )


def file_in_the_way(path: Path, root: Path, *, force: bool) -> Obstacle | None:
    """Return the link on the way to `path`, or what is there and cannot be replaced: unless `force`, a foreign file."""
    link = link_in_the_way(path, root)
    old = existing(path)
    if link is not None or old is None:
        return link
    if not stat.S_ISREG(old.st_mode):
        what = "a directory" if stat.S_ISDIR(old.st_mode) else "no regular file"
        return Obstacle(path=path, message=f"is {what}", hint="move it away, or choose another `module`")
    if force or is_ours(path):
        return None
    return Obstacle(
        path=path,
        message="skillpack did not write this file (its first line would say so), so it stays",
        hint="move it away, choose another `module`, or replace it with `skillpack bundle --force`",
    )


def existing(path: Path) -> os.stat_result | None:
    """Return what is known of what stands at `path`, None when there is nothing."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def is_ours(path: Path) -> bool:
    """Return whether a file bears skillpack's first line."""
    with path.open("rb") as stream:
        return is_emitted(stream.read(len(FIRST_LINE) + 2))


def no_directory(path: Path) -> OutputError:
    """Return the refusal to make the directory that an output would be in."""
    return OutputError(
        f"{path}: the directory {path.parent} does not exist; create it if the path is right, else mend `module` or -o"
    )


def modified(old: os.stat_result, now: float) -> int:
    """Return the modification time, in nanoseconds, of what replaces the file `old` at the time `now`.

    At least a second later: Python takes a .pyc for current when size and second agree.
    """
    return max(int(now * 10**9), old.st_mtime_ns + 10**9)


def put(path: Path, data: bytes, *, mode: int, modified: int | None = None) -> None:
    """Put `data` at `path` by a temporary file beside it; `modified` is its time in nanoseconds, if not now."""
    with beside(path, data, mode=mode, modified=modified) as part:
        part.replace(path)


@contextmanager
def beside(path: Path, data: bytes, *, mode: int, modified: int | None = None) -> Iterator[Path]:
    """Give a temporary file beside `path` that is as `put` puts it there, and on the disk; who fails has it removed."""
    part = temporary.name_in(path.parent, TEMPORARY_PREFIX, TEMPORARY_SUFFIX)
    with temporary.written(part, data, is_synced=True):
        part.chmod(mode)
        if modified is not None:
            os.utime(part, ns=(modified, modified))
        yield part


class Puts:
    """Puts files in their places, some at a time: each appears all at once, and no sooner than it is on the disk.

    To wait for the disk with each takes most of the time of a run; to wait for many at once takes little longer than
    for one. At the end of a `with` block all are in place. When that ends with an error, those that are in no place
    yet are gone.
    """

    def __init__(self) -> None:
        self._in_use = ExitStack()
        self._waiting: list[_Waiting] = []

    def __enter__(self) -> Self:
        self._in_use.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._in_use:
            if error is not None:
                raise error  # to each file that waits, which removes it
            self.settle()

    def put(self, path: Path, data: bytes, *, mode: int, modified: int | None = None) -> None:
        """Write `data` to a temporary file beside `path`, where it is to be; the rest is as `put` has it."""
        part = temporary.name_in(path.parent, TEMPORARY_PREFIX, TEMPORARY_SUFFIX)
        self._in_use.enter_context(temporary.written(part, data))
        part.chmod(mode)
        self._waiting.append(_Waiting(part, path, modified))
        if len(self._waiting) >= MOST_WAITING:
            self.settle()

    def settle(self) -> None:
        """Put all in their places, in the order in which they came."""
        _sync_all([waiting.part for waiting in self._waiting])
        for waiting in self._waiting:
            _arrive(waiting)
        self._waiting.clear()
        self._in_use.close()


def _sync_all(paths: list[Path]) -> None:
    if len(paths) > 1:
        from concurrent.futures import ThreadPoolExecutor

        # where no thread can be started (a limit of processes or of memory, WebAssembly) one goes on without
        with suppress(RuntimeError), ThreadPoolExecutor(_AT_A_TIME) as threads:
            list(threads.map(_sync, paths))
            return
    for path in paths:
        _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _arrive(waiting: _Waiting) -> None:
    if waiting.modified is not None:
        os.utime(waiting.part, ns=(waiting.modified, waiting.modified))
    waiting.part.replace(waiting.path)


def remove_compiled(path: Path) -> None:
    """Remove what Python compiled of a source that goes: it would be taken for current if one of its time and size comes.

    Where `__pycache__` is a link it stays: the link may lead out of the project.
    """
    cache = path.parent / CACHE
    if not cache.is_symlink():
        for compiled in cache.glob(f"{path.stem}.*.pyc"):
            compiled.unlink()


def is_empty_directory(path: Path) -> bool:
    """Return whether there is a directory at `path`, no link to one, and nothing in it."""
    return path.is_dir() and not path.is_symlink() and not any(path.iterdir())


def remove_leftovers(directory: Path) -> None:
    """Remove what killed runs left in a directory, where a wheel would ship it; the files of runs at the same time stay."""
    temporary.sweep(directory, TEMPORARY_PREFIX, TEMPORARY_SUFFIX)
