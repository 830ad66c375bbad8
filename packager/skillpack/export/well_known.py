"""A directory to serve as `/.well-known/agent-skills/`: Agent Skills Discovery, version 0.2.0 of its index.

Readers of version 0.1 know nothing of archives: for them an entry has `files` as well, and the files lie beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillpack.export.adoption import ExportError, adopt, offered, problem
from skillpack.export.mcp import NAME
from skillpack.export.zips import archive
from skillpack.runtime.digest import canonical_json, sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from skillpack.export.structure import AnyBundle
    from skillpack.runtime import Skill

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
INDEX = "index.json"
MAX_DESCRIPTION_UNITS = 1024
"""In UTF-16 code units, as the readers count, which are written in JavaScript."""


def files(bundle: AnyBundle, *, hidden: bool = False) -> Iterator[tuple[str, bytes]]:
    """Give the path and the bytes of each file to serve; the last is the index.

    A skill that is a lone SKILL.md is served as that, any other as the archive `<skill name>.zip` with its files at the
    root. URLs are relative to the index, so that the directory may lie anywhere. The index is a list for models: hidden
    skills are left out, or with `hidden` taken in. Raises `ExportError` when there is a skill that readers would drop,
    and as `skillpack.export.adoption.adopt` does, which also says when `IntegrityError` is raised.
    """
    skills = offered(adopt(bundle), hidden=hidden)
    problems = [problem(skill.name, fault) for skill in skills for fault in _faults(skill)]
    if problems:
        raise ExportError(problems)
    entries = []
    for skill in skills:
        contents = [(f"{skill.name}/{path}", file.bytes()) for path, file in skill.files.items()]
        yield from contents
        if skill.resources:
            kind, url, artifact = "archive", f"{skill.name}.zip", archive(skill)
            yield url, artifact
        else:
            kind, (url, artifact) = "skill-md", contents[0]
        entries.append(_entry(skill, kind, url, artifact))
    yield INDEX, f"{canonical_json({'$schema': SCHEMA, 'skills': entries})}\n".encode()


def _entry(skill: Skill, kind: str, url: str, artifact: bytes) -> dict[str, Any]:
    return {
        "name": skill.name,
        "type": kind,
        "description": skill.description,
        "url": url,
        "digest": f"sha256:{sha256_hex(artifact)}",
        "files": list(skill.files),
    }


def _faults(skill: Skill) -> Iterable[str]:
    if not NAME.fullmatch(skill.name):
        yield "its name is not 1 to 64 of a-z and 0-9 in groups joined by single hyphens: readers drop it"
    units = len(skill.description.encode("utf-16-le")) // 2
    if not skill.description.strip() or units > MAX_DESCRIPTION_UNITS:
        yield (
            f"its description has {units:,} UTF-16 code units: readers drop what has none, or over "
            f"{MAX_DESCRIPTION_UNITS:,}"
        )
