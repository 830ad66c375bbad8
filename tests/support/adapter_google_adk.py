"""What a model sees of a bundle through `skillpack.adapters.google_adk`, and through the framework's own toolset."""

from __future__ import annotations

import asyncio
import base64
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Calls = Sequence[tuple[str, dict[str, Any]]]

LOAD, READ = "load_skill", "load_skill_resource"


def converse(bundle: Any, steps: Mapping[str, tuple[str, str | None]]) -> dict[str, Any]:
    adapter = import_module("skillpack.adapters.google_adk")
    calls = [
        (LOAD, {"skill_name": skill}) if path is None else (READ, {"skill_name": skill, "file_path": path})
        for skill, path in steps.values()
    ]
    prompt, answers = talk(calls, adapter.BundleToolset(bundle))
    return {
        "prompt": prompt,
        "answers": dict(zip(steps, answers, strict=True)),
        "more": more(bundle, adapter),
    }


def example(run: Callable[..., dict[str, Any]], load: str, skill: str) -> dict[str, Any]:
    model, requests = stub([(LOAD, {"skill_name": skill})])
    asyncio.run(ask(run(model=model)["agent"]))
    return {"prompt": prompt(requests[0]), "answer": shown(requests[1])}


def more(bundle: Any, adapter: Any) -> dict[str, Any]:
    """Return what comes of places, pages, no arguments, lazy discovery, a plain toolset and the skills' policy."""
    toolset = import_module("google.adk.tools.skill_toolset")

    def send_mail(to: str) -> str:
        """Send a mail."""
        return f"sent to {to}"

    mail = ("send_mail", {"to": "all"})
    file = {"skill_name": "release-notes", "file_path": "assets/house-rules.txt"}
    program = {"skill_name": "release-notes", "file_path": "assets/scripts/render-notes"}
    load = (LOAD, {"skill_name": "release-notes"})
    lazy = toolset.SkillDiscoveryMode.LAZY
    policed = adapter.BundleToolset(bundle)
    return {
        "places": talk([(READ, file), (READ, program)], adapter.BundleToolset(bundle))[1],
        "page": talk(
            [(READ, {**file, "offset": 6, "limit": 3}), (READ, {"skill_name": ["a"]}), (LOAD, {})],
            adapter.BundleToolset(bundle),
        )[1],
        "lazy": talk([("list_skills", {})], adapter.BundleToolset(bundle, discovery_mode=lazy)),
        "plain": talk([load, (READ, file)], toolset.SkillToolset(adapter.adk_skills(bundle)))[1],
        "policy": talk(
            [mail, (LOAD, {"skill_name": "refund-orders"}), mail, load],
            policed,
            send_mail,
            before_tool_callback=policed.refuse,
        )[1],
        "options": options(bundle, adapter),
        "found": asyncio.run(adapter._Hidden(bundle).search_skills(query="ledger")),
        "none": talk([], adapter.BundleToolset(bundle.select([])))[0],
        "unfit": unfit(bundle, adapter),
    }


def options(bundle: Any, adapter: Any) -> list[Any]:
    """Return the prompts of toolsets with two kinds of filter, and that of one with a prefix with an answer."""
    load = [("my_load_skill", {"skill_name": "release-notes"})]
    listed = adapter.BundleToolset(bundle, tool_filter=[LOAD])
    chosen = adapter.BundleToolset(bundle, tool_filter=lambda tool, _: tool.name == LOAD)
    prompt, (loaded,) = talk(load, adapter.BundleToolset(bundle, tool_name_prefix="my"))
    return [talk([], listed)[0], talk([], chosen)[0], prompt, loaded]


def unfit(bundle: Any, adapter: Any) -> str:
    try:
        adapter.adk_skills(bundle.rename({"unit-convert": "unit_convert"}))
    except ValueError as error:
        return str(error)
    return "taken"


def talk(calls: Calls, *tools: Any, **agent: Any) -> tuple[str, list[dict[str, Any]]]:
    """Return what a model reads first, and what it reads of each of its calls, one a turn."""
    model, requests = stub(calls)
    kind = import_module("google.adk.agents").LlmAgent
    asyncio.run(ask(kind(name="agent", model=model, tools=list(tools), **agent)))
    return prompt(requests[0]), [shown(request) for request in requests[1:]]


async def ask(agent: Any) -> None:
    """Run an agent in a session of the framework in which a skill is active that an older build had."""
    types = import_module("google.genai.types")
    runner = import_module("google.adk.runners").InMemoryRunner(agent=agent, app_name="app")
    session = await runner.session_service.create_session(
        app_name="app", user_id="user", state={f"_adk_activated_skill_{agent.name}": ["of-an-older-build"]}
    )
    question = types.Content(role="user", parts=[types.Part(text="go")])
    async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=question):
        pass
    await runner.close()


def stub(calls: Calls) -> tuple[Any, list[Any]]:
    """Return a model that makes these calls, and where it keeps what it is sent."""
    models = import_module("google.adk.models")
    types = import_module("google.genai.types")
    requests: list[Any] = []
    left = iter(calls)

    class Stub(models.BaseLlm):  # type: ignore[misc, name-defined] # it is not installed where mypy runs
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            requests.append(llm_request.model_copy(deep=True))
            part = types.Part(text="done")
            for name, arguments in left:
                part = types.Part(function_call=types.FunctionCall(name=name, args=arguments))
                break
            used = types.GenerateContentResponseUsageMetadata(prompt_token_count=1, candidates_token_count=1)
            yield models.LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=used)

    return Stub(model="stub"), requests


def prompt(request: Any) -> str:
    tools = [declared for tool in request.config.tools or () for declared in tool.function_declarations]
    declared = [[tool.name, tool.description, tool.parameters_json_schema] for tool in tools]
    return f"{request.config.system_instruction}\n{json.dumps(declared, ensure_ascii=False)}"


def shown(request: Any) -> dict[str, Any]:
    """Return what a model is sent after a call as the fields of `adapters.Answer`."""
    texts: list[str] = []
    found: dict[str, Any] = {"error": False}
    new = request.contents[
        max(n for n, content in enumerate(request.contents) if content.role == "model") + 1 :
    ]
    for part in (part for content in new for part in content.parts):
        if part.function_response:
            response = part.function_response.response
            found["error"] = "error" in response
            texts += [value if isinstance(value, str) else json.dumps(value) for value in response.values()]
        elif part.inline_data:
            data = base64.b64encode(part.inline_data.data).decode()
            found |= {"data": data, "media_type": part.inline_data.mime_type}
        else:
            texts.append(part.text)
    return {"text": "\n".join(texts), **found}
