"""The runtime: what an emitted module carries, importable by itself without any dependency.

`listing` is the catalog that a packed bundle has ready, and `ready` such a bundle before it is used. `bundle` is what
it then is: its `model` are skills and files, which `packed` decodes, and `blobs` reads in the data form. What it does
is loaded on first use: `frames` and `disclosure` are what a model is shown, `answering` what its calls are answered,
`tools` what it may call; `assembly` and `composition` make skills and bundles at run time, `whole` checks, loads and
writes all of one; `session` is what changes during a conversation, and `matching` how tools and globs are matched.
`text`, `errors`, `digest`, `paths`, `shape` and `frozen` hold what these need. `define` and `resolution` are not
embedded, and are imported when `define_skill` or `resolve` is asked for.
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
