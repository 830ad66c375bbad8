"""The agent: sources that are looked at anew each turn, a palette that loading widens, and a loop."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grid_assets.assets import facet_of
from grid_assets.sources import offered, skill_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from grid_assets.venue import Venue
    from skillpack.runtime import Skill

    Message = dict[str, str]
    Definition = dict[str, Any]
    Model = Callable[[list[Message], list[Definition]], "Call | str"]

MAX_STEPS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call as the model sent it: nothing in it is checked yet."""

    tool: str
    arguments: Mapping[str, Any]


class Agent:
    """One conversation. `tools` are the operations in its palette from the start, `capabilities` those it may invoke."""

    def __init__(
        self,
        venue: Venue,
        sources: list[str],
        *,
        tools: Iterable[str],
        capabilities: Iterable[str],
        max_skill_chars: int,
        max_total_chars: int,
    ) -> None:
        self.venue, self.sources = venue, sources
        self.tools, self.capabilities = set(tools), set(capabilities)
        self.messages: list[Message] = []
        self.by_ref: list[Skill] = []
        self.added: dict[str, tuple[str, ...]] = {}
        self.session = offered(venue, sources).session(
            host_tools=venue.operations, max_body_chars=max_skill_chars, max_total_chars=max_total_chars
        )

    def refresh(self) -> str:
        """Look at the sources again and return what to tell the model of it, or the empty string."""
        return self.session.replace(
            offered(self.venue, self.sources).overlay(*self.by_ref, on_collision="first")
        )

    def palette(self) -> list[str]:
        """Return what the model may call: what it always has, and what the loaded skills add."""
        return sorted({*self.tools, *(tool for tools in self.added.values() for tool in tools)})

    def definitions(self) -> list[Definition]:
        """Return the tools about skills; those of the palette are the venue's to describe."""
        load, read = self.session.tool_definitions("openai")
        parameters = load["function"]["parameters"]
        parameters["properties"]["ref"] = {"type": "string", "description": "An address, instead of a name."}
        parameters["properties"]["budget"] = {"type": "integer", "description": "Most characters to load."}
        parameters["required"] = []
        return [
            load,
            read,
            _definition("context_unload", "Take a loaded skill out of your context.", ["name"]),
            _definition(
                "skills", "Look at skills: command `list`, or `read` with a name.", ["command", "name"]
            ),
        ]

    def answer(self, call: Call) -> str:
        """Return what the model is told; a call that cannot be served is told as well."""
        try:
            match call.tool:
                case "skill_load":
                    return self._load(**call.arguments)
                case "skill_read":
                    return self.session.call(call.tool, call.arguments)
                case "context_unload":
                    return self._unload(**call.arguments)
                case "skills":
                    return self._discover(**call.arguments)
                case _:
                    return self._invoke(call)
        except KeyError as error:  # no such skill: the message lists those there are
            return str(error)
        except (TypeError, ValueError, OSError) as error:
            return f"{call.tool}: {error}"

    def _load(self, name: str = "", ref: str = "", budget: int | None = None) -> str:
        if name not in self.session.bundle:
            for line in self.session.bundle.problems:
                if line.startswith(f"{name} — "):
                    return line
        skill = self._unlisted(ref) if ref else self.session.bundle[name]
        facet = facet_of(skill)
        before = self.session.trace_attributes()
        # a digest is a name too: whatever name the sources have for it
        text = self.session.load(skill.digest if ref else name, max_chars=budget or facet.budget)
        if self.session.trace_attributes() == before:
            return text  # a notice: loaded before, or over a limit
        loaded = self.session.loaded[-1]
        own = (loaded,) if facet.operation else ()
        self.added[loaded] = (*(tool for tool in facet.tools if tool in self.venue.operations), *own)
        if self.added[loaded]:
            text += f"\n[In your palette now: {', '.join(self.added[loaded])}]"
        return "\n".join([text, *(self._context(address, label) for address, label in facet.context)])

    def _unlisted(self, ref: str) -> Skill:
        """Return the skill at an address that the model was told, and offer it from now on."""
        skill, bundle = skill_at(self.venue, ref), self.session.bundle
        if skill.digest not in [other.digest for other in bundle.values()]:
            if skill.name in bundle:
                raise ValueError(f"another skill is named {skill.name}")
            self.by_ref.append(skill)
            self.refresh()
        return skill

    def _context(self, address: str, label: str) -> str:
        try:
            text = self.venue.resolve(address)
        except OSError as error:
            text = f"unavailable: {error}"
        return f"[{label}]\n{text or 'unavailable: nothing is there'}"

    def _unload(self, name: str) -> str:
        self.session.unload(name)
        self.added = {name: tools for name, tools in self.added.items() if name in self.session.loaded}
        return f"unloaded; loaded now: {', '.join(self.session.loaded) or 'none'}"

    def _discover(self, command: str, name: str = "") -> str:
        if command == "list":
            return self.session.index()
        skill = self.session.bundle[name]
        facet = facet_of(skill)
        return json.dumps(
            {
                "name": skill.name,
                "description": skill.description,
                "tools": facet.tools,
                "context": facet.context,
                "digest": skill.digest,
                "body": skill.body,
            },
            ensure_ascii=False,
        )

    def _invoke(self, call: Call) -> str:
        if call.tool not in self.palette():
            return f"{call.tool} is not in your palette: {', '.join(self.palette())}"
        # a skill says how, never whether: what it added is asked for like everything else
        if call.tool not in self.capabilities:
            return f"denied: this agent has no capability for {call.tool}"
        if call.tool in self.venue.operations:
            return self.venue.operations[call.tool](**call.arguments)
        operation = facet_of(self.session.bundle[call.tool]).operation or {}
        if operation.get("adapter") not in self.venue.operations:
            return f"{call.tool} cannot be called here: there is no {operation.get('adapter')}"
        return self.venue.operations[operation["adapter"]](operation=operation, **call.arguments)


def _definition(name: str, about: str, parameters: list[str]) -> Definition:
    properties = {parameter: {"type": "string"} for parameter in parameters}
    schema = {"type": "object", "properties": properties, "required": parameters[:1]}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}


def converse(agent: Agent, model: Model, request: str) -> Iterator[str]:
    """Run one request to its end and give the transcript, `[role] text` for each message; of the index what has changed."""
    agent.messages.append({"role": "user", "content": request})
    yield f"[user] {request}"
    shown: list[str] = []
    for _ in range(MAX_STEPS):
        if announcement := agent.refresh():
            agent.messages.append({"role": "system", "content": announcement})
            yield f"[system] {announcement}"
        index = agent.session.index()
        if new := [line for line in index.splitlines() if line not in shown]:
            yield "[index] " + "\n".join(new)
            shown = index.splitlines()
        # the index is new each turn, so it stands last and what precedes it can be cached
        turn = model([*agent.messages, {"role": "system", "content": index}], agent.definitions())
        if isinstance(turn, str):
            agent.messages.append({"role": "assistant", "content": turn})
            yield f"[assistant] {turn}"
            return
        sent, answer = f"{turn.tool} {json.dumps(dict(turn.arguments))}", agent.answer(turn)
        agent.messages += [{"role": "assistant", "content": sent}, {"role": "tool", "content": answer}]
        yield f"[call] {sent}"
        yield f"[result] {answer}"
    raise RuntimeError(f"no answer after {MAX_STEPS} steps")
