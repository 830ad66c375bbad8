"""Skills of a real distribution, fastapi: packed by real builds, through an sdist, and seen where they are installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from skillpack import artifact, digest, pipeline, verification
from support import artifacts, projects, readers, wheelhouse
from support.front_ends import UV, FrontEnd
from support.packing import pack
from support.projects import OPTIONS, PACKAGE, PROJECT, agent, below, pyproject, skill
from support.wheelhouse import WHEELS_WITH_SKILLS

if TYPE_CHECKING:
    from pathlib import Path

    from support.front_ends import Run, Workshop

FASTAPI = f"fastapi=={WHEELS_WITH_SKILLS['fastapi']}"
REQUIRES = f"""[build-system]
requires = ["hatchling", "skillpack", "{FASTAPI}"]
build-backend = "hatchling.build"
"""
ENTRY_POINT = """[project.entry-points."skillpack.bundles"]
{0} = "{0}.skills:bundle"
"""
HOME = "agent/.agents/skills"


@pytest.fixture(scope="module")
def with_fastapi(tmp_path_factory: pytest.TempPathFactory, wheels: Path, workshop: Workshop) -> Workshop:
    """Return the workshop with fastapi and what it needs among the wheels that its children install from."""
    folder = tmp_path_factory.mktemp("with-fastapi") / "wheels"
    shutil.copytree(wheels, folder)
    for wheel in wheelhouse.download([FASTAPI]).iterdir():
        shutil.copy(wheel, folder)
    return workshop.varied(PIP_FIND_LINKS=str(folder), UV_FIND_LINKS=str(folder))


@pytest.fixture(scope="module")
def beside_fastapi(tmp_path_factory: pytest.TempPathFactory, with_fastapi: Workshop) -> Workshop:
    """Return the workshop as an environment in which fastapi is installed."""
    site = tmp_path_factory.mktemp("beside-fastapi") / "site"
    install = (UV, "pip", "install", "--no-deps", "--link-mode", "copy", "--target", site, FASTAPI)
    assert_good(with_fastapi.run(*install, "--python", with_fastapi.python))
    return with_fastapi.varied(PYTHONPATH=str(site))


def assert_good(run: Run) -> None:
    assert run.code == 0, run.output


def make(directory: Path, *, build_system: str = REQUIRES) -> Path:
    options = OPTIONS.replace('"skills"', '"skills", "package:fastapi"') + "also-files = true\n"
    toml = pyproject(ENTRY_POINT.format("agent"), build_system=build_system, options=options)
    return projects.write(directory / "agent", {**agent(), "pyproject.toml": toml})


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, with_fastapi: Workshop) -> Path:
    """Return the wheel that pip builds in isolation."""
    directory = tmp_path_factory.mktemp("built")
    pip = FrontEnd(name="pip", workshop=with_fastapi, isolated=True)
    return pip.wheel(make(directory), directory / "dist").artifact()


def manifest(wheel: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        artifacts.read(wheel)["agent-1.0.dist-info/extra_metadata/skillpack.json"]
    )
    return found


# ------------------------------------------------------------------ builds


def test_a_wheel_has_the_skills_and_says_whose_they_are(built: Path, with_fastapi: Workshop) -> None:
    found = manifest(built)
    assert found["provenance"] == {
        "files": HOME,
        "module": "agent/skills.py",
        "packages": [{"name": "fastapi", "skills": ["fastapi"], "version": WHEELS_WITH_SKILLS["fastapi"]}],
    }
    assert_good(with_fastapi.skillpack("verify", built))
    assert "\n  fastapi 0.165.0: fastapi\n" in with_fastapi.skillpack("inspect", built).output


@pytest.mark.parametrize("name", ["build", "uv"])
def test_isolated_builds_give_the_same_wheel(
    name: str, built: Path, with_fastapi: Workshop, tmp_path: Path
) -> None:
    front_end = FrontEnd(name=name, workshop=with_fastapi, isolated=True)
    wheel = front_end.wheel(make(tmp_path), tmp_path / "dist").artifact()
    assert wheel.read_bytes() == built.read_bytes()


def test_builds_without_isolation_give_the_same_wheel(
    front_end: FrontEnd, built: Path, beside_fastapi: Workshop, tmp_path: Path
) -> None:
    # `build` asks whether what is required is installed, whole: fastapi is here without what it needs
    system = projects.BUILD_SYSTEM if front_end.name == "build" else REQUIRES
    beside = FrontEnd(name=front_end.name, workshop=beside_fastapi)
    wheel = beside.wheel(make(tmp_path, build_system=system), tmp_path / "dist").artifact()
    assert wheel.read_bytes() == built.read_bytes()


@pytest.mark.parametrize("name", ["build", "uv"])
def test_an_sdist_carries_the_skills_so_that_its_wheel_needs_no_fastapi(
    name: str, built: Path, with_fastapi: Workshop, workshop: Workshop, tmp_path: Path
) -> None:
    isolated = FrontEnd(name=name, workshop=with_fastapi, isolated=True)
    sdist = isolated.sdist(make(tmp_path), tmp_path / "sdist").artifact()
    assert "_skillpack_src/1/fastapi/fastapi/SKILL.md" in artifacts.read(sdist)
    for other in ("pip", "uv"):
        bare = FrontEnd(name=other, workshop=workshop)
        wheel = bare.wheel(sdist, tmp_path / f"wheel-{other}").artifact()
        assert manifest(wheel)["digest"] == manifest(built)["digest"]
        assert wheel.read_bytes() == built.read_bytes()


@pytest.mark.parametrize("name", ["pip", "build", "uv"])
def test_an_isolated_build_without_the_requirement_is_refused_with_what_to_write(
    name: str, with_fastapi: Workshop, tmp_path: Path
) -> None:
    project = make(tmp_path, build_system=projects.BUILD_SYSTEM)
    run = FrontEnd(name=name, workshop=with_fastapi, isolated=True).wheel(project, tmp_path / "dist")
    assert (run.code != 0, run.artifacts) == (True, ())
    assert "package:fastapi: error: root-missing: no distribution of this name is installed" in run.output
    assert 'write "fastapi" into build-system.requires of the pyproject.toml' in run.output
    assert "Traceback" not in run.output


def test_an_edit_of_the_installed_skill_is_refused(beside_fastapi: Workshop, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(beside_fastapi.environment["PYTHONPATH"], site)
    path = site / "fastapi/.agents/skills/fastapi/SKILL.md"
    path.write_bytes(path.read_bytes() + b"\nMind the tests.\n")
    edited = beside_fastapi.varied(PYTHONPATH=str(site))
    run = edited.skillpack("check", "package:fastapi", cwd=make(tmp_path))
    assert run.code == 1
    assert "package:fastapi/fastapi/SKILL.md: error: package-altered: " in run.output


PACKED = {
    "fastapi": ["fastapi/.agents/skills"],
    "google-adk": ["google/adk/integrations/bigquery/skills"],
    "pydantic-ai-slim": ["pydantic_ai/.agents/skills"],
    "sqlmodel": ["sqlmodel/.agents/skills"],
    "streamlit": ["streamlit/.agents/skills"],
    "trulens-core": ["trulens/.agents/skills"],
    "typer": ["typer/.agents/skills"],
}


@pytest.mark.parametrize("name", PACKED)
def test_real_distributions_pack_as_their_directories_do(
    name: str, unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(unpacked / name))
    found = pack(tmp_path, skills=[f"package:{name}"])
    directories = pack(tmp_path, skills=[str(unpacked / name / root) for root in PACKED[name]])
    assert found.packed.digest == directories.packed.digest
    assert not found.errors


def test_a_real_distribution_whose_skill_has_no_directory_is_refused(
    unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(unpacked / "pydantic-settings-aws"))
    (finding,) = pack(tmp_path, skills=["package:pydantic_settings_aws"]).errors
    assert finding.code == "root-missing"
    assert "lies in the skills directory itself" in finding.message


# ------------------------------------------------------------------ where it is installed


def environment(workshop: Workshop, directory: Path, *wheels: Path | str) -> tuple[Path, Path]:
    """Return the interpreter of a new environment with these wheels, and its directory of packages."""
    assert_good(workshop.run(UV, "venv", "--quiet", "--python", sys.executable, directory))
    python = directory / "bin" / "python"
    install = (UV, "pip", "install", "--quiet", "--link-mode", "copy", "--python", python)
    assert_good(workshop.run(*install, *wheels))
    (site,) = directory.glob("lib/python3*/site-packages")
    return python, site


SCAN = """
import json, sys
from pathlib import Path
from library_skills.scanner import scan_python_distributions
found = scan_python_distributions(Path(sys.argv[1]).resolve())
print(json.dumps({
    "skills": [[s.name, s.description, s.package_name, s.package_version, str(s.skill_dir)] for s in found.skills],
    "warnings": found.warnings,
}))
"""


def scanned(site: Path) -> dict[str, list[list[str]]]:
    """Return what library-skills finds in a directory of installed packages."""
    command = (readers.environment("library-skills"), "-I", "-c", SCAN, site)
    found: dict[str, list[list[str]]] = json.loads(subprocess.check_output(command, text=True))
    return found


def test_a_scanner_of_installed_packages_finds_the_files_of_every_skill(
    built: Path, with_fastapi: Workshop, tmp_path: Path
) -> None:
    _, site = environment(with_fastapi, tmp_path / "venv", built)
    found = scanned(site)
    (module,) = artifact.read(built).modules
    assert found["warnings"] == []
    assert sorted(row[:4] for row in found["skills"]) == [
        [name, skill.description, "agent", "1.0"] for name, skill in module.bundle.items()
    ]
    for name, *_, directory in found["skills"]:
        files = module.bundle[name].files
        top = site / HOME / name
        assert directory == str(top.resolve())
        assert {
            path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()
        } == {path: file.bytes() for path, file in files.items()}
    assert (site / HOME / "sing/scripts/hum.sh").stat().st_mode & 0o111
    assert not (site / HOME / "sing/SKILL.md").stat().st_mode & 0o111


def test_without_the_option_a_scanner_finds_nothing(workshop: Workshop, tmp_path: Path) -> None:
    project = projects.write(tmp_path / "agent", agent())
    wheel = FrontEnd(name="pip", workshop=workshop).wheel(project, tmp_path / "dist").artifact()
    _, site = environment(workshop, tmp_path / "venv", wheel)
    assert scanned(site) == {"skills": [], "warnings": []}


def test_what_is_installed_can_be_packed_again(built: Path, with_fastapi: Workshop, tmp_path: Path) -> None:
    """The files beside the module are those of a distribution with skills like any other."""
    _, site = environment(with_fastapi, tmp_path / "venv", built)
    again = with_fastapi.varied(PYTHONPATH=str(site))
    run = again.skillpack("list", "--json", "package:agent", cwd=tmp_path)
    assert_good(run)
    rows = json.loads(run.output)["skills"]
    (module,) = artifact.read(built).modules
    assert {row["name"]: row["digest"] for row in rows} == {
        name: skill.digest for name, skill in module.bundle.items()
    }


def test_bundles_of_installed_packages_are_listed_without_running_them(
    built: Path, with_fastapi: Workshop, tmp_path: Path
) -> None:
    second = {
        "pyproject.toml": pyproject(
            ENTRY_POINT.format("clerk"),
            project=PROJECT.replace('"agent"', '"clerk"'),
            options=OPTIONS.replace("src/agent", "src/clerk") + 'format = "package"\n',
        ),
        "src/clerk/__init__.py": PACKAGE["src/agent/__init__.py"] + "raise RuntimeError('ran')\n",
        **below("skills", skill("file")),
    }
    project = projects.write(tmp_path / "clerk", second)
    wheel = FrontEnd(name="uv", workshop=with_fastapi).wheel(project, tmp_path / "dist").artifact()
    python, site = environment(with_fastapi, tmp_path / "venv", "skillpack", built, wheel)
    command = (python.with_name("skillpack"), "list", "--installed")
    run = with_fastapi.run(*command)
    assert_good(run)
    lines = run.output.splitlines()
    assert lines[0].startswith("agent (agent 1.0, agent.skills:bundle): 3 skills, sha256:")
    assert [line.partition(":")[0] for line in lines[1:4]] == ["  dance", "  fastapi", "  sing"]
    assert lines[4].startswith("clerk (clerk 1.0, clerk.skills:bundle): 1 skill, sha256:")
    assert lines[5:] == ["  file: Says how to file. Use when somebody asks for it."]
    facts = json.loads(with_fastapi.run(*command, "--json").output)
    assert facts["bundles"][0]["digest"] == manifest(built)["digest"]
    code = "import skillpack; print(*(bundle.name for bundle in skillpack.installed()))"
    assert with_fastapi.run(python, "-c", code).output == "agent clerk\n"

    (site / "agent/skills.py").unlink()
    broken = with_fastapi.run(*command)
    assert broken.code == 1
    assert "error: agent (agent 1.0, agent.skills:bundle): there is no module agent.skills\n" in broken.output
    assert "\n  file: Says how to file." in f"\n{broken.output}"


def test_the_wheel_is_what_skillpack_would_write(built: Path) -> None:
    findings = verification.verify(
        artifact.read(built), reread=pipeline.reread, address=digest.content_address
    )
    assert findings == ()
