"""What Cloudhal writes about a skill: flat text under `metadata`, behind a prefix, since the format has no other place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from strict_portable.skills import Skill, SkillBundle

PREFIX = "cloudhal"
SCHEMA_VERSION = "1"
KEYS = {"schemaVersion", "requiresCapabilities", "scopes", "approval"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """`capabilities` are what the host must have, `scopes` what the user must hold, `approval` tools that a person approves."""

    capabilities: frozenset[str]
    scopes: frozenset[str]
    approval: frozenset[str]


def terms_of(skill: Skill) -> Terms:
    """Read a skill's terms. `ValueError` for another schema version and for a key that nobody reads."""
    data = skill.metadata_for(PREFIX)
    if data.get("schemaVersion") != SCHEMA_VERSION:
        raise ValueError(
            f"{skill.name}: {PREFIX}.schemaVersion is {data.get('schemaVersion')!r}, "
            f"this agent reads {SCHEMA_VERSION!r}"
        )
    if unread := sorted(data.keys() - KEYS):
        # any text is valid metadata, so a misspelt key would switch an approval off in silence
        raise ValueError(f"{skill.name}: nobody reads {PREFIX}.{unread[0]}")
    return Terms(
        capabilities=frozenset(skill.metadata_list(f"{PREFIX}.requiresCapabilities")),
        scopes=frozenset(skill.metadata_list(f"{PREFIX}.scopes")),
        approval=frozenset(skill.metadata_list(f"{PREFIX}.approval")),
    )


def offered(bundle: SkillBundle, capabilities: Iterable[str], scopes: Iterable[str]) -> SkillBundle:
    """Return the skills that a host with these capabilities may offer to a user with these scopes."""
    terms = {name: terms_of(skill) for name, skill in bundle.items()}
    return bundle.select(
        name
        for name in bundle
        if terms[name].capabilities <= {*capabilities} and terms[name].scopes <= {*scopes}
    )
