"""The cache: what earlier runs found out about contents, by the BLAKE3 of these.

It saves work and decides nothing: every file is read and hashed in every run, and output is the same bytes without it.
It holds that nothing was found in some contents, and the parsed frontmatter of such contents; so no secret that
skillpack knows as one is ever written to it. Whoever can write to the user's cache directory can make skillpack
believe that a file was checked, as they could change skillpack itself; a build that trusts nobody does without.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from skillpack.model import Json

_K = TypeVar("_K")
_V = TypeVar("_V")

FORMAT = 1
"""Rises when the file's shape changes."""

FILE = "contents"
KEY_BYTES = 33
"""How long a key of `Cache.clean` is: one for the kind, 32 for the BLAKE3."""
MAX_CLEAN = 200_000
MAX_DOCUMENTS = 10_000
MAX_FILE_BYTES = 64 * 2**20
"""What is larger was not written by skillpack, and is not read."""


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


class Cache:
    """What is kept from run to run in the directory `home`; without one, for a run.

    `clean` are the keys of contents in which nothing is found, as the screen makes them. `documents` are parsed
    frontmatters as the frontmatter stage writes them, by the BLAKE3 of their SKILL.md (64 lowercase hex characters).
    Both are there to be read and added to. A cache that is missing, damaged or of another skillpack is empty.
    """

    def __init__(self, home: Path | None = None) -> None:
        self.clean: set[bytes] = set()
        self.documents: dict[str, Json] = {}
        self._version = _version() if home else ""
        self._path = home / FILE if home and self._version else None
        if self._path:
            with contextlib.suppress(OSError):
                self._load(self._path)
        self._loaded = self.clean.copy(), set(self.documents)

    def _load(self, path: Path) -> None:
        # not to wait for a FIFO, whoever put it there
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return
            head = file.readline(len(self._head(b"")))
            body = file.read(MAX_FILE_BYTES)
        if head != self._head(body):
            return
        documents, _, keys = body.partition(b"\n")
        self.documents = json.loads(documents)
        self.clean = {keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES)}

    def save(self, is_clean: Callable[[bytes], bool], instructions: Callable[[str], bytes]) -> None:
        """Keep what this run has found out; where that cannot be written, nothing is said and nothing is lost.

        `instructions` gives the key in `clean` of a SKILL.md by its BLAKE3. A document is kept if nothing was found
        in its file and `is_clean` says so of its text, which YAML may have written with escapes in the file.
        """
        clean, documents = self._loaded
        if self._path is None or (self.clean == clean and self.documents.keys() == documents):
            return
        kept = {
            key: document
            for key, document in self.documents.items()
            if key in documents
            or (
                instructions(key) in self.clean
                and is_clean(json.dumps(document, ensure_ascii=False).encode())
            )
        }
        body = b"%b\n%b" % (
            json.dumps(_newest(kept, documents, MAX_DOCUMENTS)).encode("ascii"),
            b"".join(sorted(_newest(dict.fromkeys(self.clean), clean, MAX_CLEAN))),
        )
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(self._path, self._head(body) + body)

    def _head(self, body: bytes) -> bytes:
        return f"skillpack-cache/{FORMAT} {self._version} {hashlib.sha256(body).hexdigest()}\n".encode(
            "ascii"
        )


def _version() -> str:
    """Return what changes with skillpack's own code; empty where that cannot be read as files.

    A number to raise by hand was rejected: a rule that is added without it would trust old verdicts.
    """
    own = Path(__file__)
    digest = hashlib.sha256()
    with contextlib.suppress(OSError):
        digest.update(own.read_bytes())  # an error in a zip, where nothing could be found below
        for path in sorted(own.parent.rglob("*.py")):
            source = path.read_bytes()
            digest.update(f"{path.relative_to(own.parent).as_posix()} {len(source)}\n".encode() + source)
        return digest.hexdigest()
    return ""


def _newest(entries: dict[_K, _V], old: Collection[_K], most: int) -> dict[_K, _V]:
    """Return at most `most` entries, those that are not `old` first: nothing is known about which old ones serve."""
    if len(entries) <= most:
        return entries
    ordered = sorted(entries, key=old.__contains__)[:most]
    return {key: entries[key] for key in ordered}


def _replace(path: Path, data: bytes) -> None:
    """Put `data` at `path` all at once, so that runs at the same time never see a part of it; the last one stays."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{FILE}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
