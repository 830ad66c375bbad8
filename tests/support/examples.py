"""The projects in `examples/`: built, installed, and what they print."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from support import projects, wheelhouse
from support.front_ends import UV, FrontEnd

if TYPE_CHECKING:
    from support.front_ends import Workshop


def copied(name: str, directory: Path) -> Path:
    """Return a copy of an example, which builds and commands may then change."""
    return Path(
        shutil.copytree(
            projects.EXAMPLES / name,
            directory / name,
            symlinks=True,
            ignore=shutil.ignore_patterns("skills.py", "__pycache__"),
        )
    )


def wheel(name: str, workshop: Workshop, directory: Path) -> Path:
    """Return the wheel of an example, built by pip as its README says."""
    project = copied(name, directory)
    return FrontEnd(name="pip", workshop=workshop).wheel(project, directory / "dist").artifact()


def installed(workshop: Workshop, directory: Path, *wheels: str | Path) -> Path:
    """Return the interpreter of a new environment that has `wheels`, names or files, and nothing that they depend on."""
    python = directory / "bin" / "python"
    environment = dict(workshop.environment)
    wheelhouse.run(UV, "venv", "--quiet", "--python", workshop.python, directory, env=environment)
    install = (UV, "pip", "install", "--quiet", "--no-deps", "--python", python)
    wheelhouse.run(*install, *wheels, env=environment)
    return python
