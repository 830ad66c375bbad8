"""A TOML text that is edited, not written anew: comments, order, line ends and layout stay.

Each edit has several forms, the one that reads best first, and a form is taken only if TOML reads the result as
exactly the data that was meant. So a form may guess at the layout, and a fault of tomlkit (0.15 can lose a table
that is added below dotted keys) cannot damage a file.
"""

from __future__ import annotations

import copy
import difflib
import itertools
import re
import tomllib
from functools import reduce
from typing import TYPE_CHECKING, Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from skillpack.errors import ConfigError
from skillpack.findings import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


class TomlDocument:
    """A TOML text, with the line ends of its file, and what it holds; an edit changes both.

    `name` is the file's name for messages, `place` what comes before a key's path in them. Raises ConfigError with
    the place when the text is not TOML.
    """

    def __init__(self, text: str, name: str, *, place: str = "") -> None:
        self._original = text
        self._text = text.replace("\r\n", "\n")
        self.place = place
        self._data = _parse(text, name)

    @property
    def text(self) -> str:
        """The text as it is now."""
        return _with_line_ends(self._original, self._text)

    def value(self, *path: str, default: object = None) -> Any:
        """Return what stands at a path of keys; raises ConfigError when the way there is no table."""
        value: object = self._data
        for depth, key in enumerate(path):
            if not isinstance(value, dict):
                raise ConfigError([f"{self.place}{dotted(path[:depth])}: must be a table"])
            if key not in value:
                return default
            value = value[key]
        return value

    def has(self, *path: str) -> bool:
        """Return whether something stands at a path of keys."""
        return self.value(*path) is not None

    def text_at(self, *path: str) -> str:
        """Return a string, the empty one where there is none; raises ConfigError for anything else."""
        value = self.value(*path, default="")
        if not isinstance(value, str):
            raise ConfigError([f"{self.place}{dotted(path)}: must be a string"])
        return value

    def array(self, *path: str) -> list[Any] | None:
        """Return an array, None where there is none; raises ConfigError for anything else."""
        value = self.value(*path)
        if not isinstance(value, list | None):
            raise ConfigError([f"{self.place}{dotted(path)}: must be an array"])
        return value

    def extend(self, path: Sequence[str], items: Sequence[object]) -> None:
        """Add items at the end of an array; raises ConfigError when that takes rewriting what is there."""
        meant = copy.deepcopy(self._data)
        array: Any = reduce(dict.__getitem__, path, meant)
        array.extend(items)
        self._take(
            meant, [_by_tomlkit(self._text, path, items)], f"{dotted(path)}: cannot be added to", items
        )

    def add(self, path: Sequence[str], values: Mapping[str, object]) -> None:
        """Add keys that a table does not have, and the table itself if need be; raises ConfigError as `extend`."""
        meant = copy.deepcopy(self._data)
        reduce(lambda table, key: table.setdefault(key, {}), path, meant).update(values)
        self._take(meant, _forms(self._text, path, values), f"{dotted(path)}: cannot be added", values)

    def _take(self, meant: dict[str, Any], forms: Iterable[str], fault: str, wanted: object) -> None:
        for form in forms:
            if _reads_as(form, meant):
                self._text, self._data = form, meant
                return
        raise ConfigError(
            [f"{self.place}{fault} without rewriting what is there; add {literal(wanted)} by hand"]
        )


def literal(value: object) -> str:
    """Return a value as TOML on one line; keys are bare."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{key} = {literal(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return tomlkit.string(str(value)).as_string()


def dotted(path: Iterable[str]) -> str:
    """Return a path of bare keys as TOML writes it."""
    return ".".join(path)


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        return _loads(text)
    except RecursionError as error:
        raise ConfigError([f"{name}: is nested too deeply"]) from error
    except ValueError as error:
        message = str(error)
        place = ""
        if found := re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL):
            message, place = found[1], f":{found[2]}:{found[3]}"
        elif message.endswith(_AT_THE_END):
            message = f"{message.removesuffix(_AT_THE_END)} at the end of the file"
            place = f":{text.rstrip().count(chr(10)) + 1}"
        raise ConfigError(
            [f"{name}{place}: is not TOML: {visible(message[:1].lower() + message[1:])}"]
        ) from error


_AT_THE_END = " (at end of document)"


def _loads(text: str) -> dict[str, Any]:
    """Return what a text holds, with floats as they are written: nan would not be equal to itself."""
    return tomllib.loads(text, parse_float=str)


def _reads_as(text: str, meant: Mapping[str, object]) -> bool:
    try:
        return _loads(text) == meant
    except ValueError:
        return False


def _forms(text: str, path: Sequence[str], values: Mapping[str, object]) -> Iterator[str]:
    """Yield ways to write keys of a table: below its header, as a table near its like, at the end, in place."""
    lines = text.split("\n")
    pairs = [f"{key} = {literal(value)}" for key, value in values.items()]
    block = [f"[{dotted(path)}]", *pairs]
    sections = list(_sections(lines))
    for header, end in sections:
        if header == tuple(path):
            last = lines[end - 1]
            indent = "" if last.lstrip().startswith("[") else last[: len(last) - len(last.lstrip())]
            yield "\n".join([*lines[:end], *(indent + pair for pair in pairs), *lines[end:]])
    near = [end for header, end in sections if header[:2] == tuple(path[:2])]
    for end in (*near[-1:], len(lines) - (not lines[-1])):
        before = [""] if end and lines[end - 1].strip() else []
        after = [""] if end < len(lines) and lines[end].strip() else []
        yield "\n".join([*lines[:end], *before, *block, *after, *lines[end:]])
    yield _by_tomlkit(text, path, values)


_HEADER = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?")


def _sections(lines: Sequence[str]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield what looks like a table: its name, and the index after its last line that is no comment."""
    headers = [(index, match[1]) for index, line in enumerate(lines) if (match := _HEADER.fullmatch(line))]
    for (start, name), (stop, _) in itertools.pairwise([*headers, (len(lines), "")]):
        filled = [
            index for index in range(start, stop) if lines[index].strip() and lines[index].lstrip()[0] != "#"
        ]
        yield tuple(part.strip(" \t\"'") for part in name.split(".")), filled[-1] + 1


def _by_tomlkit(text: str, path: Sequence[str], values: Mapping[str, object] | Sequence[object]) -> str:
    """Return the text with the keys in a table, or the items in an array; what tomlkit cannot do leaves it as it is."""
    try:
        document: Any = tomlkit.parse(text)
        target = document
        for depth, key in enumerate(path):
            if key not in target:
                rest = reduce(lambda inner, outer: {outer: inner}, reversed(path[depth + 1 :]), values)
                target[key] = tomlkit.value(literal(rest))
                return tomlkit.dumps(document)
            target = target[key]
        if isinstance(values, dict):
            for key, value in values.items():
                target[key] = tomlkit.value(literal(value))
        else:
            for item in values:
                target.append(tomlkit.value(literal(item)))
        return tomlkit.dumps(document)
    except (TOMLKitError, AttributeError, LookupError, TypeError, ValueError):
        return text


def _with_line_ends(old: str, new: str) -> str:
    """Give the lines of `new`, which has LF alone, the ends that they have in `old`, and new lines the usual one."""
    if "\r\n" not in old:
        return new
    usual = "\r" if 2 * old.count("\r\n") > old.count("\n") else ""
    # the last line may have no end, and another line may come after it
    old_lines, new_lines = (old + usual).split("\n"), new.split("\n")
    bare = [line.removesuffix("\r") for line in old_lines]
    result: list[str] = []
    for kind, start, stop, new_start, new_stop in difflib.SequenceMatcher(
        None, bare, new_lines, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            result += old_lines[start:stop]
        else:
            result += [line + usual for line in new_lines[new_start:new_stop]]
    return "\n".join(result).removesuffix("\r")
