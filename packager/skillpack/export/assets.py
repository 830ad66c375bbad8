"""Skills as assets of a grid: a skill's metadata with the hash of its content, and the contents by their hashes.

The content of an asset is its SKILL.md as it is, so that the hash is the one which the bundle's manifest has. What
loading adds, the facet `skill`, stands in the skill's own `metadata`, as text: `skill.tools` (a JSON array of addresses),
`skill.context` (a JSON array of objects with a `ref`), `skill.budget` (digits). It is never made of `allowed-tools`: that
restricts, and the tools of a facet add.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

from skillpack.export.adoption import SKILL_MD, ExportError, adopt, apart, offered, problem
from skillpack.runtime.digest import canonical_json
from skillpack.runtime.text import plain_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from skillpack.export.structure import AnyBundle
    from skillpack.runtime import Skill

CONTENT_TYPE = "text/markdown"
MAX_FACET_CHARS = 65_536
"""How long a value of `metadata` may be that is read as JSON: a whole frontmatter has no more bytes."""

_PREFIX = "skill"
_BUDGET = re.compile("[0-9]{1,18}")


class _FacetError(ValueError):
    """A value of a facet that is not as it has to be; the message ends a problem."""


def files(bundle: AnyBundle, *, hidden: bool = False) -> Iterator[tuple[str, bytes]]:
    """Give the path and the bytes of each file: `assets/<skill name>.json`, and `content/<SHA-256 in hex>` for its content.

    A skill without instructions is a pure toolset and has no content; other files than SKILL.md are no part of an asset.
    A venue offers what it lists to models: hidden skills are left out, or with `hidden` taken in. Raises `ExportError`
    with all malformed facets at once and as `skillpack.export.adoption.adopt` does, which also says when
    `IntegrityError` is raised.
    """
    made: list[tuple[Skill, dict[str, Any]]] = []
    problems: list[str] = []
    for skill in offered(apart(adopt(bundle)), hidden=hidden):
        try:
            made.append((skill, asset(skill)))
        except ExportError as error:
            problems += error.problems
    if problems:
        raise ExportError(problems)
    given = set()
    for skill, metadata in made:
        yield f"assets/{skill.name}.json", f"{canonical_json(metadata)}\n".encode()
        digest = metadata.get("content", {}).get("sha256")
        if digest is not None and digest not in given:
            given.add(digest)
            yield f"content/{digest}", skill.file(SKILL_MD).bytes()


def asset(skill: Skill) -> dict[str, Any]:
    """Return the metadata of one skill's asset in JSON types.

    Raises `ExportError` for a malformed facet, with all its faults, and `IntegrityError`.
    """
    made: dict[str, Any] = {"name": skill.name, "description": skill.description, "skill": _facet(skill)}
    if not skill.description.strip():
        raise ExportError(
            [problem(skill.name, "it has no description, and an asset that is a skill needs one")]
        )
    content = skill.file(SKILL_MD)
    if not content.is_text or not plain_text(content.bytes()):
        raise ExportError([problem(skill.name, f"its {SKILL_MD} is no text")])
    if skill.body.strip():
        made["content"] = {
            "contentType": CONTENT_TYPE,
            "sha256": content.digest.removeprefix("sha256:"),
        }
    return made


def _facet(skill: Skill) -> dict[str, Any]:
    written = skill.metadata_for(_PREFIX)
    facet: dict[str, Any] = {}
    problems: list[str] = []
    for key, read in _READERS.items():
        if key in written:
            try:
                facet[key] = read(written[key])
            except (ValueError, RecursionError) as error:
                fault = str(error) if isinstance(error, _FacetError) else "it cannot be read as JSON"
                # without the value, which may be anything, a secret too
                problems.append(problem(skill.name, f"metadata {_PREFIX}.{key}: {fault}"))
    if problems:
        raise ExportError(problems)
    return facet


def _tools(text: str) -> list[str]:
    tools = _array(text)
    if not all(isinstance(tool, str) and tool for tool in tools):
        raise _FacetError('it has to be a JSON array of addresses, as in ["v/ops/file/read"]')
    return tools


def _context(text: str) -> list[dict[str, Any]]:
    entries = _array(text)
    if not all(_is_entry(entry) for entry in entries):
        raise _FacetError('it has to be a JSON array of objects with a ref, as in [{"ref": "w/docs/rules"}]')
    return entries


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("ref"), str)
        and bool(entry["ref"])
        and isinstance(entry.get("label", ""), str)
    )


def _budget(text: str) -> int:
    if not _BUDGET.fullmatch(text) or not int(text):
        raise _FacetError("it has to be a whole number above 0, in digits")
    return int(text)


_READERS: dict[str, Callable[[str], Any]] = {"tools": _tools, "context": _context, "budget": _budget}


def _array(text: str) -> list[Any]:
    """Return the value of a JSON array; one that no other JSON can hold is a `ValueError`."""
    if len(text) > MAX_FACET_CHARS:
        raise _FacetError(f"it has over {MAX_FACET_CHARS:,} characters")
    value = json.loads(text, parse_constant=_refuse)
    canonical_json(value).encode("utf-8")  # numbers beyond all bounds, halves of surrogate pairs
    if not isinstance(value, list):
        raise _FacetError("it has to be a JSON array")
    return value


def _refuse(constant: str) -> NoReturn:
    raise _FacetError(f"{constant} is no JSON")
