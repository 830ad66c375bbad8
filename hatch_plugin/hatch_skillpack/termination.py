"""The end of a build by SIGTERM, as a front end or a CI job sends it: temporary files go before."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType

EXIT_TERMINATED = 143


def end_in_order() -> None:
    """Let SIGTERM end this process as an interrupt does; by default it ends it on the spot, and files are left.

    What the process has set up for the signal itself stays, and a thread that is not the main one can set up nothing.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end)


def as_before() -> None:
    """Take back what `end_in_order` has set up, if it is still so."""
    if signal.getsignal(signal.SIGTERM) is _end:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would end the removal of the files
    raise SystemExit(EXIT_TERMINATED)
