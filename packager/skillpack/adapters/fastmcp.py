"""Skills in a server of fastmcp (4.2 and newer), with the digests that they were packed with.

    from fastmcp import FastMCP
    from skillpack.adapters.fastmcp import provider

    from myagent.skills import bundle

    server = FastMCP("myagent", providers=[provider(bundle)])
    server.run()

Clients list and read the skills by the extension `io.modelcontextprotocol/skills` (SEP-2640), which fastmcp brings, or
as plain resources. No file is opened, and no contents are read before a client asks for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.adapters._catalog import checked
from skillpack.adapters._framework import needed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastmcp.skills import SkillManifest
    from fastmcp.skills.provider import SkillFileResource, SkillManifestProvider

    from skillpack.export.structure import AnyBundle, AnySkill

_OWN = "_manifest"
"""A path that the provider serves itself; a file there would keep its skill out of the list."""


def provider(bundle: AnyBundle) -> SkillManifestProvider:
    """Return the provider that serves a bundle, for `FastMCP(providers=[...])`.

    Raises `ValueError` with a line for each skill that hosts would refuse (over 512 files or 16 MiB, a name or field
    that is not as the specification of skills wants it, a file `_manifest`), `ImportError` without fastmcp.
    """
    with needed("fastmcp>=4.2"):
        from fastmcp.skills.provider import SkillManifestProvider

    checked(
        bundle,
        *(
            f"skill {name}: its file {_OWN} is at a path that fastmcp serves itself"
            for name in bundle
            if _OWN in bundle[name].files
        ),
    )
    manifests = {name: _manifest(bundle[name]) for name in bundle}

    class BundleProvider(SkillManifestProvider):
        async def load_manifests(self) -> Mapping[str, SkillManifest]:
            return manifests

        async def read_file(self, resource: SkillFileResource) -> bytes:
            data: bytes = bundle[resource.skill_path].files[resource.file_path].bytes()
            return data

    return BundleProvider()


def _manifest(skill: AnySkill) -> SkillManifest:
    """Return the manifest of a skill, out of the bundle's index."""
    from fastmcp.skills import SkillFile, SkillFrontmatter, SkillManifest

    return SkillManifest(
        frontmatter=SkillFrontmatter(skill.frontmatter),
        files={path: SkillFile(digest=file.digest, size=file.size) for path, file in skill.files.items()},
    )
