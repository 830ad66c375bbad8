"""A file layer in which something happens at a chosen write point: before a call that changes a file system, or halfway.

It is put in the place of what Python calls to change files. A test with strace holds it against the calls that the
system sees.
"""

from __future__ import annotations

import builtins
import io
import os
import shutil
import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CHANGING = (
    "chmod",
    "copy_file_range",
    "fchmod",
    "fdatasync",
    "fsync",
    "ftruncate",
    "link",
    "mkdir",
    "pwrite",
    "remove",
    "rename",
    "replace",
    "rmdir",
    "sendfile",
    "symlink",
    "truncate",
    "unlink",
    "utime",
    "write",
    "writev",
)
"""The functions of `os` that change a file, and return when it is done."""

CREATING_FLAGS = os.O_CREAT | os.O_TRUNC

Action = str
"""`kill` is SIGKILL, `interrupt` SIGINT, `terminate` SIGTERM; `full` is a full disk from then on, `count` tells all points.

Of anything else, a path, what is there is removed.
"""

_open = io.open


class Layer:
    """Counts write points and acts at the one with the number `limit`; `told` is called with its name before."""

    def __init__(self, action: Action, limit: int, told: Callable[[str], None]) -> None:
        self.count = 0
        self._action = action
        self._limit = limit
        self._told = told
        self._is_acting = False

    def put_in_place(self) -> None:
        """Take the place of the functions that change files, for the rest of this process."""
        for name in CHANGING:
            setattr(os, name, self._counted(name, getattr(os, name)))
        opened = os.open

        def counted_open(path: Any, flags: int, *more: Any, **named: Any) -> int:
            if flags & CREATING_FLAGS:
                self.point("open")
            return opened(path, flags, *more, **named)

        os.open = counted_open
        layer = self

        class Raw(io.FileIO):
            def write(self, data: Any, /) -> int:
                view = memoryview(data)
                layer.point("write")
                half = super().write(view[: len(view) // 2])
                layer.point("write, halfway")
                return half + super().write(view[half:])

        def opening(file: Any, mode: str = "r", buffering: int = -1, *more: Any, **named: Any) -> Any:
            if not set("wax+") & set(mode) or "b" not in mode:
                return _open(file, mode, buffering, *more, **named)
            if not isinstance(file, int):
                layer.point("open")
            raw = Raw(file, mode.replace("b", ""))
            return io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)

        io.open = opening
        builtins.open = opening

    def point(self, name: str) -> None:
        """Pass a write point."""
        if self._is_acting:
            return
        number, self.count = self.count, self.count + 1
        if self._action == "count":
            self._told(f"{name}\n")
            return
        if self._action == "full":
            if number >= self._limit and name.startswith(("write", "open", "mkdir")):
                self._told(name)
                raise OSError(28, "No space left on device")
        elif number == self._limit:
            self._is_acting = True
            self._told(name)
            self._act()
            self._is_acting = False

    def _act(self) -> None:
        signals = {"kill": signal.SIGKILL, "interrupt": signal.SIGINT, "terminate": signal.SIGTERM}
        if self._action in signals:
            os.kill(os.getpid(), signals[self._action])
        else:
            shutil.rmtree(self._action)

    def _counted(self, name: str, function: Any) -> Any:
        def counted(*arguments: Any, **named: Any) -> Any:
            self.point(name)
            return function(*arguments, **named)

        return counted
