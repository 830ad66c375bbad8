"""The skills as directories again: packed once more, they give the same digests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.export.adoption import adopt, apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.export.structure import AnyBundle


def files(bundle: AnyBundle) -> Iterator[tuple[str, bytes, bool]]:
    """Give the path `<skill name>/<path>`, the bytes and the execute bit of each file.

    No path leaves the directory that it is joined to, and no two are one where case does not count. Raises
    `ExportError` and `IntegrityError`, as `skillpack.export.adoption.adopt` has them.
    """
    for name, skill in apart(adopt(bundle)).items():
        for path, file in skill.files.items():
            yield f"{name}/{path}", file.bytes(), file.executable
