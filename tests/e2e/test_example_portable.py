"""`examples/strict-portable`: its wheel alone prints the transcript, and the lines of its README do what they show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support import artifacts, examples, projects, readme, transcripts
from support.front_ends import FrontEnd

if TYPE_CHECKING:
    from pathlib import Path

    from support.front_ends import Workshop

EXAMPLE = "strict-portable"
BLOCKS = readme.blocks(projects.EXAMPLES / EXAMPLE / "README.md")


@pytest.fixture(scope="module")
def wheel(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return examples.wheel(EXAMPLE, workshop, tmp_path_factory.mktemp(EXAMPLE))


def test_the_wheel_alone_prints_the_transcript(workshop: Workshop, wheel: Path, tmp_path: Path) -> None:
    python = examples.installed(workshop, tmp_path / "venv", wheel)
    absent = workshop.run(python, "-I", "-c", "import skillpack")
    assert "No module named 'skillpack'" in absent.output
    run = workshop.run(python, "-I", "-m", "strict_portable", cwd=tmp_path)
    assert (run.code, run.output) == (0, transcripts.stored(EXAMPLE))


def test_its_readme_does_what_it_shows(workshop: Workshop, tmp_path: Path) -> None:
    project = examples.copied(EXAMPLE, tmp_path)
    runs = [run for block in BLOCKS for run in readme.transcript(block.text)]
    assert len(runs) == 6
    for command, output in runs:
        done = workshop.run("bash", "-c", command, cwd=project)
        pattern = re.escape(output).replace("…", ".*")
        assert re.fullmatch(pattern, done.output), f"{command}\n{done.output}"
        assert done.code == ("refused" in output)


def test_a_linked_second_directory_changes_nothing_that_is_built(
    workshop: Workshop, wheel: Path, tmp_path: Path
) -> None:
    project = examples.copied(EXAMPLE, tmp_path)
    (project / ".claude").mkdir()
    (project / ".claude" / "skills").symlink_to("../.agents/skills")
    build = FrontEnd(name="build", workshop=workshop)
    assert build.wheel(project, tmp_path / "dist").artifact().read_bytes() == wheel.read_bytes()
    sdist = build.sdist(project, tmp_path / "sdist").artifact()
    assert not [name for name in artifacts.read(sdist) if name.startswith(".claude")]
    assert build.wheel(sdist, tmp_path / "again").artifact().read_bytes() == wheel.read_bytes()
