"""The values that pass from stage to stage of the packager.

They stand here, and not with the stage that makes them, so that no stage has to import another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""A value that JSON can write."""

SKILL_MD = "SKILL.md"


class Fingerprint(NamedTuple):
    """What is known of some contents by their bytes; equal contents share it.

    `sha256` and `blake3` are 64 lowercase hex characters each, `is_text` says that they are strict UTF-8 without NUL.
    A tuple, since one is made for every file that is read: a frozen dataclass takes five times as long.
    """

    sha256: str
    blake3: str
    is_text: bool


class Content(Protocol):
    """The bytes of a file, captured by the one read of it: in memory or in the private spool."""

    @property
    def identity(self) -> str:
        """The hex of the BLAKE3 of the bytes, which was computed when they were read."""

    @property
    def fingerprint(self) -> Fingerprint:
        """What is known of the captured bytes."""

    def read(self) -> bytes:
        """Return the captured bytes; the user's file is not opened again."""


class SourceFile(NamedTuple):
    """A file of a skill. `path` is a POSIX path relative to the skill directory, `size` is in bytes."""

    path: str
    size: int
    executable: bool
    content: Content


class SkillSource(NamedTuple):
    """A skill directory as it was read.

    `directory` is the directory's own name. `place` is where it is, as findings show it: the skills root as
    the user wrote it, then the directory (`skills/pdf`). `files` are sorted by the UTF-8 bytes of their paths
    and include SKILL.md. `left_out` are the paths below the skill that were not taken, directories with a
    trailing slash.
    """

    directory: str
    place: str
    files: tuple[SourceFile, ...]
    left_out: tuple[str, ...] = ()

    def place_of(self, path: str) -> str:
        """Return the place of a file of this skill, as findings show it."""
        return f"{self.place}/{path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """What SKILL.md says about its skill.

    The text fields are as written (YAML scalars are not turned into other types); `values` holds the whole
    frontmatter as hosts read it (YAML 1.1 types as JSON, dates as their text). `allowed_tools` is None when
    the field is absent; `globs` is empty then.
    """

    name: str
    description: str
    values: Mapping[str, Json]
    license: str | None = None
    compatibility: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    allowed_tools: tuple[str, ...] | None = None
    globs: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """A reviewed exception in force, as it goes with a bundle: the packed manifest has these, under no digest.

    `skill` is the skill's name and `path` a POSIX path relative to it, of a file or a directory. `rule` is the code of
    the finding that was allowed, `sha256` (64 lowercase hex characters) is of the contents as `Finding.sha256` has it,
    and `reason` is the reviewer's.
    """

    skill: str
    path: str
    rule: str
    sha256: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """An installed distribution whose skills are packed; `name` and `version` are as its metadata has them.

    `base` is the absolute directory that it is installed into, links resolved. `skills` are the directories of its
    skills, POSIX paths relative to `base`, by their places as findings show them. `record` is its list of files: the
    SHA-256 of each (64 lowercase hex characters, empty where it has none) by its POSIX path relative to `base`. In an
    unpacked sdist, which has the files itself, these three are not known.
    """

    name: str
    version: str
    base: Path | None = None
    skills: Mapping[str, str] = field(default_factory=dict)
    record: Mapping[str, str] = field(default_factory=dict)


class Verdict(NamedTuple):
    """What the name of an entry alone decides, before it is opened.

    `take` goes on, `leave-out` lists the entry and passes it over, `refuse` adds a finding with `code`,
    `message` and `hint` and does not open it.
    """

    action: Literal["take", "leave-out", "refuse"]
    code: str = ""
    message: str = ""
    hint: str = ""


class NameJudge(Protocol):
    """Decides by name what the walk does with an entry; given to the walk by the pipeline."""

    def __call__(self, path: str, *, is_directory: bool, entries: Sequence[str] = ()) -> Verdict:
        """Judge the entry at `path`, a POSIX path relative to the skill directory.

        A directory is judged before it is opened (without `entries`) and again with the names of its entries.
        """
