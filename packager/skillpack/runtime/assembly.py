"""Skills put together at run time: out of their parts, or out of the skill of another module."""

from __future__ import annotations

from skillpack.runtime.digest import canonical_json, index_digest, sha256_hex, skill_digest
from skillpack.runtime.model import Skill, SkillFile, is_hidden
from skillpack.runtime.text import TYPE_CHECKING, check_name, check_paths, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def text_fields(skill: Any) -> dict[str, Any]:
    """Return the fields of a skill as written, without those that it does not have."""
    fields: dict[str, Any] = {
        "license": getattr(skill, "license", None),
        "compatibility": getattr(skill, "compatibility", None),
        "metadata": getattr(skill, "metadata", None) or None,
        "allowed_tools": getattr(skill, "allowed_tools", None),
        "globs": getattr(skill, "globs", None) or None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def held_file(path: str, data: bytes, *, media_type: str, executable: bool, owner: str) -> SkillFile:
    """Return a file whose contents are in memory; `owner` is the name of its skill."""
    return SkillFile(
        path=path,
        size=len(data),
        digest="sha256:" + sha256_hex(data),
        media_type=media_type,
        is_text=plain_text(data),
        executable=executable,
        load=lambda: data,
        owner=owner,
    )


def made_skill(
    *,
    name: str,
    description: str,
    frontmatter: dict[str, Any],
    fields: dict[str, Any],
    files: Iterable[SkillFile],
) -> Skill:
    """Return the skill of these parts, with its digests; `fields` are as `text_fields` gives them.

    `ValueError` for a name or a path that is not safe, and when there is no SKILL.md.
    """
    ordered = tuple(sorted(files, key=lambda file: file.path.encode("utf-8", "surrogatepass")))
    check_paths(file.path for file in ordered)
    values, texts = canonical_json(frontmatter), canonical_json(fields)
    return Skill(
        name=check_name(name),
        description=description,
        digest=skill_digest((file.path, file.digest[7:]) for file in ordered),
        index_digest=index_digest(name, description, values),
        hidden=is_hidden(frontmatter),
        load=lambda: (values, texts, ordered),
    )


def adopted(skill: Any, name: str = "") -> Skill:
    """Return a skill of this module's class made of one of any class, under another `name` if one is given.

    Its recorded digests are kept, so that `verify` still tells what was altered before. Raises `ValueError` as
    `made_skill` does.
    """
    name = name or skill.name
    files = (
        SkillFile(
            path=file.path,
            size=file.size,
            digest=file.digest,
            media_type=file.media_type,
            is_text=file.is_text,
            executable=file.executable,
            load=file.bytes,
            owner=name,
        )
        for file in skill.files.values()
    )
    made = made_skill(
        name=name,
        description=skill.description,
        frontmatter=skill.frontmatter,
        fields=text_fields(skill),
        files=files,
    )
    true_index = index_digest(skill.name, skill.description, canonical_json(skill.frontmatter))
    index = getattr(skill, "_index_digest", true_index)
    return Skill(
        name=name,
        description=skill.description,
        digest=skill.digest,
        index_digest=made._index_digest if index == true_index else index,
        hidden=made.hidden,
        load=made._load,
    )
