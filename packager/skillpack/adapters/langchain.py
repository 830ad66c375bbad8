"""Skills in an agent of langchain: the catalog in its system message, the two tools among its tools.

    from langchain.agents import create_agent
    from myagent.skills import bundle
    from skillpack.adapters.langchain import SkillMiddleware

    agent = create_agent(model, middleware=[SkillMiddleware(bundle)])

langchain has no place of its own for skills (deepagents, which is made of it, has: see `skillpack.adapters.deepagents`).
"""

from __future__ import annotations

from base64 import b64encode
from threading import Lock
from typing import TYPE_CHECKING, Any

from skillpack.adapters._bundle import is_shown, text_or_note
from skillpack.adapters._framework import needed

with needed("skillpack[langchain]"):
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import SystemMessage, ToolMessage
    from langchain_core.tools import StructuredTool, ToolException

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from langchain.agents.middleware import ModelRequest, ToolCallRequest

    from skillpack.adapters._bundle import Bundle, Session

BLOCK_TYPES = ("image", "audio", "video")
"""What langchain has a content block of its own for; anything else is a `file`."""


def skill_tools(bundle: Bundle | Session) -> list[Any]:
    """Return the tools of a bundle or session as langchain tools, for an agent whose prompt you write yourself.

    Names, descriptions and schemas are those of `bundle.tool_definitions("mcp")`. A call that cannot be served is a
    `ToolMessage` with the status `error` and the bundle's text, which names what there is; pictures, sound, films and
    PDF are content blocks with the media type that was decided when packing, any other binary file is one line. No skills: no tools.
    """
    one_by_one = Lock()  # calls of one turn run in threads, and a session is for one

    def made(definition: dict[str, Any]) -> StructuredTool:
        name = definition["name"]

        def call(**arguments: object) -> str | list[dict[str, str]]:
            with one_by_one:
                answer = bundle.call(name, arguments)
            if answer.is_error:
                raise ToolException(str(answer))
            if answer.file is None or not is_shown(answer.file.media_type):
                return text_or_note(str(answer))
            kind = answer.file.media_type.partition("/")[0]
            block = {
                "type": kind if kind in BLOCK_TYPES else "file",
                "base64": b64encode(answer.file.bytes()).decode("ascii"),
                "mime_type": answer.file.media_type,
            }
            return [{"type": "text", "text": str(answer)}, block]

        return StructuredTool(
            name=name,
            description=definition["description"],
            args_schema=definition["inputSchema"],
            func=call,
            handle_tool_error=True,
        )

    return [made(definition) for definition in bundle.tool_definitions("mcp")]


class SkillMiddleware(AgentMiddleware):
    """Gives an agent of `create_agent` the skills of a bundle, or of a session.

    `catalog` is the notation of the catalog at the end of the system message: `markdown`, `xml`, `json`, or None to
    leave it out, as with tools of the style `enum`, which have it themselves. Given a session, which is one
    conversation, the middleware refuses the agent's other tools where the loaded skills do not allow them.
    """

    def __init__(self, bundle: Bundle | Session, *, catalog: str | None = "markdown") -> None:
        super().__init__()
        self.tools = skill_tools(bundle)
        self._bundle = bundle
        self._style = catalog

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        """Put the catalog into a request; langchain calls this."""
        return handler(self._told(request))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[Any]]
    ) -> Any:
        """Put the catalog into a request; langchain calls this."""
        return await handler(self._told(request))

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Run a tool that the loaded skills allow; langchain calls this."""
        return self._refusal(request) or handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """Run a tool that the loaded skills allow; langchain calls this."""
        return self._refusal(request) or await handler(request)

    def _told(self, request: ModelRequest) -> ModelRequest:
        # Each time anew: a session that is rebased has another catalog.
        text = "" if self._style is None else self._bundle.catalog(self._style)
        if not text:
            return request
        before = request.system_message
        if before is None:
            return request.override(system_message=SystemMessage(text))
        # Parts stay parts: one of them may carry a mark for the provider's cache.
        content = (
            f"{before.content}\n\n{text}"
            if isinstance(before.content, str)
            else [*before.content, {"type": "text", "text": text}]
        )
        return request.override(system_message=before.model_copy(update={"content": content}))

    def _refusal(self, request: ToolCallRequest) -> ToolMessage | None:
        refuse = getattr(self._bundle, "refuse", None)  # which a session has, and a bundle has not
        call = request.tool_call
        refusal = None if refuse is None else refuse(call["name"])
        if refusal is None:
            return None
        return ToolMessage(refusal, tool_call_id=call["id"], name=call["name"], status="error")
