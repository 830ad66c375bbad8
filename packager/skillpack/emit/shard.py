"""Shards: files of about 256 KB that hold many contents, or a part of the index, and are loaded on first use."""

from __future__ import annotations

from binascii import b2a_base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from skillpack.emit import literal, part
from skillpack.emit.layout import DATA_BEGINS, DATA_ENDS, FIRST_LINE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from skillpack.emit.literal import Encoding

    Address = Callable[[bytes], str]
    """Returns the `blake3:` address of some bytes."""

SHARD_BYTES = 256 * 1024
_LEAST_BYTES = 64 * 1024

# Only the length of lines is not for linters to judge.
_HEAD = f'''\
{FIRST_LINE.decode("ascii")}
# fmt: off
# flake8: noqa: E501
# ruff: noqa: E501, RUF100
# pylint: disable=line-too-long
"""A part of the agent skills that this package holds."""

{DATA_BEGINS.decode("ascii")}
'''.encode("ascii")
_TAIL = b"%b\n" % DATA_ENDS
_PAGE_TAIL = (
    _TAIL
    + b'''

def part(key: str) -> bytes | str:
    """Return the literal that a row of the index names by its number."""
    found: bytes | str = globals()["part_" + key]()
    return found
'''
)


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of a package: `path` is relative to its folder, `name` is what other files call it."""

    path: str
    name: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a content is: in the literal of a shard of some `kind` (`bytes` or `str`), from `start` for `length`.

    Both count what the literal is made of: bytes, characters, or characters of base64.
    """

    shard: str
    kind: str
    encoding: Encoding
    start: int
    length: int


class Form(Protocol):
    """How the files of a folder form are written."""

    def encoding(self, data: bytes) -> Encoding:
        """Return how a content is written."""

    def shard(self, data: bytes, encoding: Encoding) -> File:
        """Return the file of contents that are one after the other; those of encoding `6` are base64 already."""

    def page(self, index: bytes, shards: Sequence[tuple[str, str]]) -> File:
        """Return the file of a part of the index, whose rows count `shards`: (name, kind)."""

    def table(self, skills: bytes) -> File:
        """Return the file of the rows of all skills."""


class PackageForm:
    """Python files, each with one literal, named by the address of its source."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def encoding(self, data: bytes) -> Encoding:
        """Return the shortest readable way to write a content."""
        return literal.encoding(data)

    def shard(self, data: bytes, encoding: Encoding) -> File:
        """Return a Python file with the literal `DATA`."""
        return self._file("_s", _HEAD + literal.render(literal.DATA, data, encoding, long=True) + _TAIL)

    def page(self, index: bytes, shards: Sequence[tuple[str, str]]) -> File:
        """Return a Python file with the literal `_INDEX` and a function for each shard."""
        functions = [part.render_part(number, name, kind) for number, (name, kind) in enumerate(shards)]
        data = literal.render(literal.INDEX, index, long=True)
        return self._file("_m", b"".join([_HEAD, data, *functions, _PAGE_TAIL]))

    def table(self, skills: bytes) -> File:
        """Return a Python file with the literal `_SKILLS`."""
        return self._file("_m", _HEAD + literal.render(literal.SKILLS, skills, long=True) + _TAIL)

    def _file(self, kind: str, source: bytes) -> File:
        name = kind + self._address(source).removeprefix("blake3:")[:16]
        return File(path=f"{name}.py", name=name, data=source)


class DataForm:
    """Files of bytes, each named by its address."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def encoding(self, data: bytes) -> Encoding:  # noqa: ARG002 - as the package form has it
        """Return that bytes stand as they are."""
        return "b"

    def shard(self, data: bytes, encoding: Encoding) -> File:  # noqa: ARG002 - as the package form has it
        """Return a file of just these bytes."""
        name = self._address(data).removeprefix("blake3:") + ".bin"
        return File(path=name, name=name, data=data)

    def page(self, index: bytes, shards: Sequence[tuple[str, str]]) -> File:
        """Return a file whose first line names the shards."""
        head = "\t".join(name for name, _ in shards)
        return self.shard(b"%b\n%b" % (head.encode("ascii"), index), "b")

    def table(self, skills: bytes) -> File:
        """Return a file of just these bytes."""
        return self.shard(skills, "b")


@dataclass(slots=True, kw_only=True)
class _Open:
    """A shard that is being filled: contents by digest, as they will stand in the literal."""

    size: int = 0
    pieces: list[tuple[str, bytes]] = field(default_factory=list)


class Shards:
    """Fills shards with contents, one shard for each way of writing them."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._open: dict[tuple[bool, Encoding], _Open] = {}

    def take(self, digest: str, data: bytes, *, is_body: bool) -> Iterator[tuple[File, dict[str, Place]]]:
        """Take a content, and give the shard that is full before it or by it, with where its contents are by digest.

        `digest` is `sha256:` and hex; instructions are kept apart from resources by `is_body`, so that the first of
        them does not load the rest.
        """
        encoding = self._form.encoding(data)
        key = (is_body, encoding)
        shard = self._open.setdefault(key, _Open())
        if shard.pieces and (shard.size + len(data) > SHARD_BYTES or is_cut(shard.size, digest)):
            yield self._closed(key)
            shard = self._open[key] = _Open()
        piece = b2a_base64(data, newline=False) if encoding == "6" else data
        shard.pieces.append((digest, piece))
        shard.size += len(data)
        if shard.size >= SHARD_BYTES:
            yield self._closed(key)
            del self._open[key]

    def close(self) -> Iterator[tuple[File, dict[str, Place]]]:
        """Give what is left."""
        for key in self._open:
            yield self._closed(key)
        self._open.clear()

    def _closed(self, key: tuple[bool, Encoding]) -> tuple[File, dict[str, Place]]:
        encoding = key[1]
        shard = self._open[key]
        places: dict[str, Place] = {}
        file = self._form.shard(b"".join(piece for _, piece in shard.pieces), encoding)
        start = 0
        for digest, piece in shard.pieces:
            length = len(piece.decode("utf-8") if encoding == "s" else piece)
            places[digest] = Place(
                shard=file.name,
                kind="str" if encoding == "s" else "bytes",
                encoding=encoding,
                start=start,
                length=length,
            )
            start += length
        return file, places


def is_cut(size: int, digest: str) -> bool:
    """Return whether a shard or page of `size` bytes ends before what has this digest.

    Every sixteenth digest is a cut: so past an edit the cuts are soon where they were, and the names as before.
    """
    return size >= _LEAST_BYTES and digest.endswith("0")
