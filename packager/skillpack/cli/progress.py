"""How far a run is, for a person who waits: one line on a terminal, and nothing anywhere else."""

from __future__ import annotations

import io
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self, TextIO, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from skillpack.capture import Progress as Report

_T = TypeVar("_T")

PATIENCE_SECONDS = 0.5
"""A run that is done by then shows nothing."""
INTERVAL_SECONDS = 0.1
WIDTH = 30


class Progress:
    """A line on standard error that is drawn again and again, and gone at the end of a `with` block.

    Nothing is drawn with `quiet`, or where standard error is no terminal.
    """

    def __init__(self, *, quiet: bool) -> None:
        stream = sys.stderr
        is_shown = not quiet and isinstance(stream, io.TextIOBase) and stream.isatty()
        self._stream: TextIO | None = stream if is_shown else None
        self._next = time.monotonic() + PATIENCE_SECONDS
        self._drawn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Draw the line if it is time to: `what` goes on, `done` of `total`, or of nobody knows how many when 0."""
        if self._stream is None or time.monotonic() < self._next:
            return
        line = f"{what} {done:,}"
        if total:
            full = WIDTH * done // total
            line = f"{what} [{'#' * full}{'-' * (WIDTH - full)}] {done:,} of {total:,}"
        self._draw(self._stream, line)
        self._next = time.monotonic() + INTERVAL_SECONDS

    @property
    def reported(self) -> Report:
        """What to tell how far a run is: this, or nobody where nothing is drawn anyway."""
        from skillpack.capture import no_progress

        return self if self._stream else no_progress

    def over(self, what: str, items: Iterable[_T]) -> Iterator[_T]:
        """Give `items`, and draw the line before each."""
        for done, item in enumerate(items):
            self(what, done, 0)
            yield item

    def clear(self) -> None:
        """Take the line away, so that something else can be printed."""
        if self._stream and self._drawn:
            self._draw(self._stream, "")

    def _draw(self, stream: TextIO, line: str) -> None:
        # Blanks and not a control sequence: consoles that know none show it.
        with suppress(OSError):
            stream.write(f"\r{line.ljust(self._drawn)}\r{line}")
            stream.flush()
        self._drawn = len(line)
