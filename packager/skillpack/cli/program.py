"""The program: its commands, its help, and the process that it runs in."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillpack.cli.console import echo
from skillpack.cli.outcome import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_TERMINATED, PROGRAM, version
from skillpack.findings import visible
from skillpack.secrets.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import TextIO


COMMANDS = {
    "init": "project.init",
    "bundle": "packing.bundle",
    "check": "packing.check",
    "list": "inventory.list_skills",
    "export": "exporting.export",
    "explain": "reference.explain",
    "inspect": "artifacts.inspect",
    "verify": "artifacts.verify",
    "serve": "serve.serve",
    "schema": "schema.schema",
}
"""The commands in their order, and where in `skillpack.cli` each is.

It is imported when its command is asked for: what the others need would take half the time of a short run.
"""


@contextmanager
def _told() -> Iterator[None]:
    """Take secrets out of what click says of arguments, which quotes them; tell an interrupt as commands do.

    It may come while the modules of a command are imported, and click would call it aborted and end with 1.
    """
    try:
        yield
    except KeyboardInterrupt:
        echo("error: interrupted", err=True, colour=False)
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None
    except click.UsageError as error:
        said = error.format_message()
        if redacted(said) == said:
            raise
        raise click.UsageError(redacted(said), ctx=error.ctx) from None


class _Program(click.Group):
    """The group of all commands; a mistyped one is answered with the nearest, whatever the version of click."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(".")
        found: click.Command = getattr(import_module(f"skillpack.cli.{module}"), name)
        return found

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _told():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _told():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, COMMANDS, n=1)
            way_out = f"did you mean {near[0]!r}?" if near else f"the commands are {', '.join(COMMANDS)}."
            ctx.fail(f"no such command '{visible(name)}'; {way_out}")
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        echo(f"{version()} from {visible(str(Path(__file__).parents[1]))}", err=False, colour=False)
        ctx.exit()


_EPILOG = """\b
Shell completion:
  bash  eval "$(_SKILLPACK_COMPLETE=bash_source skillpack)"
  zsh   eval "$(_SKILLPACK_COMPLETE=zsh_source skillpack)"
  fish  _SKILLPACK_COMPLETE=fish_source skillpack | source

\b
Exit codes:
  0    good
  1    an error finding, drift, or a damaged artifact
  2    usage, configuration, a missing artifact, output that cannot be written
  130  interrupted
  143  terminated
"""


@click.group(
    cls=_Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EPILOG,
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print version and location, and exit.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Pack agent skills into a frozen Python module that an agent imports.

    Options are read from [tool.skillpack] in the nearest pyproject.toml; what is given here stands above them.
    """
    if ctx.invoked_subcommand is None:
        # help was not asked for: a script whose command came out empty must not be taken for a success
        echo(ctx.get_help(), err=True, colour=False)
        ctx.exit(EXIT_FAILED)


def main() -> None:
    """Run the command line of this process and exit."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a name that the console cannot show is shown as an escape
            stream.reconfigure(errors="backslashreplace")
    try:
        cli.main(prog_name=PROGRAM)
    except OSError as error:
        # of help and version; commands tell their own
        echo(f"error: {error.strerror}", err=True, colour=False)
        sys.exit(EXIT_FAILED)
    finally:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            _settle(stream)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    """End as after an interrupt, so that temporary files go; by default the signal ends the process on the spot."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would end the removal of these
    raise SystemExit(EXIT_TERMINATED)


def _settle(stream: TextIO) -> None:
    """Drop what a stream cannot get rid of: the interpreter would try again at its end, complain and exit with 120."""
    try:
        stream.flush()
    except OSError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
