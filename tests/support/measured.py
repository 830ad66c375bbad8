"""Python of another environment under the coverage that this process is measured with, if it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import coverage

if TYPE_CHECKING:
    from collections.abc import Sequence

REQUIREMENT = "coverage>=7.6"
"""What an environment needs beside its own, that its lines can be counted."""


def isolated(python: Path) -> Sequence[str | Path]:
    """Return the words that run a script isolated with an interpreter which has `REQUIREMENT`.

    Lines of an installed skillpack count for this run: their data lies beside its own, where it is combined, and
    `[tool.coverage.paths]` says which file of the checkout a file of site-packages is.
    """
    measuring = coverage.Coverage.current()
    if measuring is None:
        return (python, "-I")
    data = Path(measuring.config.data_file).absolute()
    options = ("--parallel-mode", "--branch", f"--data-file={data}", "--include=*/site-packages/skillpack/*")
    return (python, "-I", "-m", "coverage", "run", *options)
