"""What a model sees of a bundle through `skillpack.adapters.openai_agents`: of its tools, and of a sandbox."""

from __future__ import annotations

import asyncio
import base64
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

from support.damaged import damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Calls = Sequence[tuple[str, str]]


def converse(bundle: Any, steps: Mapping[str, tuple[str, str | None]]) -> dict[str, Any]:
    adapter = import_module("skillpack.adapters.openai_agents")
    import_module("agents").set_tracing_disabled(True)
    calls = [called(*step) for step in steps.values()]
    model, results = talk(calls, bundle, adapter)
    answers = {step: shown(result) for step, result in zip(steps, results, strict=True)}
    return {"prompt": model.prompts[0], "answers": answers, "more": more(bundle, adapter)}


def example(run: Callable[..., dict[str, Any]], load: str, skill: str) -> dict[str, Any]:
    model = fake([(load, json.dumps({"name": skill}))])
    (output,) = asked(run(model=model)["agent"], model)
    return {"prompt": model.prompts[0], "answer": shown(output)}


def called(skill: str, path: str | None) -> tuple[str, str]:
    """Return the call that asks for a skill or a file of it, its arguments as the JSON text that a model sends."""
    if path is None:
        return "load_skill", json.dumps({"name": skill})
    return "read_skill_resource", json.dumps({"name": skill, "path": path})


def more(bundle: Any, adapter: Any) -> dict[str, Any]:
    """Return what comes of arguments that are none, of damage, of a session, of no skills, and what a sandbox gets."""
    senseless = [("load_skill", "{"), ("load_skill", "[]"), ("read_skill_resource", "{}")]
    _, wrong = talk(senseless, bundle, adapter)
    hurt = [called("release-notes", path) for path in (None, "assets/house-logo.png")]
    _, broken = talk([*hurt, called("unit-convert", "SKILL.md")], damaged(bundle, "unit-convert"), adapter)
    _, twice = talk([called("unit-convert", None)] * 2, bundle.session(), adapter)
    return {
        "policy": policy(bundle.session(), adapter),
        "senseless": wrong,
        "damaged": broken,
        "session": twice,
        "none": len(adapter.skill_tools(bundle.select([]))),
        "sandbox": sandbox(adapter.sandbox_skills(bundle)),
        "sandbox elsewhere": sandbox(
            adapter.sandbox_skills(bundle.select(["unit-convert"]), skills_path="skills")
        ),
        "sandbox of nothing": refusal(lambda: adapter.sandbox_skills(bundle.select(["hidden-ledger"]))),
        "sandbox of damage": refusal(lambda: adapter.sandbox_skills(damaged(bundle, "unit-convert"))),
    }


def policy(session: Any, adapter: Any) -> list[Any]:
    """Return what comes of calls of the agent's own tools before and after a load."""
    agents = import_module("agents")
    guard = {"tool_input_guardrails": [adapter.skill_policy(session)]}

    def send_mail(to: str) -> str:
        return f"sent to {to}"

    def lookup_order(order: str) -> str:
        return f"{order}: a kettle"

    mail = ("send_mail", '{"to": "all"}')
    model = fake([mail, called("refund-orders", None), mail, ("lookup_order", '{"order": "1"}')])
    own = [agents.function_tool(tool, **guard) for tool in (send_mail, lookup_order)]
    agent = agents.Agent(
        name="agent", instructions="Help.", tools=[*own, *adapter.skill_tools(session)], model=model
    )
    return asked(agent, model)


def sandbox(capability: Any) -> dict[str, Any]:
    """Return what a capability tells the model, and its files in a sandbox, now and after that was written as JSON."""
    made = capability.clone()  # as the framework does it for each run
    kind = import_module("agents.sandbox").Manifest
    manifest = made.process_manifest(kind())
    return {
        "told": asyncio.run(made.instructions(manifest)),
        "files": files(manifest),
        "again": files(kind.model_validate(json.loads(manifest.model_dump_json()))),
    }


def files(manifest: Any) -> dict[str, list[str]]:
    """Return mode and contents, in base64, of each file of a sandbox by its path."""
    return {
        path.as_posix(): [
            f"{entry.permissions.to_mode():o}",
            base64.b64encode(entry.content).decode("ascii"),
        ]
        for path, entry in manifest.iter_entries()
        if not entry.is_dir
    }


def refusal(make: Callable[[], Any]) -> str:
    """Return the message of the `ValueError` that there is."""
    try:
        make()
    except ValueError as error:
        return str(error)
    return "taken"


def talk(calls: Calls, source: Any, adapter: Any) -> tuple[Any, list[Any]]:
    """Return a model after its calls, one a turn, and the output of each."""
    model = fake(calls)
    agent = import_module("agents").Agent(
        name="agent",
        instructions=f"Help.\n\n{source.catalog()}",
        tools=adapter.skill_tools(source),
        model=model,
    )
    return model, asked(agent, model)


def asked(agent: Any, model: Any) -> list[Any]:
    """Return the outputs of the tools that an agent's model calls when it is asked something."""
    asyncio.run(import_module("agents").Runner.run(agent, "go", max_turns=50))
    return [item["output"] for item in model.seen if item.get("type") == "function_call_output"]


def fake(calls: Calls) -> Any:
    """Return a model that makes these calls and keeps what it is told."""
    agents = import_module("agents")
    responses = import_module("openai.types.responses")
    usage = import_module("agents.usage").Usage

    class Fake(import_module("agents.models.interface").Model):  # type: ignore[misc] # it is not installed where mypy runs
        def __init__(self) -> None:
            self.prompts: list[str] = []
            self.seen: list[Any] = []

        async def get_response(self, *, system_instructions: str, tools: Sequence[Any], **sent: Any) -> Any:
            told = [f"{tool.name}: {tool.description} {tool.params_json_schema}" for tool in tools]
            self.prompts.append("\n".join([system_instructions, *told]))
            self.seen = list(sent["input"])
            turn = len(self.prompts) - 1
            if turn == len(calls):
                text = responses.ResponseOutputText(type="output_text", text="done", annotations=[])
                output = responses.ResponseOutputMessage(
                    id="1", type="message", role="assistant", status="completed", content=[text]
                )
            else:
                name, arguments = calls[turn]
                output = responses.ResponseFunctionToolCall(
                    type="function_call", call_id=str(turn), name=name, arguments=arguments
                )
            return agents.ModelResponse(output=[output], usage=usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise AssertionError("a model has to have it, and a run that does not stream has no use for it")

    return Fake()


def shown(output: Any) -> dict[str, Any]:
    """Return the output of a function as the fields of `adapters.Answer`."""
    if isinstance(output, str):
        return {"text": output, "error": output.startswith(("no skill ", "no file "))}
    (part,) = output
    url = part.get("image_url") or part["file_data"]
    head, _, data = url.partition(";base64,")
    assert base64.b64decode(data, validate=True)
    return {"text": part.get("filename", ""), "data": data, "media_type": head.removeprefix("data:")}
