"""The parts of the project's tree that are skillpack's: the skills roots, and the emitted module in both forms."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from skillpack import write
from skillpack.emit.layout import INIT

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
    folder = module.with_suffix("")
    if (folder / INIT).is_file() or write.folder.holds_ours(module):
        yield folder


def refuse_foreign(settings: Config) -> None:
    """Raise `OutputError` when something in the place of the module is not what skillpack wrote."""
    for output in outputs(settings):
        file = output if output.suffix else output / INIT
        if file.exists() or output.suffix:
            write.compare(file, b"", root=settings.project)


def emitted_paths(settings: Config) -> Iterator[str]:
    """Yield what stands for the module in the tree as POSIX paths relative to the project."""
    for path in outputs(settings):
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
