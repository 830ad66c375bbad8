"""MCP over streamable HTTP, without sessions: each request is answered by itself."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from typing import TYPE_CHECKING, Any

from skillpack.errors import SkillpackError
from skillpack.serving import MAX_MESSAGE_BYTES

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcp.server.lowlevel import Server

PATH = "/mcp"

_MAX_CONNECTIONS = 128
_SECONDS_TO_FINISH = 2
"""How long answers that are under way may take when the server is to end."""
SECONDS_PER_EXCHANGE = 60.0
"""How long a client may take for one request and its answer, at the least; after twice as long its connection ends."""

_LOCAL_NAMES = ("127.0.0.1", "[::1]", "localhost")
"""What this machine calls itself: by these a forwarded port is reached, whatever the address behind it."""

_OTHER_HOST = "name an address of this machine with --host"
_HINTS = {
    errno.EADDRINUSE: "name another port with --port, or end what listens there",
    errno.EACCES: "name a port above 1023 with --port",
}


def listener(host: str, port: int) -> socket.socket:
    """Return a socket that listens at a host's address; port 0 is any free one. Raises `SkillpackError`."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except UnicodeError:
        reason, hint = "this is no name of a host", _OTHER_HOST
    except OSError as error:  # which ends with the address, where the address is what it is about
        reason = str(error.strerror).partition(" (")[0]
        hint = _HINTS.get(error.errno or 0, _OTHER_HOST)
    raise SkillpackError(f"cannot listen at {host}, port {port}: {reason}; {hint}")


def url(listening: socket.socket, host: str) -> str:
    """Return the address to give to clients."""
    return f"http://{_in_url(host)}:{listening.getsockname()[1]}{PATH}"


def own_names(address: str, host: str) -> tuple[str, ...]:
    """Return what clients may call a server by that listens at the IP address of a host, as URLs have it, sorted.

    Of an address that machines elsewhere reach it is empty: nobody knows all names of that.
    """
    if not ipaddress.ip_address(address).is_loopback:
        return ()
    return tuple(sorted({*_LOCAL_NAMES, *map(_in_url, (address, host, host.lower()))}))


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def serve(server: Server[Any], listening: socket.socket, host: str, stop: asyncio.Event) -> None:
    """Serve until `stop` is set or a signal comes.

    At an address of this machine alone, requests that a web page of elsewhere makes are refused by their `Host` and
    `Origin`: those have to be a name of `own_names`, with any port.
    """
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    # the SDK sees by itself to three spellings of the host only
    names = own_names(listening.getsockname()[0], host)
    allowed = [*names, *(f"{name}:*" for name in names)]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=bool(names),
        allowed_hosts=allowed,
        allowed_origins=[f"http://{name}" for name in allowed],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security,
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
        http="h11",
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    running = uvicorn.Server(config)

    async def obey() -> None:
        await stop.wait()
        running.should_exit = True

    beside = [
        asyncio.create_task(obey()),
        asyncio.create_task(end_stalled(running.server_state.connections, SECONDS_PER_EXCHANGE)),
    ]
    try:
        await running.serve(sockets=[listening])
    finally:
        for task in beside:
            task.cancel()


async def end_stalled(connections: Collection[Any], seconds: float) -> None:
    """End every connection that has one request, or none, for a whole period of so many seconds, again and again.

    uvicorn waits without end for clients that do not finish a request or do not read, and answers nobody else when there
    are too many of them.
    """
    before: dict[Any, object] = {}
    while True:
        await asyncio.sleep(seconds)
        now = {connection: connection.cycle for connection in connections}
        for connection, cycle in now.items():
            if connection in before and before[connection] is cycle:
                connection.transport.abort()
        before = now
