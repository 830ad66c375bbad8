"""A raw TOML table, read with types: a getter returns the value, or None when it is absent or faulty.

A schema library was rejected: it would be one more dependency of every build, for messages that would still have
to be rewritten.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from skillpack.findings import visible
from skillpack.secrets.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_T = TypeVar("_T")
_S = TypeVar("_S", bound=str)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fault is: as text, and as the index of each key on the way, which is the order of the file."""

    text: str
    order: tuple[int, ...]

    def item(self, index: int) -> Place:
        """Return the place of an item of the array here; items count from 0."""
        return Place(f"{self.text}[{index}]", (*self.order, index))


Faults = list[tuple[Place, str]]
"""What is wrong, each with its place."""


def flag_place(flag: str, text: str) -> Place:
    """Return the place of a command-line argument: after all of the file."""
    return Place(f"{flag} {visible(short(text))}", (sys.maxsize,))


class Table:
    """A raw TOML table: getters return the value, or None when it is absent or faulty, and add the fault."""

    def __init__(self, values: Mapping[str, object], place: Place, faults: Faults) -> None:
        self.values = values
        self.place = place
        self.faults = faults
        self._order = {key: index for index, key in enumerate(values)}

    def at(self, key: str) -> Place:
        """Return the place of a key; one that is missing stands at the end of its table."""
        name = key if re.fullmatch(r"[A-Za-z0-9_-]{1,80}", key) else quoted(key)
        text = f"{self.place.text}.{name}" if self.place.text else name
        return Place(text, (*self.place.order, self._order.get(key, len(self._order))))

    def fault(self, key: str, message: str) -> None:
        """Add a fault at a key."""
        self.faults.append((self.at(key), message))

    def refuse_unknown(self, known: Sequence[str]) -> None:
        """Add a fault for each key that is not among `known`."""
        for key in self.values:
            if key not in known:
                self.fault(key, "unknown key" + (near(key, known) or f"; the keys are {', '.join(known)}"))

    def require(self, keys: Sequence[str]) -> None:
        """Add a fault for each of `keys` that is missing and for each key that is none of them."""
        self.refuse_unknown(keys)
        for key in keys:
            if key not in self.values:
                self.fault(key, "is missing")

    def get(self, key: str, kind: type[_T], words: str) -> _T | None:
        """Return the value of a key if it is of the type `kind`, which `words` name in the fault."""
        if key not in self.values:
            return None
        value = self.values[key]
        # to Python a bool is an int, to TOML it is not
        if isinstance(value, kind) and isinstance(value, bool) == (kind is bool):
            return value
        self.fault(key, f"must be {words}, not {kind_of(value)}")
        return None

    def boolean(self, key: str) -> bool | None:
        """Return true or false."""
        return self.get(key, bool, "true or false")

    def text(self, key: str, check: Callable[[str], str] | None = None) -> str | None:
        """Return a string; `check` says what is wrong with one, or nothing."""
        text = self.get(key, str, "a string")
        if text is not None and check and (fault := check(text)):
            self.fault(key, fault)
            return None
        return text

    def choice(self, key: str, choices: Sequence[_S]) -> _S | None:
        """Return a string that is one of `choices`."""
        text = self.get(key, str, listed(choices))
        if text is None:
            return None
        for choice in choices:
            if choice == text:
                return choice
        self.fault(key, f"must be {listed(choices)}, not {quoted(text)}{near(text, choices)}")
        return None

    def integer(self, key: str, least: int = 1) -> int | None:
        """Return an integer of at least `least`."""
        words = f"an integer of at least {least}"
        number = self.get(key, int, words)
        if number is not None and number < least:
            self.fault(key, f"must be {words}")
            return None
        return number

    def size(self, key: str) -> int | None:
        """Return a size in bytes: a number, or text with a binary unit (a decimal one would be read both ways)."""
        words = 'a number of bytes over 0, or text such as "64 MiB" (B, KiB, MiB or GiB)'
        value = self.values.get(key)
        if isinstance(value, str):
            match = re.fullmatch(r"([0-9]{1,15}) ?(B|KiB|MiB|GiB)", value)
            size = int(match[1]) * 1024 ** ("B", "KiB", "MiB", "GiB").index(match[2]) if match else 0
        else:
            size = self.get(key, int, words)
        if size is not None and size < 1:
            self.fault(key, f"must be {words}")
            return None
        return size

    def texts(self, key: str, least: int = 0) -> list[tuple[Place, str]] | None:
        """Return the strings of an array, each with its place."""
        value = self.values.get(key)
        if isinstance(value, str):
            self.fault(key, f"must be an array of strings; write {key} = [{json.dumps(short(value))}]")
            return []
        items = self.get(key, list, "an array of strings")
        if items is None:
            return [] if key in self.values else None
        if len(items) < least:
            self.fault(key, "is empty; remove it or fill it")
        texts = []
        for index, item in enumerate(items):
            place = self.at(key).item(index)
            if not isinstance(item, str):
                self.faults.append((place, f"must be a string, not {kind_of(item)}"))
            elif not item:
                self.faults.append((place, "is empty"))
            else:
                texts.append((place, item))
        return texts

    def table(self, key: str) -> Table:
        """Return the table at `key`, an empty one when there is none."""
        return Table(self.get(key, dict, "a table") or {}, self.at(key), self.faults)

    def tables(self, key: str) -> Iterator[Table]:
        """Yield the tables of an array."""
        for index, item in enumerate(self.get(key, list, "an array of tables") or ()):
            place = self.at(key).item(index)
            if isinstance(item, dict):
                yield Table(item, place, self.faults)
            else:
                self.faults.append((place, f"must be a table, not {kind_of(item)}"))


class _FlagPlace(Place):
    """A flag; a repeated one has no numbers that a user could count."""

    def item(self, index: int) -> Place:  # noqa: ARG002 - as the base has it
        return self


class _Flags(Table):
    """The options of the command line: each key is a flag, whose faults come after all of the file."""

    def at(self, key: str) -> Place:
        return _FlagPlace(f"--{key}", (sys.maxsize,))


class Layers:
    """A table of the file with the flags above it. Both are always read, so that the faults of both are told."""

    def __init__(self, file: Table, flags: Mapping[str, object]) -> None:
        self._layers = (_Flags(flags, Place("", ()), file.faults), file)

    def _first(self, read: Callable[[Table], _T | None]) -> _T | None:
        above, below = map(read, self._layers)
        return below if above is None else above

    def boolean(self, key: str) -> bool | None:
        """Return true or false."""
        return self._first(lambda table: table.boolean(key))

    def choice(self, key: str, choices: Sequence[_S]) -> _S | None:
        """Return a string that is one of `choices`."""
        return self._first(lambda table: table.choice(key, choices))

    def integer(self, key: str, least: int = 1) -> int | None:
        """Return an integer of at least `least`."""
        return self._first(lambda table: table.integer(key, least))

    def size(self, key: str) -> int | None:
        """Return a size in bytes."""
        return self._first(lambda table: table.size(key))

    def texts(self, key: str, least: int = 0) -> list[tuple[Place, str]] | None:
        """Return the strings of an array, each with its place."""
        return self._first(lambda table: table.texts(key, least))


_KINDS = (
    (bool, "a boolean"),  # before int: to Python a bool is one
    (int, "an integer"),
    (float, "a float"),
    (str, "a string"),
    (list, "an array"),
    (dict, "a table"),
)


def kind_of(value: object) -> str:
    """Name the TOML type of a value."""
    return next((words for kind, words in _KINDS if isinstance(value, kind)), "a date or time")


def short(text: str) -> str:
    """Cut what a message quotes: no message holds more than 80 characters of the user's text in one piece."""
    text = redacted(text)  # first, since what is left of a secret that was cut looks like none
    return text if len(text) <= 80 else f"{text[:79]}…"


def quoted(text: str) -> str:
    """Return what a user wrote, shortened and in quotes."""
    return f'"{visible(short(text))}"'


def listed(words: Sequence[str]) -> str:
    """Return words in quotes as a sentence lists them: `"a", "b" or "c"`."""
    *most, last = (f'"{word}"' for word in words)
    return f"{', '.join(most)} or {last}" if most else last


def near(word: str, known: Iterable[str]) -> str:
    """Return the question whether a known word was meant, or nothing when none is near."""
    import difflib

    matches = difflib.get_close_matches(word[:80].lower().replace("_", "-"), known, n=1)
    return f'; did you mean "{matches[0]}"?' if matches else ""


def lookup(table: object, *keys: str) -> object:
    """Return what another tool's table holds, None when the way there is broken: its form is not ours to judge."""
    for key in keys:
        table = table.get(key) if isinstance(table, Mapping) else None
    return table
