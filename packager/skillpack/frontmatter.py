"""SKILL.md's bytes become the fields of a skill; the one module that imports yaml.

The rules are the design page "Reading SKILL.md". Text fields are the scalars as written (`version: 1.10` is
"1.10"); `values` are what hosts read, from the same nodes. Nothing is edited: a level only decides whether a
finding stops the build, and a repair changes what is read, never the file.

PyYAML has two parsers. libyaml's is about ten times as fast, and the two disagree on tabs, flow collections,
tags, directives and some comments. So the pure parser is the measure: it decides on every text that holds one
of these (`_UNSETTLED`), and on every text that libyaml rejects, so that messages and places are its own too.
Running both and comparing was rejected: findings would depend on whether libyaml is installed.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from skillpack.fields import FIELDS, MODEL_DESCRIPTION, excerpt, faults, globs, name_faults, slug, tools
from skillpack.model import Frontmatter
from skillpack.rules import Level
from skillpack.runtime.text import body_start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from yaml._yaml import Mark as CMark

    from skillpack.fields import Fault
    from skillpack.findings import Report
    from skillpack.model import Json
    from skillpack.rules import Levels

    Loader = type[yaml.BaseLoader | yaml.CBaseLoader]

MAX_FRONTMATTER_BYTES = 64 * 1024
MAX_DEPTH = 8
MAX_NODES = 1_000
MAX_INT_DIGITS = 4_300
"""Python refuses to read or print a longer integer, and with it its hosts the whole frontmatter."""
MAX_BODY_LINES = 500
MAX_BODY_TOKENS = 5_000
CHARS_A_TOKEN = 4
MAX_FILE_CHARS = 10 * 1024 * 1024
"""One host passes a longer SKILL.md over."""

_ALWAYS_ERROR: Levels = (Level.ERROR, Level.ERROR, Level.ERROR)
_DATE_LEVELS: Levels = (Level.NOTE, Level.WARNING, Level.ERROR)
_HUGE_BODY_LEVELS: Levels = (Level.NOTE, Level.WARNING, Level.ERROR)
_KEY_COMMENT_LEVELS: Levels = (Level.NOTE, Level.NOTE, Level.ERROR)

_OPENING = re.compile(r"---([ \t]*)\r?\n")
_CLOSING = re.compile(r"---([ \t]*)(\r?\n|\Z)")
_LONE_CR = re.compile(r"\r(?!\n)")
_UNDECODED = re.compile(r"[\0\udc80-\udcff]")

# What YAML forbids as it stands, and the line breaks that are YAML 1.1's alone.
_FOREIGN = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_UNSETTLED = re.compile(r"[\t\[{]|(?:^|\s)!|^%|^---|^\.\.\.|[|>][-+0-9]*#", re.MULTILINE)
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BEYOND_UNICODE = re.compile(r"\\U(?!0010|000)[0-9A-Fa-f]{8}")

# YAML 1.2's core schema, where it differs from 1.1, and 1.1's one-letter booleans, which PyYAML leaves alone.
_OTHER_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+")
_OTHER_BOOLEANS = frozenset("yYnN")
_YAML = "tag:yaml.org,2002:"
_READINGS = {
    "bool": "a boolean",
    "float": "a number",
    "int": "a number",
    "null": "null",
    "timestamp": "a date",
    "value": "a default value",
}
_RESOLVER: Any = Resolver()
_CONSTRUCTOR = SafeConstructor()
_INT_BOUND = 10**MAX_INT_DIGITS

# Not \S: it leaves out blanks that are text to YAML.
_FIELD_LINE = re.compile(
    r"(?P<lead>[ \t]*(?:- +)*[\w.-]+[ \t]*:[ \t]+|[ \t]*(?:- +)+)(?P<value>.*[^ \t\r])[ \t\r]*"
)
_COMMENT = re.compile(r"[ \t]+#")
_KEY_COMMENT = re.compile(r":[ \t]+#")
_HEADER_COMMENT = re.compile(r"[|>][-+0-9]*[ \t]+#")
_FOLDED_FIELD = re.compile(
    r"^(?P<lead>[\w.-]+[ \t]*:[ \t]+)(?P<value>[^\s|>][^\n]*(?:\n[ \t]+[^\n]*)+)", re.MULTILINE
)
# How the pure parser's problems, and its contexts, begin when the first character of a value is at fault.
_CANNOT_BEGIN = (
    "found character",
    "expected the node content",
    "mapping keys are not allowed",
    "sequence entries are not allowed",
)
_CANNOT_BEGIN_IN = (
    "while scanning an alias",
    "while scanning an anchor",
    "while scanning a tag",
    "while parsing a tag",
    "while parsing a node",
)

_REFERENCE_IN_TEXT = re.compile(r"\*\S*\s*$|[&!]\S*[ \t]+[^\s|>\[{]", re.MULTILINE)
_MARKS = {"anchor": re.compile(r"&[\w-]*"), "tag": re.compile(r"![^\s,\[\]{}]*")}
_CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)
_MAX_HINT_CHARS = 1_200
"""A line to paste holds a description of the greatest length; a longer one is not worth printing."""

_CR_HINT = "save the file with LF line ends"
_FIELDS_HINT = "write one field a line: name: …, description: …"

_REFERENCES = {
    "alias": ("'*' at the start of a value is a YAML alias", "write out what it stands for"),
    "anchor": ("'&' at the start of a value is a YAML anchor", "delete"),
    "directive": ("a line that begins with % is a YAML directive", "delete the line"),
    "document": ("'---' and '...' at the start of a line separate YAML documents", "delete the line"),
    "merge": ("'<<' is YAML's merge key", "write out what it stands for"),
    "tag": ("'!' at the start of a value is a YAML tag", "delete"),
}
"""What `yaml-alias` refuses: message and hint; where text stands behind the mark, quoting is the better hint.

The hints for the marks of `_MARKS` go on with the mark.
"""

_KEY_CODES = frozenset({"field-case", "field-unknown"})

FASTEST: Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""libyaml's parser where PyYAML was built with it."""


def read(
    data: bytes, *, place: str, directory: str, report: Report, loader: Loader = FASTEST
) -> Frontmatter | None:
    """Read the bytes of a SKILL.md; everything there is to say about them goes to `report`.

    `place` is the file's path as findings show it (`skills/pdf/SKILL.md`), `directory` the name of the
    skill's directory, `loader` one of PyYAML's two base loaders: it changes the speed and nothing else.

    Returns None when an error leaves the fields without a meaning. With other errors the fields are still
    returned, so that later stages can add their findings in the same run.
    """
    return _Reader(place=place, directory=directory, report=report, loader=loader).read(data)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scalar:
    """`start` and `end` are offsets in the text, here and below; `plain` means unquoted and not a block."""

    text: str
    plain: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sequence:
    items: tuple[_Node, ...]
    flow: bool
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mapping:
    items: tuple[tuple[_Scalar, _Node], ...]
    flow: bool
    start: int


_Node = _Scalar | _Sequence | _Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """A frontmatter as nodes. `references` are the first place of each sort of thing that `yaml-alias` refuses."""

    root: _Mapping
    references: dict[str, int]


class _RefusedError(Exception):
    """Reading stops at `index` of the text, with this finding."""

    def __init__(self, code: str, index: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.index = index
        self.message = message
        self.hint = hint


class _PureLoader(yaml.BaseLoader):
    """The pure parser, which stops at nested flow collections before it looks ahead over thousands of them."""

    def fetch_flow_collection_start(self, token_class: type[yaml.Token]) -> None:
        super().fetch_flow_collection_start(token_class)
        if self.flow_level > MAX_DEPTH:
            raise _too_deep(self.get_mark().index - 1)


class _Reader:
    """One reading of one file. `text` is the frontmatter between the fences; it begins on line 2."""

    def __init__(self, *, place: str, directory: str, report: Report, loader: Loader) -> None:
        self.place = place
        self.directory = directory
        self.report = report
        self.loader = loader
        self.text = ""

    def read(self, data: bytes) -> Frontmatter | None:
        if not self._find_text(data):
            return None
        document = self._document()
        if document is None:
            return None
        self._check_nodes(document)
        if document.references.keys() & {"alias", "merge", "document"}:
            return None
        return self._fields(document.root)

    # The file

    def _find_text(self, data: bytes) -> bool:
        """Find the frontmatter and report on everything around it; False when there is none to read."""
        text, undecoded = self._decode(data)
        if text.startswith("\ufeff"):
            text = text[1:]
            self._add_line(
                1, "bom", "the file begins with a byte order mark", hint="save it as UTF-8 without one"
            )
        opening = _OPENING.match(text)
        closing = _closing_fence(text, opening.end()) if opening else None
        if opening is None or closing is None:
            if not undecoded:
                self._add_no_frontmatter(text, opened=opening is not None)
            return False
        self.text = text[opening.end() : closing.start()]
        if len(self.text.encode("utf-8", "surrogateescape")) > MAX_FRONTMATTER_BYTES:
            message = f"the frontmatter is larger than {MAX_FRONTMATTER_BYTES} bytes"
            self._add("yaml-limits", 0, message, hint="move text below the frontmatter or into files")
            return False
        self._check_lines(text)
        self._check_fences(opening, closing)
        self._check_body(text)
        if _UNDECODED.search(self.text):
            return False
        if lone := _LONE_CR.search(self.text):
            self._add("line-ending", lone.start(), "a CR alone, which does not end a line", hint=_CR_HINT)
            return False
        return True

    def _decode(self, data: bytes) -> tuple[str, bool]:
        """Return the text and whether it is unsound: what is not UTF-8 is in it as lone surrogates."""
        message, hint = "the file holds a NUL character", "delete it"
        try:
            text = data.decode("utf-8")
            index = text.find("\0")
        except UnicodeDecodeError as error:
            text = data.decode("utf-8", "surrogateescape")
            index = len(data[: error.start].decode("utf-8"))
            utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
            message, hint = f"the file is {'UTF-16' if utf16 else 'not UTF-8'}", "save it as UTF-8"
        if index < 0:
            return text, False
        line, column = _position(text.removeprefix("\ufeff"), index - text.startswith("\ufeff"))
        self._add_line(line, "skill-md-encoding", message, hint=hint, column=column)
        return text, True

    def _add_no_frontmatter(self, text: str, *, opened: bool) -> None:
        mended = _LONE_CR.sub("\n", text)
        opening = _OPENING.match(mended)
        if opening and _closing_fence(mended, opening.end()):
            line, column = _position(text, text.index("\r"))
            message = "lines end with CR alone, so no frontmatter is found"
            self._add_line(line, "line-ending", message, hint=_CR_HINT, column=column)
            return
        if opened:
            message = "the frontmatter is not closed: no later line is ---"
            hint = f"put a line --- below line {_last_field_line(text)}"
        elif text.lstrip().partition("\n")[0].strip() == "---":
            message = "the first line is not ---"
            hint = "make --- the first line, with nothing above it or before it"
        else:
            message = "there is no frontmatter: the first line is not ---"
            name = _quoted(slug(self.directory) or "my-skill")
            lines = ("---", f"name: {name}", f"description: {_quoted(MODEL_DESCRIPTION)}", "---")
            hint = f"begin the file with the lines {', '.join(f'`{line}`' for line in lines)}"
        self._add_line(1, "frontmatter-missing", message, hint=hint)

    def _check_lines(self, text: str) -> None:
        if crlf := text.count("\r\n"):
            line = text.count("\n", 0, text.index("\r\n")) + 1
            message = f"{crlf} of {text.count(chr(10))} lines end with CRLF"
            hint = "save it with LF, and pin that with a line `SKILL.md text eol=lf` in .gitattributes"
            self._add_line(line, "crlf", message, hint=hint)
        if dashes := sum("---" in line for line in self.text.split("\n")):
            more = f", and on {dashes - 1} more" if dashes > 1 else ""
            message = f"the text --- stands inside the frontmatter on this line{more}"
            hint = "write — in place of ---"
            self._add("dashes-in-frontmatter", self.text.index("---"), message, hint=hint)

    def _check_fences(self, opening: re.Match[str], closing: re.Match[str]) -> None:
        last = self.text.count("\n") + 2
        for line, fence in ((1, opening), (last, closing)):
            if fence[1]:
                message, hint = "the fence has trailing blanks", "delete the blanks behind ---"
                self._add_line(line, "fence-whitespace", message, hint=hint, column=4)
        if not closing[2]:
            message = "the closing fence ends the file without a newline"
            self._add_line(last, "fence-end", message, hint="end the line --- with a newline", column=4)

    def _check_body(self, text: str) -> None:
        start = body_start(text)
        line = text.count("\n", 0, start) + 1
        body = text[start:]
        if not body.strip():
            self._add_line(line, "body-empty", "there are no instructions below the frontmatter")
        lines = body.count("\n") + (not body.endswith("\n"))
        tokens = len(body) // CHARS_A_TOKEN
        if lines > MAX_BODY_LINES or tokens > MAX_BODY_TOKENS:
            message = f"the body has {lines} lines and about {tokens} tokens"
            hint = "move details into files that are read when they are needed"
            levels = _HUGE_BODY_LEVELS if len(text) > MAX_FILE_CHARS else None
            self._add_line(line, "body-length", message, hint=hint, levels=levels)

    # YAML

    def _document(self) -> _Document | None:
        """Return the frontmatter as nodes, repaired where the level of `yaml-invalid` allows, or None."""
        try:
            return _compose(self.text, self.loader)
        except _RefusedError as error:
            if error.code != "yaml-invalid":
                self._refuse(error)
                return None
            refused: _RefusedError | None = error
        document = None
        broken = _broken_lines(self.text, self.loader)
        repaired = _with_lines_quoted(self.text, broken)
        if broken:
            try:
                document, refused = _compose(repaired, self.loader), None
            except _RefusedError as error:
                refused = error
        for fault in broken:
            self._refuse(fault)
        self.text = repaired
        if refused:
            # What no repair can cure is lost to every host: no level makes that a warning.
            level = self._refuse(refused, levels=_ALWAYS_ERROR)
            if level < Level.ERROR:
                message = "no field can be read from this frontmatter"
                self._add("description-missing", refused.index, message, hint=refused.hint)
            return None
        return document if self.report.level("yaml-invalid", self.place) < Level.ERROR else None

    def _check_nodes(self, document: _Document) -> None:
        for sort, index in document.references.items():
            message, hint = _REFERENCES[sort]
            if sort in _MARKS and (mark := _MARKS[sort].search(self.text, index)):
                hint = f"{hint} {excerpt(mark[0])}"
            line = _quoted_line(self.text, index) if _REFERENCE_IN_TEXT.match(self.text, index) else ""
            self._add("yaml-alias", index, message, hint=_hint("quote the value", line) if line else hint)
        for key, value in document.root.items:
            if key.text in FIELDS:
                self._check_key_comments(key, value)
                self._check_comments(value)
                self._check_readings(key.text, value)
        self._check_shape(document.root)

    def _check_shape(self, node: _Node, *, in_flow: bool = False) -> None:
        """Report flow collections (the outermost only), keys that stand twice, and numbers beyond all hosts."""
        if isinstance(node, _Scalar):
            if node.plain and _tag(node.text) == _YAML + "int" and _integer(node.text) is None:
                message = f"an integer that Python hosts cannot read: the limit is {MAX_INT_DIGITS} digits"
                self._add("yaml-limits", node.start, message, hint="quote it, as text")
            return
        if node.flow and not in_flow:
            shape, line = ("[…]", "`- item`") if isinstance(node, _Sequence) else ("{…}", "`key: value`")
            message = f"a flow collection, {shape}, which some readers refuse"
            self._add("yaml-flow", node.start, message, hint=f"write one indented line {line} for each entry")
        inside = in_flow or node.flow
        if isinstance(node, _Sequence):
            for item in node.items:
                self._check_shape(item, in_flow=inside)
            return
        first: dict[str, int] = {}
        for key, value in node.items:
            if key.text in first:
                line_number, _ = self._at(first[key.text])
                message = f"the key {excerpt(key.text)} stands twice in one mapping: it is on line {line_number} already"
                self._add("yaml-duplicate-key", key.start, message, hint="delete one of the two")
            first.setdefault(key.text, key.start)
            self._check_shape(key, in_flow=inside)
            self._check_shape(value, in_flow=inside)

    def _check_key_comments(self, key: _Scalar, value: _Node) -> None:
        """Report comments between a key and its value that the reference validator may fail on.

        Whether it does depends on how the value is quoted and on the lines around it, which is more than an
        author should have to know.
        """
        if isinstance(value, _Mapping):
            for inner in value.items:
                self._check_key_comments(*inner)
            return
        comment = _KEY_COMMENT.search(self.text, key.end, value.start)
        if comment is None and "\n" in self.text[key.end : value.start]:
            comment = _HEADER_COMMENT.match(self.text, value.start)
        if comment:
            message = "a comment between a key and its value, which the reference validator may fail on"
            hint = "move the comment to a line of its own above the key"
            self._add("yaml-comment", comment.end() - 1, message, hint=hint, levels=_KEY_COMMENT_LEVELS)

    def _check_comments(self, value: _Node) -> None:
        for scalar in _scalars(value):
            if scalar.plain and (comment := _COMMENT.match(self.text, scalar.end)):
                message = "everything from the # on is a comment and no part of the value"
                index = comment.end() - 1
                whole = f"{scalar.text} {_rest_of_line(self.text, index)}".strip()
                line = self._line_before(scalar) + _quoted(whole)
                hint = _hint("move the comment to a line of its own, or quote the value", line)
                self._add("yaml-comment", index, message, hint=hint)

    def _check_readings(self, key: str, value: _Node) -> None:
        """Report plain scalars that hosts read as something else than text."""
        in_text = key in {"name", "description"}
        for scalar in _scalars(value, keys=True):
            # An empty field of its own is blank, which the field's rules report.
            reading = _reading(scalar) if scalar.text or (key == "metadata" and scalar is not value) else ""
            if reading:
                line = self._line_before(scalar) + _quoted(scalar.text) + _rest_of_line(self.text, scalar.end)
                self._add(
                    "ambiguous-text" if in_text else "ambiguous-scalar",
                    scalar.start,
                    f"some hosts read this value of {key} as {reading}, not as text",
                    hint=_hint("quote it", line),
                    levels=_DATE_LEVELS if reading == "a date" and not in_text else None,
                )

    # Fields

    def _fields(self, root: _Mapping) -> Frontmatter | None:
        texts = {key.text: _texts(value) for key, value in root.items}
        values = {key.text: _values(value) for key, value in root.items}
        levels = self._add_faults(root, faults(texts, directory=self.directory))
        if "description-missing" in levels or levels.get("name-missing") is Level.ERROR:
            return None
        if "name-missing" in levels:
            texts["name"] = self.directory
            self._add_faults(root, name_faults(self.directory))
        metadata = texts.get("metadata")
        entries = metadata.items() if isinstance(metadata, dict) else ()
        return Frontmatter(
            name=str(texts["name"]),
            description=str(texts["description"]),
            values=values,
            license=_text(texts.get("license")),
            compatibility=_text(texts.get("compatibility")),
            metadata={key: value for key, value in entries if isinstance(value, str)},
            allowed_tools=tools(texts.get("allowed-tools")),
            globs=globs(texts.get("globs")),
            hidden=values.get("hide") is True or values.get("disable-model-invocation") is True,
        )

    def _add_faults(self, root: _Mapping, found: Iterable[Fault]) -> dict[str, Level]:
        """Report faults and return the level of each code among them."""
        levels = {}
        for fault in found:
            if self.report.policy.setting == "strict" or not fault.strict_only:
                levels[fault.code] = self._add_fault(root, fault)
        return levels

    def _add_fault(self, root: _Mapping, fault: Fault) -> Level:
        """Report a fault at its value, or at its key, or at the opening fence where there is neither."""
        line, column = 1, 1
        node: _Node = root
        for step in fault.path:
            for key, value in node.items if isinstance(node, _Mapping) else ():
                if key.text == step:
                    line, column = self._at(key.start if fault.code in _KEY_CODES else value.start)
                    node = value
                    break
        hint = _hint(fault.hint, f"{fault.path[0]}: {_quoted(fault.cure)}") if fault.cure else fault.hint
        return self.report.add(fault.code, self.place, fault.message, hint=hint, line=line, column=column)

    # Findings

    def _at(self, index: int) -> tuple[int, int]:
        line, column = _position(self.text, index)
        return line + 1, column

    def _add(
        self, code: str, index: int, message: str, *, hint: str = "", levels: Levels | None = None
    ) -> Level:
        line, column = self._at(index)
        return self.report.add(code, self.place, message, hint=hint, line=line, column=column, levels=levels)

    def _add_line(
        self,
        line: int,
        code: str,
        message: str,
        *,
        hint: str = "",
        column: int = 1,
        levels: Levels | None = None,
    ) -> Level:
        return self.report.add(code, self.place, message, hint=hint, line=line, column=column, levels=levels)

    def _refuse(self, error: _RefusedError, *, levels: Levels | None = None) -> Level:
        return self._add(error.code, error.index, error.message, hint=error.hint, levels=levels)

    def _line_before(self, scalar: _Scalar) -> str:
        """Return the line up to a scalar; an empty one stands right behind its indicator."""
        before = self.text[self.text.rfind("\n", 0, scalar.start) + 1 : scalar.start]
        return before + " " * before.endswith((":", "-"))


def _last_field_line(text: str) -> int:
    """Return the number of the line before the first blank one: where a frontmatter that is not closed should end."""
    return sum(1 for _ in itertools.takewhile(str.strip, text.split("\n")))


def _closing_fence(text: str, start: int) -> re.Match[str] | None:
    """Return the first fence at the beginning of a line from `start` on.

    By `str.find`: a regular expression with `^` needs seconds for a file of the greatest size.
    """
    while not (fence := _CLOSING.match(text, start)):
        start = text.find("\n---", start) + 1
        if not start:
            return None
    return fence


def _position(text: str, index: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1; LF ends a line, columns are code points."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _rest_of_line(text: str, index: int) -> str:
    end = text.find("\n", index)
    return text[index : len(text) if end < 0 else end].rstrip("\r")


def _line_at(text: str, index: int) -> str:
    start = text.rfind("\n", 0, index) + 1
    return _rest_of_line(text, start)


def _hint(what: str, line: str) -> str:
    """Return an instruction with the line to paste behind it, where there is one that is worth printing."""
    return f"{what}: {line}" if line and len(line) <= _MAX_HINT_CHARS else what


def _quoted(text: str) -> str:
    """Return `text` as a quoted YAML scalar on one line, which every reader takes for the same text."""
    if not text.isprintable() or ("\\" in text and "'" in text and '"' in text):
        return '"' + "".join(_escaped(char) for char in text) + '"'
    if "\\" in text or '"' in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def _escaped(char: str) -> str:
    if char in '\\"':
        return f"\\{char}"
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def _quoted_line(text: str, index: int) -> str:
    """Return the line around `index` with its value in quotes, or nothing when it is no `key: value`."""
    match = _FIELD_LINE.fullmatch(_line_at(text, index))
    return match["lead"].replace(":\t", ": ").replace("\t", "  ") + _quoted(match["value"]) if match else ""


def _scalars(node: _Node, *, keys: bool = False) -> Iterator[_Scalar]:
    """Yield the scalars below a node, those of mapping keys only if `keys`."""
    if isinstance(node, _Scalar):
        yield node
    elif isinstance(node, _Sequence):
        for item in node.items:
            yield from _scalars(item, keys=keys)
    else:
        for key, value in node.items:
            if keys:
                yield key
            yield from _scalars(value, keys=keys)


def _texts(node: _Node) -> Json:
    """Return a node as text, and lists and mappings of text: PyYAML's BaseLoader."""
    return _converted(node, lambda scalar: scalar.text)


def _values(node: _Node) -> Json:
    """Return a node as hosts read it: PyYAML's SafeLoader, with the text of what JSON cannot hold."""
    return _converted(node, lambda scalar: _value(scalar.text) if scalar.plain else scalar.text)


def _converted(node: _Node, convert: Callable[[_Scalar], Json]) -> Json:
    if isinstance(node, _Scalar):
        return convert(node)
    if isinstance(node, _Sequence):
        return [_converted(item, convert) for item in node.items]
    return {key.text: _converted(value, convert) for key, value in node.items}


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _tag(text: str) -> str:
    tag: str = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))
    return tag


def _value(text: str) -> Json:
    match _tag(text).removeprefix(_YAML):
        case "null":
            return None
        case "bool":
            return bool(_CONSTRUCTOR.construct_yaml_bool(yaml.ScalarNode(_YAML + "bool", text)))
        case "int":
            number = _integer(text)
            return text if number is None else number
        case "float":
            value = float(_CONSTRUCTOR.construct_yaml_float(yaml.ScalarNode(_YAML + "float", text)))
            return value if math.isfinite(value) else text
        case _:
            return text


def _integer(text: str) -> int | None:
    """Return the integer that YAML 1.1 reads, or None for one that Python cannot read (`0x_`) or print."""
    if len(text) > MAX_INT_DIGITS:
        return None
    try:
        number = int(_CONSTRUCTOR.construct_yaml_int(yaml.ScalarNode(_YAML + "int", text)))
    except ValueError:
        return None
    return number if abs(number) < _INT_BOUND else None


def _reading(scalar: _Scalar) -> str:
    """Return what YAML 1.1 or 1.2 takes a plain scalar for, in words, or nothing when it is text to both."""
    if not scalar.plain:
        return ""
    if reading := _READINGS.get(_tag(scalar.text).removeprefix(_YAML)):
        return reading
    if scalar.text in _OTHER_BOOLEANS:
        return "a boolean"
    return "a number" if _OTHER_NUMBER.fullmatch(scalar.text) else ""


def _compose(text: str, loader: Loader) -> _Document:
    """Return the nodes of a frontmatter, or raise the one finding that stops its reading."""
    if foreign := _FOREIGN.search(text):
        index = foreign.start()
        message = f"U+{ord(text[index]):04X} cannot stand in YAML as it is"
        hint = _hint("delete it, or quote the value", _quoted_line(text, index))
        raise _RefusedError("yaml-invalid", index, message, hint)
    if loader is not yaml.BaseLoader and not _UNSETTLED.search(text):
        try:
            return _build(text, loader)
        except yaml.YAMLError:
            pass  # the pure parser says what is wrong and where
    try:
        return _build(text, _PureLoader)
    except yaml.MarkedYAMLError as error:
        raise _diagnosis(text, error) from None
    except (ValueError, OverflowError):  # from chr(), which the pure parser hands any number
        escape = _BEYOND_UNICODE.search(text)
        raise _bad_escape(escape.start() if escape else 0) from None


def _build(text: str, loader: Loader | type[_PureLoader]) -> _Document:
    """Build nodes from the parser's events, counting, so that no more is parsed than the limits allow."""
    roots: list[_Node] = []
    open_nodes: list[tuple[yaml.CollectionStartEvent, list[_Node]]] = []
    references: dict[str, int] = {}
    count = 0
    for event in yaml.parse(text, Loader=loader):
        index = _offset(event.start_mark)
        for sort in _references(event):
            references.setdefault(sort, index)
        if isinstance(event, yaml.NodeEvent):
            count += 1
            if count > MAX_NODES:
                message = f"the frontmatter has more than {MAX_NODES} keys and values"
                raise _RefusedError("yaml-limits", index, message, "move data into a file of the skill")
        siblings = open_nodes[-1][1] if open_nodes else roots
        match event:
            case yaml.CollectionStartEvent():
                if len(open_nodes) == MAX_DEPTH:
                    raise _too_deep(index)
                open_nodes.append((event, []))
            case yaml.CollectionEndEvent():
                start, children = open_nodes.pop()
                (open_nodes[-1][1] if open_nodes else roots).append(_collection(start, children))
            case yaml.ScalarEvent():
                if _LONE_SURROGATE.search(event.value):
                    raise _bad_escape(index)
                siblings.append(
                    _Scalar(text=event.value, plain=not event.style, start=index, end=_offset(event.end_mark))
                )
            case yaml.AliasEvent():
                siblings.append(_Scalar(text="", plain=False, start=index, end=index))
    if not roots:
        raise _RefusedError("yaml-invalid", 0, "the frontmatter is empty", _FIELDS_HINT)
    if not isinstance(roots[0], _Mapping):
        kind = "a list" if isinstance(roots[0], _Sequence) else "one text"
        message = f"the frontmatter is {kind}, not a mapping of fields"
        raise _RefusedError("yaml-invalid", roots[0].start, message, _FIELDS_HINT)
    return _Document(root=roots[0], references=references)


def _collection(start: yaml.CollectionStartEvent, children: list[_Node]) -> _Node:
    index = _offset(start.start_mark)
    if isinstance(start, yaml.SequenceStartEvent):
        return _Sequence(items=tuple(children), flow=bool(start.flow_style), start=index)
    items = []
    for key, value in zip(children[::2], children[1::2], strict=True):
        if not isinstance(key, _Scalar):
            message = "a key is a list or a mapping, which JSON and most readers cannot hold"
            raise _RefusedError("yaml-invalid", key.start, message, "write the key as text")
        items.append((key, value))
    return _Mapping(items=tuple(items), flow=bool(start.flow_style), start=index)


def _references(event: yaml.Event) -> Iterator[str]:
    """Yield the sorts of thing in an event that `yaml-alias` refuses."""
    match event:
        case yaml.DocumentStartEvent():
            if event.explicit:
                yield "document"
            if event.version or event.tags:
                yield "directive"
        case yaml.DocumentEndEvent(explicit=True):
            yield "document"
        case yaml.AliasEvent():
            yield "alias"
        case yaml.ScalarEvent() | yaml.CollectionStartEvent():
            if event.anchor:
                yield "anchor"
            if event.tag:
                yield "tag"
            if isinstance(event, yaml.ScalarEvent) and event.value == "<<" and not event.style:
                yield "merge"


def _offset(mark: yaml.Mark | CMark | None) -> int:
    """Return a mark's offset in the text; only errors, and events that no parser made, lack a mark."""
    return mark.index if mark else 0


def _too_deep(index: int) -> _RefusedError:
    message = f"the frontmatter is nested deeper than {MAX_DEPTH} levels"
    return _RefusedError(
        "yaml-limits", index, message, "write it flatter, or move it into a file of the skill"
    )


def _bad_escape(index: int) -> _RefusedError:
    message = "a \\u or \\U escape that is no character"
    return _RefusedError("yaml-invalid", index, message, "write the character itself, or its \\U escape")


def _diagnosis(text: str, error: yaml.MarkedYAMLError) -> _RefusedError:
    """Say what is wrong, where, and how the line would be right; `error` is the pure parser's."""
    context, problem = error.context or "", error.problem or ""
    first, index = _offset(error.context_mark), _offset(error.problem_mark)
    char, opener = text[index : index + 1], text[first : first + 1]
    before = text[:index].rstrip(" ")[-1:]
    hint = ""
    if conflict := _CONFLICT.search(text):
        index, message, hint = conflict.start(), "the mark of a merge conflict", "resolve the conflict"
    elif problem.startswith("mapping values are not allowed"):
        where = "at its end" if text[index + 1 : index + 2] in "\r\n" else "and a blank"
        message, hint = f"an unquoted value holds a colon {where}", _folded_hint(text, index)
    elif char == "\t":
        line = _line_at(text, index).replace(":\t", ": ").replace("\t", "  ")
        message, hint = "a tab where YAML allows only spaces", _hint("write spaces instead of tabs", line)
    elif problem.startswith("found unexpected"):
        index, message = first, "a quoted value begins here and does not end"
        hint = _hint("close the quote", _line_at(text, first) + opener) if opener == '"' else ""
    elif problem.startswith(_CANNOT_BEGIN) and char.strip():
        message = f"an unquoted value cannot begin with {char}"
    elif context.startswith(_CANNOT_BEGIN_IN):
        index, message = first, f"an unquoted value cannot begin with {opener}"
    elif context.startswith("while scanning a double-quoted"):
        message = "in double quotes a backslash begins an escape, and this is none"
        hint = _single_quotes_hint(_line_at(text, index))
    elif context.startswith("while scanning a block scalar"):
        index, message = first, f"{opener} begins a block of text, which starts on the next line"
    elif context.startswith("while parsing a flow"):
        index, message = first, "a flow collection does not end"
    elif problem.startswith("could not find expected ':'"):
        index, message = first, "this line is no `key: value`"
        hint = "indent it, if it continues the value above, or delete the line"
    elif before and before in "]}\"'":
        message = f"there is text behind {before}, where the value has ended"
    elif directive := _DIRECTIVE.search(text):
        return _RefusedError("yaml-alias", directive.start(), *_REFERENCES["directive"])
    else:
        message, hint = "this does not fit the lines above", "indent it as they are"
    return _RefusedError(
        "yaml-invalid", index, message, hint or _hint("quote the value", _quoted_line(text, index))
    )


def _folded_hint(text: str, index: int) -> str:
    """Return the hint for a colon in a value of several lines, or nothing."""
    for folded in _FOLDED_FIELD.finditer(text):
        if folded.start() <= index < folded.end():
            line = _line_at(text, index)
            if line[0] in " \t" and line.split(":")[0].strip() in FIELDS:
                return _hint("begin the field in the first column", line.strip())
            value = " ".join(folded["value"].split())
            return _hint("write the value in quotes on one line", folded["lead"] + _quoted(value))
    return ""


def _single_quotes_hint(line: str) -> str:
    match = _FIELD_LINE.fullmatch(line)
    if match is None or not match["value"].endswith('"'):
        return ""
    inner = match["value"][1:-1].replace("'", "''")
    return _hint("use single quotes", f"{match['lead']}'{inner}'")


def _broken_lines(text: str, loader: Loader) -> list[_RefusedError]:
    """Return the fault of each top-level line `key: value` that is not YAML by itself, the last line first.

    A line with indented lines below it is left alone: what its value is, only its author knows.
    """
    candidates = []
    end = len(text)
    indented_below = False
    for line in reversed(text.split("\n")):
        start = end - len(line)
        if _FIELD_LINE.fullmatch(line) and line[0] not in " \t-" and not indented_below:
            candidates.append((start, line.rstrip("\r")))
        if line.strip():
            indented_below = line[0] in " \t"
        end = start - 1
    if len(candidates) > MAX_NODES // 2:
        return []  # each line gives a key and a value: mended, they would still be beyond the limit
    broken = []
    for start, line in candidates:
        try:
            _compose(line, loader)
        except _RefusedError as error:
            if error.code == "yaml-invalid":
                error.index += start
                broken.append(error)
    return broken


def _with_lines_quoted(text: str, faults_from_last: list[_RefusedError]) -> str:
    for fault in faults_from_last:
        start = text.rfind("\n", 0, fault.index) + 1
        end = start + len(_line_at(text, start))
        text = text[:start] + _quoted_line(text, start) + text[end:]
    return text
