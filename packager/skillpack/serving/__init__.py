"""A server of skills over MCP as a process: transports in bounds, and an end that no client can hold up."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

MAX_MESSAGE_BYTES = 4 * 2**20
"""How long one message of a client may be, in bytes; requests for skills are of a few hundred."""


def run(work: Callable[[asyncio.Event], Awaitable[None]], ready: Callable[[], None]) -> int | None:
    """Run `work` to its end, and return the number of the signal that ended it, if one did.

    SIGINT and SIGTERM set the event that `work` is given, which has to return soon then; `ready` is called as soon as
    they do.
    """
    caught: list[int] = []
    wake: list[Callable[[], object]] = []

    def ask(number: int, _frame: object) -> None:
        caught.append(number)
        for call in wake:
            call()

    async def supervised() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        wake.append(lambda: loop.call_soon_threadsafe(stop.set))
        if caught:
            stop.set()
        await work(stop)
        wake.clear()

    # not the handlers of a loop, which no Windows has
    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        ready()
        asyncio.run(supervised())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return caught[0] if caught else None
