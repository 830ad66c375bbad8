"""Run both agents and print the transcript: `python -m strict_portable`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from strict_portable.harness import Agent, Call, converse
from strict_portable.over_mcp import checked, entries, served
from strict_portable.script import OPERATIONS, REPOSITORY, scripted
from strict_portable.skills import bundle
from strict_portable.terms import offered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from strict_portable.harness import Tool

PRODUCT = {"compute-api", "metrics", "billing-api"}
"""What the product's own hosts can do: no git, so the repository's skills are not among theirs."""

OPERATION_TOOLS: dict[str, Tool] = {
    "instance_status": lambda instance: f"{instance}: up, check `agent` fails since 09:14",
    "restart_instance": lambda instance: f"{instance}: restarted",
    "delete_instance": lambda instance: f"{instance}: deleted",
    "list_costs": lambda month: f"{month}: 412.10 EUR",
}
REPOSITORY_TOOLS: dict[str, Tool] = {
    "git_log": lambda since: f"{since}..HEAD\nfix: keep labels over a restart\ntest: cover the above",
    "open_pull_request": lambda title: f"opened: {title}",
}


def main() -> None:
    print("=== operations")
    operations = Agent(
        bundle,
        tools=OPERATION_TOOLS,
        capabilities=PRODUCT,
        scopes={"compute:read", "compute:write"},
        approve=person([True, False]),
    )
    show(converse(operations, scripted(OPERATIONS), "i-7 hangs. And why is my bill so high?"))

    print("=== repository")
    repository = Agent(bundle, tools=REPOSITORY_TOOLS, capabilities={"git"}, scopes=(), approve=person([]))
    show(converse(repository, scripted(REPOSITORY), "What is new since 1.4.0?"))

    print("=== over MCP")
    product = offered(bundle, PRODUCT, scopes={"compute:read", "compute:write", "billing:read"})
    for entry in entries(product):
        for resource in entry["resources"]:
            checked(entry, resource["uri"], served(product, resource["uri"]))
        print(json.dumps(entry, indent=2, ensure_ascii=False))


def person(answers: list[bool]) -> Callable[[Call], bool]:
    """Return somebody who gives these answers, in their order."""
    left = iter(answers)
    return lambda _call: next(left)


def show(transcript: Iterator[str]) -> None:
    for entry in transcript:
        print(entry)


if __name__ == "__main__":
    main()
