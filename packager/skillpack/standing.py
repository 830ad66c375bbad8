"""A run in which nothing has changed: what an earlier one told of the same skills, where its output stands as it left it.

The skills are read and hashed in every run, and so is the output; all between the two is known from the earlier run.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from skillpack import roots
from skillpack.discover.reading import SYSTEM, ChangedError, Kind, open_top, read_whole
from skillpack.findings import Finding
from skillpack.fingerprint import identity
from skillpack.rules import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from skillpack.cache import Runs
    from skillpack.capture import Capture
    from skillpack.config import Config
    from skillpack.discover.reading import Directory

_CACHE = "__pycache__"
_LEFTOVER = ".skillpack-"
"""How the names of the files begin that the writing stage makes; to import it here would cost a third of such a run."""
_SECRETS = frozenset({"secret-content", "secret-like"})


class Standing(NamedTuple):
    """What the earlier run told: `findings` as they may be told, and its summary."""

    findings: tuple[Finding, ...]
    summary: str


class Run:
    """A run as it is known to later ones: by its configuration and by all that the walk has found and said."""

    def __init__(self, runs: Runs, capture: Capture) -> None:
        """Take what was captured, to which no stage has added anything yet."""
        self._runs = runs
        self._config = capture.config
        self._known_by = _known_by(capture.config)
        self._inputs = _inputs(capture)
        self._identities: dict[str, str] = {}

    def recall(self) -> Standing | None:
        """Return what an earlier run told, if it had the same skills and configuration and its output stands."""
        kept = self._runs.recall(self._known_by)
        if kept is None or kept[0] != self._inputs:
            return None
        _, told, summary, identities = kept
        if not stands(self._config.output(), self._config.project, identities):
            return None
        return Standing(findings=tuple(_finding(*values) for values in told), summary=summary)

    def watched(self, files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
        """Give the files of the output, (path in its folder or nothing, bytes), and note each."""
        module = self._config.output()
        for path, data in files:
            self._identities[f"{module.stem}/{path}" if path else module.name] = identity(data)
            yield path, data

    def keep(self, findings: Iterable[Finding], summary: str, stub: bytes | None) -> None:
        """Keep what was told, now that the output is written, the stub beside the file that is imported with it.

        Where a secret was found nothing is kept, and neither is it where execute bits come from the output.
        """
        told = [_values(finding) for finding in findings]
        if not SYSTEM.mode_bits or not _SECRETS.isdisjoint(code for code, *_ in told):
            return
        if stub is not None:
            self._identities[f"{next(reversed(self._identities))}i"] = identity(stub)
        self._runs.keep(
            self._known_by, [self._inputs, [[*values] for values in told], summary, {**self._identities}]
        )


def stands(module: Path, project: Path, identities: Mapping[str, str]) -> bool:
    """Return whether what is at `module`, or in the folder of its name, is what a run left, and nothing else is there.

    `identities` are those of its files by their paths from the directory of the module. As where output is written, no
    part of the path below the project may be a link. What a killed run left beside it has to go, which is for a run
    that writes.
    """
    inside = module.parent.is_relative_to(project)
    steps = module.parent.relative_to(project).parts if inside else ()
    with contextlib.suppress(OSError, ChangedError), contextlib.ExitStack() as at_end:
        directory = open_top(str(project if inside else module.parent))
        at_end.callback(directory.close)
        for step in steps:
            directory = directory.open_directory(step)
            at_end.callback(directory.close)
        stem = module.stem.casefold()
        own = []
        for name, kind in directory.entries():
            if name.startswith(_LEFTOVER):
                return False
            if name.partition(".")[0].casefold() == stem:
                own.append((name, kind))
        return _holds(directory, own, _tree(identities))
    return False


def _tree(identities: Mapping[str, str]) -> dict[str, Any]:
    """Return identities by path as a tree of directories."""
    tree: dict[str, Any] = {}
    for path, known in identities.items():
        *above, name = path.split("/")
        branch = tree
        for step in above:
            branch = branch.setdefault(step, {})
        branch[name] = known
    return tree


def _holds(directory: Directory, entries: Iterable[tuple[str, Kind]], tree: Mapping[str, Any]) -> bool:
    """Return whether `entries` of a directory are what a tree has, but for what Python has compiled."""
    missing = len(tree)
    for name, kind in entries:
        expected = tree.get(name)
        if expected is None:
            if name != _CACHE or kind is not Kind.DIRECTORY:
                return False
            continue
        missing -= 1
        if isinstance(expected, dict):
            with contextlib.closing(directory.open_directory(name)) as below:
                if not _holds(below, list(below.entries()), expected):
                    return False
        elif kind is not Kind.FILE or _identity_of(directory, name) != expected:
            return False
    return not missing


def _identity_of(directory: Directory, name: str) -> str:
    descriptor = directory.open_file(name)
    try:
        return identity(read_whole(descriptor, SYSTEM.fstat(descriptor)))
    finally:
        SYSTEM.close(descriptor)


def _known_by(config: Config) -> str:
    """Return the text that a run is known by: the configuration, and whose patterns its overrides are."""
    if not config.overrides:
        return repr(config)
    from pathspec import __version__  # loaded already, to read the overrides

    return f"{config!r} pathspec {__version__}"


def _inputs(capture: Capture) -> str:
    """Return what stands for all that the walk has found and said, and for what it does not look at and a later stage does."""
    found = capture.found
    seen = (
        found.is_whole,
        capture.report.found,
        [
            (
                skill.place,
                skill.directory,
                skill.left_out,
                [(file.path, file.executable, file.content.identity) for file in skill.files],
            )
            for skill in (*found.skills, *found.headless)
        ],
        len(found.headless),
        roots.absent(capture.config),
    )
    return identity(repr(seen).encode("utf-8", "surrogatepass"))


def _values(finding: Finding) -> tuple[str, int, str, str, str, int, int, str]:
    return (
        *(finding.code, int(finding.level), finding.path, finding.message, finding.hint),
        *(finding.line, finding.column, finding.sha256),
    )


def _finding(
    code: str, level: int, path: str, message: str, hint: str, line: int, column: int, sha256: str
) -> Finding:
    return Finding(
        code=code,
        level=Level(level),
        path=path,
        message=message,
        hint=hint,
        line=line,
        column=column,
        sha256=sha256,
    )
