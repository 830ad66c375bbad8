"""The commands that read skills: `bundle` and `check`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from skillpack.cli.arguments import CACHE, SKILLS, level_options, opened_cache, read_settings, table_options
from skillpack.cli.outcome import command
from skillpack.cli.progress import Progress
from skillpack.cli.report import report_options
from skillpack.errors import RefusedError
from skillpack.findings import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillpack.cli.console import Console
    from skillpack.cli.report import Delivery
    from skillpack.config import Config
    from skillpack.findings import Finding
    from skillpack.rules import Setting


@click.command(
    epilog="""\b
Examples:
  skillpack bundle
  skillpack bundle skills -o src/myagent/skills.py
  skillpack bundle --check          in CI: is the committed module up to date?
""",
)
@SKILLS
@click.option("-o", "--output", metavar="FILE", help="The module to write, instead of the configured one.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the module is not up to date.")
@click.option("--force", is_flag=True, help="Replace a file that skillpack did not write.")
@CACHE
@level_options
@table_options()
@report_options
@command
def bundle(
    console: Console,
    *,
    skills: tuple[str, ...],
    output: str | None,
    check: bool,
    force: bool,
    no_cache: bool,
    level: Setting | None,
    rules: tuple[str, ...],
    report: Delivery,
    **flags: Any,
) -> bool:
    """Pack skills and write the module.

    SKILLS are skills roots, or single skills; without them the configured ones are packed. Nothing is written
    when there is an error.
    """
    from skillpack import pipeline, write

    if check and force:
        raise click.UsageError("--check writes nothing, so --force has nothing to replace.")
    settings = read_settings(skills=skills, output=output, level=level, rules=rules, flags=flags)
    path, place = settings.output(), settings.module_written
    try:
        with (
            Progress(quiet=console.quiet) as progress,
            pipeline.pack(
                settings, cache=opened_cache(console, no_cache=no_cache), progress=progress
            ) as packed,
        ):
            # the one-file form is one pair, whose path is empty
            ((_, data),) = pipeline.emit(packed, place)
            findings, summary = packed.findings, packed.summary()
    except RefusedError as error:
        return _refused(console, settings, error, report)
    _tell(console, settings, findings)
    report.send(console, settings, findings)
    if check:
        state = write.compare(path, data, root=settings.project)
        good = state == "equal"
        if not good:
            console.error(f"{place}: output-stale: {_STALE[state]}; run skillpack bundle")
        verb = "up to date" if good else "stale"
    else:
        good = True
        written = write.write(path, data, root=settings.project, now=time.time(), force=force)
        verb = "wrote" if written else "unchanged"
    console.say(_summary(f"{verb} {visible(place)}: {summary}", console.tally(findings)))
    return good


_STALE = {
    "missing": "there is no such file",
    "stale": "it is not what the skills are packed into now",
    "runtime-newer": "skills unchanged, runtime newer",
}
"""What `bundle --check` says of an output, by the state that `write.compare` returns."""


@click.command(
    epilog="""\b
Examples:
  skillpack check
  skillpack check skills/pdf --strict
  skillpack check -v --rule name-mismatch=error
  skillpack check --report-format github          in GitHub Actions: annotate the lines
  skillpack check --report-format sarif --report-file skills.sarif
""",
)
@SKILLS
@CACHE
@level_options
@table_options()
@report_options
@command
def check(
    console: Console,
    *,
    skills: tuple[str, ...],
    no_cache: bool,
    level: Setting | None,
    rules: tuple[str, ...],
    report: Delivery,
    **flags: Any,
) -> bool:
    """Check skills and write nothing.

    SKILLS are skills roots, or single skills; without them the configured ones are checked.
    """
    from skillpack import pipeline

    settings = read_settings(skills=skills, level=level, rules=rules, flags=flags)
    try:
        with (
            Progress(quiet=console.quiet) as progress,
            pipeline.pack(
                settings, cache=opened_cache(console, no_cache=no_cache), progress=progress
            ) as packed,
        ):
            for _ in pipeline.emit(packed, settings.module_written or "the module"):
                pass  # emitted all the same: a module may be too large, and a check that is good has to hold
            findings, summary = packed.findings, packed.summary()
    except RefusedError as error:
        return _refused(console, settings, error, report)
    _tell(console, settings, findings)
    report.send(console, settings, findings)
    console.say(_summary(f"good: {summary.removeprefix('packed ')}", console.tally(findings)))
    return True


def _refused(console: Console, settings: Config, error: RefusedError, report: Delivery) -> bool:
    """Tell a person first: a report that cannot be written must not cost them the findings."""
    console.refused(error.findings)
    report.send(console, settings, error.findings)
    return False


def _tell(console: Console, settings: Config, findings: Iterable[Finding]) -> None:
    for notice in settings.notices:
        console.warning(notice)
    console.findings(findings)


def _summary(line: str, tally: str) -> str:
    return f"{line}; {tally}" if tally else line
