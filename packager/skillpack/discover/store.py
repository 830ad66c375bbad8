"""The content store: the one copy of what the walk has read, in memory first, then in a private spool."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from skillpack.errors import OutputError

if TYPE_CHECKING:
    from types import TracebackType

    from skillpack.model import Content

MEMORY_BYTES = 64 * 2**20
"""Contents up to this size in all stay in memory."""


class ContentStore:
    """Keeps contents until the end of a `with` block: in memory up to `memory_bytes` in all, then in a spool.

    The spool is a directory that only its owner can enter (mode 0700). It is made when the first content does
    not fit, and removed at the end of the block, also when the block ends with an error. Source: architecture,
    "The data's way".
    """

    def __init__(self, *, memory_bytes: int = MEMORY_BYTES) -> None:
        self._free_bytes = memory_bytes
        self._spool: _Spool | None = None
        self._exit = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit.close()

    def put(self, data: bytes) -> Content:
        """Keep `data`; a content that went to the spool can be read until the end of the block.

        Raises `OutputError` when the temporary directory cannot hold it.
        """
        if len(data) <= self._free_bytes:
            self._free_bytes -= len(data)
            return _Held(data)
        try:
            self._spool = self._spool or self._open_spool()
            return self._spool.append(data)
        except OSError as error:
            raise OutputError(
                "the temporary directory cannot hold what was read"
                f" ({error.strerror}); set TMPDIR to one with more room"
            ) from error

    def _open_spool(self) -> _Spool:
        directory = self._exit.enter_context(
            tempfile.TemporaryDirectory(prefix="skillpack-", ignore_cleanup_errors=True)
        )
        file = (Path(directory) / "contents").open("w+b")
        self._exit.callback(_close, file)
        return _Spool(file)


class _Spool:
    """One growing file: a file for each content would cost three more system calls a content."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._size = 0
        # Contents are read from several threads while hashing, and the position in a file is shared by all.
        self._lock = threading.Lock()

    def append(self, data: bytes) -> _Spooled:
        with self._lock:
            self._file.seek(self._size)
            self._file.write(data)
            # Now and not later, so that a full disk is an error of this content.
            self._file.flush()
            content = _Spooled(self, self._size, len(data))
            self._size += len(data)
        return content

    def read(self, offset: int, size: int) -> bytes:
        with self._lock:
            self._file.seek(offset)
            return self._file.read(size)


def _close(file: IO[bytes]) -> None:
    """Close `file`; what a full disk did not take is thrown away here anyhow."""
    with contextlib.suppress(OSError):
        file.close()


@dataclass(frozen=True, slots=True)
class _Held:
    """A content in memory."""

    data: bytes

    def read(self) -> bytes:
        return self.data


@dataclass(frozen=True, slots=True)
class _Spooled:
    """A content in the spool: `size` bytes from `offset`."""

    spool: _Spool
    offset: int
    size: int

    def read(self) -> bytes:
        return self.spool.read(self.offset, self.size)
