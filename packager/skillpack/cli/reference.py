"""The command that tells what a finding's code means: `explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skillpack.cli.outcome import command
from skillpack.config.table import near, quoted
from skillpack.fields import excerpt
from skillpack.findings import visible
from skillpack.rules import ALLOWABLE, RULES, SETTINGS, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from click.shell_completion import CompletionItem

    from skillpack.cli.console import Console
    from skillpack.rules import Example, Rule

WIDTH = 80
"""Columns of prose, on every terminal: what is quoted from it is then the same everywhere."""

_HARD_BLANK = "\xa0"
"""A blank at which `textwrap` breaks no line."""

PINNED = "pinned: no rule, flag or override can lower it"
_PINNED_ADVICE = "Nothing sets it lower: mend what it finds, or leave that out of the bundle."
_NOT_CONFIGURABLE = "Nothing sets another level: skillpack verify takes artifacts as they are."


def _complete(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(code, help=rule.title) for code, rule in RULES.items() if code.startswith(incomplete)
    ]


@click.command(
    epilog="""\b
Examples:
  skillpack explain
  skillpack explain name-mismatch
  skillpack explain | grep secret
""",
)
@click.argument("code", required=False, metavar="[CODE]", shell_complete=_complete)
@command
def explain(console: Console, *, code: str | None) -> bool:
    """Explain what a finding means and how to be rid of it.

    CODE is the word that stands before a finding's message. Without it all codes are listed, with their levels at
    --lenient, by default and at --strict.
    """
    if code is None:
        lines = _table()
    elif code in RULES:
        lines = _explanation(RULES[code])
    else:
        way_out = near(code, RULES) or "; skillpack explain lists them"
        raise click.UsageError(f"no such code {quoted(code)}{way_out}")
    for line in lines:
        console.out(line)
    return True


def _table() -> Iterator[str]:
    width = max(map(len, RULES)) + 1
    levels = max(len(level.label) for level in Level)

    def row(first: str, words: Iterable[str], about: str) -> str:
        return "  ".join((f"{first:{width}}", *(f"{word:{levels}}" for word in words), about))

    yield row("code", SETTINGS, "about")
    for rule in RULES.values():
        star = "*" if rule.pinned else ""
        yield row(f"{rule.code}{star}", (level.label for level in rule.levels), rule.title)
    yield ""
    yield f"* {PINNED}"


def _explanation(rule: Rule) -> Iterator[str]:
    yield f"{rule.code}: {rule.title}"
    yield ""
    for setting, level in zip(SETTINGS, rule.levels, strict=True):
        yield f"  {setting:8} {level.label}"
    if rule.pinned:
        yield f"  {PINNED}"
    yield from _section("Why", _filled(rule.why))
    yield from _section("How to fix it", _filled(rule.fix))
    yield from _section(f"Example: {rule.example.where}", _example(rule.example))
    yield from _section("Configuration", _configuration(rule))


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield ""
    yield title
    for line in lines:
        yield f"  {line}".rstrip()


def _filled(prose: str) -> Iterator[str]:
    import re
    import textwrap

    # what stands between backticks is to be pasted: no line ends in it, nor at a hyphen of a code
    kept = re.sub("`[^`]*`", lambda literal: literal[0].replace(" ", _HARD_BLANK), prose)
    for line in textwrap.wrap(kept, WIDTH - 2, break_long_words=False, break_on_hyphens=False):
        yield line.replace(_HARD_BLANK, " ")


def _example(example: Example) -> Iterator[str]:
    for title, text in (("bad", example.bad), ("good", example.good)):
        if text:
            yield f"{title}:"
            for line in text.removesuffix("\n").split("\n"):
                yield f"  {_shown(excerpt(line) if example.is_skill_md else line)}"
            if example.is_skill_md and not text.endswith("\n"):
                yield "  \\ No newline at end of file"


def _shown(line: str) -> str:
    """Return a line of an example with what cannot be seen as escapes, blanks at its end among it."""
    text = line.rstrip(" ")
    return visible(text) + r"\x20" * (len(line) - len(text))


def _configuration(rule: Rule) -> Iterator[str]:
    if not rule.configurable:
        yield _NOT_CONFIGURABLE
    elif rule.pinned:
        yield _PINNED_ADVICE
    else:
        level = Level.WARNING if rule.levels[SETTINGS.index("default")] is Level.ERROR else Level.ERROR
        yield "[tool.skillpack.rules]"
        yield f'{rule.code} = "{level.label}"  # or another of error, warning, note, off'
        yield ""
        yield "[[tool.skillpack.overrides]]"
        yield 'paths = ["skills/vendor/"]  # there alone'
        yield f'rules = {{ {rule.code} = "{level.label}" }}'
        yield ""
        yield f"On the command line: --rule {rule.code}={level.label}"
    if rule.code in ALLOWABLE:
        yield ""
        yield "[[tool.skillpack.allow]]  # a reviewed exception: the refusal prints it filled in"
        yield 'path = "…"'
        yield f'rule = "{rule.code}"'
        yield 'sha256 = "…"'
        yield 'reason = "…"'
