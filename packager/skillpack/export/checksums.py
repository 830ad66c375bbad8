"""SHA-256 sums as `sha256sum` prints and checks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.export.adoption import adopt

if TYPE_CHECKING:
    from skillpack.export.structure import AnyBundle


def document(bundle: AnyBundle) -> bytes:
    """Return a line for each file of all skills, by its path below the skills root, for `sha256sum -c` there.

    They are sorted by the UTF-8 bytes of the paths. Raises `ExportError`, as `skillpack.export.adoption.adopt` does.
    Contents are not read: the sums are those that were recorded when packing.
    """
    rows = sorted(
        (f"{name}/{path}".encode(), file.digest)
        for name, skill in adopt(bundle).items()
        for path, file in skill.files.items()
    )
    return b"".join(
        b"%b  %b\n" % (digest.removeprefix("sha256:").encode("ascii"), path) for path, digest in rows
    )
