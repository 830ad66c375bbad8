"""Skills with any fields, made in memory as the packager makes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from skillpack import digest
from skillpack.model import Frontmatter
from skillpack.runtime import SkillBundle
from support.bundles import make_source, skill_md

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from skillpack.runtime import Skill


def authored(
    name: str,
    body: str = "# Hi\n",
    *,
    description: str = "A skill",
    tools: Sequence[str] | None = None,
    globs: Sequence[str] = (),
    hidden: bool = False,
    metadata: Mapping[str, str] | None = None,
    files: Mapping[str, bytes] | None = None,
    executable: Collection[str] = (),
) -> Skill:
    """Return a skill with these fields and further files; `executable` are paths of some."""
    fields = Frontmatter(
        name=name,
        description=description,
        values={
            "name": name,
            "description": description,
            "license": "MIT",
            **({"allowed-tools": list(tools)} if tools is not None else {}),
            **({"globs": list(globs)} if globs else {}),
            **({"metadata": dict(metadata)} if metadata else {}),
            **({"hide": True} if hidden else {}),
        },
        allowed_tools=None if tools is None else tuple(tools),
        globs=tuple(globs),
        hidden=hidden,
        metadata=dict(metadata or {}),
        license="MIT",
    )
    is_plain = "\n" not in description and ": " not in description
    written = description if is_plain else json.dumps(description, ensure_ascii=False)
    source = make_source(
        name,
        {"SKILL.md": skill_md(name, written, body), **(files or {})},
        executable=executable,
        frontmatter=fields,
    )
    return digest.address([source]).bundle[name]


def bundle_of(*skills: Skill, problems: Sequence[str] = ()) -> SkillBundle:
    """Return the bundle of these skills."""
    return SkillBundle(skills, problems=problems)
