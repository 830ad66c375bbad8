"""The rules on a skill's decoded fields: one implementation for SKILL.md and for skills defined in code.

Standard library only, since skills are also defined where skillpack's dependencies are not installed. The
rules are the table "Fields" of the design page "Reading SKILL.md": the six fields of the Agent Skills format
and what public hosts make of them. A rule yields faults; which of them stop a build is the caller's policy.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillpack.invisible import FLAG
from skillpack.runtime.matching import TOOL_SEPARATORS, globs_of, is_texts, split_outside, tools_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""The fields of the format, as it spells them."""

HOST_FIELDS = frozenset(
    {
        "agent",
        "argument-hint",
        "context",
        "disable-model-invocation",
        "effort",
        "globs",
        "hide",
        "hooks",
        "model",
        "paths",
        "tools",
        "user-invocable",
    }
)
"""Fields that single hosts read; they are kept, and strict hosts refuse them."""

TYPED_METADATA = ("adk_additional_tools", "adk_inject_state")
"""Keys of `metadata` that one host reads, as a list and as a boolean; it refuses a skill that has them as text."""

MODEL_DESCRIPTION = "What the skill does and when to use it"
"""What hints put in the place of a description that is missing."""

TOLERATED = frozenset(
    {
        "allowed-tools-form",
        "description-edges",
        "description-lines",
        "description-markup",
        "field-unknown",
        "globs-form",
        "name-reserved",
    }
)
"""The codes that stop no skill at the default setting: some hosts mind, or packing cures it.

`skillpack.rules` has the levels, which a skill that is defined in code cannot look up; a test holds the two together.
"""

MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 1024
MAX_COMPATIBILITY_CHARS = 500
MAX_QUOTED_CHARS = 80
"""No message quotes more than this of what the author wrote."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_CLOSING_TAG = re.compile(r"</[A-Za-z]")
_TAG = re.compile(r"<[A-Za-z][^<>]*>")

# The code points that are no characters for good. XML forbids U+FFFE and U+FFFF: a catalog with one does not parse.
_NONCHARACTERS = r"\ufdd0-\ufdef" + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(0x11))
# Tables and not Unicode categories: those change with the interpreter, and Cf holds visible characters too.
_HIDING = _NONCHARACTERS + (
    r"\x7f-\x9f"  # DEL and the C1 controls, U+0085 among them
    r"\u2028\u2029\u202a-\u202e\u2066-\u2069"  # line separators, bidirectional overrides
    r"\u034f\u115f\u1160\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"  # no width
    r"\ud800-\udfff"  # no characters at all; only code can put them here
    r"\U000e0000-\U000e007f\U000e0100-\U000e01ef"  # tags, variation selectors supplement: hidden text
)
UNSEEN = (
    r"\s\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0"
)
"""Blanks, joiners and variation selectors, as in a class of a regular expression: nobody sees a text of these."""

_MAX_SLUG_SOURCE_CHARS = 1_000
"""Far more than a name has: composing accents takes time by the square of their number."""

_WHITE_NAMES = {"\n": "a newline", "\t": "a tab", " ": "a blank"}

_UNSEEN_TEXT = re.compile(f"[{UNSEEN}]*")

_HIDDEN_IN_TEXT = re.compile(
    rf"(?P<flag>{FLAG})"
    rf"|[\x00-\x08\x0b-\x1f{_HIDING}]"
)
# A name has no use for what prose needs: tab, newline, joiners, direction marks, variation selectors.
_HIDDEN_IN_NAME = re.compile(rf"[\x00-\x1f\xad\u061c\u180b-\u180f\u200c-\u200f\ufe00-\ufe0f{_HIDING}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One rule that the fields break.

    `code` is the finding's code. `path` holds the keys from the top down to what is at fault (`("metadata",
    "tags")`). `hint` says what to do and `cure` is a value for the field that does not have this fault, where
    one can be derived. A `strict_only` fault is none at the default and lenient settings.
    """

    code: str
    path: tuple[str, ...]
    message: str
    hint: str = ""
    cure: str = ""
    strict_only: bool = False


def excerpt(text: str, limit: int = MAX_QUOTED_CHARS) -> str:
    """Return `text`, cut to `limit` characters with an ellipsis as the last of them."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def slug(text: str) -> str:
    """Return the valid skill name nearest to `text`, or the empty string when no letter or digit is left."""
    start = text[:_MAX_SLUG_SOURCE_CHARS]
    ascii_text = unicodedata.normalize("NFKD", start).casefold().encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "-", ascii_text).strip("-")[:MAX_NAME_CHARS].rstrip("-")


def faults(fields: Mapping[str, object], *, directory: str = "") -> Iterator[Fault]:
    """Yield every fault of the fields of one skill, in the order of the format's fields.

    `fields` holds each value as it was written: text as `str`, and lists and mappings of text. `directory` is
    the name of the skill's directory, where there is one: a missing name's hint offers it.
    """
    yield from _name_presence(fields.get("name"), directory)
    yield from _description(fields.get("description"))
    for key, limit in (("license", None), ("compatibility", MAX_COMPATIBILITY_CHARS)):
        if key in fields:
            yield from _short_text(key, fields[key], limit)
    if "metadata" in fields:
        yield from _metadata(fields["metadata"])
    if "allowed-tools" in fields:
        yield from _allowed_tools(fields["allowed-tools"])
    if "globs" in fields:
        yield from _globs(fields["globs"])
    yield from _keys(fields)


def name_faults(name: str) -> Iterator[Fault]:
    """Yield the faults of a name that is present and not blank.

    `name-unsafe` stands alone: whatever it finds breaks `name-format` too.
    """
    unsafe = sorted(
        {_code_point(char) for char in _HIDDEN_IN_NAME.findall(name)} | {c for c in "/\\" if c in name}
    )
    if unsafe or name in {".", ".."}:
        held = f"name holds {', '.join(unsafe[:4])}" if unsafe else f"name is {name!r}"
        message = f"{held}, which is not safe in a path or a prompt"
        yield Fault(code="name-unsafe", path=("name",), message=message, hint=_NAME_HINT, cure=slug(name))
    elif len(name) > MAX_NAME_CHARS:
        message = f"name has {len(name)} characters; at most {MAX_NAME_CHARS} are allowed"
        yield Fault(code="name-format", path=("name",), message=message, hint="shorten it", cure=slug(name))
    elif not _NAME.fullmatch(name):
        others = sorted({_shown(char) for char in re.findall(r"[^a-z0-9-]", name)})
        message = (
            f"name has characters other than a-z, 0-9 and hyphens: {', '.join(others[:4])}"
            if others
            else "name has a hyphen at its start or end, or two in a row"
        )
        yield Fault(code="name-format", path=("name",), message=message, hint=_NAME_HINT, cure=slug(name))
    for word in ("anthropic", "claude"):
        if word in name.casefold():
            message = f"name holds the word {word}, which one vendor's uploader refuses"
            hint, rest = f"leave {word} out of the name", slug(name.casefold().replace(word, ""))
            yield Fault(code="name-reserved", path=("name",), message=message, hint=hint, cure=rest)
    yield from _markup("name", name)


_NAME_HINT = "use a-z, 0-9 and single hyphens between them"


def _code_point(char: str) -> str:
    return f"U+{ord(char):04X}"


def _shown(char: str) -> str:
    return f"'{char}'" if char.isprintable() else _code_point(char)


def _kind(value: object) -> str:
    match value:
        case str():
            return "text"
        case Mapping():
            return "a mapping"
        case Sequence():
            return "a list"
        case _:
            return f"of type {type(value).__name__}"


def _missing(key: str, value: object) -> str:
    if value is None:
        return f"there is no {key}"
    return f"{key} is blank" if isinstance(value, str) else f"{key} is {_kind(value)}, not text"


def _name_presence(name: object, directory: str) -> Iterator[Fault]:
    if isinstance(name, str) and name.strip():
        yield from name_faults(name)
    else:
        yield Fault(
            code="name-missing",
            path=("name",),
            message=_missing("name", name),
            hint="give the skill a name",
            cure=slug(directory),
        )


def _description(text: object) -> Iterator[Fault]:
    path = ("description",)
    if not isinstance(text, str) or _UNSEEN_TEXT.fullmatch(text):
        yield Fault(
            code="description-missing",
            path=path,
            message=_missing("description", text),
            hint="write what the skill does and when to use it",
            cure=MODEL_DESCRIPTION,
        )
        return
    if len(text) > MAX_DESCRIPTION_CHARS:
        message = f"description has {len(text)} characters; at most {MAX_DESCRIPTION_CHARS} are allowed"
        hint = "shorten it and move the details below the frontmatter"
        yield Fault(code="description-length", path=path, message=message, hint=hint)
    yield from _edges(text)
    yield from _markup("description", text)
    if text.isascii() and text.isprintable():  # most are, and nothing hides there
        return
    if hiding := sorted(
        {_code_point(find[0]) for find in _HIDDEN_IN_TEXT.finditer(text) if not find["flag"]}
    ):
        message = (
            f"description holds control characters, invisible ones or noncharacters: {', '.join(hiding[:4])}"
        )
        cure = _HIDDEN_IN_TEXT.sub(lambda find: find["flag"] or "", text).strip()
        hint = "delete these characters"
        yield Fault(code="description-control", path=path, message=message, hint=hint, cure=cure)
    if lines := text.strip().count("\n"):
        message = f"description has {lines + 1} lines; list catalogs show it as one"
        yield Fault(code="description-lines", path=path, message=message)


def _edges(text: str) -> Iterator[Fault]:
    """White space is what `str.strip` takes away: most readers are written in Python and use it."""
    bare = text.strip()
    first, last = text[0], text[-1]
    found = [
        f"{verb} {_WHITE_NAMES.get(char) or _code_point(char)}"
        for verb, char in (("begins with", first), ("ends with", last))
        if char.isspace()
    ]
    if found:
        message = f"description {' and '.join(found)}, which some readers keep and others strip"
        hint = "delete the white space around it"
        yield Fault(code="description-edges", path=("description",), message=message, hint=hint, cure=bare)


def _markup(key: str, text: str) -> Iterator[Fault]:
    hint = "write it without angle brackets"
    if _CLOSING_TAG.search(text):
        message = f"{key} holds a closing tag, which could end the catalog's frame"
        yield Fault(code="description-closing-tag", path=(key,), message=message, hint=hint)
    if _TAG.search(text):
        message = f"{key} holds a tag, which some hosts refuse"
        yield Fault(code="description-markup", path=(key,), message=message, hint=hint)
    elif "<" in text or ">" in text:
        message = f"{key} holds an angle bracket, which one vendor's uploader refuses"
        yield Fault(code="description-markup", path=(key,), message=message, hint=hint, strict_only=True)


def _short_text(key: str, value: object, limit: int | None) -> Iterator[Fault]:
    if not isinstance(value, str) or not value.strip():
        message, hint = _missing(key, value), f"write {key} as text, or delete the field"
    elif limit is not None and len(value) > limit:
        message, hint = f"{key} has {len(value)} characters; at most {limit} are allowed", "shorten it"
    else:
        return
    yield Fault(code=f"{key}-type", path=(key,), message=message, hint=hint)


def _metadata(value: object) -> Iterator[Fault]:
    if not isinstance(value, Mapping):
        empty = isinstance(value, str) and not value.strip()
        message = f"metadata is {'blank' if empty else _kind(value)}, not a mapping of text to text"
        hint = "indent one `key: value` a line below it, or delete the field"
        yield Fault(code="metadata-type", path=("metadata",), message=message, hint=hint)
        return
    for key, entry in value.items():
        for what in (key, entry):
            if not isinstance(what, str):
                shown = excerpt(str(key), MAX_QUOTED_CHARS - 9)
                message = f"metadata.{shown} is {_kind(what)}, not text"
                hint = "write it as one text in quotes, or as several keys"
                yield Fault(code="metadata-type", path=("metadata", str(key)), message=message, hint=hint)
        if key in TYPED_METADATA and isinstance(entry, str):
            message = f"metadata.{key} is a key that one host reads, and never as text"
            hint = "delete the key, or rename it: what that host accepts here, others refuse"
            yield Fault(
                code="metadata-type", path=("metadata", key), message=message, hint=hint, strict_only=True
            )


def _allowed_tools(value: object) -> Iterator[Fault]:
    named = tools_of(value)
    parts = split_outside(value if isinstance(value, str) else " ".join(named or ()), TOOL_SEPARATORS, "()")
    code, message, hint, cure = "allowed-tools-form", "", "separate the tools with single spaces", ""
    if not isinstance(value, str) and not named:
        code = "allowed-tools-syntax"
        message = f"allowed-tools is {_kind(value)} that names no tools"
        hint = "write the tools with spaces between them, or delete the field"
    elif any(split_outside(item, TOOL_SEPARATORS, "()") is None for item in _items(value)):
        code = "allowed-tools-syntax"
        message = "allowed-tools has a parenthesis that is not closed or not opened"
        hint = "balance the parentheses"
    elif not parts:
        message = "allowed-tools is blank, which some hosts refuse"
        hint = "name the tools with spaces between them, or delete the field"
    elif (joined := " ".join(parts)) != value:
        message = "allowed-tools is not one text with single spaces between the tools"
        cure = joined
    if message:
        yield Fault(code=code, path=("allowed-tools",), message=message, hint=hint, cure=cure)


def _globs(value: object) -> Iterator[Fault]:
    if isinstance(value, str) or (is_texts(value) and len(globs_of(value)) == len(value)):
        return
    message = f"globs is {_kind(value)}, not a list of texts or one text with commas"
    if isinstance(value, (list, tuple)):
        message = "globs is a list with items that are blank or not text"
    hint = "write a list of texts, or one text with commas, or delete the field"
    yield Fault(code="globs-form", path=("globs",), message=message, hint=hint)


def _keys(fields: Mapping[str, object]) -> Iterator[Fault]:
    unknown = []
    for key in fields:
        right = key.casefold()
        if key in FIELDS:
            continue
        if right in FIELDS:
            message = f"{key} is not read by hosts, which look for {right}"
            yield Fault(code="field-case", path=(key,), message=message, hint=f"rename it to {right}")
        else:
            unknown.append(key)
    if unknown:
        message = f"fields beyond the six of the format: {excerpt(', '.join(unknown))}"
        yield Fault(code="field-unknown", path=(unknown[0],), message=message, hint=_unknown_hint(unknown))


def _unknown_hint(unknown: Sequence[str]) -> str:
    """Say what to do with the unknown fields; where the advice differs, with their names."""
    advice: dict[str, list[str]] = {}
    for key in unknown:
        advice.setdefault(_advice(key), []).append(key)
    if len(advice) == 1:
        return next(iter(advice))
    return "; ".join(f"{excerpt(', '.join(keys))}: {what}" for what, keys in advice.items())


def _advice(key: str) -> str:
    if key in HOST_FIELDS:
        return "a host's own field: keep it; strict hosts refuse it"
    letters = re.sub(r"[\W_]", "", key.casefold())
    near = [field for field in FIELDS if field.replace("-", "") == letters]
    return f"rename it to {near[0]}" if near else "move it under metadata"


def _items(value: object) -> Sequence[str]:
    return [value] if isinstance(value, str) else value if is_texts(value) else ()
