"""Run the script and print everything that the model is shown and everything that it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness_skill_use import script
from harness_skill_use.harness import USE, Agent, Conversation, Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from harness_skill_use.harness import Model, Turn
    from harness_skill_use.skills import SkillBundle

SKILLS = ".kaged/skills"


def packed(bundle: SkillBundle) -> None:
    """Show three agents with the skills of the wheel."""

    def read(path: str) -> str:
        """Read a file of the project."""
        return script.FILES[path]

    reviewer = start(script.REVIEWER, bundle, read, script.REVIEW)
    reviewer.run("Review the change to invoices.")

    primary = start(script.PRIMARY, bundle, read, [*script.DEPLOY, *script.ROLL_BACK])
    primary.run("Deploy 2.4.0 to staging.")
    primary.compact("Summary: 2.4.0 was deployed to staging, and by a colleague to production.")
    primary.run("Half of the requests fail. Undo it.")

    translator = start(script.TRANSLATOR, bundle, read, script.TRANSLATE)
    translator.run("Translate 'invoice' to German.")


def discovered(bundle: SkillBundle, project: Path) -> None:
    """Show an agent with the skills that a project has on disk; what is wrong with some of them is a warning."""

    def read(path: str) -> str:
        """Read a file of the project."""
        return (project / path).read_text(encoding="utf-8")

    reviewer = start(script.REVIEWER, bundle, read, script.DISCOVERED_REVIEW, folder=SKILLS)
    reviewer.run("Review the change to invoices.")


def start(
    agent: Agent,
    bundle: SkillBundle,
    read: Callable[[str], str],
    turns: Iterable[Turn],
    folder: str | None = None,
) -> Conversation:
    """Return a conversation that is printed, after what it begins with."""
    conversation = Conversation(
        agent, bundle, model=scripted(turns), tools={"file.read": read}, folder=folder, listen=show
    )
    print(f"=== {agent.name}: {agent.prompt}")
    for tool in conversation.definitions():
        print(f"[tool] {tool['name']}: {tool['description']}")
        if tool["name"] == USE:
            print(f"[enum] {tool['inputSchema']['properties']['name'].get('enum')}")
    return conversation


def scripted(turns: Iterable[Turn]) -> Model:
    """Return a model that says these turns one after the other, whatever it is asked."""
    replies = iter(turns)
    return lambda *_: next(replies)


def show(message: Message) -> None:
    """Print a message."""
    print(f"[{message.role}] {message.text}")
