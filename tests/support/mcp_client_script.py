"""Run with a framework's own interpreter: what does its client see of a server of skills?

    python mcp_client_script.py CLIENT < order.json

CLIENT is `fastmcp` or `mcp`. The order says how to reach the server (`command` or `url`) and which URIs are `unknown`.
Standard output is JSON with the fields of `served.Seen`. Standard library and the framework only.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Awaitable

EXTENSION = "io.modelcontextprotocol/skills"


def requests() -> tuple[Any, Any, Any, Any]:
    """Return the classes of the extension's requests, and of any result, for a session of the SDK."""
    types = import_module("mcp_types")
    config = import_module("pydantic").ConfigDict

    class At(types.PaginatedRequestParams):  # type: ignore[name-defined, misc] # imported by name
        uri: str

    class ListSkills(types.Request[types.PaginatedRequestParams, Literal["skills/list"]]):  # type: ignore[name-defined, misc] # imported by name
        method: Literal["skills/list"] = "skills/list"
        params: Any

    class GetSkill(types.Request[At, Literal["skills/get"]]):  # type: ignore[name-defined, misc] # imported by name
        method: Literal["skills/get"] = "skills/get"
        params: Any

    class ReadDirectory(types.Request[At, Literal["resources/directory/read"]]):  # type: ignore[name-defined, misc] # imported by name
        method: Literal["resources/directory/read"] = "resources/directory/read"
        params: Any

    class Anything(types.Result):  # type: ignore[name-defined, misc] # imported by name
        model_config = config(extra="allow")

    def listing(cursor: str | None) -> Any:
        return ListSkills(params=types.PaginatedRequestParams(cursor=cursor))

    return (
        listing,
        lambda uri: GetSkill(params=At(uri=uri)),
        lambda uri: ReadDirectory(params=At(uri=uri)),
        Anything,
    )


async def fault(coming: Awaitable[Any]) -> int | None:
    """Return the code of JSON-RPC that a request failed with."""
    try:
        await coming
    except import_module("mcp.shared.exceptions").MCPError as error:
        code: int = error.error.code
        return code
    return None


async def look(client: Any, order: dict[str, Any]) -> dict[str, Any]:
    """Use the requests as they are on the wire."""
    listing, getting, reading, anything = requests()

    async def answer(request: Any) -> dict[str, Any]:
        found = await client.session.send_request(request, anything)
        dumped: dict[str, Any] = found.model_dump(by_alias=True, mode="json", exclude_unset=True)
        return dumped

    pages = [await answer(listing(None))]
    while cursor := pages[-1].get("nextCursor"):
        pages.append(await answer(listing(cursor)))
    entries = [entry for page in pages for entry in page["skills"]]
    uris = [resource["uri"] for entry in entries for resource in entry["resources"]]
    read = [
        (await client.session.read_resource(uri)).model_dump(by_alias=True, mode="json", exclude_none=True)
        for uri in uris
    ]
    listed = (await client.session.list_resources()).model_dump(by_alias=True, mode="json", exclude_none=True)
    found: dict[str, Any] = {
        "version": client.session.protocol_version,
        "settings": client.session.server_capabilities.extensions[EXTENSION],
        "pages": [{**page, "skills": len(page["skills"])} for page in pages],
        "entries": entries,
        "got": [await answer(getting(entry["uri"])) for entry in entries],
        "read": read,
        "listed": listed["resources"],
        "directories": {},
        "unknown": [
            [await fault(client.session.read_resource(uri)), await fault(answer(getting(uri)))]
            for uri in order["unknown"]
        ],
    }
    if found["settings"].get("directoryRead"):
        wanted = [entry["uri"].removesuffix("/SKILL.md") for entry in entries]
        while wanted:
            uri = wanted.pop()
            children = (await answer(reading(uri)))["resources"]
            found["directories"][uri] = children
            wanted += [child["uri"] for child in children if child.get("mimeType") == "inode/directory"]
        found["unknown"] += [[await fault(answer(reading(uri)))] for uri in (*order["unknown"], uris[0])]
    return found


async def by_fastmcp(order: dict[str, Any]) -> dict[str, Any]:
    library = import_module("fastmcp")
    skills = import_module("fastmcp.skills")
    transports = import_module("fastmcp.client.transports")
    reach = order.get("url") or transports.StdioTransport(
        order["command"][0], order["command"][1:], keep_alive=False
    )
    async with library.Client(reach, extensions=[skills.SkillsClientExtension()]) as client:
        verified = {}
        for entry in await client.list_skills():
            skill = await client.read_skill(entry.uri)  # checks sizes, digests and the frontmatter
            verified[skill.name] = {path: data.hex() for path, data in skill.files.items()}
        return {**await look(client, order), "verified": verified}


async def by_mcp(order: dict[str, Any]) -> dict[str, Any]:
    library = import_module("mcp")
    advertise = import_module("mcp.client.extension").advertise
    stdio = import_module("mcp.client.stdio").StdioServerParameters
    reach = order.get("url") or stdio(command=order["command"][0], args=order["command"][1:])
    async with library.Client(reach, extensions=[advertise(EXTENSION)]) as client:
        return {**await look(client, order), "verified": {}}


if __name__ == "__main__":
    use = {"fastmcp": by_fastmcp, "mcp": by_mcp}[sys.argv[1]]
    sys.stdout.write(json.dumps(asyncio.run(use(json.load(sys.stdin)))))
