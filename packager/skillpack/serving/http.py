"""MCP over streamable HTTP, without sessions: each request is answered by itself."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

from skillpack.serving import MAX_MESSAGE_BYTES

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

PATH = "/mcp"

_MAX_CONNECTIONS = 128
_SECONDS_TO_FINISH = 2
"""How long answers that are under way may take when the server is to end."""


def listener(host: str, port: int) -> socket.socket:
    """Return a socket that listens at a host's address; port 0 is any free one. Raises `OSError`."""
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    return socket.create_server((host, port), family=family)


def url(listening: socket.socket, host: str) -> str:
    """Return the address to give to clients."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listening.getsockname()[1]}{PATH}"


async def serve(server: Server[Any], listening: socket.socket, host: str, stop: asyncio.Event) -> None:
    """Serve until `stop` is set or a signal comes.

    At an address of this machine alone, requests that a web page of elsewhere makes are refused by their `Host` and
    `Origin`.
    """
    import uvicorn

    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        json_response=True,
        stateless_http=True,
        max_request_body_size=MAX_MESSAGE_BYTES,
    )
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    running = uvicorn.Server(config)

    async def obey() -> None:
        await stop.wait()
        running.should_exit = True

    obeying = asyncio.create_task(obey())
    try:
        await running.serve(sockets=[listening])
    finally:
        obeying.cancel()
