"""Skills in an agent of pydantic-ai: each is a capability whose instructions are loaded on demand.

    from myagent.skills import bundle
    from pydantic_ai import Agent
    from skillpack.adapters.pydantic_ai import skill_capabilities

    agent = Agent(model, capabilities=skill_capabilities(bundle))

The framework lists deferred capabilities with their descriptions, and its tool `load_capability` brings the
instructions of one into the conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillpack.adapters._bundle import description, is_shown, text_or_note, visible
from skillpack.adapters._framework import needed

with needed("skillpack[pydantic-ai]"):
    from pydantic_ai import BinaryContent, Tool
    from pydantic_ai.capabilities import AbstractCapability, Capability
    from pydantic_ai.exceptions import ToolFailed
    from pydantic_ai.toolsets import FunctionToolset

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pydantic_ai import RunContext, ToolDefinition
    from pydantic_ai.messages import ToolCallPart

    from skillpack.adapters._bundle import Bundle

LOAD = "load_capability"
"""The framework's own tool."""


def skill_capabilities(
    bundle: Bundle, *, read_tool: str = "read_skill_resource", enforce: bool = False
) -> list[AbstractCapability[Any]]:
    """Return the capabilities of an agent that has the skills of a bundle; none for an empty bundle.

    There is a deferred one for each skill that is not hidden, named as the skill is, and one with the tool `read_tool`
    that reads the files of skills: text as text, in pieces where it is long, pictures, sound, films and PDF as
    `BinaryContent` with the media type that was decided when packing, one line about any other file. A hidden skill is loaded by its name with
    `load_capability` too. A wrong name or path is a failed call with the bundle's text, which names what there is; it
    costs no retry. With `enforce` a call of another tool fails where the skills that are loaded do not allow it: a
    guard-rail for an honest model, as `SkillSession.permits` has it.

    An agent takes the capabilities of one bundle: put several together with `overlay`. The framework's time for a run
    grows with the square of the number of capabilities (100 take 0.2 seconds of a processor, 400 take 2): of hundreds
    of skills `select` some, or give the agent `bundle.tools()` and `bundle.catalog()`.
    """
    named = bundle.with_tools(LOAD, read_tool)
    if not named:
        return []
    return [
        *(_Skill(named, skill.name, description(skill)) for skill in visible(named)),
        _Files(named, enforce),
    ]


class _Skill(Capability[Any]):
    """One skill, whose instructions are decoded when they are asked for."""

    def __init__(self, bundle: Bundle, name: str, about: str) -> None:
        super().__init__(id=name, description=about, defer_loading=True)
        self._bundle = bundle

    def get_instructions(self) -> str:
        """Return the instructions in their frame, with the files listed; the framework calls this."""
        return self._bundle.load(self.id)


class _Files(AbstractCapability[Any]):
    """The tool that reads files, and the answers to loads that the framework knows nothing of."""

    def __init__(self, bundle: Bundle, enforce: bool) -> None:
        self.id = "skillpack-files"
        self._bundle = bundle
        self._enforce = enforce

    def get_toolset(self) -> FunctionToolset[Any]:
        """Return the tool that reads files; the framework calls this."""
        definition = self._bundle.tool_definitions("mcp")[1]
        read = Tool.from_schema(
            self._read, definition["name"], definition["description"], definition["inputSchema"]
        )
        return FunctionToolset([read], id=self.id)

    def _read(self, **arguments: object) -> str | BinaryContent:
        answer = self._bundle.call(self._bundle.tool_names[1], arguments)
        if answer.is_error:
            raise ToolFailed(str(answer))
        if answer.file is not None and is_shown(answer.file.media_type):
            return BinaryContent(answer.file.bytes(), media_type=answer.file.media_type)
        return text_or_note(str(answer))

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,  # noqa: ARG002 - the framework names its arguments
        args: dict[str, Any],
        handler: Callable[[dict[str, Any]], Awaitable[Any]],
    ) -> Any:
        """Answer a load of what is no capability, and refuse what is not allowed; the framework calls this."""
        if call.tool_name == LOAD and args["id"] not in ctx.capabilities:
            answer = self._bundle.call(LOAD, {"name": args["id"]})
            if answer.is_error:
                raise ToolFailed(str(answer))
            # Not as instructions: the framework withdraws those of what is no capability of the run.
            return {"skill": answer.skill, "message": str(answer)}
        if self._enforce and (refusal := self._refusal(ctx, call.tool_name)):
            raise ToolFailed(refusal)
        return await handler(args)

    def _refusal(self, ctx: RunContext[Any], tool: str) -> str | None:
        # Those of this bundle that the framework knows to be loaded, and the hidden ones, which it does not know.
        returned = (
            part.content.get("skill")
            for message in ctx.messages
            for part in message.parts
            if part.part_kind == "tool-return" and part.tool_name == LOAD and isinstance(part.content, dict)
        )
        session = self._bundle.session()
        for name in dict.fromkeys([*sorted(ctx.loaded_capability_ids), *returned]):
            if name in self._bundle:
                session.load(name)
        return session.refuse(tool)
