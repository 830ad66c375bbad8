"""Environments for what others publish: one for each, installed the first time and kept from run to run."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path

from support.front_ends import UV
from support.wheelhouse import cache, run


def interpreter(label: str, *wanted: str, options: tuple[str, ...] = ()) -> Path:
    """Return the interpreter of the environment that has `wanted`, requirements with pinned versions.

    `label` begins the name of its folder in the cache; `options` are for the installer.
    """
    key = hashlib.sha256(repr((sys.version_info[:2], sys.platform, wanted)).encode()).hexdigest()
    folder = cache() / f"{label}-{key[:16]}"
    if not folder.is_dir():
        cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache()) as temporary:
            fresh = Path(temporary) / "venv"
            run(UV, "venv", "--quiet", "--python", sys.executable, fresh)
            python = fresh / "bin" / "python"
            run(UV, "pip", "install", "--quiet", *options, "--python", python, *wanted)
            if not folder.is_dir():  # another run may have been faster
                fresh.rename(folder)  # the interpreter finds its environment from where it lies
    return folder / "bin" / "python"
