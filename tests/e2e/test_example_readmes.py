"""The commands in the READMEs of the examples are run as they stand, where skillpack and hatchling are installed."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from support import examples, projects, readme, transcripts, wheelhouse
from support.front_ends import UV

if TYPE_CHECKING:
    from pathlib import Path

    from support.front_ends import Workshop

PRINTED = {
    "grid-assets": ["transcript"],
    "harness-load-skill": ["transcript", "transcript-supplied"],
    "harness-skill-use": ["transcript", "transcript-discovered"],
    "strict-portable": ["transcript"],
}
"""By example: the transcript with which the output of each block of commands ends."""


def commands(example: str) -> list[str]:
    """Return the blocks of commands; those with a `$` also show their output and have a test of their own."""
    blocks = readme.blocks(projects.EXAMPLES / example / "README.md")
    return [block.text for block in blocks if block.language == "console" and not block.text.startswith("$")]


def test_every_example_with_a_transcript_is_run_here() -> None:
    assert sorted(PRINTED) == sorted(path.parent.name for path in projects.EXAMPLES.glob("*/transcript.txt"))


@pytest.mark.parametrize("example", PRINTED)
def test_the_commands_of_its_readme_print_its_transcripts(
    example: str, workshop: Workshop, tmp_path: Path
) -> None:
    project = examples.copied(example, tmp_path)
    blocks = commands(example)
    assert blocks[0].startswith("pip wheel ")
    python = tmp_path / "venv" / "bin" / "python"
    variables = {**workshop.environment, "PATH": f"{python.parent}{os.pathsep}{os.defpath}"}
    wheelhouse.run(sys.executable, "-m", "venv", tmp_path / "venv", env=variables)
    install = (UV, "pip", "install", "--quiet", "--python", python)
    wheelhouse.run(*install, "skillpack", "hatchling", env=variables)
    for block, transcript in zip(blocks, PRINTED[example], strict=True):
        run = workshop.varied(PATH=variables["PATH"]).run(
            "bash", "-euo", "pipefail", "-c", block, cwd=project
        )
        assert run.code == 0, run.output
        assert run.output.endswith(transcripts.stored(example, transcript))
