"""What the scripted model says, and the project that its agents work on: no network, the same every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness_skill_use.harness import READ, USE, Agent

if TYPE_CHECKING:
    from harness_skill_use.harness import Turn

PRIMARY = Agent(name="primary", prompt="You look after the billing service.")
REVIEWER = Agent(name="reviewer", prompt="You review changes.", skills=("code-review", "deploy-*"))
TRANSLATOR = Agent(name="translator", prompt="You translate the interface.", skills=("translate-*",))

FILES = {
    "src/invoices.py": "def total(prices, discount):\n    return sum(prices) * (1 - discount)\n",
    "src/api/routes.py": "ROUTES = {'/invoices': 'list_invoices'}\n",
}

REVIEW: list[Turn] = [
    ("file.read", {"path": "src/invoices.py"}),
    (USE, {"name": "code-review"}),
    (READ, {"name": "code-review", "path": "checklist.md"}),
    ("file.read", {"path": "src/api/routes.py"}),
    (READ, {"name": "code-review", "path": "../git-workflow/SKILL.md"}),
    "src/invoices.py:2: the total is a float; count in cents.",
]

DEPLOY: list[Turn] = [
    (USE, {"name": "deployment"}),
    (USE, {"name": "deploy-runbook"}),
    (USE, {"name": "deploy-runbook"}),
    "2.4.0 is on staging.",
]

ROLL_BACK: list[Turn] = [
    (USE, {"name": "deploy-runbook"}),
    (READ, {"name": "deploy-runbook", "path": "rollback.md"}),
    (USE, {"name": "deploy-notes"}),
    "2.3.1 is live on production: invoices can be opened again.",
]

TRANSLATE: list[Turn] = [
    (USE, {"name": "translate-ui"}),
    "I have no skill for that; here is my best attempt: Rechnung.",
]

DISCOVERED_REVIEW: list[Turn] = [
    ("file.read", {"path": "src/invoices.py"}),
    (USE, {"name": "code-review"}),
    ("file.read", {"path": ".kaged/skills/code-review/money.md"}),
    (USE, {"name": "hotfix"}),
    "src/invoices.py:4: prices are floats; count in cents.",
]
