"""SKILL.md files in the many spellings that YAML has for one text, from a seed.

Most of what is written here is sound and some is not; a test takes what it needs. Right and wrong are mixed on
purpose: a list of spellings that are known to be sound would hold no surprise.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# fmt: off
SAFE = ["Extract", "text", "from", "PDF", "files", "when", "asked.", "it's", "C#", "naïve", "日本語", "\U0001f600"]
ODD = [
    "100%", "a@b", "`code`", "*all*", "&amp;", "!x", "?", "-", "--", "|", ">", "\\", "\\n", "{x}", "[y]", ",",
    "~", "null", "yes", "12", "0x1F", "1_000", "2024-01-01", "12:30", "1.5e3", "=", "<<", "key:value", "::",
    "#tag", "%TAG", "a#b", "''", '""', '"so"', "- x", "? x", "key: v", "x # y", "no:", "'", '"', "...", "\t",
    "e\u0301", "\U0001f469\u200d\U0001f680", "\u260e\ufe0f", "\u00ad", "\ufffd", "\ue000", "\u0600", "\ufb01",
    "שלום", "x\u00a0y", "\u3000z", "\u2003q", "\u2028", "\x7f", "\ufeff", "\U0010fffd",
]
NAMES = ["no", "on", "1e3", "0x1f", "007", "null", "y", "0o17", "2024-01-01", "12e03", "inf", "a" * 64]
TOOLS = [
    "Read", "Bash(git:*) Read", "Read Write Grep", "Bash(git add:*,git commit:*) Read", "Bash(jq *) mcp__x__y",
    'Bash(python "{x}")', "Bash(a # b)", "*", "Bash(x: y)", "Read, Write", "@x/y",
]
KEYS = [
    "author", "version", "my key", "a.b", "x-y", "Ünïcode", "k1", "my_key", "c/d", "org.example/x", "-k", "a:b",
    "a#b", "名", "k,l", "a'b", "$k", "@k", "a?", "1a", "y", "adk_inject_state", "include_tools",
]
COMMENTS = ["# comment", "#", "  # further in", "# 日本 'x' \"y\" : - [", "# name: other", "", "  ", "\t# tab"]
BODIES = [
    "Body\n", "# Title\n\nDo it.\n", "a\n---\nb\n", "---\n", "x\ry\n", "\x0c\n---\n", "\u2028---\n", "\n\nlate\n",
    "no newline", "```yaml\n---\nname: other\n---\n```\n", "{var} $ARGUMENTS\n", "\ufeffx\n", "",
]
# fmt: on
ESCAPES = {"\t": "\\t", " ": "\\ ", "\u00a0": "\\_", "/": "\\/", "\u2028": "\\L"}


def spellings(seed: int) -> Iterator[bytes]:
    """Yield SKILL.md files without end, the same ones for the same seed."""
    pen = _Pen(Random(seed))
    while True:
        yield pen.file()


class _Pen:
    def __init__(self, random: Random) -> None:
        self.random = random

    def file(self) -> bytes:
        fields = [self.field("name", self.name()), self.field("description", self.description())]
        for key, text in (
            ("license", self.random.choice(["MIT", "Proprietary. LICENSE.txt has the terms", self.words(5)])),
            ("compatibility", self.words(30)),
            ("allowed-tools", self.random.choice(TOOLS)),
        ):
            if self.chance(0.3):
                fields.append(self.field(key, text))
        if self.chance(0.5):
            fields.append(self.metadata())
        self.random.shuffle(fields)
        lines = [line for field in fields for line in (*self.comments(0.12), field)]
        text = "\n".join([*lines, *self.comments(0.2)])
        if self.chance(0.05):
            text = "\n".join(f"  {line}" if line else "" for line in text.split("\n"))
        return f"---\n{text}\n---\n{self.random.choice(BODIES)}".encode()

    # Texts

    def name(self) -> str:
        letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        groups = ["".join(self.random.choices(letters, k=self.count(9))) for _ in range(self.count(4))]
        return self.random.choice(NAMES) if self.chance(0.15) else "-".join(groups)

    def description(self) -> str:
        text = self.words(25)
        if self.chance(0.15):
            text = (text * 1024)[: self.random.choice([1000, 1024]) - 1] + "."
        if self.chance(0.05):
            text = (
                self.random.choice([" ", "\n", "\u00a0"]) + text + self.random.choice([" ", "\n", "\u3000"])
            )
        return text

    def words(self, most: int) -> str:
        pool = SAFE if self.chance(0.4) else SAFE * self.random.choice([1, 8]) + ODD
        return " ".join(self.random.choices(pool, k=self.count(most)))

    # YAML

    def metadata(self) -> str:
        indent = " " * self.count(6)
        lines = []
        for key in self.random.sample(KEYS, self.count(4)):
            text = self.random.choice(["1.0", "example-org", "", self.words(6)])
            lines += [indent + self.field(key, text, indent), *self.comments(0.1)]
        return "\n".join([f"metadata:{self.random.choice(['', '', ' ', ' # c'])}", *lines])

    def field(self, key: str, text: str, indent: str = "") -> str:
        """Spell `key: text`; `indent` is that of the key, which the caller writes."""
        colon = self.random.choice(
            [f"{key}:"] * 8 + [f"'{key}':", f'"{key}":', f"{key} :", f"? {key}\n{indent}:"]
        )
        spelled = self.scalar(text, indent)
        block = spelled.startswith(("|", ">"))
        if self.chance(0.1):
            between = self.random.choice(["", "", f"{indent}  # between\n", "\n"])
            return f"{colon}{self.random.choice(['', '', ' ', ' # c'])}\n{between}{indent}{' ' * self.count(4)}{spelled}"
        tail = "" if block or self.chance(0.8) else self.random.choice([" ", "  ", "\t", " # tail"])
        return colon + self.random.choice([" "] * 8 + ["  ", "\t"]) + spelled + tail

    def scalar(self, text: str, indent: str) -> str:
        style = self.random.choice(
            [self.plain, self.plain, self.single, self.double, self.double, self.block, self.block]
        )
        if style != self.plain and self.chance(0.2):
            text = text.replace(" ", "\n", 1)
        return style(text, indent)

    def plain(self, text: str, indent: str) -> str:
        return self.wrapped(text, indent, 0.08).replace("\n\n", f"\n\n{indent} ")

    def single(self, text: str, indent: str) -> str:
        return "'" + self.plain(text.replace("'", "''"), indent) + "'"

    def double(self, text: str, indent: str) -> str:
        spelled = ""
        for char in text:
            if char in '"\\':
                spelled += f"\\{char}"
            elif char == "\n":
                spelled += "\\n"
            elif char in ESCAPES and self.chance(0.2):
                spelled += ESCAPES[char]
            elif self.chance(0.05):
                spelled += f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08X}"
            elif self.chance(0.02):
                spelled += f"\\\n{indent}  {char.replace(' ', chr(92) + ' ')}"
            else:
                spelled += char
        return f'"{spelled}"'

    def block(self, text: str, indent: str) -> str:
        inner = self.count(4)
        header = self.random.choice("|>") + self.random.choice(["", "-", "-", "-", "+"])
        if self.chance(0.15):
            header += str(inner)
        header += self.random.choice(["", "", "", " ", "  # note"])
        margin = indent + " " * inner
        lines = self.wrapped(text, "", 0.1).split("\n")
        written = [margin + line if line else self.random.choice(["", margin]) for line in lines]
        return "\n".join([header, *written, *[""] * self.random.choice([0, 0, 0, 1, 2])])

    def wrapped(self, text: str, indent: str, odds: float) -> str:
        """Break lines at some single blanks between words; a break that was there becomes a blank line."""
        pieces = text.replace("\n", "\n\n").split(" ")
        spelled = pieces[0]
        for before, piece in pairwise(pieces):
            spelled += f"\n{indent} " if before and piece and self.chance(odds) else " "
            spelled += piece
        return spelled

    def comments(self, odds: float) -> Iterator[str]:
        while self.chance(odds):
            yield self.random.choice(COMMENTS)

    # Chance

    def chance(self, odds: float) -> bool:
        return self.random.random() < odds

    def count(self, most: int) -> int:
        return self.random.randint(1, most)
