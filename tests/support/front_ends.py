"""Build front ends, run as people run them, in an environment of which nothing comes from this machine's own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from support import artifacts, wheelhouse

if TYPE_CHECKING:
    from collections.abc import Mapping

UV = Path(sys.executable).with_name("uv")

FRONT_ENDS = ("pip", "build", "uv")
"""Those that make wheels; pip makes no sdists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a command printed, how it ended, and the artifacts that it left in its output directory."""

    code: int
    output: str
    artifacts: tuple[Path, ...] = ()

    def artifact(self) -> Path:
        """Return the one artifact of a build that has to be good."""
        assert self.code == 0, self.output
        (artifact,) = self.artifacts
        return artifact


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """An environment with skillpack, the back ends and the front ends, and the variables that children get."""

    python: Path
    environment: Mapping[str, str]
    umask: int = 0o022

    def varied(self, *, umask: int = 0o022, **variables: str) -> Workshop:
        """Return the same workshop with other variables and another umask for its children."""
        return replace(self, umask=umask, environment={**self.environment, **variables})

    def run(self, *command: str | Path, cwd: Path | None = None) -> Run:
        """Run a command and return all that it printed, both streams together."""
        done = subprocess.run(
            command,
            cwd=cwd,
            env=dict(self.environment),
            umask=self.umask,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        return Run(code=done.returncode, output=done.stdout)

    def hatchling(self, project: Path, *arguments: str | Path) -> Run:
        """Run hatchling's own command line in `project`."""
        return self.run(self.python, "-m", "hatchling", "build", *arguments, cwd=project)

    def skillpack(self, *arguments: str | Path, cwd: Path | None = None) -> Run:
        """Run the command `skillpack`."""
        return self.run(self.python.with_name("skillpack"), *arguments, cwd=cwd)


def open_workshop(directory: Path, wheels: Path) -> Workshop:
    """Make the environment below `directory`; `wheels` is the only place that its children install from."""
    python = directory / "venv" / "bin" / "python"
    home, temporary = directory / "home", directory / "tmp"
    home.mkdir()
    temporary.mkdir()
    environment = {
        "PATH": f"{python.parent}{os.pathsep}{os.defpath}",
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_NO_CACHE_DIR": "1",
        "PIP_NO_INDEX": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
        "UV_CACHE_DIR": str(directory / "uv"),
        "UV_FIND_LINKS": str(wheels),
        "UV_NO_CONFIG": "1",
        "UV_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "UV_PYTHON_DOWNLOADS": "never",
    }
    # not uv's: the README's first line is for the pip that comes with the interpreter
    wheelhouse.run(sys.executable, "-m", "venv", directory / "venv", env=environment)
    names = ("skillpack", "hatchling", "build", "setuptools", "editables", "poetry-core")
    # --upgrade: the interpreter may bring an old setuptools along
    install = (UV, "pip", "install", "--quiet", "--upgrade", "--python", python)
    wheelhouse.run(*install, *names, env=environment)
    return Workshop(python=python, environment=environment)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontEnd:
    """One of `FRONT_ENDS`. With `isolated` it makes a build environment of its own, from the wheelhouse."""

    name: str
    workshop: Workshop
    isolated: bool = False

    def varied(self, *, umask: int = 0o022, **variables: str) -> FrontEnd:
        """Return the same front end with other variables and another umask."""
        return replace(self, workshop=self.workshop.varied(umask=umask, **variables))

    def wheel(self, source: Path, out: Path) -> Run:
        """Build a wheel from a project or from an sdist."""
        if self.name == "build" and source.is_file():
            source = artifacts.unpack(source, out.with_name(f"{out.name}-unpacked"))
        return self._build(*self._wheel_command(source, out), out=out)

    def start_wheel(self, source: Path, out: Path) -> subprocess.Popen[bytes]:
        """Start to build a wheel from a project, and do not wait."""
        return subprocess.Popen(
            self._wheel_command(source, out),
            env=dict(self.workshop.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def sdist(self, source: Path, out: Path) -> Run:
        """Build an sdist from a project."""
        return self._build(*self._command("--sdist", source, out), out=out)

    def editable(self, project: Path) -> Run:
        """Install a project as editable into the workshop."""
        python = self.workshop.python
        pip = (UV, "pip") if self.name == "uv" else (python, "-m", "pip")
        options = ("--no-build-isolation", "--no-deps", *(("--python", python) if self.name == "uv" else ()))
        return self.workshop.run(*pip, "install", *options, "--editable", project)

    def _wheel_command(self, source: Path, out: Path) -> tuple[str | Path, ...]:
        if self.name == "pip":
            isolation = () if self.isolated else ("--no-build-isolation",)
            pip = (self.workshop.python, "-m", "pip", "wheel", "--no-deps")
            return (*pip, *isolation, "--wheel-dir", out, source)
        return self._command("--wheel", source, out)

    def _command(self, kind: str, source: Path, out: Path) -> tuple[str | Path, ...]:
        python = self.workshop.python
        if self.name == "build":
            isolation = () if self.isolated else ("--no-isolation",)
            return (python, "-m", "build", kind, *isolation, "--outdir", out, source)
        isolation = () if self.isolated else ("--no-build-isolation",)
        return (UV, "build", kind, "--python", python, *isolation, "--out-dir", out, source)

    def _build(self, *command: str | Path, out: Path) -> Run:
        done = self.workshop.run(*command)
        kinds = (".whl", ".tar.gz")
        artifacts = sorted(path for path in out.glob("*") if path.name.endswith(kinds))
        return replace(done, artifacts=tuple(artifacts))
