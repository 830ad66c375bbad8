"""Builds a project in all forms and prints the digests of what came out: python building.py PROJECT DIRECTORY.

It stands alone, so that it runs in any interpreter that has skillpack, in Pyodide too.
"""

from __future__ import annotations

import hashlib
import json
import locale
import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

PYPROJECT = """[build-system]
requires = ["hatchling", "skillpack"]
build-backend = "hatchling.build"

[project]
name = "agent"
version = "1.0"
requires-python = ">=3.11"

[tool.hatch.build.hooks.skillpack]

[tool.skillpack]
skills = ["skills"]
module = "src/agent/skills.py"
format = "{form}"
stub = true
"""


def main() -> None:
    """Print JSON: the version of Python, and digests by `FORM wheel`, `FORM sdist`, `FORM tree`, and of what is in wheels and sdists."""
    if "LC_ALL" in os.environ:
        # by itself Python takes over how letters are coded, and nothing else; it fails where there is no such locale
        locale.setlocale(locale.LC_ALL, "")
    project, out = Path(sys.argv[1]), Path(sys.argv[2])
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for form in ("module", "package", "data"):
        (project / "pyproject.toml").write_bytes(PYPROJECT.format(form=form).encode())
        for target in ("wheel", "sdist"):
            path = built(project, out / form, target)
            found[f"{form} {target}"] = sha256(path.read_bytes())
            found[f"{form} {target} contents"] = digest(contents(path))
        found[f"{form} tree"] = digest(bundled(project))
    print(json.dumps(found))


def built(project: Path, out: Path, target: str) -> Path:
    """Return what hatchling makes of a project, by the hook that is installed."""
    from hatchling.builders.sdist import SdistBuilder
    from hatchling.builders.wheel import WheelBuilder

    kind = {"wheel": WheelBuilder, "sdist": SdistBuilder}[target]
    (path,) = kind(str(project)).build(directory=str(out), versions=["standard"])
    return Path(path)


def bundled(project: Path) -> dict[str, bytes]:
    """Return the files that the command line writes, by their paths, and remove them."""
    from skillpack.cli import cli

    before = Path.cwd()
    os.chdir(project)
    code = cli.main(["bundle", "--quiet"], prog_name="skillpack", standalone_mode=False)
    assert not code, code
    os.chdir(before)
    package = project / "src" / "agent"
    files = {path.relative_to(package).as_posix(): path for path in package.rglob("*") if path.is_file()}
    found = {name: path.read_bytes() for name, path in files.items()}
    modes = {path.stat().st_mode & 0o777 for name, path in files.items() if name != "__init__.py"}
    assert modes == {0o644}, modes
    for path in package.glob("skills*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return found


def contents(path: Path) -> dict[str, bytes]:
    """Return the files in a wheel or an sdist."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}
    with tarfile.open(path) as sdist:
        return {
            member.name: stream.read()
            for member in sdist.getmembers()
            if (stream := sdist.extractfile(member)) is not None
        }


def digest(files: dict[str, bytes]) -> str:
    """Return one digest of names and contents."""
    text = "".join(f"{sha256(data)} {name}\n" for name, data in sorted(files.items()))
    return sha256(text.encode("utf-8", "surrogateescape"))


def sha256(data: bytes) -> str:
    """Return the hex digest."""
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    main()
