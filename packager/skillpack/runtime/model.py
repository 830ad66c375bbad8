"""The frozen model: a skill and its files, decoded when they are used."""

from __future__ import annotations

from _collections_abc import Mapping  # noqa: TC003 - one import for all files that are joined with this one

from skillpack.runtime.digest import sha256_hex, skill_digest
from skillpack.runtime.frozen import _Frozen, fill
from skillpack.runtime.listing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import Any

    _Directory = str | PathLike[str]

    _Loader = Callable[[str], str | bytes]
    _Page = tuple[bytes, _Loader]
    """The index of some skills, a block a skill, and what gives the literals that its rows name."""

    _Parts = tuple[str, str, tuple["SkillFile", ...]]

# What comes of damage in a literal, an index or a file that holds one, and of such a file that is not there; one
# that is Python may no longer compile, or names what there is not.
_DAMAGE = (LookupError, ValueError, ImportError, OSError, SyntaxError, NameError, TypeError)

_Bytes = bytes  # `SkillFile.bytes` hides the type inside its class
_read_only = type(type.__dict__)  # types.MappingProxyType, without the import


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
        fill(self, path=path, size=size, digest=digest, media_type=media_type, is_text=is_text)
        fill(self, executable=executable, _load=load, _owner=owner, _sound=False)

    def bytes(self) -> _Bytes:
        """Return the contents; the first read checks their digest and raises `IntegrityError`."""
        try:
            data = self._load()
        except _DAMAGE:
            raise damaged(f"{self._owner}/{self.path}") from None
        if not self._sound:
            if len(data) != self.size or "sha256:" + sha256_hex(data) != self.digest:
                raise damaged(f"{self._owner}/{self.path}")
            fill(self, _sound=True)
        return data

    def _touch(self) -> None:
        """Load what holds the contents, and check nothing: the first read does."""
        try:
            self._load()
        except _DAMAGE:
            raise damaged(f"{self._owner}/{self.path}") from None

    def text(self) -> str:
        """Return the contents as text; `ValueError` when the file is binary (`is_text` is false)."""
        if not self.is_text:
            raise ValueError(f"{self.path} is binary ({self.media_type}): use bytes()")
        try:
            return self.bytes().decode("utf-8")
        except UnicodeDecodeError:  # of a module that says of binary contents that they are text
            raise damaged(f"{self._owner}/{self.path}") from None

    def __repr__(self) -> str:
        from skillpack.runtime.text import echo

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
        fill(self, name=name, description=description, digest=digest, hidden=hidden)
        fill(self, _index_digest=index_digest, _load=load, _parts=None, _sound=False)

    def _decoded(self) -> tuple[str, str, Mapping[str, SkillFile]]:
        parts = self._parts
        if parts is None:
            try:
                frontmatter, fields, files = self._load()
            except _DAMAGE:
                raise damaged(self.name) from None
            parts = (frontmatter, fields, _read_only({file.path: file for file in files}))
            fill(self, _parts=parts)
        return parts

    def _values(self, part: int) -> dict[str, Any]:
        """Return the frontmatter (0) or the text fields (1) as a fresh dict."""
        import json

        try:
            values: dict[str, Any] = json.loads(str(self._decoded()[part]))
        except ValueError:
            raise damaged(self.name) from None
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
                raise damaged(self.name)
            fill(self, _sound=True)
        try:
            return files[path]
        except KeyError:
            from skillpack.runtime.errors import ResourceNotFoundError

            raise ResourceNotFoundError(path, tuple(files)) from None

    def metadata_for(self, prefix: str) -> dict[str, str]:
        """Return the metadata keys that begin with `prefix` and a dot, without it."""
        start = f"{prefix}."
        return {key[len(start) :]: text for key, text in self.metadata.items() if key.startswith(start)}

    def metadata_list(self, key: str) -> tuple[str, ...]:
        """Return a metadata value split at commas and stripped, without empty parts; `()` when absent."""
        return tuple(part.strip() for part in self.metadata.get(key, "").split(",") if part.strip())

    def __repr__(self) -> str:
        from skillpack.runtime.text import echo

        return f"<Skill {echo(self.name)} {self.digest[:19]}>"


def damaged(path: str) -> ValueError:
    """Return the error for what is damaged: `IntegrityError`, which is loaded only then."""
    from skillpack.runtime.errors import IntegrityError

    return IntegrityError([path])


def is_hidden(frontmatter: Mapping[str, object]) -> bool:
    """Return whether a skill's frontmatter keeps it out of the catalog."""
    return frontmatter.get("hide") is True or frontmatter.get("disable-model-invocation") is True


def body_start(text: str) -> int:
    r"""Return where the body of a SKILL.md begins, in characters; 0 when there is no frontmatter.

    The first line is `---`, the next line that is `---` ends the frontmatter (both may have trailing blanks, a
    line ends at \n or \r\n), and one blank line after it belongs to neither.
    """
    position = 1 if text.startswith("\ufeff") else 0
    fences = 0
    while fences < 2:
        end = text.find("\n", position) + 1
        is_fence = text[position : end or len(text)].rstrip(" \t\r\n") == "---"
        if not end or (not is_fence and not fences):
            return len(text) if is_fence and fences else 0
        fences += is_fence
        position = end
    end = text.find("\n", position) + 1
    return end if end and not text[position:end].strip(" \t\r\n") else position
