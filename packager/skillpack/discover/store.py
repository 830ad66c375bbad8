"""The content store: the one copy of what the walk has read, in memory first, then in a private spool."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from typing import IO, TYPE_CHECKING, NamedTuple, Self

from skillpack.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from skillpack.model import Content, Fingerprint

MEMORY_BYTES = 64 * 2**20
"""Contents up to this size in all stay in memory."""

BUFFER_BYTES = 2**20
"""How much is written to the spool at a time: a call for each content took a third of the time of the walk."""


class ContentStore:
    """Keeps contents until the end of a `with` block: in memory up to `memory_bytes` in all, then in a spool.

    Equal contents are kept once. `fingerprint` gives what is known of some bytes; it is called once for each `put`,
    while they are at hand, so that no later stage has to hash them or to read them for that.

    The spool is a file that has no name where the system can do that, so that nobody else opens it and the system
    removes it, also of a run that is killed; elsewhere only its owner can open it (mode 0600). It is made when the
    first content does not fit, and goes at the end of the block. Source: architecture, "The data's way".
    """

    def __init__(
        self, *, fingerprint: Callable[[bytes], Fingerprint], memory_bytes: int = MEMORY_BYTES
    ) -> None:
        self._fingerprint = fingerprint
        self._contents: dict[str, Content] = {}
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
        fingerprint = self._fingerprint(data)
        known = self._contents.get(fingerprint.blake3)
        if known is None:
            known = self._contents[fingerprint.blake3] = self._keep(data, fingerprint)
        return known

    def _keep(self, data: bytes, fingerprint: Fingerprint) -> Content:
        if len(data) <= self._free_bytes:
            self._free_bytes -= len(data)
            return _Held(data, fingerprint)
        try:
            self._spool = self._spool or self._open_spool()
            return _Spooled(self._spool, self._spool.append(data), len(data), fingerprint)
        except OSError as error:
            raise _no_room(error) from error

    def settle(self) -> None:
        """Write what is still to be written, so that a full disk is an error here; raises `OutputError`."""
        try:
            if self._spool:
                self._spool.flush()
        except OSError as error:
            raise _no_room(error) from error

    def _open_spool(self) -> _Spool:
        file = tempfile.TemporaryFile(buffering=BUFFER_BYTES, prefix="skillpack-")  # noqa: SIM115 - closed with the store
        self._exit.callback(_close, file)
        return _Spool(file)


def _no_room(error: OSError) -> OutputError:
    return OutputError(
        f"the temporary directory cannot hold what was read ({error.strerror}); set TMPDIR to one with more room"
    )


class _Spool:
    """One growing file: a file for each content would cost three more system calls a content."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._size = 0
        self._is_at_end = True
        # Contents are read from several threads while hashing, and the position in a file is shared by all.
        self._lock = threading.Lock()

    def append(self, data: bytes) -> int:
        """Write `data` to the end; return where it begins."""
        with self._lock:
            offset = self._size
            if not self._is_at_end:
                self._file.seek(offset)
                self._is_at_end = True
            self._file.write(data)
            self._size += len(data)
        return offset

    def flush(self) -> None:
        self._file.flush()

    def read(self, offset: int, size: int) -> bytes:
        with self._lock:
            self._is_at_end = False
            self._file.seek(offset)
            return self._file.read(size)


def _close(file: IO[bytes]) -> None:
    """Close `file`; what a full disk did not take is thrown away here anyhow."""
    with contextlib.suppress(OSError):
        file.close()


class _Held(NamedTuple):
    """A content in memory."""

    data: bytes
    fingerprint: Fingerprint

    def read(self) -> bytes:
        return self.data


class _Spooled(NamedTuple):
    """A content in the spool: `size` bytes from `offset`."""

    spool: _Spool
    offset: int
    size: int
    fingerprint: Fingerprint

    def read(self) -> bytes:
        return self.spool.read(self.offset, self.size)
