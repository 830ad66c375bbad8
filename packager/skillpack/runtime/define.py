"""Skills written in code: held against the rules of a SKILL.md, and given one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from skillpack.fields import TOLERATED, faults
from skillpack.invisible import hidden, name_of
from skillpack.limits import MAX_DEPTH
from skillpack.media_type import media_type
from skillpack.paths import faults as path_faults
from skillpack.runtime.assembly import held_file, made_skill
from skillpack.runtime.errors import SkillDefinitionError
from skillpack.runtime.matching import tools_of
from skillpack.runtime.model import body_start
from skillpack.runtime.paths import check_path
from skillpack.runtime.text import echo, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.runtime.model import Skill

SKILL_MD = "SKILL.md"

# What JSON leaves as it stands and YAML does not read, or not in every reader.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def define_skill(
    *,
    name: str,
    description: str,
    instructions: str,
    allowed_tools: Iterable[str] | None = None,
    resources: Mapping[str, str | bytes] | None = None,
    license: str | None = None,  # noqa: A002 - the name of the field
    compatibility: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Skill:
    """Return a skill made in code, with a SKILL.md, files and digests like any other.

    `name` is 1 to 64 of a-z, 0-9 and single hyphens, `description` at most 1,024 characters. `instructions` are the
    body of SKILL.md, Markdown; empty for a skill that only names tools. `allowed_tools` are entries of the field, or
    one text with blanks between them. `resources` are contents by POSIX path relative to the skill directory, text
    stored as UTF-8. `license`, `compatibility` (at most 500 characters) and `metadata` are the fields of these names.

    The rules are those for a SKILL.md and its files at the default setting, so that a definition can be moved to a
    folder, but for three: secrets, compiled programs and names that packing leaves out (`.venv`, `x.pyc`) are not
    looked for, since what comes from a program was not left lying in a directory. Raises `SkillDefinitionError` with
    all faults at once, a line each, values of other types included; what an author is only warned of passes.
    """
    tools: object = allowed_tools
    if isinstance(allowed_tools, str):
        tools = list(tools_of(allowed_tools) or ())
    elif isinstance(allowed_tools, Iterable):
        tools = list(allowed_tools)
    written: dict[str, object] = {
        "name": name,
        "description": description,
        "license": license,
        "compatibility": compatibility,
        "allowed-tools": tools,
        "metadata": dict(metadata) if isinstance(metadata, Mapping) else metadata,
    }
    fields = {key: value for key, value in written.items() if value is not None and value != {}}
    problems = [*_field_problems(fields), *_content_problems(instructions, resources)]
    if problems:
        raise SkillDefinitionError(f"skill {echo(name)}: {problem}" for problem in problems)
    frontmatter = dict(fields)
    if isinstance(tools, list):
        frontmatter["allowed-tools"] = " ".join(tools)
    data = {SKILL_MD: _skill_md(frontmatter, instructions)}
    for path, content in (resources or {}).items():
        data[path] = content.encode("utf-8") if isinstance(content, str) else content
    return made_skill(
        name=name,
        description=description,
        frontmatter=frontmatter,
        fields={
            key.replace("-", "_"): value
            for key, value in fields.items()
            if key not in ("name", "description")
        },
        files=[
            held_file(
                path,
                content,
                media_type=media_type(path, is_text=plain_text(content)),
                executable=False,
                owner=name,
            )
            for path, content in data.items()
        ],
    )


def _field_problems(fields: Mapping[str, object]) -> Iterator[str]:
    for fault in faults(fields):
        if not fault.strict_only and fault.code not in TOLERATED:
            yield f"{fault.code}: {fault.message}" + (f" ({fault.hint})" if fault.hint else "")
    tools = fields.get("allowed-tools")
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, str) and tools_of(tool) != (tool,):
            yield f"allowed-tools-syntax: {echo(tool)} is not one tool (make each an item of its own)"
    for key, value in fields.items():
        # Name and description have a rule that covers this.
        if key not in ("name", "description") and not _is_utf8(value):
            yield f"{key}: it holds half of a surrogate pair, which is no character (delete it)"


def _content_problems(instructions: object, resources: object) -> Iterator[str]:
    if not isinstance(instructions, str) or "\0" in instructions or not _is_utf8(instructions):
        yield "instructions: not text, or text with NUL or half of a surrogate pair"
    elif hiding := sorted({name_of(match[0]) for match in hidden(instructions, 0) if match.lastindex == 1}):
        yield f"invisible-text: instructions hold {', '.join(hiding[:4])}, which cannot be seen by a reader (delete it)"
    if resources is not None and not isinstance(resources, Mapping):
        yield f"resources: a mapping of paths to contents is needed, not {echo(resources)}"
        return
    contents: Mapping[object, object] = resources or {}
    for path, content in contents.items():
        if not isinstance(path, str):
            yield f"resources: {echo(path)} is not a path"
        if not isinstance(content, bytes) and not (isinstance(content, str) and _is_utf8(content)):
            yield f"resources: {echo(path)} is neither bytes nor text that UTF-8 can hold"
    yield from _path_problems([path for path in contents if isinstance(path, str)])


def _path_problems(paths: list[str]) -> Iterator[str]:
    safe = [SKILL_MD]
    for path in paths:
        if path.casefold() == SKILL_MD.casefold():
            yield "resources: SKILL.md is made of the other parts (take it out)"
            continue
        try:
            safe.append(check_path(path))
        except ValueError as error:
            yield f"resources: {error}"
        if path.count("/") > MAX_DEPTH:
            yield f"limit-depth: {echo(path)} lies deeper than {MAX_DEPTH} directories (move it up)"
    for fault in path_faults(safe):
        yield f"{fault.code}: {echo(fault.path)}: {fault.message} ({fault.hint})"


def _is_utf8(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False, skipkeys=True, default=repr).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _skill_md(fields: Mapping[str, object], instructions: str) -> bytes:
    """Return the file: the fields in the format's order, their values as JSON strings, then the body."""
    lines = ["---"]
    for key, value in fields.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {_quoted(inner)}: {_quoted(text)}" for inner, text in sorted(value.items())]
        else:
            lines.append(f"{key}: {_quoted(value)}")
    head = "\n".join([*lines, "---", ""])
    text = head + instructions
    # A blank line below the fence belongs to neither part: instructions that begin with one need another.
    if text[body_start(text) :] != instructions:
        text = f"{head}\n{instructions}"
    return text.encode("utf-8")


def _quoted(text: object) -> str:
    """Return a text as a JSON string that YAML reads as the same text."""
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
