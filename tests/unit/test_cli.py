"""The command line: arguments, what is printed where, exit codes; real projects in temporary directories."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import json
import os
import pty
import re
import runpy
import signal
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

import skillpack
from skillpack import cli, config, pipeline
from skillpack.cli import program
from skillpack.write import place as writing
from support import projects
from support.archives import make_zip

if TYPE_CHECKING:
    from typing import TextIO

    from click.testing import Result

MODULE = "src/agent/skills.py"
SUMMARY = r"2 skills, 5 files, \d+ bytes, sha256:[0-9a-f]{12}"
FULL = Path("/dev/full")
COMMANDS = ("init", "bundle", "check", "list", "export", "explain", "inspect", "verify", "serve", "schema")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two skills, which is the current directory."""
    root = projects.write(tmp_path / "project", projects.agent())
    monkeypatch.chdir(root)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return root


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, arguments, prog_name="skillpack")


def packed(*arguments: str) -> str:
    """Write the module and return its place."""
    result = run("bundle", *arguments)
    assert result.exit_code == 0, result.output
    return MODULE


def configure(project: Path, lines: str) -> None:
    """Add lines to `[tool.skillpack]`."""
    path = project / "pyproject.toml"
    path.write_text(path.read_text(encoding="utf-8") + lines, encoding="utf-8")


def edit(project: Path) -> None:
    """Change a skill."""
    path = project / "skills/dance/SKILL.md"
    path.write_text(path.read_text(encoding="utf-8") + "More.\n", encoding="utf-8")


def skill_with(project: Path, name: str, frontmatter: str, body: str = "\nHello.\n") -> Path:
    path = project / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(f"---\n{frontmatter}---\n{body}".encode())
    return path


# ------------------------------------------------------------------ help, version, usage


def test_without_a_command_help_goes_to_standard_error_and_it_is_a_usage_error() -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: skillpack [OPTIONS]")
    assert all(command in result.stderr for command in COMMANDS)


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_names_commands_exit_codes_and_shell_completion(flag: str) -> None:
    result = run(flag)
    assert (result.exit_code, result.stderr) == (0, "")
    for text in (*COMMANDS, "_SKILLPACK_COMPLETE=zsh_source skillpack", "130  interrupted"):
        assert text in result.stdout
    assert "..." not in result.stdout.partition("Commands:")[2].partition("Shell")[0]


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_has_examples(command: str, flag: str) -> None:
    result = run(command, flag)
    assert result.exit_code == 0
    assert f"Examples:\n    skillpack {command}" in result.stdout


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_version_says_where_it_is_installed(flag: str) -> None:
    result = run(flag)
    location = Path(skillpack.__file__).parent
    assert (result.exit_code, result.stdout) == (
        0,
        f"skillpack {metadata.version('skillpack')} from {location}\n",
    )


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("bundel", "no such command 'bundel'; did you mean 'bundle'?"),
        ("verfy", "no such command 'verfy'; did you mean 'verify'?"),
        ("zzz", f"no such command 'zzz'; the commands are {', '.join(COMMANDS)}."),
        ("sk\udcff\x1b[2J", "no such command 'sk\\udcff\\x1b[2J'; the commands are"),
    ],
)
def test_a_mistyped_command_is_answered_with_the_nearest(typed: str, answer: str) -> None:
    result = run(typed)
    assert (result.exit_code, result.stdout) == (2, "")
    assert answer in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nonsense"],
        ["check", "--nonsense"],
        ["check", "-v", "-q"],
        ["check", "--strict", "--lenient"],
        ["bundle", "--lenient", "--strict"],
        ["bundle", "--check", "--force"],
        ["inspect"],
        ["verify", "a", "b"],
    ],
    ids=" ".join,
)
def test_a_usage_error_is_2_and_says_how_to_get_help(project: Path, arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--help' for help." in result.stderr
    assert "Traceback" not in result.stderr


def test_a_mistyped_option_is_answered_with_the_nearest() -> None:
    assert "--strict" in run("check", "--strickt").stderr


def test_completion_knows_commands_and_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SKILLPACK_COMPLETE", "bash_complete")
    for words, completion in (("skillpack ver", "verify"), ("skillpack check --max-d", "--max-depth")):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
        assert run().stdout == f"plain,{completion}\n"


# ------------------------------------------------------------------ the table of options and its flags


def test_every_flag_of_the_table_is_a_flag_of_bundle() -> None:
    text = run("bundle", "--help").stdout
    for option in config.OPTIONS:
        for flag in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", option.flag):
            assert flag in text, option.key


NO_FLAG = {"skills", "module", "also-files", "level", "rules", "overrides", "allow"}


def test_every_other_key_of_the_table_that_a_flag_can_say_has_the_flag_of_its_name() -> None:
    for command in ("bundle", "check"):
        text = run(command, "--help").stdout
        flags = {option.key for option in config.OPTIONS if re.search(rf"--{option.key}(?![\w-])", text)}
        assert flags == {option.key for option in config.OPTIONS} - NO_FLAG


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--expect", "dance", "--expect", "fly"], "expected-skills"),
        (["--expect-count", "3"], "expected-skills"),
        (["--expect-count", "0"], "expected-skills"),
        (["--exclude", "skills/sing/SKILL.md"], "exclude-skill-md"),
        (["--select", "fly*"], "no-skills"),
        (["--max-catalog-chars", "10"], "catalog-budget"),
        (["--max-skill-files", "1"], "limit-files"),
        (["--max-skill-bytes", "140 B"], "limit-skill-bytes"),
        (["--max-file-bytes", "5"], "limit-file-bytes"),
        (["--max-files", "4"], "limit-run"),
        (["--max-bytes", "100B"], "limit-run"),
        (["--max-depth", "1"], "limit-depth"),
        (["--rule", "body-empty=error", "--rule", "left-out=error"], "left-out"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_a_flag_reaches_what_it_sets(project: Path, arguments: list[str], code: str) -> None:
    projects.write(project, {"skills/dance/a/b/c.txt": "deep\n", "skills/dance/.DS_Store": "x"})
    configure(project, 'select = ["dance", "sing"]\nmax-skill-bytes = "1 GiB"\n')
    assert run("check").exit_code == 0
    result = run("check", *arguments)
    assert result.exit_code == 1
    assert f": error: {code}: " in result.stderr


def test_flags_take_the_place_of_what_the_file_says(project: Path) -> None:
    configure(project, 'expect-count = 2\nselect = ["dance", "sing"]\n')
    assert run("check", "--select", "dance", "--expect-count", "1").exit_code == 0
    assert run("check", "--select", "fly", "--expect-count", "0", "--allow-empty").exit_code == 0


def test_what_is_no_flag_on_the_command_line_stays_as_in_the_file(project: Path) -> None:
    configure(project, "max-depth = 1\nallow-empty = true\n")
    projects.write(project, {"skills/dance/a/b/c.txt": "deep\n"})
    assert run("check", "--max-files", "40").exit_code == 1


def test_strict_lenient_and_rules_set_levels(project: Path) -> None:
    skill_with(project, "dance", "name: dance\ndescription: Dances.\nmood: good\n")
    skill_with(project, "sing", f"name: sing\ndescription: {'la ' * 400}\n")
    codes = {
        flags: sorted(set(re.findall(r" (?:error|warning): ([a-z-]+):", run("check", *flags).stderr)))
        for flags in ((), ("--lenient",), ("--strict",), ("--lenient", "--rule", "description-length=error"))
    }
    assert codes[()] == ["description-length"]
    assert codes["--lenient",] == ["description-length"]
    assert codes["--strict",] == ["description-length", "field-unknown"]
    assert run("check", "--lenient").exit_code == 0
    assert run("check", "--lenient", "--rule", "description-length=error").exit_code == 1


def test_all_faults_of_file_and_flags_come_at_once(project: Path) -> None:
    configure(project, 'levle = "strict"\n')
    result = run(
        "bundle", "--max-files", "0", "--exclude", "a", "--exclude", "./b", "--rule", "x", "-o", "a-b.py"
    )
    assert (result.exit_code, result.stdout) == (2, "")
    assert [line.split(": ")[:2] for line in result.stderr.splitlines()] == [
        ["error", "tool.skillpack.levle"],
        ["error", "--rule x"],
        ["error", "-o a-b.py"],
        ["error", "--exclude"],
        ["error", "--max-files"],
    ]


def test_faults_of_flags_alone_stop_too(project: Path) -> None:
    result = run("check", "--max-bytes", "3 XB")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --max-bytes: must be a number of bytes")


# ------------------------------------------------------------------ check


def test_a_clean_tree_prints_the_summary_alone(project: Path) -> None:
    result = run("check")
    assert (result.exit_code, result.stdout) == (0, "")
    assert re.fullmatch(f"good: {SUMMARY}\n", result.stderr)
    assert not (project / MODULE).exists()


def test_skills_on_the_command_line_stand_above_the_configured_ones(project: Path) -> None:
    assert run("check", "skills/dance").stderr.startswith("good: 1 skill, 2 files")


def test_warnings_are_shown_and_notes_counted(project: Path) -> None:
    skill_with(project, "sing", "name: hum\ndescription: Hums.\nmood: good\n")
    result = run("check")
    assert (result.exit_code, result.stdout) == (0, "")
    *lines, hint, summary = result.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("skills/sing/SKILL.md: warning: name-mismatch: ")
    assert hint.startswith("  hint: ")
    assert re.fullmatch(rf"good: {SUMMARY}; 1 warning, 1 note \(`skillpack check -v` lists them\)", summary)


def test_verbose_shows_notes(project: Path) -> None:
    skill_with(project, "sing", "name: sing\ndescription: Hums.\nmood: good\n")
    result = run("check", "-v")
    assert ": note: field-unknown: " in result.stderr
    assert result.stderr.endswith("; 1 note\n")


def test_quiet_shows_errors_alone(project: Path) -> None:
    skill_with(project, "sing", "name: hum\ndescription: Hums.\n")
    assert run("check", "-q").output == ""
    (project / "skills/dance/link").symlink_to("SKILL.md")
    result = run("check", "--quiet")
    assert result.exit_code == 1
    assert re.fullmatch(r"skills/dance/link: error: symlink: .*\n  hint: .*\n", result.stderr)


def test_a_refusal_shows_everything_and_exits_with_1(project: Path) -> None:
    skill_with(project, "sing", "name: hum\ndescription: Hums.\n")
    (project / "skills/dance/link").symlink_to("SKILL.md")
    (project / "skills/sing/.env").write_text("A=b\n", encoding="utf-8")
    result = run("check")
    assert (result.exit_code, result.stdout) == (1, "")
    found = re.findall(r"^(\S+): (\w+): ([a-z-]+):", result.stderr, re.MULTILINE)
    assert found == [
        ("skills/dance/link", "error", "symlink"),
        ("skills/sing/.env", "error", "secret-name"),
        ("skills/sing/SKILL.md", "warning", "name-mismatch"),
    ]
    assert result.stderr.endswith("refused: 2 errors, 1 warning\n")


def test_notices_about_the_project_are_warnings(project: Path) -> None:
    configure(project, "\n[tool.uv]\n")
    found = "pyproject.toml: warning: uv-cache-keys: tool.uv.cache-keys: "
    assert run("check").stderr.startswith(found)
    assert run("check", "--rule", "uv-cache-keys=error").exit_code == 1
    (project / "skills/sing/.env").write_text("A=b\n", encoding="utf-8")
    refused = run("check").stderr
    assert refused.startswith(found), "a refusal does not hide them"
    assert refused.endswith("refused: 1 error, 1 warning\n")


# ------------------------------------------------------------------ bundle


def test_bundle_writes_the_module(project: Path) -> None:
    result = run("bundle")
    assert (result.exit_code, result.stdout) == (0, "")
    assert re.fullmatch(f"wrote {MODULE}: packed {SUMMARY}\n", result.stderr)
    code = "from agent.skills import bundle; bundle.verify(); print(*bundle)"
    environment = {**os.environ, "PYTHONPATH": "src"}
    assert subprocess.check_output([sys.executable, "-c", code], text=True, env=environment) == "dance sing\n"


def test_bundle_leaves_an_up_to_date_module_alone(project: Path) -> None:
    path = project / packed()
    os.utime(path, (1, 1))
    assert run("bundle").stderr.startswith(f"unchanged {MODULE}: packed ")
    assert path.stat().st_mtime == 1


def test_a_replaced_module_has_the_time_of_the_run(project: Path) -> None:
    path = project / packed()
    os.utime(path, (1, 1))
    edit(project)
    before = time.time()
    packed()
    assert before - 1 <= path.stat().st_mtime <= time.time()


def test_output_on_the_command_line_stands_above_the_configured_one(project: Path) -> None:
    assert run("bundle", "skills/dance", "-o", "src/agent/other.py").exit_code == 0
    assert (project / "src/agent/other.py").exists()
    assert not (project / MODULE).exists()


def test_bundle_without_a_place_to_write_is_a_configuration_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    projects.write(tmp_path, projects.below("skills", projects.skill("dance")))
    monkeypatch.chdir(tmp_path)
    result = run("bundle")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: tool.skillpack.module: not set")


def test_bundle_shows_warnings_and_writes(project: Path) -> None:
    skill_with(project, "sing", "name: hum\ndescription: Hums.\n")
    result = run("bundle")
    assert result.exit_code == 0
    assert ": warning: name-mismatch: " in result.stderr
    assert result.stderr.endswith("; 1 warning\n")


def test_a_refused_bundle_writes_nothing(project: Path) -> None:
    (project / "skills/dance/link").symlink_to("SKILL.md")
    before = projects.tree(project)
    assert run("bundle").exit_code == 1
    assert projects.tree(project) == before


def test_a_foreign_file_stays_unless_forced(project: Path) -> None:
    projects.write(project, {MODULE: "mine = 1\n"})
    for flag in ([], ["--check"]):
        result = run("bundle", *flag)
        assert result.exit_code == 2
        assert "output-foreign" in result.stderr
    assert (project / MODULE).read_text(encoding="utf-8") == "mine = 1\n"
    packed("--force")
    assert run("bundle", "--check").exit_code == 0


def reported(*arguments: str) -> list[tuple[str, str]]:
    """Return the code and place of each finding in the report in JSON."""
    result = run(*arguments, "--report-format", "json")
    return [(row["code"], row["path"]) for row in json.loads(result.stdout)["findings"]]


@pytest.mark.parametrize("path", [MODULE, "src/agent/skills/__init__.py", f"{MODULE}/x"])
def test_a_check_finds_what_a_bundle_could_not_replace(project: Path, path: str) -> None:
    projects.write(project, {path: "mine = 1\n"})
    result = run("check")
    assert result.exit_code == 1
    assert f"{MODULE}: error: output-foreign: " in result.stderr
    for arguments in (["check"], ["bundle"], ["bundle", "--check"]):
        assert reported(*arguments) == [("output-foreign", MODULE)]
    for form in ("sarif", "github"):
        assert "output-foreign" in run("check", "--report-format", form).stdout


def test_a_foreign_stub_is_found_where_there_is_to_be_one(project: Path) -> None:
    projects.write(project, {f"{MODULE}i": "mine: int\n"})
    assert run("check").exit_code == 0
    configure(project, "stub = true\n")
    assert reported("check") == [("output-foreign", f"{MODULE}i")]
    assert run("bundle").exit_code == 2


def test_a_check_of_named_skills_does_not_look_at_the_module(project: Path) -> None:
    projects.write(project, {MODULE: "mine = 1\n"})
    assert run("check", "skills").exit_code == 0
    assert run("bundle", "skills").exit_code == 2


def test_a_foreign_file_is_reported_with_all_else_that_is_wrong(project: Path) -> None:
    projects.write(project, {MODULE: "mine = 1\n", "skills/sing/.env": "A=b\n"})
    for arguments in (["check"], ["bundle"]):
        assert run(*arguments).exit_code == 1
        assert [code for code, _ in reported(*arguments)] == ["secret-name", "output-foreign"]
    assert [code for code, _ in reported("bundle", "--force")] == ["secret-name"]


def test_what_cannot_be_looked_at_in_the_place_of_the_module_is_told_by_the_one_who_writes(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    projects.write(project, {MODULE: "mine = 1\n"})

    def closed(*_: object) -> bool:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(writing, "is_ours", closed)
    assert run("check").exit_code == 0
    result = run("bundle")
    assert result.exit_code == 2
    assert result.stderr.endswith(f"{MODULE}: cannot be written (Permission denied)\n")


def test_output_into_a_missing_directory_is_2(project: Path) -> None:
    result = run("bundle", "-o", "missing/skills.py")
    assert result.exit_code == 2
    assert re.fullmatch(r"error: .*missing/skills.py: the directory .* does not exist; .*\n", result.stderr)


def test_check_finds_an_up_to_date_module(project: Path) -> None:
    packed()
    result = run("bundle", "--check")
    assert result.exit_code == 0
    assert re.fullmatch(f"up to date {MODULE}: packed {SUMMARY}\n", result.stderr)


def test_check_finds_a_missing_module_and_writes_nothing(project: Path) -> None:
    before = projects.tree(project)
    result = run("bundle", "--check")
    assert result.exit_code == 1
    assert (
        f"{MODULE}: error: output-stale: there is no such file\n  hint: run skillpack bundle\n"
        in result.stderr
    )
    assert reported("bundle", "--check") == [("output-stale", MODULE)]
    assert projects.tree(project) == before


def test_check_finds_a_stale_module(project: Path) -> None:
    packed()
    edit(project)
    result = run("bundle", "--check")
    assert result.exit_code == 1
    assert "output-stale: it is not what the skills are packed into now" in result.stderr
    assert f"\nstale {MODULE}: packed" in result.stderr
    assert run("bundle", "--check", "-q").stderr.count("\n") == 2


def test_check_says_when_only_the_runtime_is_newer(project: Path) -> None:
    path = project / packed()
    path.write_bytes(path.read_bytes() + b"# older\n")
    result = run("bundle", "--check")
    assert result.exit_code == 1
    assert "output-stale: skills unchanged, runtime newer" in result.stderr


STUB = f"{MODULE}i"


def test_a_stub_is_written_beside_the_module_when_it_is_asked_for(project: Path) -> None:
    packed()
    assert not (project / STUB).exists()
    configure(project, "stub = true\n")
    assert f"{STUB}: error: output-stale: there is no such file\n" in run("bundle", "--check").stderr
    assert run("bundle").stderr.startswith("wrote ")
    assert '    "dance",\n    "sing",\n' in (project / STUB).read_text(encoding="ascii")
    assert run("bundle").stderr.startswith("unchanged ")
    assert run("bundle", "--check").exit_code == 0


def test_a_stale_stub_is_found_and_mended(project: Path) -> None:
    packed("--stub")
    sound = (project / STUB).read_bytes()
    (project / STUB).write_bytes(sound.replace(b'"dance"', b'"danse"'))
    result = run("bundle", "--check", "--stub")
    assert result.exit_code == 1
    assert f"{STUB}: error: output-stale: it is not what the skills" in result.stderr
    packed("--stub")
    assert (project / STUB).read_bytes() == sound


def test_an_edit_that_renames_no_skill_leaves_the_stub_alone(project: Path) -> None:
    packed("--stub")
    before = (project / STUB).stat().st_mtime_ns
    edit(project)
    packed("--stub")
    assert (project / STUB).stat().st_mtime_ns == before


def test_a_stub_that_is_not_wanted_any_more_goes(project: Path) -> None:
    packed("--stub")
    result = run("bundle", "--check")
    assert result.exit_code == 1
    assert f"{STUB}: error: output-stale: `stub` is off, and this one is still there" in result.stderr
    assert run("bundle").stderr.startswith("wrote ")
    assert not (project / STUB).exists()
    assert run("bundle").stderr.startswith("unchanged ")


def test_a_hand_written_stub_stays(project: Path) -> None:
    projects.write(project, {STUB: "mine: int\n"})
    packed()
    assert run("bundle", "--check").exit_code == 0
    (project / MODULE).unlink()
    for flag in ([], ["--check"]):
        result = run("bundle", "--stub", *flag)
        assert result.exit_code == 2
        assert "output-foreign" in result.stderr
    assert not (project / MODULE).exists()
    assert (project / STUB).read_text(encoding="utf-8") == "mine: int\n"
    packed("--stub", "--force")
    assert run("bundle", "--check", "--stub").exit_code == 0


def test_check_says_that_a_stub_cannot_be_written(project: Path) -> None:
    projects.write(project, {STUB: "mine: int\n"})
    assert run("check").exit_code == 0
    assert f"{STUB}: error: output-foreign: " in run("check", "--stub").stderr


# ------------------------------------------------------------------ inspect


def test_inspect_shows_skills_files_sizes_tokens_and_digests(project: Path) -> None:
    skill_with(project, "sing", "name: sing\ndescription: Sings.\nhide: true\n")
    result = run("inspect", packed())
    assert (result.exit_code, result.stderr) == (0, "")
    digest = r"sha256:[0-9a-f]{64}"
    pattern = rf"""module {MODULE}: 2 skills, 5 files, \d+ bytes, catalog about \d+ tokens
  {digest}

  dance: 2 files, \d+ bytes, instructions about \d+ tokens
    {digest}
    sha256:[0-9a-f]{{12}}  +\d+  SKILL.md
    sha256:[0-9a-f]{{12}}  +16  references/notes.md

  sing: 3 files, \d+ bytes, instructions about 2 tokens, hidden
    {digest}
    sha256:[0-9a-f]{{12}}  +58  SKILL.md
    sha256:[0-9a-f]{{12}}  +16  references/notes.md
    sha256:[0-9a-f]{{12}}  +19  scripts/hum.sh \(executable\)
"""
    assert re.fullmatch(pattern, result.stdout), result.stdout
    verbose = run("inspect", "-v", MODULE).stdout
    assert len(re.findall(digest, verbose)) == 1 + 2 + 5


def test_inspect_tells_what_is_large_when_it_is_asked_to(project: Path) -> None:
    skill_with(project, "sing", "name: sing\ndescription: Sings.\n")
    plain = run("inspect", packed()).stdout
    result = run("inspect", MODULE, "--sizes")
    assert (result.exit_code, result.stderr) == (0, "")
    pattern = r"""

  sizes: \d+,\d+ bytes of source, about \d+,\d+ in a wheel, catalog \d+ characters
    1 duplicate: 16 bytes saved
    by kind
      \d+  text/markdown, text, 4 files
       \d+  text/x-shellscript, text, 1 file
    by skill
      \d+  dance, \d+ of them its own
       \d+  sing, \d+ of them its own
    largest files
      \d+  dance/SKILL.md
       \d+  sing/SKILL.md
       19  sing/scripts/hum.sh
       16  dance/references/notes.md
       16  sing/references/notes.md
"""
    assert re.fullmatch(re.escape(plain.rstrip("\n")) + pattern, result.stdout), result.stdout
    assert "duplicate" not in run("inspect", packed("--select", "sing"), "--sizes").stdout
    packed()
    facts = json.loads(run("inspect", MODULE, "--sizes", "--json").stdout)
    assert facts["modules"][0]["sizes"]["source"] == (project / MODULE).stat().st_size


def test_inspect_prints_json_that_is_sorted_and_stable(project: Path) -> None:
    skill_with(project, "sing", "name: sing\ndescription: Sings é.\n")
    result = run("inspect", packed(), "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.isascii()
    facts = json.loads(result.stdout)
    assert result.stdout == json.dumps(facts, indent=2, sort_keys=True) + "\n"
    assert run("inspect", "--json", MODULE, "-q").stdout == result.stdout
    assert (facts["artifact"], facts["kind"]) == (MODULE, "module")
    (module,) = facts["modules"]
    assert module["place"] == MODULE
    assert [skill["description"] for skill in module["skills"]][1] == "Sings é."
    assert module["totals"]["files"] == sum(len(skill["files"]) for skill in module["skills"])


def test_inspect_says_when_a_body_is_damaged(project: Path) -> None:
    path = project / packed()
    path.write_bytes(path.read_bytes().replace(b"then dance.", b"then prance"))
    result = run("inspect", MODULE)
    assert result.exit_code == 0
    assert re.search(r"dance: 2 files, \d+ bytes, instructions damaged\n", result.stdout)


@pytest.mark.parametrize("command", ["inspect", "verify"])
def test_a_missing_artifact_is_2_and_what_is_none_is_1(project: Path, command: str) -> None:
    missing = run(command, "dist/x.whl")
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert missing.stderr == "error: dist/x.whl: there is no such file or directory\n"
    other = run(command, "pyproject.toml")
    assert (other.exit_code, other.stdout) == (1, "")
    assert other.stderr.startswith("error: pyproject.toml: ")


# ------------------------------------------------------------------ verify


def wheel(project: Path, manifest: bytes | None = None) -> str:
    """Make a wheel of the project with its module and a manifest, and return its place."""
    module = (project / packed()).read_bytes()
    if manifest is None:
        with pipeline.pack(config.load(project)) as result:
            manifest = result.manifest()
    members = {
        "agent/skills.py": module,
        "agent-1.0.dist-info/extra_metadata/skillpack.json": manifest,
    }
    make_zip(project / "agent-1.0-py3-none-any.whl", members)
    return "agent-1.0-py3-none-any.whl"


def damage(project: Path) -> None:
    path = project / MODULE
    path.write_bytes(path.read_bytes().replace(b"then dance.", b"then prance"))


def test_verify_says_what_is_good(project: Path) -> None:
    place = wheel(project)
    result = run("verify", place)
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.fullmatch(
        rf"module {place}/agent/skills.py: 2 skills, 5 files, sha256:[0-9a-f]{{64}}: good\n"
        rf"manifest {place}/agent-1.0.dist-info/extra_metadata/skillpack.json: good\n",
        result.stdout,
    )


def test_verify_says_what_is_damaged(project: Path) -> None:
    packed()
    damage(project)
    result = run("verify", MODULE)
    assert result.exit_code == 1
    assert f"{MODULE}: error: artifact-damaged: " in result.stderr
    assert re.search(rf"\n{MODULE}: \d errors?\n\Z", result.stderr)
    assert re.fullmatch(rf"module {MODULE}: .*: damaged\n", result.stdout)


def test_verify_finds_a_manifest_that_says_something_else(project: Path) -> None:
    place = wheel(project, b"{}\n")
    result = run("verify", place)
    assert result.exit_code == 1
    assert "/skillpack.json: error: artifact-manifest: " in result.stderr
    assert re.fullmatch(r"module .*: good\nmanifest .*: damaged\n", result.stdout)


def test_verify_with_its_sources_is_good(project: Path) -> None:
    result = run("verify", packed(), "--against", "skills")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith(f"\nsources of {MODULE}: the same\n")


def test_verify_lists_how_the_sources_differ(project: Path) -> None:
    projects.write(project, {"skills/sing/old.md": "old\n"})
    packed()
    (project / "skills/sing/old.md").unlink()
    projects.write(project, {"skills/sing/new.md": "new\n", "skills/sing/references/notes.md": "other\n"})
    projects.write(project, projects.below("skills", projects.skill("jump")))
    result = run("verify", MODULE, "--against", "skills")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        f"sources of {MODULE}: differ (2 added, 1 changed, 1 removed)",
        "  added, in the sources only: jump/",
        "  added, in the sources only: sing/new.md",
        "  removed, in the artifact only: sing/old.md",
        "  changed: sing/references/notes.md",
    ]


def test_verify_takes_several_sources(project: Path) -> None:
    packed()
    assert run("verify", MODULE, "--against", "skills/sing").exit_code == 1
    assert run("verify", MODULE, "--against", "skills/sing", "--against", "skills/dance").exit_code == 0


def test_verify_leaves_out_what_the_configuration_and_the_flags_leave_out(project: Path) -> None:
    packed()
    projects.write(project, {"skills/dance/draft.md": "x\n", "skills/sing/idea.md": "x\n"})
    configure(project, 'exclude = ["draft.md"]\n')
    assert run("verify", MODULE, "--against", "skills").exit_code == 1
    flags = ("--exclude", "draft.md", "--exclude", "idea.md")
    assert run("verify", MODULE, "--against", "skills", *flags).exit_code == 0


def test_verify_reads_the_sources_at_lenient_whatever_the_project_demands(project: Path) -> None:
    skill_with(project, "sing", "name: hum\ndescription: Hums.\n")
    packed()
    configure(
        project,
        'level = "strict"\nexpect = ["fly"]\nexpect-count = 7\nmax-catalog-chars = 1\n'
        'rules = { name-mismatch = "error", path-length = "warning" }\n\n'
        '[[tool.skillpack.overrides]]\npaths = ["*"]\nrules = { name-mismatch = "error" }\n',
    )
    assert run("check").exit_code == 1
    result = run("verify", MODULE, "--against", "skills")
    assert (result.exit_code, result.stderr) == (0, "")
    verbose = run("verify", MODULE, "--against", "skills", "-v")
    assert ": note: name-mismatch: " in verbose.stderr


def test_verify_keeps_what_the_project_allowed(project: Path) -> None:
    deep = "/".join("a" * 200 for _ in range(6))
    projects.write(project, {f"skills/dance/{deep}/b.md": "x\n"})
    configure(project, 'rules = { path-length = "off" }\n')
    packed()
    assert run("verify", MODULE, "--against", "skills").exit_code == 0


def test_sources_that_cannot_be_read_are_refused(project: Path) -> None:
    packed()
    (project / "skills/dance/link").symlink_to("SKILL.md")
    result = run("verify", MODULE, "--against", "skills")
    assert result.exit_code == 1
    assert ": error: symlink: " in result.stderr
    assert result.stderr.endswith("refused: 1 error\n")


def test_quiet_verify_prints_what_is_wrong_alone(project: Path) -> None:
    packed()
    assert run("verify", "-q", MODULE, "--against", "skills").output == ""
    damage(project)
    result = run("verify", "-q", MODULE)
    assert result.stdout.endswith(": damaged\n")
    assert not re.search(r"\d errors?$", result.stderr)


def test_an_artifact_is_never_imported(project: Path) -> None:
    path = project / packed()
    path.write_bytes(path.read_bytes() + b"raise SystemExit('ran')\n")
    assert run("inspect", MODULE).exit_code == 0
    result = run("verify", MODULE)
    assert result.exit_code == 1
    assert ": error: runtime-unknown: " in result.stderr


# ------------------------------------------------------------------ how it ends


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def pack(*_: object, **__: object) -> object:
        raise error

    monkeypatch.setattr(pipeline, "pack", pack)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (OSError(errno.ENOSPC, "No space left on device", "a\nb"), 2, "a\\nb: No space left on device"),
        (OSError(errno.EIO, "Input/output error", b"a\xff"), 2, "a\\udcff: Input/output error"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "No space left on device"),
        (OSError("strange"), 2, "strange"),
        (MemoryError(), 2, "there is not enough memory for these skills"),
        (
            ImportError("a.so: failed to map segment from shared object"),
            2,
            "there is not enough memory for these skills",
        ),
    ],
    ids=repr,
)
def test_what_a_user_can_cause_is_one_line(
    project: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, text: str
) -> None:
    raising(monkeypatch, error)
    result = run("check")
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", f"error: {text}\n")


def test_a_fault_of_skillpack_shows_its_traceback_and_what_to_do(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raising(monkeypatch, LookupError("what was that"))
    result = run("check")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Traceback (most recent call last):\n")
    *_, cause, request = result.stderr.splitlines()
    assert cause == "LookupError: what was that"
    assert "this is a fault of skillpack, not of your skills; please report it " in request
    assert f"(skillpack {metadata.version('skillpack')}, Python " in request


def test_a_copy_that_is_not_installed_still_tells_its_location_and_its_faults(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert run("--version").stdout.startswith("skillpack (not installed) from /")
    raising(monkeypatch, LookupError())
    assert "please report it with the lines above (skillpack (not installed), Python" in run("check").stderr


def test_a_current_directory_that_is_gone_is_one_line(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> Path:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(Path, "cwd", gone)
    result = run("check")
    assert result.exit_code == 2
    assert result.stderr == "error: the current directory cannot be read (No such file or directory)\n"


def test_a_full_disk_is_one_line(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writing, "put", full)
    result = run("bundle")
    assert result.exit_code == 2
    assert re.fullmatch(r"error: .*skills.py: cannot be written \(No space left on device\)\n", result.stderr)


# ------------------------------------------------------------------ terminals and streams


def main(monkeypatch: pytest.MonkeyPatch, *arguments: str, **streams: TextIO | None) -> int:
    """Run the command line as the installed command does, with other standard streams; return the exit code."""
    monkeypatch.setattr(sys, "argv", ["skillpack", *arguments])
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert isinstance(end.value.code, int)
    return end.value.code


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *arguments: str, stream: str = "stderr") -> str:
    """Return what a run prints when a standard stream is a terminal."""
    reader, writer = pty.openpty()
    with os.fdopen(writer, "w", encoding="utf-8") as terminal:
        main(monkeypatch, *arguments, **{stream: terminal})
    printed = []
    with contextlib.suppress(OSError):  # the end of a terminal is an error to its reader
        while part := os.read(reader, 65536):
            printed.append(part)
    os.close(reader)
    return b"".join(printed).decode()


def test_a_terminal_gets_colour(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    (project / "skills/dance/link").symlink_to("SKILL.md")
    text = on_a_terminal(monkeypatch, "check")
    assert "link: \x1b[31m\x1b[1merror\x1b[0m: \x1b[1msymlink\x1b[0m: " in text
    assert "  \x1b[32mhint\x1b[0m: " in text
    assert re.sub(r"\x1b\[\d+m|\r", "", text) == run("check").stderr
    assert "\x1b[31m\x1b[1merror\x1b[0m: --max-files: " in on_a_terminal(
        monkeypatch, "check", "--max-files", "0"
    )


def test_a_terminal_gets_colour_for_verdicts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    packed()
    assert ": \x1b[32m\x1b[1mgood\x1b[0m\r\n" in on_a_terminal(monkeypatch, "verify", MODULE, stream="stdout")
    damage(project)
    assert ": \x1b[31m\x1b[1mdamaged\x1b[0m\r\n" in on_a_terminal(
        monkeypatch, "verify", MODULE, stream="stdout"
    )


@pytest.mark.parametrize(
    ("name", "value", "colour"), [("NO_COLOR", "1", False), ("NO_COLOR", "", True), ("TERM", "dumb", False)]
)
def test_colour_goes_when_the_environment_says_so(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, colour: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    assert ("\x1b[" in on_a_terminal(monkeypatch, "inspect", "nothing")) is colour


def gone_reader() -> TextIO:
    """Return a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w", encoding="utf-8")


def test_the_verdict_stands_when_the_reader_has_gone(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed()
    for damaged in (False, True):
        with gone_reader() as stdout, gone_reader() as stderr:
            assert main(monkeypatch, "verify", MODULE, stdout=stdout, stderr=stderr) == damaged
        damage(project)


def test_a_result_that_cannot_be_written_is_2(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packed()
    with FULL.open("w", encoding="utf-8") as stdout:
        assert main(monkeypatch, "inspect", MODULE, stdout=stdout) == 2
    assert capsys.readouterr().err == "error: No space left on device\n"


def test_what_is_said_about_a_result_may_be_lost(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FULL.open("w", encoding="utf-8") as stderr:
        assert main(monkeypatch, "check", stderr=stderr) == 0
        assert main(monkeypatch, "check", "--max-files", "1", stderr=stderr) == 1


def test_closed_streams_change_no_verdict(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed()
    assert main(monkeypatch, "verify", MODULE, stdout=None, stderr=None) == 0
    assert main(monkeypatch, "inspect", MODULE, stdout=None, stderr=None) == 0


def test_a_console_that_cannot_show_a_name_gets_an_escape(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    projects.write(project, {"skills/dance/→.md": "x\n"})
    packed()
    buffer = io.BytesIO()
    assert main(monkeypatch, "inspect", MODULE, stdout=io.TextIOWrapper(buffer, encoding="latin-1")) == 0
    assert b"2  \\u2192.md\n" in buffer.getvalue()


def test_arguments_that_are_not_utf_8_are_shown_as_escapes(project: Path) -> None:
    for arguments, place in (
        (["check", "sk\udcff"], "sk\\udcff: error: root-missing"),
        (["inspect", "x\udcff"], "x\\udcff:"),
    ):
        result = run(*arguments)
        assert result.exit_code in {1, 2}
        assert place in result.stderr


# ------------------------------------------------------------------ the program


def python(*code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *code], capture_output=True, text=True, check=False)


def test_a_check_that_is_good_means_that_the_module_can_be_written(project: Path) -> None:
    (project / "skills/dance/film.bin").write_bytes(os.urandom(12 * 2**20))
    result = run("check")
    assert result.exit_code == 1
    assert f"{MODULE}: error: module-too-large: " in result.stderr
    assert run("check", "skills/sing").exit_code == 0


def test_an_interrupt_is_130_and_one_line(project: Path) -> None:
    done = python(
        "-c",
        "import os, signal, sys\n"
        "from skillpack import cli, pipeline\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in the background
        "pipeline.pack = lambda config, **options: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.argv[1:] = ['check']\n"
        "cli.main()",
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")


def test_a_signal_to_end_is_an_exit_and_a_second_one_does_not_stop_the_cleaning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = importlib.import_module("skillpack.cli.program")
    set_up: list[tuple[object, object]] = []
    monkeypatch.setattr(signal, "signal", lambda *given: set_up.append(given))
    with pytest.raises(SystemExit) as end:
        program._terminate(signal.SIGTERM, None)
    assert end.value.code == 143
    assert set_up == [(signal.SIGTERM, signal.SIG_IGN)]


@pytest.mark.parametrize(("place", "named"), [("spool", 0), ("module", 1)])
def test_a_termination_is_143_and_leaves_no_temporary_file(
    project: Path, tmp_path: Path, place: str, named: int
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    before = set(projects.tree(project))
    stop = "os.kill(os.getpid(), signal.SIGTERM)"
    patch = {
        "spool": "store.ContentStore.__init__.__kwdefaults__['memory_bytes'] = 0\n"
        f"pipeline.emit = lambda *_, **__: print(len(os.listdir(os.environ['TMPDIR'])), flush=True) or {stop}\n",
        "module": f"os.fsync = lambda _: print(len(os.listdir('src/agent')) - 1, flush=True) or {stop}\n",
    }[place]
    code = (
        "import os, signal, sys\n"
        "from skillpack import cli, pipeline, write\n"
        "from skillpack.discover import store\n"
        f"{patch}sys.argv[1:] = ['bundle']\ncli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (143, f"{named}\n", "")  # the spool has no name
    assert list(temporary.iterdir()) == []
    assert set(projects.tree(project)) == before


def test_a_termination_that_is_ignored_stays_so(project: Path) -> None:
    done = python(
        "-c",
        "import os, signal, sys\n"
        "from skillpack import cli, pipeline\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "emit = pipeline.emit\n"
        "pipeline.emit = lambda *a: os.kill(os.getpid(), signal.SIGTERM) or emit(*a)\n"
        "sys.argv[1:] = ['check', '-q']\n"
        "cli.main()",
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("module", ["click", "skillpack.cli.packing", "skillpack.pipeline"])
def test_an_interrupt_while_modules_are_imported_is_the_same(module: str, project: Path) -> None:
    done = python(
        "-c",
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Slow:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Slow())\n"
        "from skillpack.__main__ import main\n"
        "sys.argv[1:] = ['bundle']\n"
        "main()",
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 2, "there is not enough memory to start"),
        (
            ImportError("a.so: failed to map segment from shared object"),
            2,
            "there is not enough memory to start",
        ),
    ],
    ids=repr,
)
def test_what_stops_the_program_in_this_process_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    text: str,
) -> None:
    def stopped() -> None:
        raise error

    monkeypatch.setattr(cli, "main", stopped)
    with pytest.raises(SystemExit, match=str(code)):
        importlib.import_module("skillpack.__main__").main()
    assert capsys.readouterr().err == f"error: {text}\n"


def test_an_interrupt_before_a_command_runs_is_the_same(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("skillpack.cli.program.import_module", stopped)
    done = run("bundle")
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "error: interrupted\n")


def test_another_import_that_fails_is_no_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped() -> None:
        raise ImportError("No module named click")

    monkeypatch.setattr(cli, "main", stopped)
    with pytest.raises(ImportError, match="No module named click"):
        importlib.import_module("skillpack.__main__").main()


def test_what_click_cannot_print_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cli.cli, "main", full)
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    assert capsys.readouterr().err == "error: No space left on device\n"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_a_full_disk_is_one_line_for_help_and_version_too(project: Path, arguments: list[str]) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "skillpack", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "error: No space left on device\n")


def test_the_module_is_the_same_program(project: Path) -> None:
    done = python("-m", "skillpack", "check", "--nonsense")
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: skillpack check ")


def test_running_the_module_runs_the_command_line_and_importing_it_does_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["skillpack", "--version"])
    importlib.import_module("skillpack.__main__")
    assert capsys.readouterr().out == ""
    monkeypatch.delitem(sys.modules, "skillpack.__main__")
    with pytest.raises(SystemExit, match="0"):
        runpy.run_module("skillpack", run_name="__main__")
    assert capsys.readouterr().out.startswith("skillpack ")


def test_help_imports_nothing_that_only_packing_needs() -> None:
    done = python(
        "-c", "import sys; from skillpack.cli import cli\ntry: cli(['--help'])\nfinally: print(*sys.modules)"
    )
    names = set(done.stdout.split())
    assert {"skillpack.config", "skillpack.cli.packing"} <= names
    assert not names & {"yaml", "blake3", "skillpack.pipeline", "skillpack.artifact"}


def test_a_command_imports_no_other() -> None:
    done = python(
        "-c", "import sys; from skillpack.cli import cli\ntry: cli(['schema'])\nfinally: print(*sys.modules)"
    )
    names = set(done.stdout.split())
    assert {name for name in names if name.startswith("skillpack.cli.")} == {
        f"skillpack.cli.{name}" for name in ("console", "outcome", "program", "schema")
    }


def test_every_command_is_where_the_program_looks_for_it() -> None:
    context = click.Context(cli.cli)
    assert cli.cli.list_commands(context) == sorted(program.COMMANDS)
    for name in program.COMMANDS:
        command = cli.cli.get_command(context, name)
        assert command is not None
        assert command.name == name
    assert cli.cli.get_command(context, "program") is None


@pytest.mark.parametrize("home", ["skills/dance/cache", "skills", "cache"])
def test_a_cache_among_the_skills_is_refused(
    home: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLPACK_CACHE_DIR", home)
    for command in ("bundle", "check"):
        done = run(command)
        if home == "cache":
            assert done.exit_code == 0
            continue
        assert done.exit_code == 2
        assert done.stderr == (
            f"error: the cache directory {home} lies in the skills root skills, and would be packed; "
            "set SKILLPACK_CACHE_DIR to another directory, or to /dev/null to do without\n"
        )
        assert run(command, "--no-cache").exit_code == 0
    assert (project / "cache").exists() is (home == "cache")


def test_a_cache_directory_that_is_a_link_to_itself_is_none(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "loop").symlink_to("loop")
    monkeypatch.setenv("SKILLPACK_CACHE_DIR", "loop/cache")
    assert run("bundle").exit_code == 0
