"""An asset read as a skill: its metadata, its content, and the facet that says what loading it adds.

The facet is kept in the skill's own `metadata`, as text behind the prefix `skill`: there a SKILL.md can have it, its digest
covers it, and an export of assets finds it again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillpack.runtime import SkillBundle, define_skill

if TYPE_CHECKING:
    from grid_assets.venue import Venue
    from skillpack.runtime import Skill

NAME = re.compile(r"(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*")
"""What the name in a SKILL.md may be."""

FENCE = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)


class AssetError(ValueError):
    """An asset that is no skill; the message is for the index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """What loading adds: `tools` (addresses), `context` (address and label), all within `budget` characters.

    `operation` says that the asset can be called itself, and how; None for most.
    """

    tools: tuple[str, ...]
    context: tuple[tuple[str, str], ...]
    budget: int | None
    operation: Mapping[str, Any] | None


def facet_of(skill: Skill) -> Facet:
    """Read the facet of a skill, whether it was packed in a wheel or made by `skill_of`."""
    data = skill.metadata_for("skill")
    return Facet(
        tools=tuple(json.loads(data.get("tools", "[]"))),
        context=tuple(
            (entry["ref"], entry.get("label", entry["ref"]))
            for entry in json.loads(data.get("context", "[]"))
        ),
        budget=int(data["budget"]) if "budget" in data else None,
        operation=json.loads(data["operation"]) if "operation" in data else None,
    )


def skill_of(asset: Mapping[str, Any], venue: Venue, key: str = "") -> Skill:
    """Make a skill of an asset's metadata. `key` is its name in a directory, which counts before its own.

    What the metadata does not say is taken from the frontmatter of a Markdown document, if the content has one. Raises
    `ValueError`, of which `AssetError` is one, for what is no skill, and `OSError` for content that is out of reach.
    """
    is_told = bool(asset.get("name") and asset.get("description"))
    head, body = _parted(_content(asset.get("content"), venue))
    written = {} if is_told else _read(head)
    description = asset.get("description") or written.get("description")
    if not description:
        raise AssetError("missing description")
    facet = _facet(asset.get("skill", {}))
    parts = {f"skill.{field}": json.dumps(value) for field, value in facet.items() if value}
    if operation := asset.get("operation"):
        if not isinstance(operation, Mapping) or not isinstance(operation.get("adapter"), str):
            raise AssetError("operation is not an object with an adapter")
        parts["skill.operation"] = json.dumps(operation, sort_keys=True)
    # An asset may have any name ("PDF Processing"), a SKILL.md may not, and what is in that is the skill's identity:
    # there the asset's own name stands where it can, never the key. So an asset under two keys is one skill.
    own = asset.get("name") or written.get("name")
    plain = f"asset-{identity(asset)[:12]}"
    inner = own if isinstance(own, str) and NAME.fullmatch(own) else plain
    name = key or own or plain
    if not isinstance(name, str):
        raise AssetError("name is not a text")
    skill = define_skill(
        name=inner,
        description=description,
        instructions=body,
        # A facet's tools add, `allowed-tools` restricts. It is here for the session, which tells the model what of it
        # the venue lacks; this harness never asks `session.permits`, so nothing is restricted.
        allowed_tools=facet["tools"] or None,
        metadata=parts,
    )
    return SkillBundle([skill]).rename({inner: name})[name]


def _facet(written: object) -> dict[str, Any]:
    if not isinstance(written, Mapping):
        raise AssetError("skill is not an object")
    tools, context, budget = written.get("tools") or [], written.get("context") or [], written.get("budget")
    if not isinstance(tools, list) or not all(isinstance(tool, str) for tool in tools):
        raise AssetError("skill.tools is not a list of addresses")
    if not isinstance(context, list) or not all(
        isinstance(entry, Mapping) and isinstance(entry.get("ref"), str) for entry in context
    ):
        raise AssetError("skill.context is not a list of objects with a ref")
    if budget is not None and (type(budget) is not int or budget < 1):
        raise AssetError("skill.budget is not a whole number above 0")
    return {"tools": tools, "context": context, "budget": budget}


def identity(asset: Mapping[str, Any]) -> str:
    """Return the hash of an asset's metadata, 64 hex characters: `a/` and this is its address."""
    return hashlib.sha256(json.dumps(asset, sort_keys=True).encode("utf-8")).hexdigest()


def _content(content: object, venue: Venue) -> str:
    if content is None:
        return ""  # a toolset
    place = content if isinstance(content, Mapping) else {}
    inline, path, digest = place.get("inline"), place.get("path"), place.get("sha256")
    if isinstance(inline, str):
        data = inline.encode("utf-8")
    elif isinstance(path, str):
        data = venue.file(path)  # live, or with a sha256 pinned
    elif isinstance(digest, str):
        data = venue.blob(digest)
    else:
        raise AssetError("content is neither inline text nor a path nor a sha256")
    if digest is not None and hashlib.sha256(data).hexdigest() != digest:
        raise AssetError("the content is not what its sha256 says")
    return data.decode("utf-8")


def _parted(text: str) -> tuple[str, str]:
    """Split a Markdown document into its frontmatter, or the empty text, and what is below it.

    The fences are two lines `---`, the first of them the first line; without both there is no frontmatter.
    """
    text = text.removeprefix("\ufeff")
    first, second = [*FENCE.finditer(text), None, None][:2]
    if first is None or second is None or first.start():
        return "", text
    return text[first.end() : second.start()], text[second.end() :].lstrip("\r\n")


def _read(head: str) -> dict[str, str]:
    """Return name and description out of the YAML of a frontmatter; what YAML does not take is an error, never a guess."""
    if not head:
        return {}
    try:
        import yaml
    except ImportError:  # where skillpack is installed without its dependencies
        raise AssetError("its frontmatter needs pyyaml to be read, which is not installed") from None
    try:
        # of BaseLoader, to which all scalars are the text that is written, as skillpack reads them
        values = yaml.load(head, Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts, lists and mappings only
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 2})" if mark else ""
        raise AssetError(f"its frontmatter is not YAML{place}") from None
    if values and not isinstance(values, dict):
        raise AssetError("its frontmatter is not a mapping")
    read = {key: values.get(key, "") for key in ("name", "description")} if values else {}
    for key, value in read.items():
        if not isinstance(value, str):
            raise AssetError(f"{key} in its frontmatter is not a text")
    return read
