"""SHA-256 sums as `sha256sum` prints and checks them; those of one skill are what its digest is taken over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.export.adoption import adopt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillpack.export.structure import AnyBundle, AnySkill


def document(bundle: AnyBundle) -> bytes:
    """Return a line for each file of all skills, by its path below the skills root, for `sha256sum -c` there.

    Raises `ExportError`, as `skillpack.export.adoption.adopt` does. Contents are not read: the sums are those that were
    recorded when packing.
    """
    return _lines(
        (f"{name}/{path}", file.digest)
        for name, skill in adopt(bundle).items()
        for path, file in skill.files.items()
    )


def of_skill(skill: AnySkill) -> bytes:
    """Return a line for each file of one skill, by its path in the skill: the SHA-256 of this text is its digest."""
    return _lines((path, file.digest) for path, file in skill.files.items())


def _lines(rows: Iterable[tuple[str, str]]) -> bytes:
    """Return the lines of (path, `sha256:` and hex) pairs, sorted by the UTF-8 bytes of the paths."""
    return b"".join(
        b"%b  %b\n" % (digest.removeprefix("sha256:").encode("ascii"), path)
        for path, digest in sorted((path.encode("utf-8"), digest) for path, digest in rows)
    )
