"""The capture, with which every run begins: the configured skills are found, and each of their files is read once."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from skillpack import discover, roots, screen
from skillpack.emit.layout import INIT, folder_of
from skillpack.findings import Report
from skillpack.fingerprint import fingerprint, identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from skillpack.config import Config

Progress: TypeAlias = "Callable[[str, int, int], None]"
"""Is told what goes on, and how much of how many is done; where nobody knows how many, they are 0."""


def no_progress(_what: str, _done: int, _total: int) -> None:
    """Tell nobody."""


class Capture(NamedTuple):
    """What a run has found, and `report`, which has what was said about that and takes what later stages say."""

    config: Config
    report: Report
    found: discover.Discovery


@contextmanager
def captured(config: Config, progress: Progress = no_progress) -> Iterator[Capture]:
    """Find the configured skills and read their files; the contents are there until the end.

    `progress` is told how many files were read.
    """
    report = Report(config.policy)
    for notice in config.notices:
        report.add(notice.code, discover.CONFIGURATION, notice.message, hint=notice.hint)
    config = roots.resolved(config, report)
    files = itertools.count()

    def identified(data: bytes) -> str:
        progress("reading files", next(files), 0)
        return identity(data)

    # for thousands of files also to tell nobody takes its time
    identify = identity if progress is no_progress else identified
    with discover.ContentStore(identity=identify, fingerprint=fingerprint) as store:
        yield Capture(config=config, report=report, found=_discover(config, store, report))


def _discover(config: Config, store: discover.ContentStore, report: Report) -> discover.Discovery:
    limits = discover.Limits(
        max_skill_files=config.max_skill_files,
        max_skill_bytes=config.max_skill_bytes,
        max_file_bytes=config.max_file_bytes,
        max_files=config.max_files,
        max_bytes=config.max_bytes,
        max_depth=config.max_depth,
    )
    return discover.discover(
        roots.directories(config),
        is_whole=roots.are_whole(config),
        project=config.project,
        limits=limits,
        judge=screen.judge,
        is_secret_name=screen.is_secret_name,
        exclude=config.exclude,
        outputs=_outputs(config),
        splits=config.nested == "split",
        store=store,
        report=report,
    )


def _outputs(config: Config) -> list[Path]:
    """Return the file that the output is known by."""
    if config.module is None:
        return []
    return [folder_of(config.module) / INIT if config.emits_folder else config.module]
