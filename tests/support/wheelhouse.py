"""A folder of wheels that serves every build of the end-to-end tests, so that none asks the public index.

The name skillpack is not ours there until it is published, and a build that fetched another project of that
name would still pass. The wheel of skillpack is built from this checkout for every run; what others publish is
downloaded once and kept.
"""

from __future__ import annotations

import email
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CHECKOUT = Path(__file__).resolve().parents[2]

BACK_ENDS_AND_TOOLS = ("build>=1.2", "editables~=0.3", "poetry-core>=2", "setuptools>=64")

WHEELS_WITH_SKILLS = {
    "fastapi": "0.165.0",
    "google-adk": "2.13.0",
    "pydantic-ai-slim": "2.68.0",
    "pydantic-settings-aws": "1.1.0",
    "sqlmodel": "0.0.50",
    "streamlit": "1.67.0",
    "trulens-core": "2.16.0",
    "typer": "0.29.2",
}
"""Public wheels that ship skills, by the name of their distribution."""


def cache() -> Path:
    """Return the folder in which downloads are kept from run to run: SKILLPACK_TEST_CACHE, or .cache/tests."""
    return Path(os.environ.get("SKILLPACK_TEST_CACHE") or CHECKOUT / ".cache" / "tests")


def run(*command: str | Path, **options: object) -> None:
    """Run a command whose output is of interest only when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload] # options of run
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def fill(directory: Path) -> Path:
    """Put the wheels of skillpack, its dependencies and the back ends into `directory`; return skillpack's."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", directory, cwd=CHECKOUT)
    (wheel,) = directory.glob("*.whl")
    for other in download((*requirements(wheel), *BACK_ENDS_AND_TOOLS)).iterdir():
        shutil.copy(other, directory)
    return wheel


def requirements(wheel: Path) -> list[str]:
    """Return what a wheel needs to run, without its extras."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    return [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]


def download(wanted: Iterable[str], *options: str) -> Path:
    """Return a folder with the wheels of `wanted` and of what they need, downloading them the first time."""
    wanted = sorted(wanted)
    key = hashlib.sha256(repr((sys.version_info[:2], sys.platform, wanted, options)).encode()).hexdigest()
    folder = cache() / f"wheels-{key[:16]}"
    if not folder.is_dir():
        cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache()) as temporary:
            fresh = Path(temporary) / "wheels"
            pip = (sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:")
            run(*pip, *options, "--dest", fresh, *wanted)
            if not folder.is_dir():  # another run may have been faster
                fresh.rename(folder)
    return folder


def unpack_skills(directory: Path) -> None:
    """Unpack each of `WHEELS_WITH_SKILLS` into a folder of its own below `directory`."""
    wanted = [f"{name}=={version}" for name, version in WHEELS_WITH_SKILLS.items()]
    for wheel in download(wanted, "--no-deps").glob("*.whl"):
        name = wheel.name.partition("-")[0].replace("_", "-")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(directory / name)
