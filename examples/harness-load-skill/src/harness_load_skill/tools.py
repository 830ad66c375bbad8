"""The agent's own tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness_load_skill.harness import Context

ORDERS = {"1042": "a kettle, delivered 12 days ago", "977": "a lamp, delivered 14 months ago"}


def lookup_order(_context: Context, order: str) -> str:
    return f"order {order}: {ORDERS[order]}"


def issue_refund(_context: Context, order: str) -> str:
    return f"order {order} is refunded"


def verify_customer(context: Context, code: str) -> str:
    """Check the code that the customer was sent; a verified customer may also make warranty claims."""
    if code != "31-07":
        return "the code is wrong"
    context.unlock("warranty-claims")
    return "the customer is verified"


def open_claim(_context: Context, order: str, text: str) -> str:
    return f"claim W-{order} is open: {text}"


def lint_copy(context: Context, draft: str) -> str:
    """Find banned words; the list is a file of the skill that asks for this tool, and passes no model."""
    banned = json.loads(context.skill("house-style").file("references/banned-words.json").text())["banned"]
    return f"replace: {', '.join(word for word in banned if word in draft.lower()) or 'nothing'}"


TOOLS: Mapping[str, Callable[..., str]] = {
    function.__name__: function
    for function in (lookup_order, issue_refund, verify_customer, open_claim, lint_copy)
}
