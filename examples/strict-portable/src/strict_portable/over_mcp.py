"""The same skills for hosts elsewhere: entries of `skills/list`, and the check that such a host makes on every read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strict_portable.skills import SkillBundle


def entries(bundle: SkillBundle) -> list[dict[str, Any]]:
    """Return an entry a skill, out of the manifest that was packed: metadata as its author wrote it, prefix and all."""
    return [
        {
            "uri": f"skill://{skill['name']}/SKILL.md",
            "frontmatter": skill["frontmatter"],
            "resources": [
                {
                    "uri": f"skill://{skill['name']}/{file['path']}",
                    "digest": file["digest"],
                    "size": file["size"],
                }
                for file in skill["files"]
            ],
        }
        for skill in bundle.manifest["skills"]
    ]


def served(bundle: SkillBundle, uri: str) -> bytes:
    """Return a file's contents. `KeyError` when there is no such skill or file: nothing is joined or opened."""
    name, _, path = uri.removeprefix("skill://").partition("/")
    return bundle.read_bytes(name, path)


def checked(entry: dict[str, Any], uri: str, data: bytes) -> bytes:
    """Return the contents if they are what the entry announced. `ValueError` otherwise, and for an unlisted file."""
    announced = {resource["uri"]: (resource["digest"], resource["size"]) for resource in entry["resources"]}
    if announced.get(uri) != (f"sha256:{hashlib.sha256(data).hexdigest()}", len(data)):
        raise ValueError(f"{uri} is not what was announced")
    return data
