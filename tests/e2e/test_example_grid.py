"""`examples/grid-assets`: its wheel and the runtime, without any dependency, print the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import examples, projects, transcripts

if TYPE_CHECKING:
    from pathlib import Path

    from support.front_ends import Workshop

EXAMPLE = "grid-assets"


@pytest.fixture(scope="module")
def wheel(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return examples.wheel(EXAMPLE, workshop, tmp_path_factory.mktemp(EXAMPLE))


def test_the_wheel_and_the_runtime_without_dependencies_print_the_transcript(
    workshop: Workshop, wheel: Path, tmp_path: Path
) -> None:
    python = examples.installed(workshop, tmp_path / "venv", wheel, "skillpack")
    for absent in ("yaml", "hatchling", "click"):
        assert f"No module named '{absent}'" in workshop.run(python, "-I", "-c", f"import {absent}").output
    run = workshop.run(python, "-I", "-m", "grid_assets", cwd=tmp_path)
    assert (run.code, run.output) == (0, transcripts.stored(EXAMPLE))


def test_the_catalogue_of_the_venue_serves_from_the_wheel_alone(
    workshop: Workshop, wheel: Path, tmp_path: Path
) -> None:
    python = examples.installed(workshop, tmp_path / "venv", wheel)
    assert "No module named 'skillpack'" in workshop.run(python, "-I", "-c", "import skillpack").output
    code = "from grid_assets.skills import bundle; print(bundle.session().index())"
    assert workshop.run(python, "-I", "-c", code, cwd=tmp_path).output.splitlines()[1:] == [
        "- grid — Find your way on the Grid. Use when an address is unclear.",
        "- pdf-processing — Extract text and tables from PDF files. Use when a document arrives as PDF.",
    ]


def test_its_readme_names_the_wheel(wheel: Path) -> None:
    text = (projects.EXAMPLES / EXAMPLE / "README.md").read_text(encoding="utf-8")
    assert f"    pip install --no-deps dist/{wheel.name} ../..\n    python -m grid_assets\n" in text
