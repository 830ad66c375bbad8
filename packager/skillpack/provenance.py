"""What the manifests of a wheel tell beside its bundle: the words of who built it, under no digest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillpack.artifact import parsed_manifest
from skillpack.model import Package
from skillpack.runtime.digest import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.artifact import Artifact


def recorded(artifact: Artifact) -> Iterator[dict[str, Any]]:
    """Give the provenance of each manifest. A malformed one tells of nothing; to say so is what `verify` is for."""
    like = max((canonical_json(module.bundle.manifest) for module in artifact.modules), key=len)
    for _, manifest in artifact.manifests:
        try:
            told = parsed_manifest(manifest, like)["provenance"]
        except (ValueError, RecursionError, LookupError, TypeError):
            continue
        if isinstance(told, dict):
            yield told


def files(artifact: Artifact) -> Iterator[tuple[str, str]]:
    """Give the module and the directory of the files beside it, POSIX paths in the wheel, where a manifest tells them."""
    for told in recorded(artifact):
        match told.get("module"), told.get("files"):
            case str() as module, str() as directory:
                yield module, directory


def packages(artifact: Artifact) -> tuple[tuple[Package, tuple[str, ...]], ...]:
    """Return the installed distributions that skills are from, each with the names of these."""
    found = []
    for told in recorded(artifact):
        rows = told.get("packages")
        for row in rows if isinstance(rows, list) else ():
            match row:
                case {"name": str() as name, "version": str() as version, "skills": list() as skills}:
                    names = tuple(skill for skill in skills if isinstance(skill, str))
                    found.append((Package(name=name, version=version), names))
    return tuple(found)
