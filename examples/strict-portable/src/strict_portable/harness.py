"""The agent: a prompt, a loop, and one place that answers every tool call."""

from __future__ import annotations

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

    tool: str
    arguments: Mapping[str, object]


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
        if call.tool in self.session.tool_names:
            return self.session.call(call.tool, call.arguments)
        if refusal := self.session.refuse(call.tool):
            return refusal
        if call.tool not in self.tools:
            return f"there is no tool {call.tool}"
        if call.tool in self.approved_tools and not self.approve(call):
            return f"a person was asked to approve {call.tool} and said no"
        try:
            return self.tools[call.tool](**call.arguments)
        except TypeError as error:  # the arguments are the model's
            return str(error)


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
        sent = f"{turn.tool} {json.dumps(dict(turn.arguments))}"
        answer = agent.answer(turn)
        messages += [{"role": "assistant", "content": sent}, {"role": "tool", "content": answer}]
        yield f"[call] {sent}"
        yield f"[result] {answer}"
    raise RuntimeError(f"no answer after {MAX_STEPS} steps")
