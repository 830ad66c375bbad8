"""What the emitted files that are for people have in common: their first lines, and what they export."""

from __future__ import annotations

from skillpack.emit.layout import FIRST_LINE, PUBLIC_NAMES

# Line length is all that linters may not judge here (a reformatted literal would be an edit). BLE001 is the one
# `except Exception` of the runtime, which answers whatever a model sends; RUF100 would want the line gone where
# these rules are off. A project that is strict with pyright is so with its own code: the runtime passes `mypy --strict`
# and pyright's standard rules, and its classes share their inner parts.
_LINTERS = """\
# fmt: off
# flake8: noqa: E501
# ruff: noqa: BLE001, E501, RUF100
# pylint: disable=line-too-long,too-many-lines
# pyright: standard
"""

_USE = """\
Agent skills, packed by skillpack into {place}.

Import `bundle` from this module:

    bundle.catalog()             names and descriptions, for the system prompt
    bundle.load(name)            a skill's instructions, framed for the model
    bundle.read(name, path)      one file of a skill
    bundle.tools()               the two above as functions for an agent framework
    bundle.call(tool, arguments) the answer to a model's tool call, in text, whatever was sent
    bundle.session()             a conversation that remembers what is loaded, and what that allows
    bundle[name].file(path)      a file with its digest, for the agent's own code

{where} To change them, edit their
sources and run skillpack again; `skillpack verify` tells whether {subject} what skillpack wrote.
"""

EXPORTS = "".join(["\n__all__ = [\n", *(f'    "{name}",\n' for name in PUBLIC_NAMES), "]\n"])


def how_to_use(place: str, where: str, subject: str) -> str:
    """Return the text for a reader of the module; the words say what was packed into what, and where skills stand."""
    return _USE.format(place=place, where=where, subject=subject)


def preamble(documentation: str) -> str:
    """Return the first lines of an emitted file, with a text about it as its docstring."""
    return f'{FIRST_LINE.decode("ascii")}\n{_LINTERS}"""{documentation}"""\n'
