"""Builds with hatchling in this process, so that coverage sees the hook, and what it said."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.bridge.app import Application
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from support import artifacts

if TYPE_CHECKING:
    from hatchling.builders.plugin.interface import BuilderInterface


class Listener(Application):
    """Keeps what a hook displays."""

    def __init__(self, verbosity: int = 0) -> None:
        super().__init__()
        self.errors: list[str] = []
        self.warnings: list[str] = []
        self.infos: list[str] = []
        self._verbosity = verbosity

    @property
    def verbosity(self) -> int:
        return self._verbosity

    def display_error(self, message: str = "", **kwargs: Any) -> None:
        self.errors.append(message)

    def display_warning(self, message: str = "", **kwargs: Any) -> None:
        self.warnings.append(message)

    def display_info(self, message: str = "", **kwargs: Any) -> None:
        self.infos.append(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What became of a build: the artifact and its files, or neither when it was refused, and what was said."""

    app: Listener
    path: Path | None = None
    files: dict[str, bytes] = field(default_factory=dict)

    @property
    def packages(self) -> set[str]:
        """The paths in a wheel that are not metadata."""
        return {path for path in self.files if ".dist-info/" not in path}

    def artifact(self) -> Path:
        """Return the artifact of a build that has to be good."""
        assert self.path is not None, self.app.errors
        return self.path


def builder(project: Path, target: str, app: Listener | None = None) -> BuilderInterface[Any, Any]:
    """Return hatchling's builder of a target."""
    kinds: dict[str, type[BuilderInterface[Any, Any]]] = {"wheel": WheelBuilder, "sdist": SdistBuilder}
    return kinds[target](str(project), app=app or Listener())


def build(project: Path, target: str = "wheel", version: str = "standard", *, verbosity: int = 0) -> Built:
    """Build and return what came of it."""
    app = Listener(verbosity)
    made = builder(project, target, app)
    out = project.parent / f"{project.name}-{target}-dist"
    try:
        (artifact,) = made.build(directory=str(out), versions=[version])
    except SystemExit as refused:
        return _refused(refused, app)
    return Built(app=app, path=Path(artifact), files=artifacts.read(Path(artifact)))


def _refused(error: SystemExit, app: Listener) -> Built:
    assert error.code == 1
    return Built(app=app)
