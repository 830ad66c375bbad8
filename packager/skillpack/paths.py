"""The rules on the paths in a skill: one implementation for files on disk and for skills defined in code.

Standard library only, as `skillpack.fields` is. The rules are those of the design page "Screening", section "Names".
Paths are POSIX paths relative to the skill directory.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

MAX_SEGMENT_BYTES = 255
MAX_PATH_BYTES = 1024

_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj"})
_CVS_FILES = frozenset({"entries", "repository", "root"})

VERSION_CONTROL = "version control data inside a skill"
"""What is said of `.git` and the like."""

_INVISIBLE = (
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Controls, line separators and what Unicode calls default ignorable, fixed here so that no Python differs."""

_WINDOWS_DEVICE = r"(?is)(con|prn|aux|nul|com[1-9\u00b9\u00b2\u00b3]|lpt[1-9\u00b9\u00b2\u00b3]|conin\$|conout\$) *(?:\..*)?"
_WINDOWS_CHARACTER = r'[<>:"|?*\\]'

_compiled = functools.cache(re.compile)  # when they are needed: half of what imports this has no use for them


class PathFault(NamedTuple):
    """One rule that a path breaks: the finding's `code`, what is wrong, and what to do about it."""

    code: str
    path: str
    message: str
    hint: str


def faults(paths: Collection[str]) -> Iterator[PathFault]:
    """Yield every fault of the paths of all files of a skill, each directory's once."""
    children: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        for entry in (*parents(path), path):
            above, _, name = entry.rpartition("/")
            children[above].append(name)
    directories = {parent: None for path in paths for parent in parents(path)}
    for entry in (*directories, *paths):
        yield from entry_faults(entry, place=entry)
        name, is_directory = entry.rpartition("/")[2], entry in directories
        if is_version_control(name, is_directory=is_directory, entries=children[entry]):
            yield PathFault(code="vcs-entry", path=entry, message=VERSION_CONTROL, hint="take it out")
    yield from collisions(paths, place_of=str)


def is_version_control(name: str, *, is_directory: bool, entries: Iterable[str] = ()) -> bool:
    """Return whether an entry with a name is version control data; `entries` are the names in a directory."""
    own = folded(name)
    if not is_directory:
        return own == ".git"
    # In other letters `cvs` is also a directory with curricula vitae.
    is_cvs = name == "CVS" or (own == "cvs" and set(map(folded, entries)) >= _CVS_FILES)
    return is_cvs or own in _VERSION_CONTROL


def entry_faults(path: str, *, place: str) -> Iterator[PathFault]:
    """Yield the faults of the last segment of `path`, so that a directory's come once and not with each of its files.

    `place` is what hints call it, and empty where it must not be told.
    """
    name = path.rpartition("/")[2]
    if invisible := _compiled(_INVISIBLE).search(name):
        from skillpack.invisible import name_of

        yield PathFault(
            code="path-control",
            path=path,
            message=f"{name_of(invisible[0])} in the name cannot be seen",
            hint=f"rename it without U+{ord(invisible[0]):04X}",
        )
    if not name.isascii() and unicodedata.normalize("NFC", name) != name:
        import shlex

        yield PathFault(
            code="path-normal-form",
            path=path,
            message="the name is not in Unicode normal form C, so other systems may not find it",
            hint=f"compose its accents: convmv -f utf8 -t utf8 --nfc --notest {shlex.quote(place)}"
            if place
            else "rename it, with its accents composed",
        )
    if fault := _windows_fault(name):
        yield PathFault(
            code="path-windows",
            path=path,
            message=fault,
            hint="rename it, so that a checkout on Windows has it too",
        )
    size = len(path.encode("utf-8", "surrogatepass"))
    if size > MAX_PATH_BYTES:
        yield PathFault(
            code="path-length",
            path=path,
            message=f"the path has {size:,} bytes; file systems and archives take {MAX_PATH_BYTES:,}",
            hint="shorten the names of its directories",
        )
    size = len(name.encode("utf-8", "surrogatepass"))
    if size > MAX_SEGMENT_BYTES:
        yield PathFault(
            code="path-length",
            path=path,
            message=f"the name has {size:,} bytes; file systems take {MAX_SEGMENT_BYTES}",
            hint="shorten the name",
        )


def _windows_fault(name: str) -> str:
    if device := _compiled(_WINDOWS_DEVICE).fullmatch(name):
        return f"Windows keeps the name {device[1]} for a device"
    if character := _compiled(_WINDOWS_CHARACTER).search(name):
        return f"Windows does not allow {character[0]} in a name"
    return "Windows drops the dot or blank at the end of a name" if name.endswith((".", " ")) else ""


def collisions(paths: Iterable[str], *, place_of: Callable[[str], str]) -> Iterator[PathFault]:
    """Yield paths that are one where case or compatibility characters do not count, and files in files.

    `place_of` gives what messages and hints call an entry.
    """
    files: dict[str, str] = {}
    for path in paths:
        first = files.setdefault(_one_name(path), path)
        if first != path:
            yield PathFault(
                code="path-collision",
                path=path,
                message=f"some file systems cannot tell it from {first}",
                hint="rename one of the two",
            )
    for key, path in files.items():
        for parent in parents(key):
            if parent in files:
                directory = "/".join(path.split("/")[: parent.count("/") + 1])
                yield PathFault(
                    code="path-collision",
                    path=path,
                    message=f"it lies in a directory that some file systems cannot tell from the file {files[parent]}",
                    hint=f"rename {place_of(files[parent])}, or the directory {place_of(directory)}",
                )


def parents(path: str) -> Iterator[str]:
    """Yield the directories above a path, the outermost first."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


def folded(text: str) -> str:
    """Return `text` as names are compared: in normal form C and case-folded."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def _one_name(path: str) -> str:
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
