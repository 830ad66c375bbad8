"""What is written and shipped. Design pages "Formats" and "Packaging"."""

from __future__ import annotations

from skillpack.rules.rule import files, pyproject, rule, shell

_INSIDE = '[tool.skillpack]\nskills = ["src/myagent/bundled"]\nmodule = "src/myagent/skills.py"\n'
_DRAFTS_OUT = _INSIDE + 'exclude = ["drafts/"]\n'
_ROOT_OUT = '\n[tool.hatch.build.targets.wheel]\nexclude = ["/src/myagent/bundled"]\n'

OUTPUT = (
    rule(
        "output-foreign*",
        "eee",
        "something in the place of the module that skillpack did not write",
        why=(
            "A file that a person wrote would be lost; and a package or an extension module of the module's name, which "
            "Python takes first, would be imported in the place of the skills."
        ),
        fix=(
            "Move it away, or choose another `module`. A file that may go is replaced by `skillpack bundle --force`, a "
            "link or a directory is not."
        ),
        example=files("src/myagent/skills/__init__.py", "src/myagent/forms/__init__.py"),
    ),
    rule(
        "output-stale*",
        "eee",
        "the module is not what the skills are packed into",
        why="A commit or a wheel would carry skills that are older than their sources, and nobody would see it.",
        fix="Run `skillpack bundle` and commit what it writes. `skillpack bundle --check` finds this, in CI or before a commit.",
        example=shell(
            "skillpack bundle\necho 'Read the form first.' >> skills/pdf/SKILL.md",
            "echo 'Read the form first.' >> skills/pdf/SKILL.md\nskillpack bundle",
        ),
    ),
    rule(
        "module-too-large",
        "eee",
        "an emitted module of one file over 10 MiB",
        why=(
            "Python compiles the module in each process that has no .pyc of it (uv makes none, read-only images keep "
            "none), at about 50 ms a MB, and holds all of it in memory."
        ),
        fix=(
            'Set format = "package", whose parts are loaded on first use and have no such limit, or `exclude` large '
            "files."
        ),
        example=shell("head -c 11000000 /dev/zero > skills/pdf/sample.bin"),
    ),
    rule(
        "module-large",
        "www",
        "an emitted module of one file over 2 MiB",
        why="Where no .pyc of it is kept, each import compiles the module anew, at about 50 ms a MB.",
        fix='Set format = "package", which costs little more to import than its catalog, or `exclude` large files.',
        example=shell("head -c 2000000 /dev/zero > skills/pdf/sample.bin"),
    ),
    rule(
        "ships-unpacked*",
        "eee",
        "a file below a skills root that ships although it is not packed",
        why=(
            "The back end ships the directory as it is, besides the module: what was excluded, left out or never "
            "screened is in the wheel after all."
        ),
        fix="Take the skills root out of what hatchling ships, by `exclude` of that target.",
        example=pyproject(_DRAFTS_OUT, _DRAFTS_OUT + _ROOT_OUT),
    ),
    rule(
        "ships-twice",
        "nnn",
        "a packed file that ships a second time as it is",
        why="The wheel is larger by it, and nothing checks the copy when an agent reads that one.",
        fix="Take the skills root out of what hatchling ships, by `exclude` of that target, if no tool needs it there.",
        example=pyproject(_INSIDE, _INSIDE + _ROOT_OUT),
    ),
)
