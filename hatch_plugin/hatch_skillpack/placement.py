"""Where the emitted module comes to lie in the wheel, and whether it can be imported from there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hatch_skillpack.selection import Selection
from skillpack.config import import_fault
from skillpack.errors import ConfigError

if TYPE_CHECKING:
    from hatchling.builders.wheel import WheelBuilderConfig

_SOURCE = "src"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """`path` is the module's POSIX path in the wheel.

    `stripped` is the directory that hatchling has to be told to leave out of the paths in the wheel, or empty.
    """

    path: str
    stripped: str = ""


def place(config: WheelBuilderConfig, module: str) -> Placement:
    """Return where the wheel has what is at `module`, a POSIX path relative to the project.

    Raises `ConfigError` when it cannot be imported from there, or would come to lie beside what is shipped.
    """
    # any forced file keeps hatchling from failing where the project has no package besides the emitted module
    with Selection(config).as_built({"artifacts": [], "force_include": {os.devnull: module}}):
        options = config.default_file_selection_options
        path = config.get_distribution_path(module.replace("/", os.sep)).replace(os.sep, "/")
        stripped = ""
        if not (options.include or options.packages or options.only_include) and path == module:
            # hatchling strips `src` only when it finds a package there
            top, _, rest = module.partition("/")
            if top == _SOURCE and rest:
                path, stripped = rest, top
        fault = import_fault(PurePosixPath(path)) or _outside_fault(config, module)
    if fault:
        raise ConfigError([f"tool.skillpack.module: {module} {fault}"])
    return Placement(path=path, stripped=stripped)


def _outside_fault(config: WheelBuilderConfig, module: str) -> str:
    shipped = [path.replace(os.sep, "/") for path in config.only_include.values()]
    if shipped:
        inside = any(path in {".", module} or module.startswith(f"{path}/") for path in shipped)
    else:
        inside = config.include_spec is None or config.include_spec.match_file(module)
    if inside:
        return ""
    what = f"which has {', '.join(shipped)}" if shipped else "whose include does not match it"
    return (
        f"lies outside what the wheel ships, {what}; move it there, or mend the selection of files "
        "in [tool.hatch.build.targets.wheel]"
    )
