"""The parts of the project's tree that are skillpack's: the skills roots, the emitted module in both forms, its stub."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from skillpack import write
from skillpack.emit.stub import stub_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.config import Config


def outputs(settings: Config) -> Iterator[Path]:
    """Yield the files that stand for the module in the tree: its own, and the package that would hide it.

    Python imports the folder `skills/` with an `__init__.py` and not `skills.py`. Without one it does not hide
    anything, and may be a directory of skills.
    """
    module = settings.output()
    yield module
    package = module.with_suffix("") / "__init__.py"
    if package.is_file():
        yield package


def stubs(settings: Config) -> Iterator[Path]:
    """Yield the stub of the module, if there is to be one or if skillpack wrote the one that is there."""
    stub = stub_path(settings.output())
    if settings.stub or write.is_written(stub, root=settings.project):
        yield stub


def emitted_paths(settings: Config) -> Iterator[str]:
    """Yield the module, the folder of its name and its stub, where there are these, relative to the project (POSIX)."""
    module, *package = outputs(settings)
    for path in (module, *(init.parent for init in package), *stubs(settings)):
        yield path.relative_to(settings.project).as_posix()


def root_paths(settings: Config) -> Iterator[str]:
    """Yield the skills roots inside the project as POSIX paths relative to it, however they were written."""
    real_project = os.path.realpath(settings.project)
    for written in settings.skills:
        root = settings.locate(written)
        for path, project in (
            (os.path.normpath(root), settings.project),
            (os.path.realpath(root), real_project),
        ):
            if Path(path).is_relative_to(project):
                yield Path(path).relative_to(project).as_posix()
