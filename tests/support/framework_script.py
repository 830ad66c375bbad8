"""Run with a framework's own interpreter: what does the framework make of the functions of `tools()`?

    python framework_script.py FRAMEWORK < order.json

Standard input has the fields of `frameworks.Order`: the folder of an emitted module, the variants of its bundle,
and the calls to be made with each. Standard output is the JSON of `frameworks.Outcome`'s fields. The functions go
to the framework as they are; a call goes in by the framework's own way for the calls of a model.

Standard library only, as skillpack is not installed here. The frameworks come by `import_module` because they are
not installed where mypy runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import inspect
import json
import logging
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    Function = Callable[..., str]
    Arguments = dict[str, Any]
    Shown = dict[str, Any]
    Use = Callable[[Sequence[Function], Sequence[tuple[str, Arguments]]], tuple[list[Shown], list[str]]]

TOUCHED: list[str] = []
"""What was opened, listed or connected to since the framework and the bundle are loaded."""

LOGGED: list[str] = []


class Listener(logging.Handler):
    """Keeps what is logged: some frameworks say only there what they do not understand of a docstring."""

    def emit(self, record: logging.LogRecord) -> None:
        LOGGED.append(record.getMessage())


def shown(name: str, description: str, parameters: dict[str, Any]) -> Shown:
    """Return a tool as a model is told of it; `parameters` is a JSON schema."""
    return {"name": name, "description": description, "parameters": parameters}


def tool_by_tool(
    make: Callable[[Function], Any],
    show: Callable[[Any], Shown],
    answer: Callable[[Any, Arguments], str | Awaitable[str]],
) -> Use:
    """Return the use of a framework whose tools are objects that can be called one at a time."""

    def use(
        functions: Sequence[Function], calls: Sequence[tuple[str, Arguments]]
    ) -> tuple[list[Shown], list[str]]:
        made = {function.__name__: make(function) for function in functions}
        answers = [answered(answer(made[name], arguments)) for name, arguments in calls]
        return [show(tool) for tool in made.values()], answers

    return use


def answered(answer: str | Awaitable[str]) -> str:
    async def wait(coming: Awaitable[str]) -> str:
        return await coming

    return asyncio.run(wait(answer)) if inspect.isawaitable(answer) else answer


def over_mcp(server: Callable[[str], Any], client: Callable[[Any], Any]) -> Use:
    """Return the use of a server and a client that are joined in memory."""

    async def serve(
        functions: Sequence[Function], calls: Sequence[tuple[str, Arguments]]
    ) -> tuple[list[Shown], list[str]]:
        host = server("skills")
        for function in functions:
            host.add_tool(function)
        async with client(host) as connected:
            listed = await connected.list_tools()
            results = [await connected.call_tool(*call) for call in calls]
        tools = [
            shown(tool.name, tool.description, tool.input_schema) for tool in getattr(listed, "tools", listed)
        ]
        return tools, ["".join(part.text for part in result.content) for result in results]

    return lambda functions, calls: asyncio.run(serve(functions, calls))


def pydantic_ai() -> Use:
    library = import_module("pydantic_ai")
    messages = import_module("pydantic_ai.messages")
    function_model = import_module("pydantic_ai.models.function").FunctionModel

    def use(
        functions: Sequence[Function], calls: Sequence[tuple[str, Arguments]]
    ) -> tuple[list[Shown], list[str]]:
        tools: list[Shown] = []
        answers: list[str] = []
        left = iter(calls)

        def model(history: list[Any], info: Any) -> Any:
            tools[:] = [
                shown(tool.name, tool.description, tool.parameters_json_schema)
                for tool in info.function_tools
            ]
            last = history[-1].parts[-1]
            if isinstance(last, messages.ToolReturnPart):
                answers.append(last.content)
            for name, arguments in left:
                return messages.ModelResponse([messages.ToolCallPart(name, json.dumps(arguments))])
            return messages.ModelResponse([messages.TextPart("done")])

        made = [library.Tool(function, require_parameter_descriptions=True) for function in functions]
        library.Agent(function_model(model), tools=made).run_sync("go")
        return tools, answers

    return use


def langchain_core() -> Use:
    make = import_module("langchain_core.tools").tool
    convert = import_module("langchain_core.utils.function_calling").convert_to_openai_tool

    def show(tool: Any) -> Shown:
        function: Shown = convert(tool)["function"]
        return function

    def answer(tool: Any, arguments: Arguments) -> str:
        call = {"type": "tool_call", "id": "1", "name": tool.name, "args": arguments}
        text: str = tool.invoke(call).content
        return text

    # Told to parse, it raises for what is no docstring of Google's style.
    return tool_by_tool(lambda function: make(function, parse_docstring=True), show, answer)


def google_adk() -> Use:
    make = import_module("google.adk.tools").FunctionTool

    def show(tool: Any) -> Shown:
        declared = tool._get_declaration()
        return shown(declared.name, declared.description, declared.parameters_json_schema)

    return tool_by_tool(make, show, lambda tool, arguments: tool.run_async(args=arguments, tool_context=None))


def openai_agents() -> Use:
    make = import_module("agents").function_tool
    context = import_module("agents.tool_context").ToolContext

    def show(tool: Any) -> Shown:
        return shown(tool.name, tool.description, tool.params_json_schema)

    def answer(tool: Any, arguments: Arguments) -> Awaitable[str]:
        text = json.dumps(arguments)
        about = context(None, tool_name=tool.name, tool_call_id="1", tool_arguments=text)
        coming: Awaitable[str] = tool.on_invoke_tool(about, text)
        return coming

    return tool_by_tool(make, show, answer)


def smolagents() -> Use:
    library = import_module("smolagents")
    models = import_module("smolagents.models")

    def show(tool: Any) -> Shown:
        function: Shown = models.get_tool_json_schema(tool)["function"]
        return function

    def answer(tool: Any, arguments: Arguments) -> str:
        agent = library.ToolCallingAgent(tools=[tool], model=models.Model(), verbosity_level=0)
        text: str = agent.execute_tool_call(tool.name, arguments)
        return text

    return tool_by_tool(library.tool, show, answer)


def agno() -> Use:
    make = import_module("agno.tools.function").Function.from_callable
    find = import_module("agno.utils.functions").get_function_call

    def answer(tool: Any, arguments: Arguments) -> str:
        call = find(tool.name, arguments=json.dumps(arguments), functions={tool.name: tool})
        text: str = call.execute().result
        return text

    return tool_by_tool(make, lambda tool: tool.to_dict(), answer)


def haystack_ai() -> Use:
    make = import_module("haystack.tools").create_tool_from_function
    return tool_by_tool(make, lambda tool: tool.tool_spec, lambda tool, arguments: tool.invoke(**arguments))


def fastmcp() -> Use:
    library = import_module("fastmcp")
    return over_mcp(library.FastMCP, library.Client)


def mcp() -> Use:
    return over_mcp(import_module("mcp.server").MCPServer, import_module("mcp").Client)


def agent_framework_core() -> Use:
    make = import_module("agent_framework").tool

    async def answer(tool: Any, arguments: Arguments) -> str:
        return "".join(part.text for part in await tool.invoke(arguments=arguments))

    return tool_by_tool(make, lambda tool: shown(tool.name, tool.description, tool.parameters()), answer)


def autogen_core() -> Use:
    make = import_module("autogen_core.tools").FunctionTool
    token = import_module("autogen_core").CancellationToken
    return tool_by_tool(
        lambda function: make(
            function, description=function.__doc__
        ),  # it does not take the docstring itself
        lambda tool: tool.schema,
        lambda tool, arguments: tool.run_json(arguments, token()),
    )


def strands_agents() -> Use:
    make = import_module("strands").tool

    def show(tool: Any) -> Shown:
        spec = tool.tool_spec
        return shown(spec["name"], spec["description"], spec["inputSchema"]["json"])

    async def answer(tool: Any, arguments: Arguments) -> str:
        call = {"toolUseId": "1", "name": tool.tool_name, "input": arguments}
        events = [event async for event in tool.stream(call, {})]
        return "".join(part["text"] for part in events[-1]["tool_result"]["content"])

    return tool_by_tool(make, show, answer)


def anthropic() -> Use:
    make = import_module("anthropic").beta_tool

    def show(tool: Any) -> Shown:
        definition = tool.to_dict()
        return shown(definition["name"], definition["description"], definition["input_schema"])

    return tool_by_tool(make, show, lambda tool, arguments: tool.call(arguments))


FRAMEWORKS = {
    "pydantic-ai-slim": pydantic_ai,
    "langchain-core": langchain_core,
    "google-adk": google_adk,
    "openai-agents": openai_agents,
    "smolagents": smolagents,
    "agno": agno,
    "haystack-ai": haystack_ai,
    "fastmcp": fastmcp,
    "mcp": mcp,
    "agent-framework-core": agent_framework_core,
    "autogen-core": autogen_core,
    "strands-agents": strands_agents,
    "anthropic": anthropic,
}


def watch(marks: Sequence[str]) -> None:
    """Keep from now on what is opened or listed under a name that holds one of `marks`, and what is connected to."""

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        named = event in {"open", "os.listdir", "os.scandir"} and any(
            mark in str(arguments[0]) for mark in marks
        )
        if named or event == "socket.connect":
            TOUCHED.append(f"{event} {arguments}")

    sys.addaudithook(hook)
    with contextlib.suppress(FileNotFoundError):
        Path(marks[0]).read_bytes()
    assert TOUCHED.pop().startswith("open "), "the hook sees nothing"


def main() -> None:
    output, sys.stdout = sys.stdout, sys.stderr  # a framework that prints does not print into the outcome
    use = FRAMEWORKS[sys.argv[1]]()
    order = json.load(sys.stdin)
    sys.path.insert(0, order["folder"])
    bundle = import_module(order["module"]).bundle
    assert importlib.util.find_spec("skillpack") is None
    bundle.preload()
    logging.getLogger().addHandler(Listener(logging.WARNING))
    warnings.simplefilter("error")
    watch(order["marks"])
    used = []
    for variant in order["variants"]:
        renamed = bundle.with_tools(*variant["tools"], variant["style"])
        functions = (renamed.session() if variant["session"] else renamed).tools()
        calls = [(functions[which].__name__, arguments) for which, arguments in order["calls"]]
        tools, answers = use(functions, calls)
        used.append({"tools": tools, "answers": answers})
    json.dump({"used": used, "touched": TOUCHED, "logged": LOGGED}, output)


if __name__ == "__main__":
    main()
