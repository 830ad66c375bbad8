"""MCP over standard input and output, a message a line.

Not the SDK's own transport: that reads lines of any length, drops what is no message without an answer, and waits for
another line before it ends at a signal.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from skillpack.serving import MAX_MESSAGE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcp.server.lowlevel import Server

_CHUNK_BYTES = 65_536
_MAX_PENDING = 16
"""How many requests may wait for their answers, which a client may not read, before no further message is taken."""
_IDLE_SECONDS = 1.0
_CANCELLED = "notifications/cancelled"


async def serve(server: Server[Any], stop: asyncio.Event) -> None:
    """Serve until standard input ends, nobody reads standard output any more, or `stop` is set.

    What was asked before the input ended is answered. Meanwhile what anything prints goes to standard error.
    """
    import anyio

    with _wire() as (source, sink):
        incoming, requests = anyio.create_memory_object_stream[Any](0)
        answers, outgoing = anyio.create_memory_object_stream[Any](0)
        told = answers.clone()
        exchange = _Exchange()

        async def run() -> None:
            try:
                await server.run(requests, answers, server.create_initialization_options())
            finally:
                told.close()

        sending = asyncio.create_task(exchange.send(outgoing, sink))
        stopping = asyncio.create_task(stop.wait())
        others = (
            asyncio.create_task(run()),
            asyncio.create_task(exchange.receive(source, incoming, told)),
            stopping,
        )
        await asyncio.wait((sending, stopping), return_when=asyncio.FIRST_COMPLETED)
        for task in (sending, *others):
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        with suppress(BrokenPipeError, asyncio.CancelledError):
            await sending


class _Exchange:
    """The messages of one client; `_pending` counts the requests of each id that are not answered yet."""

    def __init__(self) -> None:
        self._pending: Counter[object] = Counter()
        self._sent = asyncio.Event()
        self._is_writing = False

    async def receive(self, source: int, incoming: Any, told: Any) -> None:
        """Pass on each message; what is none is answered with an error of JSON-RPC."""
        from mcp.shared.message import SessionMessage
        from mcp_types import (
            INVALID_REQUEST,
            PARSE_ERROR,
            ErrorData,
            JSONRPCError,
            jsonrpc_message_adapter,
        )
        from pydantic import ValidationError

        async with incoming:
            async for line in _Lines(source):
                await self._at_most(_MAX_PENDING)
                try:
                    message = jsonrpc_message_adapter.validate_json(line or b"", by_name=False)
                except ValidationError as fault:
                    error = ErrorData(code=INVALID_REQUEST, message="not a message of JSON-RPC 2.0")
                    if line is None:
                        error.message = f"a message of over {MAX_MESSAGE_BYTES >> 20} MiB"
                    elif fault.errors()[0]["type"] == "json_invalid":
                        error = ErrorData(code=PARSE_ERROR, message="not JSON")
                    await told.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error)))
                    continue
                self._note(message)
                await incoming.send(SessionMessage(message))
            await self._at_most(0)

    async def send(self, outgoing: Any, sink: int) -> None:
        """Write each message; raises `OSError`, which is a `BrokenPipeError` when nobody reads them any more."""
        writer = _Writer(sink)
        async with outgoing:
            async for sent in outgoing:
                text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                self._is_writing = True
                await writer.write(f"{text}\n".encode())
                self._is_writing = False
                self._forget(getattr(sent.message, "id", None))

    def _note(self, message: Any) -> None:
        """Remember a request until it is answered, or no longer wanted: then nothing may come."""
        method = getattr(message, "method", None)
        if method is not None and hasattr(message, "id"):
            self._pending[message.id] += 1
        elif method == _CANCELLED:
            wanted = (message.params or {}).get("requestId")
            if isinstance(wanted, int | str):
                self._forget(wanted)

    def _forget(self, id_: object) -> None:
        self._pending[id_] -= 1
        if self._pending[id_] <= 0:
            del self._pending[id_]
        self._sent.set()

    async def _at_most(self, pending: int) -> None:
        while self._pending.total() > pending:
            self._sent.clear()
            try:
                await asyncio.wait_for(self._sent.wait(), _IDLE_SECONDS)
            except TimeoutError:
                if not self._is_writing:  # answers take no time: those that are missing do not come
                    self._pending.clear()


@contextmanager
def _wire() -> Iterator[tuple[int, int]]:
    """Give descriptors of the protocol's own; 0 reads nothing and 1 is standard error as long as it holds them."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield source, sink
    finally:
        os.dup2(source, 0)
        os.dup2(sink, 1)
        os.close(nothing)
        # source and sink stay open: a thread may still wait for them, and would get those of another file


class _Lines:
    """The lines of a descriptor, read by a thread that nothing has to wait for; None stands for one that is too long."""

    def __init__(self, source: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._next: asyncio.Queue[tuple[bytes | None] | None] = asyncio.Queue()
        self._wanted = threading.Semaphore(0)
        read = partial(os.read, source, _CHUNK_BYTES)
        threading.Thread(target=self._pump, args=(read,), daemon=True).start()

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> bytes | None:
        self._wanted.release()
        found = await self._next.get()
        if found is None:
            raise StopAsyncIteration
        return found[0]

    def _pump(self, read: Callable[[], bytes]) -> None:
        with suppress(RuntimeError):  # the loop has been closed
            with suppress(OSError):  # a terminal that is gone
                for line in lines(read):
                    self._wanted.acquire()
                    self._loop.call_soon_threadsafe(self._next.put_nowait, (line,))
            self._loop.call_soon_threadsafe(self._next.put_nowait, None)


def lines(read: Callable[[], bytes], limit: int = MAX_MESSAGE_BYTES) -> Iterator[bytes | None]:
    """Give the lines of what `read` gives bit by bit, without blank ones; None for one of over `limit` bytes."""
    kept = bytearray()
    is_long = False
    while chunk := read():
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            if is_long or len(kept) + len(end) > limit:
                yield None
            elif line := bytes(kept + end).strip():
                yield line
            kept.clear()
            is_long = False
        is_long = is_long or len(kept) + len(rest) > limit
        if is_long:
            kept.clear()
        else:
            kept += rest
    if is_long:
        yield None
    elif line := bytes(kept).strip():
        yield line


class _Writer:
    """Writes to a descriptor in a thread that nothing has to wait for."""

    def __init__(self, sink: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._items: SimpleQueue[tuple[bytes, asyncio.Future[None]]] = SimpleQueue()
        threading.Thread(target=self._drain, args=(sink,), daemon=True).start()

    async def write(self, data: bytes) -> None:
        """Write all of it; raises `OSError`."""
        written = self._loop.create_future()
        self._items.put((data, written))
        await written

    def _drain(self, sink: int) -> None:
        with suppress(RuntimeError):  # the loop has been closed
            while True:
                data, written = self._items.get()
                error = None
                try:
                    rest = memoryview(data)
                    while rest:
                        rest = rest[os.write(sink, rest) :]
                except OSError as raised:
                    error = raised
                self._loop.call_soon_threadsafe(_settle, written, error)


def _settle(written: asyncio.Future[None], error: OSError | None) -> None:
    if written.cancelled():
        return
    if error is None:
        written.set_result(None)
    else:
        written.set_exception(error)
