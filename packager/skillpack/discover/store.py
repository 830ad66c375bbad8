"""The content store: the one copy of what the walk has read, in memory first, then in a private spool."""

from __future__ import annotations

import contextlib
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

    Equal contents are kept once: `identity` gives what tells some bytes from others, for each `put`. `fingerprint` gives
    all that is known of them, by the bytes and their identity. It is called once for each content: when it goes to the
    spool, so that it is not read again for that, and else when it is asked for.

    The spool is a file that has no name where the system can do that, so that nobody else opens it and the system
    removes it, also of a run that is killed; elsewhere only its owner can open it (mode 0600). It is made when the
    first content does not fit, and goes at the end of the block. Source: architecture, "The data's way".
    """

    def __init__(
        self,
        *,
        identity: Callable[[bytes], str],
        fingerprint: Callable[[bytes, str], Fingerprint],
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._identity = identity
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
        identity = self._identity(data)
        known = self._contents.get(identity)
        if known is None:
            known = self._contents[identity] = self._keep(data, identity)
        return known

    def _keep(self, data: bytes, identity: str) -> Content:
        if len(data) <= self._free_bytes:
            self._free_bytes -= len(data)
            return _Held(data, identity, self._fingerprint)
        try:
            self._spool = self._spool or self._open_spool()
            offset = self._spool.append(data)
        except OSError as error:
            raise _no_room(error) from error
        return _Spooled(self._spool, offset, len(data), self._fingerprint(data, identity))

    def settle(self) -> None:
        """Write what is still to be written, so that a full disk is an error here; raises `OutputError`."""
        try:
            if self._spool:
                self._spool.flush()
        except OSError as error:
            raise _no_room(error) from error

    def _open_spool(self) -> _Spool:
        import tempfile  # most runs need no spool

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


class _Held:
    """A content in memory."""

    __slots__ = ("_compute", "_data", "_known", "identity")

    def __init__(self, data: bytes, identity: str, compute: Callable[[bytes, str], Fingerprint]) -> None:
        self._data = data
        self._compute = compute
        self._known: Fingerprint | None = None
        self.identity = identity

    @property
    def fingerprint(self) -> Fingerprint:
        if self._known is None:
            self._known = self._compute(self._data, self.identity)
        return self._known

    def read(self) -> bytes:
        return self._data


class _Spooled(NamedTuple):
    """A content in the spool: `size` bytes from `offset`."""

    spool: _Spool
    offset: int
    size: int
    fingerprint: Fingerprint

    @property
    def identity(self) -> str:
        return self.fingerprint.blake3

    def read(self) -> bytes:
        return self.spool.read(self.offset, self.size)
