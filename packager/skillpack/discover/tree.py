"""The walk through one directory tree: what its names let pass, and the contents of its files, each read once.

A refusal is a finding and does not end the walk, so that all of them come in one run. The limits end it while it
walks: a directory of 36,000 files is noticed, not read.
"""

from __future__ import annotations

import contextlib
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from skillpack.discover.reading import ChangedError, Kind, path_of, read_whole, shown, text_of
from skillpack.discover.walk import LimitReachedError, RunLimitReachedError, amount
from skillpack.gitignore import pattern_of
from skillpack.limits import MIB
from skillpack.model import SKILL_MD, SourceFile
from skillpack.rules import Level

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from skillpack.discover.reading import Directory
    from skillpack.discover.walk import Entries, Walk
    from skillpack.model import Verdict

LARGE_FILE_BYTES = MIB
"""Beyond this a file is a `large-file`."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Part:
    """A skill of a tree: the one at its top, or one that is split off because it has a SKILL.md of its own.

    `place` is where findings see it. `prefix` is the path of its directory in the tree with a slash at its end, or
    empty for the top. `files` and `left_out` are those of a `SkillSource`, `count` and `size` (in bytes) what it has
    against the limits, `skill_md_excluded_by` is the pattern that drops its SKILL.md, if one does. `size_level` is the
    level of the finding that it is over its limit of bytes, if it is.
    """

    place: str
    prefix: str = ""
    files: list[SourceFile] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    skill_md_excluded_by: str | None = None
    count: int = 0
    size: int = 0
    size_level: Level | None = None


class Branch(NamedTuple):
    """An open directory of a tree and what goes on in it, each as its name and its path.

    `prefix` is the directory's path with a slash at its end, or empty for the top, and `part` the skill that its files
    belong to. `directories` are in reverse order, since they are taken from the end.
    """

    directory: Directory
    prefix: str
    part: Part
    files: list[tuple[str, str]]
    directories: list[tuple[str, str]]


class Tree:
    """One tree: `place` is where findings see it, `path` where the system has it.

    After `capture`, `parts` are its skills, the one at its top first, and `is_whole` says that no limit has ended
    the walk.
    """

    def __init__(self, walk: Walk, place: str, path: Path, device: int) -> None:
        self.parts = [Part(place=place)]
        self.is_whole = False
        self._walk = walk
        self._place = place
        self._path = path
        self._device = device

    def capture(self, top: Directory, entries: Entries) -> None:
        """Read all files below `top`, whose entries are given.

        Raises `RunLimitReachedError`; what was captured until then stays.
        """
        try:
            with contextlib.closing(self.branches(top, entries)) as branches:
                for branch in branches:
                    if branch.files:
                        self._capture_files(branch)
            self.is_whole = True
        except RunLimitReachedError:
            raise
        except LimitReachedError:
            self._walk.cut_short = True
        finally:
            # Text in the order of its code points is in the order of its UTF-8 bytes.
            for part in self.parts:
                part.files.sort(key=lambda file: file.path)
                part.left_out.sort()

    def branches(self, top: Directory, entries: Entries) -> Generator[Branch]:
        """Yield each directory of the tree, parents before children; `top` stays open.

        A directory is open while it or one below it is the current one: there are as many descriptors as the
        tree is deep. Raises `LimitReachedError`.
        """
        # A stack and not a recursion: `max_depth` may be set beyond what Python's own stack holds.
        stack = [self._sift(top, "", entries, self.parts[0])]
        yield stack[0]
        try:
            while stack:
                branch = stack[-1]
                if branch.directories:
                    child = self._enter(branch, *branch.directories.pop())
                    if child is not None:
                        stack.append(child)
                        yield child
                    continue
                stack.pop()
                if stack:
                    branch.directory.close()
        finally:
            for branch in stack[1:]:
                branch.directory.close()

    def _enter(self, parent: Branch, name: str, path: str) -> Branch | None:
        """Open a directory of the tree; None, with a finding, when it is not to be entered."""
        walk, place = self._walk, self._place_of(path)
        most = walk.limits.max_depth
        if path.count("/") >= most and self._is_error(
            "limit-depth",
            place,
            f"a directory below {most} others",
            f"exclude {pattern_of(place)}/, or raise max-depth",
        ):
            return None
        try:
            directory = parent.directory.open_directory(name)
        except (OSError, ChangedError) as error:
            walk.refuse_unopened(parent.directory, name, place, path_of(self._path, path), error)
            return None
        branch = None
        try:
            branch = self._look_into(directory, path, parent.part)
        finally:
            if branch is None:
                directory.close()
        return branch

    def _look_into(self, directory: Directory, path: str, part: Part) -> Branch | None:
        """Sift the entries of an open directory; None, with a finding, when its files are not to be read."""
        walk, place = self._walk, self._place_of(path)
        if directory.identity[0] != self._device and self._is_elsewhere(place):
            return None
        entries = walk.entries(directory, place)
        if entries is None:
            return None
        verdict = walk.judge(path, is_directory=True, entries=[shown(name) for name, _ in entries])
        if walk.is_left_out(place, verdict):
            _leave_out(part, path, is_directory=True)
            return None
        if self._is_refused(path, verdict):
            return None
        if not entries:
            walk.report.add("empty-directory", place, "an empty directory is not packed")
        # What lies in a directory of secrets stays with the outer skill, whose screening refuses that directory: a
        # skill of its own has only the names below it.
        if (
            walk.splits
            and walk.has_skill_md(entries, place)
            and not walk.is_secret_name(f"{path}/{SKILL_MD}")
        ):
            part = Part(place=place, prefix=f"{path}/")
            self.parts.append(part)
        return self._sift(directory, f"{path}/", entries, part)

    def _sift(self, directory: Directory, prefix: str, entries: Entries, part: Part) -> Branch:
        """Return what of the entries goes on, by kind and name; add the findings for the rest."""
        walk = self._walk
        branch = Branch(directory=directory, prefix=prefix, part=part, files=[], directories=[])
        excludes = bool(walk.exclude)
        for name, kind in entries:
            text = name if name.isascii() else text_of(name)
            if text is None:
                path = prefix + shown(name)
                walk.refuse_encoding(self._place_of(path))
            else:
                path = prefix + text
                if self._passes(path, kind, part, excludes=excludes):
                    if kind is Kind.FILE:
                        self._count_file(path, part)
                        branch.files.append((name, path))
                        continue
                    branch.directories.append((name, path))
            walk.count_other(self._place_of(path))
        branch.directories.reverse()
        return branch

    def _passes(self, path: str, kind: Kind, part: Part, *, excludes: bool) -> bool:
        """Return whether an entry goes on: first what is excluded or left out, then kinds, then names."""
        walk = self._walk
        is_directory = kind is Kind.DIRECTORY
        if excludes and self._is_excluded(path, part, is_directory=is_directory):
            return False
        if kind is Kind.FILE or is_directory:
            verdict = walk.judge(path, is_directory=is_directory)
            if verdict.action == "take":
                return True
        else:
            verdict = walk.verdict(path, kind)
        if walk.is_left_out(self._place_of(path), verdict):
            _leave_out(part, path, is_directory=is_directory)
            return False
        if kind is Kind.LINK:
            walk.refuse_link(self._place_of(path), path_of(self._path, path))
            return False
        if kind is Kind.SPECIAL:
            walk.refuse_special(self._place_of(path))
            return False
        return not self._is_refused(path, verdict)

    def _is_excluded(self, path: str, part: Part, *, is_directory: bool) -> bool:
        walk, place = self._walk, self._place_of(path)
        pattern = walk.exclude.match(place, is_directory=is_directory)
        if pattern is None:
            return False
        _leave_out(part, path, is_directory=is_directory)
        if path == part.prefix + SKILL_MD:
            # An error or a note: that depends on the pattern, and on whether anything of the skill stays.
            part.skill_md_excluded_by = pattern
        else:
            is_secret = not is_directory and walk.is_secret_name(path)
            walk.note_excluded(place, pattern, is_secret=is_secret)
        return True

    def _is_refused(self, path: str, verdict: Verdict) -> bool:
        return verdict.action == "refuse" and self._is_error(
            verdict.code, self._place_of(path), verdict.message, verdict.hint
        )

    def _capture_files(self, branch: Branch) -> None:
        walk, directory, part = self._walk, branch.directory, branch.part
        for name, path in branch.files:
            try:
                descriptor = directory.open_file(name)
            except (OSError, ChangedError) as error:
                walk.refuse_unopened(directory, name, self._place_of(path), path_of(self._path, path), error)
                continue
            try:
                self._read(descriptor, path, part)
            except (OSError, ChangedError) as error:
                walk.refuse_unread(self._place_of(path), error)
            finally:
                walk.system.close(descriptor)

    def _read(self, descriptor: int, path: str, part: Part) -> None:
        """Read an open file, once it has proved to be one that may be read."""
        walk = self._walk
        status = walk.system.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            walk.refuse_special(self._place_of(path))
            return
        size = status.st_size
        if status.st_dev != self._device and self._is_elsewhere(self._place_of(path)):
            return
        if self._is_too_large(size, path, part):
            return
        data = read_whole(descriptor, status, walk.system)
        part.size += size
        walk.size += size
        if size > LARGE_FILE_BYTES:
            walk.report.add("large-file", self._place_of(path), amount(size))
        if status.st_nlink > 1:
            walk.report.add("hardlink", self._place_of(path), "the file has more than one link")
        part.files.append(
            SourceFile(
                path=path.removeprefix(part.prefix),
                size=size,
                executable=walk.system.mode_bits and bool(status.st_mode & 0o111),
                content=walk.store.put(data),
            )
        )

    def _count_file(self, path: str, part: Part) -> None:
        walk = self._walk
        part.count += 1
        most = walk.limits.max_skill_files
        if part.count > most:
            top, slash, _ = path.removeprefix(part.prefix).partition("/")
            example = f", such as {pattern_of(f'{part.place}/{top}')}/," if slash else ""
            hint = f"exclude what it does not need{example} or raise max-skill-files"
            if self._is_error("limit-files", part.place, f"the skill is over {most:,} files", hint):
                raise LimitReachedError
        walk.count_file(part.place)

    def _is_too_large(self, size: int, path: str, part: Part) -> bool:
        walk, limits = self._walk, self._walk.limits
        most = limits.max_file_bytes
        is_large = most is not None and size > most
        beyond_skill, beyond_run = (
            part.size + size > limits.max_skill_bytes,
            walk.size + size > limits.max_bytes,
        )
        if not (is_large or beyond_skill or beyond_run):
            return False
        place = self._place_of(path)
        if (
            most is not None
            and is_large
            and self._is_error(
                "limit-file-bytes",
                place,
                f"{amount(size)}: over {amount(most)}",
                f"exclude {_pattern_without(place, part)}, or raise max-file-bytes",
            )
        ):
            return True
        if beyond_skill:
            # Once a skill: it names the first file that does not fit, and the walk takes what still does.
            if part.size_level is None:
                message = f"{amount(size)}: with it the skill is over {amount(limits.max_skill_bytes)}"
                hint = f"exclude {_pattern_without(place, part)}, or raise max-skill-bytes"
                part.size_level = walk.report.add("limit-skill-bytes", place, message, hint=hint)
            if part.size_level is Level.ERROR:
                return True
        if beyond_run:
            walk.end_run(
                place, amount(limits.max_bytes), "exclude what the skills do not need, or raise max-bytes"
            )
        return False

    def _is_elsewhere(self, place: str) -> bool:
        """Refuse an entry that is on another device than the skill, a mount; return whether it does not go on."""
        return self._is_error(
            "other-device",
            place,
            "a mount: it is on another device than its skill",
            f"unmount or exclude {pattern_of(place)}",
        )

    def _is_error(self, code: str, place: str, message: str, hint: str) -> bool:
        """Add a finding; return whether the policy makes it an error, so that the entry does not go on."""
        return self._walk.report.add(code, place, message, hint=hint) is Level.ERROR

    def _place_of(self, path: str) -> str:
        return f"{self._place}/{path}"


def _leave_out(part: Part, path: str, *, is_directory: bool) -> None:
    path = path.removeprefix(part.prefix)
    part.left_out.append(f"{path}/" if is_directory else path)


def _pattern_without(place: str, part: Part) -> str:
    """Return the pattern that excludes the file at `place`; with its SKILL.md the whole skill has to go."""
    return f"{pattern_of(part.place)}/" if place == f"{part.place}/{SKILL_MD}" else pattern_of(place)


def parent_of(path: str) -> str:
    """Return the directory that holds `path`, with a slash at its end; empty for the top."""
    return path[: path.rstrip("/").rfind("/") + 1]
