"""The tools that a model calls: functions, definitions, and a call that answers whatever was sent."""

from __future__ import annotations

from _collections_abc import Mapping

from skillpack.runtime.disclosure import Catalog, catalog_lines
from skillpack.runtime.errors import IntegrityError, ResourceNotFoundError, SkillNotFoundError
from skillpack.runtime.model import Skill, SkillFile
from skillpack.runtime.text import TYPE_CHECKING, echo, one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

MAX_ARGUMENT_BYTES = 65_536
MAX_ANSWER_CHARS = 100_000
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


class Toolset(Catalog):
    """The catalog and the tools that are offered to a model. A bundle has them, and a session."""

    __slots__ = ()
    _style: str
    _offered: Callable[[], int]
    _find: Callable[[str], Skill]
    _answer_load: Callable[[str], ToolText]
    read: Callable[[str, str, int, int], str]

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools that `tools` and `tool_definitions` give, in their order."""
        return self._tools[: self._offered()]

    def _tool_texts(self) -> list[tuple[str, str, dict[str, tuple[str, dict[str, Any]]]]]:
        load, read = self._tools
        name: dict[str, Any] = {"type": "string"}
        about = (
            "Load a skill: its instructions and the list of its files. Call this before you work on its task."
        )
        if self._style == "enum":
            rows = self._rows()
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
        return [text for text in texts if text[0] in self.tool_names]

    def tools(self) -> list[Callable[..., str]]:
        """Return the tools as plain functions for an agent framework, named and documented as offered.

        Their annotations are built-in types. Called by their signature they answer in text, as `call` does, and
        never raise. No skills: no functions.
        """

        def load_skill(name: str) -> str:
            return str(self.call(self._tools[0], {"name": name}))

        def read_skill_resource(name: str, path: str, offset: int = 0, limit: int = 50000) -> str:
            arguments = {"name": name, "path": path, "offset": offset, "limit": limit}
            return str(self.call(self._tools[1], arguments))

        # Types and not their names: some frameworks read annotations without resolving them.
        load_skill.__annotations__ = {"name": str, "return": str}
        read_skill_resource.__annotations__ = {
            "name": str,
            "path": str,
            "offset": int,
            "limit": int,
            "return": str,
        }
        functions: list[Any] = []
        for function, (name, about, parameters) in zip(
            (load_skill, read_skill_resource), self._tool_texts(), strict=False
        ):
            lines = "\n".join(f"    {parameter}: {text}" for parameter, (text, _) in parameters.items())
            function.__name__ = function.__qualname__ = name
            function.__doc__ = f"{about}\n\nArgs:\n{lines}\n\nReturns:\n    The text to read.\n"
            functions.append(function)
        return functions

    def tool_definitions(self, dialect: str) -> list[dict[str, Any]]:
        """Return the tools as JSON definitions: `openai`, `openai-responses`, `anthropic` or `mcp`.

        `ValueError` for another dialect, or when the dialect forbids a tool's name.
        """
        if dialect not in DIALECTS:
            raise ValueError(f"a dialect is one of {', '.join(DIALECTS)}, not {echo(dialect)}")
        marks, length = DIALECTS[dialect]
        definitions: list[dict[str, Any]] = []
        for name, about, parameters in self._tool_texts():
            if len(name) > length or not all(
                char.isascii() and (char.isalnum() or char in marks) for char in name
            ):
                raise ValueError(
                    f"{dialect} does not take the tool name {echo(name)}: ASCII letters, digits and {marks} only, "
                    f"at most {length} characters; give other names to with_tools"
                )
            schema = {
                "type": "object",
                "properties": {
                    key: {**shape, "description": text} for key, (text, shape) in parameters.items()
                },
                "required": [key for key, (_, shape) in parameters.items() if "default" not in shape],
                "additionalProperties": False,
            }
            if dialect == "openai":
                function = {"name": name, "description": about, "parameters": schema}
                definitions.append({"type": "function", "function": function})
            elif dialect == "openai-responses":
                definitions.append(
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
                definitions.append({"name": name, "description": about, key: schema})
        return definitions

    def call(self, tool: str, arguments: Mapping[str, object] | str | None = None) -> ToolText:
        """Answer a tool call in text, whatever the model sent; never raises.

        `arguments` is a mapping or its JSON text, at most 64 KiB of UTF-8. The answer has at most 100,000
        characters and can be encoded as UTF-8, and is one line unless it is what a skill holds; `is_error`, `skill` and
        `file` say what it is about.
        """
        try:
            answer = self._answer(tool, arguments)
        except (SkillNotFoundError, ResourceNotFoundError, IntegrityError, _CallError) as error:
            answer = ToolText(str(error), is_error=True)
        except Exception as error:  # a model may send anything, and an agent must go on
            answer = ToolText(
                f"the skill cannot be read ({type(error).__name__}), whatever the arguments", is_error=True
            )
        is_content = not answer.is_error and answer.file is None
        text = (answer if is_content else one_line(answer[:MAX_ANSWER_CHARS]))[:MAX_ANSWER_CHARS]
        sent = text.encode("utf-8", "replace").decode("utf-8")
        return ToolText(sent, is_error=answer.is_error, skill=answer.skill, file=answer.file)

    def _answer(self, tool: str, arguments: Mapping[str, object] | str | None) -> ToolText:
        if tool not in self.tool_names:
            if not self.tool_names:
                raise _CallError(f"no skill tool {echo(tool)}: there are no skills")
            raise _CallError(f"no tool {echo(tool)}; there are: {', '.join(self.tool_names)}")
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
            raise _CallError(
                f"{tool} takes an object of named arguments, not {echo(type(arguments).__name__)}"
            )
        name = _text_argument(tool, arguments, "name")
        if tool == self._tools[0]:
            return self._answer_load(name)
        path = _text_argument(tool, arguments, "path")
        offset = _number_argument(tool, arguments, "offset", 0)
        limit = min(_number_argument(tool, arguments, "limit", 50000), MAX_ANSWER_CHARS)
        skill = self._find(name)
        file = skill.file(path)
        if file.is_text:
            left = len(file.text()) - offset
            if left < 0 or offset < 0 or limit < 1:
                raise _CallError(
                    f"the file has {len(file.text())} characters; offset {offset}, limit {limit}"
                )
            if left > limit:
                limit = min(limit, MAX_ANSWER_CHARS - 200)
        text = self.read(skill.name, path, offset, limit)
        return ToolText(text, skill=skill.name, file=None if file.is_text else file)


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
