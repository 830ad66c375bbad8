"""What all walks of a run share: the limits, how to judge, where findings and contents go, what was seen."""

from __future__ import annotations

import contextlib
import errno
import itertools
import operator
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from skillpack.discover.link import find_target
from skillpack.discover.reading import ChangedError, Kind
from skillpack.gitignore import pattern_of
from skillpack.limits import MAX_BYTES, MAX_DEPTH, MAX_FILES, MAX_SKILL_BYTES, MAX_SKILL_FILES, MIB
from skillpack.model import SKILL_MD
from skillpack.rules import Level

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from skillpack.discover.exclusion import Exclusions
    from skillpack.discover.reading import Directory, System
    from skillpack.discover.store import ContentStore
    from skillpack.findings import Report
    from skillpack.model import NameJudge, Verdict

MAX_OTHER_ENTRIES = 50_000
"""Directories and entries that are not packed, in a run: with `Limits` this ends the walk of any tree."""

IN_NOTHING_BUILT = "; it is named like a secret and is in nothing that is built"
"""Ends the note about a file that is not packed, where its name says why that is good."""

Entries = list[tuple[str, Kind]]
"""The entries of one directory, sorted, by their names as the system writes them."""


class Limits(NamedTuple):
    """Beyond which size a skill, a file or a run is an error. Source: screening, "Reading files safely".

    `max_skill_files` and `max_skill_bytes` bound one skill, `max_file_bytes` one file (None: as much as the
    skill may hold), `max_files` and `max_bytes` the run. `max_depth` is how many directories may lie between
    the skill's directory and a file.
    """

    max_skill_files: int = MAX_SKILL_FILES
    max_skill_bytes: int = MAX_SKILL_BYTES
    max_file_bytes: int | None = None
    max_files: int = MAX_FILES
    max_bytes: int = MAX_BYTES
    max_depth: int = MAX_DEPTH


class LimitReachedError(Exception):
    """A limit of a skill has ended its walk."""


class RunLimitReachedError(LimitReachedError):
    """A limit of the run has ended all walks."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Walk:
    """The state of one run; `project` is the real path of the project's directory.

    `splits` says that a SKILL.md below a skill makes a skill of its own.
    `files` and `size` (in bytes) count what was found to pack, `others` all other entries. `cut_short` says
    that a part of the input was not seen.
    """

    project: Path
    limits: Limits
    judge: NameJudge
    exclude: Exclusions
    is_secret_name: Callable[[str], bool]
    store: ContentStore
    report: Report
    system: System
    splits: bool = False
    files: int = field(default=0, init=False)
    size: int = field(default=0, init=False)
    others: int = field(default=0, init=False)
    cut_short: bool = field(default=False, init=False)

    def entries(self, directory: Directory, place: str) -> Entries | None:
        """Return all entries, sorted; None, with a finding, when they cannot be listed."""
        # With more entries than this, one of the limits of the run is certain to be reached.
        most = self.limits.max_files + MAX_OTHER_ENTRIES
        try:
            found = directory.entries()
            entries = list(itertools.islice(found, most + 1))
            if len(entries) > most:
                hint = "move what is not to be packed out of this directory"
                self.end_run(place, f"{most:,} entries", hint)
                entries += found
        except (OSError, ChangedError) as error:
            self.refuse_unread(place, error)
            return None
        entries.sort(key=operator.itemgetter(0))
        return entries

    def verdict(self, path: str, kind: Kind) -> Verdict:
        """Judge an entry by its name; a link as the file and as the directory that it may lead to."""
        verdict = self.judge(path, is_directory=kind is Kind.DIRECTORY)
        if kind is Kind.LINK and verdict.action != "leave-out":
            return self.judge(path, is_directory=True)
        return verdict

    def has_skill_md(self, entries: Entries, place: str) -> bool:
        """Return whether a directory has a SKILL.md, under that name or, with a finding, in other letters."""
        names = [name for name, kind in entries if kind is not Kind.DIRECTORY]
        others = [
            name
            for name in names
            if name != SKILL_MD
            and name.casefold() == SKILL_MD.casefold()
            and self.exclude.match(f"{place}/{name}") is None
        ]
        for name in others:
            message, hint = f"named {name} and not {SKILL_MD}", f"rename it to {SKILL_MD}"
            if SKILL_MD in names:
                message = f"{SKILL_MD} and {name} are both here, and some file systems cannot tell them apart"
                hint = f"remove {name}, or give it another name"
            self.report.add("skill-md-case", f"{place}/{name}", message, hint=hint)
        return SKILL_MD in names or bool(others)

    def is_left_out(self, place: str, verdict: Verdict) -> bool:
        """Return whether the verdict leaves an entry out; add the note."""
        if verdict.action != "leave-out":
            return False
        self.report.add("left-out", place, verdict.message or "a cache or an editor's file, not packed")
        return True

    def note_excluded(self, place: str, pattern: str, *, is_secret: bool = False) -> None:
        """Add the note for what the configuration excludes; `is_secret` says that it is named like a secret."""
        self.report.add("excluded", place, f"excluded by `{pattern}`{IN_NOTHING_BUILT if is_secret else ''}")

    def count_file(self, place: str) -> None:
        """Count a file to pack. Raises `RunLimitReachedError`."""
        self.files += 1
        if self.files > self.limits.max_files:
            self.end_run(
                place,
                f"{self.limits.max_files:,} files",
                "exclude what the skills do not need, or raise max-files",
            )

    def count_other(self, place: str) -> None:
        """Count an entry that is no file to pack. Raises `RunLimitReachedError`."""
        self.others += 1
        if self.others > MAX_OTHER_ENTRIES:
            self.end_run(
                place,
                f"{MAX_OTHER_ENTRIES:,} directories and entries that are not packed",
                "exclude the directories that hold them",
            )

    def end_run(self, place: str, what: str, hint: str) -> None:
        """Add `limit-run` and raise `RunLimitReachedError`, unless the policy has lowered that code."""
        if self.report.add("limit-run", place, f"the run is over {what}", hint=hint) is Level.ERROR:
            self.cut_short = True
            raise RunLimitReachedError

    def refuse_unopened(
        self, directory: Directory, name: str, place: str, path: Path, error: OSError | ChangedError
    ) -> None:
        """Add the finding for an entry that could not be opened as what it was when it was listed.

        `path` is where the system has it: should it be a link by now, the finding says where that leads.
        """
        kind = None
        with contextlib.suppress(OSError):
            kind = directory.kind(name)
        if kind is Kind.LINK:
            self.refuse_link(place, path)
        elif kind is Kind.SPECIAL:
            self.refuse_special(place)
        else:
            self.refuse_unread(place, error)

    def refuse_unread(self, place: str, error: OSError | ChangedError) -> None:
        """Add the finding for a file or directory that cannot be read to its end."""
        if isinstance(error, ChangedError):
            hint = "run again when nothing writes to it"
            self.report.add("file-changed", place, "changed while it was read", hint=hint)
            return
        reason, hint = "it was removed or replaced meanwhile", "run again when nothing writes to the skills"
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            reason = os.strerror(error.errno).lower() if error.errno else str(error)
            hint = "make it readable"
        self.report.add("unreadable", place, f"cannot be read: {reason}", hint=hint)

    def refuse_link(self, place: str, path: Path) -> None:
        """Add the finding for a symbolic link, which the system has at `path`."""
        target = find_target(path, self.project)
        message, hint = {
            "inside": (f"a symbolic link to {target.path}", f"replace the link with a copy of {target.path}"),
            "above": (f"a symbolic link to {target.path}, which holds the link itself", "remove the link"),
            "outside": (
                "a symbolic link to something outside the project",
                "replace the link with a copy of what it leads to, outside the project, if it may be published",
            ),
            "missing": ("a symbolic link whose target cannot be found", "remove the link"),
            "loop": ("a symbolic link that leads back to itself", "remove the link"),
        }[target.where]
        self.report.add("symlink", place, message, hint=hint)

    def refuse_special(self, place: str) -> None:
        """Add the finding for a FIFO, a socket or a device."""
        message = "not a file, but a FIFO, a socket or a device"
        self.report.add("special-file", place, message, hint=f"remove it, or exclude {pattern_of(place)}")

    def refuse_encoding(self, place: str) -> None:
        """Add the finding for a name that is not UTF-8, written with escapes in `place`."""
        self.report.add("path-encoding", place, "the name is not UTF-8", hint="rename it")


def amount(size: int) -> str:
    """Return a size in bytes as findings write it."""
    return f"{size:,} bytes" if size < MIB else f"{size / MIB:,.1f} MiB"
