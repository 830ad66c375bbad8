"""The commands that read skills: `bundle` and `check`."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from skillpack.cli.arguments import CACHE, SKILLS, level_options, read_settings, table_options
from skillpack.cli.outcome import EXIT_FAILED, ToldError, command
from skillpack.cli.progress import Progress
from skillpack.cli.report import report_options
from skillpack.errors import RefusedError
from skillpack.findings import visible
from skillpack.rules import Level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.cli.console import Console
    from skillpack.cli.report import Delivery
    from skillpack.config import Config
    from skillpack.pipeline import Output, Packed
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
    from skillpack.cache import Cache, Runs, kept_in
    from skillpack.capture import captured
    from skillpack.emit.layout import folder_of
    from skillpack.standing import Run

    if check and force:
        raise click.UsageError("--check writes nothing, so --force has nothing to replace.")
    with report.telling_faults(console):
        settings = read_settings(skills=skills, output=output, level=level, rules=rules, flags=flags)
        path = settings.output()
    place = settings.written(folder_of(path) if settings.emits_folder else path)
    home = None if no_cache else kept_in(settings, console.environment, sys.platform)
    try:
        with Progress(quiet=console.quiet) as progress, captured(settings, progress.reported) as taken:
            # --check compares with what is emitted anew: it is there for those who trust nothing
            run = Run(Runs(None if check else home), taken)
            standing = run.recall()
            if standing:
                verb, good, findings, summary = "unchanged", True, standing.findings, standing.summary
                progress.clear()
                console.findings(findings)
                report.send(console, settings.base, findings)
            else:
                from skillpack import pipeline, write

                allowed: Output = "replaced" if force else "kept"
                with pipeline.pack(
                    settings, output=allowed, cache=Cache(home), progress=progress.reported, taken=taken
                ) as packed:
                    made = pipeline.emit(
                        packed, settings.module_written, standing=None if check else folder_of(path)
                    )
                    files = run.watched(progress.over("making files", made))
                    stub, root = pipeline.stub(packed), settings.project
                    if check:
                        for found, state in write.compare_output(path, files, stub, root=root):
                            if state != "equal":
                                packed.report.add(
                                    "output-stale",
                                    settings.written(found),
                                    _STALE[state],
                                    hint="run skillpack bundle",
                                )
                    progress.clear()
                    good = not packed.report.has_errors
                    findings, summary = packed.findings, packed.summary()
                    console.findings(findings)
                    report.send(console, settings.base, findings)
                    if check:
                        verb = "up to date" if good else "stale"
                    else:
                        # here, while the contents are there: a folder form is made as it is written
                        written = write.write_output(
                            path, files, stub, root=root, now=time.time(), force=force
                        )
                        verb = "wrote" if written else "unchanged"
                        run.keep(findings, summary, stub)
    except RefusedError as error:
        _refused(console, settings, error, report)
        if _is_good_but_for_the_output(error):
            raise ToldError(EXIT_FAILED) from error
        return False
    console.say(_summary(f"{verb} {visible(place)}: {summary}", console.tally(findings)))
    return good


@contextmanager
def packing(
    console: Console, settings: Config, output: Output, *, no_cache: bool
) -> Iterator[tuple[Packed, Progress]]:
    """Pack with the user's cache, and show how far the run is; the parameters are those of `pipeline.pack`."""
    from skillpack import pipeline
    from skillpack.cache import Cache, kept_in

    cache = Cache(None if no_cache else kept_in(settings, console.environment, sys.platform))
    with (
        Progress(quiet=console.quiet) as progress,
        pipeline.pack(settings, output=output, cache=cache, progress=progress.reported) as packed,
    ):
        yield packed, progress


_STALE = {
    "missing": "there is no such file",
    "stale": "it is not what the skills are packed into now",
    "runtime-newer": "skills unchanged, runtime newer",
    "off": "`stub` is off, and this one is still there",
}
"""What `bundle --check` says of an output, by its `write.State`."""


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

    SKILLS are skills roots, or single skills; without them the configured ones are checked, and that the module can
    be written where the configuration has it.
    """
    from skillpack import pipeline

    with report.telling_faults(console):
        settings = read_settings(skills=skills, level=level, rules=rules, flags=flags)
    try:
        with packing(console, settings, "unused" if skills else "kept", no_cache=no_cache) as (
            packed,
            progress,
        ):
            made = pipeline.emit(packed, settings.module_written or "the module")
            for _ in progress.over("making files", made):
                pass  # emitted all the same: a module may be too large, and a check that is good has to hold
            findings, summary = packed.findings, packed.summary()
    except RefusedError as error:
        _refused(console, settings, error, report)
        return False
    console.findings(findings)
    report.send(console, settings.base, findings)
    console.say(_summary(f"good: {summary.removeprefix('packed ')}", console.tally(findings)))
    return True


def _refused(console: Console, settings: Config, error: RefusedError, report: Delivery) -> None:
    """Tell a person first: a report that cannot be written must not cost them the findings."""
    console.refused(error.findings)
    report.send(console, settings.base, error.findings)


def _is_good_but_for_the_output(error: RefusedError) -> bool:
    """Return whether all that is wrong is that the output cannot be written, which is no verdict on the skills."""
    return {finding.code for finding in error.findings if finding.level is Level.ERROR} == {"output-foreign"}


def _summary(line: str, tally: str) -> str:
    return f"{line}; {tally}" if tally else line
