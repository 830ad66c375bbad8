"""Wheels, zips, sdists, directories and single files as named streams, within bounds.

Nothing is written to disk and nothing runs. An archive with a name that climbs, a link, a name twice or more
content than the bounds allow is refused as a whole: what an installer would make of it is anyone's guess.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from gzip import GzipFile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, Self

from skillpack.emit.layout import INIT, folder_of, is_emitted
from skillpack.errors import ArtifactError, MissingArtifactError
from skillpack.findings import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Kind = Literal["module", "wheel", "zip", "sdist", "directory"]

MAX_UNPACKED_BYTES = 2**30
MAX_RATIO = 200
RATIO_FREE_BYTES = 16 * 2**20
"""Up to here the ratio of unpacked to packed size is not looked at: a megabyte of blanks is no attack."""
MAX_MEMBERS = 100_000
MAX_HEADER_BYTES = 2**20
"""How long a name or a set of attributes in a tar may be; tarfile reads them into memory whole."""
START_BYTES = 64

_SUFFIXES = frozenset({".py", ".whl", ".zip", ".gz"})
PASSED_OVER = frozenset({"__pycache__", "node_modules"})
"""Directories that are not entered, as are those whose name begins with a dot."""

_FAULTS = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    OverflowError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
    tarfile.TarError,
)
"""What the standard library raises for a damaged, encrypted or unsupported archive."""
_ENCRYPTED = 0x1
"""The bit of a zip's member that says so."""
_TRICK = re.compile(r"^[A-Za-z]:|[\\\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A regular file in an artifact.

    `name` is its POSIX path there, empty when the artifact is that file. `read` takes a number of bytes and
    returns as many, or what is left; it raises `ArtifactError` and serves until the next member is taken.
    """

    name: str
    read: Callable[[int], bytes]


def kind_of(path: Path) -> Kind:
    """Return what the artifact at `path` is, by its content and not by its name, but for wheel and zip.

    Raises `MissingArtifactError` when there is nothing, `ArtifactError` when it is none of these.
    """
    with _faults(path):
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            raise MissingArtifactError(f"{path}: there is no such file or directory") from None
        if stat.S_ISDIR(mode):
            return "directory"
        if stat.S_ISREG(mode):
            with path.open("rb") as stream:
                start = stream.read(START_BYTES)
            if is_emitted(start):
                return "module"
            if start.startswith(b"\x1f\x8b"):
                return "sdist"
            if start.startswith(b"PK") or zipfile.is_zipfile(path):
                return "wheel" if path.suffix == ".whl" else "zip"
    raise ArtifactError(
        f"{path}: neither a module that skillpack wrote (its first line says so) nor a wheel, zip, .tar.gz or "
        "directory"
    )


def is_artifact(path: Path) -> bool:
    """Return whether a path is an artifact and no directory of skills, where it could be either.

    Every file is one, and a directory with a module of a folder form in it. Where there is nothing, the name tells.
    """
    if path.is_dir():
        try:
            return kind_of(path / INIT) == "module"
        except (ArtifactError, MissingArtifactError):
            return False
    return path.is_file() or (not path.exists() and path.suffix in _SUFFIXES)


def members(path: Path, kind: Kind, wanted: Callable[[str], bool]) -> Iterator[Member]:
    """Give the regular files of an artifact whose POSIX path is `wanted`, one after the other.

    Raises `ArtifactError` for whatever is wrong with the artifact.
    """
    give = {"module": _file, "directory": _directory, "sdist": _tar}.get(kind, _zip)
    with _faults(path):
        yield from give(path, wanted)


def beside(path: Path) -> list[str]:
    """Return the files in a module's directory, and in the folder of its name, relative to that directory."""
    folder = folder_of(path)
    with _faults(path):
        inside = [f"{folder.name}/{entry.name}" for entry in folder.iterdir()] if folder.is_dir() else []
        return [entry.name for entry in path.parent.iterdir()] + inside


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except _FAULTS as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        reason = visible(reason[:200]) or type(error).__name__
        raise ArtifactError(f"{path}: cannot be read, it may be damaged ({reason})") from None


def _reader(path: Path, stream: IO[bytes]) -> Callable[[int], bytes]:
    def read(size: int) -> bytes:
        with _faults(path):
            return stream.read(size)

    return read


def _file(path: Path, _wanted: Callable[[str], bool]) -> Iterator[Member]:
    with path.open("rb") as stream:
        yield Member(name="", read=_reader(path, stream))


def _directory(path: Path, wanted: Callable[[str], bool]) -> Iterator[Member]:
    """Walk in the order of names; links are not followed, and nothing but regular files is opened."""

    def fail(error: OSError) -> None:
        raise error

    for parent, directories, names in os.walk(path, onerror=fail):
        directories[:] = sorted(
            name for name in directories if name not in PASSED_OVER and not name.startswith(".")
        )
        for name in sorted(names):
            file = Path(parent, name)  # `parent` begins with `path` already
            relative = file.relative_to(path).as_posix()
            if wanted(relative) and stat.S_ISREG(file.lstat().st_mode):
                with file.open("rb") as stream:
                    yield Member(name=relative, read=_reader(path, stream))


class _Names:
    """The names of an archive's members, each a plain relative path and there once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: set[str] = set()

    def add(self, name: str) -> str:
        """Return the name without the slash that ends a directory's."""
        plain = name.removesuffix("/")
        if _TRICK.search(plain) or any(part in ("", ".", "..") for part in plain.split("/")):
            raise ArtifactError(f"{self._path}: holds a name that is no plain relative path: {visible(name)}")
        if plain in self._seen:
            raise ArtifactError(f"{self._path}: holds two members named {visible(plain)}")
        if len(self._seen) == MAX_MEMBERS:
            raise ArtifactError(f"{self._path}: holds more than {MAX_MEMBERS:,} members")
        self._seen.add(plain)
        return plain


def _limit(path: Path) -> int:
    """Return how much an archive may unpack to, in bytes."""
    return min(MAX_UNPACKED_BYTES, max(RATIO_FREE_BYTES, MAX_RATIO * path.stat().st_size))


def _too_large(path: Path) -> ArtifactError:
    return ArtifactError(
        f"{path}: unpacks to more than {_limit(path):,} bytes; skillpack reads up to {MAX_RATIO} times the size of "
        "an archive, and 1 GiB"
    )


def _zip(path: Path, wanted: Callable[[str], bool]) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        names = _Names(path)
        infos = archive.infolist()
        # zipfile serves no more than a member's stated size, so the sum of what is stated is the bound.
        if sum(info.file_size for info in infos) > _limit(path):
            raise _too_large(path)
        for info in infos:
            # The name as stored: zipfile cuts its own copy at NUL.
            names.add(info.orig_filename)
            if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise ArtifactError(f"{path}: holds a link or special file: {visible(info.filename)}")
        for info in infos:
            if not info.is_dir() and wanted(info.filename):
                if info.flag_bits & _ENCRYPTED:
                    raise ArtifactError(f"{path}: {visible(info.filename)} is encrypted")
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise ArtifactError(
                        f"{path}: {visible(info.filename)} is compressed in a way that wheels are not"
                    )
                with archive.open(info) as stream:
                    yield Member(name=info.filename, read=_reader(path, stream))


def _tar(path: Path, wanted: Callable[[str], bool]) -> Iterator[Member]:
    with path.open("rb") as packed, _Unpacked(path, packed) as unpacked:
        with tarfile.open(fileobj=unpacked, mode="r|", tarinfo=_Header) as archive:
            names = _Names(path)
            for info in archive:
                name = names.add(info.name)
                if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE) or info.sparse:
                    raise ArtifactError(f"{path}: holds a link or special file: {visible(name)}")
                stream = archive.extractfile(info) if wanted(name) else None
                if stream is not None:
                    yield Member(name=name, read=_reader(path, stream))
        # To the end of the compressed stream, where its checksum is.
        while unpacked.read(2**16):
            pass


class _Unpacked(GzipFile):
    """The unpacked bytes of a file, which raises when there are more than it may unpack to."""

    def __init__(self, path: Path, packed: IO[bytes]) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self._path = path
        self._left = _limit(path)

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self._left -= len(data)
        if self._left < 0:
            raise _too_large(self._path)
        return data


class _Header(tarfile.TarInfo):
    """A tar header that tarfile may not pass over: it takes a damaged one for the end of the archive."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        try:
            header = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):
                raise  # the end marker
            raise tarfile.ReadError(str(error)) from None
        if header.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) and header.size > MAX_HEADER_BYTES:
            raise tarfile.ReadError("a header is too long")
        return header
