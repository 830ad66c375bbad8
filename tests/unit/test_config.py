"""The configuration: what `[tool.skillpack]` and the flags mean, and what each fault says."""

from __future__ import annotations

import dataclasses
import json
import os
import tomllib
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest

from skillpack.config import (
    OPTIONS,
    PYPROJECT,
    Config,
    find_project,
    from_table,
    import_fault,
    load,
    load_allow,
    options_table,
)
from skillpack.errors import ConfigError
from skillpack.findings import Allowance
from skillpack.rules import RULES, Level, Rule, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

MIB = 1024**2

NO_DISTRIBUTION = (
    'must be "package:NAME" or "package:NAME/SKILL", with the name of a distribution alone: letters, digits, ., _ and -; '
    "which version is installed is for [build-system] requires to say"
)
NO_SKILL = 'must be "package:NAME" or "package:NAME/SKILL", where SKILL is the name of the skill\'s directory'


def make_project(directory: Path, text: str = "", *folders: str) -> Path:
    """Write a pyproject.toml and folders, and return the directory."""
    for folder in (".", *folders):
        (directory / folder).mkdir(parents=True, exist_ok=True)
    (directory / PYPROJECT).write_text(text, encoding="utf-8")
    return directory


def read(project: Path, text: str = "") -> Config:
    """Read `text` as the body of `[tool.skillpack]` of a project that has a folder `skills`."""
    return load(make_project(project, f"[tool.skillpack]\n{text}", "skills"))


def problems(project: Path, text: str = "") -> tuple[str, ...]:
    """Read as `read` does and return the faults."""
    with pytest.raises(ConfigError) as caught:
        read(project, text)
    return caught.value.problems


def only_problem(project: Path, text: str = "") -> str:
    (problem,) = problems(project, text)
    return problem


def load_problems(
    start: Path,
    *,
    skills: Sequence[str] = (),
    output: str | None = None,
    level: Setting | None = None,
    rules: Sequence[str] = (),
) -> tuple[str, ...]:
    """Load with flags and return the faults."""
    with pytest.raises(ConfigError) as caught:
        load(start, skills=skills, output=output, level=level, rules=rules)
    return caught.value.problems


class TestTheProject:
    def test_is_the_nearest_pyproject_upwards(self, tmp_path: Path) -> None:
        make_project(tmp_path, "", "inner/deep/deeper")
        make_project(tmp_path / "inner")
        assert find_project(tmp_path / "inner/deep/deeper") == tmp_path / "inner" / PYPROJECT

    def test_is_the_directory_itself_when_it_has_one(self, tmp_path: Path) -> None:
        assert find_project(make_project(tmp_path)) == tmp_path / PYPROJECT

    def test_may_be_missing(self) -> None:
        assert find_project(Path("/")) is None

    def test_is_found_from_a_relative_directory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_project(tmp_path, "", "inner")
        monkeypatch.chdir(tmp_path / "inner")
        assert find_project(Path()) == tmp_path / PYPROJECT

    def test_is_what_paths_are_relative_to(self, tmp_path: Path) -> None:
        make_project(tmp_path, '[tool.skillpack]\nskills = ["a"]\nmodule = "x.py"\n', "inner")
        config = load(tmp_path / "inner")
        assert config.project == tmp_path
        assert config.locate("a") == tmp_path / "a"
        assert config.module == tmp_path / "x.py"

    def test_that_is_a_directory_is_a_fault_and_not_passed_over(self, tmp_path: Path) -> None:
        make_project(tmp_path, "", f"inner/{PYPROJECT}", "inner/skills")
        assert load_problems(tmp_path / "inner") == (f"{tmp_path}/inner/{PYPROJECT}: is not a regular file",)

    def test_that_is_a_fifo_is_a_fault_and_does_not_block(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / PYPROJECT)
        assert load_problems(tmp_path) == (f"{tmp_path}/{PYPROJECT}: is not a regular file",)

    def test_that_is_a_dangling_link_is_a_fault_and_not_passed_over(self, tmp_path: Path) -> None:
        make_project(tmp_path, "", "inner/skills")
        (tmp_path / "inner" / PYPROJECT).symlink_to("nowhere")
        (problem,) = load_problems(tmp_path / "inner")
        assert problem == f"{tmp_path}/inner/{PYPROJECT}: cannot be read: No such file or directory"

    def test_that_cannot_be_read_is_a_fault(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(path: Path) -> bytes:
            raise PermissionError(13, "Permission denied", str(path))

        make_project(tmp_path)
        monkeypatch.setattr(Path, "read_bytes", refuse)
        assert load_problems(tmp_path) == (f"{tmp_path}/{PYPROJECT}: cannot be read: Permission denied",)

    def test_that_is_not_utf_8_is_a_fault_with_its_line(self, tmp_path: Path) -> None:
        (tmp_path / PYPROJECT).write_bytes(b"# one\n# caf\xe9\n")
        assert load_problems(tmp_path) == (f"{tmp_path}/{PYPROJECT}:2: is not UTF-8; save it as UTF-8",)

    @pytest.mark.parametrize(
        ("text", "place", "message"),
        [
            ("[project]\nname = \n", ":2:8", "invalid value"),
            ("a = 1\na = 2\n", ":2:", "cannot overwrite a value"),
            ("a = 1\nb = [\n\n", ":2", "invalid value at the end of the file"),
            (f"a = {'9' * 5000}\n", "", "exceeds the limit"),
        ],
    )
    def test_that_is_not_toml_is_a_fault_with_line_and_column(
        self, tmp_path: Path, text: str, place: str, message: str
    ) -> None:
        (problem,) = load_problems(make_project(tmp_path, text))
        where, found, what = problem.partition(": is not TOML: ")
        assert found
        assert where.startswith(f"{tmp_path}/{PYPROJECT}{place}")
        assert what.startswith(message)

    def test_that_is_nested_beyond_the_parser_is_a_fault(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def overflow(text: str) -> dict[str, object]:
            raise RecursionError

        make_project(tmp_path)
        # newer parsers have a limit of their own
        monkeypatch.setattr("tomllib.loads", overflow)
        assert load_problems(tmp_path) == (f"{tmp_path}/{PYPROJECT}: is nested too deeply",)

    def test_is_the_current_directory_without_a_pyproject(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("skillpack.config.reading.find_project", lambda start: None)
        config = load(tmp_path, skills=["elsewhere"], output="out.py", rules=["crlf=off"], level="strict")
        assert config.project == tmp_path
        assert config.locate("elsewhere") == tmp_path / "elsewhere"
        assert config.module == tmp_path / "out.py"
        assert config.level == "strict"
        assert config.notices == ()


class TestSkills:
    def test_default_to_the_folder_skills(self, tmp_path: Path) -> None:
        assert load(make_project(tmp_path, "", "skills", ".agents/skills")).skills == ("skills",)

    def test_default_to_the_folder_of_the_agents_where_there_is_no_other(self, tmp_path: Path) -> None:
        assert load(make_project(tmp_path, "", ".agents/skills")).skills == (".agents/skills",)

    def test_default_to_no_file_of_the_name(self, tmp_path: Path) -> None:
        make_project(tmp_path, "", ".agents/skills")
        (tmp_path / "skills").write_text("#!/bin/sh\n", encoding="utf-8")
        assert load(tmp_path).skills == (".agents/skills",)

    def test_default_to_a_dangling_link_rather_than_pass_it_over(self, tmp_path: Path) -> None:
        make_project(tmp_path, "", ".agents/skills")
        (tmp_path / "skills").symlink_to("nowhere")
        assert load(tmp_path).skills == ("skills",)

    def test_that_are_neither_named_nor_there_are_a_fault_that_names_both_folders(
        self, tmp_path: Path
    ) -> None:
        assert load_problems(make_project(tmp_path)) == (
            (
                f"tool.skillpack.skills: not set, and there is neither skills/ nor .agents/skills/ in {tmp_path}; "
                "name the skills roots here or on the command line"
            ),
        )

    def test_stay_as_written_but_for_what_changes_no_path(self, tmp_path: Path) -> None:
        config = read(tmp_path, 'skills = ["./a/", "../b", "/c//d", "e/../f", "."]')
        assert config.skills == ("a", "../b", "/c/d", "e/../f", ".")

    def test_are_located_in_the_project_and_links_stay_links(self, tmp_path: Path) -> None:
        config = read(tmp_path, 'skills = ["link", "../b", "/c"]')
        (tmp_path / "link").symlink_to("skills")
        assert [config.locate(root) for root in config.skills] == [
            tmp_path / "link",
            tmp_path / "../b",
            Path("/c"),
        ]

    def test_of_the_command_line_are_relative_to_the_current_directory(self, tmp_path: Path) -> None:
        make_project(tmp_path, '[tool.skillpack]\nskills = ["a"]\n', "inner")
        config = load(tmp_path / "inner", skills=["./b/", "../c"])
        assert config.skills == ("b", "../c")
        assert config.locate("../c") == tmp_path / "inner/../c"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('""', "is empty"),
            (r'"a\\b"', "holds a backslash; write / between directories"),
            (r'"a\u0000b"', "holds a NUL character"),
            ("1", "must be a string, not an integer"),
            ('"package:"', NO_DISTRIBUTION),
            ('"package:fastapi>=1"', NO_DISTRIBUTION),
            ('"package:-x"', NO_DISTRIBUTION),
            ('"package: fastapi"', NO_DISTRIBUTION),
            ('"package:fastapi/"', NO_SKILL),
            ('"package:fastapi/.."', NO_SKILL),
            ('"package:fastapi//a"', NO_SKILL),
            ('"package:fastapi/a/b"', NO_SKILL),
            (
                '"./package:fastapi"',
                'would be told as "package:fastapi", as a distribution is; rename the directory',
            ),
        ],
    )
    def test_that_are_no_paths_are_faults_with_their_index(
        self, tmp_path: Path, text: str, message: str
    ) -> None:
        assert only_problem(tmp_path, f'skills = ["ok", {text}]') == f"tool.skillpack.skills[1]: {message}"

    @pytest.mark.parametrize("root", ["package:fastapi", "package:A.b_c-9/my skill", "package:x/..."])
    def test_may_be_installed_distributions(self, tmp_path: Path, root: str) -> None:
        assert read(tmp_path, f'skills = ["{root}", "skills"]').skills == (root, "skills")
        assert load(tmp_path, skills=[root]).skills == (root,)

    def test_must_be_an_array(self, tmp_path: Path) -> None:
        assert only_problem(tmp_path, 'skills = "a"') == (
            'tool.skillpack.skills: must be an array of strings; write skills = ["a"]'
        )

    def test_must_not_be_an_empty_array(self, tmp_path: Path) -> None:
        assert (
            only_problem(tmp_path, "skills = []") == "tool.skillpack.skills: is empty; remove it or fill it"
        )

    def test_of_the_command_line_are_faults_under_their_name(self, tmp_path: Path) -> None:
        assert load_problems(make_project(tmp_path), skills=["", "package:fast api", "a\\b\x1b"]) == (
            "SKILLS : is empty",
            f"SKILLS package:fast api: {NO_DISTRIBUTION}",
            "SKILLS a\\b\\x1b: holds a backslash; write / between directories",
        )


class TestTheModule:
    @pytest.mark.parametrize(
        ("folders", "expected"),
        [
            (("src/my_agent",), "src/my_agent/skills.py"),
            (("my_agent",), "my_agent/skills.py"),
            (("my_agent", "src/my_agent"), "src/my_agent/skills.py"),
        ],
    )
    def test_defaults_to_the_package_of_the_projects_normalised_name(
        self, tmp_path: Path, folders: tuple[str, ...], expected: str
    ) -> None:
        config = load(make_project(tmp_path, '[project]\nname = "My-.Agent"\n', "skills", *folders))
        assert config.module == config.output() == tmp_path / expected
        assert config.module_written == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ('[tool.poetry]\nname = "my-agent"\n', "src/my_agent/skills.py"),
            ('[project]\nname = "agent"\n[tool.poetry]\nname = "my-agent"\n', "src/agent/skills.py"),
            ('[project]\nversion = "1"\n[tool.poetry]\nname = "my-agent"\n', "src/my_agent/skills.py"),
        ],
    )
    def test_is_of_poetrys_name_where_the_project_has_none(
        self, tmp_path: Path, text: str, expected: str
    ) -> None:
        config = load(make_project(tmp_path, text, "skills", "src/agent", "src/my_agent"))
        assert config.module_written == expected

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "there is no project.name to find the package by"),
            ("[project]\nname = 1\n", "there is no project.name to find the package by"),
            ('[project]\nname = "3d"\n', '"3d", the package of the project\'s name, cannot be imported'),
            (
                '[project]\nname = "class"\n',
                '"class", the package of the project\'s name, cannot be imported',
            ),
            ('[project]\nname = "agent"\n', "there is neither src/agent/ nor agent/ in {project}"),
        ],
    )
    def test_that_is_nowhere_is_a_fault_only_for_those_who_need_it(
        self, tmp_path: Path, text: str, reason: str
    ) -> None:
        config = load(make_project(tmp_path, text, "skills", "3d", "class"))
        assert config.module is None
        with pytest.raises(ConfigError) as caught:
            config.output()
        assert caught.value.problems == (
            (
                f"tool.skillpack.module: not set, and {reason.format(project=tmp_path)}; "
                "set it to the file to write, or name the file with -o"
            ),
        )

    @pytest.mark.parametrize(
        ("written", "shown"),
        [
            ("src/agent/skills.py", "src/agent/skills.py"),
            ("./skills_data.py", "skills_data.py"),
            ("my-src/agent/skills.py", "my-src/agent/skills.py"),
        ],
    )
    def test_may_lie_in_a_source_root_of_any_name(self, tmp_path: Path, written: str, shown: str) -> None:
        make_project(tmp_path, "", "my-src/agent")
        (tmp_path / "my-src/agent/__init__.py").touch()
        config = read(tmp_path, f'module = "{written}"')
        assert config.module == tmp_path / written
        assert config.module_written == shown

    @pytest.mark.parametrize(
        ("written", "message"),
        [
            ("", "is empty"),
            ("src/agent", "must end in .py"),
            ("src/agent/", "must end in .py"),
            ("src/agent/skills.PY", "must end in .py"),
            (
                "src/agent/__init__.py",
                "would take the place of the package's own __init__.py; name a file beside it, such as skills.py",
            ),
            ("my-skills.py", '"my-skills" is no Python identifier, so it cannot be imported; rename it'),
            ("a.b.py", '"a.b" is no Python identifier, so it cannot be imported; rename it'),
            ("class.py", '"class" is a Python keyword, so it cannot be imported; rename it'),
            ("my-agent/x.py", '"my-agent" is no Python identifier, so it cannot be imported; rename it'),
            (
                "my-agent/class/x.py",
                '"my-agent" is no Python identifier, so it cannot be imported; rename it',
            ),
            (
                "../x.py",
                "must stay inside the project; write a path relative to pyproject.toml, without ..",
            ),
            (
                "a/../x.py",
                "must stay inside the project; write a path relative to pyproject.toml, without ..",
            ),
            (
                "/a/x.py",
                "must stay inside the project; write a path relative to pyproject.toml, without ..",
            ),
            (
                "C:/a/x.py",
                "must stay inside the project; write a path relative to pyproject.toml, without ..",
            ),
            (r"src\\x.py", "holds a backslash; write / between directories"),
            (r"src\u0000/x.py", "holds a NUL character"),
            (
                f"{'a' * 300}/__init__.py/x-y.py",
                '"x-y" is no Python identifier, so it cannot be imported; rename it',
            ),
        ],
    )
    def test_that_cannot_be_written_or_imported_is_a_fault(
        self, tmp_path: Path, written: str, message: str
    ) -> None:
        make_project(tmp_path, "", "my-agent/class")
        (tmp_path / "my-agent/__init__.py").touch()
        (tmp_path / "my-agent/class/__init__.py").touch()
        assert only_problem(tmp_path, f'module = "{written}"') == f"tool.skillpack.module: {message}"

    def test_is_no_package_of_a_project_that_has_an_init_file_by_chance(self, tmp_path: Path) -> None:
        project = make_project(tmp_path / "my-project")
        (project / "__init__.py").touch()
        assert read(project, 'module = "x.py"').module == project / "x.py"

    def test_of_the_command_line_is_relative_to_the_current_directory(self, tmp_path: Path) -> None:
        make_project(tmp_path, '[tool.skillpack]\nmodule = "a.py"\n', "skills", "inner")
        config = load(tmp_path / "inner", output="../b.py")
        assert config.module == tmp_path / "inner/../b.py"
        assert config.module_written == "../b.py"

    def test_of_the_command_line_may_lie_outside_the_project(self, tmp_path: Path) -> None:
        project = make_project(tmp_path / "project", "", "skills")
        assert load(project, output=f"{tmp_path}/b.py").module == tmp_path / "b.py"

    @pytest.mark.parametrize(
        ("written", "message"),
        [("", "is empty"), ("out", "must end in .py"), ("in.py", '"in" is a Python keyword, so it cannot')],
    )
    def test_of_the_command_line_is_a_fault_under_its_flag(
        self, tmp_path: Path, written: str, message: str
    ) -> None:
        (problem,) = load_problems(make_project(tmp_path, "", "skills"), output=written)
        assert problem.startswith(f"-o {written}: {message}")

    def test_of_the_file_is_judged_even_when_a_flag_stands_above_it(self, tmp_path: Path) -> None:
        project = make_project(tmp_path, '[tool.skillpack]\nmodule = "a"\n', "skills")
        assert load_problems(project, output="b") == (
            "tool.skillpack.module: must end in .py",
            "-o b: must end in .py",
        )

    def test_in_a_wheel_needs_names_that_can_be_imported_all_the_way(self) -> None:
        assert import_fault(PurePosixPath("agent/skills.py")) == ""
        assert import_fault(PurePosixPath("my-src/skills.py")) == (
            '"my-src" is no Python identifier, so it cannot be imported; rename it'
        )


class TestRules:
    def test_set_levels_by_code(self, tmp_path: Path) -> None:
        config = read(tmp_path, 'rules = { name-mismatch = "error", crlf = "off" }')
        assert config.rules == {"name-mismatch": Level.ERROR, "crlf": Level.OFF}
        assert config.policy.level("name-mismatch", "skills/a/SKILL.md") is Level.ERROR

    def test_of_flags_win_over_the_file_and_the_last_one_over_those_before(self, tmp_path: Path) -> None:
        project = make_project(tmp_path, '[tool.skillpack.rules]\ncrlf = "error"\nbom = "error"\n', "skills")
        config = load(project, rules=["crlf=off", "crlf=note"])
        assert config.rules == {"crlf": Level.NOTE, "bom": Level.ERROR}

    def test_of_flags_win_over_overrides_too(self, tmp_path: Path) -> None:
        text = '[[tool.skillpack.overrides]]\npaths = ["a"]\nrules = { crlf = "off", bom = "off" }\n'
        config = load(make_project(tmp_path, text, "skills"), rules=["crlf=error"])
        assert config.policy.level("crlf", "a") is Level.ERROR
        assert config.policy.level("bom", "a") is Level.OFF

    def test_name_the_code_that_was_meant(self, tmp_path: Path) -> None:
        assert problems(tmp_path, 'rules = { name_mismatch = "off", zzz = "off" }') == (
            'tool.skillpack.rules.name_mismatch: unknown code; did you mean "name-mismatch"?',
            "tool.skillpack.rules.zzz: unknown code; a finding shows its code before its message",
        )

    @pytest.mark.parametrize(
        ("word", "got"),
        [
            ('"eror"', '"eror"; did you mean "error"?'),
            ('"fatal"', '"fatal"'),
            ("false", "a boolean"),
            ("3", "an integer"),
            ("3.0", "a float"),
            ("[]", "an array"),
            ("{}", "a table"),
            ("2026-01-01", "a date or time"),
        ],
    )
    def test_name_the_levels_there_are(self, tmp_path: Path, word: str, got: str) -> None:
        assert only_problem(tmp_path, f"rules.crlf = {word}") == (
            f'tool.skillpack.rules.crlf: must be "error", "warning", "note" or "off", not {got}'
        )

    def test_cannot_lower_a_pinned_code_anywhere(self, tmp_path: Path) -> None:
        text = '[tool.skillpack]\nrules.symlink = "warning"\n'
        text += '[[tool.skillpack.overrides]]\npaths = ["a"]\nrules.secret-name = "off"\n'
        fault = (
            '"{}" cannot be set below "error", which it is at level = "default"; '
            "remove this and mend what it finds, or leave it out with exclude"
        )
        assert load_problems(make_project(tmp_path, text, "skills"), rules=["vcs-entry=note"]) == (
            f"tool.skillpack.rules.symlink: {fault.format('symlink')}",
            f"tool.skillpack.overrides[0].rules.secret-name: {fault.format('secret-name')}, or allow single files with allow",
            f"--rule vcs-entry=note: {fault.format('vcs-entry')}",
        )

    def test_may_set_a_pinned_code_to_its_own_level(self, tmp_path: Path) -> None:
        assert read(tmp_path, 'rules.symlink = "error"').rules == {"symlink": Level.ERROR}

    def test_measure_a_pinned_code_at_the_chosen_level(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        levels = (Level.NOTE, Level.WARNING, Level.ERROR)
        monkeypatch.setitem(RULES, "crlf", Rule(code="crlf", title="", levels=levels, pinned=True))
        project = make_project(
            tmp_path, '[tool.skillpack]\nlevel = "strict"\nrules.crlf = "note"\n', "skills"
        )
        assert load(project, level="lenient").rules == {"crlf": Level.NOTE}
        (problem,) = load_problems(project, level="default")
        assert 'below "warning", which it is at level = "default"' in problem
        (problem,) = load_problems(project)
        assert 'below "error", which it is at level = "strict"' in problem

    def test_of_flags_are_faults_under_the_flag(self, tmp_path: Path) -> None:
        flags = ["name-mismatch=eror", "crlf", f"{'x' * 100}=off"]
        assert load_problems(make_project(tmp_path, "", "skills"), rules=flags) == (
            (
                '--rule name-mismatch=eror: must be "error", "warning", "note" or "off", not "eror"; '
                'did you mean "error"?'
            ),
            "--rule crlf: must be CODE=LEVEL, such as name-mismatch=error",
            f"--rule {'x' * 79}…: unknown code; a finding shows its code before its message",
        )


class TestOverrides:
    def test_match_as_gitignore_does(self, tmp_path: Path) -> None:
        text = 'overrides = [{ paths = ["vendor/**", "!vendor/own/**", "*.bak"], rules = { crlf = "off" } }]'
        (override,) = read(tmp_path, text).overrides
        assert override.rules == {"crlf": Level.OFF}
        paths = ("vendor/a/SKILL.md", "vendor/own/a/SKILL.md", "skills/a/x.bak", "skills/vendor/a")
        assert [override.matches(path) for path in paths] == [True, False, True, False]

    def test_give_way_to_later_ones(self, tmp_path: Path) -> None:
        text = 'overrides = [{ paths = ["a/**"], rules.crlf = "off" }, { paths = ["a/b/**"], rules.crlf = "error" }]'
        policy = read(tmp_path, text).policy
        assert policy.level("crlf", "a/x") is Level.OFF
        assert policy.level("crlf", "a/b/x") is Level.ERROR

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("{}", (".paths: is missing", ".rules: is missing")),
            ('{ paths = [], rules = { crlf = "off" } }', (".paths: is empty; remove it or fill it",)),
            ('{ paths = ["a"], rules = [] }', (".rules: must be a table, not an array",)),
            ('{ paths = ["a"], rule = {}, rules = {} }', ('.rule: unknown key; did you mean "rules"?',)),
            ('{ paths = ["a", 1], rules = {} }', (".paths[1]: must be a string, not an integer",)),
            ('"a"', (": must be a table, not a string",)),
        ],
    )
    def test_of_another_form_are_faults(self, tmp_path: Path, text: str, expected: tuple[str, ...]) -> None:
        found = problems(tmp_path, f"overrides = [{text}]")
        assert found == tuple(f"tool.skillpack.overrides[0]{problem}" for problem in expected)

    def test_must_be_an_array(self, tmp_path: Path) -> None:
        assert only_problem(tmp_path, "overrides = {}") == (
            "tool.skillpack.overrides: must be an array of tables, not a table"
        )


class TestPatterns:
    @pytest.mark.parametrize("pattern", ["# a comment", " ", "/", "!", "a[", "[z-a]"])
    def test_that_can_match_nothing_are_faults(self, tmp_path: Path, pattern: str) -> None:
        assert only_problem(tmp_path, f'exclude = ["*.bak", "{pattern}"]') == (
            f'tool.skillpack.exclude[1]: "{pattern}" is no gitignore pattern'
        )

    @pytest.mark.parametrize("pattern", ["./skills/**", "!./skills/**"])
    def test_with_a_leading_dot_are_faults_since_git_matches_nothing_either(
        self, tmp_path: Path, pattern: str
    ) -> None:
        assert only_problem(tmp_path, f'exclude = ["{pattern}"]') == (
            'tool.skillpack.exclude[0]: begins with "./", which matches nothing; write it without'
        )

    def test_stay_as_written(self, tmp_path: Path) -> None:
        patterns = ("skills/*/drafts/", "!skills/a/drafts/", r"\#x")
        assert read(tmp_path, f"exclude = {json.dumps(patterns)}").exclude == patterns


class TestSizes:
    @pytest.mark.parametrize(
        ("text", "size"),
        [("1", 1), ('"5 B"', 5), ('"3KiB"', 3072), ('"64 MiB"', 64 * MIB), ('"2 GiB"', 2048 * MIB)],
    )
    def test_are_bytes_or_text_with_a_unit(self, tmp_path: Path, text: str, size: int) -> None:
        assert read(tmp_path, f"max-bytes = {text}").max_bytes == size

    @pytest.mark.parametrize(
        "text", ["0", "-1", '"0 MiB"', '"64 MB"', '"64"', '"64mib"', '"1.5 GiB"', '" 1 B"', '""']
    )
    def test_of_another_form_are_faults(self, tmp_path: Path, text: str) -> None:
        assert only_problem(tmp_path, f"max-bytes = {text}") == (
            "tool.skillpack.max-bytes: must be a number of bytes over 0, "
            'or text such as "64 MiB" (B, KiB, MiB or GiB)'
        )

    def test_of_another_type_are_faults(self, tmp_path: Path) -> None:
        assert only_problem(tmp_path, "max-bytes = true").endswith("(B, KiB, MiB or GiB), not a boolean")

    def test_of_files_follow_that_of_skills(self, tmp_path: Path) -> None:
        assert read(tmp_path, 'max-skill-bytes = "1 GiB"').max_file_bytes == 1024 * MIB
        assert read(tmp_path, 'max-skill-bytes = "1 GiB"\nmax-file-bytes = 5').max_file_bytes == 5


class TestOtherValues:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("allow-empty = 1", "allow-empty: must be true or false, not an integer"),
            ("max-depth = 0", "max-depth: must be an integer of at least 1"),
            ("max-depth = true", "max-depth: must be an integer of at least 1, not a boolean"),
            ('max-files = "many"', "max-files: must be an integer of at least 1, not a string"),
            ("expect-count = -1", "expect-count: must be an integer of at least 0"),
            ("expect = []", "expect: is empty; remove it or fill it"),
            ("select = []", "select: is empty; remove it or fill it"),
            ("exclude = 1", "exclude: must be an array of strings, not an integer"),
            ("module = 1", "module: must be a string, not an integer"),
            ("level = 1", 'level: must be "lenient", "default" or "strict", not an integer'),
            (
                'level = "strickt"',
                'level: must be "lenient", "default" or "strict", not "strickt"; did you mean "strict"?',
            ),
            ('format = "zip"', 'format: must be "module", "package", "data" or "auto", not "zip"'),
        ],
    )
    def test_of_another_type_or_range_are_faults(self, tmp_path: Path, text: str, message: str) -> None:
        assert only_problem(tmp_path, text) == f"tool.skillpack.{message}"

    def test_of_zero_skills_can_be_expected(self, tmp_path: Path) -> None:
        assert read(tmp_path, "expect-count = 0").expect_count == 0

    def test_of_the_level_flag_stand_above_the_file_which_is_judged_all_the_same(
        self, tmp_path: Path
    ) -> None:
        assert (
            load(
                make_project(tmp_path, '[tool.skillpack]\nlevel = "strict"\n', "skills"), level="lenient"
            ).level
            == "lenient"
        )
        make_project(tmp_path, "[tool.skillpack]\nlevel = 3\n")
        assert len(load_problems(tmp_path, level="lenient")) == 1


class TestFaults:
    def test_come_all_at_once_in_the_order_of_the_file_and_flags_last(self, tmp_path: Path) -> None:
        text = """
        [tool.skillpack]
        also-files = 1
        overrides = [{ rules = { nope = "off", crlf = 1 }, path = 1 }]
        max-depth = 0
        level = "loud"
        skills = ["ok", "", 3]
        """
        project = make_project(tmp_path, text)
        assert [line.partition(": ")[0] for line in load_problems(project, output="x", rules=["a"])] == [
            "tool.skillpack.also-files",
            "tool.skillpack.overrides[0].rules.nope",
            "tool.skillpack.overrides[0].rules.crlf",
            "tool.skillpack.overrides[0].path",
            "tool.skillpack.overrides[0].paths",
            "tool.skillpack.max-depth",
            "tool.skillpack.level",
            "tool.skillpack.skills[1]",
            "tool.skillpack.skills[2]",
            "--rule a",
            "-o x",
        ]

    @pytest.mark.parametrize(
        ("key", "message"),
        [
            ("skill", 'skill: unknown key; did you mean "skills"?'),
            ("max_files", 'max_files: unknown key; did you mean "max-files"?'),
            ("LEVEL", 'LEVEL: unknown key; did you mean "level"?'),
            ('"a b"', '"a b": unknown key; the keys are skills, module, '),
            (r'"\u001b[2J"', r'"\x1b[2J": unknown key; the keys are '),
        ],
    )
    def test_of_unknown_keys_name_the_key_that_was_meant(
        self, tmp_path: Path, key: str, message: str
    ) -> None:
        assert only_problem(tmp_path, f"{key} = 1").startswith(f"tool.skillpack.{message}")

    def test_quote_no_more_than_eighty_characters(self, tmp_path: Path) -> None:
        assert only_problem(tmp_path, f'level = "{"x" * 500}"').endswith(f'not "{"x" * 79}…"')
        assert only_problem(tmp_path, f"{'x' * 500} = 1").startswith(f'tool.skillpack."{"x" * 79}…": unknown')

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("tool = 1", "tool: must be a table, not an integer"),
            ("tool.skillpack = []", "tool.skillpack: must be a table, not an array"),
        ],
    )
    def test_of_the_table_itself_have_its_path(self, tmp_path: Path, text: str, problem: str) -> None:
        assert load_problems(make_project(tmp_path, text, "skills")) == (problem,)


class TestPatternsOnNames:
    @pytest.mark.parametrize("pattern", ["[", "!", "pdf[", "[]", "[!]", "![", "[a]b["])
    def test_one_that_can_match_no_name_is_a_fault(self, tmp_path: Path, pattern: str) -> None:
        text = f'[tool.skillpack]\nselect = ["pdf", "{pattern}"]\n'
        assert load_problems(make_project(tmp_path, text, "skills")) == (
            f'tool.skillpack.select[1]: "{pattern}" is no shell pattern',
        )

    @pytest.mark.parametrize("pattern", ["*", "!pdf", "[a-c]*", "[!x]y", "![ab]", "p?f", "]", "[]a]b"])
    def test_others_are_kept_as_written(self, tmp_path: Path, pattern: str) -> None:
        text = f'[tool.skillpack]\nselect = ["{pattern}"]\n'
        assert load(make_project(tmp_path, text, "skills")).select == (pattern,)


def test_a_path_that_no_file_system_takes_is_a_fault_and_in_no_report(tmp_path: Path) -> None:
    root = "x" * 5_000
    text = f'[tool.skillpack]\nskills = ["{root}"]\nmodule = "{root}.py"\n'
    assert load_problems(make_project(tmp_path, text)) == (
        "tool.skillpack.skills[0]: has 5,000 characters, more than file systems take",
        "tool.skillpack.module: has 5,003 characters, more than file systems take",
    )


class TestNotices:
    def notices(self, project: Path, text: str, *skills: str) -> tuple[str, ...]:
        read = load(make_project(project, text, "skills"), skills=skills)
        return tuple(notice.line for notice in read.notices)

    @pytest.mark.parametrize(
        "required", [">=3.11", ">=3.12,<4", "~=3.11", "==3.13.*", ">3.10,!=3.10.*", "nonsense"]
    )
    def test_are_silent_where_the_module_runs(self, tmp_path: Path, required: str) -> None:
        assert self.notices(tmp_path, f'[project]\nrequires-python = "{required}"\n') == ()

    @pytest.mark.parametrize(
        "required", [">=3.10", ">=3.9,<3.13", ">=3.10.5", "<3.11", ">=2.7,<3", "!=3.10.*", ""]
    )
    def test_tell_that_an_older_python_is_admitted(self, tmp_path: Path, required: str) -> None:
        assert self.notices(tmp_path, f'[project]\nrequires-python = "{required}"\n') == (
            (
                f'project.requires-python: "{required}" admits Python before 3.11, where the emitted module does not '
                'run; write requires-python = ">=3.11"'
            ),
        )

    def test_tell_that_no_python_is_required(self, tmp_path: Path) -> None:
        (notice,) = self.notices(tmp_path, '[project]\nname = "a"\n')
        assert notice.startswith("project.requires-python: not set, which admits Python before 3.11")

    def test_are_silent_where_the_python_is_dynamic_or_no_project_is_described(self, tmp_path: Path) -> None:
        assert self.notices(tmp_path, '[project]\ndynamic = ["requires-python"]\n') == ()
        assert self.notices(tmp_path, "") == ()

    def test_tell_the_cache_keys_that_uv_lacks(self, tmp_path: Path) -> None:
        text = '[tool.uv]\n[tool.skillpack]\nskills = ["a", "b/c", "/outside", "package:x"]\n'
        assert self.notices(tmp_path, text) == (
            (
                "tool.uv.cache-keys: uv keeps an old build after a skill was edited; add "
                'cache-keys = [{ file = "pyproject.toml" }, { file = "a/**/*" }, { file = "b/c/**/*" }]'
            ),
        )

    def test_tell_only_what_is_missing_from_the_cache_keys(self, tmp_path: Path) -> None:
        text = (
            '[tool.uv]\ncache-keys = ["a/**/*", { git = true }, 1]\n[tool.skillpack]\nskills = ["a", "b"]\n'
        )
        assert self.notices(tmp_path, text) == (
            'tool.uv.cache-keys: uv keeps an old build after a skill was edited; add { file = "b/**/*" }',
        )

    @pytest.mark.parametrize(
        ("glob", "enough"),
        [
            ("lib/skills/**/*", True),
            ("./lib/skills/**/*", True),
            ("lib/skills/*/SKILL.md", True),
            ("lib/**/*.md", True),
            ("**/SKILL.md", True),
            ("lib/*/**/*", True),
            ("lib/skills", False),
            ("lib/skills2/**/*", False),
            ("lib/*", False),
            ("pyproject.toml", False),
        ],
    )
    def test_take_any_glob_that_reaches_the_skills(self, tmp_path: Path, glob: str, enough: bool) -> None:
        text = f'[tool.uv]\ncache-keys = [{{ file = "{glob}" }}]\n[tool.skillpack]\nskills = ["lib/skills"]\n'
        assert (self.notices(tmp_path, text) == ()) is enough

    def test_of_the_cache_can_be_pasted(self, tmp_path: Path) -> None:
        text = '[tool.skillpack]\nskills = ["a \'b", "c"]\n[tool.uv]\n'
        (notice,) = self.notices(tmp_path, text)
        assert self.notices(tmp_path, text + notice.partition("; add ")[2]) == ()

    def test_of_the_cache_are_silent_for_skills_of_the_command_line(self, tmp_path: Path) -> None:
        assert self.notices(tmp_path, "[tool.uv]\n", "a") == ()


SAMPLES: dict[str, tuple[str, object]] = {
    "skills": ('["a", "b"]', ("a", "b")),
    "module": ('"src/x/y.py"', Path("/project/src/x/y.py")),
    "format": ('"data"', "data"),
    "stub": ("true", True),
    "also-files": ("true", True),
    "level": ('"strict"', "strict"),
    "rules": ('{ crlf = "off" }', {"crlf": Level.OFF}),
    "select": ('["deploy-*"]', ("deploy-*",)),
    "exclude": ('["*.bak"]', ("*.bak",)),
    "expect": ('["a"]', ("a",)),
    "expect-count": ("3", 3),
    "allow-empty": ("true", True),
    "nested": ('"split"', "split"),
    "max-catalog-chars": ("10", 10),
    "max-skill-files": ("11", 11),
    "max-skill-bytes": ("12", 12),
    "max-file-bytes": ("13", 13),
    "max-files": ("14", 14),
    "max-bytes": ("15", 15),
    "max-depth": ("16", 16),
}
"""A value of every key but `overrides` and `allow`, and what it becomes."""


ALLOW = f"""
[[allow]]
path = "skills/tls/ca.pem"
rule = "secret-name"
sha256 = "{"0" * 64}"
reason = "the public test CA"
"""


class TestAllow:
    """The reviewed exceptions."""

    def test_say_which_contents_of_which_file_are_allowed_and_why(self, tmp_path: Path) -> None:
        assert read(tmp_path, ALLOW.replace("[[allow", "[[tool.skillpack.allow")).allow == (
            Allowance(
                path="skills/tls/ca.pem", rule="secret-name", sha256="0" * 64, reason="the public test CA"
            ),
        )

    @pytest.mark.parametrize("path", ["./skills/tls/ca.pem", "skills//tls/ca.pem/"])
    def test_have_a_path_as_findings_show_it_however_it_is_written(self, tmp_path: Path, path: str) -> None:
        text = ALLOW.replace("[[allow", "[[tool.skillpack.allow").replace("skills/tls/ca.pem", path)
        assert [entry.path for entry in read(tmp_path, text).allow] == ["skills/tls/ca.pem"]

    def test_tell_all_their_faults_at_once(self, tmp_path: Path) -> None:
        text = """
        [[tool.skillpack.allow]]
        path = ""
        rule = "secret-nam"
        sha256 = "sha256:00"
        reason = " "
        [[tool.skillpack.allow]]
        path = 1
        rule = "symlink"
        why = "because"
        """
        codes = '"secret-name", "secret-dir", "secret-content" or "invisible-text"'
        place = "tool.skillpack.allow"
        assert problems(tmp_path, text) == (
            f"{place}[0].path: is empty",
            f'{place}[0].rule: must be {codes}, not "secret-nam"; did you mean "secret-name"?',
            f"{place}[0].sha256: must be the 64 lowercase hex digits that `sha256sum` prints and the refusal shows",
            f"{place}[0].reason: is blank; say why this may ship",
            f"{place}[1].path: must be a string, not an integer",
            f'{place}[1].rule: must be {codes}, not "symlink"',
            f"{place}[1].why: unknown key; the keys are path, rule, sha256, reason",
            f"{place}[1].sha256: is missing",
            f"{place}[1].reason: is missing",
        )

    def test_are_an_array_of_tables(self, tmp_path: Path) -> None:
        text = ALLOW.replace("[[allow]]", "[tool.skillpack.allow]")
        assert only_problem(tmp_path, text) == (
            "tool.skillpack.allow: must be an array of tables, not a table"
        )

    def test_stand_there_once_each(self, tmp_path: Path) -> None:
        text = ALLOW.replace("[[allow", "[[tool.skillpack.allow")
        assert only_problem(tmp_path, text + text.replace("the public", "a")) == (
            "tool.skillpack.allow[1]: allows the same as an entry above; remove one of them"
        )
        two = read(tmp_path, text + text.replace("0" * 64, "1" * 64)).allow
        assert [entry.sha256[0] for entry in two] == ["0", "1"]

    @pytest.mark.parametrize(
        ("skills", "count"), [("skills", 1), ("skills/tls", 1), (".", 1), ("skills/tl", 0), ("other", 0)]
    )
    def test_about_other_roots_than_those_of_the_command_line_do_not_count(
        self, tmp_path: Path, skills: str, count: int
    ) -> None:
        text = ALLOW.replace("[[allow", "[[tool.skillpack.allow")
        assert len(load(make_project(tmp_path, text), skills=[skills]).allow) == count

    def test_can_be_read_without_the_rest(self, tmp_path: Path) -> None:
        text = f"[tool.skillpack]\nlevle = 1\n{ALLOW.replace('[[allow', '[[tool.skillpack.allow')}"
        make_project(tmp_path, text, "inner")
        assert len(load_allow(tmp_path / "inner")) == 1
        make_project(tmp_path, text.replace("secret-name", "x"))
        with pytest.raises(ConfigError, match=r"^tool\.skillpack\.allow\[0\]\.rule: must be") as caught:
            load_allow(tmp_path)
        assert len(caught.value.problems) == 1

    def test_are_none_without_a_project(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("skillpack.config.reading.find_project", lambda _: None)
        assert load_allow(tmp_path) == ()


class TestFlags:
    """What the command line says about any key, above the file."""

    def test_stand_above_the_file(self, tmp_path: Path) -> None:
        table = {"tool": {"skillpack": {"skills": ["s"], "max-depth": 3, "exclude": ["a"], "max-files": 7}}}
        flags = {"max-depth": 4, "exclude": ["b"], "max-bytes": "1 KiB", "allow-empty": True}
        flags["nested"] = "split"
        settings = from_table(table, tmp_path, flags=flags)
        assert settings.nested == "split"
        assert (settings.max_depth, settings.exclude, settings.max_files) == (4, ("b",), 7)
        assert (settings.max_bytes, settings.allow_empty) == (1024, True)

    def test_carry_on_what_follows_from_another_key(self, tmp_path: Path) -> None:
        settings = from_table({}, tmp_path, skills=["s"], flags={"max-skill-bytes": 5})
        assert settings.max_file_bytes == 5

    def test_are_at_fault_by_their_name_after_the_file_whose_faults_are_told_too(
        self, tmp_path: Path
    ) -> None:
        table = {"tool": {"skillpack": {"skills": ["s"], "max-depth": 0, "exclude": [""]}}}
        with pytest.raises(ConfigError) as caught:
            from_table(table, tmp_path, flags={"max-depth": -1, "exclude": ["x", ""]})
        assert caught.value.problems == (
            "tool.skillpack.max-depth: must be an integer of at least 1",
            "tool.skillpack.exclude[0]: is empty",
            "--exclude: is empty",
            "--max-depth: must be an integer of at least 1",
        )


class TestTheOptions:
    def test_are_the_keys_that_the_reader_takes(self) -> None:
        text = "\n".join(f"{key} = {value}" for key, (value, _) in SAMPLES.items())
        text += '\noverrides = [{ paths = ["a"], rules = {} }]\n' + ALLOW
        config = from_table({"tool": {"skillpack": tomllib.loads(text)}}, Path("/project"))
        assert {key: getattr(config, key.replace("-", "_")) for key in SAMPLES} == {
            key: expected for key, (_, expected) in SAMPLES.items()
        }
        assert (len(config.overrides), len(config.allow)) == (1, 1)
        assert {option.key for option in OPTIONS} == {*SAMPLES, "overrides", "allow"}

    def test_are_the_fields_of_the_configuration(self) -> None:
        derived = {
            "project",
            "base",
            "module-written",
            "module-fault",
            "module-is-default",
            "moved",
            "notices",
            "packages",
            "strays",
        }
        fields = {field.name.replace("_", "-") for field in dataclasses.fields(Config)}
        assert fields - derived == {option.key for option in OPTIONS}

    @pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
    def test_have_the_default_that_they_say(self, option: object, tmp_path: Path) -> None:
        assert isinstance(option, type(OPTIONS[0]))
        unset = read(tmp_path)
        value = getattr(unset, option.key.replace("-", "_"))
        default = option.default.strip("`")
        if not option.default:
            assert value in (None, ())
        elif f"`{default}`" == option.default and "`" not in default:
            assert read(tmp_path, f"{option.key} = {default}") == unset
        else:
            assert option.key in {"skills", "module", "max-file-bytes"}

    def test_become_a_markdown_table_with_a_row_for_each(self) -> None:
        header, rule, *rows = options_table().splitlines()
        assert header == "| Key | Type | Default | Command line | What it does |"
        assert rule == "| --- | --- | --- | --- | --- |"
        assert len(rows) == len(OPTIONS)
        assert all(row.count("|") == 6 for row in rows)
        assert (
            "| `max-depth` | integer | `16` | `--max-depth N` | most directories below one another in a skill |"
            in rows
        )
        assert options_table().endswith("|\n")
