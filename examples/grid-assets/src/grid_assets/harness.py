"""The agent: sources that are looked at anew each turn, a palette that loading widens, and a loop."""

from __future__ import annotations

import inspect
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
MIN_BUDGET = 500
"""Characters in which a skill's frame and the line that says how to go on leave room for instructions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call as the model sent it: nothing in it is checked yet."""

    tool: Any
    arguments: Any


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
            arguments = named(call.arguments)
            match call.tool:
                case "skill_load":
                    return self._load(
                        text(arguments, "name"), text(arguments, "ref"), arguments.get("budget")
                    )
                case "skill_read":
                    return self.session.call(call.tool, arguments)
                case "context_unload":
                    return self._unload(text(arguments, "name"))
                case "skills":
                    return self._discover(text(arguments, "command"), text(arguments, "name"))
                case _:
                    return self._invoke(call.tool, arguments)
        except KeyError as error:  # no such skill: the message lists those there are
            return str(error)
        except (ValueError, OSError) as error:
            return f"{call.tool!s:.80}: {error}".encode("ascii", "backslashreplace").decode("ascii")

    def _load(self, name: str, ref: str, budget: object) -> str:
        if budget is not None and (type(budget) is not int or budget < MIN_BUDGET):
            raise ValueError(f"budget is a whole number of characters, {MIN_BUDGET} or more")
        if name not in self.session.bundle:
            for line in self.session.bundle.problems:
                if line.startswith(f"{name} — "):
                    return line
        skill = self._unlisted(ref) if ref else self.session.bundle[name]
        facet = facet_of(skill)
        before = self.session.trace_attributes()
        # a digest is a name too: whatever name the sources have for it
        limit = budget or facet.budget
        answer = self.session.load(
            skill.digest if ref else name, max_chars=None if limit is None else max(limit, MIN_BUDGET)
        )
        if self.session.trace_attributes() == before:
            return answer  # a notice: loaded before, or over a limit
        loaded = self.session.loaded[-1]
        own = (loaded,) if facet.operation else ()
        self.added[loaded] = (*(tool for tool in facet.tools if tool in self.venue.operations), *own)
        if self.added[loaded]:
            answer += f"\n[In your palette now: {', '.join(self.added[loaded])}]"
        return "\n".join([answer, *(self._context(address, label) for address, label in facet.context)])

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
            found = self.venue.resolve(address)
        except OSError as error:
            found = f"unavailable: {error}"
        return f"[{label}]\n{found or 'unavailable: nothing is there'}"

    def _unload(self, name: str) -> str:
        self.session.unload(name)
        self.added = {name: tools for name, tools in self.added.items() if name in self.session.loaded}
        return f"unloaded; loaded now: {', '.join(self.session.loaded) or 'none'}"

    def _discover(self, command: str, name: str) -> str:
        if command == "list":
            return self.session.index()
        if command != "read":
            raise ValueError("command is list or read")
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

    def _invoke(self, tool: object, arguments: dict[str, Any]) -> str:
        if not isinstance(tool, str) or tool not in self.palette():
            return f"{tool!a:.80} is not in your palette: {', '.join(self.palette())}"
        # a skill says how, never whether: what it added is asked for like everything else
        if tool not in self.capabilities:
            return f"denied: this agent has no capability for {tool}"
        adapter = tool
        if tool not in self.venue.operations:
            operation = facet_of(self.session.bundle[tool]).operation or {}
            adapter, arguments = operation.get("adapter"), {**arguments, "operation": operation}
            if adapter not in self.venue.operations:
                return f"{tool} cannot be called here: there is no {adapter}"
        function = self.venue.operations[adapter]
        try:
            inspect.signature(function).bind(**arguments)
        except TypeError as error:
            return f"{tool}: {error}"
        try:
            return function(**arguments)
        except Exception as error:  # noqa: BLE001 - whatever an operation makes of what a model sent; its text is about the program
            return f"{tool} failed ({type(error).__name__})"


def named(sent: object) -> dict[str, Any]:
    """Return the named arguments of a call, sent as an object or as its JSON text. `ValueError` for anything else."""
    try:
        value = json.loads(sent or "{}") if isinstance(sent, str) else {} if sent is None else sent
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise ValueError("the arguments are not an object of named arguments")
    return value


def text(arguments: Mapping[str, Any], key: str) -> str:
    """Return an argument that is a text, empty when it is missing. `ValueError` for any other."""
    value = arguments.get(key) or ""
    if not isinstance(value, str):
        raise ValueError(f"{key} is not a text")  # noqa: TRY004 - an answer to the model, like the others
    return value


def shown(call: Call) -> str:
    """Return a call on a line of ASCII, for the log."""
    try:
        sent = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        return f"{call.tool} {sent}".encode("ascii", "backslashreplace").decode("ascii")
    except (TypeError, ValueError, RecursionError):
        return f"a call that cannot be shown ({type(call.arguments).__name__})"


def _definition(name: str, about: str, parameters: list[str]) -> Definition:
    properties = {parameter: {"type": "string"} for parameter in parameters}
    schema = {"type": "object", "properties": properties, "required": parameters[:1]}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}


def converse(agent: Agent, model: Model, request: str) -> Iterator[str]:
    """Run one request to its end and give the transcript, `[role] text` for each message; of the index what has changed."""
    agent.messages.append({"role": "user", "content": request})
    yield f"[user] {request}"
    seen: list[str] = []
    for _ in range(MAX_STEPS):
        if announcement := agent.refresh():
            agent.messages.append({"role": "system", "content": announcement})
            yield f"[system] {announcement}"
        index = agent.session.index()
        if new := [line for line in index.splitlines() if line not in seen]:
            yield "[index] " + "\n".join(new)
            seen = index.splitlines()
        # the index is new each turn, so it stands last and what precedes it can be cached
        turn = model([*agent.messages, {"role": "system", "content": index}], agent.definitions())
        if isinstance(turn, str):
            agent.messages.append({"role": "assistant", "content": turn})
            yield f"[assistant] {turn}"
            return
        sent, answer = shown(turn), agent.answer(turn)
        agent.messages += [{"role": "assistant", "content": sent}, {"role": "tool", "content": answer}]
        yield f"[call] {sent}"
        yield f"[result] {answer}"
    raise RuntimeError(f"no answer after {MAX_STEPS} steps")
