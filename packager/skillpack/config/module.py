"""The module to emit: where it is written, and whether it can be imported from there."""

from __future__ import annotations

import itertools
import keyword
import re
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from skillpack.config.file import mode_of
from skillpack.config.paths import path_fault, posix
from skillpack.config.table import flag_place, quoted
from skillpack.findings import visible

if TYPE_CHECKING:
    from skillpack.config.table import Table


def import_fault(path: PurePosixPath) -> str:
    """Say why the module at `path`, seen from the directory on `sys.path`, cannot be imported; empty if it can."""
    if path.suffix != ".py":
        return "must end in .py"
    if path.name == "__init__.py":
        return (
            "would take the place of the package's own __init__.py; name a file beside it, such as skills.py"
        )
    return next(filter(None, map(_segment_fault, (*path.parts[:-1], path.stem))), "")


def _segment_fault(segment: str) -> str:
    if not segment.isidentifier():
        return f"{quoted(segment)} is no Python identifier, so it cannot be imported; rename it"
    if keyword.iskeyword(segment):
        return f"{quoted(segment)} is a Python keyword, so it cannot be imported; rename it"
    return ""


def read_module(
    tool: Table, output: str | None, start: Path, project: Path, name: object
) -> tuple[Path | None, str, str]:
    """Return the path of the module to emit, how it was written, and the reason where there is none."""
    base, text = project, tool.text("module")
    if text is not None and (fault := inside_fault(text) or _module_fault(text, project, project)):
        tool.fault("module", fault)
    if output is not None:
        base, text = start, posix(output)
        if fault := _module_fault(text, start, project):
            tool.faults.append((flag_place("-o", output), fault))
    if text is None:
        text, fault = _default_module(project, name)
        if fault:
            way_out = "set it to the file to write, or name the file with -o"
            return None, "", f"{tool.at('module').text}: not set, and {fault}; {way_out}"
    written = PurePosixPath(text)
    return base / written, str(written), ""


def inside_fault(text: str) -> str:
    """Say why a path does not stay in the project, as `module` has to; a drive letter counts on every platform."""
    windows = PureWindowsPath(text)
    if windows.drive or windows.root or ".." in windows.parts:
        return "must stay inside the project; write a path relative to pyproject.toml, without .."
    return ""


def _module_fault(text: str, base: Path, project: Path) -> str:
    """Say why the module cannot be written at `text` and imported from there.

    The directories above it that hold an `__init__.py` are packages and need names that can be imported; the
    first that does not is a source root such as `src`, whose name is free. What a wheel makes of a namespace
    package only the build hook knows: it calls `import_fault` with the path in the wheel.
    """
    if fault := path_fault(text):
        return fault
    path = base / text
    packages = itertools.takewhile(
        lambda directory: directory != project and stat.S_ISREG(mode_of(directory / "__init__.py")),
        path.parents,
    )
    return import_fault(PurePosixPath(*reversed([directory.name for directory in packages]), path.name))


def _default_module(project: Path, name: object) -> tuple[str, str]:
    """Return the path of `skills.py` in the project's package, or an empty path and the reason."""
    if not isinstance(name, str):
        return "", "there is no project.name to find the package by"
    package = re.sub(r"[-_.]+", "_", name).lower()  # PEP 503, then as an import package is named
    if _segment_fault(package):
        return "", f"{quoted(package)}, the package of the project's name, cannot be imported"
    for directory in (f"src/{package}", package):
        if stat.S_ISDIR(mode_of(project / directory)):
            return f"{directory}/skills.py", ""
    return "", f"there is neither src/{package}/ nor {package}/ in {visible(str(project))}"
