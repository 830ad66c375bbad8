"""What a model sees of a bundle through `skillpack.adapters.pydantic_ai`, and an agent whose skills refuse a tool."""

from __future__ import annotations

import base64
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Calls = Sequence[tuple[str, dict[str, Any]]]

LOAD = "load_capability"


def converse(bundle: Any, steps: Mapping[str, tuple[str, str | None]]) -> dict[str, Any]:
    adapter = import_module("skillpack.adapters.pydantic_ai")
    calls = [
        (LOAD, {"id": skill}) if path is None else ("read_skill_resource", {"name": skill, "path": path})
        for skill, path in steps.values()
    ]
    prompt, answers = talk(calls, adapter.skill_capabilities(bundle))
    return {
        "prompt": prompt,
        "answers": dict(zip(steps, answers, strict=True)),
        "more": more(bundle, adapter),
    }


def example(run: Callable[..., dict[str, Any]], load: str, skill: str) -> dict[str, Any]:
    model, prompts, answers = function_model([(LOAD, {"id": skill})])
    run(model=model)["agent"].run_sync("go")
    return {"prompt": prompts[0], "answer": answers[0]}


def more(bundle: Any, adapter: Any) -> dict[str, Any]:
    """Return what comes of no skills, of another name for the tool, of a long file, and of the skills' policy."""

    def send_mail(to: str) -> str:
        """Send a mail."""
        return f"sent to {to}"

    mail = ("send_mail", {"to": "all"})
    loads = [(LOAD, {"id": name}) for name in ("refund-orders", "hidden-ledger")]
    renamed, read = talk(
        [("read_file", {"name": "unit-convert", "path": "SKILL.md", "offset": 4, "limit": 12})],
        adapter.skill_capabilities(bundle, read_tool="read_file"),
    )
    return {
        "none": adapter.skill_capabilities(bundle.select([])),
        "renamed": [renamed, *read],
        "policy": [
            talk([mail, load, mail], adapter.skill_capabilities(bundle, enforce=enforce), tools=[send_mail])[
                1
            ]
            for load in loads
            for enforce in (False, True)
        ],
    }


def talk(calls: Calls, capabilities: Sequence[Any], **agent: Any) -> tuple[str, list[dict[str, Any]]]:
    """Return what a fake model reads first, and what it reads of each of its calls, one a turn."""
    model, prompts, answers = function_model(calls)
    import_module("pydantic_ai").Agent(model, capabilities=capabilities, **agent).run_sync("go")
    return prompts[0], answers


def function_model(calls: Calls) -> tuple[Any, list[str], list[dict[str, Any]]]:
    """Return pydantic-ai's own model of a function, which makes these calls, and where it keeps what it reads."""
    messages = import_module("pydantic_ai.messages")
    left = iter(calls)
    prompts: list[str] = []
    answers: list[dict[str, Any]] = []

    def turn(history: Sequence[Any], info: Any) -> Any:
        if prompts:
            answers.append(shown(history[-1]))
        tools = [[tool.name, tool.description, tool.parameters_json_schema] for tool in info.function_tools]
        prompts.append("\n".join([info.instructions, json.dumps(tools, ensure_ascii=False)]))
        for name, arguments in left:
            return messages.ModelResponse([messages.ToolCallPart(name, arguments)])
        return messages.ModelResponse([messages.TextPart("done")])

    return import_module("pydantic_ai.models.function").FunctionModel(turn), prompts, answers


def shown(request: Any) -> dict[str, Any]:
    """Return what a model is sent after a call as the fields of `adapters.Answer`."""
    texts: list[str] = []
    found: dict[str, Any] = {"error": False}
    for part in request.parts:
        if part.part_kind == "tool-return":
            found["error"] = part.outcome == "failed"
            if hasattr(part.content, "media_type"):
                data = base64.b64encode(part.content.data).decode()
                found |= {"data": data, "media_type": part.content.media_type}
            else:
                texts += [part.content] if isinstance(part.content, str) else part.content.values()
        else:
            texts.append(part.content)
    return {"text": "\n".join(texts), **found}
