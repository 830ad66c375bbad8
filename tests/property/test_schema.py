"""The schema says no more and no less than the rules on the fields whose whole it can say."""

from __future__ import annotations

import json

import jsonschema
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillpack import fields, frontmatter
from skillpack.findings import Policy, Report
from skillpack.schema import schema

VALIDATOR = jsonschema.Draft202012Validator(schema())
ON_TEXT = {
    "name-reserved",
    "description-control",
    "description-closing-tag",
    "description-markup",
    "description-lines",
}
"""Codes of rules that JSON Schema cannot say; whatever `name-unsafe` finds, `name-format` refuses too."""

names = st.text(max_size=70) | st.from_regex(r"[a-z0-9-]{0,70}\n?", fullmatch=True)
values = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["", " ", "x" * 500, "x" * 501, "x" * 1024, "x" * 1025, "\ufeff", "\x1f", "\x85"]),
    st.lists(st.text(max_size=3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.text(max_size=3) | st.just(()), max_size=2),
)


def codes(skill: dict[str, object]) -> set[str]:
    return {fault.code for fault in fields.faults(skill)}


@settings(deadline=None)
@given(names)
def test_a_name_passes_both_or_neither(name: str) -> None:
    skill: dict[str, object] = {"name": name, "description": "x"}
    assert VALIDATOR.is_valid(skill) == (not codes(skill) - ON_TEXT)


@settings(deadline=None)
@given(
    st.fixed_dictionaries(
        {"name": st.just("a")}, optional=dict.fromkeys([*fields.FIELDS[1:], "model"], values)
    )
)
def test_what_has_no_fault_is_valid_and_what_is_valid_has_faults_of_text_alone(
    skill: dict[str, object],
) -> None:
    found = codes(skill)
    if not found - {"description-lines"}:
        assert VALIDATOR.is_valid(skill)
    if VALIDATOR.is_valid(skill):
        assert found <= ON_TEXT | {"allowed-tools-form", "allowed-tools-syntax"}


# ------------------------------------------------------------------ the whole way, from bytes

TEXT_RULES = ON_TEXT - {"description-lines"} | {"allowed-tools-form", "allowed-tools-syntax"}
"""Codes of rules that are errors at strict and beyond JSON Schema."""

AT_LIMITS = ["x" * 500, "x" * 501, "x" * 1024, "x" * 1025]
LIKE_YAML = ["", " ", "\x85", "true", "1", "~", "a # b", "a: b", "a --- b", "a\nb"]
AGAINST_RULES = [
    "<b>",
    "</b",
    "a < b",
    "->",
    "\x07",
    "\u200b",
    "claude",
    "Read, Write",
    "Bash(git",
    " Read",
    "Read\n",
]
texts = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    [*AT_LIMITS, *LIKE_YAML, *AGAINST_RULES, "\U0001f600", "Read"]
)
other = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from([1.5, -0.25])
keys = st.text(st.characters(codec="utf-8"), max_size=5) | st.sampled_from(
    ["name", "description", "Name", "model", "---"]
)
anything = st.recursive(
    texts | other,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=2) | st.dictionaries(keys, inner, min_size=1, max_size=2)
    ),
    max_leaves=3,
)
plain = st.text("abc .", min_size=1, max_size=12)
tools = st.lists(st.sampled_from(["Read", "Write", "Bash(git add:*)"]), min_size=1, max_size=3).map(" ".join)
good = st.fixed_dictionaries(
    {
        "name": st.from_regex(r"[a-z0-9]{1,5}(-[a-z0-9]{1,5}){0,2}", fullmatch=True),
        "description": plain | texts,
    },
    optional={
        "license": plain,
        "compatibility": plain,
        "metadata": st.dictionaries(keys, plain | texts, min_size=1, max_size=2),
        "allowed-tools": tools,
    },
)
"""Skills that are mostly well."""
changes = st.dictionaries(
    st.sampled_from(fields.FIELDS) | keys,
    texts | anything | st.dictionaries(st.sampled_from(fields.TYPED_METADATA), texts, min_size=1),
    max_size=2,
)
frontmatters = st.builds(lambda whole, changed: {**whole, **changed}, good, changes)


def block(value: object, indent: str = "") -> str:
    """Write a value as YAML, as the rules on form want it: in blocks, with all text in quotes."""
    if isinstance(value, dict):
        return "".join(f"\n{indent}{quoted(key)}:{block(item, indent + '  ')}" for key, item in value.items())
    if isinstance(value, list):
        return "".join(f"\n{indent}-{block(item, indent + '  ')}" for item in value)
    if value is None:
        return ""
    return f" {quoted(value) if isinstance(value, str) else json.dumps(value)}"


def quoted(text: str) -> str:
    return yaml.safe_dump(text, default_style='"', width=10_000).strip()


@settings(deadline=None, max_examples=300)
@given(frontmatters)
@example({"name": "a", "description": "b", "allowed-tools": "\x85"})
def test_a_skill_passes_strict_exactly_when_it_passes_the_schema_and_the_rules_on_text(
    written: dict[str, object],
) -> None:
    text = block(written)
    report = Report(Policy(setting="strict"))
    data = f"---{text}\n---\nBody\n".encode()
    read = frontmatter.read(data, place="skills/a/SKILL.md", directory="a", report=report)
    values = yaml.safe_load(text) if read is None else read.values
    on_text = {fault.code for fault in fields.faults(values)} & TEXT_RULES
    on_lines = "---" in text  # which no schema of the values can see
    assert (not report.has_errors) == (VALIDATOR.is_valid(values) and not on_text and not on_lines)
