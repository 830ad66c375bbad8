"""The build hook as hatchling calls it. What it does for each target is in `build`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if TYPE_CHECKING:
    from hatch_skillpack.build import Build


class SkillpackBuildHook(BuildHookInterface[BuilderConfig]):
    """Packs the skills that `[tool.skillpack]` names; its own table only switches it on.

    There is no `__init__`: hatchling makes instances only to ask them for `dependencies`. For the same reason
    the packager is imported by the methods that need it.
    """

    # one word: with a hyphen HATCH_BUILD_HOOK_ENABLE_… would be a name that no shell can set
    PLUGIN_NAME = "skillpack"

    _build: Build | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Pack the skills and put what was emitted into `build_data`; targets but wheel and sdist are passed over.

        Raises `SystemExit` with status 1 when the build is refused, after the reasons were displayed.
        """
        self._end()
        if self.target_name in {"wheel", "sdist"}:
            from hatch_skillpack.build import Build

            self._build = Build(self)
            self._build.prepare(version, build_data)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's signature
        """Remove what the build needed in the temporary directory."""
        self._end()

    def clean(self, versions: list[str]) -> None:  # noqa: ARG002 - hatchling's signature
        """Remove the emitted module from the source tree, and nothing that skillpack did not write."""
        if self.target_name == "wheel":
            from hatch_skillpack.build import Build

            Build(self).clean()

    def _end(self) -> None:
        """End the build before this one: after `--hooks-only` hatchling calls no `finalize`."""
        if self._build is not None:
            self._build.end()
            self._build = None
