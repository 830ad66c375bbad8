"""What holds for any configuration at all."""

from __future__ import annotations

import datetime as dt
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from skillpack.config import OPTIONS, PYPROJECT, Config, from_table, import_fault, load
from skillpack.errors import ConfigError
from skillpack.rules import LEVELS, RULES, SETTINGS, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

NOWHERE = Path("/nowhere/at/all")
KEYS = [*(option.key for option in OPTIONS), "path", "paths"]

words = st.sampled_from(
    [
        "error",
        "off",
        "strict",
        "module",
        "auto",
        "split",
        "64 MiB",
        "a/b.py",
        "package:x",
        "./package:\x1b",
        "**",
        "!",
        "./x",
        "../y",
    ]
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.dates(min_value=dt.date(1, 1, 1)),
    st.text(),
    words,
)
keys = st.one_of(st.sampled_from(KEYS), st.sampled_from(sorted(RULES)), st.text())
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)
tables = st.dictionaries(keys, values, max_size=8)
documents = st.fixed_dictionaries(
    {"tool": st.fixed_dictionaries({"skillpack": tables}, optional={"uv": values})},
    optional={"project": st.dictionaries(st.sampled_from(["name", "requires-python", "dynamic"]), values)},
)


def outcome(
    document: dict[str, object], *, skills: Sequence[str] = (), rules: Sequence[str] = ()
) -> Config | tuple[str, ...]:
    try:
        return from_table(document, NOWHERE, skills=skills, rules=rules)
    except ConfigError as error:
        return error.problems


@settings(deadline=None)
@given(documents, st.lists(st.text(), max_size=3), st.lists(st.text(), max_size=3))
def test_any_table_gives_a_configuration_or_faults_of_one_printable_line_each(
    document: dict[str, object], skills: list[str], rules: list[str]
) -> None:
    result = outcome(document, skills=skills, rules=rules)
    lines = [notice.line for notice in result.notices] if isinstance(result, Config) else result
    assert all(line.isprintable() for line in lines)
    assert isinstance(result, Config) or result


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_file_gives_a_configuration_or_faults(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / PYPROJECT).write_bytes(data)
        try:
            read = load(Path(directory), skills=["skills"])
            problems = tuple(notice.line for notice in read.notices)
        except ConfigError as error:
            problems = error.problems
        assert all(line.isprintable() for line in problems)


@settings(deadline=None)
@given(tables)
def test_faults_do_not_depend_on_the_order_of_the_file(table: dict[str, object]) -> None:
    first = outcome({"tool": {"skillpack": table}}, skills=["a"])
    second = outcome({"tool": {"skillpack": dict(reversed(table.items()))}}, skills=["a"])
    assert isinstance(first, Config) == isinstance(second, Config)
    if not isinstance(first, Config) and not isinstance(second, Config):
        assert sorted(first) == sorted(second)


@settings(deadline=None)
@given(st.permutations(KEYS))
def test_faults_come_in_the_order_of_the_file(order: list[str]) -> None:
    a_date_suits_no_key = dt.date(2026, 1, 1)
    problems = outcome({"tool": {"skillpack": dict.fromkeys(order, a_date_suits_no_key)}})
    assert not isinstance(problems, Config)
    assert [problem.partition(": ")[0] for problem in problems] == [f"tool.skillpack.{key}" for key in order]


@settings(deadline=None)
@given(st.integers(1, 10**12), st.sampled_from(["B", "KiB", "MiB", "GiB"]), st.sampled_from(["", " "]))
def test_a_size_is_the_same_as_text_and_as_a_number(number: int, unit: str, gap: str) -> None:
    size = number * {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit]
    text = outcome({"tool": {"skillpack": {"max-bytes": f"{number}{gap}{unit}"}}}, skills=["a"])
    assert isinstance(text, Config)
    assert text == outcome({"tool": {"skillpack": {"max-bytes": size}}}, skills=["a"])
    assert text.max_bytes == size


@settings(deadline=None)
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from(["..", ".", "a", "b-c", "class", "é", "", "C:", "\\"]), max_size=5).map(
            lambda parts: f"{'/'.join(parts)}.py"
        ),
    )
)
def test_a_module_that_is_taken_lies_in_the_project_and_has_a_name_to_import_it_by(written: str) -> None:
    config = outcome({"tool": {"skillpack": {"module": written}}}, skills=["a"])
    if isinstance(config, Config):
        path = config.output().relative_to(NOWHERE)
        assert ".." not in path.parts
        assert import_fault(PurePosixPath(path.name)) == ""
        assert config.project / config.module_written == config.module


@settings(deadline=None)
@given(st.sampled_from(sorted(RULES)), st.sampled_from(sorted(LEVELS)), st.sampled_from(SETTINGS))
def test_no_way_of_setting_a_level_brings_a_pinned_code_below_its_floor(
    code: str, word: str, setting: Setting
) -> None:
    ways: tuple[tuple[dict[str, object], list[str]], ...] = (
        ({"rules": {code: word}}, []),
        ({"overrides": [{"paths": ["**"], "rules": {code: word}}]}, []),
        ({}, [f"{code}={word}"]),
    )
    floor = RULES[code].levels[SETTINGS.index(setting)]
    for table, rules in ways:
        config = outcome({"tool": {"skillpack": {**table, "level": setting}}}, skills=["a"], rules=rules)
        if RULES[code].pinned and LEVELS[word] < floor:
            assert not isinstance(config, Config)
        else:
            assert isinstance(config, Config)
            assert config.policy.level(code, "a/b") is LEVELS[word]


@settings(deadline=None)
@given(st.text(min_size=1, alphabet=st.characters(exclude_characters="\0\\", exclude_categories=["Cs"])))
def test_a_root_names_the_same_directory_as_what_was_written(written: str) -> None:
    config = outcome({"tool": {"skillpack": {"skills": [written]}}})
    if isinstance(config, Config):
        (root,) = config.skills
        assert config.locate(root) == NOWHERE / written
        assert not root.startswith("./")
        assert root == root.rstrip("/") or root.strip("/") == ""
