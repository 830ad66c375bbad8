"""Text that reaches a prompt or an answer: named, listed, escaped, folded to one line."""

from __future__ import annotations

from skillpack.runtime.listing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_ECHO_CHARS = 80
MAX_LISTED_NAMES = 20


def echo(value: object) -> str:
    """Return what a caller sent as ASCII of at most 80 characters, fit for an answer; of large values the type."""
    if isinstance(value, str):
        text = ascii(value[:MAX_ECHO_CHARS])
    elif value is None or isinstance(value, float) or (isinstance(value, int) and value.bit_length() < 256):
        text = ascii(value)
    else:
        # Neither run over a million items nor the `__repr__` of whatever was sent.
        text = ascii(f"a value of type {type(value).__name__}")[1:-1]
    return text if len(text) <= MAX_ECHO_CHARS else text[: MAX_ECHO_CHARS - 3] + "..."


def shown(text: str, limit: int = MAX_ECHO_CHARS) -> str:
    """Return what a skill or a saved state holds on one line of at most `limit` characters, fit for an answer."""
    line = one_line(text[:limit])
    return line if len(text) <= limit else f"{line[: limit - 1]}…"


def listed(names: Sequence[str]) -> str:
    """Return up to 20 names, each on one line and cut to 80 characters, and, when there are more, their count."""
    more = f", … ({len(names)} in all)" if len(names) > MAX_LISTED_NAMES else ""
    return ", ".join(shown(name) for name in names[:MAX_LISTED_NAMES]) + more


def several(names: Iterable[str], what: str) -> list[str]:
    """Return `names` as a list; `TypeError` for what is no text in it, and for a single text.

    The characters of that would be taken for names.
    """
    if isinstance(names, str):
        raise TypeError(f"{what} takes a list of texts, not a text: [{echo(names)}]")
    texts = list(names)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{what} takes a list of texts, and {echo(text)} is none")
    return texts


def chosen(names: Iterable[str], patterns: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the names that shell patterns choose, and the patterns that match none, `!` included.

    Patterns apply left to right and the last match wins; `!` negates; when all are negative, all names are the
    start.
    """
    from fnmatch import fnmatchcase

    every, wanted = list(names), list(patterns)
    kept = dict.fromkeys(every) if wanted and all(pattern.startswith("!") for pattern in wanted) else {}
    idle: list[str] = []
    for pattern in wanted:
        matches = [name for name in every if fnmatchcase(name, pattern.removeprefix("!"))]
        if not matches:
            idle.append(pattern)
        elif pattern.startswith("!"):
            kept = {name: None for name in kept if name not in matches}
        else:
            kept.update(dict.fromkeys(matches))
    return list(kept), idle


def escape(text: str) -> str:
    """Return `text` fit for XML text."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def one_line(text: str) -> str:
    """Return `text` on one line: white space folded, control, bidirectional and tag characters dropped."""
    # Nothing that hides is printable, nor is white space but the blank. To fold each text, and to look at each of its
    # characters, took most of a catalog's time, and most texts are one line as they are.
    if text.isprintable() and "  " not in text and not text.startswith(" ") and not text.endswith(" "):
        return text
    folded = " ".join(text.split())
    for char in set(folded):
        if not char.isprintable() and hides(ord(char)):
            folded = folded.replace(char, "")
    # Once more, since what is dropped may have stood between two blanks: a line of a line is the same line.
    return " ".join(folded.split())


def hides(code: int) -> bool:
    """Return whether a code point is a control, line separator, bidirectional or tag character, or none for XML.

    The byte order mark is one of them; joiners, which scripts and emoji need, are not.
    """
    return (
        code < 0x20
        or 0x7F <= code < 0xA0
        or code in (0x061C, 0x200E, 0x200F, 0xFEFF)
        or 0x2028 <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
        or 0xD800 <= code <= 0xDFFF
        or 0xFFFE <= code <= 0xFFFF
        or 0xE0000 <= code <= 0xE007F
    )


def plain_text(data: bytes) -> bool:
    """Return whether `data` is text: strict UTF-8 without NUL."""
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False
