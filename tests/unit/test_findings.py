"""Findings, levels and the policy that sets them."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest

from skillpack.errors import ArtifactError, ConfigError, MissingArtifactError, OutputError, RefusedError
from skillpack.findings import Allowance, Finding, Override, Policy, Report, toml_text, visible
from skillpack.rules import ALLOWABLE, LEVELS, RULES, SETTINGS, Level, Setting
from support.told import told


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
    assert told(finding) == f"{finding.line_text()}\n  hint: quote the value"


def test_a_finding_about_a_whole_file_has_no_numbers() -> None:
    finding = Finding(code="symlink", level=Level.ERROR, path="skills/a/x", message="a link")
    assert told(finding) == "skills/a/x: error: symlink: a link"


def test_what_could_move_a_cursor_is_shown_as_an_escape() -> None:
    finding = Finding(
        code="path-control", level=Level.NOTE, path="a\x1b[2Jb\n", message="a\u202eb é", hint="\x07"
    )
    assert told(finding) == "a\\x1b[2Jb\\n: note: path-control: a\\u202eb é\n  hint: \\x07"
    assert visible("\ud800") == "\\ud800"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('a "b" \\ c é', '"a \\"b\\" \\\\ c é"'),
        ("a\nb\t\x7f\xad\u202e", '"a\\u000Ab\\u0009\\u007F\\u00AD\\u202E"'),
        ("\U000e0041", '"\\U000E0041"'),
    ],
)
def test_text_is_written_for_toml_with_escapes_of_its_own(text: str, written: str) -> None:
    assert toml_text(text) == written
    assert tomllib.loads(f"x = {written}") == {"x": text}


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


# ------------------------------------------------------------------ reviewed exceptions

DIGEST, OTHER = "a" * 64, "b" * 64
REVIEWED = Allowance(path="skills/tls/ca.pem", rule="secret-name", sha256=DIGEST, reason="the public test CA")


def refused(
    *allow: Allowance, code: str = "secret-name", path: str = "skills/tls/ca.pem", sha256: str = DIGEST
) -> Finding:
    report = Report(Policy(allow=allow))
    report.add(code, path, "holds keys", hint="exclude it", sha256=sha256)
    (finding,) = report.findings
    return finding


def test_an_entry_turns_the_error_about_its_contents_into_a_note_with_the_reason() -> None:
    assert told(refused(REVIEWED)) == (
        "skills/tls/ca.pem: note: secret-name: holds keys; allowed: the public test CA"
    )
    report = Report(Policy(allow=(REVIEWED,)))
    assert report.add("secret-name", REVIEWED.path, "x", sha256=DIGEST) is Level.NOTE
    assert not report.has_errors


def test_other_contents_ask_again_and_the_message_says_so() -> None:
    finding = refused(REVIEWED, sha256=OTHER)
    assert finding.level is Level.ERROR
    assert finding.message == "holds keys; it has changed since it was allowed"


def test_one_of_several_entries_about_a_file_is_enough() -> None:
    assert refused(replace(REVIEWED, sha256=OTHER), REVIEWED).level is Level.NOTE


@pytest.mark.parametrize(
    "entry",
    [
        replace(REVIEWED, rule="secret-content"),
        replace(REVIEWED, path="skills/tls/CA.pem"),
        replace(REVIEWED, path="skills/tls/*.pem"),
        replace(REVIEWED, path="skills/tls"),
        replace(REVIEWED, path="tls/ca.pem"),
    ],
)
def test_an_entry_allows_nothing_else(entry: Allowance) -> None:
    assert refused(entry) == refused()
    assert refused().level is Level.ERROR


def test_paths_are_compared_as_they_are_whatever_a_file_system_makes_of_them() -> None:
    composed, decomposed = "skills/caf\xe9.pem", "skills/cafe\u0301.pem"
    assert refused(replace(REVIEWED, path=composed), path=decomposed).level is Level.ERROR
    assert refused(replace(REVIEWED, path=composed), path=composed).level is Level.NOTE


def test_a_place_below_the_project_itself_is_written_without_its_dot() -> None:
    assert refused(REVIEWED, path="./skills/tls/ca.pem").level is Level.NOTE
    assert '\n  path = "skills/tls/ca.pem"\n' in refused(path="./skills/tls/ca.pem").advice


def test_what_is_below_an_error_needs_no_entry() -> None:
    report = Report(Policy(allow=(REVIEWED,)))
    levels = (Level.NOTE, Level.NOTE, Level.ERROR)
    report.add("secret-name", REVIEWED.path, "holds keys", levels=levels, sha256=DIGEST)
    assert report.findings[0].message == "holds keys"


def test_a_refusal_shows_the_entry_below_its_hint() -> None:
    assert (
        told(refused())
        == f"""\
skills/tls/ca.pem: error: secret-name: holds keys
  hint: exclude it
  or, if it may ship as it is, say why in pyproject.toml:
    [[tool.skillpack.allow]]
    path = "skills/tls/ca.pem"
    rule = "secret-name"
    sha256 = "{DIGEST}"
    reason = \"\""""
    )


def test_the_entry_can_be_pasted_whatever_the_path() -> None:
    path = 'skills/a "b"\\c\n\x1b[2Jé\u202e.pem'
    text = told(refused(path=path))
    assert all(line.isprintable() for line in text.split("\n"))
    (entry,) = tomllib.loads(text.partition("pyproject.toml:\n")[2])["tool"]["skillpack"]["allow"]
    assert Allowance(**entry) == replace(REVIEWED, path=path, reason="")


@pytest.mark.parametrize(
    "finding",
    [refused(REVIEWED), refused(sha256=""), refused(code="secret-like"), refused(code="symlink")],
    ids=["allowed", "no contents", "no error", "no exception"],
)
def test_what_no_entry_can_let_pass_shows_none(finding: Finding) -> None:
    assert finding.advice == finding.hint


def test_a_line_feed_in_a_hint_makes_no_line() -> None:
    finding = Finding(code="symlink", level=Level.ERROR, path="a", message="m", hint="remove a\n::error::b")
    assert told(finding) == "a: error: symlink: m\n  hint: remove a\\n::error::b"


def test_what_can_be_allowed_cannot_be_lowered() -> None:
    assert all(RULES[code].pinned for code in ALLOWABLE)


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
