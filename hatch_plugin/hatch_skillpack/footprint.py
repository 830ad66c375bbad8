"""The parts of the project's tree that are skillpack's: the skills roots, the emitted module in both forms, its stub."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from skillpack import write
from skillpack.config import is_package
from skillpack.emit.layout import INIT, folder_of
from skillpack.emit.stub import stub_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.config import Config


def outputs(settings: Config) -> Iterator[Path]:
    """Yield what stands for the module in the tree: its file, and the folder of the forms that are one.

    Python imports the folder `skills/` with an `__init__.py` and not `skills.py`. A folder without one that is not
    skillpack's does not hide anything, and may be a directory of skills.
    """
    module = settings.output()
    yield module
    folder = folder_of(module)
    if (folder / INIT).is_file() or write.folder.holds_ours(module):
        yield folder


def stubs(settings: Config) -> Iterator[Path]:
    """Yield the stub beside the module, if there is to be one or if skillpack wrote the one that is there.

    That of a folder form is in the folder.
    """
    path = stub_path(settings.output())
    if (settings.stub and not settings.emits_folder) or write.is_written(path, root=settings.project):
        yield path


def emitted_paths(settings: Config) -> Iterator[str]:
    """Yield the module, the folder of its name and its stub, where there are these, relative to the project (POSIX)."""
    for path in (*outputs(settings), *stubs(settings)):
        yield path.relative_to(settings.project).as_posix()


def root_paths(settings: Config) -> Iterator[str]:
    """Yield the skills roots inside the project as POSIX paths relative to it, however they were written.

    What a build may find of an installed distribution inside of it, in a virtual environment, is none.
    """
    real_project = os.path.realpath(settings.project)
    for written in settings.skills:
        if is_package(written):
            continue
        root = settings.locate(written)
        for path, project in (
            (os.path.normpath(root), settings.project),
            (os.path.realpath(root), real_project),
        ):
            if Path(path).is_relative_to(project):
                yield Path(path).relative_to(project).as_posix()
