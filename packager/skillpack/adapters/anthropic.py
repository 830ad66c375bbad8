"""Skills of a bundle for Anthropic's Skills API (distribution `anthropic`): what its client uploads.

    import anthropic
    from myagent.skills import bundle
    from skillpack.adapters.anthropic import skill_files

    client = anthropic.Anthropic()
    for name, files in skill_files(bundle).items():
        print(name, client.skills.create(files=files).id)

A new version of an uploaded skill is `client.skills.versions.create(skill_id, files=files)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.fields import faults
from skillpack.runtime.errors import SkillDefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.adapters._bundle import Bundle, Skill

MAX_UPLOAD_BYTES = 30_000_000
"""Of all files of one skill together."""

REFUSED = frozenset(
    {
        "description-closing-tag",
        "description-length",
        "description-markup",
        "description-missing",
        "name-format",
        "name-length",
        "name-missing",
        "name-reserved",
    }
)
"""The rules for a SKILL.md, by their codes, that the service holds an upload against."""


def skill_files(bundle: Bundle) -> dict[str, list[tuple[str, bytes, str]]]:
    """Return by each skill's name what `client.skills.create(files=…)` takes: path, contents and media type a file.

    All files of a skill are in one folder, which has the name that SKILL.md gives, whatever the bundle calls the skill.
    Raises `SkillDefinitionError` for skills that the service would refuse, with a line for each reason and before
    anything is sent, and `IntegrityError` for damaged files. `bundle.select([…])` chooses what is uploaded.
    """
    if problems := [problem for skill in bundle.values() for problem in _problems(skill)]:
        raise SkillDefinitionError(problems)
    return {
        name: [
            (f"{skill.frontmatter['name']}/{path}", file.bytes(), file.media_type)
            for path, file in skill.files.items()
        ]
        for name, skill in bundle.items()
    }


def _problems(skill: Skill) -> Iterator[str]:
    for fault in faults(skill.frontmatter, directory=skill.name):
        if fault.code in REFUSED:
            yield f"{skill.name}/SKILL.md: {fault.message}; {fault.hint}"
    total = sum(file.size for file in skill.files.values())
    if total > MAX_UPLOAD_BYTES:
        largest = max(skill.files.values(), key=lambda file: file.size)
        yield (
            f"{skill.name}: {total} bytes, and an upload takes {MAX_UPLOAD_BYTES}; leave files out when packing "
            f"(exclude), or split the skill: the largest file is {largest.path}, {largest.size} bytes"
        )
