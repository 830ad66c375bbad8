"""Little projects with skills, written into a temporary directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

SKILL = """---
name: {name}
description: Says how to {name}. Use when somebody asks for it.
---

Read `references/notes.md`, then {name}.
"""

BUILD_SYSTEM = """[build-system]
requires = ["hatchling", "skillpack"]
build-backend = "hatchling.build"
"""

PROJECT = """[project]
name = "agent"
version = "1.0"
requires-python = ">=3.11"
"""

HOOK = """[tool.hatch.build.hooks.skillpack]
"""

OPTIONS = """[tool.skillpack]
skills = ["skills"]
module = "src/agent/skills.py"
"""


def pyproject(
    *more: str,
    build_system: str = BUILD_SYSTEM,
    project: str = PROJECT,
    hook: str = HOOK,
    options: str = OPTIONS,
) -> str:
    """Return a pyproject.toml; `more` are further tables, after the options."""
    return "\n".join((build_system, project, hook, options, *more))


def skill(name: str, notes: str = "Take your time.\n") -> dict[str, str]:
    """Return the files of a skill by their paths below its skills root."""
    return {f"{name}/SKILL.md": SKILL.format(name=name), f"{name}/references/notes.md": notes}


def below(directory: str, files: Mapping[str, str]) -> dict[str, str]:
    """Return `files` with their paths below `directory`."""
    return {f"{directory}/{path}": text for path, text in files.items()}


PACKAGE = {"src/agent/__init__.py": '"""An agent."""\n'}


def agent() -> dict[str, str]:
    """Return the files of a project with one package and two skills, one of which has a script."""
    return {
        "pyproject.toml": pyproject(),
        **PACKAGE,
        **below("skills", skill("dance")),
        **below("skills", skill("sing")),
        "skills/sing/scripts/hum.sh": "#!/bin/sh\necho hum\n",
    }


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write `files` below `root`, scripts with their execute bit, and return `root`."""
    for path, data in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode() if isinstance(data, str) else data)
        target.chmod(0o755 if path.endswith(".sh") else 0o644)
    return root


def tree(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return mode, time in nanoseconds and contents of every file below `root`, and of every directory."""
    return {
        str(path.relative_to(root)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in [root, *sorted(root.rglob("*"))]
    }
