"""The command line: arguments in, configuration and pipeline, then lines and an exit code out.

It holds no rule and no format. `program` imports the module of a command when that is asked for, and a command what
the packager needs when it runs, so that `--version`, and the help of one command, come without the others.
"""

from __future__ import annotations

from skillpack.cli.program import cli, main

__all__ = ["cli", "main"]
