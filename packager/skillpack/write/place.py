"""The place of an output: whose it is, where links lead, and how bytes get there."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from skillpack.emit.layout import FIRST_LINE, is_emitted
from skillpack.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

State = Literal["equal", "missing", "stale", "runtime-newer"]
"""How an output on disk stands to what would be written; `runtime-newer`: same skills, other code around them."""

FILE_MODE = 0o644
TEMPORARY_PREFIX = ".skillpack-"


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


def is_ours(path: Path) -> bool:
    """Return whether a file bears skillpack's first line."""
    with path.open("rb") as stream:
        return is_emitted(stream.read(len(FIRST_LINE) + 2))


def foreign(path: Path) -> OutputError:
    """Return the refusal to replace a file that skillpack did not write."""
    return OutputError(
        f"{path}: output-foreign: skillpack did not write this file (its first line would say so), so it stays; "
        "move it away, choose another `module`, or replace it with `skillpack bundle --force`"
    )


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
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=TEMPORARY_PREFIX, suffix=".tmp")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
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
