"""The runtime: what an emitted module carries, importable by itself without any dependency.

The data's way: `text`, `errors`, `digest` and `shape` hold what all need, `model` the frozen values, `assembly` puts
skills together at run time, `disclosure` is what a model is shown, `tools` what it calls, `bundle` all of this as
one object, `session` what changes during a conversation. `define` and `resolution` are not embedded, and are
imported when `define_skill` or `resolve` is asked for.
"""

from skillpack.runtime.answering import ToolText
from skillpack.runtime.bundle import SkillBundle
from skillpack.runtime.errors import (
    CollisionError,
    IntegrityError,
    ResourceNotFoundError,
    SkillDefinitionError,
    SkillNotFoundError,
    SkillSourceError,
)
from skillpack.runtime.listing import TYPE_CHECKING
from skillpack.runtime.model import Skill, SkillFile
from skillpack.runtime.session import SkillSession

__all__ = [
    "CollisionError",
    "IntegrityError",
    "ResourceNotFoundError",
    "Skill",
    "SkillBundle",
    "SkillDefinitionError",
    "SkillFile",
    "SkillNotFoundError",
    "SkillSession",
    "SkillSourceError",
    "ToolText",
    "define_skill",
    "resolve",
]

if TYPE_CHECKING:
    from skillpack.runtime.define import define_skill
    from skillpack.runtime.resolution import resolve
else:  # a type checker that saw this would take any name for one of the module's

    def __getattr__(name: str) -> object:
        if name == "define_skill":
            from skillpack.runtime.define import define_skill

            return define_skill
        if name == "resolve":
            from skillpack.runtime.resolution import resolve

            return resolve
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
