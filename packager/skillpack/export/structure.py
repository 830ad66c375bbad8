"""What every bundle offers: each emitted module has classes of its own, so that exports and adapters go by structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    _Bytes = bytes  # `AnyFile.bytes` hides the type inside its class


class AnyFile(Protocol):
    """One file of a skill, with the members of `skillpack.runtime.SkillFile` that exports read."""

    @property
    def path(self) -> str:
        """A POSIX path relative to the skill directory."""

    @property
    def size(self) -> int:
        """In bytes."""

    @property
    def digest(self) -> str:
        """`sha256:` and 64 lowercase hex characters, as recorded when packing."""

    @property
    def media_type(self) -> str:
        """As decided when packing."""

    @property
    def is_text(self) -> bool:
        """Whether the contents are UTF-8 without NUL."""

    @property
    def executable(self) -> bool:
        """Whether an execute bit was set."""

    def bytes(self) -> _Bytes:
        """Return the contents; raises the bundle's own `IntegrityError` (a `ValueError`) for damaged ones."""


class AnySkill(Protocol):
    """One skill, with the members of `skillpack.runtime.Skill` that exports read."""

    @property
    def name(self) -> str:
        """The name that the bundle has it under."""

    @property
    def description(self) -> str:
        """The text as written in SKILL.md."""

    @property
    def digest(self) -> str:
        """`sha256:` and 64 lowercase hex characters over all files."""

    @property
    def frontmatter(self) -> dict[str, Any]:
        """The whole frontmatter as hosts read it, in JSON types; a fresh dict."""

    @property
    def files(self) -> Mapping[str, AnyFile]:
        """All files by path, SKILL.md included."""


class AnyBundle(Protocol):
    """A bundle of any emitted module, or one made at run time: skills by name.

    The names of a module with a stub are literals, not any text: so it is no `Mapping` here.
    """

    def __getitem__(self, name: Any, /) -> AnySkill:
        """Return the skill of a name; raises a `KeyError` for any other."""

    def __contains__(self, name: object, /) -> bool:
        """Return whether a skill has this name."""

    def __iter__(self) -> Iterator[str]:
        """Give the names."""
