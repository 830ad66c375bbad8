"""What the keys of `[tool.skillpack]` are, as data.

The README's table and the flags of the command line are written from it, and a key that is not in it is a fault.
"""

from __future__ import annotations

from typing import NamedTuple


class Option(NamedTuple):
    """One key of `[tool.skillpack]`, as the README shows it.

    All but `key` are Markdown of one line. `default` is TOML, or words where it depends on something, or empty
    when the key is unset by default. `flag` is what sets it on the command line, empty where nothing does.
    """

    key: str
    type: str
    default: str
    help: str
    flag: str = ""


_SIZE = 'integer (bytes), or text such as `"64 MiB"`'
OPTIONS = (
    Option(
        key="skills",
        type="array of paths",
        default="`skills`, else `.agents/skills`",
        flag="`SKILLS…`",
        help="skills roots, or single skills; paths may lead out of the project; `package:NAME` is what an installed "
        "distribution ships, `package:NAME/SKILL` one skill of it",
    ),
    Option(
        key="module",
        type="path inside the project",
        default="`skills.py` in the project's package",
        flag="`-o`, `--output`",
        help="the Python file that is emitted; the forms that are a folder leave out the `.py`",
    ),
    Option(
        key="format",
        type='`"module"`, `"package"`, `"data"` or `"auto"`',
        default='`"module"`',
        flag="`--format`",
        help="the emitted form: one file, a package whose parts load on first use, the same with data files; "
        "`auto` is a package, but in a wheel of the hook one file up to 2 MiB",
    ),
    Option(
        key="stub",
        type="boolean",
        default="`false`",
        flag="`--stub`",
        help="write a `.pyi` beside the module, in which the names of the skills are a type",
    ),
    Option(
        key="also-files",
        type="boolean",
        default="`false`",
        help="wheels of the hook have the files of the skills too, in `.agents/skills/` beside the module",
    ),
    Option(
        key="level",
        type='`"lenient"`, `"default"` or `"strict"`',
        default='`"default"`',
        flag="`--lenient`, `--strict`",
        help="how much is an error",
    ),
    Option(
        key="rules",
        type='table: a finding\'s code to `"error"`, `"warning"`, `"note"` or `"off"`',
        default="`{}`",
        flag="`--rule CODE=LEVEL`",
        help="levels of single codes; the flag also wins over `overrides`",
    ),
    Option(
        key="overrides",
        type="array of tables: `paths` (array of gitignore patterns) and `rules` (as above)",
        default="`[]`",
        help="levels for some paths, matched against `<root as written>/<path>`; the last match wins",
    ),
    Option(
        key="allow",
        type="array of tables: `path`, `rule`, `sha256` and `reason` (strings)",
        default="`[]`",
        help="reviewed exceptions, each for one file or directory `<root as written>/<path>` with these contents",
    ),
    Option(
        key="select",
        type="array of shell patterns",
        default="",
        flag="`--select PATTERN`",
        help="pack only the skills whose name they choose, the last match wins; `!` in front leaves out",
    ),
    Option(
        key="exclude",
        type="array of gitignore patterns",
        default="`[]`",
        flag="`--exclude PATTERN`",
        help="leave these paths out, matched against `<root as written>/<path>`",
    ),
    Option(
        key="expect",
        type="array of names",
        default="",
        flag="`--expect NAME`",
        help="the skills that must be packed, by name",
    ),
    Option(
        key="expect-count",
        type="integer",
        default="",
        flag="`--expect-count N`",
        help="how many skills must be packed",
    ),
    Option(
        key="allow-empty",
        type="boolean",
        default="`false`",
        flag="`--allow-empty`",
        help="accept that there is nothing to pack",
    ),
    Option(
        key="nested",
        type='`"resource"` or `"split"`',
        default='`"resource"`',
        flag="`--nested`",
        help="a SKILL.md below a skill is a resource of the outer skill, or makes a skill of its own",
    ),
    Option(
        key="max-catalog-chars",
        type="integer",
        default="",
        flag="`--max-catalog-chars N`",
        help="most characters that the catalog of all skills may have",
    ),
    Option(
        key="max-skill-files",
        type="integer",
        default="`4096`",
        flag="`--max-skill-files N`",
        help="most files of one skill",
    ),
    Option(
        key="max-skill-bytes",
        type=_SIZE,
        default='`"64 MiB"`',
        flag="`--max-skill-bytes SIZE`",
        help="most bytes of one skill",
    ),
    Option(
        key="max-file-bytes",
        type=_SIZE,
        default="the value of `max-skill-bytes`",
        flag="`--max-file-bytes SIZE`",
        help="most bytes of one file",
    ),
    Option(
        key="max-files",
        type="integer",
        default="`50000`",
        flag="`--max-files N`",
        help="most files of all skills",
    ),
    Option(
        key="max-bytes",
        type=_SIZE,
        default='`"1 GiB"`',
        flag="`--max-bytes SIZE`",
        help="most bytes of all skills",
    ),
    Option(
        key="max-depth",
        type="integer",
        default="`16`",
        flag="`--max-depth N`",
        help="most directories below one another in a skill",
    ),
)
"""Every key of `[tool.skillpack]`."""


def options_table() -> str:
    """Return the Markdown table of `OPTIONS`, with a line feed at the end."""
    rows = [("Key", "Type", "Default", "Command line", "What it does"), ("---",) * 5]
    rows += [(f"`{row.key}`", row.type, row.default or "unset", row.flag, row.help) for row in OPTIONS]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
