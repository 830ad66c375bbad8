r"""Skills of a bundle in OpenAI's agents SDK (distribution `openai-agents`): as tools, or as files of a sandbox.

    from agents import Agent
    from agents.sandbox import Manifest, SandboxAgent
    from agents.sandbox.capabilities import Shell
    from myagent.skills import bundle
    from skillpack.adapters.openai_agents import sandbox_skills, skill_tools

    agent = Agent(
        name="support",
        instructions=f"You are a support agent.\n\n{bundle.catalog()}",
        tools=skill_tools(bundle),
        model=model,
    )
    worker = SandboxAgent(
        name="worker",
        capabilities=[Shell(), sandbox_skills(bundle)],
        default_manifest=Manifest(),
        model=model,
    )

The second has a sandbox, that is files and a shell: it gets the skills as files, and the framework's own text about them.
It needs a manifest, if an empty one: without any the framework asks no capability for files.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from skillpack.adapters._bundle import description, text_or_note, visible
from skillpack.adapters._framework import needed

with needed("skillpack[openai-agents]"):
    from agents import (
        FunctionTool,
        ToolGuardrailFunctionOutput,
        ToolInputGuardrail,
        ToolInputGuardrailData,
        ToolOutputFileContent,
        ToolOutputImage,
    )
    from agents.sandbox.capabilities import Skills
    from agents.sandbox.capabilities.skills import Skill
    from agents.sandbox.entries import BaseEntry, Dir, File
    from agents.sandbox.types import Permissions
    from pydantic import field_serializer, field_validator

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from agents.sandbox.materialization import MaterializedFile
    from agents.sandbox.session.base_sandbox_session import BaseSandboxSession

    import skillpack.adapters._bundle as packed

IMAGES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
"""What OpenAI's models take as an image; a request with any other is refused as a whole."""

PDF = "application/pdf"

READ_WRITE, READ, EXECUTE = 0o6, 0o4, 0o1


def skill_tools(source: packed.Toolset) -> list[FunctionTool]:
    """Return the tools that load a skill and read a file, for `Agent(tools=[…])`; none when there are no skills.

    `source` is a bundle, or a session for one conversation, whose `catalog()` goes into the agent's instructions. Names
    and texts are theirs. GIF, JPEG, PNG and WebP come as an image, PDF as a file, of any other binary file one line
    says type and size. Every call is answered, a wrong one with what there is. `ValueError` for names of tools that
    OpenAI does not take.
    """
    return [
        FunctionTool(
            name=tool["name"],
            description=tool["description"],
            params_json_schema=tool["parameters"],
            on_invoke_tool=partial(_answer, source, tool["name"]),
            # Strict mode knows no optional argument; what does not fit the schema is answered by `call`.
            strict_json_schema=False,
        )
        for tool in source.tool_definitions("openai-responses")
    ]


def skill_policy(session: packed.Session) -> ToolInputGuardrail[Any]:
    """Return the guardrail that refuses a tool which the loaded skills of a session do not allow, with the reason.

    It is for the other tools of an agent, `function_tool(tool_input_guardrails=[skill_policy(session)])`, whose skill
    tools are `skill_tools(session)`: a guard-rail for an honest model, as `SkillSession.permits` has it.
    """

    def check(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        refusal = session.refuse(data.context.tool_name)
        if refusal is None:
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(refusal)

    return ToolInputGuardrail(check, name="skill_policy")


async def _answer(
    source: packed.Toolset, tool: str, _context: object, arguments: str
) -> str | ToolOutputImage | ToolOutputFileContent:
    answer = source.call(tool, arguments)
    file = answer.file
    if file is None or file.media_type not in (PDF, *IMAGES):
        return text_or_note(str(answer))
    url = f"data:{file.media_type};base64,{b64encode(file.bytes()).decode('ascii')}"
    if file.media_type == PDF:
        return ToolOutputFileContent(file_data=url, filename=file.path.rpartition("/")[2])
    return ToolOutputImage(image_url=url)


def sandbox_skills(bundle: packed.Bundle, **options: Any) -> Skills:
    """Return the capability that puts the files of the skills into a sandbox, for `SandboxAgent(capabilities=[…])`.

    `options` are those of `agents.sandbox.capabilities.Skills`, `skills_path` among them. Files have their own paths
    and bytes, and are executable where they were packed so. Hidden skills are not among them, since the framework shows
    a model all directories of its sandbox: `skill_tools` loads them by name. Raises `IntegrityError` for damaged files,
    and `ValueError` when there is no skill that is not hidden.
    """
    skills: list[Skill] = [_sandbox_skill(skill) for skill in visible(bundle)]
    if not skills:
        raise ValueError(
            "there is no skill to put into a sandbox, where hidden ones are left out: use skill_tools, which loads these "
            "by name, or leave the capability away"
        )
    return Skills(skills=skills, **options)


class _BinaryFile(BaseEntry):
    """A file whose contents are no text: the framework writes its sandboxes as JSON, which its own cannot be."""

    type: Literal["skillpack_file"] = "skillpack_file"
    content: bytes

    async def apply(self, session: BaseSandboxSession, dest: Path, base_dir: Path) -> list[MaterializedFile]:
        plain = File(content=self.content, permissions=self.permissions)
        written: list[MaterializedFile] = await plain.apply(session, dest, base_dir)
        return written

    @field_serializer("content", when_used="json")
    def _encode(self, content: bytes) -> str:
        return b64encode(content).decode("ascii")

    @field_validator("content", mode="before")
    @classmethod
    def _decode(cls, content: str | bytes) -> bytes:
        return content if isinstance(content, bytes) else b64decode(content)


class _SandboxSkill(Skill):
    """A skill with files at any path: the framework's own knows three directories."""

    tree: Dir

    def as_dir_entry(self) -> Dir:
        return self.tree


def _sandbox_skill(skill: packed.Skill) -> _SandboxSkill:
    tree = _tree((path.split("/"), file) for path, file in skill.files.items())
    return _SandboxSkill(
        name=skill.name,
        description=description(skill),
        content=tree.children["SKILL.md"],
        compatibility=skill.compatibility,
        tree=tree,
    )


def _tree(files: Iterable[tuple[list[str], packed.SkillFile]]) -> Dir:
    children: dict[str | Path, BaseEntry] = {}
    below: dict[str, list[tuple[list[str], packed.SkillFile]]] = {}
    for (name, *rest), file in files:
        if rest:
            below.setdefault(name, []).append((rest, file))
        else:
            kind: type[File | _BinaryFile] = File if file.is_text else _BinaryFile
            children[name] = kind(content=file.bytes(), permissions=_permissions(executable=file.executable))
    for name, inside in below.items():
        children[name] = _tree(inside)
    return Dir(children=children)


def _permissions(*, executable: bool) -> Permissions:
    run = EXECUTE if executable else 0
    return Permissions(owner=READ_WRITE | run, group=READ | run, other=READ | run)
