"""The skills roots: those that are named, or the one that serves when none is."""

from __future__ import annotations

import stat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from skillpack.config.file import mode_of
from skillpack.config.packages import is_package, package_fault
from skillpack.config.paths import path_fault, posix
from skillpack.config.table import flag_place, quoted
from skillpack.findings import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from skillpack.config.table import Faults, Place, Table

DEFAULT_SKILLS = ("skills", ".agents/skills")
"""The skills roots that serve when none is named: the first that exists."""


def default_root(project: Path) -> str:
    """Return the skills root that serves in the directory `project` when none is named; empty where there is none."""
    # a link is taken too, even a dangling one: the walk refuses it aloud, where passing on to the other root would
    # leave skills out in silence
    for root in DEFAULT_SKILLS:
        mode = mode_of(project / root, follow_symlinks=False)
        if stat.S_ISDIR(mode) or stat.S_ISLNK(mode):
            return root
    return ""


def read_roots(tool: Table, skills: Sequence[str], project: Path, faults: Faults) -> tuple[str, ...]:
    """Return the roots of the command line, else of the key `skills`, else the default one, as POSIX paths."""
    written = tool.texts("skills", least=1)
    roots = _checked_roots(written or (), faults)
    if skills:
        return _checked_roots(((flag_place("SKILLS", text), posix(text)) for text in skills), faults)
    if written is not None:
        return roots
    if root := default_root(project):
        return (root,)
    tried = " nor ".join(f"{root}/" for root in DEFAULT_SKILLS)
    message = f"not set, and there is neither {tried} in {visible(str(project))}"
    tool.fault("skills", f"{message}; name the skills roots here or on the command line")
    return ()


def _checked_roots(items: Iterable[tuple[Place, str]], faults: Faults) -> tuple[str, ...]:
    roots = []
    for place, text in items:
        root = str(PurePosixPath(text)) if text else text
        if fault := path_fault(text) or (package_fault(text) if is_package(text) else ""):
            faults.append((place, fault))
        elif is_package(root) and not is_package(text):
            faults.append(
                (place, f"would be told as {quoted(root)}, as a distribution is; rename the directory")
            )
        else:
            roots.append(root)
    return tuple(roots)
