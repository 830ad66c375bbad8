"""What is not packed, and said to be so. Design page "Screening", "Left out, and listed"."""

from __future__ import annotations

from skillpack.rules.rule import files, pyproject, rule

EXCLUSION = (
    rule(
        "empty-directory",
        "nnn",
        "an empty directory, which cannot be represented",
        why="Neither a bundle nor a wheel can hold one: a script that writes into it finds no directory.",
        fix="Let the script make the directory, or put a .gitkeep into it.",
        example=files("skills/pdf/out/", "skills/pdf/out/.gitkeep"),
    ),
    rule(
        "left-out",
        "nnn",
        "a cache or an editor's file, which is left out",
        why=(
            "Such files are of one machine, differ from build to build and can be many: a virtual environment of "
            "36,000 files was found in a skill. Each is named, so that nothing is dropped in silence."
        ),
        fix="Nothing; to have it out of the way, delete it. A file that the skill needs wants another name.",
        example=files("skills/pdf/scripts/__pycache__/fill.cpython-312.pyc", "skills/pdf/scripts/fill.py"),
    ),
    rule(
        "beside-skills",
        "nnn",
        "a file or directory of a skills root that belongs to no skill",
        why=(
            "Only directories with a SKILL.md are packed, and an sdist made by the hook holds no more of a skills root "
            "than that. A README is at home there, while a forms.md may have been meant for a skill."
        ),
        fix=(
            "Nothing, if no skill needs it; else move it into the skill that does. A directory whose name begins with `.` "
            "or `_` is skipped unless it has a SKILL.md."
        ),
        example=files("skills/forms.md", "skills/pdf/forms.md"),
    ),
    rule(
        "excluded",
        "nnn",
        "left out by the configuration",
        why="The note shows what `exclude` and `select` have really dropped.",
        fix="Nothing, if it is meant; else narrow the pattern.",
        example=pyproject(
            '[tool.skillpack]\nexclude = ["skills/pdf/references/"]\n', "[tool.skillpack]\nexclude = []\n"
        ),
    ),
    rule(
        "exclude-unused",
        "wwe",
        "an exclude pattern that matches nothing",
        why="A pattern that matches nothing is often misspelt, and what it was to keep out is packed.",
        fix="Correct the pattern, or remove it. Patterns are matched against `<root as written>/<path>`.",
        example=pyproject(
            '[tool.skillpack]\nexclude = ["skills/pdf/refrences/"]\n',
            '[tool.skillpack]\nexclude = ["skills/pdf/references/"]\n',
        ),
    ),
    rule(
        "select-unused",
        "www",
        "a select pattern that matches no skill",
        why="A pattern that matches nothing is often misspelt, and the skill that it was to pack is missing.",
        fix="Correct the pattern, or remove it. Patterns are matched against the names of skills.",
        example=pyproject(
            '[tool.skillpack]\nselect = ["pdf", "dcox"]\n', '[tool.skillpack]\nselect = ["pdf"]\n'
        ),
    ),
    rule(
        "allow-unused",
        "wwe",
        "an allow entry that allows nothing",
        why=(
            "Its file has gone, is mended or was never refused, or its path is misspelt: a reviewer reads of a risk that "
            "is not there."
        ),
        fix="Remove the entry from `[[tool.skillpack.allow]]`, or correct its path.",
        example=pyproject(
            '[[tool.skillpack.allow]]\npath = "skills/pdf/gone.pem"\nrule = "secret-name"\n'
            f'sha256 = "{"0" * 64}"\nreason = "the public test CA"\n',
            "[tool.skillpack]\nallow = []\n",
        ),
    ),
    rule(
        "override-unused",
        "wwe",
        "an override whose paths match nothing",
        why="Paths that match nothing are often misspelt, and what they were to make stricter, or to let pass, is not.",
        fix=(
            "Correct `paths`, or remove the entry from `[[tool.skillpack.overrides]]`. Patterns are matched against "
            "`<root as written>/<path>`."
        ),
        example=pyproject(
            '[[tool.skillpack.overrides]]\npaths = ["skils/pdf/"]\nrules = { html-comment = "warning" }\n',
            '[[tool.skillpack.overrides]]\npaths = ["skills/pdf/"]\nrules = { html-comment = "warning" }\n',
        ),
    ),
    rule(
        "exclude-skill-md*",
        "eee",
        "an exclude pattern that drops a SKILL.md, and not the whole directory",
        why=(
            "Without its SKILL.md there is no skill: a pattern that was meant for some files, such as `*.md`, takes "
            "the skill out of the agent."
        ),
        fix=(
            "To leave a whole skill out, exclude its directory: `skills/notes/`, or `skills/notes/*` where nothing of it is "
            "taken back; that is a note. Else change the pattern."
        ),
        example=pyproject(
            '[tool.skillpack]\nexclude = ["skills/notes/SKILL.md"]\n',
            '[tool.skillpack]\nexclude = ["skills/notes/"]\n',
        ),
    ),
)
