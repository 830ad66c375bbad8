"""An asset read as a skill: its metadata, its content, and the facet that says what loading it adds.

The facet is kept in the skill's own `metadata`, as text behind the prefix `skill`: there a SKILL.md can have it, its digest
covers it, and an export of assets finds it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillpack.runtime import define_skill

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillpack.runtime import Skill


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


def skill_of(asset: Mapping[str, Any], blob: Callable[[str], bytes]) -> Skill:
    """Make a skill of an asset's metadata; `blob` gives the contents of a SHA-256.

    What the metadata does not say is taken from the frontmatter of a Markdown document, if the content has one. Raises
    `ValueError`, of which `AssetError` is one, for what is no skill.
    """
    written, body = _frontmatter(_content(asset.get("content"), blob))
    description = asset.get("description") or written.get("description")
    if not description:
        raise AssetError("missing description")
    facet = _facet(asset.get("skill", {}))
    parts = {f"skill.{key}": json.dumps(value) for key, value in facet.items() if value}
    if operation := asset.get("operation"):
        if not isinstance(operation, Mapping) or not isinstance(operation.get("adapter"), str):
            raise AssetError("operation is not an object with an adapter")
        parts["skill.operation"] = json.dumps(operation, sort_keys=True)
    return define_skill(
        name=asset.get("name") or written.get("name") or f"asset-{identity(asset)[:12]}",
        description=description,
        instructions=body,
        # A facet's tools add, `allowed-tools` restricts. It is here for the session, which tells the model what of it
        # the venue lacks; this harness never asks `session.permits`, so nothing is restricted.
        allowed_tools=facet["tools"] or None,
        metadata=parts,
    )


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
    if budget is not None and type(budget) is not int:
        raise AssetError("skill.budget is not a whole number")
    return {"tools": tools, "context": context, "budget": budget}


def identity(asset: Mapping[str, Any]) -> str:
    """Return the hash of an asset's metadata, 64 hex characters: `a/` and this is its address."""
    return hashlib.sha256(json.dumps(asset, sort_keys=True).encode("utf-8")).hexdigest()


def _content(content: object, blob: Callable[[str], bytes]) -> str:
    if content is None:
        return ""  # a toolset
    inline, digest = (
        (content.get("inline"), content.get("sha256")) if isinstance(content, Mapping) else (None, None)
    )
    if not isinstance(inline, str) and not isinstance(digest, str):
        raise AssetError("content is neither inline text nor a sha256")
    data = inline.encode("utf-8") if isinstance(inline, str) else blob(str(digest))
    if digest is not None and hashlib.sha256(data).hexdigest() != digest:
        raise AssetError("the content is not what its sha256 says")
    return data.decode("utf-8")


def _frontmatter(text: str) -> tuple[dict[str, str], str]:
    """Split off a frontmatter: the values that stand on one line, plain or in double quotes.

    For all of YAML let `skillpack.from_directory` read the skill; an agent that runs has no parser for it.
    """
    if not text.startswith("---\n") or "\n---\n" not in text:
        return {}, text
    head, _, body = text[4:].partition("\n---\n")
    pairs = (line.partition(": ") for line in head.splitlines() if not line.startswith((" ", "#")))
    values = {key: value.strip() for key, _, value in pairs}
    return {
        key: json.loads(value) if value.startswith('"') else value for key, value in values.items()
    }, body.lstrip("\n")
