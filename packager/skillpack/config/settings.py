"""The whole configuration, read and valid."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from skillpack.errors import ConfigError
from skillpack.findings import Allowance, Override, Policy
from skillpack.limits import MAX_BYTES, MAX_DEPTH, MAX_FILES, MAX_SKILL_BYTES, MAX_SKILL_FILES
from skillpack.rules import RULES, Level, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillpack.config.notices import Notice
    from skillpack.model import Package

Nested = Literal["resource", "split"]
NESTED: tuple[Nested, ...] = ("resource", "split")

Format = Literal["module", "package", "data", "auto"]
FORMATS: tuple[Format, ...] = ("module", "package", "data", "auto")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A whole, valid configuration.

    `project` is the absolute directory of the pyproject.toml, or the current directory where there is none.
    `skills` are POSIX paths as they were written, without `./` in front and `/` at the end; `locate` makes them
    absolute from `base`, which is `project`, or the current directory for those of the command line.

    `module` is the absolute path of the file to emit, whose name without `.py` is the folder of the folder forms, and
    `module_written` the same as the user wrote it. Without one, `module` is None and `module_fault` says why; `output()`
    is for those who cannot do without. `module_is_default` says that it was found by the package of the project's name.
    `stub` asks for a `.pyi` beside it.

    `exclude` holds gitignore patterns and `select` shell patterns (empty: all skills), both as written. `expect`
    is empty, and `expect_count` and `max_catalog_chars` (characters) None, when unset. Sizes are in bytes.
    `notices` are what there is to say about other tables of the same file. `also_files` asks for the files of the skills
    beside the module in wheels. `packages` are the distributions of the roots that name one, once they were looked up.
    In an unpacked sdist `moved` holds the absolute paths of what does not lie where it was written, and `strays` are
    the places of skills that no search of the roots would come to.
    """

    project: Path
    base: Path
    skills: tuple[str, ...]
    module: Path | None
    module_written: str = ""
    module_fault: str = ""
    module_is_default: bool = False
    format: Format = "module"
    stub: bool = False
    also_files: bool = False
    level: Setting = "default"
    rules: Mapping[str, Level] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    allow: tuple[Allowance, ...] = ()
    select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    expect_count: int | None = None
    allow_empty: bool = False
    nested: Nested = "resource"
    max_catalog_chars: int | None = None
    max_skill_files: int = MAX_SKILL_FILES
    max_skill_bytes: int = MAX_SKILL_BYTES
    max_file_bytes: int = MAX_SKILL_BYTES
    max_files: int = MAX_FILES
    max_bytes: int = MAX_BYTES
    max_depth: int = MAX_DEPTH
    notices: tuple[Notice, ...] = ()
    strays: tuple[str, ...] = ()
    moved: Mapping[str, Path] = field(default_factory=dict)
    packages: Mapping[str, Package] = field(default_factory=dict)

    @property
    def policy(self) -> Policy:
        """The levels of findings under this configuration."""
        return Policy(setting=self.level, rules=self.rules, overrides=self.overrides, allow=self.allow)

    def locate(self, written: str) -> Path:
        """Return the absolute path of a skills root. No link is followed: the walk has to see and refuse it."""
        return self.moved.get(written, self.base / written)

    def root_around(self, place: Path) -> str:
        """Return the skills root, as it is written, that `place` lies in: what is written there would be packed.

        Links are followed, as they are when it is written. It is empty for a place in no root.
        """
        # not `resolve()`, which raises for a link to itself; what cannot be written is told by who writes
        real = Path(os.path.realpath(place))
        inside = (root for root in self.skills if real.is_relative_to(os.path.realpath(self.locate(root))))
        return next(inside, "")

    def for_comparison(self) -> Config:
        """Return what holds for sources that are compared with an artifact: they are read, and not judged.

        What the project made stricter is taken back, and what it allowed is kept: it was packed under that.
        """
        overrides = (replace(override, rules=_at_most_lenient(override.rules)) for override in self.overrides)
        return replace(
            self,
            level="lenient",
            rules=_at_most_lenient(self.rules),
            overrides=tuple(overrides),
            expect=(),
            expect_count=None,
            allow_empty=True,
            max_catalog_chars=None,
        )

    @property
    def emits_folder(self) -> bool:
        """Whether the output in a source tree is a folder: the name of `module` without `.py`."""
        return self.format != "module"

    def written(self, path: Path) -> str:
        """Return a place of the output, `module` or what is beside or below it, as findings show it.

        That is a POSIX path like `module_written`; the folder of the folder forms has a slash at the end.
        """
        module = self.output()
        below = path.relative_to(module.parent).as_posix()
        directory = self.module_written.removesuffix(module.name)
        return f"{directory}{below}{'/' * (path == module.with_suffix(''))}"

    def output(self) -> Path:
        """Return `module`; raises ConfigError with the reason where there is none."""
        if self.module is None:
            raise ConfigError([self.module_fault])
        return self.module


def _at_most_lenient(rules: Mapping[str, Level]) -> dict[str, Level]:
    return {code: min(level, RULES[code].levels[0]) for code, level in rules.items()}
