"""`skillpack explain`: the table of codes and what is told of one; registry, command and README agree."""

from __future__ import annotations

import functools
import re
import tomllib
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from skillpack import cli, config
from skillpack.cli.reference import WIDTH
from skillpack.rules import ALLOWABLE, RULES, SETTINGS, rules_table
from support import readme

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from skillpack.rules import Rule

Row = tuple[str, bool, str, tuple[str, ...]]
"""A code, whether it is pinned, its title, and its levels in the order of the settings."""

REGISTRY: list[Row] = [
    (rule.code, rule.pinned, rule.title, tuple(level.label for level in rule.levels))
    for rule in RULES.values()
]
SETTABLE = [rule for rule in RULES.values() if rule.configurable and not rule.pinned]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, ["explain", *arguments], prog_name="skillpack")


@functools.cache
def explained(code: str) -> str:
    """Return what is told of a code."""
    result = run(code)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def section(text: str, title: str) -> str:
    """Return the lines of a section, without their indentation."""
    _, _, rest = text.partition(f"\n\n{title}\n")
    lines = re.match(r"(?:  .*\n|\n(?=  ))*", rest)
    assert lines
    assert lines[0], f"there is no section {title}"
    return re.sub("^  ", "", lines[0], flags=re.MULTILINE)


def prose(text: str) -> str:
    return " ".join(text.split())


# ------------------------------------------------------------------ all codes


def test_without_a_code_all_codes_are_listed_as_the_registry_has_them() -> None:
    result = run()
    assert (result.exit_code, result.stderr) == (0, "")
    head, *lines = result.stdout.partition("\n\n")[0].splitlines()
    assert head.split() == ["code", *SETTINGS, "about"]
    rows: list[Row] = []
    for line in lines:
        code, *levels, title = line.split(maxsplit=4)
        rows.append((code.removesuffix("*"), code.endswith("*"), title, tuple(levels)))
    assert rows == REGISTRY
    assert result.stdout.endswith("\n\n* pinned: no rule, flag or override can lower it\n")


def test_the_columns_of_the_list_are_straight() -> None:
    lines = run().stdout.partition("\n\n")[0].splitlines()
    column = lines[0].index("about")
    titles = ["about", *(rule.title for rule in RULES.values())]
    assert [line[column:] for line in lines] == titles


def test_the_table_of_the_readme_has_the_same_rows() -> None:
    table = rules_table()
    assert f"-->\n{table}\n<!-- end of findings -->" in readme.PATH.read_text(encoding="utf-8")
    cells = re.findall(r"^\| `([a-z-]+)`(\*?) \| (.*) \| (\w+) \| (\w+) \| (\w+) \|$", table, re.MULTILINE)
    assert [(code, star == "*", title, tuple(levels)) for code, star, title, *levels in cells] == REGISTRY


# ------------------------------------------------------------------ one code


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_code_is_told_with_all_that_the_registry_has_of_it(rule: Rule) -> None:
    text = explained(rule.code)
    head, _, rest = text.partition("\n\n")
    assert head == f"{rule.code}: {rule.title}"
    levels = rest.partition("\n\n")[0]
    for setting, level in zip(SETTINGS, rule.levels, strict=True):
        assert re.search(rf"^  {setting} +{level.label}$", levels, re.MULTILINE)
    assert ("pinned: no rule, flag or override can lower it" in levels) is rule.pinned
    assert prose(section(text, "Why")) == rule.why
    assert prose(section(text, "How to fix it")) == rule.fix
    example = section(text, f"Example: {rule.example.where}")
    assert example.startswith("bad:\n")
    assert ("\ngood:\n" in example) is bool(rule.example.good)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_text_is_plain_and_its_prose_narrow(rule: Rule) -> None:
    text = explained(rule.code)
    assert all(char.isprintable() or char == "\n" for char in text)
    for title in ("Why", "How to fix it"):
        assert max(map(len, section(text, title).splitlines())) <= WIDTH - 2


def test_no_line_ends_in_what_is_to_be_pasted() -> None:
    for code in RULES:
        for title in ("Why", "How to fix it"):
            assert all(line.count("`") % 2 == 0 for line in section(explained(code), title).splitlines())


def test_what_an_example_hides_is_shown_as_escapes() -> None:
    assert "    \\ufeff---\n" in explained("bom")
    assert "    name: pdf\\r\n" in explained("crlf")
    assert "    ---\\x20\n" in explained("fence-whitespace")
    assert "the form\\u202e, and" in explained("invisible-text")


def test_a_file_without_a_newline_at_its_end_is_marked_as_diff_does() -> None:
    mark = "    ---\n    \\ No newline at end of file\n"
    assert explained("fence-end").count(mark) == 1
    assert "No newline" not in explained("bom")


def test_a_long_line_of_a_file_is_cut_and_a_command_is_not() -> None:
    assert re.search(r"^    description: .*…$", explained("description-length"), re.MULTILINE)
    assert f"    {RULES['path-length'].example.bad}\n" in explained("path-length")


# ------------------------------------------------------------------ how it is configured


def tables(text: str) -> str:
    """Return the lines of TOML in the section on configuration."""
    return section(text, "Configuration").partition("On the command line")[0]


@pytest.mark.parametrize("rule", SETTABLE, ids=lambda rule: rule.code)
def test_the_lines_for_the_configuration_set_another_level(rule: Rule, tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    text = explained(rule.code)
    settings = config.from_table(tomllib.loads(tables(text)), tmp_path)
    (level,) = settings.rules.values()
    assert settings.rules == {rule.code: level}
    assert level is not rule.levels[SETTINGS.index("default")]
    assert settings.policy.level(rule.code, "skills/pdf/SKILL.md") is level
    (override,) = settings.overrides
    assert override.rules == {rule.code: level}
    assert override.matches("skills/vendor/pdf/SKILL.md")
    (flag,) = re.findall(r"--rule (\S+)", text)
    assert config.from_table({}, tmp_path, rules=[flag]).rules == {rule.code: level}


def test_an_error_can_be_made_a_warning_and_all_else_an_error() -> None:
    assert 'name-format = "warning"' in explained("name-format")
    assert 'name-mismatch = "error"' in explained("name-mismatch")
    assert 'body-empty = "error"' in explained("body-empty")


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.pinned], ids=lambda rule: rule.code)
def test_what_is_pinned_has_no_lines_that_lower_it(rule: Rule) -> None:
    configuration = section(explained(rule.code), "Configuration")
    assert configuration.startswith("Nothing sets ")
    assert not re.search(rf"{rule.code}\s*=", configuration)


def test_what_is_found_in_artifacts_cannot_be_configured() -> None:
    in_artifacts = {rule.code for rule in RULES.values() if not rule.configurable}
    assert "runtime-older" in in_artifacts
    for code in in_artifacts:
        expected = "Nothing sets another level: skillpack verify takes artifacts as they are.\n"
        assert section(explained(code), "Configuration") == expected


@pytest.mark.parametrize("code", RULES)
def test_what_a_reviewed_exception_can_allow_has_the_lines_for_one(code: str) -> None:
    _, header, lines = section(explained(code), "Configuration").partition("[[tool.skillpack.allow]]")
    assert bool(header) is (code in ALLOWABLE)
    if header:
        (entry,) = tomllib.loads(header + lines)["tool"]["skillpack"]["allow"]
        assert entry.keys() == {"path", "rule", "sha256", "reason"}
        assert entry["rule"] == code


# ------------------------------------------------------------------ the command


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("name_mismatch", 'no such code "name_mismatch"; did you mean "name-mismatch"?'),
        ("SYMLINK", 'no such code "SYMLINK"; did you mean "symlink"?'),
        ("symlink:", 'no such code "symlink:"; did you mean "symlink"?'),
        ("symlink*", 'no such code "symlink*"; did you mean "symlink"?'),
        ("zzz", 'no such code "zzz"; skillpack explain lists them'),
        ("", 'no such code ""; skillpack explain lists them'),
        ("\x1b[2J", 'no such code "\\x1b[2J"; skillpack explain lists them'),
    ],
)
def test_an_unknown_code_is_answered_with_the_nearest(typed: str, answer: str) -> None:
    result = run(typed)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(f"Error: {answer}\n")


def test_help_has_examples_and_says_what_a_code_is() -> None:
    result = run("--help")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Usage: skillpack explain [OPTIONS] [CODE]" in result.stdout
    assert "Examples:\n    skillpack explain\n    skillpack explain name-mismatch\n" in result.stdout
    assert "the word that stands before a finding's message" in prose(result.stdout)


@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_nothing_is_coloured(variables: dict[str, str]) -> None:
    for arguments in ([], ["symlink"]):
        printed = CliRunner().invoke(cli.cli, ["explain", *arguments], env=variables, color=True).stdout
        assert printed == run(*arguments).stdout
        assert "\x1b" not in printed


def test_the_shell_completes_codes_and_tells_what_they_are_about(monkeypatch: pytest.MonkeyPatch) -> None:
    def complete(shell: str, typed: str) -> str:
        monkeypatch.setenv("_SKILLPACK_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", f"skillpack explain {typed}")
        monkeypatch.setenv("COMP_CWORD", "2")
        return CliRunner().invoke(cli.cli, [], prog_name="skillpack").stdout

    names = [code for code in RULES if code.startswith("name-")]
    assert complete("bash", "name-").split() == [f"plain,{code}" for code in names]
    assert complete("bash", "symlink") == "plain,symlink\n"
    assert complete("zsh", "symlink").splitlines() == ["plain", "symlink", RULES["symlink"].title]


def test_the_answer_does_not_depend_on_where_the_question_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.skillpack]\nlevle = 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("bom").stdout == explained("bom")
