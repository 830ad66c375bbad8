r"""The line grammar of an emitted module's data section: how contents are written as literals and read back.

```
NAME: bytes = (
    b"one piece a line, double quotes, \n written as an escape\n"
)
```

or `NAME: str = (` with lines `    "…"`. There is one spelling for each content, so an edit shows. Reading never
involves a Python parser: 10 MB of `[0,0,…]` took one 4.7 GB. The rules stand in the design page "Formats", "The
emitted module".
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from typing import Literal

from skillpack.runtime.text import plain_text

Encoding = Literal["b", "s", "6"]
"""How a content is written: `b` bytes literal, `s` str literal of its text, `6` bytes literal of its base64."""

CATALOG = "_CATALOG"
SKILLS = "_SKILLS"
INDEX = "_INDEX"
PAGES = "_PAGES"
DATA = "DATA"

BASE64_PIECE_CHARS = 4096

# A piece ends at a newline and holds at least 64 characters as written, a newline counted as one: a diff shows
# what changed, and a megabyte of empty lines does not become a million pieces, which cost 188 MB to compile.
_PIECE = re.compile(rb"(?s:.{63})[^\n]*\n|(?s:.+)")
# Nobody reads the diff of a large bundle line by line: few pieces compile faster.
_LONG_PIECE = re.compile(rb"(?s:.{4095})[^\n]*\n|(?s:.+)")
_CONTROLS = tuple(bytes([code]) for code in (*range(0x20), 0x7F) if code not in b"\t\n\r")
_TWO_CHARS = b'\\"\t\n\r'
_ONE_CHAR = bytes(code for code in range(0x20, 0x7F) if code not in b'\\"')

_HEAD = re.compile(rb"(_CATALOG|_SKILLS|_INDEX|_PAGES|DATA|_[0-9a-f]{64}): (bytes|str) = \(\n")
# A backslash that begins no escape of ours, or whose escape does not end on its line; pairs are taken out first.
_NO_ESCAPE = {
    b"bytes": re.compile(rb'\\(?![nrt]|"(?!\n)|x[0-9a-f]{2})'),
    b"str": re.compile(rb'\\(?![nrt]|"(?!\n)|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})'),
}


class GrammarError(ValueError):
    """A data section is not what skillpack writes; `line` counts from 1 at its beginning."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(message)


def content_name(digest: str) -> str:
    """Return the name of the literal of a content, whose digest is `sha256:` and 64 lowercase hex characters.

    The full digest: equal contents are stored once, and an edit renames its own literal only.
    """
    return f"_{digest.removeprefix('sha256:')}"


def encoding(data: bytes) -> Encoding:
    """Return the shortest readable way to write `data`.

    Text is a bytes literal when it is ASCII, else a str literal: any other character takes at least 8 characters
    as the bytes of its UTF-8 and at most 10 (4 of them for those of two bytes) as itself. It is never base64,
    so that a review can read it. Other bytes are the shorter of bytes literal and base64.
    """
    if data.isascii() and b"\0" not in data:
        return "b"
    if plain_text(data):
        return "s"
    two_chars = len(data) - len(data.translate(None, _TWO_CHARS))
    four_chars = len(data.translate(None, _ONE_CHAR + _TWO_CHARS))
    literal_chars = len(data) + two_chars + 3 * four_chars
    base64_chars = -(-len(data) // 3) * 4
    return "b" if literal_chars <= base64_chars else "6"


def render(name: str, data: bytes, form: Encoding = "b", *, long: bool = False) -> bytes:
    """Return the statement that binds `name` to `data`, written as `form` says; it ends with a newline.

    With `long` its pieces are some 4 KB each, and base64 is taken as it is: `data` is such text already.
    """
    if form == "6":
        text = data if long else b2a_base64(data, newline=False)
        pieces = [text[at : at + BASE64_PIECE_CHARS] for at in range(0, len(text), BASE64_PIECE_CHARS)]
    else:
        piece = _LONG_PIECE if long else _PIECE
        pieces = piece.findall(_escaped(data, "utf-8" if form == "s" else "latin-1"))
    kind, prefix = (b"str", b'    "') if form == "s" else (b"bytes", b'    b"')
    # Every control character but the newline is an escape by now, so NUL is free to stand for the cuts.
    body = b"\0".join(pieces).replace(b"\n", b"\\n").replace(b"\0", b'"\n' + prefix)
    return b'%b: %b = (\n%b%b"\n)\n' % (name.encode("ascii"), kind, prefix, body)


def _escaped(data: bytes, codec: str) -> bytes:
    r"""Return `data` with everything escaped but the newline, as `unicode_escape` writes it, and `\"`.

    Replacing runs over megabytes at memory speed; encoding each piece by itself was three times slower.
    """
    data = data.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\t", b"\\t").replace(b"\r", b"\\r")
    if not data.isascii():
        data = data.decode(codec).encode("ascii", "backslashreplace")
    for control in _CONTROLS:
        if control in data:
            data = data.replace(control, b"\\x%02x" % ord(control))
    return data


def parse(section: bytes) -> dict[str, bytes | str]:
    """Return the literals of a data section by name, in their order; base64 is left as it is.

    `section` has LF line ends. Time and memory grow with its length alone, whatever it holds. Anything that
    `render` would not write raises `GrammarError`, but for where a literal is cut into pieces.
    """
    literals: dict[str, bytes | str] = {}
    position = 0
    while position < len(section):
        head = _HEAD.match(section, position)
        if head is None:
            raise GrammarError(_line(section, position), "no literal of skillpack's begins here")
        name = head[1].decode("ascii")
        if name in literals:
            raise GrammarError(_line(section, position), f"the literal {name} is there twice")
        end = section.find(b'"\n)\n', head.end())
        if end < 0:
            raise GrammarError(_line(section, position), f"the literal {name} is not closed")
        position = end + 4
        literals[name] = _value(section, head, end)
    return literals


def _value(section: bytes, head: re.Match[bytes], end: int) -> bytes | str:
    """Return the value of the literal from its `head` to the quote at `end`.

    The work is done on the whole literal and not line by line: a section may hold millions of short lines.
    """
    kind = head[2]
    prefix = b'    "' if kind == b"str" else b'    b"'
    start = head.end() + len(prefix)
    if not section.startswith(prefix, head.end()) or start > end:
        raise GrammarError(_line(section, head.end()), "no piece of a literal begins here")
    # A line end stays in its place, so that an escape which the cut splits is found and can be located.
    without_pairs = section[start : end + 2].replace(b"\\\\", b"")
    stray = _NO_ESCAPE[kind].search(without_pairs)
    if stray is not None:
        line = _line(section, start) + without_pairs.count(b"\n", 0, stray.start())
        raise GrammarError(line, "not an escape that skillpack writes")
    written = section[start:end].replace(b'"\n' + prefix, b"")
    try:
        text = written.decode("unicode_escape")
    except UnicodeDecodeError:  # \U00110000 and above
        raise GrammarError(_line(section, start), "an escape of no character") from None
    if text.encode("unicode_escape").replace(b'"', b'\\"') != written:
        message = f"the literal {head[1].decode('ascii')} is not written as skillpack writes it"
        raise GrammarError(_line(section, start), message)
    return text if kind == b"str" else text.encode("latin-1")


def _line(section: bytes, position: int) -> int:
    return section.count(b"\n", 0, position) + 1
