"""The registry of finding codes: what each means and which level it has at each setting.

The tables are those of the design pages "Reading SKILL.md" and "Screening". The registry is data: a check
names a code, and the level, the title and the way out are looked up here.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Literal

Setting = Literal["lenient", "default", "strict"]
SETTINGS: tuple[Setting, ...] = ("lenient", "default", "strict")


class Level(enum.IntEnum):
    """How much a finding weighs: an error stops the build, a warning is shown, a note is counted."""

    OFF = 0
    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """The word used in reports and configuration: `off`, `note`, `warning` or `error`."""
        return self.name.lower()


LEVELS = {level.label: level for level in Level}
"""Level by its word, as `[tool.skillpack.rules]` and `--rule` write it."""

Levels = tuple[Level, Level, Level]
"""The level at `lenient`, `default` and `strict`, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One finding code.

    `levels` are those at `lenient`, `default` and `strict`. A `pinned` rule cannot be turned below them by
    `rules`, `--rule` or an override: the ways out are to mend the file or to leave it out.
    """

    code: str
    title: str
    levels: Levels
    pinned: bool = False


_SHORT = {"o": Level.OFF, "n": Level.NOTE, "w": Level.WARNING, "e": Level.ERROR}


def _rule(code: str, levels: str, title: str) -> Rule:
    lenient, default, strict = (_SHORT[letter] for letter in levels)
    return Rule(
        code=code.rstrip("*"), title=title, levels=(lenient, default, strict), pinned=code.endswith("*")
    )


RULES: dict[str, Rule] = {
    rule.code: rule
    for rule in (
        # SKILL.md, the file
        _rule("skill-md-case*", "eee", "the file's name is exactly SKILL.md"),
        _rule("skill-md-missing", "wwe", "a directory of a skills root has files but no SKILL.md"),
        _rule("skill-md-encoding*", "eee", "SKILL.md is strict UTF-8 without NUL"),
        _rule("bom", "nwe", "SKILL.md begins with a byte order mark"),
        _rule("crlf", "nwe", "SKILL.md has CRLF line ends"),
        _rule("line-ending*", "eee", "lines end with LF or CRLF, not with CR alone"),
        _rule("frontmatter-missing*", "eee", "SKILL.md begins with a frontmatter between two lines ---"),
        _rule("fence-whitespace", "nwe", "a fence line of the frontmatter has trailing blanks"),
        _rule("fence-end", "nwe", "the closing fence ends the file without a newline"),
        _rule("dashes-in-frontmatter", "nwe", "the text --- stands inside the frontmatter"),
        _rule("body-empty", "nnn", "SKILL.md has no instructions below the frontmatter"),
        _rule("body-length", "nnn", "the body is over 500 lines or about 5,000 tokens"),
        # SKILL.md, YAML
        _rule("yaml-invalid", "wee", "the frontmatter is a YAML mapping"),
        _rule("yaml-duplicate-key*", "eee", "a key stands twice in one mapping"),
        _rule("yaml-alias*", "eee", "anchors, aliases, merge keys, tags and directives are refused"),
        _rule("yaml-limits*", "eee", "at most 64 KiB, 8 levels, 1,000 nodes, and 4,300 digits in an integer"),
        _rule("yaml-flow", "nne", "a flow collection, [...] or {...}"),
        _rule("yaml-comment", "nwe", "a comment cuts a plain value"),
        _rule("ambiguous-text", "nee", "name or description is read as another type by some hosts"),
        _rule("ambiguous-scalar", "nne", "a value of another field is read as another type by some hosts"),
        # SKILL.md, fields
        _rule("name-missing", "wee", "name is present and not blank"),
        _rule("name-format", "wee", "name is 1 to 64 of a-z, 0-9 and single hyphens"),
        _rule("name-unsafe*", "eee", "name has no path or control characters"),
        _rule("name-mismatch", "nwe", "name equals the name of its directory"),
        _rule("name-reserved", "nne", "name has no word that a vendor reserves"),
        _rule("name-duplicate*", "eee", "two skills have one name"),
        _rule("description-missing*", "eee", "description is present and not blank"),
        _rule("description-length", "wee", "description is at most 1,024 characters"),
        _rule("description-closing-tag", "wee", "name or description holds a closing tag"),
        _rule("description-markup", "nwe", "name or description holds a tag"),
        _rule("description-control", "wee", "name or description holds control or invisible characters"),
        _rule("description-lines", "nnn", "description has more than one line"),
        _rule("license-type", "wee", "license is text"),
        _rule("compatibility-type", "wee", "compatibility is text of at most 500 characters"),
        _rule("metadata-type", "nwe", "metadata maps text to text"),
        _rule("allowed-tools-form", "nne", "allowed-tools is one space-separated text"),
        _rule("allowed-tools-syntax", "wee", "allowed-tools can be split into tools"),
        _rule("globs-form", "nwe", "globs is a list of texts or a comma-separated text"),
        _rule("field-unknown", "nne", "a key beyond the six fields of the format"),
        _rule("field-case", "wee", "a known key is written in other letters"),
        # reading
        _rule("symlink*", "eee", "a symbolic link"),
        _rule("special-file*", "eee", "a FIFO, socket or device"),
        _rule("hardlink", "nnn", "a file with more than one link"),
        _rule("other-device", "eee", "a mount inside a skill"),
        _rule("unreadable*", "eee", "a file or directory that cannot be read"),
        _rule("file-changed*", "eee", "a file that changed while it was read"),
        _rule("vcs-entry*", "eee", "a version control directory inside a skill"),
        _rule("output-inside-input*", "eee", "the output lies in a skills root"),
        _rule("root-missing*", "eee", "a skills root that does not exist"),
        _rule("root-outside", "nnn", "a skills root outside the project"),
        _rule("root-repeated", "nnn", "a directory that is reached through two skills roots"),
        _rule("skill-repeated", "nnn", "the same skill is reached twice and packed once"),
        _rule("expected-skills", "eee", "the skills are those that the configuration expects"),
        _rule("catalog-budget", "eee", "the catalog is within max-catalog-chars"),
        _rule("no-skills*", "eee", "there is nothing to pack"),
        _rule("nested-skill", "wwe", "a SKILL.md below a skill"),
        _rule("empty-directory", "nnn", "an empty directory, which cannot be represented"),
        _rule("left-out", "nnn", "a cache or an editor's file, which is left out"),
        _rule("excluded", "nnn", "left out by the configuration"),
        _rule("exclude-unused", "wwe", "an exclude pattern that matches nothing"),
        _rule("exclude-skill-md*", "eee", "an exclude pattern that drops a SKILL.md"),
        _rule("large-skill", "wwe", "a skill over 512 files or 16 MiB, where MCP hosts stop"),
        _rule("large-file", "nnn", "a file over 1 MiB"),
        _rule("limit-files", "eee", "a skill over max-skill-files"),
        _rule("limit-skill-bytes", "eee", "a skill over max-skill-bytes"),
        _rule("limit-file-bytes", "eee", "a file over max-file-bytes"),
        _rule("limit-run", "eee", "a run over max-files or max-bytes"),
        _rule("limit-depth", "eee", "a directory below max-depth"),
        # names
        _rule("path-encoding*", "eee", "a path that is not UTF-8"),
        _rule("path-normal-form", "wee", "a path that is not in Unicode normal form C"),
        _rule("path-control*", "eee", "a path with control or invisible characters"),
        _rule("path-windows", "wee", "a path that Windows cannot hold"),
        _rule("path-length", "eee", "a path over 1,024 bytes or a segment over 255"),
        _rule("path-collision*", "eee", "two paths that some file systems cannot tell apart"),
        _rule("local-file", "wwe", "a file named as local that is packed"),
        # secrets
        _rule("secret-name*", "eee", "a file whose name says that it holds a secret"),
        _rule("secret-dir*", "eee", "a directory whose name says that it holds secrets"),
        _rule("secret-content*", "eee", "a secret in a file"),
        _rule("secret-like", "wwe", "what looks like a secret in a file"),
        _rule("sensitive-name", "wwe", "a file whose name says that it may hold private data"),
        # contents
        _rule("invisible-text*", "eee", "SKILL.md has characters that hide text from a reader"),
        _rule("invisible-characters", "wwe", "a text has characters that cannot be seen"),
        _rule("html-comment", "nnn", "an HTML comment in SKILL.md, which a rendered page does not show"),
        _rule("executable-content", "wwe", "a compiled program"),
        # output
        _rule("module-too-large", "eee", "an emitted module over 10 MiB"),
        _rule("module-large", "www", "an emitted module over 2 MiB"),
        _rule("ships-unpacked*", "eee", "a file below a skills root that ships although it is not packed"),
        _rule("ships-twice", "nnn", "a packed file that ships a second time as it is"),
        # artifacts
        _rule("artifact-damaged*", "eee", "a content or an index without the digest that was recorded"),
        _rule("artifact-index*", "eee", "an index that says something else than SKILL.md"),
        _rule("artifact-altered*", "eee", "a module that is not what skillpack writes for its contents"),
        _rule("artifact-manifest*", "eee", "a wheel's manifest that says something else than its module"),
        _rule("runtime-unknown*", "eee", "a module with code of no known release of skillpack"),
        _rule("runtime-older", "nnn", "a module with the runtime of an older release"),
    )
}
"""Every code by its name."""


def rules_table() -> str:
    """Return every code with its levels and title as a Markdown table, for the README."""
    rows = [
        f"| `{rule.code}`{'*' if rule.pinned else ''} | {rule.title} | "
        + " | ".join(level.label for level in rule.levels)
        + " |"
        for rule in RULES.values()
    ]
    return "\n".join(["| code | about | lenient | default | strict |", "|---|---|---|---|---|", *rows])
