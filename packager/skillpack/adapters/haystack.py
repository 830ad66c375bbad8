"""Skills of a bundle in Haystack (distribution `haystack-ai`), as the store behind its `SkillToolset`.

    from haystack.components.agents import Agent
    from haystack.tools import SkillToolset
    from myagent.skills import bundle
    from skillpack.adapters.haystack import BundleSkillStore

    agent = Agent(chat_generator=generator, tools=SkillToolset(BundleSkillStore(bundle)))

A pipeline that is written to YAML holds the import path of the bundle and not the skills, so it goes on with those of
the build that reads it. Haystack imports only what it is told to trust: to read such a pipeline, give both packages,
`Pipeline.load(file, allowed_modules=["skillpack", "myagent"])`.
"""

from __future__ import annotations

import sys
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from skillpack.adapters._bundle import description, instructions, text_or_note, visible
from skillpack.adapters._framework import needed
from skillpack.runtime.frames import MAX_LISTED_FILES

with needed("skillpack[haystack]"):
    from haystack.core.errors import SerializationError
    from haystack.core.serialization import default_to_dict, import_class_by_name
    from haystack.dataclasses import FileContent, ImageContent
    from haystack.dataclasses.image_content import IMAGE_MIME_TYPES
    from haystack.dataclasses.skill_info import SkillInfo
    from haystack.hooks.human_in_the_loop import ToolExecutionDecision

if TYPE_CHECKING:
    from typing import Self

    from skillpack.adapters._bundle import Bundle, Session

LOAD, READ = "load_skill", "read_skill_file"
"""The tools of a `SkillToolset`."""

PDF = "application/pdf"
"""What providers of models take as a file; Haystack counts it among the images, which it can draw of it."""


class BundleSkillStore:
    """A store of skills, by the structure of Haystack's `SkillStore`, that reads a bundle and no disk.

    `import_path` is where the bundle can be imported from (`myagent.skills.bundle`), for pipelines that are written to
    a file. The bundle of an emitted module knows it; one that is made at run time needs it.

    Hidden skills are not listed, and are loaded by name. Text comes as text, whole; images and PDF as content that a
    model can see; of other files one line says type and size. What there is not raises `KeyError` or
    `FileNotFoundError`, what is damaged `ValueError`, with a message that Haystack's agent hands to the model.
    """

    def __init__(self, bundle: Bundle, import_path: str | None = None) -> None:
        self._bundle = bundle
        self._import_path = import_path

    def list_skills(self) -> dict[str, SkillInfo]:
        """Return name and description of each skill that is not hidden, by its name."""
        return {
            skill.name: SkillInfo(name=skill.name, description=description(skill))
            for skill in visible(self._bundle)
        }

    def load_skill(self, name: str) -> tuple[str, list[str]]:
        """Return a skill's instructions and the paths of its other files; after 100 of them a line counts the rest."""
        skill = self._bundle[name]
        paths = list(skill.resources)
        if len(paths) > MAX_LISTED_FILES:
            paths[MAX_LISTED_FILES:] = [f"… and {len(paths) - MAX_LISTED_FILES} more."]
        # Haystack lists files only where there are any, and models invent some otherwise.
        return instructions(skill) + ("" if paths else "\nThis skill has no resources.\n"), paths

    def read_skill_file(self, name: str, path: str) -> str | ImageContent | FileContent:
        """Return a file of a skill by its exact path."""
        skill = self._bundle[name]
        try:
            file = skill.file(path)
        except KeyError as error:
            raise FileNotFoundError(str(error)) from None
        if file.is_text:
            return text_or_note(file.text())
        encoded = b64encode(file.bytes()).decode("ascii")
        if file.media_type == PDF:
            return FileContent(encoded, PDF, filename=path.rpartition("/")[2], validation=False)
        if file.media_type in IMAGE_MIME_TYPES:
            return ImageContent(encoded, file.media_type, validation=False)
        return self._bundle.read(name, path)

    def to_dict(self) -> dict[str, Any]:
        """Return the import path of the bundle; `SerializationError` when there is none."""
        path = self._import_path or _import_path(self._bundle)
        if path is None:
            raise SerializationError(
                "this bundle was made at run time, so there is no module to import it from: assign it to a name of a "
                'module of yours and say which, BundleSkillStore(bundle, "myagent.support.skills")'
            )
        written: dict[str, Any] = default_to_dict(self, import_path=path)
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the store of the bundle at an import path.

        `DeserializationError` when Haystack was not told to trust the module, `ImportError` when it is not there.
        """
        path = data["init_parameters"]["import_path"]
        # Made for classes, it takes any name; it is Haystack's own check of what may be imported.
        bundle: Any = import_class_by_name(path)
        return cls(bundle, path)


class SkillPolicy:
    """Refuses tools that the skills loaded in one conversation do not allow, for Haystack's `ConfirmationHook`.

    `Agent(…, hooks={"before_tool": [ConfirmationHook({"*": SkillPolicy(bundle)})]})` asks it before each call, so that
    it also sees what is loaded; the model reads the reason. `session` is the conversation, whose `to_json()` is the
    `state` for the next part of it. A guard-rail for an honest model, as `SkillSession.permits` has it.
    """

    session: Session

    def __init__(self, bundle: Bundle, state: str | None = None) -> None:
        self.session = bundle.with_tools(LOAD, READ).session(state)

    def run(
        self, *, tool_name: str, tool_params: dict[str, Any], tool_call_id: str | None = None, **_: Any
    ) -> ToolExecutionDecision:
        """Return whether a tool may run, and if not, why; Haystack calls this."""
        refusal = None
        if tool_name == LOAD:
            self.session.call(LOAD, tool_params)
        elif tool_name != READ:
            refusal = self.session.refuse(tool_name)
        return ToolExecutionDecision(
            tool_name=tool_name,
            execute=refusal is None,
            tool_call_id=tool_call_id,
            feedback=refusal,
            final_tool_params=tool_params,
        )

    async def run_async(self, **call: Any) -> ToolExecutionDecision:
        """Return whether a tool may run, and if not, why; Haystack calls this."""
        return self.run(**call)

    def to_dict(self) -> dict[str, Any]:
        """Raise `SerializationError`: a session is of one conversation, and a pipeline of many."""
        raise SerializationError(
            "a SkillPolicy is of one conversation and is not written with a pipeline: write it without the hook, and give "
            "the agent one when you have read it"
        )


def _import_path(bundle: Bundle) -> str | None:
    """Return where an emitted module has this very bundle, or None; in a package the class is in a module below it."""
    name = type(bundle).__module__
    while name:
        if getattr(sys.modules.get(name), "bundle", None) is bundle:
            return f"{name}.bundle"
        name = name.rpartition(".")[0]
    return None
