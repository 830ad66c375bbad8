"""The envelope of a frontmatter: the file's encoding, line ends, fences and body."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from skillpack.fields import MODEL_DESCRIPTION, slug
from skillpack.frontmatter.notes import Notes
from skillpack.frontmatter.place import position
from skillpack.frontmatter.quoting import quoted
from skillpack.rules import Level
from skillpack.runtime.model import body_start

if TYPE_CHECKING:
    from skillpack.findings import Report
    from skillpack.rules import Levels

MAX_FRONTMATTER_BYTES = 64 * 1024
MAX_BODY_LINES = 500
MAX_BODY_TOKENS = 5_000
CHARS_A_TOKEN = 4
MAX_FILE_CHARS = 10 * 1024 * 1024
"""One host passes a longer SKILL.md over."""

_HUGE_BODY_LEVELS: Levels = (Level.NOTE, Level.WARNING, Level.ERROR)

_OPENING = re.compile(r"---([ \t]*)\r?\n")
_CLOSING = re.compile(r"---([ \t]*)(\r?\n|\Z)")
_LONE_CR = re.compile(r"\r(?!\n)")
_UNDECODED = re.compile(r"[\0\udc80-\udcff]")
_CR_HINT = "save the file with LF line ends"


def opened(data: bytes, *, place: str, directory: str, report: Report) -> Notes | None:
    """Return the frontmatter's text as notes on it, or None when there is none to read.

    What there is to say about everything around it goes to `report`.
    """
    notes = Notes(place=place, report=report)
    text, undecoded = _decode(notes, data)
    if text.startswith("\ufeff"):
        text = text[1:]
        notes.add_line(
            1, "bom", "the file begins with a byte order mark", hint="save it as UTF-8 without one"
        )
    opening = _OPENING.match(text)
    closing = _closing_fence(text, opening.end()) if opening else None
    if opening is None or closing is None:
        if not undecoded:
            _add_no_frontmatter(notes, text, directory, opened=opening is not None)
        return None
    notes = replace(notes, text=text[opening.end() : closing.start()])
    if len(notes.text.encode("utf-8", "surrogateescape")) > MAX_FRONTMATTER_BYTES:
        message = f"the frontmatter is larger than {MAX_FRONTMATTER_BYTES} bytes"
        notes.add("yaml-limits", 0, message, hint="move text below the frontmatter or into files")
        return None
    _check_lines(notes, text)
    _check_fences(notes, opening, closing)
    _check_body(notes, text)
    if _UNDECODED.search(notes.text):
        return None
    if lone := _LONE_CR.search(notes.text):
        notes.add("line-ending", lone.start(), "a CR alone, which does not end a line", hint=_CR_HINT)
        return None
    return notes


def _decode(notes: Notes, data: bytes) -> tuple[str, bool]:
    """Return the text and whether it is unsound: what is not UTF-8 is in it as lone surrogates."""
    message, hint = "the file holds a NUL character", "delete it"
    try:
        text = data.decode("utf-8")
        index = text.find("\0")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "surrogateescape")
        index = len(data[: error.start].decode("utf-8"))
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        message, hint = f"the file is {'UTF-16' if utf16 else 'not UTF-8'}", "save it as UTF-8"
    if index < 0:
        return text, False
    line, column = position(text.removeprefix("\ufeff"), index - text.startswith("\ufeff"))
    notes.add_line(line, "skill-md-encoding", message, hint=hint, column=column)
    return text, True


def _add_no_frontmatter(notes: Notes, text: str, directory: str, *, opened: bool) -> None:
    mended = _LONE_CR.sub("\n", text)
    opening = _OPENING.match(mended)
    if opening and _closing_fence(mended, opening.end()):
        line, column = position(text, text.index("\r"))
        message = "lines end with CR alone, so no frontmatter is found"
        notes.add_line(line, "line-ending", message, hint=_CR_HINT, column=column)
        return
    if opened:
        message = "the frontmatter is not closed: no later line is ---"
        hint = f"put a line --- below line {_last_field_line(text)}"
    elif text.lstrip().partition("\n")[0].strip() == "---":
        message = "the first line is not ---"
        hint = "make --- the first line, with nothing above it or before it"
    else:
        message = "there is no frontmatter: the first line is not ---"
        name = quoted(slug(directory) or "my-skill")
        lines = ("---", f"name: {name}", f"description: {quoted(MODEL_DESCRIPTION)}", "---")
        hint = f"begin the file with the lines {', '.join(f'`{line}`' for line in lines)}"
    notes.add_line(1, "frontmatter-missing", message, hint=hint)


def _check_lines(notes: Notes, text: str) -> None:
    if crlf := text.count("\r\n"):
        line = text.count("\n", 0, text.index("\r\n")) + 1
        message = f"{crlf} of {text.count(chr(10))} lines end with CRLF"
        hint = "save it with LF, and pin that with a line `SKILL.md text eol=lf` in .gitattributes"
        notes.add_line(line, "crlf", message, hint=hint)
    if dashes := sum("---" in line for line in notes.text.split("\n")):
        more = f", and on {dashes - 1} more" if dashes > 1 else ""
        message = f"the text --- stands inside the frontmatter on this line{more}"
        hint = "write — in place of ---"
        notes.add("dashes-in-frontmatter", notes.text.index("---"), message, hint=hint)


def _check_fences(notes: Notes, opening: re.Match[str], closing: re.Match[str]) -> None:
    last = notes.text.count("\n") + 2
    for line, fence in ((1, opening), (last, closing)):
        if fence[1]:
            message, hint = "the fence has trailing blanks", "delete the blanks behind ---"
            notes.add_line(line, "fence-whitespace", message, hint=hint, column=4)
    if not closing[2]:
        message = "the closing fence ends the file without a newline"
        notes.add_line(last, "fence-end", message, hint="end the line --- with a newline", column=4)


def _check_body(notes: Notes, text: str) -> None:
    start = body_start(text)
    line = text.count("\n", 0, start) + 1
    body = text[start:]
    if not body.strip():
        notes.add_line(line, "body-empty", "there are no instructions below the frontmatter")
    lines = body.count("\n") + (not body.endswith("\n"))
    tokens = len(body) // CHARS_A_TOKEN
    if lines > MAX_BODY_LINES or tokens > MAX_BODY_TOKENS:
        message = f"the body has {lines} lines and about {tokens} tokens"
        hint = "move details into files that are read when they are needed"
        levels = _HUGE_BODY_LEVELS if len(text) > MAX_FILE_CHARS else None
        notes.add_line(line, "body-length", message, hint=hint, levels=levels)


def _last_field_line(text: str) -> int:
    """Return the number of the line before the first blank one: where a frontmatter that is not closed should end."""
    return sum(1 for _ in itertools.takewhile(str.strip, text.split("\n")))


def _closing_fence(text: str, start: int) -> re.Match[str] | None:
    """Return the first fence at the beginning of a line from `start` on.

    By `str.find`: a regular expression with `^` needs seconds for a file of the greatest size.
    """
    while not (fence := _CLOSING.match(text, start)):
        start = text.find("\n---", start) + 1
        if not start:
            return None
    return fence
