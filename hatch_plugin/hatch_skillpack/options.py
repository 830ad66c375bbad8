"""The hook's own table, which only switches it on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.config import OPTIONS
from skillpack.findings import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hatch_skillpack.hook import SkillpackBuildHook

GENERIC = ("dependencies", "enable-by-default", "require-runtime-dependencies", "require-runtime-features")
"""The keys that hatchling takes in the table of any hook, and checks itself."""


def faults(hook: SkillpackBuildHook) -> Iterator[str]:
    """Yield a line for each key of the hook's table that is not hatchling's, beginning with its TOML path."""
    name = hook.PLUGIN_NAME
    # the table of a target takes the place of the global one, so all keys come from one of the two
    at_target = name in hook.build_config.target_config.get("hooks", {})
    table = f"tool.hatch.build.{f'targets.{hook.target_name}.' if at_target else ''}hooks.{name}"
    options = {option.key for option in OPTIONS}
    for key in hook.config:
        if key in options:
            yield f"{table}.{key}: belongs to [tool.skillpack]; move it there"
        elif key not in GENERIC:
            yield f"{table}.{visible(key)}: unknown key; the keys are {', '.join(GENERIC)}"
