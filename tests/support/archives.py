"""Wheels, zips and sdists made by hand in tests, sound and hostile."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def make_zip(
    path: Path, members: Mapping[str, bytes] | Iterable[tuple[str | zipfile.ZipInfo, bytes]]
) -> Path:
    """Write a zip of name → content, deflated; pairs may repeat a name or give a whole ZipInfo."""
    pairs = members.items() if hasattr(members, "items") else members
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in pairs:
            archive.writestr(name, data)
    return path


def tar_bytes(members: Iterable[tuple[str | tarfile.TarInfo, bytes]]) -> bytes:
    """Return a tar of (name or header, content) pairs."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def make_sdist(path: Path, members: Iterable[tuple[str | tarfile.TarInfo, bytes]]) -> Path:
    """Write a `.tar.gz` of (name or header, content) pairs."""
    path.write_bytes(gzip.compress(tar_bytes(members), mtime=0))
    return path
