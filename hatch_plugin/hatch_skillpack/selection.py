"""What hatchling puts into an artifact by itself, and what skillpack takes out of that.

hatchling offers hooks no way to exclude files. The tables it selects by are plain dictionaries, though, and it
reads them after the hooks have run: what stands here is undocumented and held by the end-to-end tests.
"""

from __future__ import annotations

import os
import posixpath
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.builders.utils import normalize_inclusion_map

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hatchling.builders.config import BuilderConfig

_FURTHER_MAPS = ("shared_data", "shared_scripts", "extra_metadata")
"""Files that a wheel ships outside of its packages; other targets have none of these."""


_NOTHING = ".skillpack-nothing"
"""A path that no project has."""


def _normal(path: object) -> str:
    return posixpath.normpath(str(path).replace(os.sep, "/"))


def pattern(path: str) -> str:
    """Return the gitignore pattern for exactly `path`, a POSIX path relative to the project, and all below it."""
    return "/" + re.sub(r"([\\*?\[\] ])", r"\\\1", path)


class Selection:
    """The selection of one build target, by its configuration in hatchling."""

    def __init__(self, config: BuilderConfig) -> None:
        self._config = config
        self._before: dict[str, Any] = {}

    def take_out(self, paths: Iterable[str]) -> None:
        """Keep what is at or below `paths` out of what hatchling selects, whatever the project includes.

        The target's own list shadows the one of `[tool.hatch.build]`, so it begins with a copy of the one in
        force. `artifacts` win over `exclude` and are mended in the same way. What is listed by its own name is
        asked for no pattern, so it is taken off the list.
        """
        taken = list(paths)
        patterns = [pattern(path) for path in taken]
        self._extend("exclude", patterns)
        if self._in_force("artifacts"):
            self._extend("artifacts", [f"!{line}" for line in patterns])
        match self._in_force("only-include"):
            case list(listed) if any(_normal(path) in taken for path in listed):
                # an empty list would mean everything
                self._set(
                    "only-include", [path for path in listed if _normal(path) not in taken] or [_NOTHING]
                )
        match self._in_force("force-include"):
            case dict(forced) if any(_normal(path) in taken for path in forced):
                kept = {path: target for path, target in forced.items() if _normal(path) not in taken}
                self._set("force-include", kept)

    def strip(self, directory: str) -> None:
        """Leave `directory` out of the paths in the artifact, as `sources` does."""
        self._set("sources", [directory])

    def put_back(self) -> None:
        """Restore the table as it was before: it serves the next version of the target, too."""
        for key, value in self._before.items():
            if value is None:
                del self._config.target_config[key]
            else:
                self._config.target_config[key] = value
        self._before.clear()
        self._forget()

    def files(self, build_data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the files that this build would ship: absolute path, and path in the artifact.

        A file that is to be forced in but does not exist yet may be written by a later hook, so it is no error.
        """
        builder = self._config.builder
        with self.as_built(build_data):
            forced = self._config.get_force_include()
            further = {
                source: target
                for name in _FURTHER_MAPS
                for inclusion_map in (
                    getattr(self._config, name, {}),
                    normalize_inclusion_map(build_data.get(name, {}), self._config.root),
                )
                for source, target in inclusion_map.items()
            }
            for files in (
                builder.recurse_selected_project_files(),
                builder.recurse_forced_files({path: forced[path] for path in forced if Path(path).exists()}),
                builder.recurse_explicit_files(further),
            ):
                for file in files:
                    yield file.path, file.distribution_path.replace(os.sep, "/")

    @contextmanager
    def as_built(self, build_data: dict[str, Any]) -> Iterator[None]:
        """Let hatchling answer as it will while it builds, without a trace.

        It keeps what it once derived, and a later hook may still write the files that it looks for.
        """
        state = vars(self._config)
        before = dict(state)
        try:
            with self._config.set_build_data(build_data):
                yield
        finally:
            state.clear()
            state.update(before)

    def _in_force(self, key: str) -> object:
        tables = (self._config.target_config, self._config.build_config)
        return next((table[key] for table in tables if key in table), [])

    def _extend(self, key: str, items: list[str]) -> None:
        in_force = self._in_force(key)
        if isinstance(in_force, list):  # of anything else hatchling says itself that it is wrong
            self._set(key, [*in_force, *items])

    def _set(self, key: str, value: list[str] | dict[str, str]) -> None:
        self._before.setdefault(key, self._config.target_config.get(key))
        self._config.target_config[key] = value
        self._forget()

    def _forget(self) -> None:
        """Drop what hatchling has derived from the table: an earlier hook may have asked for it."""
        for name in ("exclude_spec", "force_include", "only_include", "sources"):
            vars(self._config).pop(name, None)
