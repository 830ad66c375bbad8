"""The report for machines that a run can leave beside what it tells a person: its form, and where it goes."""

from __future__ import annotations

import functools
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from skillpack import config, reporting
from skillpack.cli.arguments import current_directory
from skillpack.cli.outcome import ToldError, release
from skillpack.errors import ConfigError
from skillpack.findings import Finding
from skillpack.rules import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from skillpack.cli.console import Console

FORMATS = ("text", "json", "sarif", "github")
STANDARD_OUTPUT = "-"


class Delivery(NamedTuple):
    """What is asked for: `form` is one of `FORMATS`, `file` a path or `-` for standard output."""

    form: str
    file: str

    def send(self, console: Console, base: Path, findings: Sequence[Finding]) -> None:
        """Write the report of a run in the absolute directory `base`; raises OutputError when its file cannot be written.

        As text it goes to a file alone, since standard error has it already.
        """
        to_file = self.file != STANDARD_OUTPUT
        if self.form == "text" and not to_file:
            return
        text = self._text(console, base, findings)
        if to_file:
            from skillpack import write

            write.write_report(Path(self.file), text.encode("utf-8", "backslashreplace"))
        elif text:
            console.out(text.removesuffix("\n"))

    @contextmanager
    def telling_faults(self, console: Console) -> Iterator[None]:
        """Tell the faults of a configuration in the report too: what reads that would get no document at all."""
        try:
            yield
        except ConfigError as error:
            # a person first: a report that cannot be written must not cost them the faults
            for problem in error.problems:
                console.error(problem)
            start = current_directory()
            pyproject = config.find_project(start)
            self.send(
                console,
                pyproject.parent if pyproject else start,
                [
                    Finding(code="configuration", level=Level.ERROR, path=config.PYPROJECT, message=problem)
                    for problem in error.problems
                ],
            )
            raise ToldError(error.exit_code) from error

    def _text(self, console: Console, base: Path, findings: Sequence[Finding]) -> str:
        if self.form == "json":
            from skillpack.reports.record import record

            return record(findings)
        if self.form == "text":
            return "".join(f"{line}\n" for line in reporting.lines(findings, verbose=console.verbose))
        project = path_in_checkout(base, console.environment.get("GITHUB_WORKSPACE", ""))
        if self.form == "sarif":
            from skillpack.reports.sarif import sarif

            return sarif(findings, version=release() or "unknown", project=project)
        from skillpack.reports.github import github

        return github(findings, project=project, verbose=console.verbose)


def report_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of a report; the command gets them as `report`, a `Delivery`."""

    @click.option(
        "--report-format",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="The form of the report on findings. Text is what standard error shows anyway.",
    )
    @click.option(
        "--report-file",
        metavar="FILE",
        default=STANDARD_OUTPUT,
        show_default=True,
        help="Where the report goes; - is standard output.",
    )
    @functools.wraps(function)
    def run(*, report_format: str, report_file: str, **values: Any) -> Any:
        return function(report=Delivery(form=report_format, file=report_file), **values)

    return run


def path_in_checkout(base: Path, workspace: str) -> str:
    """Return the POSIX path of the absolute directory `base` from the root of its checkout, empty where it is that.

    The nearest `.git` says where that is (a worktree has a file of the name); without one it is `workspace`, what
    GITHUB_WORKSPACE holds, if `base` is in there. In this order, since the step that checks out can put a repository
    below the workspace, while GitHub counts paths from the repository. It is empty for what is in no checkout.
    """
    marked = (directory for directory in (base, *base.parents) if os.path.lexists(directory / ".git"))
    root = next(marked, Path(workspace))
    return "/".join(base.relative_to(root).parts) if base.is_relative_to(root) else ""
