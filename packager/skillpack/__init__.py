"""skillpack: pack agent skills into an importable, frozen Python module at build time.

Nothing is imported here, so that `skillpack.runtime` works where none of skillpack's dependencies is
installed. The names below are imported when they are asked for.
"""

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
    "from_directory",
    "from_plugin",
    "installed",
    "resolve",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillpack.runtime import (
        CollisionError,
        IntegrityError,
        ResourceNotFoundError,
        Skill,
        SkillBundle,
        SkillDefinitionError,
        SkillFile,
        SkillNotFoundError,
        SkillSession,
        SkillSourceError,
        ToolText,
        define_skill,
        resolve,
    )
    from skillpack.sources import from_directory, from_plugin, installed
else:  # a type checker that saw this would take any name for one of the module's

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        is_source = name in ("from_directory", "from_plugin", "installed")
        return getattr(import_module("skillpack.sources" if is_source else "skillpack.runtime"), name)
