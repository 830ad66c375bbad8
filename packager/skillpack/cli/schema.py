"""The command that prints what a frontmatter may hold: `schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skillpack.cli.outcome import command

if TYPE_CHECKING:
    from skillpack.cli.console import Console


@click.command(
    epilog="""\b
Examples:
  skillpack schema
  skillpack schema > skill.schema.json
""",
)
@command
def schema(console: Console) -> bool:
    """Print the JSON Schema of a SKILL.md's frontmatter.

    It has the six fields of the format and nothing else, as --strict accepts them, and is for editors and other
    tools.
    """
    from skillpack.schema import schema_text

    console.out(schema_text().removesuffix("\n"))
    return True
