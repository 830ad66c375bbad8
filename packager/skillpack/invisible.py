"""Characters that a model reads and a reader of the page does not see: one table for files and for skills in code.

Standard library only, as `skillpack.fields` is. The rules are those of the design page "Screening", "Text that hides".
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,4}\U000e007f"
"""The flag of a subdivision (Scotland, Texas), as a pattern: a black flag, region and subdivision in tag characters, a
cancel tag (UTS #51). Its tags hide nothing."""

_HIDING = "[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
_UNSEEN = "[\u200b\u2060-\u2064\u180e\u034f\u115f\u1160\u3164\uffa0\ufeff\x7f-\x9f]"
_C0 = "[\x00-\x08\x0b\x0c\x0e-\x1f]"
_HIDDEN = re.compile(f"{FLAG}|({_HIDING})|({_UNSEEN})|({_C0})")
# One set is searched ten times as fast as an alternation, and most texts have nothing of it.
_MAY_BE_HIDDEN = re.compile(f"[{_HIDING[1:-1]}{_UNSEEN[1:-1]}{_C0[1:-1]}]")


def name_of(char: str) -> str:
    """Return the code point and the name of a character."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"


def hidden(text: str, start: int) -> Iterator[re.Match[str]]:
    """Yield each character that hides text (group 1), cannot be seen (2) or is a C0 control (3)."""
    if first := _MAY_BE_HIDDEN.search(text, start):
        # An emoji flag begins one character before its first tag.
        for match in _HIDDEN.finditer(text, max(start, first.start() - 1)):
            if match.lastindex:
                yield match
