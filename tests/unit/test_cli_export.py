"""`skillpack export`: from sources and artifacts, to standard output, files and directories."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from skillpack import cli
from skillpack.export import formats
from skillpack.export.formats import FORMATS
from support import projects, tokens
from support.archives import make_zip
from support.bundles import make_bundle, skill_md
from support.emitted import emitted, executed

if TYPE_CHECKING:
    from click.testing import Result

MODULE = "src/agent/skills.py"
DOCUMENTS = [name for name, form in FORMATS.items() if not form.is_directory]
DIRECTORIES = [name for name, form in FORMATS.items() if form.is_directory]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two skills, which is the current directory."""
    root = projects.write(tmp_path / "project", projects.agent())
    monkeypatch.chdir(root)
    return root


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.cli, ["export", *arguments], prog_name="skillpack")


def bundled() -> None:
    result = CliRunner().invoke(cli.cli, ["bundle", "-q"])
    assert result.exit_code == 0, result.output


def found(place: Path) -> dict[str, tuple[bytes, bool]]:
    return {
        path.relative_to(place).as_posix(): (path.read_bytes(), bool(path.stat().st_mode & 0o111))
        for path in place.rglob("*")
        if path.is_file()
    }


# ------------------------------------------------------------------ formats, sources, places


def test_help_has_all_formats_their_kind_and_examples() -> None:
    text = run("--help").stdout
    for name, form in FORMATS.items():
        star = r"\*" if form.is_directory else " "
        assert form.about in text
        assert re.search(rf"(?m)^ +{name} +{star} {re.escape(form.about[:20])}", text)
    assert "Examples:\n    skillpack export mcp" in text


@pytest.mark.parametrize("form", FORMATS)
def test_sources_module_and_wheel_give_the_same_bytes(project: Path, form: str) -> None:
    bundled()
    bundle = executed((project / MODULE).read_bytes())
    make_zip(project / "agent-1-py3-none-any.whl", {"agent/skills.py": (project / MODULE).read_bytes()})
    sources: list[list[str]] = [
        [],
        ["skills"],
        ["skills/dance", "skills/sing"],
        [MODULE],
        ["agent-1-py3-none-any.whl"],
    ]
    for number, source in enumerate(sources):
        place = project / f"out-{number}"
        result = run(form, *source, "-o", str(place))
        assert result.exit_code == 0, result.output
        assert result.stdout == ""
        assert f"exported {form} to {place}, from 2 skills, 5 files, {bundle.digest[:19]}\n" in result.stderr
        if FORMATS[form].is_directory:
            assert found(place) == {
                path: (data, executable) for path, data, executable in formats.files(form, bundle)
            }
        else:
            assert place.read_bytes() == formats.document(form, bundle)


@pytest.mark.parametrize("form", DOCUMENTS)
def test_a_document_goes_to_standard_output_alone_unless_a_file_is_named(project: Path, form: str) -> None:
    bundled()
    expected = formats.document(form, executed((project / MODULE).read_bytes()))
    for arguments in ([], ["-o", "-"]):
        result = run(form, *arguments)
        assert (result.exit_code, result.stdout_bytes) == (0, expected)
        assert result.stderr.startswith(f"exported {form}, from 2 skills, 5 files, sha256:")
    assert run(form, "-q").stderr == ""


@pytest.mark.parametrize("form", DIRECTORIES)
def test_a_directory_has_to_be_named(project: Path, form: str) -> None:
    for arguments in ([], ["-o", "-"]):
        result = run(form, *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{form} is a directory: say which with -o" in result.stderr


def test_nothing_is_overwritten(project: Path) -> None:
    before = projects.tree(project)
    for arguments in (
        ["zip", "-o", "skills"],
        ["zip", "-o", "pyproject.toml"],
        ["mcp", "-o", "pyproject.toml"],
    ):
        result = run(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"error: {arguments[-1]}: ")
    (project / "full").mkdir()
    (project / "full/mine").write_bytes(b"")
    result = run("directory", "-o", "full")
    assert result.stderr == (
        "error: full: is not empty, and an export overwrites nothing; remove it, or name another place\n"
    )
    (project / "full/mine").unlink()
    (project / "full").rmdir()
    assert {path: held[2] for path, held in projects.tree(project).items()} == {
        path: held[2] for path, held in before.items()
    }


@pytest.mark.parametrize("form", ["zip", "mcp"])
def test_a_place_that_is_taken_is_told_before_any_skill_is_read(project: Path, form: str) -> None:
    projects.write(project, {"skills/sing/.env": "A=b\n"})
    result = run(form, "-o", "pyproject.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: pyproject.toml: exists")
    assert result.stderr.count("\n") == 1


def test_nothing_is_written_into_a_skills_root(project: Path) -> None:
    for arguments in (["directory", "-o", "skills/out"], ["mcp", "-o", "src/../skills/a.json"]):
        result = run(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "lies in the skills root skills, and would be packed from there" in result.stderr
    assert not (project / "skills/out").exists()


@pytest.mark.parametrize(
    ("link", "target", "place"), [("out", "skills", "out/x"), ("link", "here", "link/skills/x")]
)
def test_nor_through_a_link(project: Path, link: str, target: str, place: str) -> None:
    (project / "here").symlink_to(".")
    (project / link).symlink_to(target)
    result = run("directory", "-o", place)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {place}: lies in the skills root skills, and would be packed")
    assert not (project / "skills/x").exists()


def test_a_link_to_itself_is_told_as_a_place_that_cannot_be_written(project: Path) -> None:
    (project / "loop").symlink_to("loop")
    result = run("mcp", "-o", "loop/skills.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: loop")
    assert result.stderr.count("\n") == 1


def test_what_is_exported_as_a_directory_packs_to_the_same_digest(project: Path) -> None:
    bundled()
    expected = executed((project / MODULE).read_bytes())
    assert run("directory", MODULE, "-o", "restored").exit_code == 0
    assert (project / "restored/sing/scripts/hum.sh").stat().st_mode & 0o777 == 0o755
    result = run("manifest", "restored")
    assert json.loads(result.stdout) == expected.manifest


def test_sums_are_checked_by_the_program_of_that_name(project: Path) -> None:
    sums = run("sha256sums").stdout_bytes
    done = subprocess.run(
        ["sha256sum", "--strict", "-c"], cwd=project / "skills", input=sums, capture_output=True, check=True
    )
    assert done.stdout.count(b": OK\n") == 5


def test_the_name_of_a_module_is_answered_with_its_path_being_wanted(project: Path) -> None:
    result = run("mcp", "myagent.skills")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: myagent.skills: there is no such file or directory; name a module by its path, not as it is imported\n"
    )


# ------------------------------------------------------------------ which skills


@pytest.mark.parametrize("source", ["skills", MODULE])
def test_select_takes_some_skills_of_sources_and_of_artifacts(project: Path, source: str) -> None:
    bundled()
    result = run("manifest", source, "--select", "d*")
    assert [skill["name"] for skill in json.loads(result.stdout)["skills"]] == ["dance"]
    assert "exported manifest, from 1 skill, 2 files" in result.stderr


def test_a_pattern_that_chooses_nothing_of_an_artifact_is_an_error(project: Path) -> None:
    bundled()
    result = run("manifest", MODULE, "--select", "x*")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {MODULE}: --select chooses none of its skills: dance, sing\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mpc"], 'no such format "mpc"; did you mean "mcp"?'),
        (["zzz"], f'no such format "zzz"; there are {", ".join(FORMATS)}'),
        (["mcp", MODULE, "--exclude", "x"], "only --select goes with it"),
        (["mcp", MODULE, "--max-files", "0"], "only --select goes with it"),
        (["mcp", MODULE, "--strict"], "only --select goes with it"),
        (["mcp", MODULE, "--rule", "bom=off"], "only --select goes with it"),
        (["mcp", MODULE, "skills"], "an artifact is exported by itself: give one SOURCE"),
        (["mcp", "skills", "--module", "a"], "--module is for artifacts, and these are skills"),
        (["mcp", "--strict", "--lenient"], "exclude each other"),
        ([], "Missing argument 'FORMAT'"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_a_usage_error(project: Path, arguments: list[str], message: str) -> None:
    bundled()
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_module_of_several_is_named(project: Path) -> None:
    bundled()
    other = emitted(make_bundle({"solo": {"SKILL.md": skill_md("solo")}}))
    make_zip(project / "a.zip", {"a/skills.py": (project / MODULE).read_bytes(), "b/skills.py": other})
    result = run("manifest", "a.zip")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "say which with --module: a/skills.py, b/skills.py" in result.stderr
    assert "exported manifest, from 1 skill" in run("manifest", "a.zip", "--module", "b/skills.py").stderr


def test_the_shell_completes_formats_and_tells_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def complete(shell: str, typed: str) -> str:
        monkeypatch.setenv("_SKILLPACK_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", f"skillpack export {typed}")
        monkeypatch.setenv("COMP_CWORD", "2")
        return CliRunner().invoke(cli.cli, [], prog_name="skillpack").stdout

    assert complete("bash", "m").split() == ["plain,mcp", "plain,manifest"]
    assert complete("zsh", "zip").splitlines() == ["plain", "zip", FORMATS["zip"].about]


# ------------------------------------------------------------------ refusals


def test_skills_that_would_not_be_packed_are_not_exported(project: Path) -> None:
    projects.write(project, {"skills/sing/.env": "A=b\n"})
    result = run("zip", "-o", "out")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "skills/sing/.env: error: secret-name" in result.stderr
    assert not (project / "out").exists()
    assert run("manifest", "--exclude", ".env").exit_code == 0


def test_a_damaged_artifact_is_refused_with_one_message_and_nothing_is_written(project: Path) -> None:
    bundled()
    path = project / MODULE
    path.write_bytes(path.read_bytes().replace(b"Take your time.", b"Take my money!!"))
    for arguments in (["directory", MODULE, "-o", "out"], ["mcp", MODULE]):
        result = run(*arguments)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith(f"error: {MODULE}")
        assert result.stderr.count("\n") == 1
    assert not (project / "out").exists()


def test_a_hostile_artifact_that_holds_together_is_refused_by_its_names(project: Path) -> None:
    hostile = emitted(make_bundle({"x": {"SKILL.md": skill_md("x"), "a\\..\\b": b"!"}}))
    (project / "hostile.py").write_bytes(hostile)
    assert CliRunner().invoke(cli.cli, ["verify", "hostile.py"]).exit_code == 0
    result = run("directory", "hostile.py", "-o", "out")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: directory: skill 'x': not a relative POSIX path: 'a\\\\..\\\\b'\n"
    assert not (project / "out").exists()


def test_an_artifact_that_is_not_there_or_is_none(project: Path) -> None:
    missing, text = run("mcp", "dist/a.whl"), run("mcp", "pyproject.toml")
    assert (missing.exit_code, missing.stderr) == (
        2,
        "error: dist/a.whl: there is no such file or directory\n",
    )
    assert text.exit_code == 1
    assert "pyproject.toml: neither a module that skillpack wrote" in text.stderr


def test_faults_of_a_format_are_told_all_at_once_with_exit_code_1(project: Path) -> None:
    facet = "metadata:\n  skill.tools: v/ops/read\n  skill.budget: many\n"
    projects.write(
        project, {"skills/sing/SKILL.md": f"---\nname: sing\ndescription: Sing.\n{facet}---\n\nSing.\n"}
    )
    result = run("assets", "-o", "out")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "error: assets: skill 'sing': metadata skill.tools: it cannot be read as JSON\n"
        "error: assets: skill 'sing': metadata skill.budget: it has to be a whole number above 0, in digits\n"
    )
    assert not (project / "out").exists()


def test_hidden_skills_are_left_out_of_what_offers_all_and_told(project: Path) -> None:
    hush = "---\nname: hush\ndescription: Hush.\nhide: true\n---\n\nHush.\n"
    projects.write(project, {"skills/hush/SKILL.md": hush})
    result = run("packaged-json")
    assert [skill["name"] for skill in json.loads(result.stdout)] == ["dance", "sing"]
    assert (
        "note: these skills are hidden and left out, since readers of packaged-json offer all that it holds "
        "(--hidden takes them in): hush\n" in result.stderr
    )
    all_of_them = run("packaged-json", "--hidden")
    assert [skill["name"] for skill in json.loads(all_of_them.stdout)] == ["dance", "hush", "sing"]
    assert "note:" not in all_of_them.stderr
    assert "hush" in run("mcp").stdout


# ------------------------------------------------------------------ bytes


def test_a_document_is_not_redacted(project: Path) -> None:
    secret = tokens.example("github-token").secret.decode()
    bundle = make_bundle({"x": {"SKILL.md": skill_md("x", f"Use {secret}")}})
    (project / "other.py").write_bytes(emitted(bundle))
    assert json.loads(run("mcp", "other.py").stdout)[0]["frontmatter"]["description"] == f"Use {secret}"


def test_a_reader_that_has_gone_and_a_full_disk(project: Path) -> None:
    command = f"{sys.executable} -m skillpack export packaged-json"
    gone = subprocess.run(
        ["bash", "-c", f"{command} | head -c 10; exit ${{PIPESTATUS[0]}}"], capture_output=True, check=False
    )
    assert (gone.returncode, gone.stdout) == (0, b'[{"descrip')
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command.split(), stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"error: No space left on device\n")


def test_zips_are_the_same_on_every_run(project: Path) -> None:
    digests = set()
    for place in ("a", "b"):
        (project / "skills/sing/SKILL.md").touch()
        assert run("zip", "-o", place).exit_code == 0
        data = (project / place / "sing.zip").read_bytes()
        digests.add(hashlib.sha256(data).hexdigest())
        with zipfile.ZipFile(project / place / "sing.zip") as archive:
            assert archive.namelist() == ["sing/SKILL.md", "sing/references/notes.md", "sing/scripts/hum.sh"]
    assert len(digests) == 1
