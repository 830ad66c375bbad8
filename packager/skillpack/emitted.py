"""An emitted module as data: its literals by the line grammar, its index held against the documented form."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from skillpack.emit import literal, part
from skillpack.emit.layout import INIT, sections
from skillpack.errors import ArtifactError
from skillpack.findings import visible
from skillpack.model import SKILL_MD
from skillpack.runtime import IntegrityError, SkillBundle
from skillpack.runtime.blobs import Blobs
from skillpack.runtime.bundle import FORMAT
from skillpack.runtime.digest import canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from skillpack.emit.layout import Sections
    from skillpack.runtime.model import _Page

_OPEN_SHARDS = 8
"""How many decoded shards are kept while a package is read: contents come in the order of skills, not of shards."""
MAX_JSON_BYTES = 2**20
"""How long the JSON of one skill's frontmatter may be; what YAML is allowed to hold comes to less than half."""


_FORMAT = re.compile(rb"skillpack ([0-9]{1,9}) ")
_CATALOG_HEAD = re.compile(
    rb"skillpack [0-9]+ sha256:[0-9a-f]{64} sha256:[0-9a-f]{64}"
    rb"(?: ([0-9]{1,9}(?:,[0-9]{1,9})*) ([0-9a-f]{64}(?:,[0-9a-f]{64})*))?"
)
_SKILL_ROW = re.compile(rb"([^\t]+)\t[h-]\tsha256:[0-9a-f]{64}\tsha256:[0-9a-f]{64}(?:\t[^\t]*)?")
_FILE_ROW = re.compile(
    r"([^\t]+)\t[0-9]{1,15}\t([0-9a-f]{64})\t[^\t]+\t(?:tx?|x|-)\t[bs6]((?:\t[0-9]{1,15}){3})?"
)


Form = Literal["module", "package", "data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """An emitted module as it was read.

    `place` is the path of the artifact as given, then the path inside it, of the file that is imported: in the folder
    forms `__init__.py`. `parts` are its source with LF line ends. `files` are the other files of a folder form by
    their path in the folder, sources with LF line ends too. The contents of `bundle` are those of the literals; its
    digests are as recorded, not checked.
    """

    place: str
    parts: Sections
    bundle: SkillBundle
    form: Form = "module"
    files: Mapping[str, bytes] = field(default_factory=dict)

    def place_of(self, path: str) -> str:
        """Return the place of another file of a folder form."""
        return f"{self.place.removesuffix(INIT)}{path}"


def module(place: str, source: bytes) -> Module:
    """Return the module whose source, with LF line ends, is at a place; raises `ArtifactError`."""
    parts = _sections(place, source)
    with _damage(place, parts):
        literals = literal.parse(parts.data)
        match [literals.get(name) for name in (literal.CATALOG, literal.SKILLS, literal.INDEX)]:
            case [bytes() as catalog, bytes() as skills, bytes() as index]:
                pass
            case _:
                raise ValueError("it has no catalog, skills or index")
        counts = _check_head(catalog, place)
        if counts is not None:
            raise ValueError("its catalog is that of a package")
        bundle = SkillBundle.packed(catalog, skills, index, literals.__getitem__, checked=False)
        rows = skills.count(b"\n")
        _check(
            bundle,
            skills,
            [(rows, index, lambda digest, where: not where and literal.content_name(digest) in literals)],
        )
    return Module(place=place, parts=parts, bundle=bundle)


def package(place: str, source: bytes, files: dict[str, bytes]) -> Module:
    """Return the module of a folder form, whose contents are decoded when they are read; raises `ArtifactError`.

    `source` is its `__init__.py`, and `files` the others as `Module.files` has them.
    """
    parts = _sections(place, source)
    with _damage(place, parts):
        data, functions = part.split(parts.data)
        literals = literal.parse(data)
        catalog = literals.get(literal.CATALOG)
        if literal.INDEX in literals or not isinstance(catalog, bytes):
            raise ValueError("it is no package with a catalog")
        counts = _check_head(catalog, place)
        match literals.get(literal.PAGES):
            case None:
                form: Form = "package"
                found = _sources(part.parse_pages(functions, data), files, place.removesuffix(INIT))
            case bytes() as named:
                form, found = "data", _blobs(named, files)
            case _:
                raise ValueError("its pages are malformed")
        if counts is None or len(counts) != found.pages:
            raise ValueError("its catalog does not fit its pages")
        bundle = SkillBundle.paged(catalog, lambda: found.skills, found.page, checked=False)
        _check(bundle, found.skills, [_checked(found, at, count, files) for at, count in enumerate(counts)])
    return Module(place=place, parts=parts, bundle=bundle, form=form, files=files)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """The rows of the skills of a folder form, how many pages its index has, and what gives a page by its number.

    `shards` gives the paths of the files that the rows of a page count; no shard is decoded for it.
    """

    skills: bytes
    pages: int
    page: Callable[[int], _Page]
    shards: Callable[[int], Sequence[str]]


def _blobs(named: bytes, files: Mapping[str, bytes]) -> _Folder:
    """Return what the blobs are of which `named` holds the names, a line each."""
    blobs = Blobs(named, files.__getitem__)
    return _Folder(
        skills=blobs.skills(),
        pages=named.count(b"\n") - 1,
        page=blobs.page,
        shards=lambda at: blobs.shards(at)[0],
    )


def _sources(names: list[str], files: Mapping[str, bytes], folder: str) -> _Folder:
    """Return what the parts of these names are, that of the skills first; `folder` is their place, with its slash."""

    @lru_cache(maxsize=_OPEN_SHARDS)
    def shard(path: str) -> bytes | str:
        return literal.parse(_part(files, path).data)[literal.DATA]

    def read(name: str, kind: str) -> tuple[bytes, list[str]]:
        """Return the literal of a part, whose name is `kind`, and the paths of the shards that the part imports."""
        path = f"{name}.py"
        parts = _part(files, path)
        with _damage(f"{folder}{path}", parts):
            data, functions = part.split(parts.data)
            held = literal.parse(data)[kind]
            if not isinstance(held, bytes):
                raise ValueError("its literal is malformed")  # noqa: TRY004 - the artifact has the wrong form
            return held, [f"{shard}.py" for shard, _ in part.parse_parts(functions, data)]

    table, *pages = names
    opened = lru_cache(maxsize=1)(lambda at: read(pages[at], literal.INDEX))

    def page(number: int) -> _Page:
        index, paths = opened(number)
        return index, lambda key: shard(paths[int(key)])

    return _Folder(
        skills=read(table, literal.SKILLS)[0], pages=len(pages), page=page, shards=lambda at: opened(at)[1]
    )


def _part(files: Mapping[str, bytes], path: str) -> Sections:
    if path not in files:
        raise ValueError(f"its part {path} is not there")
    parts = sections(files[path])
    if parts is None:
        raise ValueError(f"its part {path} has no data section")
    return parts


def _checked(
    found: _Folder, number: int, count: int, files: Mapping[str, bytes]
) -> tuple[int, bytes, Callable[[str, Sequence[str]], bool]]:
    """Return a page of a folder form as `_check` takes it."""
    shards = found.shards(number)

    def is_held(_: str, where: Sequence[str]) -> bool:
        return bool(where) and int(where[0]) < len(shards) and shards[int(where[0])] in files

    return count, found.page(number)[0], is_held


def _sections(place: str, source: bytes) -> Sections:
    parts = sections(source)
    if parts is None:
        raise ArtifactError(f"{place}: has no data section; it is cut short or altered")
    return parts


@contextmanager
def _damage(place: str, parts: Sections) -> Iterator[None]:
    try:
        yield
    except literal.GrammarError as error:
        line = parts.head.count(b"\n") + error.line
        raise ArtifactError(f"{place}:{line}: {error}; the module is damaged or altered") from None
    except (ValueError, LookupError) as error:
        raise ArtifactError(f"{place}: {visible(str(error))}; the module is damaged or altered") from None


def _check_head(catalog: bytes, place: str) -> list[int] | None:
    """Check the first line of a catalog, and return how many skills each page of the index holds, if it has pages."""
    head = catalog.partition(b"\n")[0]
    version = _FORMAT.match(head)
    if version and int(version[1]) != FORMAT:
        raise ArtifactError(
            f"{place}: holds data of format {int(version[1])}, and this skillpack reads format {FORMAT}; use a release "
            "that wrote it"
        )
    matched = _CATALOG_HEAD.fullmatch(head)
    if not matched or not catalog.endswith(b"\n"):
        raise ValueError("the catalog is malformed")
    return [int(count) for count in matched[1].split(b",")] if matched[1] else None


def _check(
    bundle: SkillBundle,
    skills: bytes,
    pages: Sequence[tuple[int, bytes, Callable[[str, Sequence[str]], bool]]],
) -> None:
    """Raise `ValueError` when rows and index do not have the documented form, which the runtime trusts.

    A page is how many skills it holds, its bytes, and what says whether the content of a row is there, by its digest
    and the last columns.
    """
    rows = skills.split(b"\n")[:-1]
    blocks = []
    for count, index, is_held in pages:
        *own, rest = index.split(b"\n\n")
        if rest or len(own) != count:
            raise ValueError("the index does not hold each skill of the catalog")
        blocks += [(block, is_held) for block in own]
    if len(blocks) != len(rows):
        raise ValueError("the index does not hold each skill of the catalog")
    names = []
    for number, (row, (block, is_held)) in enumerate(zip(rows, blocks, strict=True), 1):
        matched = _SKILL_ROW.fullmatch(row)
        if not matched:
            raise ValueError(f"row {number} of the skills is malformed")
        names.append(matched[1].decode("utf-8"))
        try:
            _check_block(block, is_held)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"skill {visible(names[-1])}: {error}") from None
    if names != sorted(set(names)):
        raise ValueError("the skills are not sorted by name, each once")
    try:
        list(bundle)
    except IntegrityError:
        raise ValueError("the catalog does not show the skills that there are") from None


def _check_block(block: bytes, is_held: Callable[[str, Sequence[str]], bool]) -> None:
    """Check what the index says about one skill; raises `ValueError`, and `RecursionError` for deep JSON."""
    frontmatter, fields, *rows = [*block.decode("utf-8").split("\n"), "", ""]
    _json_object(frontmatter)
    if not all(_is_field(key, value) for key, value in _json_object(fields).items()):
        raise ValueError("its fields are malformed")
    paths = []
    for row in rows[:-2]:
        matched = _FILE_ROW.fullmatch(row)
        if not matched:
            raise ValueError("a row of its files is malformed")
        path, digest, where = matched.groups()
        if any(part in ("", ".", "..") for part in path.split("/")):
            raise ValueError(f"a path leaves the skill: {path}")
        if not is_held(digest, (where or "").split("\t")[1:]):
            raise ValueError(f"the content of {path} is missing")
        paths.append(path.encode("utf-8"))
    if paths != sorted(set(paths)):
        raise ValueError("its files are not sorted by path, each once")
    if SKILL_MD.encode() not in paths:
        raise ValueError(f"it has no {SKILL_MD}")


def _json_object(text: str) -> dict[str, Any]:
    """Return what canonical JSON of an object holds."""
    value = json.loads(text) if len(text) <= MAX_JSON_BYTES else None
    if not isinstance(value, dict) or canonical_json(value) != text:
        raise ValueError("its JSON is not what skillpack writes")
    return value


def _is_field(key: str, value: object) -> bool:
    match key, value:
        case "license" | "compatibility", str():
            return True
        case "metadata", dict():
            return all(isinstance(text, str) for text in value.values())
        case "allowed_tools" | "globs", list():
            return all(isinstance(text, str) for text in value)
    return False
