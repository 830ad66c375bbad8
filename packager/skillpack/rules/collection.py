"""The skills as a set: roots, what is expected of them, what stands in another's way. Design page "Screening"."""

from __future__ import annotations

from skillpack.rules.rule import files, pyproject, rule, shell

COLLECTION = (
    rule(
        "output-inside-input*",
        "eee",
        "the output lies in a skills root",
        why="The next run would pack what this one wrote, so that no build equals the one before.",
        fix="Write the module to another directory, or name smaller skills roots.",
        example=pyproject(
            '[tool.skillpack]\nmodule = "skills/pdf/skills.py"\n',
            '[tool.skillpack]\nmodule = "src/myagent/skills.py"\n',
        ),
    ),
    rule(
        "root-missing*",
        "eee",
        "a skills root that does not exist, or a distribution without skills",
        why="With a misspelt root passed over, a build would succeed with fewer skills than the project has.",
        fix=(
            "Create the directory, or name another one in `skills`. A single skill is named by its directory. The "
            "distribution of a `package:NAME` is to be installed beside skillpack, for builds by `build-system.requires`."
        ),
        example=pyproject(
            '[tool.skillpack]\nskills = ["skils"]\n', '[tool.skillpack]\nskills = ["skills"]\n'
        ),
    ),
    rule(
        "package-altered",
        "wee",
        "a skill of an installed distribution that is not as it was installed",
        why=(
            "The wheel's manifest says that the skill is that of the distribution in its version, and it is not: another "
            "machine packs something else from the same requirement."
        ),
        fix="Install the distribution again, or put a copy of the skill into a skills root of the project.",
        example=shell(
            "skillpack bundle package:fastapi\n"
            "echo 'Mind the tests.' >> .venv/lib/python3.11/site-packages/fastapi/.agents/skills/fastapi/SKILL.md",
            "cp -r .venv/lib/python3.11/site-packages/fastapi/.agents/skills/fastapi skills/",
        ),
    ),
    rule(
        "root-outside",
        "nnn",
        "a skills root outside the project",
        why=(
            "The build depends on a directory that a checkout of the project does not have. An sdist carries a "
            "copy of what was packed from it."
        ),
        fix="Nothing, if it is meant; else copy the skills into the project.",
        example=pyproject(
            '[tool.skillpack]\nskills = ["skills", "../shared/skills"]\n',
            '[tool.skillpack]\nskills = ["skills"]\n',
        ),
    ),
    rule(
        "root-repeated",
        "nnn",
        "a directory that is reached through two skills roots",
        why="It is packed once: one of the two entries does nothing, and may be a mistake for another directory.",
        fix="Remove one of the two from `skills`.",
        example=pyproject(
            '[tool.skillpack]\nskills = ["skills", "skills/pdf"]\n',
            '[tool.skillpack]\nskills = ["skills"]\n',
        ),
    ),
    rule(
        "skill-repeated",
        "nnn",
        "the same skill is reached twice and packed once",
        why="One copy is of no use now, and after an edit of one of them the build is refused: `name-duplicate`.",
        fix="Remove one of the copies, or leave one out with `exclude`.",
        example=shell("cp -r skills/pdf skills/forms"),
    ),
    rule(
        "expected-skills",
        "eee",
        "the skills are those that the configuration expects",
        why=(
            "The project says by `expect` or `expect-count` which skills its agent relies on. With one of them "
            "missing the agent would be released without it."
        ),
        fix="Bring the skill back, or correct `expect` or `expect-count`.",
        example=pyproject(
            '[tool.skillpack]\nexpect = ["pdf", "docx"]\n', '[tool.skillpack]\nexpect = ["pdf"]\n'
        ),
    ),
    rule(
        "catalog-budget",
        "eee",
        "the catalog is within max-catalog-chars",
        why=(
            "The catalog is in every prompt and costs tokens each time. Hosts have budgets as well and drop what "
            "is over theirs: in one public report 49 to 216 descriptions at once."
        ),
        fix="Shorten the longest descriptions, take skills out with `select`, or raise `max-catalog-chars`.",
        example=pyproject(
            "[tool.skillpack]\nmax-catalog-chars = 60\n", "[tool.skillpack]\nmax-catalog-chars = 6000\n"
        ),
    ),
    rule(
        "no-skills*",
        "eee",
        "there is nothing to pack",
        why="An empty bundle imports well, and nobody notices until an agent knows nothing: such wheels were released.",
        fix=(
            "Name a directory whose child directories have a SKILL.md, and see what `select` and `exclude` leave; "
            "if this is right, set `allow-empty = true`."
        ),
        example=pyproject(
            '[tool.skillpack]\nselect = ["docx-*"]\n', '[tool.skillpack]\nselect = ["pdf*", "docx-*"]\n'
        ),
    ),
    rule(
        "nested-skill",
        "wwe",
        "a SKILL.md below a skill",
        why=(
            "Some authors mean a skill of its own by it, others a template; 222 public skills lie below another. "
            "It is packed as a file of the outer skill, so it is in no catalog."
        ),
        fix=(
            'Move its directory out of the outer skill and beside it, set `nested = "split"` to pack such skills as their '
            "own, or `exclude` it."
        ),
        example=files("skills/pdf/sign/SKILL.md", "skills/sign/SKILL.md"),
    ),
)
