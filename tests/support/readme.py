"""READMEs as data: its fenced blocks, their commands, and the tables that are written from the code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from skillpack.config import options_table
from skillpack.export.formats import formats_table
from skillpack.rules import rules_table

PATH = Path(__file__).resolve().parents[2] / "README.md"
TABLES = {"options": options_table, "exports": formats_table, "findings": rules_table}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: its language, its text, and the line on which it begins."""

    language: str
    text: str
    line: int


def blocks(path: Path = PATH) -> list[Block]:
    """Return the fenced blocks of a Markdown file in their order."""
    found: list[Block] = []
    language, begin, lines = "", 0, list[str]()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("```"):
            lines.append(line)
        elif language:
            found.append(
                Block(language=language, text="".join(f"{text}\n" for text in lines[begin:]), line=number)
            )
            language = ""
        else:
            language, begin = line[3:] or "none", len(lines)
    return found


def transcript(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output that it is to have."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def with_tables(text: str) -> str:
    """Return the README's text with its tables written anew from the code."""
    for name, table in TABLES.items():
        text = with_table(text, name, table())
    return text


def with_table(text: str, name: str, table: str) -> str:
    """Return the README's text with another table in the place of the one called `name`."""
    head, begin, rest = text.partition(f"<!-- {name}:")
    comment, _, rest = rest.partition("-->\n")
    _, end, tail = rest.partition(f"<!-- end of {name} -->")
    assert end, f"the README has no place for the table of {name}"
    return f"{head}{begin}{comment}-->\n{table}\n{end}{tail}"
