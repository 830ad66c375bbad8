"""Skills that are not in the wheel: made in code, by a function of the tenant, or found on a disk.

The first two need `pip install --no-deps skillpack`, what is found on a disk needs skillpack with its dependencies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.runtime import define_skill

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from skillpack.runtime import Skill

RETURNS = define_skill(
    name="returns-policy",
    description="Returns and the 60-day window of this season. Use when a customer asks about returning an order.",
    instructions="# Returns\n\nUntil the end of the season 60 days instead of 30. Everything else is as ever.\n",
    allowed_tools=["lookup_order", "issue_refund", "lint_copy"],
)
"""Wins over the packed skill of this name, since it comes later."""

TENANTS = {"acme": ("Acme", "Acme's customers pay no return postage.\n")}


async def tenant_policy(context: Mapping[str, str]) -> list[Skill]:
    """Return the skill of the tenant that a conversation is for; asked once in each."""
    name, text = TENANTS[context["tenant"]]
    return [
        define_skill(
            name=f"policy-{context['tenant']}",
            description=f"{name}'s support policy. Use in every conversation with a customer of {name}.",
            instructions=text,
            resources={"contacts.md": f"Returns of {name}: extension 12\n"},
        )
    ]


def sources(packed: object, workspace: Path | None) -> list[object]:
    """Return all that an agent's skills come from, in their order: of two with one name the later wins."""
    if workspace is None:
        return [packed, RETURNS, tenant_policy]
    from skillpack import from_plugin

    plugin = from_plugin(workspace / "plugins" / "loyalty")
    for server in (plugin.mcp or {}).get("mcpServers", {}):
        print(f"not started: the server {server} that the plugin {plugin.name} would like to have")
    return [str(workspace / ".agents" / "skills"), packed, plugin.bundle, RETURNS, tenant_policy]
