"""The project's pyproject.toml: what stands in the way of a run, and what other tools make of it."""

from __future__ import annotations

from skillpack.rules.rule import pyproject, rule

_PACKAGE = '[project]\nname = "myagent"\nversion = "1.0"\n'

PROJECT = (
    rule(
        "configuration*",
        "eee",
        "the configuration is valid",
        why=(
            "With an option passed over, a build would pack other skills, or check them by other rules, than its author "
            "wrote down. Nothing was looked at: the exit code is 2."
        ),
        fix=(
            "Each message begins with the option or the flag that it is about; with `--report-format`, flags have "
            "`pyproject.toml` for their place too."
        ),
        example=pyproject("[tool.skillpack]\nstub = 1\n", "[tool.skillpack]\nstub = true\n"),
    ),
    rule(
        "requires-python",
        "www",
        "the project admits no Python before 3.11",
        why="Installers would take the project where the emitted module does not run, and the agent fails at its import.",
        fix='Write `requires-python = ">=3.11"` in `[project]`.',
        example=pyproject(
            _PACKAGE + 'requires-python = ">=3.9"\n', _PACKAGE + 'requires-python = ">=3.11"\n'
        ),
    ),
    rule(
        "uv-cache-keys",
        "www",
        "uv sees that a skill was edited",
        why="Unless it is told, uv looks at pyproject.toml alone and installs an old build after a skill was edited.",
        fix="Add the skills to `cache-keys` in `[tool.uv]`, as `skillpack init` does.",
        example=pyproject(
            "[tool.uv]\npackage = true\n",
            '[tool.uv]\ncache-keys = [{ file = "pyproject.toml" }, { file = "skills/**/*" }]\n',
        ),
    ),
)
