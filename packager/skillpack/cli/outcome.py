"""How a command ends: its exit code, and the telling of what it raised."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from skillpack.cli.console import Console, echo
from skillpack.errors import ConfigError, RefusedError, SkillpackError, lacks_memory

if TYPE_CHECKING:
    from collections.abc import Callable


PROGRAM = "skillpack"

EXIT_GOOD = 0
EXIT_FOUND = 1
"""An error finding, drift, or a damaged artifact."""
EXIT_FAILED = 2
"""Usage, configuration, a missing artifact, output that cannot be written; a fault of skillpack itself."""
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class ToldError(Exception):
    """Ends a command that has told all that is wrong, with an exit code that `False` would not give."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


def command(function: Callable[..., bool]) -> Callable[..., None]:
    """Give a command `-v` and `-q`, and end it with an exit code; it returns whether all is good."""

    @click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
    @click.option("-v", "--verbose", is_flag=True, help="Print notes too, and every finding of a kind.")
    @functools.wraps(function)
    def run(*, verbose: bool, quiet: bool, **values: Any) -> None:
        if verbose and quiet:
            raise click.UsageError("--verbose and --quiet exclude each other.")
        console = Console(verbose=verbose, quiet=quiet, environment=os.environ)
        click.get_current_context().exit(_exit_code(console, functools.partial(function, console, **values)))

    return run


def _exit_code(console: Console, action: Callable[[], bool]) -> int:
    """Run `action` and return its exit code; what it raises is told here, in one place for all commands."""
    try:
        return EXIT_GOOD if action() else EXIT_FOUND
    except click.UsageError:
        raise  # click tells it, with the line on how to get help
    except ToldError as error:
        return error.exit_code
    except RefusedError as error:
        console.refused(error.findings)
        return error.exit_code
    except ConfigError as error:
        for problem in error.problems:
            console.error(problem)
        return error.exit_code
    except SkillpackError as error:
        console.error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        console.error("interrupted")
        return EXIT_INTERRUPTED
    except OSError as error:
        place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        console.error(f"{place}{error.strerror or error}")
        return EXIT_FAILED
    except Exception as error:  # noqa: BLE001 - the last resort: a fault of ours ends with its traceback and what to do
        if lacks_memory(error):
            console.error("there is not enough memory for these skills")
            return EXIT_FAILED
        import platform
        import traceback

        echo(traceback.format_exc().rstrip("\n"), err=True, colour=False)
        console.error(
            f"this is a fault of skillpack, not of your skills; please report it with the lines "
            f"above ({version()}, Python {platform.python_version()}, {sys.platform})"
        )
        return EXIT_FAILED


def version() -> str:
    """Return the program's name and version."""
    return f"{PROGRAM} {release() or '(not installed)'}"


def release() -> str:
    """Return the version of PEP 440 that is installed; empty for a copy that is not."""
    from importlib import metadata

    try:
        return metadata.version(PROGRAM)
    except metadata.PackageNotFoundError:
        return ""
