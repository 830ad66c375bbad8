"""The folder forms on disk: parts first, `__init__.py` as the one commit, then what nothing names any more goes."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from skillpack.emit.layout import INIT, folder_of, sections, unix_lines
from skillpack.emit.stub import stub_path
from skillpack.errors import OutputError
from skillpack.fingerprint import content_address
from skillpack.shadow import shadows
from skillpack.write import place
from skillpack.write.place import Obstacle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from skillpack.write.place import State

_RUNTIME = re.compile(r"_r[0-9a-f]{16}")
_PART = re.compile(r"_[ms][0-9a-f]{16}\.py|[0-9a-f]{64}\.bin")
_MODULE = re.compile(r"(?!__pycache__)\w+\.py")
_STUB = stub_path(Path(INIT)).name


def write(
    module: Path, files: Iterable[tuple[str, bytes]], *, root: Path, now: float, force: bool = False
) -> bool:
    """Put `files`, paths relative to the folder of the module's name and `__init__.py` last, into that folder.

    Returns whether anything was written or removed. The parts have names by their contents, so a run that is killed
    leaves the old output or the new one. What only the old one named, what such a run left, and skillpack's own
    module of that name go at the end; the stub in the folder stays. `root`, `now` and `force` are as `file.write` has
    them. Raises `OutputError`.
    """
    folder = folder_of(module)
    with place.failures(folder, "written"):
        place.refuse(_in_the_way(module, root, force=force))
        if not folder.parent.is_dir():
            raise place.no_directory(folder)
        folder.mkdir(exist_ok=True)
        foreign = _foreign_parts(folder, force=force)
        kept, made = {_STUB}, list[Path]()
        changed = False
        commit = None
        try:
            with place.Puts() as puts:
                for path, data in files:
                    place.refuse(_named_by(path, foreign))
                    if path == INIT:
                        puts.settle()  # the commit is the last for the disk too
                        _refuse_gaps(folder, kept)
                        commit = data
                    kept.add(path)
                    changed |= _put(puts, folder / path, data, now=now, made=made)
        except BaseException:
            # an interrupt may come when the commit is done, and its parts are in use then
            if commit is None or not _holds(folder / INIT, commit):
                _take_back(folder, made)
            raise
        changed |= clear(folder, kept)
        if module.is_file():
            place.remove_compiled(module)
            module.unlink()
            changed = True
    return changed


def _refuse_gaps(folder: Path, parts: Iterable[str]) -> None:
    """Raise `OutputError` if anybody has removed a part since it was put in its place."""
    for part in parts:
        if part != _STUB and not (folder / part).is_file():
            raise OutputError(f"{folder / part}: was removed while the others were written; run it again")


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.read_bytes() == data
    except FileNotFoundError:
        return False


def _take_back(folder: Path, made: Sequence[Path]) -> None:
    """Remove what a run that failed has made, and nothing names yet: a disk that was full is not to stay so."""
    for path in (*reversed(made), folder):
        with suppress(OSError):
            path.unlink() if path.suffix else path.rmdir()


def compare(module: Path, files: Iterable[tuple[str, bytes]], *, root: Path) -> State:
    """Return how the folder stands to `files`, CRLF counting as LF in sources; the stub is not looked at.

    Raises `OutputError` where `write` would refuse.
    """
    folder = folder_of(module)
    kept = {_STUB}
    states: set[State] = set()
    with place.failures(folder, "read"):
        place.refuse(_in_the_way(module, root))
        if not (folder / INIT).is_file():
            return "missing"
        foreign = _foreign_parts(folder)
        for path, data in files:
            kept.add(path)
            place.refuse(_named_by(path, foreign))
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
    a run that is killed is no package, and each file after what was compiled of it, by which the next run finds that.
    """
    kept = set(keep)
    gone = [path for path in _ours(folder) if path.relative_to(folder).as_posix() not in kept]
    for path in gone:
        place.remove_compiled(path)
        path.unlink()
    runtimes = _runtimes(folder)
    emptied = [path for runtime in runtimes for path in (runtime / place.CACHE, runtime)]
    for path in (folder / place.CACHE, *emptied, folder) if gone or runtimes else ():
        if place.is_empty_directory(path):
            path.rmdir()
    return bool(gone)


def remove_leftovers(module: Path, *, root: Path) -> None:
    """Remove what killed runs left beside the module, in the folder of its name and in those of runtimes."""
    folder = folder_of(module)
    if place.link_on(folder, root) is None:
        for directory in (module.parent, folder, *_runtimes(folder)):
            place.remove_leftovers(directory)


def holds_ours(module: Path) -> bool:
    """Return whether skillpack wrote anything into the folder of the module's name, or made a folder there."""
    folder = folder_of(module)
    return next(_ours(folder), None) is not None or any(map(_is_void, _runtimes(folder)))


def _is_void(directory: Path) -> bool:
    return all(path.name == place.CACHE and place.is_empty_directory(path) for path in directory.iterdir())


def _ours(folder: Path) -> Iterator[Path]:
    """Give skillpack's files in a folder, `__init__.py` first."""
    if not folder.is_dir() or folder.is_symlink():
        return
    for path in sorted(folder.iterdir(), key=lambda path: (path.name != INIT, path.name)):
        if _is_runtime(path):
            yield from (file for file in sorted(path.glob("*.py")) if _is_ours(file))
        elif _is_ours_by_name(path) and _is_ours(path):
            yield path


def _is_ours_by_name(path: Path) -> bool:
    return path.name in (INIT, _STUB) or _PART.fullmatch(path.name) is not None


def _is_ours(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    if path.suffix == ".bin":
        return content_address(path.read_bytes()) == f"blake3:{path.stem}"
    return place.is_ours(path)


def obstacle(module: Path, *, root: Path, force: bool = False) -> Obstacle | None:
    """Return what keeps the folder from being written whatever it is to hold, as `file.obstacle` does of a file."""
    try:
        return _in_the_way(module, root, force=force)
    except OSError:
        return None


def part_obstacles(module: Path, paths: Iterable[str], *, force: bool = False) -> list[Obstacle]:
    """Return what has the place of one of the parts of a folder form at `paths`, each relative to the folder.

    `paths` are asked for only if there is anything that may be in the way: to know them is to make them.
    """
    try:
        foreign = _foreign_parts(folder_of(module), force=force)
    except OSError:
        return []
    named = (_named_by(path, foreign) for path in paths) if foreign else ()
    return list(dict.fromkeys(found for found in named if found is not None))


def _in_the_way(module: Path, root: Path, *, force: bool = False) -> Obstacle | None:
    """Return a link, or what stands in the folder's place or would be imported instead."""
    folder = folder_of(module)
    elsewhere = "move it away, or choose another `module`"
    link = place.link_in_the_way(folder, root)
    if link is not None:
        return link
    if module.is_symlink() or (module.exists() and not (module.is_file() and place.is_ours(module))):
        message = "skillpack did not write this, and it stands beside the folder that would have its name"
        return Obstacle(path=module, message=message, hint=elsewhere)
    if not folder.exists():
        return None
    if not folder.is_dir():
        return Obstacle(path=folder, message="is no directory", hint=elsewhere)
    hiding = shadows([INIT], [entry.name for entry in folder.iterdir()])
    if hiding:
        message = f"Python would import {folder.name}/{hiding[0][1]} in the place of its {INIT}"
        return Obstacle(path=folder, message=message, hint="move that away, or choose another `module`")
    if place.existing(folder / INIT) is not None:
        return place.file_in_the_way(folder / INIT, root, force=force)
    strangers = _strangers(folder)
    if strangers:
        message = f"skillpack did not write what is in this folder ({strangers[0]}), so it stays"
        return Obstacle(path=folder, message=message, hint=elsewhere)
    return None


def _foreign_parts(folder: Path, *, force: bool = False) -> dict[str, Obstacle]:
    """Return what bears the name of a part and cannot be replaced, by its path relative to the folder."""
    found: dict[str, Obstacle] = {}
    for path in _part_places(folder):
        if path.parent == folder and _RUNTIME.fullmatch(path.name) and path.is_file():
            hint = "move it away, or choose another `module`"
            obstacle: Obstacle | None = Obstacle(path=path, message="is no directory", hint=hint)
        else:
            # A damaged blob does not bear its own address, and nobody else gives such names.
            obstacle = place.file_in_the_way(path, folder, force=force or path.suffix == ".bin")
        if obstacle is not None:
            found[path.relative_to(folder).as_posix()] = obstacle
    return found | _hidden_parts(folder)


def _hidden_parts(folder: Path) -> dict[str, Obstacle]:
    """Return what Python would import in the place of a part, as `_foreign_parts` does, whether the part is there or not."""
    found: dict[str, Obstacle] = {}
    if not folder.is_dir():
        return found
    for directory in (folder, *_runtimes(folder)):
        below = "" if directory == folder else f"{directory.name}/"
        parts: set[str] = set()
        names: list[str] = []
        for entry in directory.iterdir():
            part = f"{entry.name.partition('.')[0]}.py"
            # there may be thousands of parts: what is one itself hides none
            if entry.name == part or not (_PART if directory == folder else _MODULE).fullmatch(part):
                continue
            parts.add(part)
            names += [f"{entry.name}/{init.name}" for init in entry.glob("__init__.*")] or [entry.name]
        for part, hiding in shadows(parts, names):
            message = f"Python would import {folder.name}/{below}{hiding} in its place"
            hint = "move that away, or choose another `module`"
            found[f"{below}{part}"] = Obstacle(path=directory / part, message=message, hint=hint)
    return found


def _part_places(folder: Path) -> Iterator[Path]:
    """Give what bears the name of a part, in a folder that is no link, and of a folder of the runtime that is none."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if _is_runtime(path):
            yield from path.glob("*.py")
        elif _PART.fullmatch(path.name) or _RUNTIME.fullmatch(path.name):
            yield path


def _runtimes(folder: Path) -> list[Path]:
    is_there = folder.is_dir() and not folder.is_symlink()
    return list(filter(_is_runtime, folder.iterdir())) if is_there else []


def _is_runtime(path: Path) -> bool:
    return _RUNTIME.fullmatch(path.name) is not None and path.is_dir() and not path.is_symlink()


def _named_by(path: str, foreign: Mapping[str, Obstacle]) -> Obstacle | None:
    """Return what has the place of a part, or of the folder that it is in."""
    return foreign.get(path) or foreign.get(path.partition("/")[0])


def _strangers(folder: Path) -> list[str]:
    """Return the entries of a folder without `__init__.py` that no run of skillpack has left, in its first moments.

    Other runs may be at it, so that entries come and go meanwhile: it is listed once.
    """
    return sorted(path.name for path in folder.iterdir() if _is_strange(path))


def _is_strange(path: Path) -> bool:
    name = path.name
    if name == place.CACHE or name.startswith(place.TEMPORARY_PREFIX) or _RUNTIME.fullmatch(name):
        return False
    return not (_is_ours_by_name(path) and _is_ours(path)) and place.existing(path) is not None


def _put(puts: place.Puts, path: Path, data: bytes, *, now: float, made: list[Path]) -> bool:
    """Put a part or the `__init__.py` in its place unless it is there; what is made where nothing was goes to `made`."""
    if _RUNTIME.fullmatch(path.parent.name) and not path.parent.is_dir():
        made.append(path.parent)
        path.parent.mkdir()
    old = place.existing(path)
    if old is not None and old.st_size == len(data) and path.read_bytes() == data:
        return False
    if old is None:
        made.append(path)
    modified = None if old is None else place.modified(old, now)
    puts.put(path, data, mode=place.FILE_MODE, modified=modified)
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
