"""The JSON Schema of a frontmatter: what it takes and what it refuses, field by field."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from skillpack import fields
from skillpack.schema import DIALECT, schema, schema_text

GOOD = {"name": "pdf-tools", "description": "Reads PDF files. Use it when a PDF is attached."}


def is_valid(instance: object) -> bool:
    return jsonschema.Draft202012Validator(schema()).is_valid(instance)


def with_field(key: str, value: object) -> dict[str, Any]:
    return {**GOOD, key: value}


def test_the_schema_is_one_of_its_dialect() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["$schema"] == DIALECT == jsonschema.Draft202012Validator.META_SCHEMA["$schema"]


def test_the_schema_has_the_six_fields_each_with_a_title_and_a_description() -> None:
    properties = schema()["properties"]
    assert tuple(properties) == fields.FIELDS
    assert all(field["title"] and field["description"] for field in properties.values())


def test_the_limits_are_those_of_the_rules() -> None:
    properties = schema()["properties"]
    assert properties["name"]["maxLength"] == fields.MAX_NAME_CHARS == 64
    assert properties["description"]["maxLength"] == fields.MAX_DESCRIPTION_CHARS == 1024
    assert properties["compatibility"]["maxLength"] == fields.MAX_COMPATIBILITY_CHARS == 500


def test_the_text_is_the_schema_and_always_the_same() -> None:
    assert json.loads(schema_text()) == schema()
    assert schema_text() == schema_text()
    assert schema_text().isascii()
    assert schema_text().endswith("}\n")


def test_a_schema_that_was_changed_is_not_the_next_one() -> None:
    schema()["properties"].clear()
    assert schema()["properties"]


def test_name_and_description_are_enough_and_all_six_are_well() -> None:
    assert is_valid(GOOD)
    assert is_valid(
        {
            **GOOD,
            "license": "Apache-2.0",
            "compatibility": "Requires git",
            "metadata": {"version": "1.0"},
            "allowed-tools": "Bash(git:*) Read",
        }
    )


@pytest.mark.parametrize("key", ["name", "description"])
def test_name_and_description_are_required(key: str) -> None:
    assert not is_valid({field: value for field, value in GOOD.items() if field != key})


@pytest.mark.parametrize("key", ["model", "Name", "globs", ""])
def test_other_fields_are_refused(key: str) -> None:
    assert not is_valid(with_field(key, "x"))


@pytest.mark.parametrize("name", ["a", "7", "a-b-c", "a" * 64])
def test_a_good_name(name: str) -> None:
    assert is_valid(with_field("name", name))


@pytest.mark.parametrize(
    "name", ["", "a" * 65, "A", "-a", "a-", "a--b", "a_b", "a b", "é", "a\n", "\na", "a\nb", 7, None, ["a"]]
)
def test_a_bad_name(name: object) -> None:
    assert not is_valid(with_field("name", name))


@pytest.mark.parametrize("description", ["x", "x y", "\U0001f600" * 1024, "two\nlines"])
def test_a_good_description(description: str) -> None:
    assert is_valid(with_field("description", description))


@pytest.mark.parametrize(
    "description", ["", " ", "\n\t", " x", "x ", "x\n", "\u3000x", "x\u00a0", "x" * 1025, 1, None, ["x"]]
)
def test_a_bad_description(description: object) -> None:
    assert not is_valid(with_field("description", description))


@pytest.mark.parametrize("key", ["license", "compatibility", "allowed-tools"])
@pytest.mark.parametrize("value", ["", "  ", None, 1.0, True, ["Read"], {"a": "b"}])
def test_a_text_is_text_that_is_not_blank(key: str, value: object) -> None:
    assert not is_valid(with_field(key, value))


def test_a_compatibility_has_an_end_and_a_license_has_none() -> None:
    assert is_valid(with_field("compatibility", "x" * 500))
    assert not is_valid(with_field("compatibility", "x" * 501))
    assert is_valid(with_field("license", "x" * 5000))


@pytest.mark.parametrize("metadata", [{}, {"a": "b", "": ""}])
def test_good_metadata(metadata: object) -> None:
    assert is_valid(with_field("metadata", metadata))


@pytest.mark.parametrize(
    "metadata",
    [None, "a", ["a"], {"a": 1}, {"a": None}, {"a": ["b"]}, {"a": {"b": "c"}}, {"adk_inject_state": "true"}],
)
def test_bad_metadata(metadata: object) -> None:
    assert not is_valid(with_field("metadata", metadata))
