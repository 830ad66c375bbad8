"""`examples/quickstart`, built as the README has it: a wheel that carries its skills and needs nothing else."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from support import artifacts, projects, wheelhouse
from support.front_ends import UV, FrontEnd, Workshop

QUICKSTART = projects.EXAMPLES / "quickstart"

MODULE = "quickstart/skills.py"


@pytest.fixture
def quickstart(tmp_path: Path) -> Path:
    """Return a copy of the example, which builds may then litter."""
    return Path(shutil.copytree(QUICKSTART, tmp_path / "quickstart"))


@pytest.fixture(scope="session")
def wheel(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the example's wheel, by the first front end."""
    directory = tmp_path_factory.mktemp("quickstart")
    project = Path(shutil.copytree(QUICKSTART, directory / "project"))
    return FrontEnd(name="pip", workshop=workshop).wheel(project, directory / "dist").artifact()


@pytest.fixture(scope="session")
def sdist(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the example's sdist, by the front end that most people make it with."""
    directory = tmp_path_factory.mktemp("quickstart")
    project = Path(shutil.copytree(QUICKSTART, directory / "project"))
    return FrontEnd(name="build", workshop=workshop).sdist(project, directory / "dist").artifact()


def test_every_front_end_builds_it_isolated_to_the_same_bytes(
    front_end: FrontEnd, wheel: Path, quickstart: Path, tmp_path: Path
) -> None:
    isolated = FrontEnd(name=front_end.name, workshop=front_end.workshop, isolated=True)
    assert isolated.wheel(quickstart, tmp_path / "dist").artifact().read_bytes() == wheel.read_bytes()
    assert not (quickstart / "src" / MODULE).exists()


def test_the_wheel_from_the_sdist_is_the_wheel_from_the_tree(
    front_end: FrontEnd, wheel: Path, sdist: Path, tmp_path: Path
) -> None:
    assert front_end.wheel(sdist, tmp_path / "dist").artifact().read_bytes() == wheel.read_bytes()


def test_front_ends_that_make_sdists_make_the_same(
    workshop: Workshop, sdist: Path, quickstart: Path, tmp_path: Path
) -> None:
    made = FrontEnd(name="uv", workshop=workshop).sdist(quickstart, tmp_path / "dist").artifact()
    assert made.read_bytes() == sdist.read_bytes()


def test_the_wheel_holds_the_module_the_manifest_and_no_skill_file(wheel: Path) -> None:
    assert set(artifacts.read(wheel)) == {
        "quickstart/__init__.py",
        "quickstart/__main__.py",
        MODULE,
        "quickstart-0.1.0.dist-info/METADATA",
        "quickstart-0.1.0.dist-info/WHEEL",
        "quickstart-0.1.0.dist-info/RECORD",
        "quickstart-0.1.0.dist-info/extra_metadata/skillpack.json",
    }


def test_an_environment_with_the_wheel_alone_serves_every_skill_byte_for_byte(
    workshop: Workshop, wheel: Path, tmp_path: Path
) -> None:
    python = tmp_path / "agent" / "bin" / "python"
    environment = dict(workshop.environment)
    wheelhouse.run(UV, "venv", "--quiet", "--python", workshop.python, tmp_path / "agent", env=environment)
    wheelhouse.run(UV, "pip", "install", "--quiet", "--no-deps", "--python", python, wheel, env=environment)

    shown = workshop.run(python, "-I", "-m", "quickstart", cwd=tmp_path)
    assert shown.code == 0, shown.output
    for text in ("commit-message", "csv-profile", "status-page", "# Types", "image/png, 194 bytes, sha256:"):
        assert text in shown.output

    (site,) = (tmp_path / "agent").glob("lib/python*/site-packages")
    code = f"""
import sys
sys.path.insert(0, {str(site)!r})
from quickstart.skills import bundle
import hashlib
bundle.preload()
bundle.verify()
for skill in bundle.values():
    for path, file in skill.files.items():
        print(hashlib.sha256(file.bytes()).hexdigest(), int(file.executable), f"{{skill.name}}/{{path}}")
"""
    listed = workshop.run(python, "-S", "-I", "-c", code, cwd=tmp_path)
    skills = QUICKSTART / "skills"
    assert listed.code == 0, listed.output
    assert sorted(listed.output.splitlines(), key=lambda line: line.split()[2]) == [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()} {int(path.suffix == '.py')} {path.relative_to(skills)}"
        for path in sorted(skills.rglob("*"), key=lambda path: str(path.relative_to(skills)))
        if path.is_file()
    ]


def test_verify_takes_the_wheel_for_what_the_sources_say(workshop: Workshop, wheel: Path) -> None:
    run = workshop.skillpack("verify", wheel, "--against", QUICKSTART / "skills")
    assert run.code == 0, run.output
