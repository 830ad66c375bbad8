"""What a rule is: a code with its levels, and what there is to say to the person whom it stops."""

from __future__ import annotations

import enum
from typing import Literal, NamedTuple

Setting = Literal["lenient", "default", "strict"]
SETTINGS: tuple[Setting, ...] = ("lenient", "default", "strict")


class Level(enum.IntEnum):
    """How much a finding weighs: an error stops the build, a warning is shown, a note is counted."""

    OFF = 0
    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """The word used in reports and configuration: `off`, `note`, `warning` or `error`."""
        return self.name.lower()


LEVELS = {level.label: level for level in Level}
"""Level by its word, as `[tool.skillpack.rules]` and `--rule` write it."""

Levels = tuple[Level, Level, Level]
"""The level at `lenient`, `default` and `strict`, in this order."""

SKILL_MD_PLACE = "skills/pdf/SKILL.md"
FILES = "files of the project"
PYPROJECT = "pyproject.toml"
SHELL = "commands"


class Example(NamedTuple):
    """What gives a finding, and how the same is right; a test runs both.

    `where` says what the two are, as text with LF between lines:

    - a path that ends in SKILL.md: all of that file;
    - `FILES`: paths in the project, a directory with a slash at its end, a link with ` -> ` and its target;
    - `PYPROJECT`: the tables that matter in it;
    - `SHELL`: commands for bash, run in the project's directory.

    `good` is empty where nothing takes the place of what is bad.
    """

    where: str
    bad: str
    good: str = ""

    @property
    def is_skill_md(self) -> bool:
        """Whether the two are whole files."""
        return self.where.endswith("/SKILL.md")


class Rule(NamedTuple):
    """One finding code.

    `levels` are those at `lenient`, `default` and `strict`. A `pinned` rule cannot be turned below them by
    `rules`, `--rule` or an override: the ways out are to mend the file or to leave it out, and for some a
    reviewed exception. One that is not `configurable` is found in artifacts, whose levels no configuration
    changes.

    `why` says in one to three sentences who is hurt and how, `fix` what to do. Both are prose of one paragraph,
    in which backticks mark what is written as it stands. Every rule of the registry has them, and an example.
    """

    code: str
    title: str
    levels: Levels
    pinned: bool = False
    configurable: bool = True
    why: str = ""
    fix: str = ""
    example: Example = Example(where="", bad="")


_SHORT = {"o": Level.OFF, "n": Level.NOTE, "w": Level.WARNING, "e": Level.ERROR}


def rule(
    code: str, levels: str, title: str, *, why: str, fix: str, example: Example, configurable: bool = True
) -> Rule:
    """Return the rule of an entry of the registry; nothing of an entry may be missing.

    As in the design pages a star behind the code says that it is pinned, and `levels` has the first letter of
    each level.
    """
    lenient, default, strict = (_SHORT[letter] for letter in levels)
    return Rule(
        code=code.removesuffix("*"),
        title=title,
        levels=(lenient, default, strict),
        pinned=code.endswith("*"),
        configurable=configurable,
        why=why,
        fix=fix,
        example=example,
    )


def frontmatter(*lines: str, body: str = "") -> str:
    """Return a SKILL.md with these lines between its fences."""
    return "\n".join(("---", *lines, "---", body))


def skill_md(bad: str, good: str, *, place: str = SKILL_MD_PLACE) -> Example:
    """Return an example that is a whole SKILL.md."""
    return Example(where=place, bad=bad, good=good)


def files(bad: str, good: str = "") -> Example:
    """Return an example of what lies in the project."""
    return Example(where=FILES, bad=bad, good=good)


def pyproject(bad: str, good: str) -> Example:
    """Return an example of configuration."""
    return Example(where=PYPROJECT, bad=bad, good=good)


def shell(bad: str, good: str = "") -> Example:
    """Return an example of commands."""
    return Example(where=SHELL, bad=bad, good=good)
