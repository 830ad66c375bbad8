"""Skills in the shape that JavaScript packagers give them, contents in base64, under the id that they compute."""

from __future__ import annotations

import hashlib
from binascii import b2a_base64
from typing import TYPE_CHECKING, Any

from skillpack.export.adoption import adopt, offered
from skillpack.runtime.digest import canonical_json
from skillpack.runtime.text import plain_text

if TYPE_CHECKING:
    from skillpack.export.structure import AnyBundle, AnySkill
    from skillpack.runtime import Skill

ID_CHARS = 16


def document(bundle: AnyBundle, *, hidden: bool = False) -> bytes:
    """Return the JSON array of the packaged skills, one line of UTF-8.

    The readers show each of them to a model and know no field that hides one: hidden skills are left out, or with
    `hidden` taken in. Raises `ExportError` and `IntegrityError`, as `skillpack.export.adoption.adopt` has them.
    """
    skills = [packaged(skill) for skill in offered(adopt(bundle), hidden=hidden)]
    return f"{canonical_json(skills)}\n".encode()


def packaged(skill: Skill) -> dict[str, Any]:
    """Return one packaged skill in JSON types; `allowedTools` is there when SKILL.md has `allowed-tools`.

    Raises `IntegrityError`.
    """
    contents = {path: file.bytes() for path, file in skill.files.items()}
    made: dict[str, Any] = {
        "kind": "packaged-skill",
        "id": compatibility_id(skill),
        "name": skill.name,
        "description": skill.description,
        "files": {
            path: {
                "path": path,
                "encoding": "base64",
                "kind": "text" if plain_text(data) else "binary",
                "content": b2a_base64(data, newline=False).decode("ascii"),
            }
            for path, data in contents.items()
        },
    }
    if skill.allowed_tools is not None:
        made["allowedTools"] = list(skill.allowed_tools)
    return made


def compatibility_id(skill: AnySkill) -> str:
    """Return `skill:<name>:` and 16 lowercase hex characters over the paths and contents of all files.

    They are the first of a SHA-256 over, for each file, the lengths of path and content (32 bits, big-endian, in
    bytes), then these, in the order that JavaScript sorts paths in: that of UTF-16 code units. It is no address to
    trust, only the name that others know the skill by. Raises `IntegrityError`.
    """
    digest = hashlib.sha256()
    for path, file in sorted(skill.files.items(), key=lambda item: item[0].encode("utf-16-be")):
        encoded, data = path.encode("utf-8"), file.bytes()
        digest.update(len(encoded).to_bytes(4, "big") + len(data).to_bytes(4, "big"))
        digest.update(encoded)
        digest.update(data)
    return f"skill:{skill.name}:{digest.hexdigest()[:ID_CHARS]}"
