"""Public readers of SKILL.md, run for real: each in an environment of its own, as its users have it."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from support.environments import python_with
from support.interpreters import answer

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPT = Path(__file__).with_name("reader_script.py")

SECONDS_A_RUN = 300
"""Wall time; the processor time that a reader has for one skill is in the script."""


class Reader(NamedTuple):
    """A reader's column in `frontmatter_cases.READERS`, its version, and its YAML parser, pinned too."""

    column: str
    version: str
    parser: str
    extra: str = ""


_PYYAML = "pyyaml==6.0.4"
READERS = {
    "skills-ref": Reader("reference", "0.1.1", "strictyaml==1.7.3"),
    "fastmcp": Reader("fastmcp", "4.2.3", _PYYAML),
    "library-skills": Reader("library-skills", "0.0.19", _PYYAML),
    "google-adk": Reader("adk", "2.13.0", _PYYAML),
    "deepagents": Reader("deepagents", "0.7.32", _PYYAML),
    "pydantic-ai-harness": Reader("harness", "0.62.0", _PYYAML, "[skills]"),
}
"""By the name of the distribution; the versions are those of the design's case list."""


class Verdict(NamedTuple):
    """What a reader says about a skill: `+` with name and description, `-` or `~` (hung) with a reason."""

    sign: str
    name: str = ""
    description: str = ""
    reason: str = ""


_HUNG = Verdict("~", reason="it did not come to an end")


def environment(name: str) -> Path:
    """Return the interpreter of a reader's environment, which is installed the first time."""
    reader = READERS[name]
    return python_with(f"reader-{name}", f"{name}{reader.extra}=={reader.version}", reader.parser)


def verdicts(name: str, directories: Sequence[Path]) -> list[Verdict]:
    """Return what the reader `name` says about each skill directory, which is alone in `.agents/skills`.

    A reader that hangs is stopped and goes on with the next directory.
    """
    python = environment(name)
    found: list[Verdict] = []
    while len(found) < len(directories):
        asked = json.dumps([str(directory) for directory in directories[len(found) :]])
        done = answer(python, SCRIPT, name, asked, seconds=SECONDS_A_RUN)
        found += [Verdict(**json.loads(line)) for line in done.stdout.splitlines()]
        if done.returncode == -signal.SIGPROF:
            found.append(_HUNG)
        else:
            assert done.returncode == 0, f"{name}: {done.stderr}"
            assert len(found) == len(directories), f"{name}: {done.stderr}"
    return found
