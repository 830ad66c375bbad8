"""Skills of a bundle in Microsoft's agent-framework (distribution `agent-framework-core`), behind its own provider.

    from agent_framework import Agent
    from myagent.skills import bundle
    from skillpack.adapters.agent_framework import skills_provider

    provider = skills_provider(bundle, disable_load_skill_approval=True, disable_read_skill_resource_approval=True)
    agent = Agent(client=client, instructions="You are a support agent.", context_providers=[provider])

The framework asks for a person's approval of each load and each read unless it is told otherwise, as in the example:
what is packed is frozen and only read. It also offers its tool `run_skill_script`, which finds no script here: a
packed script is a file to read.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from skillpack.adapters._bundle import description, instructions, is_shown, text_or_note, visible
from skillpack.adapters._framework import needed
from skillpack.runtime.errors import SkillNotFoundError
from skillpack.runtime.frames import MAX_LISTED_FILES

with needed("skillpack[agent-framework]"):
    from agent_framework import (
        Content,
        FunctionMiddleware,
        InlineSkill,
        InlineSkillResource,
        Skill,
        SkillFrontmatter,
        SkillsProvider,
    )

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from agent_framework import (
        AgentSession,
        FunctionInvocationContext,
        FunctionTool,
        SessionContext,
        SkillsSourceContext,
    )

    import skillpack.adapters._bundle as packed

LOAD, READ, RUN = (
    SkillsProvider.LOAD_SKILL_TOOL_NAME,
    SkillsProvider.READ_SKILL_RESOURCE_TOOL_NAME,
    SkillsProvider.RUN_SKILL_SCRIPT_TOOL_NAME,
)


def skills_provider(bundle: packed.Bundle, *, enforce: bool = False, **options: Any) -> SkillsProvider:
    """Return the framework's provider of skills, for `Agent(context_providers=[…])`, over the skills of a bundle.

    `options` are those of `agent_framework.SkillsProvider`. Instructions and files are decoded when a model asks for
    them. Text comes whole, since the framework's tool knows no offset; pictures, sound, films and PDF as data; of any
    other binary file one line says type and size. Hidden skills are not in the instructions, and are loaded by name. A
    wrong name is answered with what there is, a damaged file with its place. `ValueError` for a skill whose name,
    description or compatibility the framework refuses.

    With `enforce` a call of any other tool is refused where the skills loaded in the agent's session do not allow it: a
    guard-rail for an honest model, as `SkillSession.permits` has it.
    """
    return _Provider(bundle, enforce, options)


class _Provider(SkillsProvider):
    """The framework's provider, which keeps hidden skills to itself and knows what to say of unknown ones.

    The methods with an underscore are the framework's own: it has no public place for either.
    """

    def __init__(self, bundle: packed.Bundle, enforce: bool, options: dict[str, Any]) -> None:
        super().__init__([_PackedSkill(bundle, skill) for skill in bundle.values()], **options)
        self._bundle = bundle
        self._enforce = enforce

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        await super().before_run(agent=agent, session=session, context=context, state=state)
        if self._enforce:
            context.extend_middleware(self.source_id, _Policy(self._bundle, state))

    async def _create_context(
        self, source_context: SkillsSourceContext
    ) -> tuple[Sequence[Skill], str | None, list[FunctionTool]]:
        skills, instructions, tools = await super()._create_context(source_context)
        told = {skill.name for skill in visible(self._bundle)}
        shown = [skill for skill in skills if skill.frontmatter.name in told]
        if len(shown) < len(skills):
            # None, of no skills, is nothing that the caller could add to the prompt.
            instructions = self._create_instructions(self._instruction_template, shown) or ""
        return skills, instructions, tools

    async def _load_skill(self, skills: Sequence[Skill], skill_name: str) -> str:
        return self._unknown(skills, skill_name) or await super()._load_skill(skills, skill_name)

    async def _read_skill_resource(
        self, skills: Sequence[Skill], skill_name: str, resource_name: str, **options: Any
    ) -> Any:
        unknown = self._unknown(skills, skill_name)
        return unknown or await super()._read_skill_resource(skills, skill_name, resource_name, **options)

    def _unknown(self, skills: Sequence[Skill], name: str) -> str | None:
        if self._find_skill(skills, name) is not None:
            return None
        return f"Error: {SkillNotFoundError(name, [skill.name for skill in visible(self._bundle)])}"


class _Policy(FunctionMiddleware):
    """Refuses what the loaded skills do not allow; their names are in `state`, which the framework keeps and saves."""

    def __init__(self, bundle: packed.Bundle, state: dict[str, Any]) -> None:
        self._bundle = bundle.with_tools(LOAD, READ)
        self._loaded: list[str] = state.setdefault("loaded", [])

    async def process(
        self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]
    ) -> None:
        tool = context.function.name
        if tool not in (LOAD, READ, RUN):
            session = self._bundle.session()
            for name in self._loaded:
                session.call(session.tool_names[0], {"name": name})
            if refusal := session.refuse(tool):
                context.result = f"Error: {refusal}"
                return
        await call_next()
        if tool == LOAD:
            asked = str(dict(context.arguments)["skill_name"]).lower()  # as the framework finds it
            self._loaded += [
                name for name in self._bundle if name.lower() == asked and name not in self._loaded
            ]


class _PackedSkill(Skill):
    """A skill of a bundle, in the framework's words."""

    def __init__(self, bundle: packed.Bundle, skill: packed.Skill) -> None:
        self._bundle = bundle
        self._skill = skill
        tools = skill.allowed_tools
        try:
            self._frontmatter = SkillFrontmatter(
                name=skill.name,
                description=description(skill),
                license=skill.license,
                compatibility=skill.compatibility,
                allowed_tools=None if tools is None else " ".join(tools),
                metadata=skill.metadata or None,
            )
        except ValueError as error:
            raise ValueError(
                f"agent-framework does not take the skill {skill.name}: {error} Change its SKILL.md, or leave it out: "
                f'bundle.select(["!{skill.name}"])'
            ) from None

    @property
    def frontmatter(self) -> SkillFrontmatter:
        return self._frontmatter

    async def get_content(self) -> str:
        try:
            text = instructions(self._skill)
            paths = list(self._skill.resources)
        except ValueError as error:
            return f"Error: {error}"
        # What is rendered is the framework's own form of a skill; its list needs the names of the files alone.
        listed = [InlineSkillResource(name=path, content="") for path in paths[:MAX_LISTED_FILES]]
        inline = InlineSkill(frontmatter=self._frontmatter, instructions=text, resources=listed)
        rendered: str = await inline.get_content()
        more = len(paths) - len(listed)
        return f"{rendered}\n\n… and {more} more resources." if more else rendered

    async def get_resource(self, name: str) -> InlineSkillResource:
        try:
            file = self._skill.file(name)
        except (KeyError, ValueError) as error:
            return InlineSkillResource(name=name, content=f"Error: {error}")
        return InlineSkillResource(name=name, function=partial(_read, self._bundle, self._skill.name, file))


def _read(bundle: packed.Bundle, name: str, file: packed.SkillFile) -> str | Content:
    try:
        if file.is_text:
            return text_or_note(file.text())
        if is_shown(file.media_type):
            return Content.from_data(file.bytes(), file.media_type, name=file.path.rpartition("/")[2])
        return bundle.read(name, file.path)
    except ValueError as error:
        return f"Error: {error}"
