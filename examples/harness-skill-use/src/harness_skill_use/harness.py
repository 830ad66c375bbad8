"""The harness: an agent, its tools, and skills behind `skill.use`. This is the file to copy.

It needs no import of skillpack: a bundle brings everything along.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness_skill_use.skills import SkillBundle

    Turn = str | tuple[str, dict[str, Any]]
    """What a model answers: a text for the user, or a tool and its arguments."""

    Model = Callable[[str, list[dict[str, Any]], list["Message"]], Turn]
    """What is asked: with the prompt, the definitions of the tools, and the messages so far."""

USE, READ = "skill.use", "skill.read"

MAX_TURNS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent as a project declares it; `skills` are shell patterns of names, all by default."""

    name: str
    prompt: str
    skills: tuple[str, ...] = ("*",)


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the conversation; `role` is user, assistant, call, result or hint."""

    role: str
    text: str


class Conversation:
    """One conversation with one agent.

    `tools` are the agent's own, functions of keyword arguments by name. `folder` is where the skills are on the
    agent's disk, relative to where its tools work, or None when they are in the wheel only.
    """

    def __init__(
        self,
        agent: Agent,
        bundle: SkillBundle,
        *,
        model: Model,
        tools: Mapping[str, Callable[..., str]],
        folder: str | None = None,
        listen: Callable[[Message], None] = print,
    ) -> None:
        self.agent = agent
        self.session = bundle.select(agent.skills).with_tools(USE, READ, "enum").session()
        self.messages: list[Message] = []
        self._model, self._tools, self._folder, self._listen = model, tools, folder, listen

    def definitions(self) -> list[dict[str, Any]]:
        """Return all tools as the model is shown them; the catalog stands in the description of `skill.use`."""
        own = [{"name": name, "description": function.__doc__} for name, function in self._tools.items()]
        return [*own, *self.session.tool_definitions("mcp")]

    def run(self, task: str) -> str:
        """Let the agent work on a task until it answers in words."""
        self._say("user", task)
        for _ in range(MAX_TURNS):
            turn = self._model(self.agent.prompt, self.definitions(), self.messages)
            if isinstance(turn, str):
                self._say("assistant", turn)
                return turn
            tool, arguments = turn
            self._say("call", f"{tool} {json.dumps(arguments)}")
            self._say("result", self._answer(tool, arguments))
            # a file that was touched may be what a skill is about: said once a session, and left to the agent
            path = arguments.get("path")
            if tool in self._tools and isinstance(path, str) and (hint := self.session.suggest(path)):
                self._say("hint", hint)
        raise RuntimeError(f"no answer after {MAX_TURNS} turns")

    def compact(self, summary: str) -> None:
        """Replace the conversation by a summary; skills that are asked for again come with their instructions."""
        self.session.compacted()
        self.messages.clear()
        self._say("user", summary)

    def _answer(self, tool: str, arguments: dict[str, Any]) -> str:
        if tool in self._tools:
            try:
                return self._tools[tool](**arguments)
            except (OSError, LookupError, TypeError, ValueError) as error:
                return f"{tool} failed: {error}"
        if tool not in self.session.tool_names:
            return f"no tool {tool[:80]!a}; there are: {', '.join([*self._tools, *self.session.tool_names])}"
        name = arguments.get("name")
        if tool == USE and self._folder and isinstance(name, str) and name in self.session.bundle:
            return self.session.load(name, directory=f"{self._folder}/{name}")
        return self.session.call(tool, arguments)  # answers whatever a model sends

    def _say(self, role: str, text: str) -> None:
        message = Message(role, text)
        self.messages.append(message)
        self._listen(message)
