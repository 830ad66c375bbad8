"""Agent frameworks, run for real: each makes its own tools from `tools()`, in an environment of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from support.environments import python_with
from support.interpreters import answer

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPT = Path(__file__).with_name("framework_script.py")

SECONDS_A_RUN = 300


class Framework(NamedTuple):
    """A pinned version, and what a framework makes of any plain function.

    `parses`: the lines of `Args:` go to the parameters; else the whole docstring is the tool's description.
    `defaults`: a parameter's default is in its schema. `strict`: every parameter is required, as the strict mode of
    a model's provider wants it.
    """

    version: str
    parses: bool = True
    defaults: bool = True
    strict: bool = False


FRAMEWORKS = {
    "pydantic-ai-slim": Framework("2.68.0"),
    "langchain-core": Framework("1.8.3"),
    "google-adk": Framework("2.13.0", parses=False),
    "openai-agents": Framework("0.24.0", strict=True),
    "smolagents": Framework("1.26.0", defaults=False),
    "agno": Framework("3.1.10", defaults=False),
    "haystack-ai": Framework("3.4.1", parses=False),
    "fastmcp": Framework("4.2.3"),
    "mcp": Framework("2.3.0", parses=False),
    "agent-framework-core": Framework("1.23.0", parses=False),
    "autogen-core": Framework("0.7.5", parses=False),
    "strands-agents": Framework("1.62.0"),
    "anthropic": Framework("2.14.0"),
}
"""By the name of the distribution. Seven are those of the issue; left out are two that take 180 and 390 MB."""


class Variant(NamedTuple):
    """How a bundle offers its tools: the arguments of `with_tools`, and whether a session offers them."""

    tools: tuple[str, str] = ("load_skill", "read_skill_resource")
    style: str = "list"
    session: bool = False


class Order(NamedTuple):
    """What each framework is to do.

    `calls` are made with each variant, a tool being 0 for load and 1 for read; `marks` are names that no file has
    which may be opened meanwhile.
    """

    folder: str
    module: str
    variants: Sequence[Variant]
    calls: Sequence[tuple[int, dict[str, Any]]]
    marks: Sequence[str]


class Used(NamedTuple):
    """What a variant gave: the tools as the model is told of them, and the answers in the order of the calls."""

    tools: list[dict[str, Any]]
    answers: list[str]


class Outcome(NamedTuple):
    """What happened in a framework, a `Used` for each variant; warnings of Python have ended the run."""

    used: list[Used]
    touched: list[str]
    logged: list[str]


def outcome(name: str, order: Order) -> Outcome:
    """Return what the framework `name` does with an order."""
    python = python_with(f"framework-{name}", f"{name}=={FRAMEWORKS[name].version}", options=())
    asked = {**order._asdict(), "variants": [variant._asdict() for variant in order.variants]}
    done = answer(python, SCRIPT, name, json.dumps(asked), seconds=SECONDS_A_RUN)
    assert done.returncode == 0, f"{name}: {done.stderr}"
    result = json.loads(done.stdout)
    return Outcome([Used(**used) for used in result["used"]], result["touched"], result["logged"])
