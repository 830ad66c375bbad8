"""The command that sets a project up: `init`."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click

from skillpack import config
from skillpack.cli.arguments import SKILLS, current_directory
from skillpack.cli.outcome import command, release
from skillpack.errors import ConfigError, SkillpackError
from skillpack.findings import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from skillpack.cli.console import Console
    from skillpack.init import Initialised


@click.command(
    epilog="""\b
Examples:
  skillpack init
  skillpack init --dry-run          show the change as a diff
  skillpack init skills -o src/myagent/skills.py
""",
)
@SKILLS
@click.option(
    "-o", "--output", "--module", "output", metavar="FILE", help="The module that is to be written."
)
@click.option("--no-hook", is_flag=True, help="Leave the module to skillpack bundle, not to each build.")
@click.option("--dry-run", is_flag=True, help="Write nothing; print the change as a diff.")
@command
def init(
    console: Console, *, skills: tuple[str, ...], output: str | None, no_hook: bool, dry_run: bool
) -> bool:
    """Set up a project that packs its skills.

    Adds to the nearest pyproject.toml: the build requirement, the hook (to the hatch.toml beside it where that has a
    build), the options that are not the default, and uv's cache keys where uv is in use. What is there stays as it is, and a second run changes nothing. SKILLS are
    skills roots, or single skills.
    """
    start = current_directory()
    path = config.find_project(start)
    if path is None:
        raise SkillpackError(
            f"{visible(str(start))}: there is no pyproject.toml here or above, and skillpack init adds to one; "
            "create it first, with [build-system] and [project]"
        )
    old = config.read_text(path)
    done, edits, notes = _initialised(path, old, start, skills, output, hook=not no_hook)
    if not dry_run:
        from skillpack import write

        # pyproject.toml first: the requirement without the hook does no harm, the hook without it breaks builds
        for edit in edits:
            write.replace(edit.path, edit.new.encode("utf-8"))
    for change in done.changes:
        console.say(visible(change))
    for edit in edits:
        console.say(f"{'would write' if dry_run else 'wrote'} {_place(edit.path, start)}")
    if not edits:
        console.say(f"unchanged {_place(path, start)}")
    for note in (*done.advice, *notes):
        console.note(note)
    if edits and dry_run:
        lines = (line for edit in edits for line in _diff(edit.old, edit.new, _place(edit.path, start)))
        console.out("".join(lines).removesuffix("\n"))
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    """A file of which the text changes."""

    path: Path
    old: str
    new: str


def _place(path: Path, start: Path) -> str:
    return visible(os.path.relpath(path, start))


def _initialised(
    path: Path, old: str, start: Path, skills: Sequence[str], output: str | None, *, hook: bool
) -> tuple[Initialised, Sequence[_Edit], Sequence[str]]:
    """Return what is to be done, the files that change by it, and what else the user has to know.

    The configuration has taken the new text.
    """
    try:
        from skillpack.init import HATCH_TOML
        from skillpack.init import init as initialise
        from skillpack.toml_document import TomlDocument
    except ModuleNotFoundError as error:  # tomlkit: hatchling brings it from 1.32 on
        raise SkillpackError(
            f"skillpack init needs {error.name}, which is not installed beside skillpack; "
            f"install it there: python -m pip install {error.name}"
        ) from error
    version = release()
    if not version:
        raise SkillpackError("this copy of skillpack is not installed, so it has no version to require")

    project, shown = path.parent, visible(str(path))
    table = config.parse(old, shown)
    default_root = config.default_root(project) or config.DEFAULT_SKILLS[0]
    # roots are given as of the command line, where none has to exist yet
    unset = config.from_table(_without_options(table), project, skills=[default_root])
    # what is wrong with an argument is told by its name, not by that of the key to be
    config.from_table(table, project, start=start, skills=skills or [default_root], output=output)

    module = _from_project(output, start, project) if output else ""
    if fault := config.inside_fault(module):
        raise ConfigError([f"-o {visible(output or '')}: {fault}"])

    hatch_toml = project / HATCH_TOML
    hatch_old = config.read_text(hatch_toml) if hatch_toml.is_file() else ""
    done = initialise(
        old,
        version=version,
        skills=[_from_project(root, start, project) for root in skills],
        module=module,
        default_skills=default_root,
        default_module=unset.module_written,
        hook=hook,
        uv=os.path.lexists(project / "uv.lock"),
        hatch_toml=hatch_old,
    )
    roots = TomlDocument(done.text, path.name).array("tool", "skillpack", "skills") or [default_root]
    settings = config.from_table(config.parse(done.text, shown), project, skills=roots)
    missing = (
        root
        for root in settings.skills
        if not config.is_package(root) and not os.path.lexists(settings.locate(root))
    )
    edits = (
        _Edit(path=path, old=old, new=done.text),
        _Edit(path=hatch_toml, old=hatch_old, new=done.hatch_toml),
    )
    return (
        done,
        [edit for edit in edits if edit.new != edit.old],
        (
            *(notice.line for notice in settings.notices),
            *([settings.module_fault] if settings.module is None else []),
            *(f"{root}: is not there yet; next, write a skill: {root}/NAME/SKILL.md" for root in missing),
        ),
    )


def _without_options(table: Mapping[str, object]) -> dict[str, object]:
    """Return the root table of a pyproject.toml as it would be without `[tool.skillpack]`."""
    tool = table.get("tool")
    others = (
        {key: value for key, value in tool.items() if key != "skillpack"} if isinstance(tool, dict) else {}
    )
    return {**table, "tool": others}


def _from_project(argument: str, start: Path, project: Path) -> str:
    """Return a path of the command line as `[tool.skillpack]` has it: with slashes, from the project's directory."""
    if config.is_package(argument):
        return argument
    path = PurePath(argument)
    if path.is_absolute() and not path.is_relative_to(project):
        return path.as_posix()
    return PurePath(os.path.relpath(start / path, project)).as_posix()


def _diff(old: str, new: str, place: str) -> Iterator[str]:
    """Return the lines of a diff that `patch` takes: only a line feed ends a line, and one without it is marked."""
    import difflib

    before, after = (list(io.StringIO(text, newline="\n")) for text in (old, new))
    for line in difflib.unified_diff(before, after, place, place):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
