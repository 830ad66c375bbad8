"""The JSON Schema of a SKILL.md's frontmatter: the six fields of the Agent Skills format and nothing else.

It is for editors and other tools, and no check reads it: a skill passes at `strict` exactly when its frontmatter
passes this schema and the rules on text (markup, control characters, reserved words, how tools are separated)
that JSON Schema cannot say. The limits are those of `skillpack.fields`.
"""

from __future__ import annotations

import json
from typing import Any

from skillpack.fields import (
    MAX_COMPATIBILITY_CHARS,
    MAX_DESCRIPTION_CHARS,
    MAX_NAME_CHARS,
    TYPED_METADATA,
    UNSEEN,
)

DIALECT = "https://json-schema.org/draft/2020-12/schema"

# Only what every regular expression engine shares, as JSON Schema recommends: no look-ahead, no (?:…), no \Z.
_NOT_BLANK = r"\S"
_WHITE_EDGE = r"^\s|\s$"
_GROUPS_AND_HYPHENS = "^[a-z0-9]+(-[a-z0-9]+)*$"
# By itself the pattern above would pass a name that ends with a newline: in Python's engine $ matches before it.
_OTHER_CHARACTER = "[^a-z0-9-]"


def schema() -> dict[str, Any]:
    """Return the schema, draft 2020-12, as a new value of JSON's types."""
    return {
        "$schema": DIALECT,
        "title": "Frontmatter of a SKILL.md",
        "description": "The fields of an Agent Skill, as the strict level of skillpack accepts them.",
        "type": "object",
        "properties": {
            "name": {
                "title": "Name",
                "description": (
                    "What the skill is called, and the name of its directory: groups of a-z and 0-9 with "
                    "single hyphens between them."
                ),
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_NAME_CHARS,
                "pattern": _GROUPS_AND_HYPHENS,
                "not": {"pattern": _OTHER_CHARACTER},
            },
            "description": {
                "title": "Description",
                "description": (
                    "What the skill does and when to use it. This is all that an agent sees until it opens the skill."
                ),
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_DESCRIPTION_CHARS,
                "pattern": f"[^{UNSEEN}]",
                "not": {"pattern": _WHITE_EDGE},
            },
            "license": {
                "title": "License",
                "description": "The license's name, or the name of a license file that comes with the skill.",
                "type": "string",
                "pattern": _NOT_BLANK,
            },
            "compatibility": {
                "title": "Compatibility",
                "description": "What the skill needs: a product, system packages, network access.",
                "type": "string",
                "maxLength": MAX_COMPATIBILITY_CHARS,
                "pattern": _NOT_BLANK,
            },
            "metadata": {
                "title": "Metadata",
                "description": "Anything else, as text by a key of text. Quote what YAML would read as another type.",
                "type": "object",
                "propertyNames": {"not": {"enum": list(TYPED_METADATA)}},
                "additionalProperties": {"type": "string"},
            },
            "allowed-tools": {
                "title": "Allowed tools",
                "description": "The tools that the skill may use without asking, with single spaces between them.",
                "type": "string",
                "pattern": _NOT_BLANK,
            },
        },
        "required": ["name", "description"],
        "additionalProperties": False,
    }


def schema_text() -> str:
    """Return the schema as JSON text that is the same on every machine, with a line feed at the end."""
    return json.dumps(schema(), indent=2) + "\n"
