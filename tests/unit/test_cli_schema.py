"""`skillpack schema`: what is printed is the schema, as a file would have it."""

from __future__ import annotations

import json

import jsonschema
from click.testing import CliRunner

from skillpack import cli
from skillpack.schema import schema, schema_text


def test_it_prints_the_schema_and_nothing_else() -> None:
    result = CliRunner().invoke(cli.cli, ["schema"], prog_name="skillpack")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == schema_text()
    printed = json.loads(result.stdout)
    assert printed == schema()
    jsonschema.Draft202012Validator.check_schema(printed)
