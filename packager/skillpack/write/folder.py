"""The folder forms on disk: parts first, `__init__.py` as the one commit, then what nothing names any more goes."""

from __future__ import annotations

import re
import stat
from typing import TYPE_CHECKING

from skillpack.digest import content_address
from skillpack.emit.layout import INIT, sections, unix_lines
from skillpack.errors import OutputError
from skillpack.shadow import shadows
from skillpack.write import place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from skillpack.write.place import State

_RUNTIME = re.compile(r"_r[0-9a-f]{16}")
_PART = re.compile(r"__init__\.py|_[ms][0-9a-f]{16}\.py|[0-9a-f]{64}\.bin")
_CACHE = "__pycache__"


def write(
    module: Path, files: Iterable[tuple[str, bytes]], *, root: Path, now: float, force: bool = False
) -> bool:
    """Put `files`, paths relative to the folder of the module's name and `__init__.py` last, into that folder.

    Returns whether anything was written or removed. The parts have names by their contents, so a run that is killed
    leaves the old output or the new one. What only the old one named, what such a run left, and skillpack's own
    module of that name go at the end. `root`, `now` and `force` are as `file.write` has them. Raises `OutputError`.
    """
    folder = folder_of(module)
    with place.failures(folder, "written"):
        _refuse(module, folder, root, force=force)
        changed = False
        kept: set[str] = set()
        for path, data in files:
            kept.add(path)
            changed |= _put(folder / path, data, now=now, force=force)
        changed |= clear(folder, kept)
        if module.is_file():
            module.unlink()
            changed = True
    return changed


def compare(module: Path, files: Iterable[tuple[str, bytes]], *, root: Path) -> State:
    """Return how the folder stands to `files`, CRLF counting as LF in sources.

    Raises `OutputError` where `write` would refuse.
    """
    folder = folder_of(module)
    kept: set[str] = set()
    states: set[State] = set()
    with place.failures(folder, "read"):
        _refuse(module, folder, root, force=False)
        if not (folder / INIT).is_file():
            return "missing"
        for path, data in files:
            kept.add(path)
            states.add(_state(folder, path, data))
        extra = [path for path in _ours(folder) if path.relative_to(folder).as_posix() not in kept]
    extra = [path for path in extra if not _RUNTIME.fullmatch(path.parent.name)]
    if extra or "stale" in states or module.is_file():
        return "stale"
    return "runtime-newer" if "runtime-newer" in states else "equal"


def remove(module: Path, *, root: Path) -> bool:
    """Remove skillpack's files from the folder of the module's name, and the folder when nothing else is in it."""
    folder = folder_of(module)
    with place.failures(folder, "removed"):
        return place.link_on(folder, root) is None and clear(folder)


def clear(folder: Path, keep: Iterable[str] = ()) -> bool:
    """Remove skillpack's files from a folder but those at `keep`, relative paths; return whether there were any.

    What Python compiled of them goes too, and folders that are empty then. `__init__.py` goes first: what is left of
    a run that is killed is no package.
    """
    kept = set(keep)
    gone = [path for path in _ours(folder) if path.relative_to(folder).as_posix() not in kept]
    for path in gone:
        path.unlink()
        for compiled in path.parent.glob(f"{_CACHE}/{path.stem}.*.pyc"):
            compiled.unlink()
    emptied = {path.parent for path in gone} | ({folder} if gone else set())
    for directory in sorted(emptied, key=lambda path: len(path.parts), reverse=True):
        for empty in (directory / _CACHE, directory):
            if empty.is_dir() and not any(empty.iterdir()):
                empty.rmdir()
    return bool(gone)


def holds_ours(module: Path) -> bool:
    """Return whether skillpack wrote anything into the folder of the module's name."""
    return next(_ours(folder_of(module)), None) is not None


def folder_of(module: Path) -> Path:
    """Return the folder that stands for the module in the folder forms."""
    return module.with_suffix("")


def _ours(folder: Path) -> Iterator[Path]:
    """Give skillpack's files in a folder, `__init__.py` first."""
    if not folder.is_dir() or folder.is_symlink():
        return
    for path in sorted(folder.iterdir(), key=lambda path: (path.name != INIT, path.name)):
        if path.is_symlink():
            continue
        if path.is_dir() and _RUNTIME.fullmatch(path.name):
            yield from (file for file in sorted(path.glob("*.py")) if _is_ours(file))
        elif _PART.fullmatch(path.name) and _is_ours(path):
            yield path


def _is_ours(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    if path.suffix == ".bin":
        return content_address(path.read_bytes()) == f"blake3:{path.stem}"
    return place.is_ours(path)


def _refuse(module: Path, folder: Path, root: Path, *, force: bool) -> None:
    """Refuse links, and what stands in the folder's place or would be imported instead."""
    link = place.link_on(folder, root)
    if link is not None:
        raise OutputError(f"{folder}: {link} is a link, and skillpack does not write through links")
    if not folder.parent.is_dir():
        raise place.no_directory(folder)
    if module.is_symlink() or (module.exists() and not (module.is_file() and place.is_ours(module))):
        raise OutputError(
            f"{module}: output-foreign: it stands beside the folder that would have its name; move it away, or choose "
            "another `module`"
        )
    if not folder.exists():
        return
    if not folder.is_dir():
        raise OutputError(f"{folder}: is no directory; move it away, or choose another `module`")
    names = [f"{folder.name}/{entry.name}" for entry in folder.iterdir()]
    for name in shadows(f"{folder.name}/{INIT}", names):
        raise OutputError(
            f"{folder}: output-foreign: Python would import {folder.parent / name} in the place of its {INIT}; move "
            "that away, or choose another `module`"
        )
    if (folder / INIT).exists():
        if not (force or place.is_ours(folder / INIT)):
            raise place.foreign(folder / INIT)
    elif strangers := _strangers(folder):
        raise OutputError(
            f"{folder}: output-foreign: skillpack did not write what is in this folder ({strangers[0]}), so it stays; "
            "move it away, or choose another `module`"
        )


def _strangers(folder: Path) -> list[str]:
    """Return the entries of a folder without `__init__.py` that no run of skillpack has left, in its first moments."""
    ours = {path.relative_to(folder).parts[0] for path in _ours(folder)} | {_CACHE}
    return sorted(
        entry.name
        for entry in folder.iterdir()
        if entry.name not in ours
        and not entry.name.startswith(place.TEMPORARY_PREFIX)
        and not _RUNTIME.fullmatch(entry.name)
    )


def _put(path: Path, data: bytes, *, now: float, force: bool) -> bool:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        old = path.lstat()
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        raise OutputError(f"{path}: is no regular file; move it away")
    if old is not None and old.st_size == len(data) and path.read_bytes() == data:
        return False
    # A damaged blob does not bear its own address, and nobody else gives such names.
    if old is not None and path.suffix == ".py" and not (force or place.is_ours(path)):
        raise place.foreign(path)
    place.put(path, data, mode=place.FILE_MODE, modified=None if old is None else place.modified(old, now))
    return True


def _state(folder: Path, path: str, data: bytes) -> State:
    try:
        found = (folder / path).read_bytes()
    except FileNotFoundError:
        found = b""
    if path.endswith(".py"):
        found = unix_lines(found)
    if found == data:
        return "equal"
    if "/" in path:
        return "runtime-newer"
    old, new = sections(found), sections(data)
    is_newer = path == INIT and old is not None and new is not None and old.data == new.data
    return "runtime-newer" if is_newer else "stale"
