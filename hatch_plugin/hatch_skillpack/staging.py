"""The files that hatchling is given to open: copies in a private temporary directory, never the user's own."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path

from skillpack import temporary

PREFIX = "skillpack-build-"


class Staging:
    """A temporary directory (mode 0700) that goes with this object, or with the interpreter, at the latest.

    That of a build that was killed goes with the next build's, of the same user.

    hatchling tells a hook nothing when a build fails or ends after the hooks; `weakref.finalize` needs no call.
    `tempfile.TemporaryDirectory` was rejected: it warns when it has to do the same.
    """

    def __init__(self) -> None:
        place = Path(tempfile.gettempdir())
        temporary.sweep(place, PREFIX)
        self._directory = temporary.name_in(place, PREFIX)
        # before it is made, so that an interrupt leaves nothing
        self._remove = weakref.finalize(self, shutil.rmtree, self._directory, ignore_errors=True)
        self._unlock = weakref.finalize(self, _close, temporary.create_directory(self._directory))
        self._count = 0

    def add(self, data: bytes, *, executable: bool = False) -> str:
        """Write `data` to a new file and return its absolute path; raises OSError when there is no room.

        The names are numbers: those of the skills may be too long or too odd for the temporary directory.
        """
        path = self._directory / str(self._count)
        self._count += 1
        path.write_bytes(data)
        # with `reproducible = false` hatchling keeps the mode, which must not be the umask's
        path.chmod(0o755 if executable else 0o644)
        return str(path)

    def remove(self) -> None:
        """Remove the directory and all files in it."""
        self._remove()
        self._unlock()


def _close(descriptor: int | None) -> None:
    if descriptor is not None:
        os.close(descriptor)
