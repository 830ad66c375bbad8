"""Modules that skillpack wrote, read as data out of whatever carries them: never imported, never parsed as code.

An artifact may come from anywhere. Reading one takes time and memory in proportion to its size, within the
bounds of `skillpack.archive`, and ends in a bundle or in one `ArtifactError` that says where and what.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillpack import archive
from skillpack.emit import literal
from skillpack.emit.layout import is_emitted, sections, unix_lines
from skillpack.errors import ArtifactError
from skillpack.findings import visible
from skillpack.model import SKILL_MD
from skillpack.runtime import Skill, SkillBundle, SkillFile
from skillpack.runtime.assembly import text_fields
from skillpack.runtime.digest import canonical_json, index_digest
from skillpack.runtime.model import FORMAT
from skillpack.shadow import shadows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from skillpack.emit.layout import Sections

MAX_MODULE_BYTES = 64 * 2**20
MAX_MODULES_BYTES = 256 * 2**20
"""How much all modules of one artifact may hold together, in bytes: they are in memory at once."""
MAX_MANIFEST_BYTES = 64 * 2**20
CHUNK_BYTES = 2**20
MAX_JSON_BYTES = 2**20
"""How long the JSON of one skill's frontmatter may be; what YAML is allowed to hold comes to less than half."""

MAX_PROVENANCE_BYTES = 2**20
"""How much a manifest may hold beside what the bundle says."""

_MANIFEST = re.compile(r"[^/]+\.dist-info/extra_metadata/skillpack\.json")
_FORMAT = re.compile(rb"skillpack ([0-9]{1,9}) ")
_CATALOG_HEAD = re.compile(rb"skillpack [0-9]+ sha256:[0-9a-f]{64} sha256:[0-9a-f]{64}")
_CATALOG_ROW = re.compile(rb"[^\t]+\t[h-]\tsha256:[0-9a-f]{64}\tsha256:[0-9a-f]{64}\t[^\t]*")
_FILE_ROW = re.compile(r"([^\t]+)\t[0-9]{1,15}\t([0-9a-f]{64})\t[^\t]+\t(?:tx?|x|-)\t[bs6]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """An emitted module as it was read.

    `place` is the path of the artifact as given, then the path inside it. `parts` are the source with LF line
    ends. The contents of `bundle` are those of the literals; its digests are as recorded, not checked.
    """

    place: str
    parts: Sections
    bundle: SkillBundle


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """What was read from one path: at least one module, and each manifest as (place, bytes), wheels only.

    `shadows` are (place of a module, path of a file that Python would import instead of it), `stubs` (place of a stub
    that skillpack wrote, its text with LF line ends); of a module by itself the stub beside it is not read.
    """

    place: str
    kind: archive.Kind
    modules: tuple[Module, ...]
    manifests: tuple[tuple[str, bytes], ...]
    shadows: tuple[tuple[str, str], ...] = ()
    stubs: tuple[tuple[str, bytes], ...] = ()


def read(path: Path) -> Artifact:
    """Read a module, wheel, zip, sdist (`.tar.gz`) or directory.

    Modules are found by their first line. Raises `MissingArtifactError` when there is nothing at `path`, and
    `ArtifactError` when it holds no module, is damaged, or is beyond the bounds.
    """
    kind = archive.kind_of(path)
    modules: list[Module] = []
    manifests: list[tuple[str, bytes]] = []
    stubs: list[tuple[str, bytes]] = []
    names: list[str] = []
    found: dict[str, str] = {}
    room = MAX_MODULES_BYTES

    def is_wanted(name: str) -> bool:
        names.append(name)
        return name.endswith((".py", ".pyi")) or _MANIFEST.fullmatch(name) is not None

    for member in archive.members(path, kind, is_wanted):
        place = f"{path.as_posix()}/{member.name}" if member.name else path.as_posix()
        if kind == "wheel" and _MANIFEST.fullmatch(member.name):
            manifests.append((place, _whole(member, place, MAX_MANIFEST_BYTES)))
            continue
        start = member.read(archive.START_BYTES)
        if is_emitted(start):
            data = _whole(member, place, MAX_MODULE_BYTES, start)
            room -= len(data)
            if room < 0:
                raise ArtifactError(
                    f"{path}: its modules hold more than {MAX_MODULES_BYTES >> 20} MiB together"
                )
            if place.endswith(".pyi"):
                stubs.append((place, unix_lines(data)))
                continue
            modules.append(_module(place, data))
            found[place] = member.name or path.name
    if kind == "module":
        names = archive.beside(path)
    if not modules:
        raise ArtifactError(f"{path}: {_nothing(kind, manifests)}")
    return Artifact(
        place=path.as_posix(),
        kind=kind,
        modules=tuple(modules),
        manifests=tuple(manifests),
        shadows=tuple((place, name) for place, own in found.items() for name in shadows(own, names)),
        stubs=tuple(stubs),
    )


def _whole(member: archive.Member, place: str, limit: int, start: bytes = b"") -> bytes:
    """Return all of a member that has begun with `start`, in steps: a read takes the memory that it is asked for."""
    chunks = [start]
    size = len(start)
    while chunk := member.read(CHUNK_BYTES):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            raise ArtifactError(f"{place}: is over {limit >> 20} MiB")
    return b"".join(chunks)


def _nothing(kind: archive.Kind, manifests: Sequence[object]) -> str:
    """Say that an artifact holds no module, and what may have happened."""
    if manifests:
        return "holds the manifest of skillpack but no skillpack module: it was taken out after the build"
    if kind == "wheel":
        return "holds no skillpack module: was it built with HATCH_BUILD_NO_HOOKS?"
    if kind == "sdist":
        return (
            "holds no skillpack module: an sdist made with the hatch hook carries the skills themselves, so verify "
            "the wheel that is built from it"
        )
    return "holds no skillpack module"


# ------------------------------------------------------------------ a module as data


def _module(place: str, data: bytes) -> Module:
    parts = sections(unix_lines(data))
    if parts is None:
        raise ArtifactError(f"{place}: has no data section; it is cut short or altered")
    try:
        bundle = _bundle(literal.parse(parts.data), place)
    except literal.GrammarError as error:
        line = parts.head.count(b"\n") + error.line
        raise ArtifactError(f"{place}:{line}: {error}; the module is damaged or altered") from None
    except (ValueError, LookupError) as error:
        raise ArtifactError(f"{place}: {visible(str(error))}; the module is damaged or altered") from None
    return Module(place=place, parts=parts, bundle=bundle)


def _bundle(literals: Mapping[str, bytes | str], place: str) -> SkillBundle:
    """Return the bundle that a module's literals hold; `ValueError` when they do not have the documented form.

    The form is that of `SkillBundle.packed`, which trusts it: rows are looked at before any object is made.
    """
    match literals.get(literal.CATALOG), literals.get(literal.INDEX):
        case bytes() as catalog, bytes() as index:
            pass
        case _:
            raise ValueError("it has no catalog or no index")
    head, *rows = catalog.split(b"\n")
    version = _FORMAT.match(head)
    if version and int(version[1]) != FORMAT:
        raise ArtifactError(
            f"{place}: holds data of format {int(version[1])}, and this skillpack reads format {FORMAT}; use a release "
            "that wrote it"
        )
    if not _CATALOG_HEAD.fullmatch(head) or not rows or rows.pop():
        raise ValueError("the catalog is malformed")
    bundle = SkillBundle.packed(catalog, index, literals.__getitem__)
    *blocks, rest = index.split(b"\n\n")
    if rest or len(blocks) != len(rows):
        raise ValueError("the index does not hold each skill of the catalog")
    for number, (row, block) in enumerate(zip(rows, blocks, strict=True), 1):
        if not _CATALOG_ROW.fullmatch(row):
            raise ValueError(f"row {number} of the catalog is malformed")
        name = visible(row.partition(b"\t")[0].decode("utf-8"))
        try:
            _check_block(block, literals)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"skill {name}: {error}") from None
    names = [row.partition(b"\t")[0].decode("utf-8") for row in rows]
    if list(bundle) != names or names != sorted(set(names)):
        raise ValueError("the skills of the catalog are not sorted by name, each once")
    return bundle


def _check_block(block: bytes, literals: Mapping[str, bytes | str]) -> None:
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
        path, digest = matched.groups()
        if any(part in ("", ".", "..") for part in path.split("/")):
            raise ValueError(f"a path leaves the skill: {path}")
        if literal.content_name(digest) not in literals:
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


# ------------------------------------------------------------------ a bundle as facts


def summary(bundle: SkillBundle) -> dict[str, Any]:
    """Return what `skillpack inspect` shows, in JSON types: the manifest, with sizes and estimated tokens.

    Sizes are in bytes, tokens are characters / 4 rounded up; `body_tokens` of a skill whose SKILL.md is damaged
    is None.
    """
    facts = bundle.manifest
    for row, skill in zip(facts["skills"], bundle.values(), strict=True):
        row["description"] = skill.description
        row["hidden"] = skill.hidden
        row["size"] = sum(file.size for file in skill.files.values())
        row["body_tokens"] = _body_tokens(skill)
    facts["totals"] = {
        "skills": len(bundle),
        "files": sum(len(row["files"]) for row in facts["skills"]),
        "size": sum(row["size"] for row in facts["skills"]),
        "catalog_tokens": _tokens(bundle.catalog()),
    }
    return facts


def parsed_manifest(manifest: bytes, like: str) -> Any:
    """Return what a packed manifest holds; `like` is the canonical JSON of what it has to say of a bundle.

    Raises `ValueError` or `RecursionError` when it is not JSON. It counts as none when it is much longer than it has
    to be: what JSON makes of hostile text takes memory.
    """
    if len(manifest) > 2 * len(like.encode("utf-8")) + MAX_PROVENANCE_BYTES:
        raise ValueError("the manifest is too long")
    return json.loads(manifest.decode("utf-8"))


def _body_tokens(skill: Skill) -> int | None:
    try:
        return _tokens(skill.body)
    except ValueError:
        return None


def _tokens(text: str) -> int:
    return -(-len(text) // 4)


def with_execute_bits(bundle: SkillBundle, recorded: SkillBundle) -> SkillBundle:
    """Return `bundle` with the execute bits that `recorded` has for files of the same skill and path.

    For platforms whose file systems hold no execute bit: without it, what is packed there would differ from a
    module that was packed elsewhere.
    """
    return SkillBundle(
        _with_bits(skill, recorded[name].files if name in recorded else {}) for name, skill in bundle.items()
    )


def _with_bits(skill: Skill, recorded: Mapping[str, SkillFile]) -> Skill:
    files = tuple(
        SkillFile(
            path=path,
            size=file.size,
            digest=file.digest,
            media_type=file.media_type,
            is_text=file.is_text,
            executable=recorded[path].executable if path in recorded else file.executable,
            load=file.bytes,
            owner=skill.name,
        )
        for path, file in skill.files.items()
    )
    frontmatter = canonical_json(skill.frontmatter)
    fields = canonical_json(text_fields(skill))
    return Skill(
        name=skill.name,
        description=skill.description,
        digest=skill.digest,
        index_digest=index_digest(skill.name, skill.description, frontmatter),
        hidden=skill.hidden,
        load=lambda: (frontmatter, fields, files),
    )
