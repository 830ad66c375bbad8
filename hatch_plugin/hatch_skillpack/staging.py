"""The files that hatchling is given to open: copies in a private temporary directory, never the user's own."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path


class Staging:
    """A temporary directory (mode 0700) that goes with this object, or with the interpreter, at the latest.

    hatchling tells a hook nothing when a build fails or ends after the hooks; `weakref.finalize` needs no call.
    `tempfile.TemporaryDirectory` was rejected: it warns when it has to do the same.
    """

    def __init__(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="skillpack-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self._directory, ignore_errors=True)
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
