"""What a model sees of a bundle through `skillpack.adapters.langchain`, and an agent whose session refuses a tool."""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Calls = Sequence[tuple[str, dict[str, Any]]]

QUESTION = {"messages": [{"role": "user", "content": "go"}]}


def converse(bundle: Any, steps: Mapping[str, tuple[str, str | None]]) -> dict[str, Any]:
    adapter = import_module("skillpack.adapters.langchain")
    load, read = bundle.tool_names
    calls = [
        (load, {"name": skill}) if path is None else (read, {"name": skill, "path": path})
        for skill, path in steps.values()
    ]
    middleware = [adapter.SkillMiddleware(bundle)]
    model, results = talk(calls, system_prompt="Help.", middleware=middleware)
    again, coming = talk(calls, awaited=True, middleware=middleware)
    return {
        "prompt": model.prompt(),
        "answers": dict(zip(steps, results, strict=True)),
        "more": {
            "awaited": dict(zip(steps, coming, strict=True)),
            "alone": again.prompt(),
            **more(bundle, adapter),
        },
    }


def example(run: Callable[..., dict[str, Any]], load: str, skill: str) -> dict[str, Any]:
    model = fake([(load, {"name": skill})])
    result = run(model=model)["agent"].invoke(QUESTION)
    return {"prompt": model.prompt(), "answer": shown(result["messages"][-2])}


def more(bundle: Any, adapter: Any) -> dict[str, Any]:
    """Return what there is beside a bundle in the system message: parts, no catalog, no skills, a session."""
    messages = import_module("langchain_core.messages")
    tool = import_module("langchain_core.tools").tool

    def send_mail(to: str) -> str:
        """Send a mail."""
        return f"sent to {to}"

    mail = [("send_mail", {"to": "all"})]
    others = [tool(send_mail)]
    load = ("load_skill", {"name": "refund-orders"})
    parts = messages.SystemMessage(
        [{"type": "text", "text": "Help.", "cache_control": {"type": "ephemeral"}}]
    )
    asked, _ = talk([], system_prompt=parts, middleware=[adapter.SkillMiddleware(bundle)])
    enum, _ = talk([], middleware=[adapter.SkillMiddleware(bundle.with_tools(style="enum"), catalog=None)])
    none, _ = talk([], middleware=[adapter.SkillMiddleware(bundle.select([]))])
    policy = [
        talk(
            [*mail, load, *mail],
            awaited=awaited,
            tools=others,
            middleware=[adapter.SkillMiddleware(bundle.session())],
        )[1]
        for awaited in (False, True)
    ]
    return {
        "parts": asked.seen[0][0].content,
        "enum": [enum.seen[0][0].type, enum.prompt()],
        "none": [none.seen[0][0].type, none.prompt()],
        "policy": policy,
    }


def talk(calls: Calls, *, awaited: bool = False, **agent: Any) -> tuple[Any, list[dict[str, Any]]]:
    """Return a fake model after its calls, one a turn, and what it read of each."""
    create = import_module("langchain.agents").create_agent
    model = fake(calls)
    made = create(model, **agent)
    result = asyncio.run(made.ainvoke(QUESTION)) if awaited else made.invoke(QUESTION)
    return model, [shown(message) for message in result["messages"] if message.type == "tool"]


def fake(calls: Calls) -> Any:
    """Return langchain's own fake model, which makes these calls and keeps what it is sent."""
    kind = import_module("langchain_core.language_models.fake_chat_models").GenericFakeChatModel
    convert = import_module("langchain_core.utils.function_calling").convert_to_openai_tool
    answer = import_module("langchain_core.messages").AIMessage
    turns = [
        answer("", tool_calls=[{"name": name, "args": arguments, "id": str(number)}])
        for number, (name, arguments) in enumerate(calls)
    ]

    class Fake(kind):  # type: ignore[misc, valid-type] # it is not installed where mypy runs
        seen: list[Any]
        tools: list[Any]

        def bind_tools(self, tools: list[Any], **_: Any) -> Any:
            self.tools[:] = tools
            return self

        def _generate(self, messages: list[Any], *args: Any, **options: Any) -> Any:
            self.seen.append(list(messages))
            return super()._generate(messages, *args, **options)

        def prompt(self) -> str:
            texts = [message.text for message in self.seen[0]]
            return "\n".join(
                [*texts, *(json.dumps(convert(tool), ensure_ascii=False) for tool in self.tools)]
            )

    return Fake(messages=iter([*turns, answer("done")]), seen=[], tools=[])


def shown(message: Any) -> dict[str, Any]:
    """Return a message with the result of a tool as the fields of `adapters.Answer`."""
    error = message.status == "error"
    if isinstance(message.content, str):
        return {"text": message.content, "error": error}
    (block,) = (part for part in message.content if part["type"] != "text")
    text = "".join(part["text"] for part in message.content if part["type"] == "text")
    return {"text": text, "data": block["base64"], "media_type": block["mime_type"], "error": error}
