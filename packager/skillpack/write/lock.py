"""One run at a time in the folder of an output: its parts are shared by runs, and each run removes what it does not name."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillpack import temporary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


@contextmanager
def held(folder: Path, *, make: bool) -> Iterator[None]:
    """Keep other runs out of a folder; without one nothing is locked, unless it is to be made (`make`).

    The lock is on the directory itself, so that no file is left behind, and the system lifts it from a run that is
    killed. Where there is none (Windows, some network file systems), or the directory cannot be opened, one goes on
    without. Raises `OSError` when the folder cannot be made.
    """
    descriptor = _locked(folder, make=make)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _locked(folder: Path, *, make: bool) -> int | None:
    while True:
        try:
            descriptor = os.open(folder, _FLAGS)
        except FileNotFoundError:
            if not make:
                return None
            folder.mkdir(exist_ok=True)
            continue
        except OSError:
            return None
        try:
            is_locked = temporary.lock(descriptor)
        except BaseException:  # interrupted while it waits
            os.close(descriptor)
            raise
        if not is_locked:
            os.close(descriptor)
            return None
        if temporary.is_at(descriptor, folder):
            return descriptor
        os.close(descriptor)  # the run before removed the folder, and perhaps another one made it anew
