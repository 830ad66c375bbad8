"""Where outputs are replaced: two versions of skillpack whose runtimes differ, skills for each, and what stands for an output."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from skillpack.emit.runtime_source import RUNTIME_MODULES
from support import projects

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMS = ("module", "package", "data")
VERSIONS = ("old", "new")

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGE = "src/agent"
"""The directory of the output in a project."""

TEMPORARY = (".skillpack-", "skillpack-", "contents-")
"""How the names of temporary files begin: beside an output, in the temporary directory, in the cache."""

OPTIONS = """[tool.skillpack]
skills = ["skills"]
module = "src/agent/skills.py"
format = "{form}"
stub = true
"""


def skills(version: str) -> dict[str, str | bytes]:
    """Return the files of a version's skills: one is in both, one has changed, each has one that is its own."""
    noise = b"".join(hashlib.sha256(f"{version} {number}".encode()).digest() for number in range(1500))
    return {
        **projects.skill("dance"),
        **projects.skill("sing", notes=f"Sing {version} songs.\n" * 3000),
        **projects.skill(f"act-{version}"),
        "sing/scripts/hum.sh": f"#!/bin/sh\necho {version}\n",
        "sing/assets/sound.bin": noise,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a command ended: its exit code, negative by a signal, and what it printed on standard error."""

    code: int
    errors: str

    @property
    def told(self) -> list[str]:
        """The lines that say what stopped it."""
        return [
            line
            for line in self.errors.splitlines()
            if line.startswith(("error: ", "Traceback", "refused: "))
        ]


class Workplace:
    """Everything below one directory, which `made` fills."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @classmethod
    def made(cls, directory: Path) -> Self:
        """Make it in an empty directory."""
        made = cls(directory)
        for version in VERSIONS:
            made._copy_code(version)
        for form in FORMS:
            for version in VERSIONS:
                made._make_template(form, version)
        return made

    def code(self, version: str) -> Path:
        """Return the directory for PYTHONPATH that has a version of skillpack."""
        return self.directory / "code" / version

    def template(self, form: str, version: str) -> Path:
        """Return the project with a version's skills and output."""
        return self.directory / "templates" / form / version

    def environment(self, version: str, scratch: Path) -> dict[str, str]:
        """Return the variables of a run of a version whose temporary files and cache are in `scratch`."""
        return {
            "PATH": os.defpath,
            "PYTHONPATH": str(self.code(version)),
            "HOME": str(scratch),
            "TMPDIR": str(scratch),
            "SKILLPACK_CACHE_DIR": str(scratch / "cache"),
            "LANG": "C.UTF-8",
        }

    def popen(self, version: str, project: Path, scratch: Path, *before: str) -> subprocess.Popen[str]:
        """Start `skillpack bundle` of a version; what is `before` comes before the interpreter."""
        return subprocess.Popen(
            [*before, sys.executable, "-m", "skillpack", "bundle"],
            cwd=project,
            env=self.environment(version, scratch),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def bundle(self, version: str, project: Path, scratch: Path, *before: str) -> Done:
        """Run `skillpack bundle` of a version."""
        process = self.popen(version, project, scratch, *before)
        _, errors = process.communicate()
        return Done(code=process.returncode, errors=errors)

    def put_skills(self, project: Path, version: str) -> None:
        """Give a project the skills of a version."""
        shutil.rmtree(project / "skills", ignore_errors=True)
        projects.write(project / "skills", skills(version))

    def renew(self, project: Path, form: str, version: str) -> None:
        """Make a project that has the output of a version, as it was written then."""
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(self.template(form, version), project)

    @cached_property
    def answers(self) -> Mapping[str, str]:
        """What the output of each version answers; that is the same in all forms."""
        found = {version: asked(self.template(FORMS[0], version)) for version in VERSIONS}
        for version in VERSIONS:
            assert found[version].endswith(f" {version}"), found
            for form in FORMS:
                assert asked(self.template(form, version)) == found[version]
        assert len(set(found.values())) == len(VERSIONS)
        return found

    def version_of(self, project: Path) -> str:
        """Return whose output a project has, by importing it; anything else is an error."""
        answer = asked(project)
        for version in VERSIONS:
            if answer == self.answers[version]:
                return version
        raise AssertionError(f"a mixture in {project}: {answer}")

    def expect_clean(self, project: Path, form: str, version: str, scratch: Path) -> None:
        """Fail unless a project has the output of a version and nothing else, and no temporary file is anywhere."""
        expected, found = output(self.template(form, version)), output(project)
        if form == "module" and not any(path.startswith("skills/") for path in found):
            # Between its last file and the folder itself there is one call, and nobody knows whose an empty folder is.
            found.pop("skills", None)
        assert found == expected, (sorted(found.keys() ^ expected.keys()), project)
        assert leftovers(project, scratch) == []

    def _copy_code(self, version: str) -> None:
        code = self.code(version)
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / "packager" / "skillpack", code / "skillpack", ignore=without)
        shutil.copytree(
            CHECKOUT / "hatch_plugin" / "hatch_skillpack", code / "hatch_skillpack", ignore=without
        )
        for name in (*RUNTIME_MODULES, "skillpack.runtime.blobs"):
            path = code / f"{name.replace('.', '/')}.py"
            mark = f'\n_BUILD_{path.stem.upper()} = "{version}"\n'
            path.write_text(path.read_text(encoding="utf-8") + mark, encoding="utf-8")

    def _make_template(self, form: str, version: str) -> None:
        project = self.template(form, version)
        pyproject = projects.pyproject(options=OPTIONS.format(form=form))
        projects.write(project, {"pyproject.toml": pyproject, **projects.PACKAGE})
        self.put_skills(project, version)
        scratch = self.directory / "templates" / "scratch"
        scratch.mkdir(exist_ok=True)
        done = self.bundle(version, project, scratch)
        assert done.code == 0, done


def asked(project: Path) -> str:
    """Return what `asking` prints of the output of a project."""
    asking = Path(__file__).with_name("asking.py")
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", asking, project / "src"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (project, done.stderr)
    return done.stdout.strip()


def output(project: Path) -> dict[str, bytes]:
    """Return the files beside the output and in it, but for what Python has compiled; of directories an empty content."""
    top = project / PACKAGE
    return {
        path.relative_to(top).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in top.rglob("*")
        if "__pycache__" not in path.parts
    }


def leftovers(*directories: Path) -> list[str]:
    """Return the temporary files of skillpack below directories."""
    return sorted(
        str(path) for top in directories for path in top.rglob("*") if path.name.startswith(TEMPORARY)
    )
