"""Installed distributions as sources of skills: what a root `package:NAME` stands for, and whether it is as installed.

A distribution ships what its RECORD lists. Its skills are the directories with a SKILL.md in `skills/` or
`.agents/skills/` of any of its packages. They are found through the record and not by a look at the directory, which a
namespace package shares with other distributions. The files are then walked, read and screened as those of any root.
Sources: interop, "Skills of others"; the packaging specifications on recording installed projects.
"""

from __future__ import annotations

import base64
import binascii
import csv
import difflib
import io
import json
import os
import re
from collections import defaultdict
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from skillpack.config import is_package, split_package
from skillpack.findings import visible
from skillpack.model import SKILL_MD, Package
from skillpack.reporting import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from skillpack.config import Config
    from skillpack.findings import Report
    from skillpack.model import SkillSource

_HOMES = ("skills", ".agents/skills")
"""Where a package has its skills, as the hints say it."""

_RECORD_HASH = re.compile(r"sha256=([A-Za-z0-9_-]{43})")


class _UnusableError(Exception):
    """A distribution whose skills cannot be packed: why, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


# ------------------------------------------------------------------ finding


def text_of(distribution: metadata.Distribution, file: str) -> str | None:
    """Return a file of a distribution's metadata; None where there is none, or it is not UTF-8."""
    try:
        return distribution.read_text(file)
    except UnicodeDecodeError:
        return None


def is_whole(distribution: metadata.Distribution) -> bool:
    """Return whether a distribution has a name and a version: what is left of an uninstalled one has none.

    Of one that has, `metadata` and `version` can be asked.
    """
    try:
        told = distribution.metadata
    except UnicodeDecodeError:
        return False
    return all(field in told and told[field].strip() for field in ("Name", "Version"))


def resolved(config: Config, report: Report) -> Config:
    """Return `config` with the distributions that its roots name; one that cannot be used is a finding and not in it.

    Distributions are those on the path of this interpreter: in a build those of the build environment. What an
    unpacked sdist carries is not looked up. Nothing of a distribution is imported.
    """
    packages = dict(config.packages)
    for written in config.skills:
        if is_package(written) and written not in config.moved:
            try:
                packages[written] = _package(written)
            except _UnusableError as error:
                report.add("root-missing", written, error.message, hint=error.hint)
    return replace(config, packages=packages)


def _package(written: str) -> Package:
    name, skill = split_package(written)
    distribution, base = _installed(name)
    own, version = distribution.metadata["Name"], distribution.version
    text = text_of(distribution, "RECORD")
    if text is None:
        raise _UnusableError(
            f"{own} {version} has no RECORD, the list of its files: it was not installed from a wheel",
            f"install it with pip or uv, or {_NAME_A_DIRECTORY}",
        )
    try:
        record = _record(text)
    except csv.Error as error:
        raise _UnusableError(
            f"{own} {version} has a malformed RECORD ({error})",
            f"install {own} again, or {_NAME_A_DIRECTORY}",
        ) from error
    found = _skills(record)
    if not found:
        raise _without_skills(distribution, record)
    chosen = [path for path in found if not skill or path.rpartition("/")[2] == skill]
    if not chosen:
        names = sorted({path.rpartition("/")[2] for path in found})
        raise _UnusableError(
            f"{own} {version} has no skill in a directory of this name; it has {visible(', '.join(names))}",
            f"name one of these, or write package:{name} for all of them",
        )
    by_place: dict[str, str] = {}
    for path in chosen:
        place = written if skill else f"{written}/{path.rpartition('/')[2]}"
        if place in by_place:
            raise _UnusableError(
                f"{own} {version} has two skills in directories of one name, {visible(by_place[place])} and {visible(path)}",
                "put a copy of the one that is meant into a skills root of the project, and name that",
            )
        by_place[place] = path
    return Package(name=own, version=version, base=base, skills=by_place, record=record)


_NAME_A_DIRECTORY = "name the directory of its skills in `skills`"


def _installed(name: str) -> tuple[metadata.Distribution, Path]:
    """Return the distribution that an import would find first, and the directory that it is installed into."""
    found = [
        (Path(os.path.realpath(base)), distribution)
        for distribution in metadata.distributions(name=name)
        # what is imported from a zip is in no directory
        if isinstance(base := distribution.locate_file(""), Path) and is_whole(distribution)
    ]
    if not found:
        raise _not_installed(name)
    first = found[0][0]
    # a directory may be on the path twice
    here = {distribution.version: distribution for base, distribution in found if base == first}
    if len(here) > 1:
        versions = " and ".join(sorted(here))
        raise _UnusableError(
            f"{name} is installed in several versions at one place, {versions}",
            f"uninstall it until none is left, and install one: python -m pip install {name}",
        )
    return found[0][1], first


def _not_installed(name: str) -> _UnusableError:
    """Say that there is no such distribution; perhaps the name is that of a package, or a misspelt one."""
    message = "no distribution of this name is installed beside skillpack"
    hint = (
        f"install it there; for builds in an environment of their own write {json.dumps(name)} into "
        "build-system.requires of the pyproject.toml"
    )
    installed = list(filter(is_whole, metadata.distributions()))
    package = name.replace("-", "_")
    others = sorted({str(other.metadata["Name"]) for other in installed if _has_package(other, package)})
    if others:
        message = f"{message}; the package that is imported as {name} is part of {' and '.join(others)}"
        hint = f"write {' or '.join(f'package:{other}' for other in others)}"
    else:
        names = {_normal(own): own for own in (other.metadata["Name"] for other in installed)}
        near = difflib.get_close_matches(_normal(name), names, n=1, cutoff=0.8)
        if near:
            message = f"{message}; there is {names[near[0]]}"
            hint = f"write package:{names[near[0]]} if that is meant; else {hint}"
    return _UnusableError(message, hint)


def _has_package(distribution: metadata.Distribution, package: str) -> bool:
    """Return whether files of the package that is imported by this name are recorded.

    `importlib.metadata.packages_distributions` fails for all when the record of one is odd.
    """
    record = text_of(distribution, "RECORD") or ""
    return any(line.startswith((f"{package}/", f"{package}.py,")) for line in record.splitlines())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _without_skills(distribution: metadata.Distribution, record: Mapping[str, str]) -> _UnusableError:
    """Say that a distribution has no skills, and what it has instead."""
    what = f"{distribution.metadata['Name']} {distribution.version}"
    if _is_editable(distribution):
        return _UnusableError(
            f"{what} is an editable install, whose record lists none of its skills",
            f"{_NAME_A_DIRECTORY}, or install it without --editable",
        )
    lying = [path for path in sorted(record) if _is_skill_md(path) and _is_home(path.rpartition("/")[0])]
    if lying:
        return _UnusableError(
            f"{what} has no skill in a directory of its own; {visible(lying[0])} lies in the skills directory itself",
            "put a copy of it into a skills root of the project, in a directory of its own",
        )
    return _UnusableError(
        f"{what} ships no skills: none of its packages has {' or '.join(f'{home}/NAME/{SKILL_MD}' for home in _HOMES)}",
        f"remove it from `skills`, or {_NAME_A_DIRECTORY}",
    )


def _is_editable(distribution: metadata.Distribution) -> bool:
    """Return whether direct_url.json says so (packaging specifications, "Recording the Direct URL Origin")."""
    try:
        return json.loads(text_of(distribution, "direct_url.json") or "{}")["dir_info"]["editable"] is True
    except (ValueError, LookupError, TypeError):
        return False


# ------------------------------------------------------------------ the record


def _record(text: str) -> dict[str, str]:
    """Return what a RECORD lists inside the directory that it is about, as `Package.record` has it.

    Raises `csv.Error` when it is malformed.
    """
    return {
        row[0]: _hex(row[1] if len(row) > 1 else "")
        # not `splitlines`, to which more than a line feed ends a line: names may have the rest
        for row in csv.reader(io.StringIO(text))
        if row and not re.search(r"[\\:]", row[0]) and not {"", ".", ".."} & set(row[0].split("/"))
    }


def _hex(recorded: str) -> str:
    matched = _RECORD_HASH.fullmatch(recorded)
    return binascii.hexlify(base64.urlsafe_b64decode(f"{matched[1]}=")).decode("ascii") if matched else ""


def _skills(record: Iterable[str]) -> list[str]:
    """Return the directories of the skills that a record lists, sorted; none lies in another."""
    found = {
        directory
        for path in record
        if _is_skill_md(path) and _is_home((directory := path.rpartition("/")[0]).rpartition("/")[0])
    }
    outer: list[str] = []
    # in this order what lies in a directory comes right after it
    for path in sorted(found, key=lambda path: path.split("/")):
        if not outer or not path.startswith(f"{outer[-1]}/"):
            outer.append(path)
    return sorted(outer)


def _is_skill_md(path: str) -> bool:
    return path.rpartition("/")[2].casefold() == SKILL_MD.casefold()


def _is_home(directory: str) -> bool:
    """Return whether a directory is one where a package has its skills."""
    *packages, last = directory.split("/")
    if packages and packages[-1] == ".agents":
        packages.pop()
    return last == "skills" and bool(packages) and all(map(str.isidentifier, packages))


# ------------------------------------------------------------------ comparing


def compare(config: Config, sources: Iterable[SkillSource], report: Report) -> None:
    """Report where the skills that were read differ from what their distributions recorded when they were installed."""
    captured: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for source in filter(lambda source: is_package(source.place), sources):
        top = "/".join(source.place.split("/")[:2])
        for file in source.files:
            captured[top][source.place_of(file.path)] = file.content.fingerprint.sha256
    for package in config.packages.values():
        recorded = _by_skill(package)
        for place, path in package.skills.items():
            directory = f"{package.base}/{path}"
            for where, what in _differences(place, directory, captured[place], recorded[path]):
                report.add(
                    "package-altered",
                    where,
                    f"{what} {package.name} {package.version}",
                    hint=f"install {package.name} again, or put a copy of the skill into a skills root of the project",
                )


def absent(config: Config) -> list[str]:
    """Return the absolute paths of what the distributions recorded and is not there; of skills, `compare` looks at it."""
    paths = [f"{package.base}/{path}" for package in config.packages.values() for path in package.record]
    return [path for path in paths if not os.path.lexists(path)]


def _by_skill(package: Package) -> Mapping[str, Mapping[str, str]]:
    """Return the files of each skill in the record, by the skill's path: paths below it and their SHA-256."""
    found: dict[str, dict[str, str]] = {path: {} for path in package.skills.values()}
    for name, sha256 in package.record.items():
        at = name.find("/")
        while at >= 0:
            if name[:at] in found:
                found[name[:at]][name[at:]] = sha256
            at = name.find("/", at + 1)
    return found


def _differences(
    place: str, directory: str, files: Mapping[str, str], recorded: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Give place and nature of each difference of one skill: of files that were not taken, whether they are there."""
    for name, sha256 in files.items():
        below = name.removeprefix(place)
        if below not in recorded:
            yield name, "the file is not in the record of"
        elif recorded[below] not in {"", sha256}:
            yield name, "the file is not the one in the record of"
    missing = [
        f"{place}{below}"
        for below in recorded
        # what Python compiles is removed and made again at any time
        if f"{place}{below}" not in files
        and "/__pycache__/" not in below
        and not os.path.lexists(f"{directory}{below}")
    ]
    # of a skill that was not taken, for `select` or a finding of its own, all that counts is that it is there
    if missing and (files or f"{place}/{SKILL_MD}" in missing):
        more = f" ({count(len(missing), 'file')})" if len(missing) > 1 else ""
        yield missing[0], f"there is no such file{more}, but it is in the record of"
