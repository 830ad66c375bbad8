"""Discovery: from the skills roots as configured to the skills, each with the captured contents of its files.

One level under each root is searched; a root that has a SKILL.md is itself one skill. Nothing that could have
been meant as a skill is passed over without a finding. Sources: screening, "Reading files safely"; reading
SKILL.md, "The file".
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from skillpack.discover.exclusion import Exclusions
from skillpack.discover.reading import SYSTEM, ChangedError, Kind, path_of, shown, text_of
from skillpack.discover.root import Root, open_root, steps_below
from skillpack.discover.stray import report_stray
from skillpack.discover.tree import Tree
from skillpack.discover.walk import IN_NOTHING_BUILT, Limits, RunLimitReachedError, Walk, amount
from skillpack.gitignore import pattern_of
from skillpack.limits import MIB
from skillpack.model import SKILL_MD, SkillSource
from skillpack.rules import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from skillpack.discover.reading import Directory, Identity, System
    from skillpack.discover.root import OpenRoot
    from skillpack.discover.store import ContentStore
    from skillpack.discover.tree import Part
    from skillpack.discover.walk import Entries
    from skillpack.findings import Report
    from skillpack.model import NameJudge


LARGE_SKILL_FILES = 512
LARGE_SKILL_BYTES = 16 * MIB
"""Beyond either of these MCP hosts stop: `large-skill`."""

CONFIGURATION = "pyproject.toml"
"""Where findings about the configuration itself are."""

DEFAULT_LIMITS = Limits()


class Discovery(NamedTuple):
    """What was found, by root in the order in which these were given, and of a root by place.

    `headless` are skills whose SKILL.md could not be captured, each with an error finding: their other files are there
    to be screened in the same run. `is_whole` says that no part of the input was passed over for a limit or a refused
    root.
    """

    skills: tuple[SkillSource, ...]
    headless: tuple[SkillSource, ...] = ()
    is_whole: bool = True


def discover(
    roots: Iterable[Root],
    *,
    project: Path,
    judge: NameJudge,
    is_secret_name: Callable[[str], bool],
    store: ContentStore,
    report: Report,
    limits: Limits = DEFAULT_LIMITS,
    exclude: Iterable[str] = (),
    outputs: Iterable[Path] = (),
    splits: bool = False,
    is_whole: bool = True,
    system: System = SYSTEM,
) -> Discovery:
    """Find the skills of `roots` and capture their files into `store`; each file is read once.

    `project` is the project's directory, which exists. `judge` decides on names; `is_secret_name` says of a file (a
    POSIX path relative to its skill) whether its name or a directory on the way tells of a secret: the note about
    an excluded one says so. `exclude` are gitignore patterns, `outputs` the files and directories that the run will
    write, absolute or relative to the project. With `splits` a SKILL.md below a skill makes a skill of its own,
    whose files the outer one does not have; otherwise it is one of the outer skill's files. `is_whole` says that no root
    is missing from `roots`.

    Whatever is wrong is a finding in `report` and does not end the run: what can be captured is. Raises nothing
    but the `OutputError` of the store.
    """
    roots = tuple(roots)
    written = [root.written for root in roots]
    exclusions = Exclusions(exclude)
    walk = Walk(
        project=project.resolve(),
        limits=limits,
        judge=judge,
        exclude=exclusions,
        is_secret_name=is_secret_name,
        store=store,
        report=report,
        system=system,
        splits=splits,
    )
    walk.cut_short = not is_whole
    with contextlib.ExitStack() as at_end:
        opened: dict[Identity, OpenRoot] = {}
        searched: list[OpenRoot] = []
        for root in roots:
            found = open_root(walk, root, project)
            if found is None:
                walk.cut_short = True
                continue
            at_end.callback(found.directory.close)
            opened.setdefault(found.directory.identity, found)
            first = next((other for other in searched if _covers(other, found)), None)
            if first is None:
                searched.append(found)
            else:
                _report_repeated(report, root, first.root, written)
        for output in outputs:
            _check_output(report, project, output, opened)
        searches = [_Search(walk, root, opened) for root in searched]
        with contextlib.suppress(RunLimitReachedError):
            for search in searches:
                search.run()
    store.settle()
    for search in searches:
        if search.is_skill:
            for other in searches:
                if search.root.directory.identity in other.reached:
                    _report_repeated(report, search.root.root, other.root.root, written)
    if not walk.cut_short:
        for pattern in exclusions.unused:
            message = f"the exclude pattern `{pattern}` matches nothing"
            report.add("exclude-unused", CONFIGURATION, message, hint="remove it, or correct it")
    return Discovery(
        skills=tuple(skill for search in searches for skill in search.skills),
        headless=tuple(skill for search in searches for skill in search.headless),
        is_whole=not walk.cut_short,
    )


def _covers(root: OpenRoot, other: OpenRoot) -> bool:
    """Return whether a root is the directory of another and has all that counts there for that one."""
    if root.directory.identity != other.directory.identity:
        return False
    mine, wanted = root.root.entries, other.root.entries
    return mine is None or (wanted is not None and wanted <= mine)


class _Search:
    """The search of one root; `roots` are all roots by their directory.

    After `run`, `is_skill` says that the root is itself a skill, and `reached` are those of the other roots that
    are directories of this one.
    """

    def __init__(self, walk: Walk, root: OpenRoot, roots: Mapping[Identity, OpenRoot]) -> None:
        self.root = root
        self.is_skill = False
        self.reached: set[Identity] = set()
        self._walk = walk
        self._roots = roots
        self._skills: list[SkillSource] = []
        self._headless: list[SkillSource] = []

    @property
    def skills(self) -> list[SkillSource]:
        return sorted(self._skills, key=_place_bytes)

    @property
    def headless(self) -> list[SkillSource]:
        return sorted(self._headless, key=_place_bytes)

    def run(self) -> None:
        """Find the skills. Raises `RunLimitReachedError`; what was found until then stays."""
        walk, root = self._walk, self.root
        written = root.root.written
        entries = walk.entries(root.directory, written)
        if entries is None:
            return
        self.is_skill = root.root.entries is None and walk.has_skill_md(entries, written)
        if self.is_skill:
            self._capture(root.directory, entries, written, root.path.resolve())
            return
        wanted = root.root.entries
        for name, kind in entries:
            if wanted is not None and name not in wanted:
                continue
            text = text_of(name)
            place = f"{written}/{shown(name)}"
            if text is not None:
                if self._passes(text, place, kind):
                    self._enter(name, place)
            elif kind is Kind.FILE:
                # A file beside the skills is not packed whatever its name is, a directory could be a skill.
                self._note_beside(name, place)
            else:
                walk.refuse_encoding(place)

    def _passes(self, name: str, place: str, kind: Kind) -> bool:
        """Return whether an entry of the root is a directory to look into; add the finding if it is not."""
        walk = self._walk
        is_directory = kind is Kind.DIRECTORY
        pattern = walk.exclude.match(place, is_directory=is_directory)
        if pattern is not None:
            is_secret = kind is Kind.FILE and walk.is_secret_name(name)
            walk.note_excluded(place, pattern, is_secret=is_secret)
        elif walk.is_left_out(place, walk.verdict(name, kind)):
            return False
        elif kind is Kind.LINK:
            walk.refuse_link(place, path_of(self.root.path, name))
        elif kind is Kind.SPECIAL:
            walk.refuse_special(place)
        elif kind is Kind.FILE:
            self._note_beside(name, place)
        elif name.startswith("~"):
            # Not a note as for the other names that are left out: the directory was a skill.
            message = "left behind by an interrupted run of pip, not packed"
            levels = (Level.WARNING, Level.WARNING, Level.ERROR)
            walk.report.add("left-out", place, message, hint=f"remove {place}", levels=levels)
        else:
            return True
        return False

    def _note_beside(self, name: str, place: str) -> None:
        """Add the note for a file of the root, which is never opened: a README is no mistake, and no skill's."""
        ending = IN_NOTHING_BUILT if self._walk.is_secret_name(name) else ""
        message = f"a file beside the skills belongs to none of them and is not packed{ending}"
        self._walk.report.add("beside-skills", place, message)

    def _enter(self, name: str, place: str) -> None:
        """Look into a directory of the root."""
        walk, parent, path = self._walk, self.root.directory, self.root.path / name
        try:
            directory = parent.open_directory(name)
        except (OSError, ChangedError) as error:
            walk.refuse_unopened(parent, name, place, path, error)
            return
        with contextlib.closing(directory):
            if directory.identity in self._roots:
                self.reached.add(directory.identity)
                return
            entries = walk.entries(directory, place)
            if entries is None:
                return
            names = [shown(entry) for entry, _ in entries]
            if walk.is_left_out(place, walk.judge(shown(name), is_directory=True, entries=names)):
                return
            if walk.has_skill_md(entries, place):
                self._capture(directory, entries, place, path)
            else:
                report_stray(walk, directory, entries, place, path, self._roots)

    def _capture(self, directory: Directory, entries: Entries, place: str, path: Path) -> None:
        """Capture the skill in an open directory, and the skills split off from it."""
        tree = Tree(self._walk, place, path, directory.identity[0])
        try:
            tree.capture(directory, entries)
        finally:
            for part in tree.parts:
                self._keep(
                    part,
                    SkillSource(
                        directory=part.place.rpartition("/")[2] if part.prefix else shown(path.name),
                        place=part.place,
                        files=tuple(part.files),
                        left_out=tuple(part.left_out),
                    ),
                    is_whole=tree.is_whole,
                )

    def _keep(self, part: Part, skill: SkillSource, *, is_whole: bool) -> None:
        """Add what a tree gave, unless that is nothing, and the findings about the skill as a whole."""
        report = self._walk.report
        place = skill.place_of(SKILL_MD)
        pattern = part.skill_md_excluded_by
        if pattern is not None:
            # To leave a skill out is one thing; a pattern that is about files and takes its SKILL.md is another.
            if not skill.files and self._walk.exclude.drops_all_of(skill.place, pattern):
                report.add("excluded", place, f"excluded by `{pattern}`")
            else:
                message = f"`{pattern}` in `exclude` drops the SKILL.md of a skill"
                hint = f"exclude the directory {pattern_of(skill.place)}/ to leave the whole skill out, or change the pattern"
                report.add("exclude-skill-md", place, message, hint=hint)
        if not skill.files:
            return
        paths = [file.path for file in skill.files]
        (self._skills if SKILL_MD in paths else self._headless).append(skill)
        for path in paths:
            if path.endswith(f"/{SKILL_MD}"):
                inner = skill.place_of(path)
                message = f"a skill inside a skill: packed as a file of {skill.place}"
                hint = (
                    f"move its directory out of {skill.place}, exclude {pattern_of(inner)}, or set "
                    'nested = "split" to pack it as a skill of its own'
                )
                report.add("nested-skill", inner, message, hint=hint)
        if (
            is_whole
            and part.size_level is None
            and (len(paths) > LARGE_SKILL_FILES or part.size > LARGE_SKILL_BYTES)
        ):
            most = f"{LARGE_SKILL_FILES} files or {amount(LARGE_SKILL_BYTES)}"
            message = f"{len(paths):,} files, {amount(part.size)}: some hosts take at most {most}"
            hint = f"exclude what the skill does not need{_example_to_exclude(skill)}"
            report.add("large-skill", skill.place, message, hint=hint)


def _place_bytes(skill: SkillSource) -> bytes:
    return skill.place.encode("utf-8", "surrogatepass")


def _example_to_exclude(skill: SkillSource) -> str:
    """Return the first entry of a large skill without which it would be none, for a hint, or nothing."""
    sizes: defaultdict[str, list[int]] = defaultdict(list)
    for file in skill.files:
        sizes[file.path.partition("/")[0]].append(file.size)
    sizes.pop(SKILL_MD, None)
    count, size = len(skill.files), sum(file.size for file in skill.files)
    for top, own in sizes.items():
        if count - len(own) <= LARGE_SKILL_FILES and size - sum(own) <= LARGE_SKILL_BYTES:
            return f", such as {pattern_of(f'{skill.place}/{top}')}"
    return ""


def _check_output(report: Report, project: Path, output: Path, roots: Mapping[Identity, OpenRoot]) -> None:
    """Add the finding for an output in a skills root: the next run would pack it."""
    path = project / output
    place = path.relative_to(project) if path.is_relative_to(project) else output
    for identity, root in roots.items():
        if steps_below(path.resolve(), identity) is not None:
            message = f"the output lies in the skills root {root.root.written}"
            hint = "write it to another directory, or name smaller skills roots"
            report.add("output-inside-input", place.as_posix(), message, hint=hint)


def _report_repeated(report: Report, root: Root, other: Root, written: Sequence[str]) -> None:
    """Add the note for a root that another root reaches too; `written` are all roots."""
    if root.written == other.written:
        # `skills` and `./skills/` are written alike in all that is told
        numbers = [str(number) for number, name in enumerate(written, 1) if name == root.written]
        message = f"entries {' and '.join(numbers)} of `skills` are this one directory, and it is packed once"
        hint = "remove all but one of them"
    else:
        message = f"also reached through the skills root {other.written}, and packed once"
        hint = f"remove {root.written} from `skills`"
    report.add("root-repeated", root.written, message, hint=hint)
