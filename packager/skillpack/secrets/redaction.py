"""Texts for people and programs, with the secrets in them cut to what may be told.

Source: the design page "Screening": at most the first four characters and the length of a match appear anywhere.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import TYPE_CHECKING

from skillpack.secrets.detection import HEAD_CHARS, merged, spans_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MIN_RANDOM_CHARS = 20
"""A secret of this length is in no text by chance; a shorter one is a password, which may be a word."""


MAX_REMEMBERED_CHARS = 2_000
"""A text up to this length is looked through once: a path stands in many lines of a report, and all of them pass here."""


def redacted(text: str) -> str:
    """Return `text` with each secret in it cut to its first four characters and its length."""
    return _redacted_once(text) if len(text) <= MAX_REMEMBERED_CHARS else _redacted(text)


def _redacted(text: str) -> str:
    return _cut(text, lambda head, rest: f"{_head(head)}…({len(head + rest):,} characters)")


_redacted_once = functools.lru_cache(maxsize=16_384)(_redacted)


def starred(text: str, escaped: Callable[[str], str] = str) -> str:
    """Return a shell pattern that matches `text`, with a star for what may not be told of each secret in it.

    `escaped` writes the rest so that it stands for itself. In a path a star stands for no slash, so that these stay.
    """
    return _cut(text, lambda head, rest: f"{escaped(_head(head))}*{'/*' * rest.count(b'/')}", escaped)


def _cut(text: str, told: Callable[[bytes, bytes], str], kept: Callable[[str], str] = str) -> str:
    """Return `text` with what `told` makes of the head and the rest of each secret, and `kept` of all else."""
    data = text.encode("utf-8", "surrogatepass")
    parts, end = [], 0
    for start, stop in spans_in_words(data):
        head = start + min(HEAD_CHARS, (stop - start) // 4)
        parts += [kept(_text(data[end:start])), told(data[start:head], data[head:stop])]
        end = stop
    return "".join((*parts, kept(_text(data[end:])))) if parts else kept(text)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _head(data: bytes) -> str:
    return data.decode("utf-8", "replace")  # of a password it may end within a character


# A hint proposes a name in small letters with hyphens: a token in such a spelling is one that can be guessed.
_FOLD = {ord("_"): "-"} | {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


class Redaction:
    """Takes the secrets that a run has found out of texts that quote them in part, or in another spelling."""

    def __init__(self) -> None:
        self._pieces: defaultdict[str, set[str]] = defaultdict(set)
        self._everywhere: set[str] = set()

    def learn(self, place: str, secret: str) -> None:
        """Take note of a secret (`Match.body`) in the file at `place`."""
        folded = secret.translate(_FOLD)
        pieces = {folded[at : at + HEAD_CHARS + 1] for at in range(len(folded) - HEAD_CHARS)}
        if len(secret) >= MIN_RANDOM_CHARS:
            self._everywhere |= pieces
        else:
            self._pieces[place] |= pieces

    def extend(self, other: Redaction) -> None:
        """Take over what another one has learned."""
        for place, pieces in other._pieces.items():
            self._pieces[place] |= pieces
        self._everywhere |= other._everywhere

    def text(self, text: str, place: str) -> str:
        """Return a text about the file at `place` without secrets, and without any part of them over four characters."""
        text = redacted(text)
        parts, end = [], 0
        for start, stop in self._spans(text, self._pieces.get(place, set())):
            parts += [text[end:start], f"…({stop - start:,} characters)"]
            end = stop
        return "".join((*parts, text[end:]))

    def _spans(self, text: str, pieces: set[str]) -> Iterator[tuple[int, int]]:
        """Give the stretches of `text` that are covered by pieces, those of secrets in other places among them."""
        if not pieces and not self._everywhere:
            return
        folded = text.translate(_FOLD)
        length = HEAD_CHARS + 1
        begins = (
            at
            for at in range(len(folded) - HEAD_CHARS)
            if folded[at : at + length] in pieces or folded[at : at + length] in self._everywhere
        )
        yield from merged((at, at + length) for at in begins)
