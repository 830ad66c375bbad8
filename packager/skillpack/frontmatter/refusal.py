"""The refusal that stops the reading of a text."""

from __future__ import annotations


class RefusedError(Exception):
    """Reading stops at `index` of the text, with this finding."""

    def __init__(self, code: str, index: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.index = index
        self.message = message
        self.hint = hint
