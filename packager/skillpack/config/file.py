"""The pyproject.toml: where it is, its text and the table in it."""

from __future__ import annotations

import codecs
import re
import stat
from typing import TYPE_CHECKING

from skillpack.errors import ConfigError
from skillpack.findings import visible

if TYPE_CHECKING:
    from pathlib import Path

PYPROJECT = "pyproject.toml"


def find_project(start: Path) -> Path | None:
    """Return the nearest pyproject.toml in the directory `start` or above it, or None.

    A directory or a dangling link of that name counts: to pass it over would read another project's options.
    """
    start = start.absolute()
    candidates = (directory / PYPROJECT for directory in (start, *start.parents))
    return next((path for path in candidates if mode_of(path, follow_symlinks=False)), None)


def mode_of(path: Path, *, follow_symlinks: bool = True) -> int:
    """Return `st_mode`, or 0 where nothing can be looked at (also for names too long or with a NUL)."""
    try:
        return path.stat(follow_symlinks=follow_symlinks).st_mode
    except (OSError, ValueError):
        return 0


def read_table(path: Path) -> dict[str, object]:
    """Return the root table of a TOML file; raises ConfigError where `read_text` or `parse` does."""
    return parse(read_text(path), visible(str(path)))


def read_text(path: Path) -> str:
    """Return the text of a TOML file, its line ends as they are; raises ConfigError when it is not UTF-8 text without BOM."""
    shown = visible(str(path))
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # to open a FIFO would wait for ever
            raise ConfigError([f"{shown}: is not a regular file"])
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError([f"{shown}: cannot be read: {error.strerror}"]) from error
    if data.startswith(codecs.BOM_UTF8):
        raise ConfigError(
            [
                f"{shown}:1: begins with a byte order mark (BOM), which TOML does not allow; save it as UTF-8 without BOM"
            ]
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError([f"{shown}:{line}: is not UTF-8; save it as UTF-8"]) from error


def parse(text: str, place: str) -> dict[str, object]:
    """Return what a TOML text holds; raises ConfigError with `place`, the file's name for messages, when it is none."""
    import tomllib  # many a run has no pyproject.toml

    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ConfigError([f"{place}: is nested too deeply"]) from error
    except ValueError as error:  # TOMLDecodeError, and what int() says to a number of over 4,300 digits
        line_and_column, message = _toml_fault(text, str(error))
        raise ConfigError([f"{place}{line_and_column}: is not TOML: {visible(message)}"]) from error


def _toml_fault(text: str, message: str) -> tuple[str, str]:
    """Split the place off a TOML error's message: the error has it as attributes only from Python 3.14 on."""
    message = message[:1].lower() + message[1:]
    if match := re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL):
        return f":{match[2]}:{match[3]}", match[1]
    bare = message.removesuffix(" (at end of document)")
    if bare != message:
        last_line = text.rstrip("\n").count("\n") + 1
        return f":{last_line}", f"{bare} at the end of the file"
    return "", message
