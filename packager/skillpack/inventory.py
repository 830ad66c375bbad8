"""What installed distributions declare as bundles, read as data: no code of theirs runs.

A declared bundle is an entry point `module:attribute`. Where the module is one that skillpack wrote, its file has all
there is to tell, and it is read as any artifact is. What another module would make can only be known by running it.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillpack import archive, artifact, sources
from skillpack.emit.layout import is_emitted
from skillpack.errors import SkillpackError
from skillpack.loading import BUNDLE
from skillpack.runtime import IntegrityError, SkillSourceError

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from skillpack.runtime import SkillBundle
    from skillpack.sources import InstalledBundle

_TARGET = re.compile(r"(?P<module>\w+(?:\.\w+)*)\s*:\s*(?P<attribute>\w+(?:\.\w+)*)\s*(?:\[.*\])?")
"""The object reference of an entry point; extras in brackets say what is to be installed for it, and are of no use here."""


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
        raise SkillpackError(f"is not of the form module:{BUNDLE}")
    name, attribute = matched["module"], matched["attribute"]
    path = _file(name)
    if path is None:
        raise SkillpackError(f"there is no module {name}")
    if path.suffix != ".py" or not is_emitted(_start(path)):
        return None
    if attribute != BUNDLE:
        raise SkillpackError(f"an emitted module has no {attribute}; it has to be {name}:{BUNDLE}")
    bundle = artifact.read(path).modules[0].bundle
    try:
        bundle.verify()  # what is listed is what is in its files
    except IntegrityError as error:
        raise SkillpackError(f"{path}: {error}") from None
    return bundle


def _file(module: str) -> Path | None:
    """Return the file that an import of a module would run.

    Only its first package is asked for by the way of imports, which runs nothing of it: for a module below, the package
    would be imported.
    """
    top, *rest = module.split(".")
    spec = next(filter(None, (_spec(finder, top) for finder in sys.meta_path)), None)
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


def _spec(finder: Any, top: str) -> ModuleSpec | None:
    """Return where a finder of this interpreter has a package; the build backends of editable installs bring their own."""
    try:
        spec: ModuleSpec | None = finder.find_spec(top, None)
    except Exception:  # noqa: BLE001 - the code of somebody else; an import would not come further
        return None
    return spec


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(archive.START_BYTES)
    except OSError as error:
        raise SkillpackError(f"{path}: cannot be read: {error.strerror}") from error
