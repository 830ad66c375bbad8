"""The parts of a server that need no framework: answers, lines, the end by a signal, the addresses."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import socket
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from skillpack import serving
from skillpack.adapters import _catalog
from skillpack.adapters._catalog import Catalog, UnknownError
from skillpack.errors import SkillpackError
from skillpack.export import mcp, structure
from skillpack.runtime import Skill, SkillBundle, SkillFile
from skillpack.serving import http, stdio
from support.bundles import DEMO, SOLO, damaged_bundle, make_bundle, skill_md
from support.emitted import emitted, executed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BUNDLE = make_bundle({"demo": {**DEMO, "scripts/deep/y.py": b"print(2)\n", "z.md": b""}, "solo": SOLO})
CATALOG = Catalog(BUNDLE)


def rows(result: dict[str, Any]) -> list[str]:
    return [row["uri"] for row in result["resources"]]


# ------------------------------------------------------------------ answers


def test_every_member_that_exports_read_is_one_of_the_runtime() -> None:
    for asked, given in (
        (structure.AnyFile, SkillFile),
        (structure.AnySkill, Skill),
        (structure.AnyBundle, SkillBundle),
    ):
        for member in vars(asked):
            if not member.startswith("_"):
                assert member in {*dir(given), *given.__annotations__}


@pytest.mark.parametrize("bundle", [BUNDLE, executed(emitted(BUNDLE))], ids=["runtime", "emitted"])
def test_any_bundle_gives_the_same_answers(bundle: SkillBundle) -> None:
    catalog = Catalog(bundle, ttl_ms=5, cache_scope="private")
    held = {"resultType": "complete", "ttlMs": 5, "cacheScope": "private"}
    assert catalog.skills() == {**held, "skills": mcp.entries(BUNDLE)}
    assert catalog.skill("skill://solo/SKILL.md") == {**held, "skill": mcp.entry(BUNDLE["solo"])}
    assert catalog.templates() == {**held, "resourceTemplates": []}
    assert [row["uri"] for row, _ in catalog.all_files()] == rows(catalog.resources())


def test_a_file_is_listed_with_what_was_packed_of_it() -> None:
    listed = {row["uri"]: row for row in CATALOG.resources()["resources"]}
    assert listed["skill://demo/SKILL.md"] == {
        "uri": "skill://demo/SKILL.md",
        "name": "demo",
        "mimeType": "text/markdown",
        "size": len(DEMO["SKILL.md"]),
        "description": "A demo skill",
    }
    assert listed["skill://demo/assets/b.bin"] == {
        "uri": "skill://demo/assets/b.bin",
        "name": "demo/assets/b.bin",
        "mimeType": "application/octet-stream",
        "size": 3,
    }


def test_text_is_read_as_text_and_other_bytes_as_base64() -> None:
    (text,) = CATALOG.read("skill://demo/scripts/x.py")["contents"]
    assert text == {"uri": "skill://demo/scripts/x.py", "mimeType": "text/x-python", "text": "print(1)\n"}
    (blob,) = CATALOG.read("skill://demo/assets/b.bin")["contents"]
    assert base64.b64decode(blob["blob"]) == DEMO["assets/b.bin"]
    assert CATALOG.read("skill://demo/z.md")["contents"][0]["text"] == ""


def test_binary_that_is_said_to_be_text_is_a_blob() -> None:
    file = SkillFile(
        path="a.txt",
        size=1,
        digest="sha256:a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89",
        media_type="text/plain",
        is_text=True,
        executable=False,
        load=lambda: b"\xff",
    )
    assert _catalog.payload(file) == ("blob", "/w==")


@pytest.mark.parametrize(
    ("uri", "children"),
    [
        ("skill://demo", ["SKILL.md", "assets", "scripts", "z.md"]),
        ("skill://demo/", ["SKILL.md", "assets", "scripts", "z.md"]),
        ("skill://demo/scripts", ["scripts/deep", "scripts/x.py"]),
        ("skill://demo/scripts/", ["scripts/deep", "scripts/x.py"]),
        ("skill://demo/scripts/deep", ["scripts/deep/y.py"]),
    ],
)
def test_a_directory_is_its_children(uri: str, children: list[str]) -> None:
    found = CATALOG.directory(uri)["resources"]
    assert [row["uri"] for row in found] == [f"skill://demo/{child}" for child in children]
    assert [row["name"] for row in found] == [
        "demo" if child == "SKILL.md" else f"demo/{child}" for child in children
    ]
    assert {row["uri"] for row in found if row["mimeType"] == "inode/directory"} == {
        f"skill://demo/{child}" for child in children if not child.partition(".")[2]
    }


NOWHERE = ["", "skill://", "skill://none/SKILL.md", "skill://demo/none", "skill://demo/../solo/SKILL.md"]


@pytest.mark.parametrize(
    "asked",
    [
        *((CATALOG.read, uri) for uri in (*NOWHERE, "skill://demo", "skill://demo/scripts")),
        *((CATALOG.skill, uri) for uri in (*NOWHERE, "skill://demo", "skill://demo/z.md")),
        *((CATALOG.directory, uri) for uri in (*NOWHERE, "skill://demo//", "skill://demo/SKILL.md")),
        *(
            (CATALOG.directory, f"skill://demo/{path}")
            for path in ("script", "scripts//", "z.md/", "scripts/.")
        ),
    ],
)
def test_what_is_not_there_is_told_in_bounds(asked: tuple[Callable[[str], object], str]) -> None:
    call, uri = asked
    with pytest.raises(UnknownError, match=r"^unknown "):
        call(uri)
    with pytest.raises(UnknownError) as caught:
        call(uri + "/nowhere\n\u202e" * 1000)
    assert str(caught.value).isascii()
    assert len(str(caught.value)) < 120


def test_long_lists_come_in_pages_of_whole_skills(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_catalog, "MAX_PAGE_CHARS", 1000)
    many = make_bundle(
        {f"skill-{number:02}": {**DEMO, "SKILL.md": skill_md(f"skill-{number:02}")} for number in range(20)}
    )
    catalog = Catalog(many)
    for method, key in ((catalog.skills, "skills"), (catalog.resources, "resources")):
        pages = [method(None)]
        while cursor := pages[-1].get("nextCursor"):
            pages.append(method(cursor))
        assert len(pages) > 2
        found = [row["uri"] for page in pages for row in page[key]]
        assert len(found) == len(set(found)) == (20 if key == "skills" else 60)
        assert found == sorted(found)
        for earlier, later in pairwise(pages):
            assert {row["uri"].split("/")[2] for row in earlier[key]}.isdisjoint(
                row["uri"].split("/")[2] for row in later[key]
            )


@pytest.mark.parametrize("cursor", ["", "0", "2", "-1", "01", "1 ", "x", "٢", "9" * 5000])
def test_a_cursor_that_was_not_given_out_is_told(cursor: str) -> None:
    for call in (CATALOG.skills, CATALOG.resources):
        with pytest.raises(UnknownError, match=r"^unknown cursor: "):
            call(cursor)
    with pytest.raises(UnknownError, match=r"^unknown cursor: "):
        CATALOG.directory("skill://demo", cursor)


def test_damaged_contents_are_not_served() -> None:
    with pytest.raises(ValueError, match=r"^damaged or altered"):
        Catalog(damaged_bundle()).read("skill://x/SKILL.md")


def test_skills_that_hosts_refuse_are_told_all_at_once() -> None:
    refused = make_bundle({name: {"SKILL.md": skill_md(name)} for name in ("Loud", "b_c", "good")})
    with pytest.raises(ValueError) as caught:
        Catalog(refused)
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()[1:]] == [
        "skill 'Loud'",
        "skill 'b_c'",
    ]


# ------------------------------------------------------------------ lines


def read_of(*chunks: bytes) -> Callable[[], bytes]:
    left: Iterator[bytes] = iter(chunks)
    return lambda: next(left, b"")


@pytest.mark.parametrize(
    ("chunks", "found"),
    [
        ([], []),
        ([b"a\nb\r\n\n \r\nc"], [b"a", b"b", b"c"]),
        ([b"a", b"b", b"\n", b"\n", b"c"], [b"ab", b"c"]),
        ([b"12345678\n"], [b"12345678"]),
        ([b"123456789\n1"], [None, b"1"]),
        ([b"12345", b"6789", b"0", b"\n1\n"], [None, b"1"]),
        ([b"1234", b"56789\n2"], [None, b"2"]),
        ([b"123456789"], [None]),
    ],
)
def test_lines_are_bounded(chunks: list[bytes], found: list[bytes | None]) -> None:
    assert list(stdio.lines(read_of(*chunks), 8)) == found


def test_answers_that_do_not_come_hold_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "_IDLE_SECONDS", 0.01)

    async def wait() -> None:
        exchange = stdio._Exchange()
        exchange._pending[1] = 20
        exchange._is_writing = True
        waiting = asyncio.create_task(exchange._at_most(0))
        await asyncio.sleep(0.1)
        assert not waiting.done()  # the client does not read
        exchange._is_writing = False
        await asyncio.wait_for(waiting, 5)

    asyncio.run(wait())


def test_requests_are_counted_until_they_are_answered_or_taken_back() -> None:
    def taken_back(id_: object) -> SimpleNamespace:
        return SimpleNamespace(method="notifications/cancelled", params={"requestId": id_})

    async def count() -> None:
        exchange = stdio._Exchange()
        asked = SimpleNamespace(method="skills/list", id=1, params=None)
        for message in (asked, asked, SimpleNamespace(method="notifications/initialized", params=None)):
            exchange._note(message)
        assert exchange._pending == {1: 2}
        for id_ in ([1], None, "1", 2):
            exchange._note(taken_back(id_))
        assert exchange._pending == {1: 2}
        exchange._note(taken_back(1))
        exchange._forget(1)
        assert not exchange._pending

    asyncio.run(count())


def test_a_write_whose_writer_is_gone_is_settled_by_nobody() -> None:
    async def settle() -> None:
        loop = asyncio.get_running_loop()
        gone, failed, done = loop.create_future(), loop.create_future(), loop.create_future()
        gone.cancel()
        stdio._settle(gone, None)
        stdio._settle(done, None)
        stdio._settle(failed, BrokenPipeError())
        assert gone.cancelled()
        assert done.result() is None
        assert isinstance(failed.exception(), BrokenPipeError)

    asyncio.run(settle())


# ------------------------------------------------------------------ its end


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_early", [False, True])
def test_a_signal_stops_the_work_and_is_returned(number: signal.Signals, *, is_early: bool) -> None:
    before = signal.getsignal(number)

    async def work(stop: asyncio.Event) -> None:
        if not is_early:
            os.kill(os.getpid(), number)
        await asyncio.wait_for(stop.wait(), 10)

    def ready() -> None:
        if is_early:
            os.kill(os.getpid(), number)

    assert serving.run(work, ready) == number
    assert signal.getsignal(number) is before


def test_work_that_ends_by_itself_was_ended_by_nothing() -> None:
    async def work(stop: asyncio.Event) -> None:
        assert not stop.is_set()

    assert serving.run(work, lambda: None) is None


@pytest.mark.parametrize(
    ("host", "start"), [("127.0.0.1", "http://127.0.0.1:"), ("localhost", "http://localhost:")]
)
def test_a_listener_says_where_it_is(host: str, start: str) -> None:
    with http.listener(host, 0) as listening:
        port = listening.getsockname()[1]
        assert http.url(listening, host) == f"{start}{port}/mcp"
        socket.create_connection((host, port)).close()


@pytest.mark.parametrize(
    ("address", "host", "more"),
    [
        ("127.0.0.1", "127.0.0.1", set()),
        ("127.0.0.1", "localhost", set()),
        ("127.0.0.1", "LOCALHOST", {"LOCALHOST"}),
        ("127.0.0.1", "127.1", {"127.1"}),
        ("127.0.0.2", "127.0.0.2", {"127.0.0.2"}),
        ("127.0.1.1", "MyHost", {"127.0.1.1", "MyHost", "myhost"}),
        ("::1", "0:0::1", {"[0:0::1]"}),
    ],
)
def test_what_this_machine_alone_reaches_has_its_names_and_no_others(
    address: str, host: str, more: set[str]
) -> None:
    assert set(http.own_names(address, host)) == {"127.0.0.1", "[::1]", "localhost", *more}


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1", "fe80::1%2"])
def test_what_others_reach_has_any_name(address: str) -> None:
    assert http.own_names(address, "localhost") == ()


def test_an_address_of_ipv6_is_in_brackets() -> None:
    with http.listener("127.0.0.1", 0) as listening:
        assert http.url(listening, "::1").startswith("http://[::1]:")


@pytest.mark.parametrize(
    ("host", "told"),
    [
        ("192.0.2.1", "Cannot assign requested address; name an address of this machine with --host"),
        (f"{'a' * 64}.example", "this is no name of a host; name an address of this machine with --host"),
        ("127.0.0.1", "Address already in use; name another port with --port, or end what listens there"),
    ],
)
def test_an_address_where_nobody_can_listen_is_told_with_what_to_do(host: str, told: str) -> None:
    with http.listener("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(SkillpackError) as raised:
            http.listener(host, port)
    assert str(raised.value) == f"cannot listen at {host}, port {port}: {told}"


def test_a_connection_that_stays_with_one_request_is_ended_and_no_other() -> None:
    ended: list[str] = []

    class Connection:
        def __init__(self, name: str) -> None:
            self.name = name
            self.cycle: object = None
            self.transport = self

        def abort(self) -> None:
            ended.append(self.name)
            connections.discard(self)

    silent, busy = Connection("silent"), Connection("busy")
    connections = {silent, busy}

    async def run() -> None:
        ending = asyncio.create_task(http.end_stalled(connections, 0.05))
        for _ in range(40):
            busy.cycle = object()
            await asyncio.sleep(0.005)
        ending.cancel()

    asyncio.run(run())
    assert ended == ["silent"]
