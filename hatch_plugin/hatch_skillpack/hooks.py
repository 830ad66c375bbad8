"""The registration: hatchling imports this module whenever it looks up any plugin, so it imports nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hatchling.plugin import hookimpl

if TYPE_CHECKING:
    from hatch_skillpack.hook import SkillpackBuildHook


@hookimpl
def hatch_register_build_hook() -> type[SkillpackBuildHook]:
    """Return the class of the build hook `skillpack`."""
    from hatch_skillpack.hook import SkillpackBuildHook

    return SkillpackBuildHook
