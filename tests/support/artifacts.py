"""What is in a wheel or an sdist."""

from __future__ import annotations

import tarfile
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def read(artifact: Path) -> dict[str, bytes]:
    """Return the files of an artifact by their paths in it, those of an sdist without its top directory."""
    if artifact.suffix == ".whl":
        with zipfile.ZipFile(artifact) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}
    with tarfile.open(artifact) as sdist:
        members = sdist.getmembers()
        names = [member.name for member in members if not member.name.endswith("/PKG-INFO")]
        assert len(names) == len(set(names)), "a path is in the sdist twice"
        return {
            member.name.partition("/")[2]: file.read()
            for member in members
            if (file := sdist.extractfile(member))
        }


def names(artifact: Path) -> list[str]:
    """Return the paths in a wheel, each as often as it is there."""
    with zipfile.ZipFile(artifact) as wheel:
        return wheel.namelist()


def modes(artifact: Path) -> dict[str, int]:
    """Return the permission bits of the same files."""
    if artifact.suffix == ".whl":
        with zipfile.ZipFile(artifact) as wheel:
            return {info.filename: info.external_attr >> 16 & 0o777 for info in wheel.infolist()}
    with tarfile.open(artifact) as sdist:
        return {member.name.partition("/")[2]: member.mode & 0o777 for member in sdist.getmembers()}


def unpack(artifact: Path, directory: Path) -> Path:
    """Unpack an artifact below `directory`; return the project in an sdist, `directory` for a wheel."""
    if artifact.suffix == ".whl":
        with zipfile.ZipFile(artifact) as wheel:
            wheel.extractall(directory)
        return directory
    with tarfile.open(artifact) as sdist:
        sdist.extractall(directory, filter="data")
    (project,) = directory.iterdir()
    return project
