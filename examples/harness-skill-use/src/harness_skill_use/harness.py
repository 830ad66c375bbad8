"""The harness: an agent, its tools, and skills behind `skill.use`. This is the file to copy.

It needs no import of skillpack: a bundle brings everything along.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness_skill_use.skills import SkillBundle

    Turn = str | tuple[Any, Any]
    """What a model answers: a text for the user, or a tool and its arguments as they came: nothing is checked yet."""

    Model = Callable[[str, list[dict[str, Any]], list["Message"]], Turn]
    """What is asked: with the prompt, the definitions of the tools, and the messages so far."""

USE, READ = "skill.use", "skill.read"

MAX_TURNS = 20
MAX_CHARS = 100_000
"""Most characters of an answer, which is the limit of `session.call` too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent as a project declares it; `skills` are shell patterns of names, all by default."""

    name: str
    prompt: str
    skills: tuple[str, ...] = ("*",)

    def offered(self, bundle: SkillBundle) -> tuple[SkillBundle, list[str]]:
        """Return the skills that the patterns choose, and the plain names among them that no skill has.

        To `select` such a name is an error. Here it may be that of a skill that was left out as broken.
        """
        if isinstance(self.skills, str):
            raise TypeError(f"the skills of {self.name} are several patterns, not one text")
        absent = [
            name
            for name in self.skills
            if not any(sign in name for sign in "*?[") and name.removeprefix("!") not in bundle
        ]
        # Patterns that only take away begin with every skill. What the list begins with is said here, since without the
        # names that are absent it might come to be such a list, or be one no more.
        only_takes_away = bool(self.skills) and all(pattern.startswith("!") for pattern in self.skills)
        patterns = [pattern for pattern in self.skills if pattern not in absent]
        return bundle.select(["*" if only_takes_away else "!*", *patterns]), absent


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the conversation; `role` is user, assistant, call, result or hint.

    A warning is one too, which is told to who listens and not to the model.
    """

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
        skills, absent = agent.offered(bundle)
        self.session = skills.with_tools(USE, READ, "enum").session()
        self.messages: list[Message] = []
        self._model, self._tools, self._folder, self._listen = model, tools, folder, listen
        for line in [*bundle.problems, *(f"{agent.name} names {name}, which no skill is" for name in absent)]:
            listen(Message("warning", line))

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
            tool, sent = turn
            self._say("call", shown(tool, sent))
            if not isinstance(tool, str) or tool not in self._tools:
                self._say("result", self._answer(tool, sent))
                continue
            self._say("result", called(tool, self._tools[tool], sent))
            # a file that was touched may be what a skill is about: said once a session, and left to the agent
            path = (named(sent) or {}).get("path")
            if isinstance(path, str) and (hint := self.session.suggest(path)):
                self._say("hint", hint)
        raise RuntimeError(f"no answer after {MAX_TURNS} turns")

    def compact(self, summary: str) -> None:
        """Replace the conversation by a summary; skills that are asked for again come with their instructions."""
        self.session.compacted()
        self.messages.clear()
        self._say("user", summary)

    def _answer(self, tool: object, sent: Any) -> str:
        if tool not in self.session.tool_names:
            return f"no tool {tool!a:.80}; there are: {', '.join([*self._tools, *self.session.tool_names])}"
        name = (named(sent) or {}).get("name")
        if tool == USE and self._folder and isinstance(name, str) and name in self.session.bundle:
            try:
                return self.session.load(name, directory=f"{self._folder}/{name}", max_chars=MAX_CHARS)
            except ValueError as error:  # a file is damaged
                return str(error)
        return self.session.call(str(tool), sent)  # answers whatever a model sends

    def _say(self, role: str, text: str) -> None:
        message = Message(role, text)
        self.messages.append(message)
        self._listen(message)


def named(sent: object) -> dict[str, Any] | None:
    """Return the named arguments of a call, sent as an object or as its JSON text; None for anything else."""
    try:
        value = json.loads(sent or "{}") if isinstance(sent, str) else {} if sent is None else sent
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def called(tool: str, function: Callable[..., str], sent: object) -> str:
    """Call one of the agent's own tools and return what it gives, or why it could not: never an exception."""
    arguments = named(sent)
    if arguments is None:
        return f"{tool} takes an object of named arguments"
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        return f"{tool}: {error}"
    try:
        return function(**arguments)
    except (LookupError, OSError, ValueError) as error:
        return f"{tool} failed: {error}"
    except Exception as error:  # noqa: BLE001 - the text of any other is about the program, and not for a model
        return f"{tool} failed ({type(error).__name__})"


def shown(tool: object, sent: object) -> str:
    """Return a call on a line of ASCII, for the log."""
    try:
        text = sent if isinstance(sent, str) else json.dumps(sent)
        return f"{tool} {text}".encode("ascii", "backslashreplace").decode("ascii")
    except (TypeError, ValueError, RecursionError):
        return f"a call that cannot be shown ({type(sent).__name__})"
