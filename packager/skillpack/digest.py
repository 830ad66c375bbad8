"""Content addresses: from captured skills to a bundle of the runtime's own classes, and its manifest.

What a content is known by stands in `skillpack.fingerprint`. The texts that skill, bundle and index digests are taken over stand in the
runtime, which checks them; the design page "Formats" fixes their bytes.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillpack.fingerprint import content_address, fingerprint
from skillpack.media_type import media_type
from skillpack.runtime import Skill, SkillBundle, SkillFile
from skillpack.runtime.assembly import text_fields
from skillpack.runtime.digest import canonical_json, index_digest, skill_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from skillpack.model import Allowed, Frontmatter, SkillSource, SourceFile

__all__ = ["Addressed", "address", "content_address", "fingerprint", "manifest_bytes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressed:
    """A bundle and the BLAKE3 of each of its contents: `blake3:` and hex, by `sha256:` and hex."""

    bundle: SkillBundle
    blake3: Mapping[str, str]

    def manifest(self, allowed: Sequence[Allowed] = (), module: str = "", **more: object) -> bytes:
        """Return the packed manifest: JSON with sorted keys, no spaces, UTF-8, one LF at the end.

        The exceptions in `allowed`, `module`, the POSIX path in the wheel, and `more`, JSON values, are its `provenance`
        where there are any; that stands outside of every digest.
        """
        told = {"module": module, **more, "allow": [dataclasses.asdict(exception) for exception in allowed]}
        provenance = {key: value for key, value in told.items() if value}
        return manifest_bytes(self.bundle, self.blake3, provenance)


def address(skills: Iterable[tuple[SkillSource, Frontmatter]]) -> Addressed:
    """Return the bundle of skills whose names differ, with the digests of every file."""
    blake3_by_sha256: dict[str, str] = {}
    made = [_skill(source, frontmatter, blake3_by_sha256) for source, frontmatter in skills]
    return Addressed(bundle=SkillBundle(made), blake3=blake3_by_sha256)


def manifest_bytes(
    bundle: SkillBundle,
    blake3_by_sha256: Mapping[str, str] | None = None,
    provenance: Mapping[str, object] | None = None,
) -> bytes:
    """Return the manifest of `bundle`; with `blake3_by_sha256` each file has its BLAKE3 beside its SHA-256."""
    manifest: dict[str, Any] = bundle.manifest
    if provenance:
        manifest["provenance"] = dict(provenance)
    if blake3_by_sha256 is not None:
        for skill in manifest["skills"]:
            for file in skill["files"]:
                file["blake3"] = blake3_by_sha256[file["digest"]]
    return f"{canonical_json(manifest)}\n".encode()


def _skill(source: SkillSource, frontmatter: Frontmatter, blake3_by_sha256: dict[str, str]) -> Skill:
    files = tuple(_file(file, frontmatter.name, blake3_by_sha256) for file in source.files)
    values = canonical_json(dict(frontmatter.values))
    fields = canonical_json(text_fields(frontmatter))
    return Skill(
        name=frontmatter.name,
        description=frontmatter.description,
        digest=skill_digest((file.path, file.digest[7:]) for file in files),
        index_digest=index_digest(frontmatter.name, frontmatter.description, values),
        hidden=frontmatter.hidden,
        load=lambda: (values, fields, files),
    )


def _file(file: SourceFile, owner: str, blake3_by_sha256: dict[str, str]) -> SkillFile:
    known = file.content.fingerprint
    sha256 = f"sha256:{known.sha256}"
    blake3_by_sha256[sha256] = f"blake3:{known.blake3}"
    return SkillFile(
        path=file.path,
        size=file.size,
        digest=sha256,
        media_type=media_type(file.path, is_text=known.is_text),
        is_text=known.is_text,
        executable=file.executable,
        load=file.content.read,
        owner=owner,
    )
