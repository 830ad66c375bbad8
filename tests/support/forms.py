"""The forms in which a bundle is stored, as the runtime tests go through them.

Each form runs its own runtime, the one that is emitted, and reads contents as an emitted module does: literals by the
line grammar, shards by import, blobs by the loader.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import skillpack.runtime
from skillpack.digest import content_address
from skillpack.emit import literal
from skillpack.emit.folder import folder
from skillpack.emit.layout import INIT, PUBLIC_NAMES, sections
from skillpack.emit.module import parts
from skillpack.runtime import SkillBundle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest

    from skillpack.emit.folder import FolderForm

FORMS = ("memory", "module", "package", "data")

_NAMES = [name for name in PUBLIC_NAMES if hasattr(skillpack.runtime, name)]
_numbers = itertools.count()


def run_through(form: str, directory: Path, monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Let every bundle that tests make be one that was stored in a form, with that form's own runtime.

    `directory` is where files are written; in `modules`, those that make and test bundles, the public names become
    those of the form's runtime.
    """
    if form == "memory":
        return
    from skillpack import digest

    names, store = _module_form() if form == "module" else _folder_form(form, directory)
    address = digest.address

    def addressed(skills: Any) -> digest.Addressed:
        found = address(skills)
        return digest.Addressed(bundle=store(found.bundle), blake3=found.blake3)

    monkeypatch.setattr(digest, "address", addressed)
    for module in modules:
        for name in _NAMES:
            if getattr(module, name, None) is getattr(skillpack.runtime, name):
                monkeypatch.setattr(module, name, names[name])


def write(bundle: SkillBundle, form: FolderForm, place: Path) -> None:
    """Write a folder form."""
    for path, data in folder(bundle, form, content_address):
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


@cache
def _module_runtime() -> Mapping[str, Any]:
    code = parts(SkillBundle([])).head
    namespace = ModuleType("emitted_runtime")
    sys.modules[namespace.__name__] = namespace
    exec(compile(code, "emitted.py", "exec", dont_inherit=True), namespace.__dict__)
    return vars(namespace)


def _module_form() -> tuple[Mapping[str, Any], Callable[[SkillBundle], SkillBundle]]:
    runtime = _module_runtime()

    def store(bundle: SkillBundle) -> SkillBundle:
        found = sections(parts(bundle).source)
        assert found is not None
        literals = literal.parse(found.data)
        made: SkillBundle = runtime["SkillBundle"].packed(
            literals["_CATALOG"], literals["_SKILLS"], literals["_INDEX"], literals.__getitem__
        )
        return made

    return runtime, store


@cache
def _folder_runtime() -> Mapping[str, Any]:
    """Return what a package of the folder forms exports, and the names of the file that it gets most of it from."""
    with tempfile.TemporaryDirectory() as directory:
        write(SkillBundle([]), "data", Path(directory, "stored_runtime"))
        sys.path.insert(0, directory)
        try:
            package = import_module("stored_runtime")
            own = {name: getattr(package, name) for name in _NAMES}
            package.bundle.preload()  # the files are gone when a late one would be imported
        finally:
            sys.path.remove(directory)
    return {**vars(sys.modules[own["SkillBundle"].__module__]), **own}


def _folder_form(
    form: str, directory: Path
) -> tuple[Mapping[str, Any], Callable[[SkillBundle], SkillBundle]]:
    kind: FolderForm = "data" if form == "data" else "package"
    runtime = _folder_runtime()

    def store(bundle: SkillBundle) -> SkillBundle:
        name = f"stored_{next(_numbers)}"
        write(bundle, kind, directory / name)
        found = sections((directory / name / INIT).read_bytes())
        assert found is not None
        # The runtime is not imported anew for each bundle: to compile it is what takes time.
        code = compile(b"from __future__ import annotations\n" + found.data, name, "exec")
        spec = spec_from_file_location(name, directory / name / INIT)
        assert spec is not None
        package = sys.modules[name] = module_from_spec(spec)
        exec(code, package.__dict__)
        data = vars(package)
        if kind == "data":
            blobs = runtime["blobs"](data["_PAGES"], spec)
            skills, page = blobs.skills, blobs.page
        else:
            skills, page = data["skills"], lambda number: data[f"page_{number}"]()
        made: SkillBundle = runtime["SkillBundle"].paged(data["_CATALOG"], skills, page)
        return made

    return runtime, store
