"""Skills that are read when an agent starts: from a directory, a plugin folder, or what is installed.

Directories go through the packager's own pipeline, so that what is served without a build is what a build would
have packed.
"""

from __future__ import annotations

import json
import os
import stat
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillpack import config, pipeline
from skillpack.discover.reading import ChangedError, open_top, read_whole
from skillpack.distribution import is_whole, text_of
from skillpack.errors import ConfigError, RefusedError
from skillpack.rules import Level
from skillpack.runtime import SkillBundle, SkillSourceError
from skillpack.runtime.assembly import held_file, made_skill, text_fields
from skillpack.runtime.text import echo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.discover.reading import Directory
    from skillpack.findings import Finding
    from skillpack.pipeline import Packed
    from skillpack.rules import Setting
    from skillpack.runtime import Skill

GROUP = "skillpack.bundles"
"""The entry points under which a distribution declares its bundles."""

MAX_PLUGIN_FILE_BYTES = 2**20


# ------------------------------------------------------------------ a directory


def from_directory(
    path: str | os.PathLike[str],
    *,
    level: Setting = "default",
    rules: Mapping[str, str] | None = None,
    on_error: str = "skip",
) -> SkillBundle:
    """Return the skills of a skills root, or of one skill's directory, read and checked as a build would.

    `path` is relative to the current directory, or absolute; `package:NAME` stands for the skills that an installed
    distribution ships. `level` is `lenient`, `default` or `strict`; `rules`
    gives single findings a level of their own, as `[tool.skillpack.rules]` does. A skill with an error is left out
    and has a line in `problems` (`skip`), or ends the call (`raise`). The contents are held in memory: the directory
    is not looked at again.

    Raises `SkillSourceError` when the directory itself cannot be used, with its findings, a line each; when `rules`
    are wrong; and with `raise` for the errors of every skill.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"the path of a directory is needed, not {echo(type(path).__name__)}")
    return _read(Path.cwd(), os.fspath(path), level=level, rules=rules or {}, on_error=on_error)


def _read(
    project: Path, written: str, *, level: Setting, rules: Mapping[str, str], on_error: str
) -> SkillBundle:
    if on_error not in ("skip", "raise"):
        raise ValueError(f"on_error is skip or raise, not {echo(on_error)}")
    options = {"level": level, "rules": dict(rules), "allow-empty": True}
    try:
        settings = config.from_table({"tool": {"skillpack": options}}, project, skills=[written])
        with pipeline.pack(settings, keep_sound=on_error == "skip") as packed:
            skills = [_held(skill) for skill in packed.bundle.values()]
            return SkillBundle(skills, problems=_problems(packed))
    except (ConfigError, RefusedError) as error:
        raise SkillSourceError(str(error)) from error


def _held(skill: Skill) -> Skill:
    """Return a skill whose contents are in memory: those of `pack` may be in a spool that goes."""
    return made_skill(
        name=skill.name,
        description=skill.description,
        frontmatter=skill.frontmatter,
        fields=text_fields(skill),
        files=[
            held_file(
                path,
                file.bytes(),
                media_type=file.media_type,
                executable=file.executable,
                owner=skill.name,
            )
            for path, file in skill.files.items()
        ],
    )


def _problems(packed: Packed) -> Iterator[str]:
    """Give a line for each entry of the root that has errors: `pdf — INVALID: code: message (2 more)`."""
    (root,) = packed.config.skills
    by_entry: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in packed.findings:
        if finding.level is Level.ERROR:
            by_entry[finding.path.removeprefix(f"{root}/").partition("/")[0]].append(finding)
    for entry, (first, *others) in by_entry.items():
        more = f" ({len(others)} more)" if others else ""
        yield f"{entry} — INVALID: {first.code}: {first.message}{more}"


# ------------------------------------------------------------------ a plugin folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A plugin folder as it was read.

    `name` is that of its `plugin.json`, `manifest` the whole of it in JSON types. `bundle` has the skills of its
    `skills/`. `mcp` is what its `mcp.json` holds, or None without one: the servers that the plugin would like to
    have, for the host to decide on. Nothing of it is run.
    """

    name: str
    manifest: Mapping[str, Any]
    bundle: SkillBundle
    mcp: Mapping[str, Any] | None


def from_plugin(path: str | os.PathLike[str]) -> Plugin:
    """Read a plugin folder: `plugin.json`, `skills/` as `from_directory` does, and `mcp.json`; no link is followed.

    `path` is relative to the current directory, or absolute. Without `skills/` the bundle is empty. Raises
    `SkillSourceError` when there is no `plugin.json` with a name, or a file is not JSON of at most 1 MiB.
    """
    place = Path(path).absolute()
    try:
        with closing(open_top(str(place))) as directory:
            manifest = _json_file(directory, "plugin.json")
            mcp = _json_file(directory, "mcp.json")
            has_skills = any(name == "skills" for name, _ in directory.entries())
    except (OSError, ChangedError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SkillSourceError(f"the plugin {echo(str(path))} cannot be read: {reason}") from error
    name = (manifest or {}).get("name")
    if not isinstance(name, str) or not name.strip():
        raise SkillSourceError(f"the plugin {echo(str(path))} has no plugin.json with a name")
    bundle = SkillBundle([])
    if has_skills:
        bundle = _read(place, "skills", level="default", rules={}, on_error="skip")
    return Plugin(name=name, manifest=manifest or {}, bundle=bundle, mcp=mcp)


def _json_file(directory: Directory, name: str) -> dict[str, Any] | None:
    """Return the object that a JSON file of an open directory holds, or None when there is no such file."""
    try:
        descriptor = directory.open_file(name)
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_PLUGIN_FILE_BYTES:
            raise ValueError(f"{name} is not a file of at most {MAX_PLUGIN_FILE_BYTES >> 20} MiB")
        data = read_whole(descriptor, status)
    finally:
        os.close(descriptor)
    value = json.loads(data)
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not a JSON object")  # noqa: TRY004 - a fault of the file, like any other
    return value


# ------------------------------------------------------------------ installed packages


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledBundle:
    """A bundle that an installed distribution declares.

    `name` is the declared name, `distribution` and `version` say whose it is, `target` is where it is, as
    `package.module:attribute`. Nothing of the distribution runs before `load`.
    """

    name: str
    distribution: str
    version: str
    target: str

    def load(self) -> SkillBundle:
        """Import the module, which runs its code, and return the bundle with skills of this runtime's classes.

        Raises what the import raises, and `SkillSourceError` when the target is no bundle.
        """
        point = metadata.EntryPoint(name=self.name, value=self.target, group=GROUP)
        found = point.load()
        if not isinstance(found, Mapping):
            raise SkillSourceError(f"{self.target} of {self.distribution} is not a bundle")
        return SkillBundle([]).overlay(found)


def installed() -> tuple[InstalledBundle, ...]:
    """Return what the installed distributions declare as entry points `skillpack.bundles`, sorted by name.

    Two distributions may declare one name: both are there. Nothing is imported. Raises `SkillSourceError` when the
    entry points of a distribution cannot be read.
    """
    found = [bundle for distribution in declaring() for bundle in declared_by(distribution)]
    return tuple(sorted(found, key=lambda bundle: (bundle.name, bundle.distribution)))


def declaring() -> Iterator[metadata.Distribution]:
    """Give the distributions with entry points of the group: of two of one name that which an import would find."""
    seen = set()
    for distribution in metadata.distributions():
        if GROUP in (text_of(distribution, "entry_points.txt") or "") and is_whole(distribution):
            name = distribution.metadata["Name"]
            first = next(iter(metadata.distributions(name=name)), distribution)
            if str(first.locate_file("")) == str(distribution.locate_file("")) and name not in seen:
                seen.add(name)
                yield distribution


def declared_by(distribution: metadata.Distribution) -> Iterator[InstalledBundle]:
    """Give what a distribution declares; raises `SkillSourceError` when its entry points cannot be read."""
    name, version = distribution.metadata["Name"], distribution.version
    try:
        points = distribution.entry_points.select(group=GROUP)
    except (TypeError, ValueError) as error:  # what the standard library makes of a line without `=`
        raise SkillSourceError(f"entry_points.txt of {name} {version} is malformed") from error
    for point in points:
        yield InstalledBundle(name=point.name, distribution=name, version=version, target=point.value)
