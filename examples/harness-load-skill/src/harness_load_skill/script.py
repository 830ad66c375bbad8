"""What the scripted model says: no network, the same every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness_load_skill.harness import LOAD, READ

if TYPE_CHECKING:
    from harness_load_skill.harness import Turn

INSTRUCTIONS = (
    "You are a support agent. Load the matching skill before answering policy questions; never guess."
)

RETURN: list[Turn] = [
    (LOAD, {"name": "returns-policy"}),
    ("lookup_order", {"order": "1042"}),
    (READ, {"name": "returns-policy", "path": "exceptions.md"}),
    # not what the loaded skill allows, and no more so after one that allows nothing in particular
    ("open_claim", {"order": "1042", "text": "changed my mind"}),
    (LOAD, {"name": "shipping-info"}),
    ("open_claim", {"order": "1042", "text": "changed my mind"}),
    ("issue_refund", {"order": "1042"}),
    # of two skills that restrict, the union counts
    ("lint_copy", {"draft": "Your refund is guaranteed."}),
    (LOAD, {"name": "house-style"}),
    ("lint_copy", {"draft": "Your refund is guaranteed."}),
    "Your refund is on its way: 5-7 business days to the card that you paid with.",
]

CLAIM: list[Turn] = [
    (LOAD, {"name": "warranty-claims"}),
    ("verify_customer", {"code": "31-07"}),
    (LOAD, {"name": "warranty-claims"}),
    ("open_claim", {"order": "977", "text": "It went dark with a pop."}),
    ("issue_refund", {"order": "977"}),
    "Your claim has the number W-977.",
]

AFTERWARDS: list[Turn] = [
    (LOAD, {"name": "warranty-claims"}),
    "The two years count from the day of delivery, so ten months are left.",
]

SUPPLIED: list[Turn] = [
    (LOAD, {"name": "returns-policy"}),
    (LOAD, {"name": "policy-acme"}),
    (LOAD, {"name": "shipping-info"}),
    (LOAD, {"name": "opening-hours"}),
    (READ, {"name": "opening-hours", "path": "references/hours.md"}),
    (LOAD, {"name": "loyalty-points"}),
    ("lint_copy", {"draft": "Kindly bring the parcel to our shop."}),
    "You have 60 days. The shop at the harbour is open until 18; your points are taken back.",
]

NEXT_DAY: list[Turn] = [
    (READ, {"name": "policy-acme", "path": "contacts.md"}),
    "Write to returns at Acme.",
]
