"""What the tools of a model do: their texts, the functions and definitions made of them, the answer to a call."""

from __future__ import annotations

from _collections_abc import Mapping

from skillpack.runtime.disclosure import catalog_lines
from skillpack.runtime.errors import IntegrityError, ResourceNotFoundError, SkillNotFoundError
from skillpack.runtime.frames import framed, piece, piece_of
from skillpack.runtime.listing import TYPE_CHECKING
from skillpack.runtime.text import echo, one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from skillpack.runtime.bundle import SkillBundle
    from skillpack.runtime.model import SkillFile
    from skillpack.runtime.tools import Toolset

MAX_ANSWER_CHARS = 100_000
MAX_ARGUMENT_BYTES = 65_536
MAX_ENUM_NAMES = 250
MAX_OFFSET = 2**53
"""Past the end of any file; what is larger is clamped to it."""

DIALECTS = {
    "openai": ("_-", 64),
    "openai-responses": ("_-", 64),
    "anthropic": ("_-", 128),
    "mcp": ("_-.", 128),
}
"""What a tool's name may hold beside ASCII letters and digits, and its greatest length in characters."""


class ToolText(str):
    """The answer to a tool call: a text that also says what it is.

    It pickles, but for one with a `file`: of that send the text and the bytes.

    `is_error` says that the call could not be served, `skill` names the skill that was loaded or read, `file`
    is the binary file that was asked for, which a host may show.
    """

    is_error: bool
    skill: str | None
    file: SkillFile | None

    def __new__(
        cls, text: str, *, is_error: bool = False, skill: str | None = None, file: SkillFile | None = None
    ) -> Self:
        """Return `text` with what it is about."""
        self = super().__new__(cls, text)
        self.is_error = is_error
        self.skill = skill
        self.file = file
        return self


def functions(toolset: Toolset) -> list[Callable[..., str]]:
    """Return what `Toolset.tools` does."""

    def load_skill(name: str) -> str:
        return str(toolset.call(toolset._tools[0], {"name": name}))

    def read_skill_resource(name: str, path: str, offset: int = 0, limit: int = 50000) -> str:
        arguments = {"name": name, "path": path, "offset": offset, "limit": limit}
        return str(toolset.call(toolset._tools[1], arguments))

    # Types and not their names: some frameworks read annotations without resolving them.
    load_skill.__annotations__ = {"name": str, "return": str}
    read_skill_resource.__annotations__ = {
        "name": str,
        "path": str,
        "offset": int,
        "limit": int,
        "return": str,
    }
    made: list[Any] = []
    for function, (name, about, parameters) in zip(
        (load_skill, read_skill_resource), _texts(toolset), strict=False
    ):
        lines = "\n".join(f"    {parameter}: {text}" for parameter, (text, _) in parameters.items())
        function.__name__ = function.__qualname__ = name
        function.__doc__ = f"{about}\n\nArgs:\n{lines}\n\nReturns:\n    The text to read.\n"
        made.append(function)
    return made


def definitions(toolset: Toolset, dialect: str) -> list[dict[str, Any]]:
    """Return what `Toolset.tool_definitions` does."""
    if dialect not in DIALECTS:
        raise ValueError(f"a dialect is one of {', '.join(DIALECTS)}, not {echo(dialect)}")
    marks, length = DIALECTS[dialect]
    made: list[dict[str, Any]] = []
    for name, about, parameters in _texts(toolset):
        if len(name) > length or not all(
            char.isascii() and (char.isalnum() or char in marks) for char in name
        ):
            raise ValueError(
                f"{dialect} does not take the tool name {echo(name)}: ASCII letters, digits and {marks} only, "
                f"at most {length} characters; give other names to with_tools"
            )
        schema = {
            "type": "object",
            "properties": {key: {**shape, "description": text} for key, (text, shape) in parameters.items()},
            "required": [key for key, (_, shape) in parameters.items() if "default" not in shape],
            "additionalProperties": False,
        }
        if dialect == "openai":
            function = {"name": name, "description": about, "parameters": schema}
            made.append({"type": "function", "function": function})
        elif dialect == "openai-responses":
            made.append(
                {
                    "type": "function",
                    "name": name,
                    "description": about,
                    "parameters": schema,
                    "strict": False,
                }
            )
        else:
            key = "input_schema" if dialect == "anthropic" else "inputSchema"
            made.append({"name": name, "description": about, key: schema})
    return made


def answer(toolset: Toolset, tool: str, arguments: Mapping[str, object] | str | None) -> ToolText:
    """Return what `Toolset.call` does."""
    try:
        found = _answer(toolset, tool, arguments)
    except (SkillNotFoundError, ResourceNotFoundError, IntegrityError, _CallError) as error:
        found = ToolText(str(error), is_error=True)
    except Exception as error:  # a model may send anything, and an agent must go on
        found = ToolText(
            f"the skill cannot be read ({type(error).__name__}), whatever the arguments", is_error=True
        )
    is_content = not found.is_error and found.file is None
    text = (found if is_content else one_line(found[:MAX_ANSWER_CHARS]))[:MAX_ANSWER_CHARS]
    sent = text.encode("utf-8", "replace").decode("utf-8")
    return ToolText(sent, is_error=found.is_error, skill=found.skill, file=found.file)


def loaded(bundle: SkillBundle, name: str) -> ToolText:
    """Return the instructions of a skill, as the answer to the tool that loads."""
    skill = bundle._find(name)
    return ToolText(framed(bundle, skill.name, None, MAX_ANSWER_CHARS), skill=skill.name)


def _texts(toolset: Toolset) -> list[tuple[str, str, dict[str, tuple[str, dict[str, Any]]]]]:
    load, read = toolset._tools
    name: dict[str, Any] = {"type": "string"}
    about = "Load a skill: its instructions and the list of its files. Call this before you work on its task."
    if toolset._style == "enum":
        rows = toolset._rows()
        names = [name for name, _ in rows]
        # Hidden skills alone have neither, and are still loaded by name; hosts refuse an enum of nothing.
        if names:
            about += f"\n\nAvailable skills:\n\n{catalog_lines(rows)}"
        if 0 < len(names) <= MAX_ENUM_NAMES:
            name = {"type": "string", "enum": names}
    texts: list[tuple[str, str, dict[str, tuple[str, dict[str, Any]]]]] = [
        (load, about, {"name": ("The skill's name, as the catalog has it.", name)}),
        (
            read,
            f"Read one file of a skill that {load} has listed.",
            {
                "name": ("The skill's name.", {"type": "string"}),
                "path": ("The file's path, exactly as listed.", {"type": "string"}),
                "offset": (
                    "Where to begin, in characters from the start of the file.",
                    {"type": "integer", "minimum": 0, "default": 0},
                ),
                "limit": (
                    "How many characters to return at most.",
                    {"type": "integer", "minimum": 1, "maximum": MAX_ANSWER_CHARS, "default": 50000},
                ),
            },
        ),
    ]
    return [text for text in texts if text[0] in toolset.tool_names]


def _answer(toolset: Toolset, tool: str, arguments: Mapping[str, object] | str | None) -> ToolText:
    if tool not in toolset.tool_names:
        if not toolset.tool_names:
            raise _CallError(f"no skill tool {echo(tool)}: there are no skills")
        raise _CallError(f"no tool {echo(tool)}; there are: {', '.join(toolset.tool_names)}")
    if arguments is None:
        arguments = {}
    if not _is_small(arguments):
        raise _CallError(f"the arguments are over {MAX_ARGUMENT_BYTES} bytes")
    if isinstance(arguments, str):
        import json

        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise _CallError(f"these arguments cannot be read ({type(error).__name__})") from None
    if not isinstance(arguments, Mapping):
        raise _CallError(f"{tool} takes an object of named arguments, not {echo(type(arguments).__name__)}")
    name = _text_argument(tool, arguments, "name")
    if tool == toolset._tools[0]:
        return toolset._answer_load(name)
    path = _text_argument(tool, arguments, "path")
    offset = _number_argument(tool, arguments, "offset", 0)
    limit = min(_number_argument(tool, arguments, "limit", 50000), MAX_ANSWER_CHARS)
    skill = toolset._find(name)
    file = skill.file(path)
    if not file.is_text:
        return ToolText(piece(file, 0, 1), skill=skill.name, file=file)
    text = file.text()
    left = len(text) - offset
    if left < 0 or limit < 1:
        raise _CallError(f"the file has {len(text)} characters; offset {offset}, limit {limit}")
    if left > limit:
        limit = min(limit, MAX_ANSWER_CHARS - 200)
    return ToolText(piece_of(text, offset, limit), skill=skill.name)


class _CallError(Exception):
    """A call that cannot be served; the message is the answer."""


def _is_small(value: object) -> bool:
    """Return whether arguments are no more than JSON text of the greatest size could hold."""
    room = MAX_ARGUMENT_BYTES
    # What is in a list is paid for before it is looked at: so the time is bounded, also where a list holds itself.
    rest = [value]
    while rest:
        item = rest.pop()
        inner = [*item, *item.values()] if isinstance(item, Mapping) and len(item) <= room else item
        if isinstance(item, str):
            # Each character is a byte or more, so a long text is not encoded.
            room -= len(item) if len(item) > room else len(item.encode("utf-8", "surrogatepass"))
        elif isinstance(inner, (bytes, bytearray, list, tuple, Mapping)):
            room -= len(inner)
        if room < 0:
            return False
        if isinstance(inner, (list, tuple)):
            rest += inner
    return True


def _text_argument(tool: str, arguments: Mapping[str, object], key: str) -> str:
    value = arguments.get(key)
    if isinstance(value, str):
        return value
    raise _CallError(f"{tool} needs the text argument {key}, not {echo(value)}")


def _number_argument(tool: str, arguments: Mapping[str, object], key: str, default: int) -> int:
    value = arguments.get(key)
    if value is None:
        return default
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        try:
            number = int(value)
        except (ValueError, OverflowError):
            number = -1
        if number >= 0:
            return min(number, MAX_OFFSET)
    raise _CallError(f"{tool} needs a whole number for {key}, not {echo(value)}")
