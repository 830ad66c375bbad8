"""The model, for this example: a list of turns. A client of a real one has the same signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grid_assets.harness import Call

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grid_assets.harness import Model


def cleaning(address: str) -> list[Call | str]:
    """Return the turns of the first request; `address` is that of an asset which the workspace lists too."""
    return [
        Call(tool="v/ops/ledger/post", arguments={"entry": "12 EUR"}),
        Call(tool="skill_load", arguments={"ref": address}),
        Call(tool="v/ops/file/read", arguments={"path": "w/orders.csv"}),
        Call(tool="skill_load", arguments={"name": "csv-cleaning"}),
        Call(tool="skill_load", arguments={"name": "ledger"}),
        Call(tool="v/ops/ledger/post", arguments={"entry": "12 EUR"}),
        Call(tool="skill_load", arguments={"name": "broken-skill"}),
        Call(tool="skill_load", arguments={"name": "house-style"}),
        "Row 2 has no id, and the dates have two orders. Shall I mend both? Posting to the ledger is not open to me.",
    ]


REVIEW: list[Call | str] = [
    Call(tool="skill_load", arguments={"name": "cleaning"}),
    Call(tool="skill_load", arguments={"name": "pdf-processing", "budget": 600}),
    Call(tool="skill_load", arguments={"name": "code-review"}),
    Call(tool="context_unload", arguments={"name": "pdf-processing"}),
    Call(tool="skill_load", arguments={"name": "code-review"}),
    "The change has no test for a blank id.",
]


def report(address: str) -> list[Call | str]:
    """Return the turns of the third request; `address` is that of an asset which no source lists."""
    return [
        Call(tool="skills", arguments={"command": "read", "name": "grid"}),
        Call(tool="skill_load", arguments={"ref": address}),
        Call(tool="report-bug", arguments={"title": "orders.csv: blank ids pass the import"}),
        "Filed as #212.",
    ]


def scripted(turns: Iterable[Call | str]) -> Model:
    """Return a model that says these turns one after the other, whatever it is told."""
    left = iter(turns)
    return lambda _messages, _definitions: next(left)
