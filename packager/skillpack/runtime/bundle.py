"""The bundle that an agent is given: skills with all that can be done with them.

Here is what it is and what it offers; most of what this does stands in files that are loaded on first use.
"""

from __future__ import annotations

from _collections_abc import Mapping

from skillpack.runtime.frozen import _Frozen, fill
from skillpack.runtime.listing import PARTS, TYPE_CHECKING
from skillpack.runtime.packed import ModuleName, unpacked
from skillpack.runtime.tools import Toolset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Self

    from skillpack.runtime.answering import ToolText
    from skillpack.runtime.model import Skill, _Bytes, _Directory, _Loader, _Page
    from skillpack.runtime.session import SkillSession

FORMAT = 1
"""The shape of the data; it rises when the shape changes."""


class _Made:
    """What a bundle is made of: as one that is ready is, and so nothing beside that. Then such a one can become it."""

    __slots__ = PARTS
    digest: str
    problems: tuple[str, ...]


class SkillBundle(_Made, _Frozen, Toolset, Mapping[str, "Skill"]):
    """A frozen set of skills: a mapping from name to `Skill`, in the order of the names' code points.

    An emitted module makes one as `bundle`. `digest` is `sha256:` and 64 lowercase hex characters over the names
    and digests of all skills; `problems` are lines about sources that could not be read, none for a packed bundle.
    """

    __slots__ = ()
    _packed: tuple[
        Any, ...
    ]  # what gives the rows of the skills and a page, and `checked`; nothing if not packed
    _by_name: dict[str, Skill] | None
    _module: str | None
    _tools: tuple[str, str]
    _style: str

    def __init__(
        self,
        skills: Iterable[Skill],
        *,
        digest: str | None = None,
        problems: Iterable[str] = (),
        tools: tuple[str, str] = ("load_skill", "read_skill_resource"),
        style: str = "list",
    ) -> None:
        from skillpack.runtime.digest import bundle_digest

        by_name = {skill.name: skill for skill in sorted(skills, key=lambda skill: skill.name)}
        digest = digest or bundle_digest((name, skill.digest) for name, skill in by_name.items())
        fill(self, digest=digest, problems=tuple(problems), _by_name=by_name, _module=None)
        fill(self, _catalog=b"", _packed=(), _tools=tools, _style=style)

    @classmethod
    def packed(
        cls,
        catalog: _Bytes,
        skills: _Bytes,
        index: _Bytes,
        load: _Loader,
        module: str | None = None,
        *,
        checked: bool = True,
    ) -> Self:
        r"""Return the bundle that the literals of a single module hold; nothing is decoded yet.

        `catalog` begins with the line `skillpack <FORMAT> <bundle digest> <index digest>`, then holds the lines of the
        Markdown catalog. `skills` holds a line a skill: name, `h` when hidden else `-`, skill digest, index digest,
        between tabs, and the description, with `\`, newline and tab as `\\`, `\n` and `\t`, unless the catalog shows name
        and description as they are. `index` holds a block a skill, each ended by an empty line: the frontmatter and
        the text fields as JSON, then a line a file: path, size, SHA-256 hex, media type, flags (`t` text, `x`
        executable, `-` neither), encoding (`b` bytes, `s` str, `6` base64).
        `load` gives the literal named `_<SHA-256 hex>`, `module` is the importing name of the emitted module. The
        first use of the index checks its digest, unless `checked` is false, as it is where damage is to be described.
        """
        return cls.paged(catalog, lambda: skills, lambda _: (index, load), module, checked=checked)

    @classmethod
    def paged(
        cls,
        catalog: _Bytes,
        skills: Callable[[], _Bytes],
        page: Callable[[int], _Page],
        module: str | None = None,
        *,
        checked: bool = True,
    ) -> Self:
        """Return the bundle of a package, whose index is several pages that are loaded when they are needed.

        `catalog` is as `packed` has it; its first line ends with how many skills each page holds, then the SHA-256 hex
        of each page, both with commas between. `skills` gives what `packed` has, `page` the page of a number from 0. A
        file's row ends with the literal that its contents are in, where they begin there and how long they are, in the
        literal's own units.
        `checked` is as `packed` has it.
        """
        self = cls.__new__(cls)
        _fill_packed(self, catalog, (skills, page, checked), module)
        return self

    # ------------------------------------------------------------------ the mapping

    def _skills(self) -> dict[str, Skill]:
        by_name = self._by_name
        if by_name is None:
            by_name = unpacked(self)
            fill(self, _by_name=by_name)
        return by_name

    def _visible(self) -> list[Skill]:
        return [skill for skill in self._skills().values() if not skill.hidden]

    def _rows(self) -> list[tuple[str, str]]:
        from skillpack.runtime.disclosure import shown_rows

        return shown_rows(self)

    def __getitem__(self, name: str) -> Skill:
        try:
            return self._skills()[name]
        except KeyError:
            from skillpack.runtime.errors import SkillNotFoundError

            raise SkillNotFoundError(name, tuple(skill.name for skill in self._visible())) from None

    def _find(self, name: str) -> Skill:
        for skill in self._skills().values():
            if skill.digest == name:
                return skill
        return self[name]

    def __contains__(self, name: object) -> bool:
        return name in self._skills()

    def __iter__(self) -> Iterator[str]:
        return iter(self._skills())

    def __len__(self) -> int:
        return len(self._skills())

    def __reduce__(self) -> Any:
        if self._module is None:
            return super().__reduce__()
        return getattr, (ModuleName(self._module), "bundle")

    def __repr__(self) -> str:
        return f"<SkillBundle {len(self)} skill{'s' * (len(self) != 1)} {self.digest[:19]}>"

    @property
    def names(self) -> tuple[str, ...]:
        """All names, hidden ones included, in the order of their code points."""
        return tuple(self._skills())

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest as a fresh dict in JSON types: names, digests, frontmatter, files."""
        from skillpack.runtime.assembly import manifest_of

        return manifest_of(self)

    # ------------------------------------------------------------------ disclosure

    def load(self, name: str, *, directory: _Directory | None = None, max_chars: int | None = None) -> str:
        """Return a skill's instructions in their frame, with its resources listed.

        `name` is a skill's name or its full `sha256:` digest. `directory` is where the skill's files are on
        the agent's disk, if they are. Over `max_chars` characters the instructions are cut at a line end and
        the last line says how to go on; the frame with the list of resources is never cut, so the answer is longer
        where that alone is. Raises `SkillNotFoundError` and `IntegrityError`.
        """
        from skillpack.runtime.frames import framed

        return framed(self, name, directory, max_chars)

    def read(self, name: str, path: str, offset: int = 0, limit: int = 50000) -> str:
        """Return a file's text from `offset`, at most `limit` characters, cut back to a line end.

        When more follows, the last line says how to go on. Of a binary file one line says type and size.
        Raises `SkillNotFoundError`, `ResourceNotFoundError`, `IntegrityError`, and `ValueError` for a
        negative offset, a limit below 1 or an offset past the end.
        """
        from skillpack.runtime.frames import piece

        return piece(self._find(name).file(path), offset, limit)

    def read_bytes(self, name: str, path: str) -> bytes:
        """Return a file's bytes; raises as `read` does."""
        return self._find(name).file(path).bytes()

    def catalog_cost(self) -> dict[str, Any]:
        """Return what the prompt pays, in characters and tokens (characters / 4, rounded up)."""
        from skillpack.runtime.disclosure import cost

        return cost(self)

    def trace_attributes(self) -> dict[str, str | int]:
        """Return the attributes for a trace: the bundle's digest and its number of skills."""
        return {"skillpack.bundle.digest": self.digest, "skillpack.bundle.skills": len(self)}

    # ------------------------------------------------------------------ tools

    def with_tools(
        self, load: str = "load_skill", read: str = "read_skill_resource", style: str = "list"
    ) -> Self:
        """Return the same bundle (same digest) whose texts and tools use these names.

        `style` is `list` (names stay out of the tool's schema) or `enum` (the catalog stands in the tool's
        description and the names in its schema). `ValueError` for empty or equal names, for one that is not one
        line of at most 128 characters, or for another style.
        """
        from skillpack.runtime.composition import check_tools

        check_tools(load, read, style)
        twin = self.__class__.__new__(self.__class__)
        fill(twin, digest=self.digest, problems=self.problems, _by_name=self._by_name, _module=None)
        fill(twin, _catalog=self._catalog, _packed=self._packed, _tools=(load, read), _style=style)
        return twin

    def _offered(self) -> int:
        if not self:
            return 0
        has_resources = self._style == "list" or any(skill.resources for skill in self.values())
        return 1 + has_resources

    def _answer_load(self, name: str) -> ToolText:
        from skillpack.runtime.answering import loaded

        return loaded(self, name)

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
        from skillpack.runtime.session import SkillSession

        return SkillSession(
            self,
            state,
            host_tools=host_tools,
            max_body_chars=max_body_chars,
            max_total_chars=max_total_chars,
        )

    # ------------------------------------------------------------------ composition

    def select(self, patterns: Iterable[str]) -> Self:
        """Return the bundle of the skills whose names match shell patterns, case-sensitively.

        Patterns apply left to right and the last match wins; `!` negates; when all are negative, all skills
        are the start; no pattern at all is no skill, so a list of exceptions that may be empty begins with `*`.
        An exact name that no skill has raises `SkillNotFoundError`, a text instead of a list of texts `TypeError`.
        """
        from skillpack.runtime.composition import selected

        return self._derived(selected(self, patterns), self.problems)

    def overlay(self, *others: object, on_collision: str = "last") -> SkillBundle:
        """Return the bundle of these skills and those of `others`: bundles or single skills, of any module.

        Of two skills with one name and different digests `on_collision` takes the `last` or the `first`, or raises
        `CollisionError` (`error`). Of equal digests the first stays, with its text fields, media types and execute
        bits, which no digest of a skill covers. Tool names are those of this bundle, problems those of all. What is
        neither bundle nor skill, or has parts of other types, is a `TypeError`; a name, path or media type that is not
        safe is a `ValueError`.
        """
        from skillpack.runtime.composition import overlaid

        return self._derived(*overlaid(self, others, on_collision))

    def rename(self, names: Mapping[str, str]) -> SkillBundle:
        """Return the bundle with other names for some skills, old to new; files and digests of skills stay.

        Raises `SkillNotFoundError` for an unknown name, `CollisionError` when two skills would have one name, and
        `ValueError` for a name that is not safe or that a line of the catalog would show as another.
        """
        from skillpack.runtime.composition import renamed

        return self._derived(renamed(self, names), self.problems)

    def _derived(self, skills: Iterable[Skill], problems: Iterable[str]) -> Self:
        return self.__class__(skills, problems=problems, tools=self._tools, style=self._style)

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

    # ------------------------------------------------------------------ the whole

    def verify(self, digest: str | None = None) -> None:
        """Recompute every digest, that of what reaches the prompt included; compare with `digest` if given.

        `digest` is over the names of the skills and the paths and contents of their files, so one that was taken from
        elsewhere tells of any change of these. Digests that lie beside the data tell of damage alone: they are no
        signatures, and whoever edits the data can make them anew. Raises `IntegrityError` whose `paths` name
        everything that is damaged; returns nothing.
        """
        from skillpack.runtime.whole import verify

        verify(self, digest)

    def preload(self) -> None:
        """Import and load all that any later call needs; after it no file is opened, listed or looked at.

        `extract`, which writes, is the one exception.
        """
        from skillpack.runtime.whole import preload

        preload(self)

    def extract(self, name: str, directory: _Directory) -> str:
        """Write a skill to `directory/<its name>`, which must not exist yet, and return that path.

        `name` is a skill's name or its full `sha256:` digest.
        Execute bits are restored. The contents are checked first and appear under the name all at once.
        Raises `SkillNotFoundError`, `IntegrityError`, `FileExistsError`, or `ValueError` for a path that
        would leave the directory.
        """
        from skillpack.runtime.whole import extract

        return extract(self._find(name), directory)


def _fill_packed(
    bundle: object,
    catalog: _Bytes,
    packed: tuple[object, ...],
    module: str | None,
) -> None:
    """Make an object the bundle of a catalog."""
    head = catalog[: catalog.find(b"\n")].decode("ascii").split(" ")
    if head[:2] != ["skillpack", str(FORMAT)] or len(head) not in (4, 6):
        from skillpack.runtime.text import echo

        raise ValueError(f"this runtime reads format {FORMAT}, the data is {echo(' '.join(head[:2]))}")
    fill(bundle, digest=head[2], problems=(), _by_name=None, _module=module, _catalog=catalog, _packed=packed)
    fill(bundle, _tools=("load_skill", "read_skill_resource"), _style="list")


def grown(bundle: Any) -> SkillBundle:
    """Return a bundle that was ready to show its catalog, as a `SkillBundle`; it is the same object."""
    if not isinstance(bundle, SkillBundle):
        skills, page, *_ = bundle._packed
        try:
            _fill_packed(bundle, bundle._catalog, (skills, page, True), bundle._module)
        except (
            ValueError
        ):  # a package has its runtime beside its data: of another format are these by damage alone
            from skillpack.runtime.model import damaged

            raise damaged(".") from None
        object.__setattr__(bundle, "__class__", SkillBundle)  # last: another thread may be as far as this one
    found: SkillBundle = bundle
    return found
