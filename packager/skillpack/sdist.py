"""Where the skills lie in an sdist, and how a build from one finds them there.

A skills root inside the project keeps its place. One outside, or of an installed distribution, goes to
`_skillpack_src/<index>/<its own name>/`, and an index beside it maps roots as they were written to these places. It also has the skills that were split off
from one that is not packed, since no search of the roots would come to them. Source: packaging, "The hook".
"""

from __future__ import annotations

import json
import ntpath
import posixpath
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skillpack.config import is_package, split_package
from skillpack.errors import ConfigError
from skillpack.model import Package
from skillpack.rules import RULES, Level

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from skillpack.config import Config
    from skillpack.model import SkillSource

FOLDER = "_skillpack_src"
"""The directory of an sdist for roots that have no place in the project."""

INDEX = f"{FOLDER}/index.json"
_DAMAGED = f"{INDEX}: is damaged; unpack the sdist again"

_PLACEHOLDER = ".gitkeep"
"""Keeps a root in which nothing is packed: an archive of files holds no empty directory, and a root must exist."""


def files(config: Config, sources: Sequence[SkillSource]) -> Iterator[tuple[str, bytes, bool]]:
    """Yield what an sdist carries of `sources`: POSIX path in the sdist, contents, and whether it is executable."""
    homes = {
        root: root if _stays(root) else f"{FOLDER}/{index}/{_name(config, root)}"
        for index, root in enumerate(config.skills)
    }
    empty = set(homes.values())
    places = {source.place for source in sources}
    strays = {}
    for source in sources:
        root = max((root for root in homes if _holds(root, source.place)), key=len)
        empty.discard(homes[root])
        home = homes[root] + source.place.removeprefix(root)
        if _is_stray(source.place, root, places):
            strays[source.place] = home
        for file in source.files:
            yield f"{home}/{file.path}", file.content.read(), file.executable
    for home in sorted(empty):
        yield f"{home}/{_PLACEHOLDER}", b"", False
    moved = {root: home for root, home in homes.items() if root != home}
    index: dict[str, object] = {"roots": moved, **({"strays": strays} if strays else {})}
    if config.packages:
        index["packages"] = {
            root: {"name": package.name, "version": package.version}
            for root, package in config.packages.items()
        }
    if config.module_is_default:
        # the package by which it was found may hold nothing else, and an archive of files has no empty directory
        index["module"] = config.module_written
    if moved or strays or config.module_is_default:
        yield INDEX, (json.dumps(index, indent=2, sort_keys=True) + "\n").encode("ascii"), False


def default_module(index: bytes | None) -> str:
    """Return the module that the index of an sdist names, for a configuration that names none; empty if it does not.

    Raises `ConfigError` when the index is not one.
    """
    module = "" if index is None else _parsed(index).get("module", "")
    if not isinstance(module, str):
        raise ConfigError([_DAMAGED])
    return module


def unpacked(config: Config, index: bytes | None) -> Config:
    """Return `config` as it holds in an unpacked sdist; `index` are the bytes of its `INDEX`, if it has one.

    What the configuration names but the sdist does not carry is no fault there: the `*-unused` warnings are off.
    Raises `ConfigError` when the index is not one.
    """
    off = dict.fromkeys((code for code in RULES if code.endswith("-unused")), Level.OFF)
    overrides = tuple(replace(override, rules={**override.rules, **off}) for override in config.overrides)
    moved, strays, packages = ({}, {}, {}) if index is None else _places(index)
    return replace(
        config,
        rules={**config.rules, **off},
        overrides=overrides,
        strays=tuple(strays),
        moved={place: config.project / home for place, home in (moved | strays).items()},
        packages=packages,
    )


def _stays(root: str) -> bool:
    """Return whether the path, as written, leads to the same place below any project; a drive counts everywhere."""
    return not (
        is_package(root) or posixpath.isabs(root) or ntpath.splitdrive(root)[0] or ".." in root.split("/")
    )


def _name(config: Config, root: str) -> str:
    """Return the root's own name: that of a root which is a skill has to equal the skill's."""
    if is_package(root):
        name, skill = split_package(root)
        return skill or name
    return posixpath.basename(posixpath.normpath(config.locate(root).as_posix())) or "root"


def _holds(root: str, place: str) -> bool:
    return place == root or place.startswith(f"{root}/")


def _is_stray(place: str, root: str, places: Collection[str]) -> bool:
    """Return whether a skill was split off from one that is not packed, so that no search of its root comes to it."""
    *above, _ = place.removeprefix(root).strip("/").split("/")
    outer = {"/".join((root, *above[:depth])) for depth in range(1, len(above) + 1)}
    return bool(outer) and not outer & {*places} and root not in places


def _parsed(index: bytes) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(index)
        found["roots"], found.get("module")
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ConfigError([_DAMAGED]) from error
    return found


def _places(index: bytes) -> tuple[dict[str, str], dict[str, str], dict[str, Package]]:
    found = _parsed(index)
    try:
        moved, strays = (
            {str(place): str(home) for place, home in table.items()}
            for table in (found["roots"], found.get("strays", {}))
        )
        packages = {
            str(root): Package(name=str(row["name"]), version=str(row["version"]))
            for root, row in found.get("packages", {}).items()
        }
    except (AttributeError, LookupError, TypeError) as error:
        raise ConfigError([_DAMAGED]) from error
    return moved, strays, packages
