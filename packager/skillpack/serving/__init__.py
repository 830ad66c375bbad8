"""A server of skills over MCP as a process: transports in bounds, and an end that no client can hold up."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

MAX_MESSAGE_BYTES = 4 * 2**20
"""How long one message of a client may be, in bytes; requests for skills are of a few hundred."""


def run(work: Callable[[asyncio.Event], Awaitable[None]]) -> int | None:
    """Run `work` to its end, and return the number of the signal that ended it, if one did.

    SIGINT and SIGTERM set the event that `work` is given, which has to return soon then.
    """
    caught: list[int] = []

    async def supervised() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()

        def ask(number: int, _frame: object) -> None:
            caught.append(number)
            loop.call_soon_threadsafe(stop.set)

        # not those of the loop, which no Windows has
        before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            await work(stop)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    asyncio.run(supervised())
    return caught[0] if caught else None
