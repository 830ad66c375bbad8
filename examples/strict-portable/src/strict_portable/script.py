"""The model, for this example: a list of turns. A client of a real one has the same signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strict_portable.harness import Call

if TYPE_CHECKING:
    from collections.abc import Iterable

    from strict_portable.harness import Model

OPERATIONS: list[Call | str] = [
    Call(tool="load_skill", arguments={"name": "restart-instance"}),
    Call(tool="instance_status", arguments={"instance": "i-7"}),
    Call(
        tool="read_skill_resource",
        arguments={"name": "restart-instance", "path": "references/health-checks.md"},
    ),
    Call(tool="restart_instance", arguments={"instance": "i-7"}),
    Call(tool="restart_instance", arguments={"instance": "i-7"}),
    Call(tool="delete_instance", arguments={"instance": "i-7"}),
    Call(tool="load_skill", arguments={"name": "cost-report"}),
    "i-7 was restarted once: its guest agent had stopped reporting. The bill is not something I can look at for you.",
]

REPOSITORY: list[Call | str] = [
    Call(tool="load_skill", arguments={"name": "release-notes"}),
    Call(tool="git_log", arguments={"since": "v1.4.0"}),
    "Fixed: a restart no longer forgets the instance's labels.",
]


def scripted(turns: Iterable[Call | str]) -> Model:
    """Return a model that says these turns one after the other, whatever it is told."""
    left = iter(turns)
    return lambda _messages, _definitions: next(left)
