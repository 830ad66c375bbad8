"""JSON from outside is held against a shape."""

from __future__ import annotations

from typing import Any

import pytest

from skillpack.runtime.shape import fits, read_json


@pytest.mark.parametrize(
    ("value", "shape", "does"),
    [
        ("x", str, True),
        (1, str, False),
        (1, int, True),
        (True, int, False),
        (1.0, int, False),
        (None, None, True),
        (0, None, False),
        (None, (None, str), True),
        ("x", (None, str), True),
        (1, (None, str), False),
        (["x"], [str], True),
        ([], [str], True),
        (["x", 1], [str], False),
        ({}, [str], False),
        ({"a": 1}, {str: int}, True),
        ({"a": "1"}, {str: int}, False),
        ([], {str: int}, False),
        ({"a": 1}, {"a": int}, True),
        ({"a": 1, "b": 1}, {"a": int}, False),
        ({}, {"a": int}, False),
        ([], {"a": int}, False),
        ({"a": [{"b": None}]}, {"a": [{"b": (None, int)}]}, True),
        ({"any": [1, {}]}, dict, True),
    ],
)
def test_a_value_fits_a_shape(value: object, shape: Any, *, does: bool) -> None:
    assert fits(value, shape) is does


def test_what_fits_is_returned() -> None:
    assert read_json('{"a": [1]}', {"a": [int]}, "a thing") == {"a": [1]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"a thing cannot be read as JSON \(JSONDecodeError\)"),
        ("[" * 100_000, r"a thing cannot be read as JSON \(RecursionError\)"),
        ('"\\ud800"', r"a thing cannot be read as JSON \(UnicodeEncodeError\)"),
        ("[NaN]", r"a thing cannot be read as JSON \(ValueError\)"),
        ("1" * 5000, r"a thing cannot be read as JSON \(ValueError\)"),
        (None, r"a thing cannot be read as JSON \(TypeError\)"),
        ("1", "a thing does not have the shape that to_json gives"),
    ],
)
def test_anything_else_is_a_value_error(text: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_json(text, str, "a thing")
