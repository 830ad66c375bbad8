"""A service on this machine that takes uploads of skills, and keeps them."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

DISPOSITION = re.compile(rb'form-data; name="files\[\]"; filename="([^"]*)"')
TIME = "2026-01-01T00:00:00Z"


class Upload(NamedTuple):
    """A request: its path, and path, contents and media type of each file of its form."""

    target: str
    files: list[tuple[str, bytes, str]]


class Service(NamedTuple):
    """Where the service is, and what it was sent."""

    url: str
    uploads: list[Upload]


@contextmanager
def service() -> Iterator[Service]:
    """Give a service that is there for a while."""
    uploads: list[Upload] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            uploads.append(Upload(self.path, files(self.headers["Content-Type"], body)))
            is_version = self.path.endswith("/versions")
            sent = json.dumps(made("version" if is_version else "skill", len(uploads))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - its name there
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Service(f"http://127.0.0.1:{server.server_port}", uploads)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def made(kind: str, number: int) -> dict[str, str]:
    """Return what the service says of a skill or version that it made."""
    fields = {
        "id": f"{kind}_{number}",
        "type": kind,
        "created_at": TIME,
        "updated_at": TIME,
        "display_name": "A skill",
        "latest_version_id": f"version_{number}",
        "source": "custom",
    }
    version = {"skill_id": "skill_0", "name": "a", "description": "A skill", "directory": "a", "version": "1"}
    return {**fields, **version} if kind == "version" else fields


def files(content_type: str, body: bytes) -> list[tuple[str, bytes, str]]:
    """Return the files of a form, byte for byte."""
    boundary = content_type.partition("boundary=")[2].encode()
    first, *parts, last = body.split(b"--" + boundary)
    assert (first, last) == (b"", b"--\r\n")
    found = []
    for part in parts:
        head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n"))
        named = DISPOSITION.fullmatch(fields[b"Content-Disposition"])
        assert named
        found.append((named[1].decode(), content.removesuffix(b"\r\n"), fields[b"Content-Type"].decode()))
    return found
