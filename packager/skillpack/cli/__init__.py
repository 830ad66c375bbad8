"""The command line: arguments in, configuration and pipeline, then lines and an exit code out.

It holds no rule and no format. Whatever the packager needs is imported by the command that needs it, so that
help, completion and `--version` answer at once.
"""

from __future__ import annotations

from skillpack.cli.program import cli, main

__all__ = ["cli", "main"]
