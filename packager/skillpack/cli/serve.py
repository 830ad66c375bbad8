"""The command that serves a bundle to hosts: `serve`."""

from __future__ import annotations

import importlib.util
import logging
import signal
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillpack import reporting, serving
from skillpack.cli.outcome import EXIT_FOUND, EXIT_TERMINATED, ToldError, command, release
from skillpack.config.table import quoted
from skillpack.errors import SkillpackError
from skillpack.export.mcp import faults
from skillpack.findings import visible
from skillpack.loading import is_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillpack.cli.console import Console

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000
MAX_PORT = 65_535


@click.command(
    epilog="""\b
Examples:
  skillpack serve myagent.skills
  skillpack serve dist/myagent-1.0-py3-none-any.whl
  skillpack serve src/myagent/skills.py --http --port 8080
""",
)
@click.argument("module", metavar="MODULE")
@click.option(
    "--http", "over_http", is_flag=True, help="Serve streamable HTTP, not standard input and output."
)
@click.option(
    "--host", metavar="HOST", help=f"The address to listen at, with --http.  [default: {DEFAULT_HOST}]"
)
@click.option(
    "--port",
    type=click.IntRange(0, MAX_PORT),
    metavar="PORT",
    help=f"The port to listen at, with --http; 0 is any free one.  [default: {DEFAULT_PORT}]",
)
@click.option(
    "--module",
    "inner",
    metavar="PATH",
    default="",
    help="The module to serve, by its path in an artifact with several.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="PATTERN",
    help="Serve the skills whose names match, or with ! before it do not.  Repeatable.",
)
@command
def serve(
    console: Console,
    *,
    module: str,
    over_http: bool,
    host: str | None,
    port: int | None,
    inner: str,
    select: tuple[str, ...],
) -> bool:
    """Serve skills over MCP, to hosts that list, check and read them.

    MODULE is the path of a module, wheel, sdist, zip or directory that skillpack wrote into, which is read as data:
    nothing in it is imported or run. Where there is no such path, it is the name of a module to import.

    Every host that can reach the server can read all of its skills, and nothing else. Needs pip install
    'skillpack[mcp]'.
    """
    if not over_http and (host is not None or port is not None):
        raise click.UsageError("--host and --port need --http.")
    name, _, attribute = module.partition(":")
    if is_name(name) and is_name(attribute) and not Path(module).exists():  # as entry points have it
        raise click.UsageError(f"MODULE is the name of a module alone: {quoted(name)}.")
    _check_extra()
    from skillpack.adapters.mcp import server

    bundle = _bundle(module, inner, select)
    _check_hosts(console, bundle)
    made = server(bundle, version=release())
    _log(verbose=console.verbose)
    served = f"serving {reporting.count(len(bundle), 'skill')} of {visible(module)}"
    if over_http:
        from skillpack.serving import http

        address = host or DEFAULT_HOST
        with http.listener(address, DEFAULT_PORT if port is None else port) as listening:
            where = f"at {http.url(listening, address)}"
            ended_by = serving.run(
                partial(http.serve, made, listening, address), partial(console.say, f"{served} {where}")
            )
    elif sys.stdin is None or sys.stdout is None:  # or any file of ours could have been given its number
        raise SkillpackError(
            "standard input or output is closed, which is where MCP is spoken without --http"
        )
    else:
        from skillpack.serving import stdio

        where = "over standard input and output"
        ended_by = serving.run(partial(stdio.serve, made), partial(console.say, f"{served} {where}"))
    if ended_by == signal.SIGINT:
        raise KeyboardInterrupt
    if ended_by is not None:
        sys.exit(EXIT_TERMINATED)
    return True


def _check_extra() -> None:
    """Raise when the SDK is not there, before anything is read for it."""
    try:
        found = importlib.util.find_spec("mcp.server.extension")
    except ImportError:
        found = None
    if found is None:
        raise SkillpackError(
            "serving needs the SDK of MCP, version 2.3 or newer: pip install 'skillpack[mcp]'"
        )


def _bundle(module: str, inner: str, select: Sequence[str]) -> Any:
    """Return the bundle of an artifact, or where there is none, of an importable module."""
    from skillpack import acceptance, loading

    path = Path(module)
    if not is_name(module) or path.exists():
        return acceptance.taken(path, module=inner, select=select)
    if inner:
        raise click.UsageError("--module is for artifacts, and this is the name of a module.")
    return acceptance.chosen(loading.imported(module), module, select)


def _check_hosts(console: Console, bundle: Any) -> None:
    """Refuse skills that hosts would refuse, each with its reasons: one of them may cost a host the whole list."""
    problems = faults(bundle)
    for problem in problems:
        console.error(problem)
    if problems:
        console.say("nothing is served: repair these skills, or leave them out with --select")
        raise ToldError(EXIT_FOUND)


def _log(*, verbose: bool) -> None:
    """Send what the frameworks log to standard error, or nowhere: it quotes clients, and tells of each that leaves."""
    handler = logging.StreamHandler(sys.stderr) if verbose else logging.NullHandler()
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s", handlers=[handler], force=True)
