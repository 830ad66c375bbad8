"""What a model sees of a bundle through `skillpack.adapters.agent_framework`, and what a person is asked first."""

from __future__ import annotations

import asyncio
import base64
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

from support.damaged import damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Calls = Sequence[tuple[str, dict[str, Any]]]

UNATTENDED = {"disable_load_skill_approval": True, "disable_read_skill_resource_approval": True}


def converse(bundle: Any, steps: Mapping[str, tuple[str, str | None]]) -> dict[str, Any]:
    provide = import_module("skillpack.adapters.agent_framework").skills_provider
    calls = [called(skill, path) for skill, path in steps.values()]
    client, results = talk(calls, provide(bundle, **UNATTENDED))
    answers = {step: shown(content) for step, content in zip(steps, results, strict=True)}
    return {"prompt": client.prompt(), "answers": answers, "more": more(bundle, provide)}


def example(run: Callable[..., dict[str, Any]], load: str, skill: str) -> dict[str, Any]:
    client = chat([(load, {"skill_name": skill})])
    asyncio.run(run(client=client)["agent"].run("go"))
    return {"prompt": client.prompt(), "answer": shown(client.results()[0])}


def called(skill: str, path: str | None) -> tuple[str, dict[str, Any]]:
    """Return the call of the framework's tools that asks for a skill or a file of it."""
    if path is None:
        return "load_skill", {"skill_name": skill}
    return "read_skill_resource", {"skill_name": skill, "resource_name": path}


def more(bundle: Any, provide: Any) -> dict[str, Any]:
    """Return what comes of other bundles and options, and of the framework's tool for scripts."""
    notes = called("release-notes", None)
    asking = chat([notes])
    response = asyncio.run(agent(asking, provide(bundle)).run("go"))
    ledger = provide(bundle.select(["hidden-ledger"]), **UNATTENDED)
    scripts = [
        ("run_skill_script", {"skill_name": skill, "script_name": "scripts/collect-notes.sh"})
        for skill in ("release-notes", "release-note")
    ]
    hurt = [notes, *(called("release-notes", path) for path in ("house-rules.txt", "assets/house-logo.png"))]
    broken = provide(damaged(bundle, "unit-convert"), **UNATTENDED)
    return {
        "approvals": [content.function_call.name for content in response.user_input_requests],
        "turns": asking.turns,
        "none": talk([], provide(bundle.select([])))[0].prompt(),
        "hidden alone": [
            text
            for client, results in [talk([called("hidden-ledger", None)], ledger)]
            for text in (client.prompt(), *texts(results))
        ],
        "scripts": texts(
            talk(scripts, provide(bundle, **UNATTENDED, disable_run_skill_script_approval=True))[1]
        ),
        "file of a wrong name": texts(
            talk([called("release-note", "house-rules.txt")], provide(bundle, **UNATTENDED))[1]
        ),
        "damaged": texts(talk([*hurt, called("unit-convert", "SKILL.md")], broken)[1]),
        "policy": policy(bundle, provide),
        "refused": refusal(lambda: provide(bundle.rename({"unit-convert": "Unit_Convert"}))),
    }


def policy(bundle: Any, provide: Any) -> list[str]:
    """Return what comes of calls of the agent's own tools before and after a load, then in a later run."""
    library = import_module("agent_framework")

    def send_mail(to: str) -> str:
        return f"sent to {to}"

    def lookup_order(order: str) -> str:
        return f"{order}: a kettle"

    mail = ("send_mail", {"to": "all"})
    calls = [
        mail,
        called("Refund-Orders", None),
        called("refund-orders", None),
        mail,
        ("lookup_order", {"order": "1"}),
    ]
    provider = provide(bundle, enforce=True, **UNATTENDED)
    client, later = chat(calls), chat([mail])
    session = library.AgentSession()
    for fake in (client, later):
        options = {"client": fake, "tools": [send_mail, lookup_order], "context_providers": [provider]}
        asyncio.run(library.Agent(**options).run("go", session=session))
        session = library.AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
    return texts([*client.results(), later.results()[-1]])


def texts(results: Sequence[Any]) -> list[str]:
    """Return the texts of the results of functions."""
    return [shown(content)["text"] for content in results]


def refusal(make: Callable[[], Any]) -> str:
    """Return the message of the `ValueError` that there is."""
    try:
        make()
    except ValueError as error:
        return str(error)
    return "taken"


def talk(calls: Calls, provider: Any) -> tuple[Any, list[Any]]:
    """Return a chat client after its calls, one a turn, and the content that it read after each."""
    client = chat(calls)
    asyncio.run(agent(client, provider).run("go"))
    return client, client.results()


def agent(client: Any, provider: Any) -> Any:
    """Return an agent that has only a provider of skills."""
    return import_module("agent_framework").Agent(
        client=client, instructions="Help.", context_providers=[provider]
    )


def chat(calls: Calls) -> Any:
    """Return a chat client that makes these calls and keeps what it is sent."""
    library = import_module("agent_framework")

    class Fake(library.FunctionInvocationLayer, library.BaseChatClient):  # type: ignore[misc, name-defined] # it is not installed where mypy runs
        turns = 0
        options: Mapping[str, Any] = {}
        messages: Sequence[Any] = ()

        def _inner_get_response(
            self, *, messages: Sequence[Any], options: Mapping[str, Any], **_: Any
        ) -> Any:
            return self._answer(messages, options)

        async def _answer(self, messages: Sequence[Any], options: Mapping[str, Any]) -> Any:
            self.messages, self.options = list(messages), self.options or dict(options)
            self.turns += 1
            if self.turns > len(calls):
                contents = [library.Content.from_text("done")]
            else:
                name, arguments = calls[self.turns - 1]
                contents = [
                    library.Content.from_function_call(
                        call_id=str(self.turns), name=name, arguments=arguments
                    )
                ]
            return library.ChatResponse(messages=[library.Message(role="assistant", contents=contents)])

        def prompt(self) -> str:
            tools = [f"{tool.name}: {tool.description}" for tool in self.options.get("tools") or ()]
            return "\n".join([self.options["instructions"], *tools])

        def results(self) -> list[Any]:
            contents = [content for message in self.messages for content in message.contents]
            return [content for content in contents if content.type == "function_result"]

    return Fake(function_invocation_configuration={"max_iterations": len(calls) + 2})


def shown(content: Any) -> dict[str, Any]:
    """Return a function's result as the fields of `adapters.Answer`."""
    files = [item for item in content.items if item.type != "text"]
    text = "".join(item.text for item in content.items if item.type == "text")
    if not files:
        return {"text": text, "error": text.startswith("Error: ")}
    (file,) = files
    head, _, data = file.uri.partition(";base64,")
    assert base64.b64decode(data, validate=True)
    return {"text": text, "data": data, "media_type": head.removeprefix("data:")}
