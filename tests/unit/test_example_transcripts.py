"""The transcripts of `strict-portable` and `grid-assets` are what the examples print now.

`SKILLPACK_WRITE_TRANSCRIPTS=1 pytest tests/unit/test_example_transcripts.py` writes them anew. That their wheels
print the same is tested in `tests/e2e`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support import examples, packing, projects, transcripts

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("example", ["strict-portable", "grid-assets"])
def test_the_transcript_is_what_the_example_prints(example: str, tmp_path: Path) -> None:
    project = examples.copied(example, tmp_path)
    bundled = packing.skillpack(project, "bundle")
    assert bundled.exit_code == 0, bundled.output
    printed = subprocess.run(
        [sys.executable, "-m", example.replace("-", "_")],
        cwd=project / "src",
        capture_output=True,
        check=True,
    ).stdout.decode("utf-8")
    if os.environ.get("SKILLPACK_WRITE_TRANSCRIPTS"):
        (projects.EXAMPLES / example / "transcript.txt").write_text(printed, encoding="utf-8")
    else:
        assert printed == transcripts.stored(example)
