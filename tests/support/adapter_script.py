"""Run with a framework's own interpreter: what does a model see of a bundle through the adapter?

    python adapter_script.py NAME < order.json

Standard input has the fields of `adapters.Order`, standard output is the JSON of `adapters.Outcome`'s fields. The
script `adapter_<NAME>.py` beside this one has two functions. `converse(bundle, steps)` lets the framework's own fake
model ask for the steps and returns the fields of `adapters.Talk`. `example(run, load, skill)` runs the example of the
adapter's docstring, as `run(**names)` with the names that it leaves open, which gives its variables; then its agent
loads a skill by the tool `load`, and the prompt and the answer are returned. Frameworks come by `import_module` because
they are not installed where mypy runs.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import logging
import sys
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
DEPENDENCIES = ("blake3", "click", "pathspec", "yaml")


def example(adapter: str, bundle: Any) -> str:
    """Return the example of an adapter's docstring: its indented lines. The project that it imports is made up."""
    made_up = sys.modules["myagent.skills"] = ModuleType("myagent.skills")
    made_up.__dict__["bundle"] = bundle
    documented = import_module(adapter).__doc__ or ""
    lines = documented.splitlines()
    first, *_, last = (number for number, line in enumerate(lines) if line.startswith("    "))
    return "\n".join(line[4:] for line in lines[first : last + 1])


def outcome(order: dict[str, Any]) -> dict[str, Any]:
    sys.path[:0] = [order["site"], order["folder"], str(TESTS)]
    watching = import_module("support.framework_script")
    emitted = import_module(order["module"]).bundle
    own = import_module("skillpack.runtime").SkillBundle.from_json(emitted.to_json())
    script = import_module(f"support.adapter_{sys.argv[1]}")
    code = example(f"skillpack.adapters.{sys.argv[1]}", emitted)
    for bundle in (emitted, own):
        bundle.preload()
    logging.getLogger().addHandler(watching.Listener(logging.WARNING))
    warnings.simplefilter("error")
    watching.watch(order["marks"])
    bundles = {"emitted": emitted, "runtime": own}

    def run(**names: Any) -> dict[str, Any]:
        exec(code, names)
        return names

    return {
        "talks": {name: script.converse(bundle, order["steps"]) for name, bundle in bundles.items()},
        "example": {"code": code, **script.example(run, emitted.tool_names[0], order["skill"])},
        "touched": watching.TOUCHED,
        "logged": watching.LOGGED,
        "imported": sorted(name for name in sys.modules if name.partition(".")[0] == "skillpack"),
        "missing": [name for name in DEPENDENCIES if importlib.util.find_spec(name) is None],
    }


def main() -> None:
    with contextlib.redirect_stdout(sys.stderr):  # what a framework prints is no part of the outcome
        found = outcome(json.load(sys.stdin))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
