"""Diagnosis of text that is not YAML: what is wrong, where, and how it would be right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skillpack.fields import FIELDS
from skillpack.frontmatter.place import line_at, offset
from skillpack.frontmatter.quoting import FIELD_LINE, quoted, quoted_line, with_line
from skillpack.frontmatter.reference import REFERENCES
from skillpack.frontmatter.refusal import RefusedError

if TYPE_CHECKING:
    import yaml

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
_CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)


def diagnosis(text: str, error: yaml.MarkedYAMLError) -> RefusedError:
    """Say what is wrong, where, and how the line would be right; `error` is the pure parser's."""
    context, problem = error.context or "", error.problem or ""
    first, index = offset(error.context_mark), offset(error.problem_mark)
    char, opener = text[index : index + 1], text[first : first + 1]
    before = text[:index].rstrip(" ")[-1:]
    hint = ""
    if conflict := _CONFLICT.search(text):
        index, message, hint = conflict.start(), "the mark of a merge conflict", "resolve the conflict"
    elif problem.startswith("mapping values are not allowed"):
        where = "at its end" if text[index + 1 : index + 2] in "\r\n" else "and a blank"
        message, hint = f"an unquoted value holds a colon {where}", _folded_hint(text, index)
    elif char == "\t":
        line = line_at(text, index).replace(":\t", ": ").replace("\t", "  ")
        message, hint = "a tab where YAML allows only spaces", with_line("write spaces instead of tabs", line)
    elif problem.startswith("found unexpected"):
        index, message = first, "a quoted value begins here and does not end"
        hint = with_line("close the quote", line_at(text, first) + opener) if opener == '"' else ""
    elif problem.startswith(_CANNOT_BEGIN) and char.strip():
        message = f"an unquoted value cannot begin with {char}"
    elif context.startswith(_CANNOT_BEGIN_IN):
        index, message = first, f"an unquoted value cannot begin with {opener}"
    elif context.startswith("while scanning a double-quoted"):
        message = "in double quotes a backslash begins an escape, and this is none"
        hint = _single_quotes_hint(line_at(text, index))
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
        return RefusedError("yaml-alias", directive.start(), *REFERENCES["directive"])
    else:
        message, hint = "this does not fit the lines above", "indent it as they are"
    return RefusedError(
        "yaml-invalid", index, message, hint or with_line("quote the value", quoted_line(text, index))
    )


def _folded_hint(text: str, index: int) -> str:
    """Return the hint for a colon in a value of several lines, or nothing."""
    for folded in _FOLDED_FIELD.finditer(text):
        if folded.start() <= index < folded.end():
            line = line_at(text, index)
            if line[0] in " \t" and line.split(":")[0].strip() in FIELDS:
                return with_line("begin the field in the first column", line.strip())
            value = " ".join(folded["value"].split())
            return with_line("write the value in quotes on one line", folded["lead"] + quoted(value))
    return ""


def _single_quotes_hint(line: str) -> str:
    match = FIELD_LINE.fullmatch(line)
    if match is None or not match["value"].endswith('"'):
        return ""
    inner = match["value"][1:-1].replace("'", "''")
    return with_line("use single quotes", f"{match['lead']}'{inner}'")
