"""Following hints to the letter: from the text that a person reads to the edit that it asks for.

A hint is read by the form of its words and not by the code of its finding. Whatever a hint does not say and its place
does not show is not known here: who reads the same line has as much to go by. Where words leave a choice (`rename it`),
any choice has to do.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import subprocess
import sys
import tomllib
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tomlkit
import yaml

from skillpack.findings import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PYPROJECT = "pyproject.toml"
MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A finding as it was printed: what stands at its place, its code, its message and its advice."""

    path: str
    line: int
    column: int
    level: str
    code: str
    message: str
    hint: str
    entry: str


_PRINTED = re.compile(
    r"(?P<path>.+?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?: (?P<level>error|warning|note): (?P<code>[a-z-]+): "
    r"(?P<message>[^\n]*)(?:\n  hint: (?P<hint>[^\n]*))?(?P<entry>(?:\n  [^\n]*)*)"
)


def printed(text: str) -> Printed:
    """Read a printed finding."""
    match = _PRINTED.fullmatch(text)
    assert match, text
    return Printed(
        path=match["path"],
        line=int(match["line"] or 0),
        column=int(match["column"] or 0),
        level=match["level"],
        code=match["code"],
        message=match["message"],
        hint=match["hint"] or "",
        entry="\n".join(row.strip() for row in match["entry"].splitlines() if not row.startswith("  or,")),
    )


@dataclass(slots=True, kw_only=True)
class Place:
    """Where a finding is, in a project that may be edited: `root` is the project's directory.

    `build_again` makes the artifact of the project anew, `settle` ends what goes on beside the run.
    """

    root: Path
    finding: Printed
    build_again: Callable[[], object] = lambda: None
    settle: Callable[[], object] = lambda: None

    # Files

    @property
    def path(self) -> Path:
        """The file or directory: by its name, or by what is printed in its place."""
        exact = self.root / self.finding.path
        if os.path.lexists(exact):
            return exact
        (found,) = [path for path in self.root.rglob("*") if _shown(path, self.root) == self.finding.path]
        return found

    @property
    def text(self) -> str:
        return self.path.read_bytes().decode("utf-8")

    @text.setter
    def text(self, text: str) -> None:
        self.path.write_bytes(text.encode("utf-8"))

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @lines.setter
    def lines(self, lines: list[str]) -> None:
        self.text = "\n".join(lines)

    @property
    def line(self) -> str:
        return self.lines[self.finding.line - 1]

    @line.setter
    def line(self, line: str) -> None:
        lines = self.lines
        lines[self.finding.line - 1] = line
        self.lines = lines

    @property
    def before(self) -> str:
        """What stands on the line in front of the place."""
        return self.line[: self.finding.column - 1]

    @property
    def behind(self) -> str:
        """What stands on the line from the place on."""
        return self.line[self.finding.column - 1 :]

    def entry_at(self, number: int) -> slice:
        """Return the lines of the mapping's or list's entry that begins on the line with this number."""
        lines = self.lines
        indent = _indent(lines[number - 1])
        end = number
        while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > indent):
            end += 1
        return slice(number - 1, end)

    def field(self, key: str = "") -> slice:
        """Return the lines of the entry of `key` around the place, without one those of the field at the top."""
        number = self.finding.line
        begins = rf"[ ]*(- )*['\"]?{re.escape(key)}['\"]?[ \t]*:" if key else r"[\w'\"]"
        while number > 1 and not re.match(begins, self.lines[number - 1]):
            number -= 1
        return self.entry_at(number)

    def put(self, where: slice, *lines: str) -> None:
        """Put lines in the place of others."""
        found = self.lines
        found[where] = lines
        self.lines = found

    def move(self, path: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)

    def remove(self, path: Path) -> None:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    def fresh(self, path: Path) -> Path:
        """Return a path beside another that nothing has."""
        others = (path.with_name(f"renamed-{number}") for number in itertools.count())
        return next(other for other in others if not os.path.lexists(other))

    # Configuration

    def configure(self, change: Callable[[Any], object], *tables: str) -> None:
        """Change `[tool.skillpack]`, or the table that these keys lead to."""
        path = self.root / PYPROJECT
        document = tomlkit.parse(path.read_text(encoding="utf-8"))
        table: Any = document
        for key in tables or ("tool", "skillpack"):
            table = table.setdefault(key, tomlkit.table())
        change(table)
        path.write_text(tomlkit.dumps(document), encoding="utf-8")

    def options(self) -> dict[str, Any]:
        tool = tomllib.loads((self.root / PYPROJECT).read_text(encoding="utf-8")).get("tool", {})
        options: dict[str, Any] = tool.get("skillpack", {})
        return options

    def roots(self) -> list[str]:
        roots: list[str] = self.options().get("skills", ["skills"])
        return roots

    def set_option(self, key: str, value: object) -> None:
        self.configure(lambda table: table.update({key: value}))

    def exclude(self, *patterns: str) -> None:
        self.set_option("exclude", [*self.options().get("exclude", []), *patterns])


def _shown(path: Path, root: Path) -> str:
    """Return a path as findings print it."""
    return visible(os.fsencode(path.relative_to(root)).decode("utf-8", "backslashreplace"))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


# ------------------------------------------------------------------ ways


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way out that a hint names: its words, and what they ask for."""

    words: str
    form: re.Pattern[str] | None
    follow: Callable[[Place], object]


FORMS: list[tuple[re.Pattern[str], Callable[..., object]]] = []
"""The forms of words that are understood, each with what it asks for: a function of the place and of its groups."""


def form(pattern: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Have a function follow the words of a pattern; `PATH` stands for a path or gitignore pattern in a hint."""
    whole = pattern.replace("PATH", r"(\S.*?)(?=,? or |, (?!or )|$)")

    def register(function: Callable[..., object]) -> Callable[..., object]:
        FORMS.append((re.compile(rf"(?<![\w-]){whole}(?![\w-])"), function))
        return function

    return register


def split(hint: str) -> tuple[str, str]:
    """Return the words of a hint and what they are followed by, behind a colon: a line to paste, or an explanation."""
    quoted = re.sub(r"`[^`]*`", lambda match: "`" * len(match[0]), hint)
    at = quoted.find(": ")
    return (hint, "") if at < 0 else (hint[:at], hint[at + 2 :])


def ways(finding: Printed) -> Iterator[Way]:
    """Yield every way out that a finding's advice names and that can be followed."""
    words, payload = split(finding.hint)
    for pattern, function in FORMS:
        for match in pattern.finditer(words):

            def follow(
                place: Place,
                function: Callable[..., object] = function,
                groups: tuple[str, ...] = match.groups(),
            ) -> object:
                return function(place, payload, *groups)

            yield Way(words=match[0], form=pattern, follow=follow)
    if finding.entry:
        yield Way(words=finding.entry, form=None, follow=lambda place: allow(place, finding.entry))


def unread(finding: Printed) -> str:
    """Return what no form covers of the words of a hint."""
    words, _ = split(finding.hint)
    for pattern, _ in FORMS:
        words = pattern.sub("", words)
    return re.sub(r"^(?:[,; ]|or\b|and\b)+|(?:[,; ]|\bor|\band)+$", "", words)


# ------------------------------------------------------------------ lines to paste


@form(
    "quote it(?!,)|quote the value|give the skill a name|use a-z, 0-9 and single hyphens between them"
    "|write what the skill does and when to use it|delete these characters|separate the tools with single spaces"
    "|write the value in quotes on one line|begin the field in the first column|write spaces instead of tabs"
    "|close the quote|use single quotes|delete the white space around it|leave \\w+ out of the name"
)
def paste(place: Place, line: str) -> None:
    """Paste a line over the field that it is, or below the opening fence where there is no such field."""
    key = re.match(r" *(?:- )*([\w.-]+):|", line)
    assert key
    assert line, "there is no line to paste"
    if place.finding.line == 1:
        place.put(slice(1, 1), line)
    elif key[1] and not line.startswith(" "):
        same = re.match(rf" *{re.escape(key[1])}\b", place.line)
        where = place.entry_at(place.finding.line) if same else place.field(key[1])
        place.put(where, line)
    else:
        place.put(slice(place.finding.line - 1, place.finding.line), line)


@form("quote it, as text")
def quote(place: Place, _: str) -> None:
    place.line = f'{place.before}"{place.behind}"'


@form("shorten it(?: and move the details below the frontmatter)?")
def shorten(place: Place, line: str) -> None:
    if line:
        paste(place, line)
        return
    limit = re.search(r"at most (\d+)", place.finding.message)
    assert limit
    place.line = place.before + place.behind[: int(limit[1])]


# ------------------------------------------------------------------ edits at a line


@form("delete it|delete the character")
def delete(place: Place, _: str) -> None:
    """Delete the character at the place, or the whole of what a place without a column names."""
    if place.finding.column:
        place.line = place.before + place.behind[1:]
    else:
        place.remove(place.path)


@form(r"delete ([&!]\S*)")
def delete_mark(place: Place, _: str, mark: str) -> None:
    rest = place.behind
    at = rest.index(mark)
    place.line = place.before + rest[:at] + rest[at + len(mark) :].lstrip(" ")


@form("delete the line")
def delete_line(place: Place, _: str) -> None:
    place.put(slice(place.finding.line - 1, place.finding.line))


@form("delete the field")
def delete_field(place: Place, _: str) -> None:
    place.put(place.field())


@form("delete one of the two|delete the key")
def delete_entry(place: Place, _: str) -> None:
    place.put(place.entry_at(place.finding.line))


@form("delete the blanks behind ---")
def delete_blanks(place: Place, _: str) -> None:
    place.line = place.line.rstrip()


@form("end the line --- with a newline")
def end_line(place: Place, _: str) -> None:
    place.text += "\n"


@form("write — in place of ---")
def write_dash(place: Place, _: str) -> None:
    place.line = place.line.replace("---", "—")


@form(r"write [|>][1-9]?- in place of [|>][1-9+]*")
def write_header(place: Place, line: str) -> None:
    place.line = line


@form("write it without angle brackets")
def write_without_brackets(place: Place, _: str) -> None:
    place.line = place.before + re.sub("[<>]", "", place.behind)


@form("write it as one text in quotes")
def write_as_text(place: Place, _: str) -> None:
    if place.before.strip():
        place.line = f'{place.before}"{place.behind}"'
        return
    above = place.finding.line - 1
    where = place.entry_at(above)
    items = [row.strip(" -") for row in place.lines[where][1:] if row.strip(" -")]
    place.put(where, f'{place.lines[above - 1]} "{", ".join(items)}"')


@form("balance the parentheses")
def balance(place: Place, _: str) -> None:
    missing = place.behind.count("(") - place.behind.count(")")
    value = place.behind + ")" * missing if missing > 0 else place.behind.replace(")", "", -missing)
    place.line = place.before + value


@form("write one indented line `(- item|key: value)` for each entry")
def write_entries(place: Place, _: str, kind: str) -> None:
    (value,) = yaml.load(f"[{place.behind}]", Loader=yaml.BaseLoader)
    rows = value if kind == "- item" else value.items()
    indent = " " * (_indent(place.line) + 2)
    lines = [f"{indent}- {row}" if kind == "- item" else f"{indent}{row[0]}: {row[1]}" for row in rows]
    place.put(slice(place.finding.line - 1, place.finding.line), place.before.rstrip(), *lines)


@form("move the comment to a line of its own(?: above the key)?")
def move_comment(place: Place, _: str) -> None:
    where = slice(place.finding.line - 1, place.finding.line)
    place.put(where, place.behind, place.before.rstrip())


@form("move it under metadata")
def move_under_metadata(place: Place, _: str) -> None:
    where = place.field()
    moved = place.lines[where]
    place.put(where, "metadata:", *(f"  {row}" for row in moved))


@form("move it into a file of the skill")
def move_into_file(place: Place, _: str) -> None:
    where = place.field()
    (place.path.parent / "moved.yaml").write_text("\n".join(place.lines[where]), encoding="utf-8")
    place.put(where)


@form("indent it as they are")
def indent_as_above(place: Place, _: str) -> None:
    above = place.lines[place.finding.line - 2]
    place.line = " " * _indent(above) + place.line.strip()


@form("indent it, if it continues the value above")
def indent(place: Place, _: str) -> None:
    place.line = f"  {place.line}"


@form("take it out of the file")
def take_out_of_file(place: Place, _: str) -> None:
    replace(place, "", "")


@form("take it out of the value")
def take_out_of_value(place: Place, _: str) -> None:
    entry = place.entry_at(place.finding.line)
    place.put(entry, f"{place.before}x")


@form(r"put a placeholder such as (\S+) in its place")
def replace(place: Place, _: str, placeholder: str) -> None:
    length = re.search(r"([\d,]+) characters", place.finding.message)
    assert length
    place.line = place.before + placeholder + place.behind[int(length[1].replace(",", "")) :]


# ------------------------------------------------------------------ whole files


@form("save (?:it|the file) with LF(?: line ends)?")
def save_with_lf(place: Place, _: str) -> None:
    place.text = place.text.replace("\r\n", "\n").replace("\r", "\n")


@form("save it as UTF-8(?: without one)?")
def save_as_utf_8(place: Place, _: str) -> None:
    data = place.path.read_bytes()
    utf_16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    utf_8 = data.startswith(b"\xef\xbb\xbf")
    place.text = data.decode("utf-16" if utf_16 else "utf-8-sig" if utf_8 else "cp1252")


@form(r"pin that with a line `(.*)` in \.gitattributes")
def write_attributes(place: Place, _: str, line: str) -> None:
    save_with_lf(place, "")
    (place.root / ".gitattributes").write_text(line, encoding="utf-8")


@form("begin the file with the lines (`.*`)")
def begin_with_lines(place: Place, _: str, lines: str) -> None:
    place.text = "\n".join([*re.findall("`([^`]*)`", lines), place.text])


@form("make --- the first line, with nothing above it or before it")
def begin_with_fence(place: Place, _: str) -> None:
    place.text = place.text.lstrip()


@form(r"put a line --- below line (\d+)")
def close_fence(place: Place, _: str, number: str) -> None:
    place.put(slice(int(number), int(number)), "---")


# ------------------------------------------------------------------ names and directories


@form(r"rename it to (\S+)")
def rename_to(place: Place, _: str, name: str) -> None:
    if place.finding.line:
        place.line = place.before + re.sub(r"^[\w-]+", name, place.behind)
    else:
        place.move(place.path, place.path.with_name(name))


@form(r"rename it without U\+([0-9A-F]+)")
def rename_without(place: Place, _: str, code: str) -> None:
    path = place.path
    place.move(path, path.with_name(path.name.replace(chr(int(code, 16)), "")))


@form(
    r"rename it(?=,|$)(?:, so that a checkout on Windows has it too)?|rename one of the two"
    "|give it another name|shorten the name"
)
def rename(place: Place, _: str) -> None:
    """Give another name to the key on the line, or to the file that the place is."""
    if place.finding.line:
        place.line = re.sub(r"^( *)[^\s:]+", r"\1renamed", place.line)
        return
    place.move(place.path, place.fresh(place.path))


@form("(?:rename (?!the|it|one)|or the directory )PATH")
def rename_path(place: Place, _: str, path: str) -> None:
    place.move(place.root / path, place.fresh(place.root / path))


@form("compose its accents")
def compose(place: Place, _: str) -> None:
    path = place.path
    place.move(path, path.with_name(unicodedata.normalize("NFC", path.name)))


@form("shorten the names of its directories")
def shorten_directories(place: Place, _: str) -> None:
    path = place.path
    for directory in list(path.parents)[: len(path.relative_to(place.root).parts) - 3]:
        place.move(directory, directory.with_name("d"))


@form("(?:remove|take) (?:it|the link)(?: out of the skill)?(?=,| or |$)")
def remove(place: Place, _: str) -> None:
    """Remove what is at the place; what is wrong about the configuration is what the message names there."""
    if place.finding.path != PYPROJECT:
        place.remove(place.path)
        return
    options = place.options()
    for key in ("exclude", "allow", "overrides"):
        kept = [item for item in options.get(key, []) if not _is_named(item, place.finding.message)]
        if key in options:
            place.set_option(key, kept)


def _is_named(item: Any, message: str) -> bool:
    if isinstance(item, str):
        return f"`{item}`" in message
    if "paths" in item:
        return all(_is_named(path, message) for path in item["paths"])
    return f"{item['path']}, {item['rule']}," in message


@form(r"remove (?!it\b|the\b)PATH")
def remove_path(place: Place, _: str, path: str) -> None:
    target = place.root / path
    place.remove(target if os.path.lexists(target) else place.path.with_name(path))


@form("replace the link with a copy of (?!what)PATH")
def copy(place: Place, _: str, target: str) -> None:
    _copy(place.path, place.root / target)


@form(
    "replace the link with a copy of what it leads to, outside the project, if it may be published"
    "|put a copy of it in the place of the link"
)
def copy_target(place: Place, _: str) -> None:
    path = place.path
    while not path.is_symlink():
        path = path.parent
    _copy(path, path.resolve())


def _copy(link: Path, target: Path) -> None:
    link.unlink()
    if target.is_dir():
        shutil.copytree(target, link)
    else:
        shutil.copy(target, link)


@form(r"move its directory out of PATH")
def move_directory(place: Place, _: str, outer: str) -> None:
    directory = place.path.parent
    place.move(directory, place.root / outer / ".." / directory.name)


@form("add a SKILL.md")
def add_skill_md(place: Place, _: str) -> None:
    name = place.path.name
    text = f"---\nname: {name}\ndescription: What {name} is for.\n---\n\nDo it.\n"
    (place.path / "SKILL.md").write_text(text, encoding="utf-8")


@form("create the directory")
def create(place: Place, _: str) -> None:
    (place.root / place.finding.path).mkdir()


@form("make it readable")
def make_readable(place: Place, _: str) -> None:
    place.path.chmod(0o755)


@form("rename the directory")
def rename_directory(place: Place, _: str) -> None:
    root = place.path.parents[1]
    for directory, name in re.findall(r"(\S+) is named ([^\s,]+)", place.finding.message):
        place.move(root / directory, root / name)


@form("set the name to the directory's")
def set_name(place: Place, _: str) -> None:
    place.text = re.sub(r"(?m)^name:.*", f"name: {place.path.parent.name}", place.text, count=1)


@form("rename one of them")
def rename_skill(place: Place, _: str) -> None:
    place.text = re.sub(r"(?m)^name: *(.*)", r"name: \1-2", place.text, count=1)


@form("run again when nothing writes to (?:it|the skills)")
def run_again(place: Place, _: str) -> None:
    place.settle()


@form(r"take (\S+) out of what is built, and build again")
def take_out_and_build(place: Place, _: str, name: str) -> None:
    place.remove(place.path.parent / name)
    place.build_again()


@form("build it again(?: from its sources)?")
def build_again(place: Place, _: str) -> None:
    place.build_again()


# ------------------------------------------------------------------ configuration


@form("leave (?:it|the file) out(?: of the bundle)?(?= if it is no part|$)")
def paste_option(place: Place, option: str) -> None:
    table, key, value = re.split(r"(?<=\]) | = ", option, maxsplit=2)
    assert (table, key) == ("[tool.skillpack]", "exclude")
    place.exclude(*tomllib.loads(f"exclude = {value}")["exclude"])


def allow(place: Place, entry: str) -> None:
    """Paste an `allow` entry, with the reason that it asks for."""
    (row,) = tomllib.loads(entry)["tool"]["skillpack"]["allow"]
    assert row.pop("reason") == ""
    place.set_option("allow", [*place.options().get("allow", []), {**row, "reason": "reviewed in a test"}])


@form(r"exclude the directory (\S+) to leave the whole skill out")
def exclude_instead(place: Place, _: str, pattern: str) -> None:
    kept = [item for item in place.options()["exclude"] if not _is_named(item, place.finding.message)]
    place.set_option("exclude", [*kept, pattern])


@form("exclude (?!what|the directory)PATH")
def exclude(place: Place, _: str, pattern: str) -> None:
    place.exclude(pattern)


@form(r"exclude what (?:it|the skill) does not need, such as PATH")
def exclude_example(place: Place, _: str, pattern: str) -> None:
    place.exclude(pattern)


@form("leave one out with `exclude`")
def exclude_skill(place: Place, _: str) -> None:
    place.exclude(f"{place.finding.path.removesuffix('/SKILL.md')}/")


@form("leave large files out with `exclude`")
def exclude_large(place: Place, _: str) -> None:
    files = (path for root in place.roots() for path in (place.root / root).rglob("*"))
    place.exclude(*(str(file.relative_to(place.root)) for file in files if file.stat().st_size > MEBIBYTE))


@form("raise ([a-z-]+)")
def raise_limit(place: Place, _: str, key: str) -> None:
    place.set_option(key, 2**30)


@form(r"set ([a-z-]+) = (true|\"[a-z]+\")(?: if this is right| to pack it as a skill of its own)?")
def set_option(place: Place, _: str, key: str, value: str) -> None:
    place.set_option(key, tomllib.loads(f"value = {value}")["value"])


@form('add (".*") to `skills`')
def add_roots(place: Place, _: str, roots: str) -> None:
    place.set_option("skills", [*place.roots(), *re.findall('"([^"]*)"', roots)])


@form(r"(?:write|name) `?([^`\s]+)`?(?:, its directory)? in `skills`(?: instead)?")
def name_root(place: Place, _: str, root: str) -> None:
    rest = [known for known in place.roots() if known != place.finding.path]
    place.set_option("skills", [*rest, root])


@form("move it away")
def move_away(place: Place, _: str) -> None:
    place.path.rename(place.root.parent / f"{place.root.name}-moved")


@form("move that away")
def move_that_away(place: Place, _: str) -> None:
    named = re.search(r"Python would import (\S+), which lies beside it", place.finding.message)
    assert named
    ((place.root / place.finding.path).parent / named[1]).rename(
        place.root.parent / f"{place.root.name}-moved"
    )


@form("replace it with `skillpack bundle --force`")
def replace_by_force(place: Place, _: str) -> None:
    with contextlib.chdir(place.root):
        subprocess.run(
            [sys.executable, "-m", "skillpack", "bundle", "--force"], check=True, capture_output=True
        )


@form("run skillpack bundle")
def bundle(place: Place, _: str) -> None:
    place.build_again()


@form("choose another `module`")
@form("write it to another directory")
def move_output(place: Place, _: str) -> None:
    place.set_option("module", "elsewhere.py")


@form(r"take the skills root out of what \[(.*)\] ships, by `exclude` there")
def exclude_from_target(place: Place, _: str, table: str) -> None:
    (root,) = [root for root in place.roots() if place.finding.path.startswith(f"{root}/")]
    place.configure(lambda target: target.update({"exclude": [root]}), *table.split("."))
