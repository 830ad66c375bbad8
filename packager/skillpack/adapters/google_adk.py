"""Skills in an agent of google-adk: its own toolset for skills, over a bundle.

    from google.adk.agents import LlmAgent
    from myagent.skills import bundle
    from skillpack.adapters.google_adk import BundleToolset

    agent = LlmAgent(name="support", model=model, tools=[BundleToolset(bundle)])

The framework knows a skill's files below `references/`, `assets/` and `scripts/` only, and no script that is not text:
any other file has a place below `assets/`, and the instructions end with the list of all places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillpack.adapters._bundle import description, instructions, is_shown, text_or_note, visible
from skillpack.adapters._framework import needed
from skillpack.runtime.frames import MAX_LISTED_FILES, quoted

with needed("skillpack[google-adk]"):
    from google.adk.skills import Frontmatter, Resources, Script, Skill, SkillRegistry
    from google.adk.tools.skill_toolset import (
        ListSkillsTool,
        LoadSkillResourceTool,
        LoadSkillTool,
        RunSkillScriptTool,
        SearchSkillsTool,
        SkillDiscoveryMode,
        SkillToolset,
        UnloadSkillTool,
    )
    from google.genai.types import Blob, Content, FunctionDeclaration, Part

if TYPE_CHECKING:
    from google.adk.agents.readonly_context import ReadonlyContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext

    from skillpack.adapters._bundle import Answer, Bundle
    from skillpack.adapters._bundle import Skill as PackedSkill

LOAD = LoadSkillTool.TOOL_NAME
READ = LoadSkillResourceTool.TOOL_NAME
SKILL_TOOLS = (ListSkillsTool, LoadSkillTool, LoadSkillResourceTool, RunSkillScriptTool, UnloadSkillTool)
FOLDERS = ("references", "assets", "scripts")

SHOWN = "It is shown in the next message."


def adk_skills(bundle: Bundle, *, read_tool: str = READ) -> list[Any]:
    """Return the skills of a bundle that are not hidden as `google.adk.skills.Skill`, for a `SkillToolset` of yours.

    All files are read, since the framework's objects hold them. `read_tool` is how the instructions call the tool that
    reads files, where the toolset puts something before its name. `ValueError` for a skill that the framework does not
    take, as one whose name is not of lower-case letters, digits and single hyphens.
    """
    return [_skill(skill, read_tool) for skill in visible(bundle)]


class BundleToolset(SkillToolset):
    """The framework's `SkillToolset` with the skills of a bundle.

    Unlike one that is made of `adk_skills`, it loads hidden skills by their names, answers a wrong name or path with
    the bundle's text, which names what there is, reads long files in pieces, takes a file's own path besides its place,
    and shows pictures, sound, films and PDF with the media type that was decided when packing; of any other binary file
    it says type and size. The catalog stands in the prompt, unless `discovery_mode` is another. No skills: no tools, and
    nothing in the prompt. `options` are those of `SkillToolset`, without `skills` and `registry`.
    """

    def __init__(self, bundle: Bundle, **options: Any) -> None:
        prefix = options.get("tool_name_prefix")
        load, read = (f"{prefix}_{name}" if prefix else name for name in (LOAD, READ))
        self._bundle = bundle.with_tools(load, read)
        wanted = options.pop("tool_filter", None)

        def is_offered(tool: BaseTool, readonly_context: ReadonlyContext | None = None) -> bool:
            # A registry brings a tool to search it, and what is hidden is not to be found.
            if isinstance(tool, SearchSkillsTool):
                return False
            if wanted is None or isinstance(wanted, list):
                return wanted is None or tool.name in wanted
            return bool(wanted(tool, readonly_context))

        super().__init__(
            adk_skills(bundle, read_tool=read),
            registry=_Hidden(self._bundle),
            tool_filter=is_offered,
            **{"discovery_mode": SkillDiscoveryMode.EAGER, **options},
        )
        self._own = {LOAD: _Load(self, self._bundle), READ: _Read(self, self._bundle)}

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        """Return the framework's tools, ours in the place of two of them; the framework calls this."""
        if not self._bundle:
            return []
        return [self._own.get(tool.name, tool) for tool in await super().get_tools(readonly_context)]

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:
        """Put the catalog into a request, unless there is none; the framework calls this."""
        if self._bundle:
            await super().process_llm_request(tool_context=tool_context, llm_request=llm_request)

    def refuse(
        self,
        tool: BaseTool,
        args: dict[str, Any],  # noqa: ARG002 - the framework names its arguments
        tool_context: ToolContext,
    ) -> dict[str, str] | None:
        """Return the error for a call that the active skills do not allow, or None where they do.

        For `LlmAgent(before_tool_callback=toolset.refuse)`: a guard-rail for an honest model, as `SkillSession.permits`
        has it. The tools for skills are always allowed.
        """
        session = self._bundle.session()
        for name in self.list_active_skills(tool_context):
            if name in self._bundle:
                session.load(name)
        refusal = None if isinstance(tool, SKILL_TOOLS) else session.refuse(tool.name)
        return None if refusal is None else {"error": refusal, "error_code": "TOOL_NOT_ALLOWED"}


class _Hidden(SkillRegistry):
    """Gives a skill by its name, and finds none."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle

    async def get_skill(self, *, name: str) -> Any:
        # None and no error: for one skill of an older build that a session has active, an error takes all tools away.
        return _skill(self._bundle[name], self._bundle.tool_names[1]) if name in self._bundle else None

    async def search_skills(self, *, query: str) -> list[Frontmatter]:  # noqa: ARG002 - as above
        return []


class _Load(LoadSkillTool):
    """The framework's tool, which answers a wrong name with the bundle's text."""

    def __init__(self, toolset: SkillToolset, bundle: Bundle) -> None:
        super().__init__(toolset)
        self._bundle = bundle

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        answer = self._bundle.call(self._bundle.tool_names[0], {"name": args.get("skill_name")})
        if answer.is_error:
            return {"error": str(answer), "error_code": "SKILL_NOT_FOUND"}
        return await super().run_async(args={**args, "skill_name": answer.skill}, tool_context=tool_context)


class _Read(LoadSkillResourceTool):
    """The framework's tool, over the bundle itself."""

    def __init__(self, toolset: SkillToolset, bundle: Bundle) -> None:
        super().__init__(toolset)
        self._bundle = bundle

    def _get_declaration(self) -> FunctionDeclaration:
        schema = self._bundle.tool_definitions("mcp")[1]["inputSchema"]
        shapes = schema["properties"]
        shapes = {"skill_name": shapes.pop("name"), "file_path": shapes.pop("path"), **shapes}
        schema |= {"properties": shapes, "required": ["skill_name", "file_path"]}
        return FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:  # noqa: ARG002 - as above
        answer = self._answer(args)
        if answer.is_error:
            return {"error": str(answer), "error_code": "RESOURCE_NOT_FOUND"}
        told = {"skill_name": answer.skill, "file_path": args["file_path"]}
        if answer.file is not None and is_shown(answer.file.media_type):
            return {**told, "status": f"{answer} {SHOWN}"}
        return {**told, "content": text_or_note(str(answer))}

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:
        await super().process_llm_request(tool_context=tool_context, llm_request=llm_request)
        last = (llm_request.contents[-1].parts if llm_request.contents else None) or []
        for response in [part.function_response for part in last if part.function_response]:
            told = response.response or {}
            is_ours = response.name == self.name and "status" in told
            if is_ours and (file := self._answer(told).file):
                shown = Part(inline_data=Blob(data=file.bytes(), mime_type=file.media_type))
                parts = [Part.from_text(text=f"The content of {told['file_path']} is:"), shown]
                llm_request.contents.append(Content(role="user", parts=parts))

    def _answer(self, args: dict[str, Any]) -> Answer:
        name, path = args.get("skill_name"), args.get("file_path")
        if isinstance(name, str) and name in self._bundle:
            # What is asked for is a place, or the file's own path, which is then no place.
            places = _places(self._bundle[name])
            path = next((own for own, place in places.items() if place == path), path)
        wanted = {"name": name, "path": path, **{key: args.get(key) for key in ("offset", "limit")}}
        return self._bundle.call(self._bundle.tool_names[1], wanted)


def _skill(skill: PackedSkill, read_tool: str) -> Skill:
    fields = {**skill.frontmatter, "name": skill.name, "description": description(skill)}
    if skill.allowed_tools is not None:
        fields["allowed-tools"] = " ".join(skill.allowed_tools)
    places = _places(skill)
    folders: dict[str, dict[str, Any]] = {folder: {} for folder in FOLDERS}
    for path, place in places.items():
        file = skill.file(path)
        folder, _, rest = place.partition("/")
        if folder == "scripts":
            folders[folder][rest] = Script(src=file.text())
        else:
            folders[folder][rest] = file.text() if file.is_text else file.bytes()
    try:
        frontmatter = Frontmatter.model_validate(fields)
    except ValueError as error:
        raise ValueError(f"google-adk does not take the skill {skill.name!r}: {error}") from None
    text = instructions(skill).rstrip("\r\n")
    return Skill(
        frontmatter=frontmatter,
        instructions=f"{text}\n\n{_listed(skill.name, places, read_tool)}",
        resources=Resources(**folders),
    )


def _places(skill: PackedSkill) -> dict[str, str]:
    """Return where the framework has each file of a skill, by its path."""
    places: dict[str, str] = {}
    moved: list[str] = []
    for path, file in skill.resources.items():
        folder, _, rest = path.partition("/")
        if rest and folder in FOLDERS and (file.is_text or folder != "scripts"):
            places[path] = path
        else:
            moved.append(path)
    taken = {*places.values()}
    for path in moved:
        place = f"assets/{path}"
        while place in taken:
            place = place.replace("assets/", "assets/moved/", 1)
        taken.add(place)
        places[path] = place
    return dict(sorted(places.items()))


def _listed(name: str, places: dict[str, str], read_tool: str) -> str:
    if not places:
        return "This skill has no resources."
    lines = [f"Files of this skill, to be read with {read_tool}(skill_name={quoted(name)}, file_path=…):"]
    lines += [
        f"- {place}" if place == path else f"- {place} (elsewhere in these instructions: {path})"
        for path, place in list(places.items())[:MAX_LISTED_FILES]
    ]
    if len(places) > MAX_LISTED_FILES:
        lines.append(f"… and {len(places) - MAX_LISTED_FILES} more.")
    return "\n".join(lines)
