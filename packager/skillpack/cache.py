"""The cache: what earlier runs found out about contents, by the BLAKE3 of these.

It saves work and decides nothing: every file is read and hashed in every run, and output is the same bytes without it.
It holds that nothing was found in some contents, the parsed frontmatter of such contents, and the BLAKE3 of what was
emitted; of whole runs what they told, which has no secret in it. So no secret that skillpack knows as one is ever
written to it. Whoever can write to the user's cache directory
can make skillpack believe that a file was checked, or that it wrote one that stands in the output, as they could change
skillpack itself; a build that trusts nobody does without.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from skillpack.errors import OutputError, SkillpackError
from skillpack.fingerprint import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from skillpack.config import Config
    from skillpack.model import Json

_K = TypeVar("_K")
_V = TypeVar("_V")

FILE = "contents"
_PART = f"{FILE}-"
"""How the names of temporary files begin."""
KEY_BYTES = 33
"""How long a key of `Cache.clean` is: one for the kind, 32 for the BLAKE3."""
MAX_CLEAN = 200_000
MAX_DOCUMENTS = 10_000
MAX_OUTPUTS = 16
RUN_PREFIX = "run-"
MAX_RUNS = 64
MAX_FILE_BYTES = 64 * 2**20
"""What is larger without its first line was not written by skillpack, and is not read."""
_FRAME = "[{%s}, {%s}]\n"
_SEPARATOR = ", "


def directory(environment: Mapping[str, str], platform: str) -> Path | None:
    """Return the cache directory of the user, or None where the environment names no place for one.

    `SKILLPACK_CACHE_DIR` goes before the platform's own place; `platform` is as `sys.platform` has it.
    """
    if chosen := environment.get("SKILLPACK_CACHE_DIR"):
        return Path(chosen)
    if platform == "win32":
        base = environment.get("LOCALAPPDATA", "")
        return Path(base, "skillpack", "Cache") if base else None
    home = environment.get("HOME", "")
    if platform == "darwin":
        return Path(home, "Library", "Caches", "skillpack") if home else None
    base = environment.get("XDG_CACHE_HOME", "")
    if base.startswith("/"):  # the XDG specification has others ignored
        return Path(base, "skillpack")
    return Path(home, ".cache", "skillpack") if home else None


def kept_in(settings: Config, environment: Mapping[str, str], platform: str) -> Path | None:
    """Return the directory of the user's cache for runs under a configuration, as `directory` does.

    Raises `SkillpackError` when it lies among the skills.
    """
    home = directory(environment, platform)
    if home and (root := settings.root_around(home)):
        raise SkillpackError(
            f"the cache directory {home} lies in the skills root {root}, and would be packed; "
            f"set SKILLPACK_CACHE_DIR to another directory, or to {os.devnull} to do without"
        )
    return home


class Cache:
    """What is kept from run to run in the directory `home`; without one, for a run.

    `clean` are the keys of contents in which nothing is found, as the screen makes them. `documents` are parsed
    frontmatters as the frontmatter stage writes them, without any that holds a secret, by the BLAKE3 of their SKILL.md
    (64 lowercase hex characters).
    `outputs` are the files of emitted folders, a list of (path, address), by what they were made from. All are there to
    be read and added to. A cache that is missing, damaged or of another skillpack is empty.
    """

    def __init__(self, home: Path | None = None) -> None:
        self.clean: set[bytes] = set()
        self.documents: dict[str, Json] = {}
        self.outputs: dict[str, list[list[str]]] = {}
        self._version = _version() if home else ""
        self._path = home / FILE if home and self._version else None
        if self._path:
            with contextlib.suppress(OSError):
                self._load(self._path)
        self._loaded = self._keys()

    def _keys(self) -> tuple[set[bytes], set[str], set[str]]:
        return self.clean.copy(), set(self.documents), set(self.outputs)

    def _load(self, path: Path) -> None:
        body = _read(path, self._version)
        if body is None:
            return
        texts, _, keys = body.partition(b"\n")
        self.documents, self.outputs = json.loads(texts)
        self.clean = {keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES)}

    def save(self) -> None:
        """Keep what this run has found out; where that cannot be written, nothing is said and nothing is lost."""
        clean, documents, outputs = self._loaded
        if self._path is None or self._keys() == self._loaded:
            return
        self.clean = set(_newest(dict.fromkeys(self.clean), clean, MAX_CLEAN))
        room = MAX_FILE_BYTES - KEY_BYTES * len(self.clean) - len(_FRAME)
        # half of it at most: there are few, but each lists all files of a folder
        output_texts = _texts(_newest(self.outputs, outputs, MAX_OUTPUTS), room // 2)
        room -= sum(len(text) + len(_SEPARATOR) for text in output_texts.values())
        document_texts = _texts(_newest(self.documents, documents, MAX_DOCUMENTS), room)
        self.outputs = {key: self.outputs[key] for key in output_texts}
        self.documents = {key: self.documents[key] for key in document_texts}
        self._loaded = self._keys()
        texts = [_SEPARATOR.join(texts.values()) for texts in (document_texts, output_texts)]
        body = (_FRAME % tuple(texts)).encode("ascii") + b"".join(sorted(self.clean))
        _write(self._path, self._version, body)

    def emitted(
        self,
        key: str,
        place: Path,
        address: Callable[[bytes], str],
        render: Callable[[], Iterable[tuple[str, bytes]]],
    ) -> Iterator[tuple[str, bytes]]:
        """Give the files of an emitted folder as (relative path, bytes), those in `place` if they are the same.

        `key` stands for all that they are made from, but skillpack's own code, `address` gives the address of some
        bytes. If every file that was emitted for it lies in the folder `place`, and has the address that it had, they
        are read from there; else `render` makes them, all anew. Raises `OutputError` when one of these files is changed
        while they are given.
        """
        known = self.outputs.get(key)
        if known and all(_has_address(place / path, expected, address) for path, expected in known):
            for path, expected in known:
                # Once more, as all of them together may not fit into memory.
                data = _standing(place / path)
                if data is None or address(data) != expected:
                    raise OutputError(f"{place / path}: was changed while skillpack ran; run it again")
                yield path, data
            return
        made: list[list[str]] = []
        for path, data in render():
            made.append([path, address(data)])
            yield path, data
        self.outputs[key] = made


class Runs:
    """What whole runs came to, in the directory `home`; without one, nothing is kept.

    A run is known by a text that says all that it depends on but skillpack's own code, Python and PyYAML, which are
    seen to here. What is missing, damaged or of others is not there. The latest `MAX_RUNS` are kept.
    """

    def __init__(self, home: Path | None = None) -> None:
        self._home = home
        self._version = _version() if home else ""

    def recall(self, run: str) -> Any:
        """Return what was kept of a run, a value of JSON, or None.

        Beside what a killed run has left it is None too: that goes when something is kept.
        """
        with contextlib.suppress(OSError):
            path = self._path(run)
            if path is None or any(name.startswith(_PART) for name in os.listdir(path.parent)):  # noqa: PTH208 - names alone
                return None
            body = _read(path, self._version)
            return None if body is None else json.loads(body)
        return None

    def keep(self, run: str, told: Json) -> None:
        """Keep what a run came to; where that cannot be written, nothing is said and nothing is lost."""
        with contextlib.suppress(OSError):
            path = self._path(run)
            if path is None:
                return
            _write(path, self._version, json.dumps(told).encode("ascii"))
            kept = sorted(path.parent.glob(f"{RUN_PREFIX}*"), key=lambda other: other.stat().st_mtime_ns)
            for old in kept[:-MAX_RUNS]:
                old.unlink()

    def _path(self, run: str) -> Path | None:
        """Return where a run is kept; raises `OSError` where PyYAML cannot be read as a file, as in a zip."""
        if not self._home or not self._version:
            return None
        # both loaders of PyYAML give the same findings, two releases of it may not
        yaml = util.find_spec("yaml")
        own = Path(yaml.origin).read_bytes() if yaml and yaml.origin else b""
        environment = f"{sys.implementation.name} {sys.version}\n{run}".encode("utf-8", "surrogatepass")
        return self._home / f"{RUN_PREFIX}{identity(own + environment)}"


def _read(path: Path, version: str) -> bytes | None:
    """Return what is in a file of this skillpack's cache, None for any other; raises `OSError`."""
    # not to wait for a FIFO, whoever put it there
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        head = file.readline(len(_head(version, b"")))
        body = file.read(MAX_FILE_BYTES)
    return body if head == _head(version, body) else None


def _write(path: Path, version: str, body: bytes) -> None:
    if len(body) > MAX_FILE_BYTES:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _replace(path, _head(version, body) + body)


def _head(version: str, body: bytes) -> bytes:
    return f"skillpack-cache {version} {identity(body)}\n".encode("ascii")


def _version() -> str:
    """Return what changes with skillpack's own code; empty where that cannot be read as files.

    A number to raise by hand was rejected: a rule that is added without it would trust old verdicts.
    """
    sources: list[bytes] = []
    with contextlib.suppress(OSError):
        for path in _sources(os.path.dirname(__file__)):  # noqa: PTH120 - a path in a zip is no error of its own
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - for 150 files in every run
                source = file.read()
            sources += (f"{path} {len(source)}\n".encode("utf-8", "surrogatepass"), source)
        return identity(b"".join(sources))
    return ""


def _sources(directory: str) -> Iterator[str]:
    """Give the paths of the sources in a directory and below, in an order; raises `OSError`, as in a zip."""
    with os.scandir(directory) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir():
            yield from _sources(entry.path)
        elif entry.name.endswith(".py"):
            yield entry.path


def _has_address(path: Path, expected: str, address: Callable[[bytes], str]) -> bool:
    data = _standing(path)
    return data is not None and address(data) == expected


def _standing(path: Path) -> bytes | None:
    with contextlib.suppress(OSError):
        return path.read_bytes()
    return None


def _newest(entries: Mapping[_K, _V], old: Collection[_K], most: int) -> dict[_K, _V]:
    """Return at most `most` entries, those that are not `old` first: nothing is known about which old ones serve."""
    ordered = sorted(entries, key=old.__contains__)[:most]
    return {key: entries[key] for key in ordered}


def _texts(entries: Mapping[str, object], room: int) -> dict[str, str]:
    """Return entries as members of a JSON object, those of the first that fit into `room` bytes with their separators."""
    texts: dict[str, str] = {}
    for key, value in entries.items():
        text = f"{json.dumps(key)}: {json.dumps(value)}"
        size = len(text) + len(_SEPARATOR)
        if size <= room:
            room -= size
            texts[key] = text
    return texts


def _replace(path: Path, data: bytes) -> None:
    """Put `data` at `path` all at once, so that runs at the same time never see a part of it; the last one stays."""
    from skillpack import temporary  # a run that finds all as it was writes nothing

    temporary.sweep(path.parent, _PART)
    part = temporary.name_in(path.parent, _PART)
    with temporary.written(part, data):
        part.replace(path)
