"""Artifacts from which something is made: taken only when they are what `skillpack verify` finds good."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from skillpack import artifact, digest, pipeline, verification
from skillpack.errors import ArtifactError, SkillpackError
from skillpack.rules import Level
from skillpack.runtime.text import listed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from skillpack.emitted import Module
    from skillpack.runtime import SkillBundle

_Bundle = TypeVar("_Bundle", bound="SkillBundle")


def accepted(path: Path, module: str = "") -> Module:
    """Return the module in a wheel, zip, sdist (`.tar.gz`), directory, or of one or more files, that is at `path`.

    It is read as data and held against its digests, as by `artifact.read` and `verification.verify`. `module` is its
    path in the artifact, for those that hold several. Raises `ArtifactError` with one message when anything is wrong
    with any module of the artifact, `MissingArtifactError` when there is nothing at `path`, and `SkillpackError` when
    it is not clear which module is meant.
    """
    read = artifact.read(path)
    errors = [
        finding
        for finding in verification.verify(read, reread=pipeline.reread, address=digest.content_address)
        if finding.level is Level.ERROR
    ]
    if errors:
        first = errors[0]
        more = f" ({len(errors) - 1:,} more: `skillpack verify {path}` lists them)" if errors[1:] else ""
        raise ArtifactError(f"{first.place()}: {first.code}: {first.message}{more}; nothing is taken from it")
    names = {found.place.removeprefix(f"{read.place}/"): found for found in read.modules}
    if module:
        if module not in names:
            raise SkillpackError(f"{path}: holds no module {module}; it holds {_listed(names)}")
        return names[module]
    if len(names) > 1:
        raise SkillpackError(
            f"{path}: holds {len(names):,} modules; say which with --module: {_listed(names)}"
        )
    return read.modules[0]


def taken(path: Path, *, module: str = "", select: Sequence[str] = ()) -> SkillBundle:
    """Return the bundle of the module that `accepted` gives, or the skills in it whose names shell patterns choose.

    `select` is as `SkillBundle.select` takes it; raises `SkillpackError` when it chooses none, and as `accepted` does.
    """
    return chosen(accepted(path, module).bundle, str(path), select)


def chosen(bundle: _Bundle, place: str, select: Sequence[str]) -> _Bundle:
    """Return the skills of a bundle, of any module, that shell patterns choose, all of them without a pattern.

    `place` is what messages call the bundle. Raises `SkillpackError` when none is chosen, or a name is that of none.
    """
    if not select:
        return bundle
    try:
        some = bundle.select(select)
    except KeyError as error:  # each module has a SkillNotFoundError of its own
        raise SkillpackError(f"{place}: {error}") from None
    if not some:
        raise SkillpackError(f"{place}: --select chooses none of its skills: {listed(bundle.names)}")
    return some


def _listed(names: dict[str, Module]) -> str:
    return listed(sorted(names))
