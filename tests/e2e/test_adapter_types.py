"""What the type checker says of adapters and servers where their frameworks are installed, which they are not here."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support import served

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATION = f"""
[mypy]
strict = true
follow_imports = silent
explicit_package_bases = true
mypy_path = {served.PACKAGER}
"""
CHECKED = {
    "fastmcp": ["adapters/fastmcp.py"],
    "mcp": ["adapters/mcp.py", "serving/stdio.py", "serving/http.py"],
}
"""By framework: the modules that import it."""


@pytest.mark.parametrize("framework", CHECKED)
def test_mypy_accepts_what_is_done_with_a_framework(tmp_path: Path, framework: str) -> None:
    configuration = tmp_path / "mypy.ini"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "mypy",
                "--config-file",
                configuration,
                "--cache-dir",
                tmp_path / "cache",
            ),
            *("--python-executable", served.server_python(framework)),
            *(served.PACKAGER / "skillpack" / path for path in CHECKED[framework]),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
