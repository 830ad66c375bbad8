"""Run with the interpreter of anthropic: what does its client upload of a bundle?

    python upload_script.py < order.json

Standard input has `site`, `folder`, `module` and `marks`, as `adapters.Order`, and `url`, the service. The example of the
adapter's docstring runs as it stands, then each skill becomes a version of one that is there. Standard output is the
JSON of what it printed, of the versions and of what was opened or connected to.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]


def main() -> None:
    order = json.load(sys.stdin)
    sys.path[:0] = [order["site"], order["folder"], str(TESTS)]
    os.environ.update(ANTHROPIC_API_KEY="none", ANTHROPIC_BASE_URL=order["url"])
    watching = import_module("support.framework_script")
    bundle = import_module(order["module"]).bundle
    bundle.preload()
    documented = import_module("support.adapter_script").example("skillpack.adapters.anthropic", bundle)
    import_module("anthropic")
    watching.watch(order["marks"])
    printed = StringIO()
    names: dict[str, Any] = {}
    with redirect_stdout(printed):
        exec(documented, names)
    versions = [
        names["client"].skills.versions.create("skill_0", files=files).id
        for files in names["skill_files"](bundle).values()
    ]
    json.dump({"printed": printed.getvalue(), "versions": versions, "touched": watching.TOUCHED}, sys.stdout)


if __name__ == "__main__":
    main()
