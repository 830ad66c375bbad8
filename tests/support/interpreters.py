"""Other processes that run Python: each isolated, so that nothing of this one or of its user takes part."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def run(code: str, directory: Path, *options: str) -> str:
    """Return what `code` prints in a fresh interpreter in which a warning is an error."""
    command = [sys.executable, *options, "-I", "-W", "error", "-c", code]
    done = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def answer(
    python: Path, script: Path, name: str, asked: str, *, seconds: int
) -> subprocess.CompletedProcess[str]:
    """Run a script of the tests with another environment's interpreter; `asked` is its standard input.

    Its home is empty, so that settings files of this machine change nothing.
    """
    with tempfile.TemporaryDirectory() as home:
        return subprocess.run(
            [python, "-I", script, name],
            input=asked,
            cwd=home,
            env={"HOME": home, "LANG": "C.UTF-8", "PATH": os.defpath},
            capture_output=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
        )
