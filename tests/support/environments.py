"""Environments that are installed once and kept in the cache of downloads: Python's by uv, Node's by npm."""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from support.front_ends import UV
from support.wheelhouse import cache, run

if TYPE_CHECKING:
    from collections.abc import Callable

_locks: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)


def program(*names: str) -> str:
    """Return the path of a program that the machine has to have, under one of its names."""
    for name in names:
        if found := shutil.which(name):
            return found
    raise AssertionError(
        f"{names[0]} is not installed: the slow tests need strace, faketime, node, npm, tesseract and chromium (.ci/run installs them "
        "with apt-get); leave them out with -m 'not slow'"
    )


def python_with(
    label: str,
    *wanted: str,
    options: tuple[str, ...] = ("--compile-bytecode",),
    interpreter: Path = Path(sys.executable),
) -> Path:
    """Return the interpreter of an environment with these requirements; `options` are for the installer.

    It is the environment's own of `interpreter`, that of the tests if no other is named.

    Its scripts are to be run as modules: where they were installed is not where they lie.
    """

    def install(folder: Path) -> None:
        run(UV, "venv", "--quiet", "--python", interpreter, folder)
        python = folder / "bin" / "python"
        run(UV, "pip", "install", "--quiet", *options, "--python", python, *wanted)

    own = sys.version_info[:2] if interpreter == Path(sys.executable) else str(interpreter)
    return _kept(label, (own, sys.platform, wanted), install) / "bin" / "python"


def node_with(label: str, *wanted: str) -> Path:
    """Return the directory node_modules with these packages, `name@version` each."""

    def install(folder: Path) -> None:
        folder.mkdir()
        # no lock file, for that would name the registry of the machine it was made on
        options = ("--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
        run(program("npm"), "install", *options, *wanted, cwd=folder)

    return _kept(label, (sys.platform, wanted), install) / "node_modules"


def _kept(label: str, key: object, install: Callable[[Path], None]) -> Path:
    """Return the folder of an environment, installing it the first time."""
    folder = cache() / f"{label}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"
    with _locks[folder]:
        if not folder.is_dir():
            cache().mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=cache()) as temporary:
                fresh = Path(temporary) / "fresh"
                install(fresh)
                if not folder.is_dir():  # another process may have been faster
                    fresh.rename(folder)  # the interpreter finds its environment from where it lies
    return folder
