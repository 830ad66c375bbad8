"""Where a symbolic link leads, as far as it may be told: nothing outside the project is named."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Literal, NamedTuple

from skillpack.discover.reading import shown


class Target(NamedTuple):
    """What is at the end of a link.

    `path` is the POSIX path relative to the project when `where` is `inside` or `above`, else empty; `above` is
    a directory that holds the link itself.
    """

    where: Literal["inside", "above", "outside", "missing", "loop"]
    path: str = ""


def find_target(link: Path, project: Path) -> Target:
    """Follow a link to its end; `project` is the real path of the project's directory."""
    try:
        link.stat()
        # Not `Path.resolve`, which has an error of its own for a loop.
        target, holder = Path(os.path.realpath(link)), Path(os.path.realpath(link.parent))
    except OSError as error:
        # Also when the link was removed between the two: `realpath` does not promise to raise nothing.
        return Target(where="loop" if error.errno == errno.ELOOP else "missing")
    if not target.is_relative_to(project):
        return Target(where="outside")
    where: Literal["above", "inside"] = "above" if holder.is_relative_to(target) else "inside"
    return Target(where=where, path=shown(target.relative_to(project).as_posix()))
