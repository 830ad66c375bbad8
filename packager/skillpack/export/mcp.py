"""Skills over MCP (extension `io.modelcontextprotocol/skills`, SEP-2640): URIs, and the entries that hosts are listed.

Standard library only, so that the adapters for servers of MCP work without the packager's dependencies.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import quote, unquote_to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.export.structure import AnyBundle, AnySkill

EXTENSION = "io.modelcontextprotocol/skills"
SKILL_MD = "SKILL.md"

MAX_FILES = 512
"""How many files a skill may have, SKILL.md included: hosts refuse more."""
MAX_SKILL_BYTES = 16 * 2**20
"""How much the files of one skill may hold together, in bytes: hosts refuse more."""

_SCHEME = "skill://"
NAME = re.compile(r"(?=.{1,64}\Z)[a-z0-9]+(?:-[a-z0-9]+)*")
"""What the names are that readers of skills take, over MCP and elsewhere."""
MAX_DESCRIPTION_CHARS = 1_024
MAX_COMPATIBILITY_CHARS = 500


class Resource(TypedDict):
    """One file as an entry lists it: `digest` is `sha256:` and 64 lowercase hex characters, `size` is in bytes."""

    uri: str
    digest: str
    size: int


class Entry(TypedDict):
    """One skill as `skills/list` and `skills/get` give it: `uri` is that of its SKILL.md, `resources` are all files."""

    uri: str
    frontmatter: dict[str, Any]
    resources: list[Resource]


def uri_of(name: str, path: str = SKILL_MD) -> str:
    """Return the URI of a file of a skill: every character that a URI does not hold as it is, percent-encoded."""
    return f"{_SCHEME}{quote(name, safe='')}/{quote(path, safe='/')}"


def located(uri: str) -> tuple[str, str] | None:
    """Return the skill's name and the file's path that a URI says, decoded once, or None when it is of another form.

    They are keys to look up, not yet known to exist. Whatever is percent-encoded is decoded, needed or not; but the
    slashes of a path are slashes in the URI. The path is empty for the directory of the skill.
    """
    if not uri.startswith(_SCHEME):
        return None
    try:
        name, *parts = (
            unquote_to_bytes(part).decode("utf-8") for part in uri.removeprefix(_SCHEME).split("/")
        )
    except ValueError:
        return None
    if not name or any("/" in part for part in (name, *parts)):
        return None
    return name, "/".join(parts)


def entry(skill: AnySkill) -> Entry:
    """Return the entry of a skill; nothing is read but its index, the digests are those that it was packed with."""
    return {
        "uri": uri_of(skill.name),
        "frontmatter": skill.frontmatter,
        "resources": [
            {"uri": uri_of(skill.name, path), "digest": file.digest, "size": file.size}
            for path, file in sorted(skill.files.items(), key=lambda item: item[0].encode("utf-8"))
        ],
    }


def entries(bundle: AnyBundle) -> list[Entry]:
    """Return the entry of each skill, hidden ones included, by the code points of the names."""
    return [entry(bundle[name]) for name in sorted(bundle)]


def faults(bundle: AnyBundle) -> list[str]:
    """Return a line for each thing for which hosts refuse a skill: with many of them one such entry costs the list."""
    return [
        f"skill {ascii(name)[:80]}: {fault}" for name in sorted(bundle) for fault in _faults(bundle[name])
    ]


def _faults(skill: AnySkill) -> Iterator[str]:
    values = skill.frontmatter
    if not NAME.fullmatch(skill.name):
        yield "its name is not 1 to 64 of a-z and 0-9, in groups joined by single hyphens"
    elif values.get("name") != skill.name:
        yield "its SKILL.md gives another name, or none, and hosts compare the two"
    if not _is_text(values.get("description"), MAX_DESCRIPTION_CHARS):
        yield f"its description is not a text of 1 to {MAX_DESCRIPTION_CHARS:,} characters"
    if not _is_text(values.get("compatibility", "-"), MAX_COMPATIBILITY_CHARS):
        yield f"its compatibility is not a text of 1 to {MAX_COMPATIBILITY_CHARS} characters"
    if not isinstance(values.get("license", ""), str):
        yield "its license is not a text"
    if not isinstance(values.get("metadata", {}), dict):
        yield "its metadata are no mapping"
    tools = values.get("allowed-tools", "")
    if not (
        isinstance(tools, str) or (isinstance(tools, list) and all(isinstance(tool, str) for tool in tools))
    ):
        yield "its allowed-tools are neither a text nor a list of texts"
    if len(skill.files) > MAX_FILES:
        yield f"it has {len(skill.files):,} files, and hosts take {MAX_FILES}"
    size = sum(file.size for file in skill.files.values())
    if size > MAX_SKILL_BYTES:
        yield f"its files hold {size:,} bytes, and hosts take {MAX_SKILL_BYTES:,}"


def _is_text(value: object, limit: int) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= limit
