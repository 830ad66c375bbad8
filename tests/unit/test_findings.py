"""Findings, levels and the policy that sets them."""

from __future__ import annotations

import pytest

from skillpack.errors import ArtifactError, ConfigError, MissingArtifactError, OutputError, RefusedError
from skillpack.findings import Finding, Override, Policy, Report, visible
from skillpack.rules import LEVELS, RULES, SETTINGS, Level, Setting


def test_a_finding_is_one_line_and_a_hint() -> None:
    finding = Finding(
        code="yaml-invalid",
        level=Level.ERROR,
        path="skills/a/SKILL.md",
        line=3,
        column=7,
        message="not YAML",
        hint="quote the value",
    )
    assert finding.line_text() == "skills/a/SKILL.md:3:7: error: yaml-invalid: not YAML"
    assert finding.text() == f"{finding.line_text()}\n  hint: quote the value"


def test_a_finding_about_a_whole_file_has_no_numbers() -> None:
    finding = Finding(code="symlink", level=Level.ERROR, path="skills/a/x", message="a link")
    assert finding.text() == "skills/a/x: error: symlink: a link"


def test_what_could_move_a_cursor_is_shown_as_an_escape() -> None:
    finding = Finding(
        code="path-control", level=Level.NOTE, path="a\x1b[2Jb\n", message="a\u202eb é", hint="\x07"
    )
    assert finding.text() == "a\\x1b[2Jb\\n: note: path-control: a\\u202eb é\n  hint: \\x07"
    assert visible("\ud800") == "\\ud800"


def test_findings_are_sorted_by_the_bytes_of_their_paths_then_place_then_code() -> None:
    report = Report()
    for path, line, code in [
        ("b", 1, "symlink"),
        ("a", 2, "bom"),
        ("a", 1, "crlf"),
        ("a", 1, "bom"),
        ("B", 0, "bom"),
    ]:
        report.add(code, path, "x", line=line)
    assert [(finding.path, finding.line, finding.code) for finding in report.findings] == [
        ("B", 0, "bom"),
        ("a", 1, "bom"),
        ("a", 1, "crlf"),
        ("a", 2, "bom"),
        ("b", 1, "symlink"),
    ]


def test_the_same_finding_counts_once() -> None:
    report = Report()
    report.add("bom", "a", "x")
    report.add("bom", "a", "x")
    assert len(report.findings) == 1


def test_a_report_knows_whether_something_stops_the_build() -> None:
    report = Report()
    assert report.add("bom", "a", "x") is Level.WARNING
    assert not report.has_errors
    assert report.add("symlink", "a", "x") is Level.ERROR
    assert report.has_errors


def test_a_code_that_is_off_adds_nothing() -> None:
    report = Report(Policy(rules={"bom": Level.OFF}))
    assert report.add("bom", "a", "x") is Level.OFF
    assert report.findings == ()


@pytest.mark.parametrize("setting", SETTINGS)
def test_each_code_has_the_level_of_its_setting(setting: Setting) -> None:
    policy = Policy(setting=setting)
    for code, rule in RULES.items():
        assert policy.level(code, "x") is rule.levels[SETTINGS.index(setting)]


def test_rules_and_then_overrides_set_a_level() -> None:
    override = Override(matches=lambda path: path.startswith("vendor/"), rules={"bom": Level.NOTE})
    policy = Policy(rules={"bom": Level.ERROR}, overrides=(override,))
    assert policy.level("bom", "skills/a") is Level.ERROR
    assert policy.level("bom", "vendor/a") is Level.NOTE
    assert policy.level("crlf", "vendor/a") is Level.WARNING


def test_a_pinned_code_does_not_go_below_its_level() -> None:
    policy = Policy(
        rules={"symlink": Level.OFF},
        overrides=(Override(matches=lambda _: True, rules={"symlink": Level.NOTE}),),
    )
    assert policy.level("symlink", "x") is Level.ERROR


def test_a_case_may_have_levels_of_its_own() -> None:
    levels = (Level.NOTE, Level.NOTE, Level.ERROR)
    assert Report().level("secret-name", "x", levels) is Level.NOTE
    assert Report(Policy(setting="strict")).add("secret-name", "x", "y", levels=levels) is Level.ERROR


def test_every_rule_has_a_title_and_levels_that_do_not_fall() -> None:
    for code, rule in RULES.items():
        assert rule.code == code
        assert rule.title
        assert rule.title[0] == rule.title[0].lower() or rule.title.startswith(("SKILL", "FIFO", "YAML"))
        assert list(rule.levels) == sorted(rule.levels)


def test_levels_have_words() -> None:
    assert {word: level.label for word, level in LEVELS.items()} == {
        word: word for word in ("off", "note", "warning", "error")
    }


def test_errors_carry_their_exit_code_and_their_data() -> None:
    finding = Finding(code="symlink", level=Level.ERROR, path="a", message="a link")
    assert (str(RefusedError([finding])), RefusedError([finding]).exit_code) == (
        "a: error: symlink: a link",
        1,
    )
    assert (str(ConfigError(["a", "b"])), ConfigError([]).exit_code) == ("a\nb", 2)
    assert [error.exit_code for error in (OutputError, ArtifactError, MissingArtifactError)] == [2, 1, 2]
