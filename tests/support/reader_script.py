"""Run with a reader's own interpreter: what does the reader say about each skill directory?

    python reader_script.py READER < directories.json

Standard input is a JSON list of the paths of skill directories; each is alone in its parent, since some readers
take a folder of skills. Standard output has one JSON object a line for each directory, the fields of
`readers.Verdict`, written before the next directory is begun: a reader that is out of time on one ends this
process, and the parent sees on which.

Standard library only, as skillpack is not installed here. The readers come by `import_module` because they are
not installed where mypy runs.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    NameAndDescription = tuple[str, str]
    Read = Callable[[Path], NameAndDescription]

SECONDS_A_SKILL = 3
"""Processor time: a busy machine changes no verdict."""


class RefusedError(Exception):
    """The reader did not return the skill; the text is what it said instead."""


class Heard(logging.Handler):
    """Keeps what is logged: one reader says only there why it passes a skill over."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


HEARD = Heard()


def skills_ref() -> Read:
    library = import_module("skills_ref")

    def read(directory: Path) -> NameAndDescription:
        if problems := library.validate(directory):
            raise RefusedError("; ".join(problems))
        properties = library.read_properties(directory)
        return properties.name, properties.description

    return read


def fastmcp() -> Read:
    skill_class = import_module("fastmcp.skills").Skill

    def read(directory: Path) -> NameAndDescription:
        skill = skill_class.from_directory(directory)
        return skill.name, skill.description

    return read


def library_skills() -> Read:
    scan = import_module("library_skills.scanner").scan_python_distributions

    def read(directory: Path) -> NameAndDescription:
        # It looks through what is installed, so the skill is recorded as the only file of a distribution.
        with tempfile.TemporaryDirectory() as temporary:
            site_packages = Path(temporary).resolve()
            dist_info = site_packages / "x-1.dist-info"
            dist_info.mkdir()
            (dist_info / "METADATA").write_text(
                "Metadata-Version: 2.1\nName: x\nVersion: 1\n", encoding="utf-8"
            )
            record = os.path.relpath(directory / "SKILL.md", site_packages)
            (dist_info / "RECORD").write_text(f"{record},,\n", encoding="utf-8")
            found = scan(site_packages)
        return only(((skill.name, skill.description) for skill in found.skills), found.warnings)

    return read


def google_adk() -> Read:
    load = import_module("google.adk.skills").load_skill_from_dir

    def read(directory: Path) -> NameAndDescription:
        skill = load(directory)
        return skill.name, skill.description

    return read


def deepagents() -> Read:
    middleware = import_module("deepagents.middleware.skills").SkillsMiddleware
    backend = import_module("deepagents.backends.filesystem").FilesystemBackend

    def read(directory: Path) -> NameAndDescription:
        folder = backend(root_dir=directory.parent, virtual_mode=True)
        state = middleware(backend=folder, sources=["/"]).before_agent({}, None, {})
        return only(
            ((skill["name"], skill["description"]) for skill in state["skills_metadata"]), HEARD.messages
        )

    return read


def pydantic_ai_harness() -> Read:
    skills = import_module("pydantic_ai_harness.skills").Skills
    backend = import_module("pydantic_ai.workspaces").LocalWorkspaceBackend

    def read(directory: Path) -> NameAndDescription:
        catalog = asyncio.run(skills(".").load(backend(directory.parent)))
        return only(((skill.name, skill.description) for skill in catalog.skills), map(str, catalog.skipped))

    return read


READERS = {
    "skills-ref": skills_ref,
    "fastmcp": fastmcp,
    "library-skills": library_skills,
    "google-adk": google_adk,
    "deepagents": deepagents,
    "pydantic-ai-harness": pydantic_ai_harness,
}


def only(found: Iterable[NameAndDescription], complaints: Iterable[str]) -> NameAndDescription:
    skills = list(found)
    if len(skills) != 1:
        raise RefusedError("; ".join(complaints) or f"it returned {len(skills)} skills")
    return skills[0]


def verdict(read: Read, directory: Path) -> dict[str, Any]:
    HEARD.messages.clear()
    signal.setitimer(signal.ITIMER_PROF, SECONDS_A_SKILL)  # the signal's default is to end the process
    try:
        name, description = read(directory)
    except Exception as error:  # noqa: BLE001 # whatever a reader raises, the skill is refused
        return {"sign": "-", "reason": f"{type(error).__name__}: {error}"}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {"sign": "+", "name": name, "description": description}


def main() -> None:
    output, sys.stdout = sys.stdout, sys.stderr  # a reader that prints does not print among the verdicts
    logging.getLogger().addHandler(HEARD)
    read = READERS[sys.argv[1]]()
    for directory in json.load(sys.stdin):
        output.write(json.dumps(verdict(read, Path(directory))) + "\n")
        output.flush()


if __name__ == "__main__":
    main()
