"""Skills put together at run time: out of their parts, or out of the skill of another module."""

from __future__ import annotations

from _collections_abc import Mapping

from skillpack.runtime.bundle import FORMAT
from skillpack.runtime.digest import canonical_json, index_digest, sha256_hex, skill_digest
from skillpack.runtime.errors import IntegrityError
from skillpack.runtime.listing import TYPE_CHECKING
from skillpack.runtime.model import Skill, SkillFile, is_hidden
from skillpack.runtime.paths import check_name, check_paths
from skillpack.runtime.shape import fits, read_json
from skillpack.runtime.text import echo, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from skillpack.runtime.bundle import SkillBundle

MAX_MEDIA_TYPE_CHARS = 255

FIELDS_SHAPE: dict[str, Any] = {
    "license": (None, str),
    "compatibility": (None, str),
    "metadata": (None, {str: str}),
    "allowed_tools": (None, [str]),
    "globs": (None, [str]),
}
FILE_SHAPE: dict[str, Any] = {
    "path": str,
    "size": int,
    "digest": str,
    "media_type": str,
    "text": bool,
    "executable": bool,
    "content": str,
}
BUNDLE_SHAPE: dict[str, Any] = {
    "format": int,
    "digest": str,
    "problems": [str],
    "tools": {"load": str, "read": str, "style": str},
    "skills": [
        {
            "name": str,
            "description": str,
            "digest": str,
            "index_digest": str,
            "frontmatter": dict,
            "fields": FIELDS_SHAPE,
            "files": [FILE_SHAPE],
        }
    ],
}
"""What `SkillBundle.to_json` writes: the manifest, and all that it leaves out."""

FOREIGN_SHAPE: dict[str, Any] = {
    "name": str,
    "description": str,
    "digest": str,
    "frontmatter": dict,
    "fields": FIELDS_SHAPE,
    "files": [
        {"path": str, "size": int, "digest": str, "media_type": str, "is_text": bool, "executable": bool}
    ],
}
"""What a skill of another module must have, each of its files with `bytes` as well."""


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

    `ValueError` for a name, a path or a media type that is not safe, and when there is no SKILL.md.
    """
    ordered = tuple(sorted(files, key=lambda file: file.path.encode("utf-8", "surrogatepass")))
    check_paths(file.path for file in ordered)
    for file in ordered:
        media_type = file.media_type
        if len(media_type) > MAX_MEDIA_TYPE_CHARS or not (media_type.isascii() and media_type.isprintable()):
            raise ValueError(f"not a media type: {echo(media_type)}")
    values, texts = canonical_json(frontmatter), canonical_json(fields)
    return Skill(
        name=check_name(name),
        description=description,
        digest=skill_digest((file.path, file.digest[7:]) for file in ordered),
        index_digest=index_digest(name, description, values),
        hidden=is_hidden(frontmatter),
        load=lambda: (values, texts, ordered),
    )


def adopted(skill: Any, name: str | None = None) -> Skill:
    """Return a skill of this module's class made of one of any class, under another `name` if one is given.

    Its recorded digests are kept, so that `verify` still tells what was altered before. Raises `ValueError` as
    `made_skill` does, and `TypeError` for what has not the parts of a skill.
    """
    texts = text_fields(skill)
    parts = {
        key: _json_like(getattr(skill, key, None)) for key in ("name", "description", "digest", "frontmatter")
    }
    name = parts["name"] if name is None else name  # the empty one is refused below
    # Tuples and read-only mappings are what lists and dicts are in JSON; a text would fall into its characters.
    parts["fields"] = {key: _json_like(texts.get(key)) for key in FIELDS_SHAPE}
    files = getattr(skill, "files", None)
    held = list(files.values()) if isinstance(files, Mapping) else []
    rows: list[dict[str, Any]] = [
        {key: getattr(file, key, None) for key in FOREIGN_SHAPE["files"][0]} for file in held
    ]
    parts["files"] = rows
    wrong = [key for key, shape in FOREIGN_SHAPE.items() if not fits(parts[key], shape)]
    if wrong or not isinstance(name, str) or not all(callable(getattr(file, "bytes", None)) for file in held):
        raise TypeError(
            f"a bundle or a skill is needed, not {echo(type(skill).__name__)}: "
            f"{', '.join(wrong) or 'name or files'} missing, or of another type"
        )
    made = made_skill(
        name=name,
        description=parts["description"],
        frontmatter=parts["frontmatter"],
        fields={key: value for key, value in parts["fields"].items() if value is not None},
        files=[SkillFile(**row, load=file.bytes, owner=name) for row, file in zip(rows, held, strict=True)],
    )
    true_index = index_digest(parts["name"], parts["description"], canonical_json(parts["frontmatter"]))
    index = getattr(skill, "_index_digest", true_index)
    return Skill(
        name=name,
        description=made.description,
        digest=parts["digest"],
        index_digest=made._index_digest if index == true_index else index,
        hidden=made.hidden,
        load=made._load,
    )


def _json_like(value: object) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def disagreeing(frontmatter: dict[str, Any], fields: dict[str, Any]) -> list[str]:
    """Return which text fields, of which no digest is taken, are not those of the frontmatter, of which one is.

    A value that is no text there (`license: 2.0`, a date) has a spelling that cannot be told from it: then only what
    is absent there must be absent here.
    """
    wrong: list[str] = []
    from skillpack.runtime.matching import globs_of, is_texts, tools_of

    for key in FIELDS_SHAPE:
        value, field = frontmatter.get(key.replace("_", "-")), fields.get(key)
        true: object = field if key.replace("_", "-") in frontmatter else None
        if key == "allowed_tools" and (isinstance(value, str) or is_texts(value)):
            tools = tools_of(value)
            true = None if tools is None else list(tools)
        elif key == "globs" and (isinstance(value, str) or is_texts(value)):
            true = list(globs_of(value)) or None
        elif key == "metadata":
            written = value if isinstance(value, dict) else {}
            rest = {name: text for name, text in (field or {}).items() if name in written}
            true = {**rest, **{name: text for name, text in written.items() if isinstance(text, str)}} or None
        elif isinstance(value, str):
            true = value if value.strip() else None
        if field != true:
            wrong.append(key)
    return wrong


def manifest_of(bundle: SkillBundle) -> dict[str, Any]:
    """Return what `SkillBundle.manifest` is."""
    return {
        "format": FORMAT,
        "digest": bundle.digest,
        "skills": [
            {
                "name": skill.name,
                "digest": skill.digest,
                "frontmatter": skill.frontmatter,
                "files": [
                    {
                        "path": file.path,
                        "size": file.size,
                        "digest": file.digest,
                        "media_type": file.media_type,
                        "text": file.is_text,
                        "executable": file.executable,
                    }
                    for file in skill.files.values()
                ],
            }
            for skill in bundle.values()
        ],
    }


def written(bundle: SkillBundle) -> str:
    """Return what `SkillBundle.to_json` does."""
    from binascii import b2a_base64

    rows = bundle.manifest["skills"]
    for row, skill in zip(rows, bundle.values(), strict=True):
        fields = text_fields(skill)
        row["description"] = skill.description
        row["index_digest"] = skill._index_digest
        row["fields"] = {key: fields.get(key) for key in FIELDS_SHAPE}
        for entry in row["files"]:
            file = skill.file(entry["path"])
            entry["content"] = (
                file.text() if file.is_text else b2a_base64(file.bytes(), newline=False).decode("ascii")
            )
    load, read = bundle._tools
    tools = {"load": load, "read": read, "style": bundle._style}
    whole = {"format": FORMAT, "digest": bundle.digest, "problems": bundle.problems, "tools": tools}
    return canonical_json({**whole, "skills": rows})


def restored(kind: type[SkillBundle], text: str) -> SkillBundle:
    """Return what `SkillBundle.from_json` does."""
    from binascii import a2b_base64

    data = read_json(text, BUNDLE_SHAPE, "a bundle")
    if data["format"] != FORMAT:
        raise ValueError(f"this runtime reads format {FORMAT}, the bundle is {echo(data['format'])}")
    skills: list[Skill] = []
    damaged: list[str] = []
    for row in data["skills"]:
        name: str = row["name"]
        files: list[SkillFile] = []
        for entry in row["files"]:
            content = entry["content"]
            file = held_file(
                entry["path"],
                content.encode("utf-8") if entry["text"] else a2b_base64(content),
                media_type=entry["media_type"],
                executable=entry["executable"],
                owner=name,
            )
            if (file.size, file.digest, file.is_text) != (entry["size"], entry["digest"], entry["text"]):
                damaged.append(f"{name}/{file.path}")
            files.append(file)
        fields = {key: value for key, value in row["fields"].items() if value is not None}
        if wrong := disagreeing(row["frontmatter"], fields):
            raise ValueError(f"{echo(name)}: its frontmatter does not give its {', '.join(wrong)}")
        skill = made_skill(
            name=name,
            description=row["description"],
            frontmatter=row["frontmatter"],
            fields=fields,
            files=files,
        )
        if (skill.digest, skill._index_digest) != (row["digest"], row["index_digest"]):
            damaged.append(name)
        skills.append(skill)
    bundle = kind(skills, problems=data["problems"]).with_tools(**data["tools"])
    if bundle.digest != data["digest"]:
        damaged.append(".")
    if damaged:
        raise IntegrityError(damaged)
    return bundle
