"""Levels of findings: of single codes, and of single codes for some paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.config.patterns import read_patterns
from skillpack.config.table import flag_place, kind_of, listed, near, quoted
from skillpack.findings import Override
from skillpack.rules import ALLOWABLE, LEVELS, RULES, SETTINGS, Level, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillpack.config.table import Faults, Place, Table


def read_rules(table: Table, setting: Setting) -> dict[str, Level]:
    """Return the levels of a table `rules`, by code."""
    levels = (
        (code, _level(code, word, setting, table.at(code), table.faults))
        for code, word in table.values.items()
    )
    return {code: level for code, level in levels if level is not None}


def read_flag_rules(rules: Sequence[str], setting: Setting, faults: Faults) -> dict[str, Level]:
    """Return the levels of the texts `CODE=LEVEL` of the command line, by code; the last of a code wins."""
    levels = {}
    for rule in rules:
        place = flag_place("--rule", rule)
        code, equals, word = rule.partition("=")
        if not equals:
            faults.append((place, "must be CODE=LEVEL, such as name-mismatch=error"))
        elif (level := _level(code, word, setting, place, faults)) is not None:
            levels[code] = level
    return levels


def read_overrides(tool: Table, setting: Setting, flag_rules: Mapping[str, Level]) -> tuple[Override, ...]:
    """Return the array `overrides`, in its order, without the codes that `flag_rules` sets."""
    overrides = []
    for table in tool.tables("overrides"):
        from pathspec import GitIgnoreSpec

        table.require(("paths", "rules"))
        patterns = read_patterns(table.texts("paths", least=1) or (), table.faults)
        levels = read_rules(table.table("rules"), setting)
        overrides.append(
            Override(
                paths=patterns,
                matches=GitIgnoreSpec.from_lines(patterns).match_file,
                rules={code: level for code, level in levels.items() if code not in flag_rules},
            )
        )
    return tuple(overrides)


def _level(code: str, word: object, setting: Setting, place: Place, faults: Faults) -> Level | None:
    """Return the level that `word` sets for `code`, None with at least one fault where it cannot."""
    rule = RULES.get(code)
    if rule is None:
        way_out = near(code, RULES) or "; a finding shows its code before its message"
        faults.append((place, f"unknown code{way_out}"))
    level = LEVELS.get(word) if isinstance(word, str) else None
    if level is None:
        words = [label for label, _ in sorted(LEVELS.items(), key=lambda item: -item[1])]
        got = f"{quoted(word)}{near(word, words)}" if isinstance(word, str) else kind_of(word)
        faults.append((place, f"must be {listed(words)}, not {got}"))
    if rule is None or level is None:
        return None
    floor = rule.levels[SETTINGS.index(setting)]
    if rule.pinned and level < floor:
        message = f'"{code}" cannot be set below "{floor.label}", which it is at level = "{setting}"'
        way_out = ", or allow single files with allow" if code in ALLOWABLE else ""
        message = f"{message}; remove this and mend what it finds, or leave it out with exclude{way_out}"
        faults.append((place, message))
        return None
    return level
