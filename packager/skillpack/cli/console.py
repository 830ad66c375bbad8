"""What a person sees: results on standard output, all that is said about them on standard error."""

from __future__ import annotations

import io
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from skillpack import reporting
from skillpack.findings import visible
from skillpack.rules import Level
from skillpack.secrets.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from skillpack.findings import Finding
    from skillpack.reporting import Role


_STYLES: Mapping[Role, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan"},
    "code": {"bold": True},
    "hint": {"fg": "green"},
    "good": {"fg": "green", "bold": True},
}


class Console(NamedTuple):
    """Results go to standard output, all that is said about them to standard error."""

    verbose: bool
    quiet: bool
    environment: Mapping[str, str]

    def out(self, line: str = "", role: Role | None = None, word: str = "") -> None:
        """Print a line of a result; `word`, painted as `role`, ends it."""
        painted = f"{line}{click.style(word, **_STYLES[role])}" if role else line
        echo(painted, err=False, colour=_colourful(sys.stdout, self.environment))

    def document(self, data: bytes) -> None:
        """Print a document that was asked for, byte for byte: what it holds is the user's, and no console's line ends.

        When the reader has gone, as `head` does, the rest is dropped and the verdict stands.
        """
        with suppress(BrokenPipeError):
            click.echo(data, nl=False)

    def say(self, line: str) -> None:
        """Print a line about the run, unless it is to be quiet."""
        if not self.quiet:
            echo(line, err=True, colour=False)

    def error(self, message: str) -> None:
        """Print what stopped the run."""
        self._told("error", message)

    def warning(self, message: str) -> None:
        """Print what does not stop the run."""
        if not self.quiet:
            self._told("warning", message)

    def note(self, message: str) -> None:
        """Print what the user may want to know or to do."""
        if not self.quiet:
            self._told("note", message)

    def _told(self, role: Role, message: str) -> None:
        colour = _colourful(sys.stderr, self.environment)
        echo(f"{paint(role, role)}: {visible(message)}", err=True, colour=colour)

    def findings(self, findings: Iterable[Finding]) -> None:
        """Print findings: the errors alone when it is to be quiet."""
        wanted = [finding for finding in findings if finding.level is Level.ERROR or not self.quiet]
        colour = _colourful(sys.stderr, self.environment)
        for text in reporting.lines(wanted, verbose=self.verbose, paint=paint):
            echo(text, err=True, colour=colour)

    def refused(self, findings: Sequence[Finding]) -> None:
        """Print the findings of a run that they stopped, and their tally."""
        self.findings(findings)
        self.say(f"refused: {self.tally(findings)}")

    def tally(self, findings: Iterable[Finding]) -> str:
        """Return how many findings there are, by level."""
        return reporting.tally(findings, verbose=self.verbose)


def paint(text: str, role: Role) -> str:
    """Return `text` in the colours of a role."""
    return click.style(text, **_STYLES[role])


def _colourful(stream: object, environment: Mapping[str, str]) -> bool:
    """Return whether a stream takes colour: a terminal, unless NO_COLOR (no-color.org) or a dumb one says no."""
    if environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
        return False
    return isinstance(stream, io.TextIOBase) and stream.isatty()


def echo(text: str, *, err: bool, colour: bool) -> None:
    """Print a line, without a secret wherever it came from: a traceback, a path in an artifact.

    When the reader has gone, as `head` does, the rest is dropped and the verdict stands. So it does when nothing
    can be said about it; a result that cannot be written is a failure.
    """
    with suppress(OSError if err else BrokenPipeError):
        click.echo(redacted(text), err=err, color=colour)
