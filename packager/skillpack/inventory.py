"""What installed distributions declare as bundles, read as data: no code of theirs runs.

A declared bundle is an entry point `module:attribute`. Where the module is one that skillpack wrote, its file has all
there is to tell, and it is read as any artifact is. What another module would make can only be known by running it.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.machinery import PathFinder
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from skillpack import archive, artifact, sources
from skillpack.emit.layout import is_emitted
from skillpack.errors import SkillpackError
from skillpack.runtime import SkillSourceError

if TYPE_CHECKING:
    from skillpack.runtime import SkillBundle
    from skillpack.sources import InstalledBundle

_TARGET = re.compile(r"(?P<module>\w+(?:\.\w+)*)\s*:\s*(?P<attribute>\w+(?:\.\w+)*)")
_ATTRIBUTE = "bundle"
"""What an emitted module calls its bundle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A declared bundle: `skills` are those of an emitted module, else None.

    `problem` says why the declaration leads to no bundle, and is empty where it may.
    """

    declaration: InstalledBundle
    skills: SkillBundle | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """All declared bundles, sorted by name, and why others could not be read, a line each."""

    bundles: tuple[Declared, ...]
    problems: tuple[str, ...]


def inventory() -> Inventory:
    """Return what the distributions on the path of this interpreter declare."""
    found: list[Declared] = []
    problems: list[str] = []
    for distribution in sources.declaring():
        try:
            found += map(_declared, sources.declared_by(distribution))
        except SkillSourceError as error:
            problems.append(str(error))
    key = attrgetter("declaration.name", "declaration.distribution")
    return Inventory(bundles=tuple(sorted(found, key=key)), problems=tuple(sorted(problems)))


def _declared(declaration: InstalledBundle) -> Declared:
    try:
        return Declared(declaration=declaration, skills=_skills(declaration.target))
    except SkillpackError as error:
        return Declared(declaration=declaration, problem=str(error))


def _skills(target: str) -> SkillBundle | None:
    """Return the skills of a target; None when code would have to run. Raises SkillpackError when it is broken."""
    matched = _TARGET.fullmatch(target.strip())
    if not matched:
        raise SkillpackError(f"is not of the form module:{_ATTRIBUTE}")
    name, attribute = matched["module"], matched["attribute"]
    path = _file(name)
    if path is None:
        raise SkillpackError(f"there is no module {name}")
    if path.suffix != ".py" or not is_emitted(_start(path)):
        return None
    if attribute != _ATTRIBUTE:
        raise SkillpackError(f"an emitted module has no {attribute}; it has to be {name}:{_ATTRIBUTE}")
    read = artifact.read(path)
    return read.modules[0].bundle


def _file(module: str) -> Path | None:
    """Return the file that an import of a module would run.

    Only its first package is asked for by the way of imports, which runs nothing: for a module below, the package would
    be imported.
    """
    top, *rest = module.split(".")
    spec = PathFinder.find_spec(top, sys.path)
    if spec is None:
        return None
    if not rest:
        return Path(spec.origin) if spec.origin else None
    for location in spec.submodule_search_locations or ():
        base = Path(location, *rest)
        for path in (base / "__init__.py", base.with_name(f"{base.name}.py")):
            if path.is_file():
                return path
    return None


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(archive.START_BYTES)
    except OSError as error:
        raise SkillpackError(f"{path}: cannot be read: {error.strerror}") from error
