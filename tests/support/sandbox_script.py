"""Run with the interpreter of openai-agents: what does a model find in a real sandbox?

    python sandbox_script.py < order.json

Standard input has `site` and `folder`, as `adapters.Order`, `module` and `command`. The agent `worker` of the adapter's
docstring gets a sandbox of the framework in a temporary directory of this machine; its model runs the command there.
Standard output is the JSON of what the model reads first (`prompt`) and after it (`answer`).
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def main() -> None:
    order = json.load(sys.stdin)
    sys.path[:0] = [order["site"], order["folder"], str(TESTS)]
    documented = import_module("support.adapter_script").example(
        "skillpack.adapters.openai_agents", import_module(order["module"]).bundle
    )
    agents = import_module("agents")
    agents.set_tracing_disabled(True)
    model = import_module("support.adapter_openai_agents").fake(
        [("exec_command", json.dumps({"cmd": order["command"]}))]
    )
    names = {"model": model}
    exec(documented, names)
    client = import_module("agents.sandbox.sandboxes.unix_local").UnixLocalSandboxClient()
    config = agents.RunConfig(sandbox=import_module("agents.sandbox").SandboxRunConfig(client=client))
    asyncio.run(agents.Runner.run(names["worker"], "go", run_config=config))
    json.dump({"prompt": model.prompts[0], "answer": model.seen[-1]["output"]}, sys.stdout)


if __name__ == "__main__":
    main()
