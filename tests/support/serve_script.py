"""Run with another environment's interpreter: a server of an emitted module, watched for what it opens.

    python serve_script.py KIND ORDER

KIND is `serve` for the command line, the name of a framework, for the example of its adapter, or `mcp-server`.
ORDER is JSON with the fields of `served.Order`. Standard library only, but for what is served with: so this file says
what has to be installed beside `skillpack`, and for an adapter that is its framework alone.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any


def watch(marks: list[str], report: str) -> None:
    """Write the names with a mark in them that are opened or listed to the file `report`, at the end."""
    touched: list[str] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir"):
            name = str(arguments[0])
            if any(mark in name for mark in marks):
                touched.append(name)

    sys.addaudithook(hook)
    atexit.register(lambda: Path(report).write_text(json.dumps(touched), encoding="utf-8"))


def measure(data_file: str) -> None:
    """Have coverage see this process, as it sees the tests."""
    if data_file:
        measured = import_module("coverage").Coverage(
            data_file=data_file, data_suffix=True, branch=True, source_pkgs=["skillpack"], config_file=False
        )
        measured.start()
        atexit.register(measured.save)
        atexit.register(measured.stop)


def bundle_of(module: str) -> Any:
    spec = importlib.util.spec_from_file_location("packed", module)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["packed"] = made
    spec.loader.exec_module(made)
    return made.bundle


def as_shown(framework: str, bundle: Any, port: int | None) -> None:
    """Run the example of an adapter's docstring, which imports `myagent.skills`."""
    adapter = import_module(f"skillpack.adapters.{framework}")
    lines = [line[4:] for line in str(adapter.__doc__).splitlines() if line.startswith("    ")]
    for name in ("myagent", "myagent.skills"):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__dict__["bundle"] = bundle
    call = "server.run()"
    if port is not None:
        call = {
            "fastmcp": f"server.run(transport='http', port={port})",
            "mcp": f"server.run('streamable-http', port={port}, json_response=True)",
        }[framework]
    exec("\n".join(lines).replace("server.run()", call), {"__name__": "__main__"})


def with_mcp_server(bundle: Any) -> None:
    server = import_module("skillpack.adapters.mcp").server(bundle)

    async def run() -> None:
        async with import_module("mcp.server.stdio").stdio_server() as streams:
            await server.run(*streams, server.create_initialization_options())

    asyncio.run(run())


def main() -> None:
    kind, order = sys.argv[1], json.loads(sys.argv[2])
    sys.path[:0] = order["path"]
    watch(order["marks"], order["report"])
    measure(order["coverage"])
    if kind == "serve":
        sys.argv = ["skillpack", "serve", *order["arguments"]]
        if order["seconds"] is not None:
            vars(import_module("skillpack.serving.http"))["SECONDS_PER_EXCHANGE"] = order["seconds"]
        import_module("skillpack.__main__").main()
    else:
        bundle = bundle_of(order["module"])
        if kind == "mcp-server":
            with_mcp_server(bundle)
        else:
            as_shown(kind, bundle, order["port"])


if __name__ == "__main__":
    main()
