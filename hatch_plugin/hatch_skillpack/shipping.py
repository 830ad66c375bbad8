"""The last look at what a build is about to ship beside the emitted files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from skillpack import copies
from skillpack.config import is_package
from skillpack.errors import ConfigError
from skillpack.shadow import shadows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from skillpack.pipeline import Packed
    from skillpack.runtime import SkillBundle, SkillFile

Shipped = tuple[str, str]
"""A file's absolute path, and its POSIX path in the artifact."""


def report(packed: Packed, shipped: Iterable[Shipped], target: str) -> None:
    """Report the files below the skills roots that an artifact gets as they are, beside the packed skills.

    Real paths are compared: hatchling follows links, and one may lead there.
    """
    taken = {source.place_of(file.path) for source in packed.sources for file in source.files}
    settings = packed.config
    roots = {
        os.path.realpath(settings.locate(root)): root for root in settings.skills if not is_package(root)
    }
    for path, name in shipped:
        real = os.path.realpath(path)
        for directory, root in roots.items():
            if real.startswith(f"{directory}{os.sep}"):
                place = f"{root}/{real[len(directory) + 1 :].replace(os.sep, '/')}"
                _report(packed, place, name, target, is_packed=place in taken)


def _report(packed: Packed, place: str, name: str, target: str, *, is_packed: bool) -> None:
    if is_packed:
        packed.report.add("ships-twice", place, f"the {target} has it a second time, as {name}")
    else:
        packed.report.add(
            "ships-unpacked",
            place,
            f"it is not packed, but the {target} would have it as {name}",
            hint=f"take the skills root out of what [tool.hatch.build.targets.{target}] ships, by `exclude` there",
        )


def refuse_second(shipped: Iterable[Shipped], emitted: Mapping[str, str]) -> None:
    """Raise `ConfigError` when any other file goes to the place of an emitted one in the wheel, or would hide it there.

    `emitted` are the places of the emitted files in the wheel by their absolute paths.
    """
    others = {name: path for path, name in shipped if path not in emitted}
    taking = [(place, place) for place in emitted.values() if place in others]
    taking += [row for row in shadows(emitted.values(), others) if row[0] not in others]
    faults = [
        f"tool.hatch.build.targets.wheel: ships {others[name]} as {name}, which takes the place of the emitted module "
        f"{place}; take it out"
        for place, name in sorted(taking)
    ]
    if faults:
        raise ConfigError(faults)


def refuse_beside(shipped: Iterable[Shipped], copied: Collection[str], directory: str) -> None:
    """Raise `ConfigError` when the wheel would have any file but the `copied` ones in the directory that is for these.

    They are given by their absolute paths.
    """
    faults = [
        f"tool.skillpack.also-files: the wheel would have {path} as {name}, and the files there are those of the packed "
        "skills; move it, or take it out of what [tool.hatch.build.targets.wheel] ships"
        for path, name in shipped
        if name.startswith(f"{directory}/") and path not in copied
    ]
    if faults:
        raise ConfigError(faults)


def refuse_altered(shipped: Iterable[Shipped], bundle: SkillBundle, directory: str) -> None:
    """Raise `ConfigError` when the wheel would have another file where one of the bundle would be with `also-files`.

    `directory` is where in the wheel these would be.
    """
    held = {f"{directory}/{path}": (path, file) for path, file in copies.files(bundle)}
    faults = []
    for path, name in shipped:
        if name in held and not _is(Path(path), held[name][1]):
            skill = held[name][0].partition("/")[0]
            faults.append(
                f"tool.hatch.build.targets.wheel: ships {path} as {name}, where scanners look for the skill {skill}, and "
                "that of the module has another such file; give one of the two skills another name, or take that one out "
                "of what the wheel ships"
            )
    if faults:
        raise ConfigError(faults)


def _is(path: Path, file: SkillFile) -> bool:
    return path.stat().st_size == file.size and path.read_bytes() == file.bytes()
