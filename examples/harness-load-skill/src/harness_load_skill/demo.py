"""Run the script and print everything that the model is shown and everything that it does."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from harness_load_skill import script
from harness_load_skill.harness import Conversation
from harness_load_skill.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harness_load_skill.harness import Model, Turn
    from harness_load_skill.skills import SkillBundle


def packed(bundle: SkillBundle) -> None:
    """Show a conversation with the skills of the wheel, one of them locked at first."""
    conversation = start(bundle, [*script.RETURN, *script.CLAIM], locked=["warranty-claims"])
    trace(conversation.run("I want to send order 1042 back."))

    print("=== another node of the flow")
    conversation.enter_node()
    before = conversation.prompt
    trace(conversation.run("My lamp went dark with a pop, order 977. My code is 31-07."))
    print(f"=== the prompt is the same: {conversation.prompt == before}")

    print("=== the next request, on another server")
    conversation = start(bundle, script.AFTERWARDS, state=conversation.to_json())
    conversation.compact("Summary: order 1042 is refunded, claim W-977 is open.")
    print(f"[system] {conversation.prompt}")
    trace(conversation.run("How long does my warranty last?"))


def supplied(bundle: SkillBundle, tenant: str, workspace: Path | None) -> None:
    """Show a conversation with skills from everywhere, resolved once and kept for the next request."""
    from harness_load_skill import supply
    from skillpack.runtime import resolve

    context = {"tenant": tenant}
    resolved = asyncio.run(resolve(supply.sources(bundle, workspace), context))
    skills = bundle.select([]).overlay(resolved)  # of the wheel's own class
    for problem in skills.problems:
        print(f"warning: {problem}")
    conversation = start(skills, script.SUPPLIED)
    trace(conversation.run("How long can I return a kettle, where, and what about my points?"))
    kept = skills.to_json()

    print("=== the next request: nobody is asked again for skills")
    conversation = start(bundle.from_json(kept), script.NEXT_DAY, state=conversation.to_json())
    trace(conversation.run("Whom do I write to?"))


def start(
    bundle: SkillBundle, turns: Iterable[Turn], *, locked: Iterable[str] = (), state: str | None = None
) -> Conversation:
    """Return a conversation that is printed, after its prompt if it is a new one."""
    conversation = Conversation(
        script.INSTRUCTIONS,
        bundle,
        model=scripted(turns),
        tools=TOOLS,
        locked=locked,
        state=state,
        listen=show,
    )
    if state is None:
        print(f"[system] {conversation.prompt}")
        print(f"[tools] {', '.join([*TOOLS, *conversation.session.tool_names])}")
    return conversation


def scripted(turns: Iterable[Turn]) -> Model:
    """Return a model that says these turns one after the other, whatever it is asked."""
    replies = iter(turns)
    return lambda *_: next(replies)


def show(role: str, text: str) -> None:
    """Print a message."""
    print(f"[{role}] {text}")


def trace(attributes: dict[str, Any]) -> None:
    """Print the attributes that a tracer would put on the span of the turn."""
    print(f"[trace] {json.dumps(attributes, indent=2)}")
