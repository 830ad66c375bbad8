"""What a model sees of a bundle through `skillpack.adapters.haystack`."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Any

from support.damaged import damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Calls = Sequence[tuple[str, dict[str, Any]]]


def converse(bundle: Any, steps: Mapping[str, tuple[str, str | None]]) -> dict[str, Any]:
    adapter = import_module("skillpack.adapters.haystack")
    generator, results = talk([called(*step) for step in steps.values()], adapter.BundleSkillStore(bundle))
    answers = {step: shown(result) for step, result in zip(steps, results, strict=True)}
    return {
        "prompt": generator.prompts[0],
        "answers": answers,
        "more": more(bundle, adapter.BundleSkillStore),
    }


def example(run: Callable[..., dict[str, Any]], load: str, skill: str) -> dict[str, Any]:
    generator = fake([(load, {"name": skill})])
    (result,) = asked(run(generator=generator)["agent"])
    return {"prompt": generator.prompts[0], "answer": shown(result)}


def more(bundle: Any, store: Any) -> dict[str, Any]:
    """Return what comes of no skills, of damage and of pipelines in YAML."""
    none, _ = talk([], store(bundle.select([])))
    steps = [
        ("release-notes", None),
        ("release-notes", "assets/house-logo.png"),
        ("unit-convert", "SKILL.md"),
    ]
    _, results = talk([called(*step) for step in steps], store(damaged(bundle, "unit-convert")))
    emitted = import_module("myagent.skills").bundle  # what the example imports
    _, wrong = talk([called("release-note", "house-rules.txt")], store(bundle))
    adapter = import_module("skillpack.adapters.haystack")
    return {
        "policy": policy(bundle, adapter),
        "yaml of a policy": stored(store(emitted), [], guarded(adapter.SkillPolicy(bundle))),
        "file of a wrong name": [shown(result) for result in wrong],
        "none": none.prompts[0],
        "damaged": [shown(result) for result in results],
        "yaml": stored(store(emitted), ["skillpack", type(emitted).__module__]),
        "yaml of a path": stored(
            store(bundle, "myagent.skills.bundle"), ["skillpack", "myagent", type(emitted).__module__]
        ),
        "yaml that is not trusted": stored(store(emitted), ["skillpack"]),
        "yaml of a bundle made at run time": stored(store(bundle.select(["*"])), []),
    }


def policy(bundle: Any, adapter: Any) -> list[dict[str, Any]]:
    """Return what comes of calls of the agent's own tools before and after a load, then in a later, awaited run."""
    make = import_module("haystack.tools").create_tool_from_function
    kinds = import_module("haystack.components.agents")
    question = import_module("haystack.dataclasses").ChatMessage.from_user("go")

    def send_mail(to: str) -> str:
        """Send a mail."""
        return f"sent to {to}"

    def lookup_order(order: str) -> str:
        """Look an order up."""
        return f"{order}: a kettle"

    def agent(calls: Calls, policy: Any) -> Any:
        own = [make(send_mail), make(lookup_order)]
        toolset = import_module("haystack.tools").SkillToolset(adapter.BundleSkillStore(bundle))
        return kinds.Agent(chat_generator=fake(calls), tools=[*own, toolset], hooks=guarded(policy))

    mail = ("send_mail", {"to": "all"})
    calls = [
        mail,
        called("refund-orders", None),
        mail,
        ("lookup_order", {"order": "1"}),
        called("release-notes", "house-rules.txt"),
    ]
    first = adapter.SkillPolicy(bundle)
    results = asked(agent(calls, first))
    second = agent([mail], adapter.SkillPolicy(bundle, first.session.to_json()))
    done = asyncio.run(second.run_async([question]))
    results += [result for message in done["messages"] for result in message.tool_call_results]
    return [shown(result) for result in results]


def guarded(policy: Any) -> dict[str, list[Any]]:
    """Return the hooks of an agent whose tools a policy is asked of."""
    hook = import_module("haystack.hooks.human_in_the_loop").ConfirmationHook
    return {"before_tool": [hook({"*": policy})]}


def stored(store: Any, trusted: list[str], hooks: dict[str, list[Any]] | None = None) -> list[str]:
    """Return the YAML of a pipeline whose agent has a store, and a skill as it is loaded after reading that YAML."""
    haystack = import_module("haystack")
    generator = import_module("haystack.components.generators.chat.mock").MockChatGenerator("done")
    agent = import_module("haystack.components.agents").Agent(
        chat_generator=generator,
        tools=import_module("haystack.tools").SkillToolset(store),
        hooks=hooks,
    )
    pipeline = haystack.Pipeline()
    pipeline.add_component("agent", agent)
    refused = import_module("haystack.core.errors")
    try:
        text = pipeline.dumps()
        again = haystack.Pipeline.loads(text, allowed_modules=trusted).get_component("agent")
    except (refused.SerializationError, refused.DeserializationError) as error:
        return [str(error).rpartition("Original error: ")[2]]  # before it stands the whole pipeline
    loaded = again.tools._store.load_skill("unit-convert")
    return [text, *map(str, loaded)]


def called(skill: str, path: str | None) -> tuple[str, dict[str, Any]]:
    """Return the call of Haystack's tools that asks for a skill or a file of it."""
    return (
        ("load_skill", {"name": skill})
        if path is None
        else ("read_skill_file", {"name": skill, "path": path})
    )


def talk(calls: Calls, store: Any) -> tuple[Any, list[Any]]:
    """Return a chat generator after its calls, one a turn, and the result of each."""
    generator = fake(calls)
    agent = import_module("haystack.components.agents").Agent(
        chat_generator=generator,
        tools=import_module("haystack.tools").SkillToolset(store),
        max_agent_steps=len(calls) + 1,
    )
    return generator, asked(agent)


def asked(agent: Any) -> list[Any]:
    """Return the results of the tools that an agent's model calls when it is asked something."""
    question = import_module("haystack.dataclasses").ChatMessage.from_user("go")
    return [result for message in agent.run([question])["messages"] for result in message.tool_call_results]


def fake(calls: Calls) -> Any:
    """Return a chat generator that makes these calls and keeps what it is told of first."""
    component = import_module("haystack").component
    dataclasses = import_module("haystack.dataclasses")
    flat = import_module("haystack.tools").flatten_tools_or_toolsets

    class Fake:
        def __init__(self) -> None:
            self.prompts: list[str] = []

        def run(self, messages: list[Any], tools: Any = None, **_: Any) -> dict[str, Any]:
            told = [f"{tool.name}: {tool.description}" for tool in flat(tools)]
            self.prompts.append("\n".join([*told, *(message.text or "" for message in messages)]))
            turn = len(self.prompts)
            if turn > len(calls):
                return {"replies": [dataclasses.ChatMessage.from_assistant("done")]}
            name, arguments = calls[turn - 1]
            call = dataclasses.ToolCall(tool_name=name, arguments=arguments, id=str(turn))
            return {"replies": [dataclasses.ChatMessage.from_assistant(tool_calls=[call])]}

    # Not as decorators: mypy knows none of what is not installed where it runs.
    Fake.run = component.output_types(replies=list)(Fake.run)  # type: ignore[method-assign]
    return component(Fake)()


def shown(called: Any) -> dict[str, Any]:
    """Return the result of a tool as the fields of `adapters.Answer`."""
    if isinstance(called.result, str):
        return {"text": called.result, "error": called.error}
    (part,) = called.result
    data = getattr(part, "base64_image", None) or part.base64_data
    return {"text": "", "data": data, "media_type": part.mime_type, "error": called.error}
