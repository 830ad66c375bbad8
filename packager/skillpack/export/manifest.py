"""The manifest: names, digests, frontmatter and files of all skills, as `bundle.manifest` has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.export.adoption import adopt
from skillpack.runtime.digest import canonical_json

if TYPE_CHECKING:
    from skillpack.export.structure import AnyBundle


def document(bundle: AnyBundle) -> bytes:
    """Return the manifest as JSON: sorted keys, no spaces, UTF-8, one LF at the end.

    That of a wheel also has the BLAKE3 of each file and its provenance, which a bundle does not hold. Raises
    `ExportError`, as `skillpack.export.adoption.adopt` does.
    """
    return f"{canonical_json(adopt(bundle).manifest)}\n".encode()
