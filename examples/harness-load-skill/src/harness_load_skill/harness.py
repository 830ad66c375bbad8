"""The harness: a conversation with skills, their policy at the tool call, and its state. This is the file to copy.

It needs no import of skillpack: a bundle brings everything along.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from harness_load_skill.skills import Skill, SkillBundle, SkillSession

    Turn = str | tuple[Any, Any]
    """What a model answers: a text for the user, or a tool and its arguments as they came: nothing is checked yet."""

    Model = Callable[[str, list[dict[str, Any]], list[list[str]]], Turn]
    """What is asked: with the system prompt, the definitions of the skill tools (yours go beside them), and the
    messages so far."""

LOAD, READ = "load_skill", "read_skill_resource"

MAX_TURNS = 20


@dataclass(frozen=True, slots=True)
class Context:
    """What a tool gets beside its arguments."""

    conversation: Conversation

    def unlock(self, name: str) -> None:
        """Offer a skill that was locked; the model hears of it after the tool's result."""
        self.conversation.unlock(name)

    def skill(self, name: str) -> Skill:
        """Return a skill, whichever way it was supplied; a KeyError if the agent has none of that name."""
        return self.conversation.session.bundle[name]


class Conversation:
    """One conversation of one agent.

    `tools` are the agent's own by name: functions of a `Context` and keyword arguments. `locked` are skills that are
    not offered before `unlock`. `state` is what `to_json` of an earlier turn gave, and has its own `locked`. A skill
    that allows a tool which the agent lacks is an error here, not at the tool call, and so is a locked skill that is
    none; one of a state, from a build that had it, is a warning and stays locked.
    """

    def __init__(
        self,
        instructions: str,
        bundle: SkillBundle,
        *,
        model: Model,
        tools: Mapping[str, Callable[..., str]],
        locked: Iterable[str] = (),
        state: str | None = None,
        listen: Callable[[str, str], None] = print,
    ) -> None:
        bundle.session().check_tools(tools)
        locked = list(locked)
        for name in locked:
            bundle[name]
        kept: dict[str, Any] = {"session": None, "messages": [], "node": [], "locked": locked}
        if state is not None:
            kept = json.loads(state)
        self.messages: list[list[str]] = kept["messages"]
        self._node: list[str] = kept["node"]
        self._locked: list[str] = kept["locked"]
        self._bundle = bundle
        self._instructions, self._model, self._tools, self._listen = instructions, model, tools, listen
        self.session: SkillSession = self._offered().session(kept["session"])
        for name in self._locked:
            if name not in bundle:
                listen("warning", f"{name} is locked, and not there any more")
        self._announce(self.session.announcement)

    @property
    def prompt(self) -> str:
        """The system prompt: the same until `compact`, so that the provider's cache holds."""
        return f"{self._instructions}\n\n{self.session.catalog()}".rstrip()

    def run(self, text: str) -> dict[str, Any]:
        """Answer the user; return the attributes for the trace of this turn."""
        self._say("user", text)
        for _ in range(MAX_TURNS):
            turn = self._model(self.prompt, self.session.tool_definitions("anthropic"), self.messages)
            if isinstance(turn, str):
                self._say("assistant", turn)
                return dict(self.session.trace_attributes())
            tool, sent = turn
            self._say("call", shown(tool, sent))
            roster = self.session.bundle
            self._say("result", self._answer(tool, sent))
            if self.session.bundle is not roster:
                self._announce(self.session.announcement)
        raise RuntimeError(f"no answer after {MAX_TURNS} turns")

    def enter_node(self) -> None:
        """Begin another node of the flow: skills that were loaded before restrict nothing in it."""
        self._node.clear()

    def unlock(self, name: str) -> None:
        """Offer a skill from now on: said at the end of the transcript, while the prompt stays as it is."""
        if name in self._locked:
            self._locked.remove(name)
            self.session.replace(self._offered())

    def update(self, bundle: SkillBundle) -> None:
        """Take the skills as they are now, before a turn: said at the end of the transcript as well."""
        bundle.session().check_tools(self._tools)
        self._bundle = bundle
        self._announce(self.session.replace(self._offered()))

    def compact(self, summary: str) -> None:
        """Replace the messages by a summary; the prompt is written anew with the skills that are offered now."""
        self.session.rebase()
        self.messages.clear()
        self._say("user", summary)

    def to_json(self) -> str:
        """Return the state, to be kept until the next turn; the bundle is not in it."""
        kept = {"messages": self.messages, "node": self._node, "locked": self._locked}
        return json.dumps({"session": self.session.to_json(), **kept})

    def _offered(self) -> SkillBundle:
        return self._bundle.select(name for name in self._bundle if name not in self._locked)

    def _answer(self, tool: object, sent: Any) -> str:
        if isinstance(tool, str) and tool in self.session.tool_names:
            answer = self.session.call(tool, sent)  # answers whatever a model sends
            if tool == LOAD and answer.skill:
                self._node.append(answer.skill)
            return answer
        if not isinstance(tool, str) or tool not in self._tools:
            return f"no tool {tool!a:.80}; there are: {', '.join([*self._tools, *self.session.tool_names])}"
        if refusal := self.session.refuse(tool, among=self._node):
            return refusal
        return called(tool, partial(self._tools[tool], Context(self)), sent)

    def _announce(self, text: str) -> None:
        if text:
            self._say("announcement", text)

    def _say(self, role: str, text: str) -> None:
        self.messages.append([role, text])
        self._listen(role, text)


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
