"""Zips with one top-level folder, one a skill: what hosted uploaders want. The same skill gives the same bytes."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from skillpack.export.adoption import adopt, apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.export.structure import AnyBundle, AnySkill

_EARLIEST = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_PLAIN, _EXECUTABLE = 0o100644 << 16, 0o100755 << 16
"""A regular file with its permission bits, where a zip has them."""


def files(bundle: AnyBundle) -> Iterator[tuple[str, bytes]]:
    """Give the path and the bytes of each zip: `<skill name>.zip`, which holds `<skill name>/SKILL.md` and the rest.

    Raises `ExportError` and `IntegrityError`, as `skillpack.export.adoption.adopt` has them.
    """
    for name, skill in apart(adopt(bundle)).items():
        yield f"{name}.zip", archive(skill, folder=name)


def archive(skill: AnySkill, *, folder: str = "") -> bytes:
    """Return the zip of a skill whose names and paths are safe; without a `folder` its files are at the root.

    Stored, so that no release of zlib changes a byte; dated 1980-01-01, made on Unix, sorted by the UTF-8 bytes of the
    paths, with mode 0755 for what has an execute bit and 0644 for what has none. Raises `IntegrityError`.
    """
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_STORED) as made:
        for path, file in sorted(skill.files.items(), key=lambda item: item[0].encode("utf-8")):
            info = ZipInfo(f"{folder}/{path}" if folder else path, _EARLIEST)
            info.create_system = _UNIX
            info.external_attr = _EXECUTABLE if file.executable else _PLAIN
            made.writestr(info, file.bytes())
    return stream.getvalue()
