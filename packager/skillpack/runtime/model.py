"""The frozen model: a bundle of skills, a skill of files; what is packed is decoded on first use.

Importing this costs next to nothing: what a function needs it imports itself, and `SkillBundle.preload` imports
all of it at once.
"""

from __future__ import annotations

from _collections_abc import Mapping

from skillpack.runtime.digest import (
    SMALL_BYTES,
    bundle_digest,
    index_digest,
    sha256_hex,
    skill_digest,
)
from skillpack.runtime.errors import IntegrityError, ResourceNotFoundError, SkillNotFoundError
from skillpack.runtime.text import TYPE_CHECKING, body_start, check_name, check_paths, chosen, echo, several

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, NoReturn, Self

    from skillpack.runtime.text import _Directory

    _Loader = Callable[[str], str | bytes]
    _Page = tuple[bytes, _Loader]
    """The index of some skills, a block a skill, and what gives the literals that its rows name."""

    _Parts = tuple[str, str, tuple["SkillFile", ...]]

FORMAT = 1
"""The shape of the data; it rises when the shape changes."""

MODULES = ("binascii", "difflib", "fnmatch", "hashlib", "json", "pathlib", "shutil", "tempfile")
"""Every module of the standard library that a function of the runtime imports, for `SkillBundle.preload`."""

SkillName = str
"""A name to load a skill by; in the stub of an emitted module it is one of the names that are packed there."""

# What comes of damage in a literal, an index or a file that holds one, and of such a file that is not there; one
# that is Python may no longer compile, or names what there is not.
_DAMAGE = (LookupError, ValueError, ImportError, OSError, SyntaxError, NameError, TypeError)

_Bytes = bytes  # `SkillFile.bytes` hides the type inside its class
_read_only = type(type.__dict__)  # types.MappingProxyType, without the import


def _fill(frozen: object, **values: object) -> None:
    """Set attributes of an object that refuses it: in its making, and when a lazy value is first known."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


class _Frozen:
    """What bundle, skill and file share: no attribute can be set; equality and hash are by digest."""

    __slots__ = ()
    digest: str

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        digest = getattr(other, "digest", None)
        return NotImplemented if digest is None else bool(digest == self.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: object) -> Any:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a {type(self).__name__} is not pickled, nor is a bundle made at run time: pickle the bundle of an emitted "
            "module beside a name and a path, or send to_json(), or bytes()"
        )


class SkillFile(_Frozen):
    """One file of a skill.

    `path` is a POSIX path relative to the skill directory, `size` is in bytes, `digest` is `sha256:` and 64
    lowercase hex characters, `media_type` is decided when packing, `is_text` says that the bytes are UTF-8
    without NUL, `executable` that an execute bit was set.
    """

    __slots__ = ("_load", "_owner", "_sound", "digest", "executable", "is_text", "media_type", "path", "size")
    path: str
    size: int
    digest: str
    media_type: str
    is_text: bool
    executable: bool
    _load: Callable[[], _Bytes]
    _owner: str
    _sound: bool

    def __init__(
        self,
        *,
        path: str,
        size: int,
        digest: str,
        media_type: str,
        is_text: bool,
        executable: bool,
        load: Callable[[], _Bytes],
        owner: str = "",
    ) -> None:
        _fill(self, path=path, size=size, digest=digest, media_type=media_type, is_text=is_text)
        _fill(self, executable=executable, _load=load, _owner=owner, _sound=False)

    def bytes(self) -> _Bytes:
        """Return the contents; the first read checks their digest and raises `IntegrityError`."""
        try:
            data = self._load()
        except _DAMAGE:
            raise IntegrityError([f"{self._owner}/{self.path}"]) from None
        if not self._sound:
            if len(data) != self.size or "sha256:" + sha256_hex(data) != self.digest:
                raise IntegrityError([f"{self._owner}/{self.path}"])
            _fill(self, _sound=True)
        return data

    def _touch(self) -> None:
        """Load what holds the contents, and check nothing: the first read does."""
        try:
            self._load()
        except _DAMAGE:
            raise IntegrityError([f"{self._owner}/{self.path}"]) from None

    def text(self) -> str:
        """Return the contents as text; `ValueError` when the file is binary (`is_text` is false)."""
        if not self.is_text:
            raise ValueError(f"{self.path} is binary ({self.media_type}): use bytes()")
        try:
            return self.bytes().decode("utf-8")
        except UnicodeDecodeError:  # of a module that says of binary contents that they are text
            raise IntegrityError([f"{self._owner}/{self.path}"]) from None

    def __repr__(self) -> str:
        return f"<SkillFile {echo(self.path)} {self.size} bytes {self.digest[:19]}>"


class Skill(_Frozen):
    """One skill: name, description, instructions and files.

    `name` and `description` are text as written in SKILL.md, `hidden` keeps the skill out of the catalog,
    `digest` is `sha256:` and 64 lowercase hex characters over all files. The rest is decoded on first use.
    """

    __slots__ = ("_index_digest", "_load", "_parts", "_sound", "description", "digest", "hidden", "name")
    name: str
    description: str
    digest: str
    hidden: bool
    _index_digest: str
    _load: Callable[[], _Parts]
    _parts: tuple[str, str, Mapping[str, SkillFile]] | None
    _sound: bool

    def __init__(
        self,
        *,
        name: str,
        description: str,
        digest: str,
        index_digest: str,
        hidden: bool,
        load: Callable[[], _Parts],
    ) -> None:
        _fill(self, name=name, description=description, digest=digest, hidden=hidden)
        _fill(self, _index_digest=index_digest, _load=load, _parts=None, _sound=False)

    def _decoded(self) -> tuple[str, str, Mapping[str, SkillFile]]:
        parts = self._parts
        if parts is None:
            try:
                frontmatter, fields, files = self._load()
            except _DAMAGE:
                raise IntegrityError([self.name]) from None
            parts = (frontmatter, fields, _read_only({file.path: file for file in files}))
            _fill(self, _parts=parts)
        return parts

    def _values(self, part: int) -> dict[str, Any]:
        """Return the frontmatter (0) or the text fields (1) as a fresh dict."""
        import json

        try:
            values: dict[str, Any] = json.loads(str(self._decoded()[part]))
        except ValueError:
            raise IntegrityError([self.name]) from None
        return values

    def _fields(self) -> dict[str, Any]:
        return self._values(1)

    @property
    def body(self) -> str:
        """The instructions: SKILL.md below its frontmatter, as written."""
        text = self.file("SKILL.md").text()
        return text[body_start(text) :]

    @property
    def frontmatter(self) -> dict[str, Any]:
        """The whole frontmatter as hosts read it, in JSON types; a fresh dict at each access."""
        return self._values(0)

    @property
    def license(self) -> str | None:
        """The `license` field as written, or None."""
        value: str | None = self._fields().get("license")
        return value

    @property
    def compatibility(self) -> str | None:
        """The `compatibility` field as written, or None."""
        value: str | None = self._fields().get("compatibility")
        return value

    @property
    def metadata(self) -> dict[str, str]:
        """The `metadata` field, text to text as written; a fresh dict at each access."""
        return dict(self._fields().get("metadata", ()))

    @property
    def allowed_tools(self) -> tuple[str, ...] | None:
        """The entries of `allowed-tools`, or None when the field is absent."""
        value = self._fields().get("allowed_tools")
        return None if value is None else tuple(value)

    @property
    def globs(self) -> tuple[str, ...]:
        """The entries of `globs`; empty when the field is absent."""
        return tuple(self._fields().get("globs", ()))

    @property
    def files(self) -> Mapping[str, SkillFile]:
        """All files by path, SKILL.md included, in the order of the paths' UTF-8 bytes."""
        return self._decoded()[2]

    @property
    def resources(self) -> Mapping[str, SkillFile]:
        """All files by path but SKILL.md."""
        return _read_only({path: file for path, file in self.files.items() if path != "SKILL.md"})

    def file(self, path: str) -> SkillFile:
        """Return the file at exactly this path, a POSIX path relative to the skill directory.

        `ResourceNotFoundError` (a KeyError) when there is none, `IntegrityError` when the list of files is not the
        one that was packed.
        """
        files = self.files
        if not self._sound:
            # A file has a digest of its own, but only this one says whose file it is.
            if skill_digest((file.path, file.digest[7:]) for file in files.values()) != self.digest:
                raise IntegrityError([self.name])
            _fill(self, _sound=True)
        try:
            return files[path]
        except KeyError:
            raise ResourceNotFoundError(path, tuple(files)) from None

    def metadata_for(self, prefix: str) -> dict[str, str]:
        """Return the metadata keys that begin with `prefix` and a dot, without it."""
        start = f"{prefix}."
        return {key[len(start) :]: text for key, text in self.metadata.items() if key.startswith(start)}

    def metadata_list(self, key: str) -> tuple[str, ...]:
        """Return a metadata value split at commas and stripped, without empty parts; `()` when absent."""
        return tuple(part.strip() for part in self.metadata.get(key, "").split(",") if part.strip())

    def __repr__(self) -> str:
        return f"<Skill {echo(self.name)} {self.digest[:19]}>"


class Skills(_Frozen, Mapping[str, Skill]):
    """The data of a bundle: a mapping from name to `Skill`, in the order of the names' code points."""

    __slots__ = ("_by_name", "_index", "_load", "_module", "_style", "_tools", "digest", "problems")
    digest: str
    problems: tuple[str, ...]
    _load: _Packed | Callable[[], Iterable[Skill]]
    _by_name: dict[str, Skill] | None
    _index: tuple[Callable[[], _Bytes], str] | None
    _module: str | None
    _tools: tuple[str, str]
    _style: str

    def __init__(
        self,
        skills: Iterable[Skill] | _Packed | Callable[[], Iterable[Skill]],
        *,
        digest: str | None = None,
        module: str | None = None,
        problems: Iterable[str] = (),
        tools: tuple[str, str] = ("load_skill", "read_skill_resource"),
        style: str = "list",
        index: tuple[Callable[[], _Bytes], str] | None = None,
    ) -> None:
        load = skills if callable(skills) else tuple(skills).__iter__
        _fill(self, _load=load, _by_name=None, _index=index, _module=module, _tools=tools, _style=style)
        _fill(self, problems=tuple(problems))
        _fill(self, digest=digest or bundle_digest((name, skill.digest) for name, skill in self.items()))

    @classmethod
    def packed(
        cls,
        catalog: _Bytes,
        index: _Bytes,
        load: _Loader,
        module: str | None = None,
        *,
        checked: bool = True,
    ) -> Self:
        r"""Return the bundle that the literals of a single module hold; nothing is decoded yet.

        `catalog` begins with the line `skillpack <FORMAT> <bundle digest> <index digest>`, then holds a line a skill: name,
        `h` when hidden else `-`, skill digest, index digest, description, between tabs, with `\`, newline and
        tab in the description as `\\`, `\n` and `\t`. `index` holds a block a skill, each ended by an empty
        line: the frontmatter and the text fields as JSON, then a line a file: path, size, SHA-256 hex, media
        type, flags (`t` text, `x` executable, `-` neither), encoding (`b` bytes, `s` str, `6` base64).
        `load` gives the literal named `_<SHA-256 hex>`, `module` is the importing name of the emitted module. The
        first use of the index checks its digest, unless `checked` is false, as it is where damage is to be described.
        """
        return cls.paged(catalog, lambda _: (index, load), module, checked=checked)

    @classmethod
    def paged(
        cls,
        catalog: _Bytes,
        page: Callable[[int], _Page],
        module: str | None = None,
        *,
        checked: bool = True,
    ) -> Self:
        """Return the bundle of a package, whose index is several pages that are loaded when they are needed.

        `catalog` is as `packed` has it; its first line ends with how many skills each page holds, then the SHA-256 hex
        of each page, both with commas between. `page` gives the page of a number from 0. A file's row ends with the
        literal that its contents are in, where they begin there and how long they are, in the literal's own units.
        `checked` is as `packed` has it.
        """
        head = catalog[: catalog.find(b"\n")].decode("ascii").split(" ")
        if head[:2] != ["skillpack", str(FORMAT)] or len(head) not in (4, 6):
            raise ValueError(f"this runtime reads format {FORMAT}, the data is {echo(' '.join(head[:2]))}")
        # Without counts there is one page, which holds all that the catalog has.
        counts = head[4].split(",") if head[4:] else [str(catalog.count(b"\n") - 1)]
        digests = head[5].split(",") if head[4:] else [head[3][7:]]
        return cls(
            _Packed(catalog, counts, digests if checked else None, page),
            digest=head[2],
            module=module,
            index=(lambda: b"".join(page(number)[0] for number in range(len(counts))), head[3]),
        )

    def _skills(self) -> dict[str, Skill]:
        by_name = self._by_name
        if by_name is None:
            try:
                by_name = {skill.name: skill for skill in sorted(self._load(), key=lambda skill: skill.name)}
            except _DAMAGE:
                raise IntegrityError(["."]) from None
            _fill(self, _by_name=by_name)
        return by_name

    def _visible(self) -> list[Skill]:
        return [skill for skill in self._skills().values() if not skill.hidden]

    def _described(self) -> list[tuple[str, str]]:
        """Return name and description of each skill that is not hidden: without the skills, where that is faster."""
        if self._by_name is None and isinstance(self._load, _Packed):
            try:
                return self._load.described()
            except _DAMAGE:
                raise IntegrityError(["."]) from None
        return [(skill.name, skill.description) for skill in self._visible()]

    def __getitem__(self, name: str) -> Skill:
        try:
            return self._skills()[name]
        except KeyError:
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
        return super().__reduce__() if self._module is None else (getattr, (_Module(self._module), "bundle"))

    def __repr__(self) -> str:
        return f"<SkillBundle {len(self)} skill{'s' * (len(self) != 1)} {self.digest[:19]}>"

    @property
    def names(self) -> tuple[str, ...]:
        """All names, hidden ones included, in the order of their code points."""
        return tuple(self._skills())

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest as a fresh dict in JSON types: names, digests, frontmatter, files."""
        return {
            "format": FORMAT,
            "digest": self.digest,
            "skills": [
                {
                    "name": skill.name,
                    "digest": skill.digest,
                    "frontmatter": skill.frontmatter,
                    "files": [
                        {
                            "path": file.path,
                            "size": file.size,
                            "digest": file.digest,
                            "media_type": file.media_type,
                            "text": file.is_text,
                            "executable": file.executable,
                        }
                        for file in skill.files.values()
                    ],
                }
                for skill in self.values()
            ],
        }

    def _derived(self, skills: Iterable[Skill], problems: Iterable[str]) -> Self:
        return type(self)(skills, problems=problems, tools=self._tools, style=self._style)

    def select(self, patterns: Iterable[str]) -> Self:
        """Return the bundle of the skills whose names match shell patterns, case-sensitively.

        Patterns apply left to right and the last match wins; `!` negates; when all are negative, all skills
        are the start; no pattern at all is no skill, so a list of exceptions that may be empty begins with `*`.
        An exact name that no skill has raises `SkillNotFoundError`, a text instead of a list of texts `TypeError`.
        """
        names, idle = chosen(self, several(patterns, "select"))
        for pattern in idle:
            if not any(char in pattern for char in "*?["):
                self[pattern.removeprefix("!")]
        return self._derived((self[name] for name in names), self.problems)

    def verify(self, digest: str | None = None) -> None:
        """Recompute every digest, that of what reaches the prompt included; compare with `digest` if given.

        `digest` is over the names of the skills and the paths and contents of their files, so one that was taken from
        elsewhere tells of any change of these. Digests that lie beside the data tell of damage alone: they are no
        signatures, and whoever edits the data can make them anew. Raises `IntegrityError` whose `paths` name
        everything that is damaged; returns nothing.
        """
        damaged: list[str] = []
        for skill in self.values():
            try:
                frontmatter, _, files = skill._decoded()
                hidden = is_hidden(skill.frontmatter)
                skill._fields()
            except IntegrityError as error:
                damaged += error.paths
                continue
            for file in files.values():
                try:
                    file.bytes()
                except IntegrityError as error:
                    damaged += error.paths
            indexed = index_digest(skill.name, skill.description, frontmatter) == skill._index_digest
            hashed = skill_digest((file.path, file.digest[7:]) for file in files.values()) == skill.digest
            if not (indexed and hashed and hidden == skill.hidden):
                damaged.append(skill.name)
        computed = bundle_digest((name, skill.digest) for name, skill in self.items())
        # The text fields, media types and execute bits have no digest but this one, over the index as packed.
        whole = self._index is None or _is_whole(*self._index)
        if computed != self.digest or digest not in (None, computed) or not whole:
            damaged.append(".")
        if damaged:
            raise IntegrityError(damaged)

    def preload(self) -> None:
        """Import and load all that any later call needs; after it no file is opened, listed or looked at."""
        for name in MODULES:
            __import__(name)
        for size in (0, SMALL_BYTES + 1):
            sha256_hex(_Bytes(size))
        for skill in self.values():
            for file in skill.files.values():
                file._touch()

    def extract(self, name: str, directory: _Directory) -> str:
        """Write a skill to `directory/<its name>`, which must not exist yet, and return that path.

        `name` is a skill's name or its full `sha256:` digest.
        Execute bits are restored. The contents are checked first and appear under the name all at once.
        Raises `SkillNotFoundError`, `IntegrityError`, `FileExistsError`, or `ValueError` for a path that
        would leave the directory.
        """
        from pathlib import Path
        from shutil import rmtree
        from tempfile import mkdtemp

        skill = self._find(name)
        check_paths(skill.files)
        contents = [(file.path, file.bytes(), file.executable) for file in skill.files.values()]
        target = Path(directory, check_name(skill.name))
        taken = f"{target} exists: extract writes to a new place only"
        if target.exists() or target.is_symlink():
            raise FileExistsError(taken)
        target.parent.mkdir(parents=True, exist_ok=True)
        # A new directory of ours alone: nobody can have put a link or a file there.
        part = Path(mkdtemp(prefix=".skill-", dir=target.parent))
        try:
            for path, data, executable in contents:
                place = part / "skill" / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
                if executable:
                    place.chmod(place.stat().st_mode | 0o111)
            try:
                (part / "skill").rename(target)
            except OSError:
                if target.exists():  # somebody was faster
                    raise FileExistsError(taken) from None
                raise
        finally:
            rmtree(part, ignore_errors=True)
        return str(target)


class _Module:
    """Pickles as the module of a name.

    By built-in functions alone: one of the runtime's own may lie elsewhere when the pickle is read, since a package
    has its runtime in a folder that is named by its content.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __reduce__(self) -> Any:
        return __import__, (self._name, None, None, ["bundle"])


def is_hidden(frontmatter: Mapping[str, object]) -> bool:
    """Return whether a skill's frontmatter keeps it out of the catalog."""
    return frontmatter.get("hide") is True or frontmatter.get("disable-model-invocation") is True


def _is_whole(index: Callable[[], _Bytes], digest: str) -> bool:
    try:
        return "sha256:" + sha256_hex(index()) == digest
    except _DAMAGE:
        return False


class _Packed:
    """The skills that a catalog lists, made when they are asked for."""

    __slots__ = ("_catalog", "_counts", "_digests", "_page")

    def __init__(
        self,
        catalog: _Bytes,
        counts: list[str],
        digests: list[str] | None,
        page: Callable[[int], _Page],
    ) -> None:
        self._catalog, self._counts, self._digests, self._page = catalog, counts, digests, page

    def __call__(self) -> Iterator[Skill]:
        rows = self._rows()
        if sum(map(int, self._counts)) != len(rows):  # or a skill would be given the block of another
            raise IntegrityError(["."])
        first = 0
        for number, count in enumerate(self._counts):
            blocks = _Blocks(number, None if self._digests is None else self._digests[number], self._page)
            for at, (name, hidden, digest, indexed, description) in enumerate(
                rows[first : first + int(count)]
            ):
                yield Skill(
                    name=name,
                    description=_unescaped(description),
                    digest=digest,
                    index_digest=indexed,
                    hidden=hidden == "h",
                    load=blocks.parts(name, at),
                )
            first += int(count)

    def described(self) -> list[tuple[str, str]]:
        """Return name and description of each skill that is not hidden, in the order of the names."""
        found = {name: (hidden, description) for name, hidden, _, _, description in self._rows()}
        return [(name, _unescaped(found[name][1])) for name in sorted(found) if found[name][0] != "h"]

    def _rows(self) -> list[list[str]]:
        return [row.split("\t") for row in self._catalog.decode("utf-8").split("\n")[1:-1]]


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return "\\".join(part.replace("\\n", "\n").replace("\\t", "\t") for part in text.split("\\\\"))


class _Blocks:
    """A page of the index, held against its SHA-256 hex and split on first use."""

    __slots__ = ("_digest", "_number", "_page", "_split")
    _split: tuple[list[_Bytes], _Loader] | None

    def __init__(self, number: int, digest: str | None, page: Callable[[int], _Page]) -> None:
        self._number, self._digest, self._page, self._split = number, digest, page, None

    def parts(self, owner: str, at: int) -> Callable[[], _Parts]:
        """Return what decodes the block at a place for the skill that owns it."""

        def parts() -> _Parts:
            split = self._split
            if split is None:
                index, load = self._page(self._number)
                # What it says of fields, kinds and flags has no digest of its own.
                if self._digest not in (None, sha256_hex(index)):
                    raise IntegrityError([owner])
                self._split = split = index.split(b"\n\n"), load
            blocks, load = split
            frontmatter, fields, *rows = blocks[at].decode("utf-8").split("\n")
            return frontmatter, fields, tuple(_packed_file(owner, row, load) for row in rows)

        return parts


def _packed_file(owner: str, row: str, load: _Loader) -> SkillFile:
    path, size, digest, media_type, flags, encoding, *where = row.split("\t")

    def content() -> _Bytes:
        literal = load(where[0] if where else f"_{digest}")
        if where:
            start, length = map(int, where[1:])
            literal = literal[start : start + length]
        if isinstance(literal, str):
            return literal.encode("utf-8")
        if encoding == "6":
            from binascii import a2b_base64

            return a2b_base64(literal)
        return literal

    return SkillFile(
        path=path,
        size=int(size),
        digest=f"sha256:{digest}",
        media_type=media_type,
        is_text="t" in flags,
        executable="x" in flags,
        load=content,
        owner=owner,
    )
