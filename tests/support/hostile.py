"""What a model, or the client in between, may send where a tool's name and its arguments belong."""

from __future__ import annotations

import re
from typing import Any

TOOLS: list[Any] = [None, 7, ["load_skill"], {"name": "load_skill"}, "", "\ud800", "x" * 10**6]
ARGUMENTS: list[Any] = [
    None,
    [],
    ["code-review"],
    7,
    True,
    "",
    "{",
    "null",
    "[]",
    '"code-review"',
    '{"name": "code-review"}',
    '{"path": ["a"], "order": {}, "name": "\\ud800"}',
    "[" * 100_000,
    "9" * 5_000,
    {},
    {"name": None},
    {"name": ["code-review"]},
    {"name": "../x"},
    {"name": "\ud800", "path": "\ud800", "order": "\ud800"},
    {"path": ["a"]},
    {"order": {"a": []}},
    {"_context": 1, "self": 2, "order": "1042"},
    {"1": "x" * 10**6},
    {1: 2},
]


def assert_answered(answer: str) -> None:
    """Assert that an answer is one line that shows nothing of the program."""
    assert answer.isprintable()
    assert len(answer) <= 400
    assert not re.search(
        r"<lambda>|__|Agent\.|Conversation|unhashable|Traceback|/work/|NoneType' object", answer
    )
