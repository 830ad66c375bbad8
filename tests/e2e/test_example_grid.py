"""`examples/grid-assets`: its wheel prints the transcript, and says what is missing where pyyaml is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import examples, transcripts

if TYPE_CHECKING:
    from pathlib import Path

    from support.front_ends import Workshop

EXAMPLE = "grid-assets"


@pytest.fixture(scope="module")
def wheel(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return examples.wheel(EXAMPLE, workshop, tmp_path_factory.mktemp(EXAMPLE))


def test_the_wheel_with_its_dependencies_prints_the_transcript(
    workshop: Workshop, wheel: Path, tmp_path: Path
) -> None:
    # skillpack's own dependencies are not needed, those of the example are
    python = examples.installed(workshop, tmp_path / "venv", wheel, "skillpack", "pyyaml")
    for absent in ("hatchling", "click"):
        assert f"No module named '{absent}'" in workshop.run(python, "-I", "-c", f"import {absent}").output
    run = workshop.run(python, "-I", "-m", "grid_assets", cwd=tmp_path)
    assert (run.code, run.output) == (0, transcripts.stored(EXAMPLE))


def test_the_runtime_alone_serves_all_but_documents_with_frontmatter_and_says_so(
    workshop: Workshop, wheel: Path, tmp_path: Path
) -> None:
    python = examples.installed(workshop, tmp_path / "venv", wheel, "skillpack")
    run = workshop.run(python, "-I", "-m", "grid_assets", cwd=tmp_path)
    assert run.code == 0, run.output
    index = transcripts.of(run.output, "index")[0].splitlines()
    full = transcripts.of(transcripts.stored(EXAMPLE), "index")[0].splitlines()
    line = "- code-review — INVALID: its frontmatter needs pyyaml to be read, which is not installed"
    assert set(index) - set(full) == {line}
    assert [entry.partition(" — ")[0] for entry in full if entry not in index] == ["- code-review"]


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
