"""Arguments that commands share, and the configuration that they give."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillpack import config
from skillpack.errors import SkillpackError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from skillpack.config import Config, Option
    from skillpack.rules import Setting


SKILLS = click.argument("skills", nargs=-1, metavar="[SKILLS]...")

CACHE = click.option(
    "--no-cache", is_flag=True, help="Look into every file anew, and keep nothing for the next run."
)

_LEVELS = (
    click.option("--lenient", is_flag=True, help="Refuse only what no host could load."),
    click.option("--strict", is_flag=True, help="Accept only what every host accepts."),
    click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="CODE=LEVEL",
        help="Set the level of a finding's code: error, warning, note or off. Repeatable.",
    ),
)

_KINDS: tuple[tuple[str, dict[str, Any] | None], ...] = (
    ("array of tables", None),
    ("array", {"multiple": True}),
    ("integer", {}),
    ("boolean", {"is_flag": True}),
    ('`"resource"`', {"metavar": f"[{'|'.join(config.NESTED)}]"}),
    ('`"module"`', {"metavar": f"[{'|'.join(config.FORMATS)}]"}),
    ("", None),
)
"""How click takes an option, by how its type in `config.OPTIONS` begins; None where a flag cannot say it.

What stands for the value is in the option's own `flag`, `--select PATTERN`, or else here.

The types are not click's: the configuration checks the values, and tells all that are wrong at once.
"""


def table_options(*, without: Collection[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a flag for every key of `[tool.skillpack]` that can have one: the table is the one list of them."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(config.OPTIONS):
            kind = next(kind for start, kind in _KINDS if option.type.startswith(start))
            # the skills are the argument, and what goes into wheels is the hook's
            if kind is not None and option.key not in {"skills", "also-files", *without}:
                metavar = option.flag.strip("`").partition(" ")[2]
                given = {**kind, "metavar": metavar} if metavar else kind
                function = click.option(f"--{option.key}", help=_help(option, kind), **given)(function)
        return function

    return add


def _help(option: Option, kind: Mapping[str, Any]) -> str:
    text = option.help.replace("`", "")
    more = ""
    if kind.get("multiple"):
        more = " Repeatable."
    elif option.default and not kind.get("is_flag"):
        more = f" [default: {option.default}]".translate({ord("`"): None, ord('"'): None})
    return f"{text[0].upper()}{text[1:]}.{more}"


def level_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that set levels; the command gets them as `level`, a `Setting` or None, and `rules`."""

    @functools.wraps(function)
    def run(*, lenient: bool, strict: bool, **values: Any) -> Any:
        if lenient and strict:
            raise click.UsageError("--lenient and --strict exclude each other.")
        return function(level="lenient" if lenient else "strict" if strict else None, **values)

    decorated: Callable[..., Any] = run
    for option in reversed(_LEVELS):
        decorated = option(decorated)
    return decorated


def read_settings(
    *,
    skills: Sequence[str],
    output: str | None = None,
    level: Setting | None = None,
    rules: Sequence[str] = (),
    flags: Mapping[str, Any],
) -> Config:
    """Return the configuration of the current directory under the command line; every fault is in one error."""
    given = {key.replace("_", "-"): _toml(value) for key, value in flags.items() if _is_given(value)}
    return config.load(
        current_directory(), skills=skills, output=output, level=level, rules=rules, flags=given
    )


def current_directory() -> Path:
    """Return the absolute current directory; raises SkillpackError when it is gone."""
    try:
        return Path.cwd()
    except OSError as error:
        raise SkillpackError(f"the current directory cannot be read ({error.strerror})") from error


def _is_given(value: Any) -> bool:
    return value is not None and value is not False and value != ()


def _toml(value: Any) -> Any:
    """Return the value of a flag as TOML would have it: arrays as lists, digits as a number."""
    if isinstance(value, tuple):
        return list(value)
    # no longer than Python makes a number of; what is no number is told by the configuration
    return int(value) if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}", value) else value
