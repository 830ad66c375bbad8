"""The tools that a model calls, as they are offered; what they do is in `answering`, which is loaded on first use."""

from __future__ import annotations

from _collections_abc import Mapping  # noqa: TC003 - one import for all files that are joined with this one

from skillpack.runtime.listing import TYPE_CHECKING, Catalog

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from skillpack.runtime.answering import ToolText
    from skillpack.runtime.model import Skill


class Toolset(Catalog):
    """The catalog and the tools that are offered to a model. A bundle has them, and a session."""

    __slots__ = ()
    _style: str
    _rows: Callable[[], list[tuple[str, str]]]
    _offered: Callable[[], int]
    _find: Callable[[str], Skill]
    _answer_load: Callable[[str], ToolText]

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools that `tools` and `tool_definitions` give, in their order."""
        return self._tools[: self._offered()]

    def tools(self) -> list[Callable[..., str]]:
        """Return the tools as plain functions for an agent framework, named and documented as offered.

        Their annotations are built-in types. Called by their signature they answer in text, as `call` does, and
        never raise. No skills: no functions.
        """
        from skillpack.runtime.answering import functions

        return functions(self)

    def tool_definitions(self, dialect: str) -> list[dict[str, Any]]:
        """Return the tools as JSON definitions: `openai`, `openai-responses`, `anthropic` or `mcp`.

        `ValueError` for another dialect, or when the dialect forbids a tool's name.
        """
        from skillpack.runtime.answering import definitions

        return definitions(self, dialect)

    def call(self, tool: str, arguments: Mapping[str, object] | str | None = None) -> ToolText:
        """Answer a tool call in text, whatever the model sent; never raises.

        `arguments` is a mapping or its JSON text, at most 64 KiB of UTF-8. The answer has at most 100,000
        characters and can be encoded as UTF-8, and is one line unless it is what a skill holds; `is_error`, `skill` and
        `file` say what it is about.
        """
        from skillpack.runtime.answering import answer

        return answer(self, tool, arguments)
