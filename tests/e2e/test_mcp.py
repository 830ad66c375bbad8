"""Skills over MCP: the command and both adapters, seen by the real clients of two frameworks over two transports."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from skillpack.export import mcp
from skillpack.export.mcp import uri_of
from support import readme, served
from support.frameworks import FRAMEWORKS
from support.packing import pack

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from skillpack.runtime import SkillBundle
    from support.packing import Outcome
    from support.served import Order, Seen

    Combination = tuple[str, str, str]
    Looks = Mapping[Combination, Future[tuple[Seen, list[str]]]]

PATHS = {
    "a b/c d.txt": "blanks\n",
    "#1+2=3&4;5,6@7!$'()~.md": "marks\n",
    "%41.txt": "not A\n",
    "100%.txt": "all\n",
    "naïve/ß.md": "é\n",
    "emoji/🙂.md": "🙂\n",
    "deep/er/and/deeper/print-one.py": "print(1)\n",
}
FILES: dict[str, bytes] = {
    "paths/SKILL.md": b"---\nname: paths\ndescription: Has paths that a URI cannot hold as they are\n---\n# Paths\n",
    **{f"paths/{path}": text.encode() for path, text in PATHS.items()},
    "contents/SKILL.md": b"---\nname: contents\ndescription: Has contents of all kinds\nmetadata:\n  a: '1'\n---\n\n# Contents\n",
    "contents/assets/pixel.png": b"\x89PNG\r\n\x1a\n\x00\xff",
    "contents/assets/all.bin": bytes(range(256)),
    "contents/assets/nothing.bin": b"",
    "contents/assets/zero.txt": b"a\0b",
    "contents/references/nothing.md": b"",
    "contents/references/crlf.md": b"a\r\nb\rc\n\r\n",
    "contents/references/bom.md": b"\xef\xbb\xbfwith a mark\n",
    "contents/references/lines.txt": "a\u2028b\u2029c\x85d\x0be\x0cf\n".encode(),
    "contents/references/latin.txt": "é".encode("latin-1"),
    "contents/references/wide.txt": "x".encode("utf-16"),
    "dos/SKILL.md": b"\xef\xbb\xbf---\r\nname: dos\r\ndescription: Has a mark and ends of its own\r\n---\r\n\r\n# Dos\r\n",
    "many/SKILL.md": b"---\nname: many\ndescription: Has as many files as hosts take\n---\n# Many\n",
    **{f"many/data/{number:03}.txt": b"%d\n" % number for number in range(mcp.MAX_FILES - 1)},
}
"""Skills with all that a server could spoil, by path below the skills root."""

UNKNOWN = (
    "skill://nothing/SKILL.md",
    "skill://paths/nothing.md",
    "skill://paths/../contents/SKILL.md",
    "skill://paths/%2e%2e/contents/SKILL.md",
    "skill://paths//SKILL.md",
    "skill://paths/..%2fcontents/SKILL.md",
    "skill:///etc/passwd",
    "file:///etc/passwd",
)
"""What no file and no skill is at."""

MARKS = sorted({f"/{path.rpartition('/')[2]}" for path in FILES})

INVALID_PARAMS = -32602
TRANSPORTS = ("stdio", "http")
COMBINATIONS = [
    (client, server, transport)
    for server in served.SERVERS
    for client in served.CLIENTS
    for transport in TRANSPORTS
]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    project = tmp_path_factory.mktemp("sources")
    for path, data in FILES.items():
        place = project / "skills" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return pack(project)


@pytest.fixture(scope="module")
def bundle(packed: Outcome) -> SkillBundle:
    return packed.packed


@pytest.fixture(scope="module")
def module(packed: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("emitted") / "packed.py"
    path.write_bytes(packed.module)
    return path


def look(client: str, order: Order, transport: str) -> tuple[Seen, list[str]]:
    """Return what a client sees of a server, and what that opened meanwhile."""
    if transport == "stdio":
        seen = served.seen_by(client, UNKNOWN, command=order.command())
    else:
        url = "" if order.port is None else f"http://127.0.0.1:{order.port}/mcp"
        with served.running(order, url) as running:
            if order.port is not None:
                served.wait_for(order.port)
            seen = served.seen_by(client, UNKNOWN, url=running.url)
    return seen, order.touched()


@pytest.fixture(scope="module")
def looks(module: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Looks]:
    """Yield all combinations at work, as many at a time as there are processors."""
    reports = tmp_path_factory.mktemp("reports")
    with ThreadPoolExecutor(os.cpu_count()) as pool:

        def coming(client: str, kind: str, transport: str) -> Future[tuple[Seen, list[str]]]:
            by_command = kind == "serve"
            order = served.Order(
                kind=kind,
                module=module,
                report=reports / f"{client}-{kind}-{transport}.json",
                marks=MARKS,
                arguments=("--http", "--port", "0") if transport == "http" else (),
                port=served.free_port() if transport == "http" and not by_command else None,
            )
            return pool.submit(look, client, order, transport)

        yield {combination: coming(*combination) for combination in COMBINATIONS}


each = pytest.mark.parametrize("combination", COMBINATIONS, ids="-".join)


@each
def test_a_host_verifies_every_file(looks: Looks, bundle: SkillBundle, combination: Combination) -> None:
    seen, _ = looks[combination].result()
    served.check_as_a_host(seen, bundle)
    assert seen.entries == mcp.entries(bundle)
    if combination[0] == "fastmcp":
        assert seen.verified == {
            name: {path: file.bytes().hex() for path, file in skill.files.items()}
            for name, skill in bundle.items()
        }


ours = pytest.mark.parametrize(
    "combination", [combination for combination in COMBINATIONS if combination[1] != "fastmcp"], ids="-".join
)
"""Where the answers are our own: fastmcp tells text from other bytes by the ends of the names, and reads no directory."""


@ours
def test_text_is_text_and_other_bytes_are_blobs(
    looks: Looks, bundle: SkillBundle, combination: Combination
) -> None:
    seen, _ = looks[combination].result()
    contents = {content["uri"]: content for one in seen.read for content in one["contents"]}
    for name, skill in bundle.items():
        for path, file in skill.files.items():
            content = contents[uri_of(name, path)]
            assert ("text" in content, "blob" in content) == (file.is_text, not file.is_text)
            assert content["mimeType"] == file.media_type


@ours
def test_directories_are_read_level_by_level(
    looks: Looks, bundle: SkillBundle, combination: Combination
) -> None:
    seen, _ = looks[combination].result()
    assert seen.settings == {"directoryRead": True}
    found = [
        child["uri"]
        for children in seen.directories.values()
        for child in children
        if child["mimeType"] != "inode/directory"
    ]
    assert sorted(found) == sorted(uri_of(name, path) for name in bundle for path in bundle[name].files)
    assert [child["name"] for child in seen.directories["skill://paths/deep/er"]] == ["paths/deep/er/and"]
    assert len(seen.directories["skill://many/data"]) == mcp.MAX_FILES - 1


@ours
def test_results_are_complete_and_say_how_long_they_hold(looks: Looks, combination: Combination) -> None:
    seen, _ = looks[combination].result()
    for result in (*seen.pages, *seen.got):
        assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == (
            "complete",
            300_000,
            "public",
        )


@each
def test_every_file_is_a_resource(looks: Looks, bundle: SkillBundle, combination: Combination) -> None:
    seen, _ = looks[combination].result()
    extra = {uri_of(name, "_manifest") for name in bundle} if combination[1] == "fastmcp" else set()
    listed = {resource["uri"]: resource for resource in seen.listed}
    assert set(listed) == {uri_of(name, path) for name in bundle for path in bundle[name].files} | extra
    assert listed["skill://paths/SKILL.md"]["description"] == bundle["paths"].description
    assert listed["skill://paths/SKILL.md"]["mimeType"] == "text/markdown"


@each
def test_what_is_not_there_is_an_invalid_parameter(looks: Looks, combination: Combination) -> None:
    seen, _ = looks[combination].result()
    assert {code for codes in seen.unknown for code in codes} == {INVALID_PARAMS}


@each
def test_nothing_named_like_a_file_of_a_skill_is_opened(looks: Looks, combination: Combination) -> None:
    _, touched = looks[combination].result()
    assert touched == []


def test_the_table_of_the_readme_is_of_this_run(looks: Looks, bundle: SkillBundle) -> None:
    verified = {}
    for combination in COMBINATIONS:
        seen, _ = looks[combination].result()
        served.check_as_a_host(seen, bundle)
        verified[combination] = len(seen.files())
    text = readme.PATH.read_text(encoding="utf-8")
    written = readme.with_table(text, "clients", _table(verified))
    if os.environ.get("SKILLPACK_WRITE_README"):
        readme.PATH.write_text(written, encoding="utf-8")
    else:
        assert text == written


def _table(verified: Mapping[Combination, int]) -> str:
    """Return the table of clients, with how many files each has verified of which server."""
    titles = {
        "serve": "`skillpack serve`",
        "fastmcp": "`adapters.fastmcp` in its own server",
        "mcp": "`adapters.mcp` in its own server",
    }
    head = ["client", "version", *(titles[server] for server in served.SERVERS)]
    rows = [head, ["---"] * len(head)]
    for client in served.CLIENTS:
        cells = []
        for server in served.SERVERS:
            over_stdio, over_http = (verified[client, server, transport] for transport in TRANSPORTS)
            cells.append(f"{over_stdio} files over stdio, {over_http} over HTTP")
        rows.append([client, FRAMEWORKS[client].version, *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
