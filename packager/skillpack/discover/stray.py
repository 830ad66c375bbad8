"""A directory of a skills root that is no skill: what to say about it, and where skills lie below it."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from typing import TYPE_CHECKING

from skillpack.discover.tree import Tree, parent_of
from skillpack.discover.walk import LimitReachedError
from skillpack.findings import Report
from skillpack.gitignore import pattern_of
from skillpack.model import SKILL_MD

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

    from skillpack.discover.reading import Directory, Identity
    from skillpack.discover.walk import Entries, Walk

MAX_SEARCHED_DIRECTORIES = 256
"""So many directories below one without SKILL.md are searched for skills."""

MAX_NAMED_ROOTS = 3
"""So many directories to add to `skills` are named in one finding."""


def report_stray(
    walk: Walk, directory: Directory, entries: Entries, place: str, path: Path, roots: Container[Identity]
) -> None:
    """Add the finding for a directory that has no SKILL.md; none when its skills are reached through `roots`.

    It is searched by names alone and under the limits of a run. What would be refused in it is no finding,
    since nothing of it is packed. A name that begins with `.` or `_` says that no skill is meant: that it was
    skipped is a note.
    """
    code = "beside-skills" if path.name.startswith((".", "_")) else "skill-md-missing"
    report = Report()
    tree = Tree(dataclasses.replace(walk, report=report), place, path, directory.identity[0])
    skills: list[str] = []
    homes: dict[str, bool] = {}
    known: dict[str, bool] = {}
    has_files = False
    with (
        contextlib.suppress(LimitReachedError),
        contextlib.closing(tree.branches(directory, entries)) as branches,
    ):
        for branch in itertools.islice(branches, MAX_SEARCHED_DIRECTORIES):
            prefix = branch.prefix
            known[prefix] = branch.directory.identity in roots
            has_files = has_files or bool(branch.files)
            if prefix.startswith(tuple(skills)):
                continue
            if prefix and any(name.casefold() == SKILL_MD.casefold() for name, _ in branch.files):
                skills.append(prefix)
                home = parent_of(prefix)
                homes[home] = known[home] or known[prefix]
    new = [f"{place}/{home}".rstrip("/") for home, is_root in homes.items() if not is_root]
    if new:
        names = ", ".join(f'"{home}"' for home in new[:MAX_NAMED_ROOTS])
        more = f" and {len(new) - MAX_NAMED_ROOTS} more" if len(new) > MAX_NAMED_ROOTS else ""
        message = "this directory has no SKILL.md, but skills lie below it"
        walk.report.add(code, place, message, hint=f"add {names}{more} to `skills`")
    elif homes:
        return
    elif (has_files or report.has_errors) and code == "beside-skills":
        walk.report.add(
            code, place, f"skipped: it has no {SKILL_MD}, and by its name it is not meant to have one"
        )
    elif has_files or report.has_errors:
        hint = f"add a {SKILL_MD}, or exclude {pattern_of(place)}/"
        walk.report.add(code, place, f"this directory has no {SKILL_MD}", hint=hint)
    else:
        walk.report.add("empty-directory", place, "no file is in this directory")
