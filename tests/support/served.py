"""Servers of skills over MCP and real clients of them, each in an environment with one framework."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import coverage
import yaml

from support.environments import python_with
from support.frameworks import FRAMEWORKS
from support.interpreters import answer
from support.wheelhouse import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from skillpack.runtime import SkillBundle

CLIENT_SCRIPT = Path(__file__).with_name("mcp_client_script.py")
SERVE_SCRIPT = Path(__file__).with_name("serve_script.py")
PACKAGER = CHECKOUT / "packager"
SECONDS_A_RUN = 300
SECONDS_TO_START = 60

CLIENTS = ("fastmcp", "mcp")
SERVERS = ("serve", "fastmcp", "mcp")
"""The command, and the adapters used by hand in a server of each framework."""


def client_python(framework: str) -> Path:
    """Return the interpreter of an environment with a framework and what measures the tests; skillpack's are not there."""
    return _python(framework)


def server_python(kind: str) -> Path:
    """Return the interpreter to serve with: for the command an environment with its dependencies and its extra."""
    if kind != "serve":
        return _python(kind.partition("-")[0])
    needed = [row for row in metadata.requires("skillpack") or () if "extra ==" not in row]
    return _python("mcp", "serve", *needed)


def _python(framework: str, label: str = "", *more: str) -> Path:
    version = FRAMEWORKS[framework].version
    measuring = f"coverage=={coverage.__version__}"
    return python_with(
        f"served-{label or framework}", f"{framework}=={version}", measuring, *more, options=()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a server is to do; `marks` are names that nothing may be opened by, `report` tells of what was.

    `path` is where modules are found, skillpack too; `name` is that of a module to import; `seconds` are those that the
    command gives an exchange over HTTP.
    """

    kind: str = "serve"
    name: str = ""
    module: Path
    report: Path
    marks: Sequence[str] = ()
    arguments: Sequence[str] = ()
    port: int | None = None
    path: Sequence[Path] = (PACKAGER,)
    seconds: float | None = None

    def command(self) -> list[str]:
        """Return the command that runs the server."""
        # of a copy that is installed elsewhere the report would have files of its own
        measuring = coverage.Coverage.current() if PACKAGER in self.path else None
        order = {
            "module": str(self.module),
            "report": str(self.report),
            "marks": list(self.marks),
            "arguments": [str(self.name or self.module), *self.arguments],
            "port": self.port,
            "path": [str(place) for place in self.path],
            "seconds": self.seconds,
            "coverage": "" if measuring is None else str(Path(measuring.config.data_file).absolute()),
        }
        return [
            str(server_python(self.kind)),
            "-I",
            "-W",
            "error::ResourceWarning",
            str(SERVE_SCRIPT),
            self.kind,
            json.dumps(order),
        ]

    def touched(self) -> list[str]:
        """Return the names with a mark that a server has opened which has ended."""
        for _ in range(100):  # a client does not wait for it
            if self.report.is_file() and (text := self.report.read_text(encoding="utf-8")):
                names: list[str] = json.loads(text)
                return names
            time.sleep(0.1)
        raise AssertionError("the server did not come to its end")


class Seen(NamedTuple):
    """What a client saw of a server, in the JSON of the protocol."""

    version: str
    settings: dict[str, Any]
    pages: list[dict[str, Any]]
    entries: list[dict[str, Any]]
    got: list[dict[str, Any]]
    read: list[dict[str, Any]]
    listed: list[dict[str, Any]]
    directories: dict[str, list[dict[str, Any]]]
    unknown: list[list[int | None]]
    verified: dict[str, dict[str, str]]

    def files(self) -> dict[str, bytes]:
        """Return the bytes of each file by its URI."""
        return {content["uri"]: _bytes(content) for one in self.read for content in one["contents"]}


def seen_by(client: str, unknown: Sequence[str] = (), **reach: Any) -> Seen:
    """Return what a client sees of a server at a `url`, or of one that it starts with a `command`."""
    asked = json.dumps({"unknown": list(unknown), **reach})
    done = answer(client_python(client), CLIENT_SCRIPT, client, asked, seconds=SECONDS_A_RUN)
    assert done.returncode == 0, done.stderr
    return Seen(**json.loads(done.stdout))


def _bytes(content: Mapping[str, str]) -> bytes:
    from base64 import b64decode

    return content["text"].encode() if "text" in content else b64decode(content["blob"])


def check_as_a_host(seen: Seen, bundle: SkillBundle) -> None:
    """Hold all that was seen against itself, as a host has to, and against the bundle."""
    files = seen.files()
    assert [one["skill"] for one in seen.got] == seen.entries
    assert len(files) == sum(len(entry["resources"]) for entry in seen.entries)
    for entry in seen.entries:
        for resource in entry["resources"]:
            data = files[resource["uri"]]
            assert len(data) == resource["size"]
            assert f"sha256:{sha256(data).hexdigest()}" == resource["digest"]
        head = files[entry["uri"]].decode("utf-8-sig").replace("\r\n", "\n").split("\n---\n")[0]
        values = yaml.safe_load(head.removeprefix("---\n"))
        assert list(values) == list(values | entry["frontmatter"])
        for field, value in values.items():
            assert entry["frontmatter"][field] == value
    served = {
        entry["frontmatter"]["name"]: [files[resource["uri"]] for resource in entry["resources"]]
        for entry in seen.entries
    }
    assert served == {
        name: [file.bytes() for _, file in sorted(skill.files.items(), key=lambda item: item[0].encode())]
        for name, skill in bundle.items()
    }


class Running(NamedTuple):
    """A server of streamable HTTP."""

    url: str
    process: subprocess.Popen[str]


@contextmanager
def running(order: Order, url: str = "") -> Iterator[Running]:
    """Start a server and end it by SIGINT; without `url` it says itself where it is."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        environment = {"HOME": str(order.report.parent), "LANG": "C.UTF-8", "PATH": os.defpath}
        process = subprocess.Popen(
            order.command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            env=environment,
        )
        try:
            yield Running(url or _said_url(process, said), process)
        finally:
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=SECONDS_TO_START)
        said.seek(0)
        text = said.read()
    if order.kind == "serve":  # how others end is theirs
        assert (output, "Traceback" in text) == ("", False), text


def _said_url(process: subprocess.Popen[str], said: Any) -> str:
    text = ""
    for _ in range(SECONDS_TO_START * 10):
        said.seek(0)
        text = said.read()
        if found := re.search(r" at (http://\S+)\n", text):
            return found[1]
        assert process.poll() is None, text
        time.sleep(0.1)
    raise AssertionError(f"the server did not start: {text}")


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    """Return when somebody listens at a port."""
    for _ in range(SECONDS_TO_START * 10):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server did not start")


@contextmanager
def started(order: Order) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server on standard input and output, and kill it when it is still there at the end."""
    process = subprocess.Popen(
        order.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def talk(order: Order, sent: bytes, *, seconds: int = SECONDS_TO_START) -> subprocess.CompletedProcess[bytes]:
    """Return what a server on standard input and output says to these bytes, and how it ends."""
    return subprocess.run(order.command(), input=sent, capture_output=True, timeout=seconds, check=False)
