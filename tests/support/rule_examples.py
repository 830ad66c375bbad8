"""The examples of the registry as they happen: a project, what an example does to it, what skillpack then says."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from skillpack import artifact, cli, config, digest, pipeline, verification
from skillpack.errors import RefusedError
from skillpack.findings import Finding
from skillpack.rules import LEVELS
from skillpack.rules.rule import FILES, PYPROJECT, SHELL
from support import hatch_builds, projects, tokens

if TYPE_CHECKING:
    from collections.abc import Collection

    from skillpack.rules import Rule, Setting

MODULE = "src/myagent/skills.py"

PROJECT = """[build-system]
requires = ["hatchling", "skillpack"]
build-backend = "hatchling.build"

[project]
name = "myagent"
version = "1.0"
requires-python = ">=3.11"

[tool.hatch.build.hooks.skillpack]

"""


def skill_md(name: str) -> str:
    return f"---\nname: {name}\ndescription: Fills in forms of {name}.\n---\n\nFill in the form.\n"


def make_project(directory: Path) -> Path:
    """Write the project of the examples: two skills, skills inside its package, and skills beside it."""
    projects.write(directory / "shared/skills", {"letters/SKILL.md": skill_md("letters")})
    return projects.write(
        directory / "project",
        {
            "pyproject.toml": PROJECT,
            "docs/forms.md": "All forms.\n",
            "src/myagent/__init__.py": "",
            "src/myagent/bundled/sign/SKILL.md": skill_md("sign"),
            "src/myagent/bundled/sign/drafts/seal.md": "Not yet.\n",
            "skills/pdf/SKILL.md": skill_md("pdf"),
            "skills/pdf/references/forms.md": "Forms have fields; read them all.\n",
            "skills/pdf/scripts/fill.py": "print('filled in')\n",
            "skills/notes/SKILL.md": skill_md("notes"),
            "skills/notes/style.md": "Short.\n",
        },
    )


def do(project: Path, where: str, text: str) -> None:
    """Do to the project what a text of an example says, at the place that the example names."""
    if where == FILES:
        for line in text.splitlines():
            _make(project, line)
    elif where == PYPROJECT:
        # an example that has a `[project]` has all of it
        before, after = PROJECT.split("[project]")
        hook = after[after.index("[tool") :]
        projects.write(project, {PYPROJECT: (before + hook if "[project]" in text else PROJECT) + text})
    elif where == SHELL:
        # the two secrets that the examples speak of are in no file, and nothing else of this machine is needed
        environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "GITHUB_TOKEN": tokens.example("github-fine-grained").text.decode(),
            "DATABASE_URL": tokens.example("db-url-password").text.decode(),
        }
        subprocess.run(["bash", "-eu", "-c", text], cwd=project, env=environment, check=True)
    else:
        projects.write(project, {where: text})


def _make(project: Path, line: str) -> None:
    path, arrow, target = line.partition(" -> ")
    place = project / path
    if arrow:
        place.symlink_to(target)
    elif path.endswith("/"):
        place.mkdir(parents=True)
    else:
        is_skill = place.name.casefold() == "skill.md"
        projects.write(project, {path: skill_md(place.parent.name) if is_skill else ""})


def bundle(project: Path) -> None:
    """Write the module into the tree, as `skillpack bundle` does."""
    with pipeline.pack(config.load(project)) as packed:
        ((_, data),) = pipeline.emit(packed, MODULE)
    projects.write(project, {MODULE: data})


def findings(project: Path, rule: Rule, setting: Setting) -> Collection[Finding]:
    """Return what skillpack says of the project where a finding of the rule would be told."""
    if not rule.configurable:
        return verification.verify(
            artifact.read(project / MODULE), reread=pipeline.reread, address=digest.content_address
        )
    if rule.code == "output-stale":
        return bundle_check(project, setting)
    if rule.code == "configuration":
        return command(project, setting, "check")
    try:
        with pipeline.pack(config.load(project, level=setting), output="kept") as packed:
            if rule.code.startswith("module-"):
                pipeline.emit(packed, MODULE)
            return packed.findings
    except RefusedError as error:
        return error.findings


def bundle_check(project: Path, setting: Setting) -> Collection[Finding]:
    """Return what `skillpack bundle --check` reports."""
    return command(project, setting, "bundle", "--check")


def command(project: Path, setting: Setting, *arguments: str) -> Collection[Finding]:
    """Return what a command reports to machines."""
    levels = [] if setting == "default" else [f"--{setting}"]
    with contextlib.chdir(project):
        result = CliRunner().invoke(
            cli.cli, [*arguments, "--report-format", "json", *levels], prog_name="skillpack"
        )
    return [
        Finding(
            code=row["code"],
            level=LEVELS[row["level"]],
            path=row["path"],
            message=row["message"],
            hint=row["hint"] or "",
        )
        for row in json.loads(result.stdout)["findings"]
    ]


def built_codes(project: Path) -> str:
    """Return what the hook says while it builds the project's wheel."""
    app = hatch_builds.build(project, verbosity=1).app
    return "\n".join((*app.errors, *app.warnings))
