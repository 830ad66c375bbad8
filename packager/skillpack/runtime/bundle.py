"""The bundle that an agent is given: skills with all that can be done with them."""

from __future__ import annotations

from _collections_abc import Mapping

from skillpack.runtime.disclosure import Disclosure
from skillpack.runtime.errors import CollisionError
from skillpack.runtime.model import Skill
from skillpack.runtime.text import TYPE_CHECKING, check_name, echo, one_line, several
from skillpack.runtime.tools import MAX_ANSWER_CHARS, Toolset, ToolText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Self

    from skillpack.runtime.session import SkillSession

MAX_TOOL_NAME_CHARS = 128
"""The most that any dialect takes; a tool's name is in every answer that refers to it."""


class SkillBundle(Disclosure, Toolset):
    """A frozen set of skills: a mapping from name to `Skill`, in the order of the names' code points.

    An emitted module makes one as `bundle`. `digest` is `sha256:` and 64 lowercase hex characters over the names
    and digests of all skills; `problems` are lines about sources that could not be read, none for a packed bundle.
    """

    __slots__ = ()
    _tools: tuple[str, str]
    _style: str

    def with_tools(
        self, load: str = "load_skill", read: str = "read_skill_resource", style: str = "list"
    ) -> Self:
        """Return the same bundle (same digest) whose texts and tools use these names.

        `style` is `list` (names stay out of the tool's schema) or `enum` (the catalog stands in the tool's
        description and the names in its schema). `ValueError` for empty or equal names, for one that is not one
        line of at most 128 characters, or for another style.
        """
        sound = all(0 < len(name) <= MAX_TOOL_NAME_CHARS and one_line(name) == name for name in (load, read))
        if not sound or load == read or style not in ("list", "enum"):
            raise ValueError(
                "two different tool names and a style list or enum are needed, not "
                f"{echo(load)}, {echo(read)} and {echo(style)}"
            )
        return type(self)(
            self._load,
            digest=self.digest,
            problems=self.problems,
            tools=(load, read),
            style=style,
            index=self._index,
        )

    def _offered(self) -> int:
        if not self:
            return 0
        has_resources = self._style == "list" or any(skill.resources for skill in self.values())
        return 1 + has_resources

    def _answer_load(self, name: str) -> ToolText:
        skill = self._find(name)
        return ToolText(self.load(skill.name, max_chars=MAX_ANSWER_CHARS), skill=skill.name)

    def session(
        self,
        state: str | None = None,
        *,
        host_tools: Iterable[str] | None = None,
        max_body_chars: int | None = None,
        max_total_chars: int | None = None,
    ) -> SkillSession:
        """Return a conversation over these skills, new or as it was when its `to_json` gave `state`.

        `host_tools` are the names of the tools that the agent has: with it, loading a skill tells the model which
        of those that the skill names are missing. `max_body_chars` and `max_total_chars` bound the instructions of
        one loaded skill and of all of them together, in characters. `ValueError` for a text that is no state.
        """
        # Not above: where the runtime is several files, this one is loaded only for those who have sessions.
        from skillpack.runtime.session import SkillSession

        return SkillSession(
            self,
            state,
            host_tools=host_tools,
            max_body_chars=max_body_chars,
            max_total_chars=max_total_chars,
        )

    def preload(self) -> None:
        """Import and load all that any later call needs; after it no file is opened, listed or looked at.

        `extract`, which writes, is the one exception.
        """
        super().preload()
        # Which import what is imported late, here as in the files of a package.
        self.session()
        self.tools()
        self.rename({})

    # ------------------------------------------------------------------ composition

    def overlay(self, *others: object, on_collision: str = "last") -> SkillBundle:
        """Return the bundle of these skills and those of `others`: bundles or single skills, of any module.

        Of two skills with one name and different digests `on_collision` takes the `last` or the `first`, or raises
        `CollisionError` (`error`). Of equal digests the first stays, with its text fields, media types and execute
        bits, which no digest of a skill covers. Tool names are those of this bundle, problems those of all. What is
        neither bundle nor skill, or has parts of other types, is a `TypeError`; a name, path or media type that is not
        safe is a `ValueError`.
        """
        if on_collision not in ("last", "first", "error"):
            raise ValueError(f"on_collision is last, first or error, not {echo(on_collision)}")
        chosen: dict[str, Skill] = dict(self)
        problems = list(self.problems)
        for other in others:
            problems += several(getattr(other, "problems", ()), "problems")
            for skill in _skills_of(other):
                present = chosen.setdefault(skill.name, skill)
                if present.digest != skill.digest and on_collision == "error":
                    raise CollisionError(
                        f"two skills are named {echo(skill.name)}: {present.digest} and {skill.digest}; rename or "
                        "deselect one, or let the first or the last win"
                    )
                if present.digest != skill.digest and on_collision == "last":
                    chosen[skill.name] = skill
        return self._derived(chosen.values(), problems)

    def rename(self, names: Mapping[str, str]) -> SkillBundle:
        """Return the bundle with other names for some skills, old to new; files and digests of skills stay.

        Raises `SkillNotFoundError` for an unknown name, `CollisionError` when two skills would have one name, and
        `ValueError` for a name that is not safe or that a line of the catalog would show as another.
        """
        from skillpack.runtime.assembly import adopted

        for name in names:
            self[name]
        renamed: dict[str, Skill] = {}
        for name, skill in self.items():
            new = names.get(name, name)
            if new in renamed:
                raise CollisionError(f"two skills would be named {echo(new)}")
            renamed[new] = skill if new == name else adopted(skill, new)
        return self._derived(renamed.values(), self.problems)

    def to_json(self) -> str:
        """Return the whole bundle, contents included, as JSON for `from_json`; raises `IntegrityError`."""
        from skillpack.runtime.assembly import written

        return written(self)

    @classmethod
    def from_json(cls, text: str) -> SkillBundle:
        """Return the bundle whose `to_json` gave `text`.

        Every digest is computed anew: `IntegrityError` names what is not as recorded. Any other text is a
        `ValueError`, and so are names, paths and media types that are not safe, and text fields that are not those of
        the frontmatter. Digests are no signatures: who can write the text can write other skills with other digests,
        and `verify(digest)` with a digest from elsewhere tells. That one does not cover the frontmatter and the
        description as JSON has them (SKILL.md it does), media types, execute bits, problems and names of tools: take
        the text from where you would take code.
        """
        from skillpack.runtime.assembly import restored

        return restored(cls, text)


def _skills_of(source: Any) -> Iterator[Skill]:
    """Give the skills of a bundle, or a single skill, as skills of this module's class."""
    from skillpack.runtime.assembly import adopted

    for skill in source.values() if isinstance(source, Mapping) else [source]:
        if type(skill) is Skill:
            check_name(skill.name)
        yield skill if type(skill) is Skill else adopted(skill)


def is_skill(value: object) -> bool:
    """Return whether a value has what makes a skill, whatever its class: a name, a digest and files."""
    return (
        isinstance(getattr(value, "name", None), str)
        and isinstance(getattr(value, "digest", None), str)
        and isinstance(getattr(value, "files", None), Mapping)
    )
