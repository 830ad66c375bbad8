"""`examples/harness-*`: their wheels, installed alone, print the transcripts that they keep."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import artifacts, projects, transcripts, wheelhouse
from support.front_ends import UV, FrontEnd

if TYPE_CHECKING:
    from support.front_ends import Run, Workshop

EXAMPLES = {
    "harness-skill-use": (["checkout"], "transcript-discovered"),
    "harness-load-skill": (["acme", "workspace"], "transcript-supplied"),
}
"""By name: the arguments with which it finds skills on a disk, and what it prints then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """An example and its wheel."""

    name: str
    wheel: Path
    workshop: Workshop

    @property
    def package(self) -> str:
        return self.name.replace("-", "_")

    def environment(self, directory: Path, *more: str) -> Path:
        """Return the interpreter of a new environment with the wheel alone, or with `more` installed too."""
        python = directory / "bin" / "python"
        variables = dict(self.workshop.environment)
        wheelhouse.run(UV, "venv", "--quiet", "--python", self.workshop.python, directory, env=variables)
        install = (UV, "pip", "install", "--quiet", "--python", python)
        wheelhouse.run(*install, "--no-deps", self.wheel, env=variables)
        if more:
            wheelhouse.run(*install, *more, env=variables)
        return python

    def run(self, python: Path, *arguments: str) -> Run:
        return self.workshop.run(
            python, "-I", "-m", self.package, *arguments, cwd=projects.EXAMPLES / self.name
        )


@pytest.fixture(scope="module", params=EXAMPLES)
def built(
    request: pytest.FixtureRequest, workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> Built:
    """Return each example, built by pip as its README says."""
    directory = tmp_path_factory.mktemp(request.param)
    project = Path(shutil.copytree(projects.EXAMPLES / request.param, directory / "project"))
    wheel = FrontEnd(name="pip", workshop=workshop).wheel(project, directory / "dist").artifact()
    return Built(name=request.param, wheel=wheel, workshop=workshop)


def test_the_wheel_carries_the_skills_in_its_module_only(built: Built) -> None:
    names = set(artifacts.read(built.wheel))
    sources = (projects.EXAMPLES / built.name / "src").rglob("*.py")
    assert {name for name in names if ".dist-info/" not in name} == {
        f"{built.package}/skills.py",
        *(path.relative_to(projects.EXAMPLES / built.name / "src").as_posix() for path in sources),
    }


def test_the_wheel_alone_prints_the_transcript(built: Built, tmp_path: Path) -> None:
    python = built.environment(tmp_path / "venv")
    absent = built.workshop.run(python, "-I", "-c", "import skillpack")
    assert "No module named 'skillpack'" in absent.output
    run = built.run(python)
    assert (run.code, run.output) == (0, transcripts.stored(built.name))


def test_with_skillpack_installed_it_finds_skills_on_a_disk(built: Built, tmp_path: Path) -> None:
    arguments, transcript = EXAMPLES[built.name]
    run = built.run(built.environment(tmp_path / "venv", "skillpack"), *arguments)
    assert (run.code, run.output) == (0, transcripts.stored(built.name, transcript))


@pytest.mark.parametrize("built", ["harness-load-skill"], indirect=True)
def test_the_runtime_without_dependencies_serves_skills_made_in_code(built: Built, tmp_path: Path) -> None:
    python = built.environment(tmp_path / "venv", "--no-deps", "skillpack")
    absent = built.workshop.run(python, "-I", "-c", "import yaml")
    assert "No module named 'yaml'" in absent.output
    run = built.run(python, "acme")
    assert run.code == 0, run.output
    (returns,) = transcripts.answers(run.output, 'load_skill {"name": "returns-policy"}')
    assert "60 days" in returns
    (system,) = transcripts.of(run.output, "system")
    assert "- **policy-acme**: Acme's support policy." in system


@pytest.mark.parametrize("built", ["harness-skill-use"], indirect=True)
def test_a_project_without_a_folder_of_skills_has_no_skill_tool(built: Built, tmp_path: Path) -> None:
    run = built.run(built.environment(tmp_path / "venv", "skillpack"), str(tmp_path))
    assert run.code == 0, run.output
    assert [tool.partition(":")[0] for tool in transcripts.of(run.output, "tool")] == ["file.read"]
    assert transcripts.of(run.output, "warning") == ["reviewer names code-review, which no skill is"]
