"""Modules that skillpack wrote, read as data out of whatever carries them: never imported, never parsed as code.

An artifact may come from anywhere. Reading one takes time and memory in proportion to its size, within the
bounds of `skillpack.archive`, and ends in a bundle or in one `ArtifactError` that says where and what.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillpack import archive, emitted
from skillpack.emit.layout import INIT, is_emitted, unix_lines
from skillpack.errors import ArtifactError
from skillpack.runtime import Skill, SkillBundle, SkillFile
from skillpack.runtime.assembly import text_fields
from skillpack.runtime.digest import canonical_json, index_digest
from skillpack.shadow import shadows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from skillpack.emitted import Module

MAX_MODULE_BYTES = 64 * 2**20
MAX_MODULES_BYTES = 256 * 2**20
"""How much all modules of one artifact may hold together, in bytes: they are in memory at once."""
MAX_PARTS_BYTES = 2**30
"""The same for the parts of folder forms: as much as an archive may unpack to."""
MAX_MANIFEST_BYTES = 64 * 2**20
CHUNK_BYTES = 2**20
MAX_PROVENANCE_BYTES = 2**20
"""How much a manifest may hold beside what the bundle says."""

_MANIFEST = re.compile(r"[^/]+\.dist-info/extra_metadata/skillpack\.json")
_PART = re.compile(r"(?:^|/)(?:_[ms][0-9a-f]{16}\.py|[0-9a-f]{64}\.bin)$")
_BLOB = re.compile(r"(?:^|/)[0-9a-f]{64}\.bin$")
_COPY = re.compile(r"(?:^|/)\.agents/skills/")
_RUNTIME_FOLDER = re.compile(r"(?<![^/])_r[0-9a-f]{16}/(?:__init__\.py)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """What was read from one path: at least one module, and each manifest as (place, bytes), wheels only.

    `shadows` are (place of a module, path of a file that Python would import instead of it), `stubs` (place of a stub,
    its text with LF line ends): of one that skillpack did not write, its start. `copies` are the files in `.agents/skills/`
    of a wheel's packages, as (path in the wheel, `sha256:` and hex).
    """

    place: str
    kind: archive.Kind
    modules: tuple[Module, ...]
    manifests: tuple[tuple[str, bytes], ...]
    shadows: tuple[tuple[str, str], ...] = ()
    stubs: tuple[tuple[str, bytes], ...] = ()
    copies: tuple[tuple[str, str], ...] = ()


def read(path: Path) -> Artifact:
    """Read a module, wheel, zip, sdist (`.tar.gz`) or directory.

    Modules are found by their first line, and those of a folder form with the files beside their `__init__.py`. Raises
    `MissingArtifactError` when there is nothing at `path`, and `ArtifactError` when it holds no module, is damaged, or
    is beyond the bounds.
    """
    kind = archive.kind_of(path)
    is_init = kind == "module" and path.name == INIT
    top = path.parent if is_init else path
    manifests: list[tuple[str, bytes]] = []
    stubs: list[tuple[str, bytes]] = []
    copies: list[tuple[str, str]] = []
    names: list[str] = []
    found: dict[str, bytes] = {}
    room = {False: MAX_MODULES_BYTES, True: MAX_PARTS_BYTES}

    def is_wanted(name: str) -> bool:
        names.append(name)
        return (
            name.endswith((".py", ".pyi"))
            or _BLOB.search(name) is not None
            or _MANIFEST.fullmatch(name) is not None
            or (kind == "wheel" and _COPY.search(name) is not None)
        )

    for member in archive.members(top, "directory" if is_init else kind, is_wanted):
        place = f"{top.as_posix()}/{member.name}" if member.name else top.as_posix()
        if kind == "wheel" and _MANIFEST.fullmatch(member.name):
            manifests.append((place, _whole(member, place, MAX_MANIFEST_BYTES)))
            continue
        if kind == "wheel" and _COPY.search(member.name):  # files of skills, which nobody imports
            copies.append((member.name, _digest(member)))
            continue
        start = member.read(archive.START_BYTES)
        if place.endswith(".pyi") and not is_emitted(start):
            stubs.append((place, start))
            continue
        if is_emitted(start) or _BLOB.search(member.name):
            data = _whole(member, place, MAX_MODULE_BYTES, start)
            is_part = _PART.search(member.name) is not None
            room[is_part] -= len(data)
            if room[is_part] < 0:
                limit = MAX_PARTS_BYTES if is_part else MAX_MODULES_BYTES
                raise ArtifactError(f"{path}: its modules hold more than {limit >> 20} MiB together")
            if place.endswith(".pyi"):
                stubs.append((place, unix_lines(data)))
                continue
            found[member.name] = data if _BLOB.search(member.name) else unix_lines(data)
    modules, owned = _modules(top.as_posix(), found)
    if is_init:
        modules = [module for module in modules if module.place == path.as_posix()]
    if not modules:
        raise ArtifactError(f"{path}: {_nothing(kind, manifests)}")
    if kind == "module" and not is_init:
        names, owned = archive.beside(path), {path.name: modules[0].place}
        if f"{path.stem}.pyi" in names:
            stubs = _stubs(path.with_suffix(".pyi"))
    return Artifact(
        place=top.as_posix(),
        kind=kind,
        modules=tuple(modules),
        manifests=tuple(manifests),
        shadows=tuple((owned[own], name) for own, name in shadows(owned, names)),
        stubs=tuple(stubs),
        copies=tuple(copies),
    )


def _digest(member: archive.Member) -> str:
    """Return `sha256:` and hex of a member."""
    digest = hashlib.sha256()
    while chunk := member.read(CHUNK_BYTES):
        digest.update(chunk)
    return f"sha256:{digest.hexdigest()}"


def _stubs(path: Path) -> list[tuple[str, bytes]]:
    """Return the stub beside a module, as `Artifact.stubs` has it: none where there is a directory or a broken link."""
    return [
        (path.as_posix(), unix_lines(_whole(member, path.as_posix(), MAX_MODULE_BYTES)))
        for member in (archive.members(path, "module", bool) if path.is_file() else ())
    ]


def _modules(top: str, found: dict[str, bytes]) -> tuple[list[Module], dict[str, str]]:
    """Return the modules that are made of some files, and for each of these files that is source its place.

    The files are given by their path in the artifact.
    """
    folders = {
        name.removesuffix(INIT)
        for name in found
        if name.rpartition("/")[2] == INIT and not _RUNTIME_FOLDER.search(name)
    }
    inside: dict[str, dict[str, bytes]] = {folder: {} for folder in folders}
    single: dict[str, bytes] = {}
    places: dict[str, str] = {}
    for name, data in found.items():
        place = f"{top}/{name}" if name else top
        directory, _, file = name.rpartition("/")
        folder = f"{directory}/" if directory else ""
        if folder not in folders:
            folder = _RUNTIME_FOLDER.sub("", folder)
        if folder in folders:
            inside[folder][name.removeprefix(folder)] = data
        elif not _BLOB.search(file):
            single[name] = data
        if not _BLOB.search(file):
            places[name] = place
    modules = [emitted.module(places[name], data) for name, data in single.items()]
    for folder, files in inside.items():
        init = files.pop(INIT)
        modules.append(emitted.package(places[f"{folder}{INIT}"], init, files))
    return sorted(modules, key=lambda module: module.place), places


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
    return "holds no skillpack module; name what skillpack wrote, or the directory it lies in"


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
