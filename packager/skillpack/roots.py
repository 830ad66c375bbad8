"""The roots of a run as the directories to search: the project's, and those of installed distributions.

The latter are looked up with `skillpack.distribution`, which only a run that has some imports.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from skillpack.config import is_package
from skillpack.discover import Root

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from skillpack.config import Config
    from skillpack.findings import Report
    from skillpack.model import Package, SkillSource


def resolved(config: Config, report: Report) -> Config:
    """Return `config` with the distributions that its roots name; one that cannot be used is a finding."""
    if not any(map(is_package, config.skills)):
        return config
    from skillpack import distribution  # with what it imports a tenth of the start of a run

    return distribution.resolved(config, report)


def are_whole(config: Config) -> bool:
    """Return whether each distribution that a root names was found, in a configuration that `resolved` has returned."""
    return all(root in config.packages for root in filter(is_package, config.skills))


def directories(config: Config) -> Iterator[Root]:
    """Give the directories of all roots, of a configuration that `resolved` has returned."""
    for written in (*config.skills, *config.strays):
        if written in config.moved or not is_package(written):
            yield Root(written=written, directory=config.locate(written))
        elif (package := config.packages.get(written)) and package.base:
            yield from _of_package(package, package.base, written)


def _of_package(package: Package, base: Path, written: str) -> Iterator[Root]:
    """Give the directories in which a distribution has skills: there may be several, and others' skills in them."""
    entries: defaultdict[Path, set[str]] = defaultdict(set)
    for place, path in package.skills.items():
        directory = base / path
        if place == written:
            yield Root(written=written, directory=directory, top=base)
        else:
            entries[directory.parent].add(directory.name)
    for parent, names in entries.items():
        yield Root(written=written, directory=parent, top=base, entries=frozenset(names))


def compare(config: Config, sources: Iterable[SkillSource], report: Report) -> None:
    """Report the skills of distributions that are not as they were installed."""
    if config.packages:
        from skillpack import distribution

        distribution.compare(config, sources, report)


def absent(config: Config) -> Sequence[str]:
    """Return the files of distributions that are recorded and not there, of a configuration that `resolved` has returned."""
    if not config.packages:
        return ()
    from skillpack import distribution

    return distribution.absent(config)
