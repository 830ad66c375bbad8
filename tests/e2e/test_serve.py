"""`skillpack serve` as a process: what it serves from, what it takes from clients, and how it ends."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import socket
import subprocess
import time
import zipfile
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from skillpack import config, pipeline
from skillpack.export import mcp
from skillpack.serving import MAX_MESSAGE_BYTES
from support import readme, served
from support.bundles import DEMO, SOLO, make_bundle, skill_md
from support.emitted import emitted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.served import Order, Running

SECONDS_TO_END = 20

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
VERSION = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
LARGE = bytes(range(256)) * 4096
BUNDLE = make_bundle(
    {"demo": DEMO, "solo": SOLO, "large": {"SKILL.md": skill_md("large"), "large.bin": LARGE}}
)
NOTHING = "skill://demo/../solo/SKILL.md"


def request(id_: object, method: str, **params: Any) -> bytes:
    """Return a request of the newest protocol as a line."""
    message = {
        "jsonrpc": "2.0",
        "id": id_,
        "method": method,
        "params": {**params, "_meta": ENVELOPE},
    }
    return json.dumps(message).encode() + b"\n"


def answers(output: bytes) -> list[dict[str, Any]]:
    """Return the messages on standard output, which holds nothing else."""
    return [json.loads(line) for line in output.splitlines()]


def conversation(order: Order, *lines: bytes) -> list[dict[str, Any]]:
    """Return the answers to some requests of a client that waits for each before it leaves."""
    with served.started(order) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        found = []
        for line in lines:
            process.stdin.write(line)
            found.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        process.wait(SECONDS_TO_END)
    return found


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("emitted") / "packed.py"
    path.write_bytes(emitted(BUNDLE))
    return path


@pytest.fixture
def order(module: Path, tmp_path: Path) -> Order:
    return served.Order(module=module, report=tmp_path / "report.json")


# ------------------------------------------------------------------ what is served


@pytest.mark.parametrize("is_meta", [False, True], ids=["skills", "meta-skill"])
def test_the_client_of_fastmcp_verifies_every_file_of_real_skills(
    unpacked: Path, tmp_path: Path, *, is_meta: bool
) -> None:
    """One wheel has a skill twice, once in a root of its own."""
    found = [
        path for path in unpacked.rglob("SKILL.md") if path.parent.parent.name in ("skills", "meta-skill")
    ]
    roots = {path.parent.parent for path in found if (path.parent.parent.name == "meta-skill") == is_meta}
    settings = config.load(unpacked, skills=sorted(root.relative_to(unpacked).as_posix() for root in roots))
    module = tmp_path / "real.py"
    with pipeline.pack(settings) as packed:
        ((_, source),) = pipeline.emit(packed, "real.py")
        module.write_bytes(source)
        order = served.Order(module=module, report=tmp_path / "report.json")
        seen = served.seen_by("fastmcp", command=order.command())
        served.check_as_a_host(seen, packed.bundle)
        assert seen.verified == {
            name: {path: file.bytes().hex() for path, file in skill.files.items()}
            for name, skill in packed.bundle.items()
        }
    assert len(found) == 24
    assert len(seen.verified) == (1 if is_meta else 23)


def test_an_archive_and_an_imported_name_serve_the_same(module: Path, tmp_path: Path) -> None:
    archive = tmp_path / "agent.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.write(module, "agent/skills.py")
    package = tmp_path / "agent"
    package.mkdir()
    (package / "__init__.py").write_text("print('imported')\n", encoding="utf-8")
    (package / "skills.py").write_bytes(module.read_bytes())
    report = tmp_path / "report.json"
    for order in (
        served.Order(module=archive, report=report),
        served.Order(module=module, name="agent.skills", report=report, path=(served.PACKAGER, tmp_path)),
    ):
        done = served.talk(order, request(1, "skills/list"))
        assert done.returncode == 0, done.stderr
        (answer,) = answers(done.stdout)
        assert answer["result"]["skills"] == mcp.entries(BUNDLE)


def test_the_configuration_of_the_readme_serves(tmp_path: Path) -> None:
    (block,) = [block for block in readme.blocks() if block.language == "json"]
    (server,) = json.loads(block.text)["mcpServers"].values()
    assert (server["command"], server["args"][:-1]) == ("skillpack", ["serve"])
    module = tmp_path.joinpath(*server["args"][-1].split(".")).with_suffix(".py")
    module.parent.mkdir()
    module.write_bytes(emitted(BUNDLE))
    order = served.Order(
        name=server["args"][-1],
        module=module,
        report=tmp_path / "report.json",
        path=(served.PACKAGER, tmp_path),
    )
    (answer,) = answers(served.talk(order, request(1, "skills/list")).stdout)
    assert answer["result"]["skills"] == mcp.entries(BUNDLE)


def test_select_serves_some(order: Order, module: Path, tmp_path: Path) -> None:
    chosen = served.Order(module=module, report=tmp_path / "report.json", arguments=("--select", "s*"))
    (answer,) = answers(served.talk(chosen, request(1, "skills/list")).stdout)
    assert [entry["uri"] for entry in answer["result"]["skills"]] == ["skill://solo/SKILL.md"]
    package = tmp_path / "agent"
    package.mkdir()
    (package / "skills.py").write_bytes(module.read_bytes())
    for name in ("", "agent.skills"):
        none = served.Order(
            name=name,
            module=module,
            report=tmp_path / "report.json",
            arguments=("--select", "sol"),
            path=(served.PACKAGER, tmp_path),
        )
        done = served.talk(none, b"")
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"solo" in done.stderr


def test_an_importable_module_holds_no_other(module: Path, tmp_path: Path) -> None:
    order = served.Order(
        name="agent.skills", module=module, report=tmp_path / "report.json", arguments=("--module", "a.py")
    )
    done = served.talk(order, b"")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--module is for artifacts" in done.stderr


def test_a_damaged_module_is_refused_with_one_message(module: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.py"
    damaged.write_bytes(module.read_bytes().replace(b"print(1)\\n", b"print(2)\\n"))
    done = served.talk(served.Order(module=damaged, report=tmp_path / "report.json"), b"")
    assert (done.returncode, done.stdout) == (1, b"")
    (told,) = done.stderr.decode().splitlines()
    assert told.startswith(f"error: {damaged}: artifact-damaged: demo/scripts/x.py does not have the digest")


def test_skills_that_hosts_refuse_are_told_and_none_is_served(tmp_path: Path) -> None:
    bundle = make_bundle({"Loud": {"SKILL.md": skill_md("Loud")}, "demo": DEMO})
    module = tmp_path / "loud.py"
    module.write_bytes(emitted(bundle))
    done = served.talk(served.Order(module=module, report=tmp_path / "report.json"), b"")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().splitlines() == [
        "error: skill 'Loud': its name is not 1 to 64 of a-z and 0-9, in groups joined by single hyphens",
        "nothing is served: repair these skills, or leave them out with --select",
    ]


@pytest.mark.parametrize("kind", ["mcp-server", "mcp", "fastmcp"])
def test_contents_that_were_changed_are_an_error_of_the_server(
    module: Path, tmp_path: Path, kind: str
) -> None:
    damaged = tmp_path / "damaged.py"
    damaged.write_bytes(module.read_bytes().replace(b"print(1)\\n", b"print(2)\\n"))
    order = served.Order(kind=kind, module=damaged, report=tmp_path / "report.json")
    uris = ("skill://demo/scripts/x.py", "skill://demo/SKILL.md")
    lines = [request(id_, "resources/read", uri=uri) for id_, uri in enumerate(uris, 1)]
    found = {answer["id"]: answer for answer in conversation(order, *lines)}
    assert found[1]["error"]["code"] == INTERNAL_ERROR
    assert "print(2)" not in json.dumps(found[1])
    assert found[2]["result"]["contents"][0]["text"] == DEMO["SKILL.md"].decode()


@pytest.mark.parametrize("framework", ["fastmcp", "mcp"])
def test_an_adapter_needs_the_wheel_and_its_framework_alone(
    wheels: Path, module: Path, tmp_path: Path, framework: str
) -> None:
    (wheel,) = wheels.glob("skillpack-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    order = served.Order(
        kind=framework, module=module, report=tmp_path / "report.json", path=(tmp_path / "installed",)
    )
    (answer,) = conversation(order, request(1, "skills/list"))
    assert answer["result"]["skills"] == mcp.entries(BUNDLE)
    python = served.server_python(framework)
    for needed in ("blake3", "pathspec", "hatchling"):
        assert subprocess.run([python, "-c", f"import {needed}"], capture_output=True, check=False).returncode


# ------------------------------------------------------------------ what clients send

MALFORMED: dict[str, tuple[bytes, int]] = {
    "no JSON": (b"garbage", PARSE_ERROR),
    "cut JSON": (b'{"jsonrpc": "2.0", "id": 1, "method"', PARSE_ERROR),
    "no UTF-8": (b'{"jsonrpc": "2.0", "id": "\xff\xfe", "method": "ping"}', PARSE_ERROR),
    "a lone surrogate": (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', PARSE_ERROR),
    "deep JSON": (b"[" * 100_000, PARSE_ERROR),
    "a number": (b"1", INVALID_REQUEST),
    "a list": (b"[1, 2]", INVALID_REQUEST),
    "another object": (b'{"a": 1}', INVALID_REQUEST),
    "an old version": (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', INVALID_REQUEST),
    "a huge line": (b"x" * (MAX_MESSAGE_BYTES + 1), INVALID_REQUEST),
    "a huge message": (request(1, "skills/get", uri="a" * MAX_MESSAGE_BYTES)[:-1], INVALID_REQUEST),
}

WRONG: dict[str, tuple[bytes, int]] = {
    "an unknown method": (request(7, "skills/put"), METHOD_NOT_FOUND),
    "tools": (request(7, "tools/list"), METHOD_NOT_FOUND),
    "no parameter": (request(7, "skills/get"), INVALID_PARAMS),
    "a parameter of another type": (request(7, "resources/read", uri=[1]), INVALID_PARAMS),
    "a cursor of another type": (request(7, "skills/list", cursor=5), INVALID_PARAMS),
    "an unknown cursor": (request(7, "skills/list", cursor="5"), INVALID_PARAMS),
    "an unknown cursor of resources": (request(7, "resources/list", cursor="x" * 10_000), INVALID_PARAMS),
    "a cursor of a directory": (
        request(7, "resources/directory/read", uri="skill://demo", cursor="1"),
        INVALID_PARAMS,
    ),
    "an unknown URI": (request(7, "resources/read", uri=NOTHING), INVALID_PARAMS),
    "a long URI": (request(7, "resources/read", uri="skill://" + "a" * 1_000_000), INVALID_PARAMS),
    "NUL in a URI": (request(7, "resources/read", uri="skill://demo/SKILL.md\0"), INVALID_PARAMS),
}


def test_what_is_no_message_is_answered_and_the_rest_is_served(order: Order) -> None:
    lines = [line for line, _ in MALFORMED.values()]
    asked = request(1, "resources/read", uri="skill://solo/SKILL.md")
    done = served.talk(order, b"\n".join([b"", *lines, b"  ", b"\r", asked + asked.replace(b"1", b"2", 2)]))
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    found = answers(done.stdout)
    assert [answer["error"]["code"] for answer in found if answer["id"] is None] == [
        code for _, code in MALFORMED.values()
    ]
    assert [answer["id"] for answer in found if "result" in answer][:1] == [1]


def test_requests_that_cannot_be_met_are_answered_in_bounds(order: Order) -> None:
    messages = {
        name: line.replace(b'"id": 7', b'"id": "%s"' % name.encode()) for name, (line, _) in WRONG.items()
    }
    done = served.talk(order, b"".join(messages.values()))
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    found = {answer["id"]: answer["error"] for answer in answers(done.stdout)}
    assert {name: error["code"] for name, error in found.items()} == {
        name: code for name, (_, code) in WRONG.items()
    }
    assert all(len(json.dumps(error)) < 1000 for error in found.values())
    assert found["an unknown URI"]["data"] == {"uri": NOTHING}


def test_what_was_asked_before_the_end_of_input_is_answered(order: Order) -> None:
    read = [request(id_, "resources/read", uri="skill://large/large.bin") for id_ in range(40)]
    done = served.talk(order, b"".join(read))
    assert done.returncode == 0
    assert sorted(answer["id"] for answer in answers(done.stdout)) == list(range(40))


def test_a_request_that_is_taken_back_holds_nothing_up(order: Order) -> None:
    lines: list[bytes] = []
    for id_ in range(40):
        lines.append(request(id_, "resources/read", uri="skill://large/large.bin"))
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}}
        lines.append(json.dumps(told).encode() + b"\n")
    done = served.talk(order, b"".join([*lines, request("last", "skills/list")]))
    assert done.returncode == 0
    assert answers(done.stdout)[-1]["id"] == "last"


def test_a_client_that_does_not_read_is_not_read_either(order: Order) -> None:
    """Else its answers would fill the memory."""
    asked = request(
        1, "resources/read", uri="skill://large/large.bin"
    )  # one id, which a client should not do
    with served.started(order) as process:
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        sent = 0
        quiet_since = time.monotonic()
        while time.monotonic() - quiet_since < 5 and sent < 100_000:
            select.select([], [process.stdin], [], 1)
            try:
                os.write(process.stdin.fileno(), asked)
            except BlockingIOError:
                continue
            sent += 1
            quiet_since = time.monotonic()
        assert 16 < sent < 10_000
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS_TO_END) == 143


# ------------------------------------------------------------------ how it ends


def begun(process: subprocess.Popen[bytes]) -> None:
    """Return when the server has answered."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(request(1, "skills/list"))
    assert json.loads(process.stdout.readline())["id"] == 1


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, b"error: interrupted\n"), (signal.SIGTERM, 143, b"")],
    ids=["SIGINT", "SIGTERM"],
)
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_signal_ends_it(
    module: Path, tmp_path: Path, transport: str, number: int, code: int, said: bytes
) -> None:
    arguments = ("--http", "--port", "0") if transport == "http" else ()
    order = served.Order(module=module, report=tmp_path / "report.json", arguments=arguments)
    with served.started(order) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        first = process.stderr.readline()
        assert first.startswith(f"serving 3 skills of {module} ".encode())
        if transport == "stdio":
            begun(process)
        else:
            address = urlsplit(first.decode().split()[-1])
            assert (address.hostname, address.path) == ("127.0.0.1", "/mcp")
            served.wait_for(address.port or 0)
        process.send_signal(number)
        assert process.wait(SECONDS_TO_END) == code
        assert (process.stdout.read(), process.stderr.read()) == (b"", said)


def test_a_client_that_is_gone_ends_it(order: Order) -> None:
    with served.started(order) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        begun(process)
        process.stdout.close()
        process.stdin.write(request(2, "skills/list"))
        assert process.wait(SECONDS_TO_END) == 0
        assert b"Traceback" not in process.stderr.read()


def test_without_a_client_it_ends_at_once(order: Order) -> None:
    done = subprocess.run(
        order.command(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=SECONDS_TO_END * 2,
    )
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("closing", ["<&-", ">&- </dev/null"])
def test_without_standard_input_or_output_there_is_nobody_to_serve(order: Order, closing: str) -> None:
    shell = ["sh", "-c", f'exec "$0" "$@" {closing}', *order.command()]
    done = subprocess.run(shell, capture_output=True, check=False, timeout=SECONDS_TO_END * 2)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"error: standard input or output is closed, which is where MCP is spoken without --http\n"
    )


# ------------------------------------------------------------------ streamable HTTP


@pytest.fixture(scope="module")
def over_http(module: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    report = tmp_path_factory.mktemp("report") / "report.json"
    order = served.Order(module=module, report=report, arguments=("--http", "--port", "0"))
    with served.running(order) as running:
        yield running


def posted(running: Running, body: bytes, **headers: str) -> tuple[int, bytes]:
    """Return the status and the body that a request is answered with."""
    address = urlsplit(running.url)
    sent = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    with closing(http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)) as connection:
        connection.request("POST", address.path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()


def is_good(running: Running) -> bool:
    status, body = posted(running, request(1, "skills/list"), Mcp_Method="skills/list")
    return status == 200 and len(json.loads(body)["result"]["skills"]) == len(BUNDLE)


@pytest.mark.parametrize("name", MALFORMED)
def test_over_http_what_is_no_message_is_refused(over_http: Running, name: str) -> None:
    status, body = posted(over_http, MALFORMED[name][0], Mcp_Method="ping")
    assert 400 <= status < 500
    assert len(body) < 1000
    assert b"Traceback" not in body
    assert is_good(over_http)


@pytest.mark.parametrize("name", WRONG)
def test_over_http_requests_that_cannot_be_met_are_answered(over_http: Running, name: str) -> None:
    line, code = WRONG[name]
    sent = json.loads(line)
    uri = sent["params"].get("uri", "")
    named = {"Mcp_Name": uri} if isinstance(uri, str) and uri.isprintable() and 0 < len(uri) < 1000 else {}
    status, body = posted(over_http, line, Mcp_Method=sent["method"], **named)
    assert 200 <= status < 500
    assert len(body) < 2000
    assert b"error" in body
    assert is_good(over_http)
    assert code < 0


def test_a_web_page_of_elsewhere_is_refused(over_http: Running) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        status, _ = posted(over_http, request(1, "skills/list"), Mcp_Method="skills/list", **headers)
        assert status in (403, 421)


@pytest.mark.parametrize("host", ["127.1", "LOCALHOST"])
def test_so_it_is_however_the_address_is_spelt(host: str, module: Path, tmp_path: Path) -> None:
    arguments = ("--http", "--port", "0", "--host", host)
    with served.running(
        served.Order(module=module, report=tmp_path / "report.json", arguments=arguments)
    ) as running:
        port = urlsplit(running.url).port
        assert is_good(running)
        for status, headers in (
            (421, {"Host": "evil.example"}),
            (421, {"Host": f"evil.example:{port}"}),
            (403, {"Origin": f"http://evil.example:{port}"}),
            (200, {"Host": f"localhost:{port}", "Origin": f"http://{host.lower()}:{port}"}),
            (200, {"Host": "127.0.0.1"}),
        ):
            answer = posted(running, request(1, "skills/list"), Mcp_Method="skills/list", **headers)
            assert answer[0] == status, headers


def test_clients_that_break_off_do_no_harm(over_http: Running) -> None:
    address = urlsplit(over_http.url)
    head = f"POST {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\n"
    asked = request(1, "resources/read", uri="skill://large/large.bin")
    for sent in (
        b"",
        b"\0" * 100,
        b"GET",
        b"POST / HTTP/9.9\r\n\r\n",
        f"{head}Content-Length: 1000000\r\n\r\n".encode() + b"{",
        f"{head}Content-Length: -1\r\n\r\n".encode(),
        f"{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n".encode(),
        f"{head}MCP-Protocol-Version: {VERSION}\r\nMcp-Method: resources/read\r\n".encode()
        + b"Accept: application/json, text/event-stream\r\nMcp-Name: skill://large/large.bin\r\n"
        + f"Content-Length: {len(asked)}\r\n\r\n".encode()
        + asked,
    ):
        connection = socket.create_connection((str(address.hostname), address.port or 0))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset, not closed
        connection.sendall(sent)
        connection.close()
        assert is_good(over_http)


def test_other_paths_and_methods_are_refused(over_http: Running) -> None:
    address = urlsplit(over_http.url)
    for method, path in (("GET", "/"), ("GET", "/../../etc/passwd"), ("PUT", "/mcp"), ("DELETE", "/mcp")):
        with closing(
            http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
        ) as connection:
            connection.request(method, path)
            answer = connection.getresponse()
            assert answer.status in (400, 404, 405, 406)
            assert b"root:" not in answer.read()


def wait_for_the_end(connection: socket.socket) -> None:
    with suppress(ConnectionResetError):
        while connection.recv(65_536):
            pass


def test_clients_that_stall_are_left_so_that_others_are_served(module: Path, tmp_path: Path) -> None:
    """More than may be connected at once: one says nothing, one half of a head, one half of a body."""
    arguments = ("--http", "--port", "0")
    order = served.Order(module=module, report=tmp_path / "report.json", arguments=arguments, seconds=4.0)
    with served.running(order) as running, ExitStack() as opened:
        address = urlsplit(running.url)
        head = f"POST {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\n"
        body = f"{head}Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{{"
        stalled = []
        for number in range(200):
            connection = socket.create_connection((str(address.hostname), address.port or 0), timeout=60)
            opened.enter_context(connection)
            connection.sendall(("", head, body)[number % 3].encode())
            stalled.append(connection)
        assert not is_good(running)
        for connection in stalled:
            wait_for_the_end(connection)
        assert is_good(running)


@pytest.mark.parametrize(
    ("host", "told"),
    [
        ("192.0.2.1", "cannot listen at 192.0.2.1, port 0: Cannot assign requested address"),
        ("none.invalid", "cannot listen at none.invalid, port 0: "),
        (f"{'a' * 64}.example", "this is no name of a host"),
    ],
)
def test_an_address_of_no_machine_or_another_is_told(
    module: Path, tmp_path: Path, host: str, told: str
) -> None:
    arguments = ("--http", "--host", host, "--port", "0")
    done = served.talk(served.Order(module=module, report=tmp_path / "report.json", arguments=arguments), b"")
    assert (done.returncode, done.stdout) == (2, b"")
    said = done.stderr.decode()
    assert told in said
    assert said.endswith("; name an address of this machine with --host\n")


def test_an_address_in_use_is_told(over_http: Running, module: Path, tmp_path: Path) -> None:
    port = str(urlsplit(over_http.url).port)
    order = served.Order(module=module, report=tmp_path / "report.json", arguments=("--http", "--port", port))
    done = served.talk(order, b"")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        f"error: cannot listen at 127.0.0.1, port {port}: Address already in use; name another port with --port, or end "
        "what listens there\n"
    )
