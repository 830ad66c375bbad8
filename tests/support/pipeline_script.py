"""Run with the interpreter of haystack-ai: what does a pipeline keep of a store of skills?

    python pipeline_script.py < order.json

Standard input has `site` and `folder`, as `adapters.Order`, and `modules`. Standard output is the JSON of what
`adapter_haystack.stored` gives for the bundle of each module.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def main() -> None:
    order = json.load(sys.stdin)
    sys.path[:0] = [order["site"], order["folder"], str(TESTS)]
    store = import_module("skillpack.adapters.haystack").BundleSkillStore
    stored = import_module("support.adapter_haystack").stored
    kept = [stored(store(import_module(name).bundle), ["skillpack", name]) for name in order["modules"]]
    json.dump(kept, sys.stdout)


if __name__ == "__main__":
    main()
