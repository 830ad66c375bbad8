"""Skills over MCP with the official SDK (`mcp` 2.3 and newer, `pip install 'skillpack[mcp]'`).

For a server that has tools of its own, whose clients then find the skills beside them:

    from mcp.server import MCPServer
    from skillpack.adapters.mcp import extension

    from myagent.skills import bundle

    server = MCPServer("myagent", extensions=[extension(bundle)])
    server.run()

`server(bundle)` is a server of nothing else, as `skillpack serve` runs it.

The extension is `io.modelcontextprotocol/skills` (SEP-2640): `skills/list`, `skills/get`, `resources/directory/read`,
and every file a resource. Nothing is opened: the answers come out of the bundle, with the digests it was packed with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillpack.adapters._catalog import TTL_MS, Catalog, UnknownError, payload
from skillpack.adapters._framework import needed
from skillpack.export.mcp import EXTENSION

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from mcp.server.extension import Extension, MethodBinding, ResourceBinding
    from mcp.server.lowlevel import Server
    from pydantic import BaseModel

    from skillpack.adapters._catalog import CacheScope
    from skillpack.export.structure import AnyBundle, AnyFile

    _Handler = Callable[[Any, Any], Awaitable[dict[str, Any]]]

SETTINGS = {"directoryRead": True}
"""What the extension declares beside its name."""

_MAX_RETURNED_CHARS = 1_024
"""How long a URI may be that an error gives back as it came."""


def extension(bundle: AnyBundle, *, ttl_ms: int = TTL_MS, cache_scope: CacheScope = "public") -> Extension:
    """Return the extension that serves a bundle, for `MCPServer(extensions=[...])`.

    `ttl_ms` is how long clients may keep an answer, in milliseconds; `cache_scope` is `private` where who asks decides
    what there is. Raises `ValueError` with a line for each skill that hosts would refuse (over 512 files or 16 MiB, a
    name or field that is not as the specification of skills wants it), `ImportError` without the SDK.

    The SDK's own `resources/list` has one page, so mind its size; a URI is known in the form in which it is listed.
    """
    with needed("skillpack[mcp]"):
        from mcp.server import extension as sdk
        from mcp.server.mcpserver.exceptions import ResourceError
        from mcp.server.mcpserver.resources import Resource
        from pydantic import PrivateAttr

    catalog = Catalog(bundle, ttl_ms=ttl_ms, cache_scope=cache_scope)

    class SkillResource(Resource):
        _file: Any = PrivateAttr()

        async def read(self) -> str | bytes:
            try:
                kind, content = payload(self._file)
                return content if kind == "text" else bytes(self._file.bytes())
            except ValueError as error:
                raise ResourceError(str(error)) from None

    def resource(row: dict[str, Any], file: AnyFile) -> ResourceBinding:
        made = SkillResource(
            uri=row["uri"],
            name=row["name"],
            mime_type=row["mimeType"],
            description=row.get("description"),
        )
        made._file = file  # noqa: SLF001 - pydantic's private attribute, of a class of ours
        return sdk.ResourceBinding(resource=made)

    class SkillsExtension(sdk.Extension):
        identifier = EXTENSION

        def settings(self) -> dict[str, Any]:
            return dict(SETTINGS)

        def resources(self) -> Sequence[ResourceBinding]:
            return [resource(row, file) for row, file in catalog.all_files()]

        def methods(self) -> Sequence[MethodBinding]:
            return [
                sdk.MethodBinding(method=method, params_type=params, handler=handler)
                for method, params, handler in _methods(catalog)
            ]

    return SkillsExtension()


def server(
    bundle: AnyBundle,
    *,
    name: str = "skillpack",
    version: str = "",
    ttl_ms: int = TTL_MS,
    cache_scope: CacheScope = "public",
) -> Server[Any]:
    """Return a server of the bundle's skills and nothing else, of the SDK's low level; its lists come in pages.

    `name` and `version` are what clients are told of the server, the rest is as `extension` has it.
    """
    with needed("skillpack[mcp]"):
        import mcp_types
        from mcp.server.lowlevel import Server

    catalog = Catalog(bundle, ttl_ms=ttl_ms, cache_scope=cache_scope)
    made: Server[Any] = Server(name, version=version)
    listed = _answering(lambda params: catalog.resources(params.cursor))
    made.add_request_handler("resources/list", mcp_types.PaginatedRequestParams, listed)
    read = _answering(lambda params: catalog.read(params.uri))
    made.add_request_handler("resources/read", mcp_types.ReadResourceRequestParams, read)
    templates = _answering(lambda _: catalog.templates())
    made.add_request_handler("resources/templates/list", mcp_types.PaginatedRequestParams, templates)
    for method, params, handler in _methods(catalog):
        made.add_request_handler(method, params, handler)
    made.extensions[EXTENSION] = dict(SETTINGS)
    return made


def _methods(catalog: Catalog) -> Iterator[tuple[str, type[BaseModel], _Handler]]:
    """Give the methods of the extension, each with the type of its parameters and its handler."""
    import mcp_types

    class GetSkillParams(mcp_types.RequestParams):
        uri: str

    class ReadDirectoryParams(mcp_types.PaginatedRequestParams):
        uri: str

    yield (
        "skills/list",
        mcp_types.PaginatedRequestParams,
        _answering(lambda params: catalog.skills(params.cursor)),
    )
    yield "skills/get", GetSkillParams, _answering(lambda params: catalog.skill(params.uri))
    yield (
        "resources/directory/read",
        ReadDirectoryParams,
        _answering(lambda params: catalog.directory(params.uri, params.cursor)),
    )


def _answering(answer: Callable[[Any], dict[str, Any]]) -> _Handler:
    """Return the handler of a method; the parameters have been validated."""
    from mcp.shared.exceptions import MCPError
    from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

    async def handler(_context: Any, params: Any) -> dict[str, Any]:
        try:
            return answer(params)
        except UnknownError as error:
            uri = getattr(params, "uri", "")
            data = {"uri": uri} if 0 < len(uri) <= _MAX_RETURNED_CHARS else None
            raise MCPError(code=INVALID_PARAMS, message=str(error), data=data) from None
        except ValueError as error:  # contents that are not what was packed
            raise MCPError(code=INTERNAL_ERROR, message=str(error)) from None

    return handler
