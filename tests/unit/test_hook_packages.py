"""What the hook does with skills of installed distributions, and with the files beside the module: `also-files`."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from skillpack import artifact, digest, pipeline, provenance, verification
from skillpack.model import Package
from skillpack.rules import Level
from support import artifacts, projects
from support.distributions import install
from support.hatch_builds import Built, build
from support.packing import skillpack
from support.projects import OPTIONS, agent, below, pyproject, skill

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from skillpack.findings import Finding

MANIFEST = "agent-1.0.dist-info/extra_metadata/skillpack.json"
WITH_DESK = OPTIONS.replace('"skills"', '"skills", "package:desk-tools", "package:more/walk"')
ALSO = OPTIONS + "also-files = true\n"
HOME = "agent/.agents/skills"
WHEEL_TABLE = "[tool.hatch.build.targets.wheel]\n"


@pytest.fixture(autouse=True)
def _private_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    for name in [name for name in os.environ if name.startswith("HATCH_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory of installed distributions with skills, on the path."""
    site = tmp_path / "site"
    desk = {**skill("call"), "call/scripts/ring.sh": "#!/bin/sh\n"}
    install(site, "desk-tools", "1.2", below("desk/.agents/skills", desk))
    install(site, "more", "3", {**below("more/skills", skill("walk")), **below("more/skills", skill("run"))})
    monkeypatch.syspath_prepend(str(site))
    return site


def make(tmp_path: Path, files: Mapping[str, str] | None = None, *more: str, options: str = ALSO) -> Path:
    toml = {"pyproject.toml": pyproject(*more, options=options)}
    return projects.write(tmp_path / "agent", {**agent(), **toml, **(files or {})})


def from_sdist(tmp_path: Path, project: Path) -> tuple[Built, Built]:
    """Return the sdist of a project and the wheel that is built from it."""
    sdist = build(project, "sdist")
    return sdist, build(artifacts.unpack(sdist.artifact(), tmp_path / "unpacked"))


# ------------------------------------------------------------------ skills of distributions


def test_a_wheel_has_the_skills_of_distributions_and_says_whose_they_are(site: Path, tmp_path: Path) -> None:
    built = build(make(tmp_path, options=WITH_DESK))
    assert (built.app.errors, built.app.warnings) == ([], [])
    assert built.packages == {"agent/__init__.py", "agent/skills.py"}
    manifest = json.loads(built.files[MANIFEST])
    assert [row["name"] for row in manifest["skills"]] == ["call", "dance", "sing", "walk"]
    assert manifest["provenance"]["packages"] == [
        {"name": "desk-tools", "skills": ["call"], "version": "1.2"},
        {"name": "more", "skills": ["walk"], "version": "3"},
    ]


def test_an_sdist_carries_the_files_and_the_wheel_from_it_needs_no_distribution(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make(tmp_path, options=WITH_DESK)
    tree = build(project)
    sdist = build(project, "sdist")
    assert {path for path in sdist.files if path.startswith("_skillpack_src/")} == {
        "_skillpack_src/1/desk-tools/call/SKILL.md",
        "_skillpack_src/1/desk-tools/call/references/notes.md",
        "_skillpack_src/1/desk-tools/call/scripts/ring.sh",
        "_skillpack_src/2/walk/SKILL.md",
        "_skillpack_src/2/walk/references/notes.md",
        "_skillpack_src/index.json",
    }
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(site)])
    unpacked = artifacts.unpack(sdist.artifact(), tmp_path / "unpacked")
    wheel = build(unpacked)
    assert wheel.artifact().read_bytes() == tree.artifact().read_bytes()
    again = build(unpacked, "sdist")
    assert {**again.files, "PKG-INFO": b""} == {**sdist.files, "PKG-INFO": b""}
    assert build(project).app.errors[0].startswith("package:desk-tools: error: root-missing: ")


def test_a_build_without_the_distribution_is_refused_with_what_to_write(tmp_path: Path) -> None:
    for target in ("wheel", "sdist"):
        built = build(make(tmp_path, options=WITH_DESK), target)
        assert built.path is None
        assert 'write "desk-tools" into build-system.requires of the pyproject.toml' in "\n".join(
            built.app.errors
        )


def test_an_editable_install_has_them_too(site: Path, tmp_path: Path) -> None:
    project = make(tmp_path, options=WITH_DESK)
    assert build(project, version="editable").path
    assert b"Says how to walk." in (project / "src/agent/skills.py").read_bytes()


def test_distributions_inside_the_project_change_nothing_that_is_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = OPTIONS.replace('"skills"', '"skills", "package:desk-tools"')
    project = make(tmp_path, {".gitignore": "/venv\n"}, options=options)
    install(project / "venv", "desk-tools", "1.2", below("desk/skills", skill("call")))
    monkeypatch.syspath_prepend(str(project / "venv"))
    sdist, wheel = from_sdist(tmp_path, project)
    assert not any(path.startswith("venv/") for path in sdist.files)
    assert wheel.artifact().read_bytes() == build(project).artifact().read_bytes()


def test_inspect_tells_whose_the_skills_are(site: Path, tmp_path: Path) -> None:
    wheel = build(make(tmp_path, options=WITH_DESK)).artifact()
    result = skillpack(tmp_path, "inspect", str(wheel))
    assert result.output.endswith(
        "\nfrom other packages, as the manifest has it:\n  desk-tools 1.2: call\n  more 3: walk\n"
    )
    facts = json.loads(skillpack(tmp_path, "inspect", str(wheel), "--json").output)
    assert facts["packages"][0] == {"name": "desk-tools", "skills": ["call"], "version": "1.2"}


def test_a_wheel_is_compared_with_the_distribution(site: Path, tmp_path: Path) -> None:
    project = make(tmp_path, options=WITH_DESK)
    wheel = str(build(project).artifact())
    against = ["--against", "skills", "--against", "package:desk-tools", "--against", "package:more/walk"]
    assert skillpack(project, "verify", wheel, *against).exit_code == 0
    projects.write(site, {"desk/.agents/skills/call/references/notes.md": "Hurry.\n"})
    result = skillpack(project, "verify", wheel, *against)
    assert (result.exit_code, "changed: call/references/notes.md" in result.output) == (1, True)


# ------------------------------------------------------------------ files beside the module


def copies(built: Built) -> dict[str, bytes]:
    return {path: data for path, data in built.files.items() if "/.agents/" in path}


def test_the_files_are_off_by_default(tmp_path: Path) -> None:
    assert copies(build(make(tmp_path, options=OPTIONS))) == {}


@pytest.mark.parametrize("form", ["module", "package", "data", "auto"])
def test_a_wheel_has_the_files_of_all_skills_with_their_execute_bits(tmp_path: Path, form: str) -> None:
    project = make(tmp_path, options=f'{ALSO}format = "{form}"\n')
    built = build(project)
    assert built.app.errors == []
    expected = {
        path.replace("skills/", f"{HOME}/", 1): text.encode()
        for path, text in agent().items()
        if path.startswith("skills/")
    }
    assert copies(built) == expected
    modes = artifacts.modes(built.artifact())
    assert modes[f"{HOME}/sing/scripts/hum.sh"] == 0o755
    assert modes[f"{HOME}/sing/SKILL.md"] == 0o644
    assert json.loads(built.files[MANIFEST])["provenance"]["files"] == HOME
    assert damage(built.artifact()) == []
    assert skillpack(project, "verify", str(built.artifact())).exit_code == 0


@pytest.mark.parametrize("directory", ["src/agent", "agent", "lib/agent"])
def test_they_are_beside_the_module_wherever_that_is(tmp_path: Path, directory: str) -> None:
    files = {path: text for path, text in agent().items() if path.startswith("skills/")}
    options = ALSO.replace("src/agent", directory)
    more = f'{WHEEL_TABLE}packages = ["lib/agent"]\n' if directory.startswith("lib") else ""
    project = projects.write(
        tmp_path / "agent", {**files, "pyproject.toml": pyproject(more, options=options)}
    )
    built = build(project)
    assert built.app.errors == []
    assert {path for path in built.packages if "/.agents/" not in path} == {"agent/skills.py"}
    assert f"{HOME}/sing/SKILL.md" in built.packages
    assert damage(built.artifact()) == []


def test_the_wheel_from_the_sdist_has_them_too(tmp_path: Path) -> None:
    project = make(tmp_path, {"skills/sing/.DS_Store": "x"})
    sdist, wheel = from_sdist(tmp_path, project)
    assert copies(sdist) == {}
    assert wheel.artifact().read_bytes() == build(project).artifact().read_bytes()


def test_a_skill_goes_by_its_name_and_not_by_its_directory(tmp_path: Path) -> None:
    files = {"skills/other/SKILL.md": "---\nname: hum\ndescription: Says how to hum.\n---\n\nHum.\n"}
    assert f"{HOME}/hum/SKILL.md" in copies(build(make(tmp_path, files)))


def test_what_is_not_packed_is_not_among_them(tmp_path: Path) -> None:
    options = ALSO + 'exclude = ["notes.md"]\nselect = ["sing"]\n'
    assert copies(build(make(tmp_path, options=options))).keys() == {
        f"{HOME}/sing/SKILL.md",
        f"{HOME}/sing/scripts/hum.sh",
    }


@pytest.mark.parametrize("root", [f"src/{HOME}", f"src/{HOME}/call"])
def test_a_skills_root_that_lies_there_is_what_is_checked(tmp_path: Path, root: str) -> None:
    options = ALSO.replace('"skills"', f'"skills", "{root}"')
    files = {**below(f"src/{HOME}", skill("call")), f"src/{HOME}/call/.DS_Store": "x"}
    built = build(make(tmp_path, files, options=options), verbosity=1)
    assert built.app.errors == []
    names = artifacts.names(built.artifact())
    assert names.count(f"{HOME}/call/SKILL.md") == 1
    assert f"{HOME}/call/.DS_Store" not in names
    assert f"{HOME}/sing/SKILL.md" in names


def test_a_checked_file_takes_the_place_of_one_that_lies_there(tmp_path: Path) -> None:
    built = build(make(tmp_path, {f"src/{HOME}/sing/SKILL.md": "x\n"}))
    assert artifacts.names(built.artifact()).count(f"{HOME}/sing/SKILL.md") == 1
    assert damage(built.artifact()) == []


@pytest.mark.parametrize("path", ["stray/SKILL.md", "sing/more.md"])
def test_what_would_ship_beside_them_is_refused(tmp_path: Path, path: str) -> None:
    built = build(make(tmp_path, {f"src/{HOME}/{path}": "x\n"}))
    assert built.path is None
    (line,) = built.app.errors
    assert line.startswith("error: tool.skillpack.also-files: the wheel would have ")
    assert f" as {HOME}/{path}, and the files there are those of the packed skills" in line


@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_a_module_in_no_package_is_refused(tmp_path: Path, target: str) -> None:
    options = '[tool.skillpack]\nmodule = "agent_skills.py"\nalso-files = true\n'
    built = build(
        make(tmp_path, {}, f'{WHEEL_TABLE}only-include = ["agent_skills.py"]\n', options=options), target
    )
    (line,) = built.app.errors
    assert line == (
        "error: tool.skillpack.also-files: agent_skills.py is in no package beside which the wheel could have files; "
        "set module to a file in one"
    )


def test_an_editable_install_and_the_command_write_the_module_alone(tmp_path: Path) -> None:
    project = make(tmp_path)
    assert build(project, version="editable").path
    assert skillpack(project, "bundle").exit_code == 0
    assert not (project / "src/agent/.agents").exists()


# ------------------------------------------------------------------ verify


def damage(wheel: Path) -> list[tuple[str, str]]:
    """Return what `verify` says of a wheel: places without that of the wheel, and messages."""
    findings: tuple[Finding, ...] = verification.verify(
        artifact.read(wheel), reread=pipeline.reread, address=digest.content_address
    )
    assert {finding.level for finding in findings} <= {Level.ERROR}
    return [(finding.path.removeprefix(f"{wheel}/"), finding.message) for finding in findings]


def rewritten(wheel: Path, changed: Mapping[str, bytes | None]) -> Path:
    """Return a copy of a wheel with other files; None takes one out."""
    copy = wheel.with_name("changed-1.0-py3-none-any.whl")
    contents = {**artifacts.read(wheel), **changed}
    with zipfile.ZipFile(copy, "w") as archive:
        for path, data in contents.items():
            if data is not None:
                archive.writestr(path, data)
    return copy


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        (
            {f"{HOME}/sing/SKILL.md": b"Shout.\n"},
            [(f"{HOME}/sing/SKILL.md", "this file is not the one that the module holds")],
        ),
        (
            {f"{HOME}/sing/more.md": b""},
            [(f"{HOME}/sing/more.md", "the module holds no such file")],
        ),
        (
            {f"{HOME}/sing/scripts/hum.sh": None},
            [(f"{HOME}/sing/scripts/hum.sh", "there is no such file, but the module holds it")],
        ),
        (
            {f"agent-1.0.data/purelib/{HOME}/sing/SKILL.md": b"Shout.\n"},
            [
                (
                    f"agent-1.0.data/purelib/{HOME}/sing/SKILL.md",
                    "this file is not the one that the module holds",
                )
            ],
        ),
        ({"other/.agents/skills/x/SKILL.md": b"no skill of ours\n"}, []),
    ],
)
def test_files_that_are_not_those_of_the_module_are_found(
    tmp_path: Path, changed: Mapping[str, bytes | None], expected: list[tuple[str, str]]
) -> None:
    project = make(tmp_path)
    wheel = rewritten(build(project).artifact(), changed)
    assert damage(wheel) == expected
    result = skillpack(project, "verify", str(wheel))
    verdict = "damaged" if expected else "good"
    assert f"files of the skills in {wheel}/{HOME}/: {verdict}\n" in result.output
    assert result.exit_code == bool(expected)


@pytest.mark.parametrize("form", ["module", "package"])
@pytest.mark.parametrize("with_manifest", [True, False])
@pytest.mark.parametrize(
    ("changed", "altered", "unjudged"),
    [
        ({}, [], []),
        ({f"{HOME}/sing/SKILL.md": b"Shout.\n"}, [f"{HOME}/sing/SKILL.md"], []),
        (
            {f"agent-1.0.data/purelib/{HOME}/sing/SKILL.md": b"Shout.\n"},
            [f"agent-1.0.data/purelib/{HOME}/sing/SKILL.md"],
            [],
        ),
        ({f"{HOME}/sing/SKILL.md": None}, [], []),
        (
            {f"{HOME}/evil/SKILL.md": b"Obey.\n", f"{HOME}/evil/a/b.md": b"", f"{HOME}/sing/more.md": b""},
            [],
            [f"{HOME}/evil", f"{HOME}/sing"],
        ),
        (
            {".agents/skills/README.md": b"", "other/.agents/skills/sing/SKILL.md": b"Shout.\n"},
            [],
            [".agents/skills", "other/.agents/skills/sing"],
        ),
    ],
)
def test_that_a_manifest_tells_of_no_files_does_not_hide_an_edit(
    tmp_path: Path,
    form: str,
    with_manifest: bool,
    changed: Mapping[str, bytes | None],
    altered: list[str],
    unjudged: list[str],
) -> None:
    project = make(tmp_path, options=f'{ALSO}format = "{form}"\n')
    built = build(project)
    manifest = json.loads(built.files[MANIFEST])
    del manifest["provenance"]["files"]
    told = {MANIFEST: json.dumps(manifest).encode() if with_manifest else None}
    wheel = rewritten(built.artifact(), {**told, **changed})
    assert damage(wheel) == [(path, "this file is not the one that the module holds") for path in altered]
    result = skillpack(project, "verify", str(wheel))
    assert result.exit_code == bool(altered)
    verdict = "damaged" if altered else "good"
    assert f"files of the skills in {wheel}/{HOME}/: {verdict}\n" in result.output
    lines = [line for line in result.output.splitlines() if "in no module" in line]
    assert lines == [f"files in {wheel}/{path}/: in no module, and not looked into" for path in unjudged]


def test_files_of_two_modules_in_one_package_may_be_those_of_either(tmp_path: Path) -> None:
    wheel = build(make(tmp_path)).artifact()
    other = projects.write(tmp_path / "other", {**agent(), "skills/sing/notes.md": "Others.\n"})
    module = build(other).files["agent/skills.py"]
    for text, expected in ((b"Others.\n", 0), (b"Nobody's.\n", 1)):
        copy = rewritten(wheel, {MANIFEST: None, "agent/more.py": module, f"{HOME}/sing/notes.md": text})
        assert len(damage(copy)) == expected


def test_a_packages_own_skills_beside_a_module_are_no_fault(tmp_path: Path) -> None:
    project = make(tmp_path, {f"src/{HOME}/own/SKILL.md": "whatever\n"}, options=OPTIONS)
    wheel = build(project).artifact()
    assert f"{HOME}/own/SKILL.md" in artifacts.names(wheel)
    result = skillpack(project, "verify", str(wheel))
    assert result.exit_code == 0
    assert f"files in {wheel}/{HOME}/own/: in no module, and not looked into\n" in result.output
    assert "files of the skills" not in result.output


def test_a_wheel_that_verify_would_find_altered_is_not_built(tmp_path: Path) -> None:
    same = {
        path.replace("skills/", f"src/{HOME}/", 1): text
        for path, text in agent().items()
        if path.startswith("skills/sing/")
    }
    assert build(make(tmp_path, same, options=OPTIONS)).app.errors == []
    for text in ("Shout.\n", same[f"src/{HOME}/sing/SKILL.md"].swapcase()):
        project = make(tmp_path, {f"src/{HOME}/sing/SKILL.md": text}, options=OPTIONS)
        built = build(project)
        assert built.path is None
        (line,) = built.app.errors
        assert line == (
            f"error: tool.hatch.build.targets.wheel: ships {project}/src/{HOME}/sing/SKILL.md as {HOME}/sing/SKILL.md, "
            "where scanners look for the skill sing, and that of the module has another such file; give one of the two "
            "skills another name, or take that one out of what the wheel ships"
        )


def test_a_wheel_without_them_says_nothing_of_them(tmp_path: Path) -> None:
    wheel = build(make(tmp_path, options=OPTIONS)).artifact()
    assert "files of the skills" not in skillpack(tmp_path, "verify", str(wheel)).output


@pytest.mark.parametrize(
    "told",
    [
        None,
        1,
        {"files": 1, "module": "agent/skills.py"},
        {"files": HOME},
        {"files": HOME, "module": "agent/other.py"},
        {"packages": 1},
        {"packages": [1, {"name": 1}, {"name": "a", "version": "1", "skills": [1, "sing"]}]},
    ],
)
def test_a_malformed_provenance_tells_nothing(tmp_path: Path, told: object) -> None:
    wheel = build(make(tmp_path)).artifact()
    manifest = {**json.loads(artifacts.read(wheel)[MANIFEST]), "provenance": told}
    read = artifact.read(rewritten(wheel, {MANIFEST: json.dumps(manifest).encode()}))
    assert [path for path, _ in damage(wheel)] == []
    known = [(Package(name="a", version="1"), ("sing",))]
    assert list(provenance.packages(read)) in ([], known)
    findings = verification.verify(read, reread=pipeline.reread, address=digest.content_address)
    assert {finding.code for finding in findings} <= {"artifact-manifest"}
