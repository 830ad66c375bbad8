"""The agent: a prompt, a loop, and one place that answers every tool call."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strict_portable.terms import offered, terms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from strict_portable.skills import SkillBundle

    Tool = Callable[..., str]
    Message = dict[str, str]
    Definition = dict[str, Any]
    Model = Callable[[list[Message], list[Definition]], "Call | str"]

MAX_STEPS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call as the model sent it: nothing in it is checked yet."""

    tool: Any
    arguments: Any


class Agent:
    """One conversation. `tools` are the host's own, `approve` asks a person and says what they answered."""

    def __init__(
        self,
        bundle: SkillBundle,
        *,
        tools: Mapping[str, Tool],
        capabilities: Iterable[str],
        scopes: Iterable[str],
        approve: Callable[[Call], bool],
    ) -> None:
        self.session = offered(bundle, capabilities, scopes).session()
        self.session.check_tools(tools)
        self.tools = tools
        self.approve = approve
        # of every skill, not only of those loaded: a model that loads none must not get round a person
        self.approved_tools = {tool for skill in bundle.values() for tool in terms_of(skill).approval}

    def answer(self, call: Call) -> str:
        """Return what the model is told; a call that cannot be served is told as well."""
        tool = call.tool
        if not isinstance(tool, str) or tool not in {*self.session.tool_names, *self.tools}:
            return f"there is no tool {tool!a:.80}"
        if tool in self.session.tool_names:
            return self.session.call(tool, call.arguments)  # answers whatever a model sends
        if refusal := self.session.refuse(tool):
            return refusal
        arguments = named(call.arguments)
        if arguments is None:
            return f"{tool} takes an object of named arguments"
        function = self.tools[tool]
        try:
            inspect.signature(function).bind(**arguments)
        except TypeError as error:
            return f"{tool}: {error}"
        if tool in self.approved_tools and not self.approve(call):
            return f"a person was asked to approve {tool} and said no"
        try:
            return function(**arguments)
        except Exception as error:  # noqa: BLE001 - whatever a tool makes of what a model sent; its text is about the program
            return f"{tool} failed ({type(error).__name__})"


def named(sent: object) -> dict[str, Any] | None:
    """Return the named arguments of a call, sent as an object or as its JSON text; None for anything else."""
    try:
        value = json.loads(sent or "{}") if isinstance(sent, str) else {} if sent is None else sent
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def shown(call: Call) -> str:
    """Return a call on a line of ASCII, for the log."""
    try:
        sent = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        return f"{call.tool} {sent}".encode("ascii", "backslashreplace").decode("ascii")
    except (TypeError, ValueError, RecursionError):
        return f"a call that cannot be shown ({type(call.arguments).__name__})"


def converse(agent: Agent, model: Model, request: str) -> Iterator[str]:
    """Run one request to its end and give the transcript, `[role] text` for each message."""
    messages = [
        {"role": "system", "content": agent.session.catalog()},
        {"role": "user", "content": request},
    ]
    yield from (f"[{message['role']}] {message['content']}" for message in messages)
    for _ in range(MAX_STEPS):
        # your own tools' definitions go beside those of the skills
        turn = model(messages, agent.session.tool_definitions("openai"))
        if isinstance(turn, str):
            yield f"[assistant] {turn}"
            return
        sent, answer = shown(turn), agent.answer(turn)
        messages += [{"role": "assistant", "content": sent}, {"role": "tool", "content": answer}]
        yield f"[call] {sent}"
        yield f"[result] {answer}"
    raise RuntimeError(f"no answer after {MAX_STEPS} steps")
