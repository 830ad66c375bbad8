"""Agent frameworks with an adapter, run for real: each talks to a model of its own kind, offline."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from support.environments import python_with
from support.front_ends import UV
from support.measured import REQUIREMENT, isolated
from support.wheelhouse import CHECKOUT, cache, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCRIPT = Path(__file__).with_name("adapter_script.py")

SECONDS_A_RUN = 300


class Adapter(NamedTuple):
    """A framework as it is tested, and its row in the README.

    `distribution` is what its requirement names, `offers` the public names of the adapter, `gives` what becomes of a
    bundle there. `lists_files`: the instructions of a skill end with the list of its files. `shows_any_file`: a model is
    given the bytes of any file, else only of what models can see, and one line about others. `complains` is what the
    framework's own lines in the log of a call that fails begin with. `converses`: there is a model to talk to, and not
    an upload.
    """

    distribution: str
    version: str
    offers: str
    gives: str
    lists_files: bool = True
    shows_any_file: bool = True
    complains: str | None = None
    converses: bool = True

    @property
    def requirement(self) -> str:
        return f"{self.distribution}=={self.version}"


ADAPTERS = {
    "pydantic_ai": Adapter(
        "pydantic-ai-slim",
        "2.68.0",
        "`skill_capabilities`",
        "a deferred capability a skill, loaded by the framework's `load_capability`; a tool that reads files, pictures "
        "as `BinaryContent`",
        shows_any_file=False,
    ),
    "deepagents": Adapter(
        "deepagents",
        "0.7.32",
        "`skill_backend`, `BundleBackend`",
        "a read-only directory of its file system, `/skills/`, for its own skills: `ls`, `read_file`, `glob`, `grep`",
        lists_files=False,
    ),
    "google_adk": Adapter(
        "google-adk",
        "2.13.0",
        "`BundleToolset`, `adk_skills`",
        "its own `SkillToolset`, over the bundle; pictures as inline data",
        shows_any_file=False,
    ),
    "agent_framework": Adapter(
        "agent-framework-core",
        "1.23.0",
        "`skills_provider`",
        "its own `SkillsProvider`, with approvals as you set them; pictures and PDF as data",
        lists_files=False,
        shows_any_file=False,
    ),
    "anthropic": Adapter(
        "anthropic",
        "2.14.0",
        "`skill_files`",
        "what `client.skills.create(files=…)` uploads, held against the service's rules first",
        converses=False,
    ),
    "haystack": Adapter(
        "haystack-ai",
        "3.4.1",
        "`BundleSkillStore`, `SkillPolicy`",
        "the store of a `SkillToolset`; pictures and PDF as content; YAML has the import path and no skill",
        shows_any_file=False,
        complains="Failed to invoke Tool `",
    ),
    "openai_agents": Adapter(
        "openai-agents",
        "0.24.0",
        "`skill_tools`, `skill_policy`, `sandbox_skills`",
        "function tools, pictures and PDF as they are; the capability `Skills` of a sandbox, with every file at its path",
        shows_any_file=False,
    ),
    "langchain": Adapter(
        "langchain",
        "1.5.2",
        "`SkillMiddleware`, `skill_tools`",
        "the catalog in the system message, the two tools among those of `create_agent`; pictures as content blocks",
        shows_any_file=False,
    ),
}
"""By the name of the adapter's module, which is also that of its script: `adapter_<name>.py`, with a `converse`."""

CONVERSING = [name for name, adapter in ADAPTERS.items() if adapter.converses]


class Answer(NamedTuple):
    """What a model reads after a call: text, or the bytes of a file in base64 with their media type.

    `error` says that the framework hands it on as a failed call.
    """

    text: str
    data: str | None = None
    media_type: str | None = None
    error: bool = False


class Talk(NamedTuple):
    """A conversation: all that the model reads before its first turn, the answers to the steps, what else there is."""

    prompt: str
    answers: dict[str, Answer]
    more: dict[str, Any]


class Example(NamedTuple):
    """The example of an adapter's docstring: its code, what the model reads first, and when it loads a skill."""

    code: str
    prompt: str
    answer: Answer


class Outcome(NamedTuple):
    """What happened in a framework.

    `talks` are those over an emitted module's bundle (`emitted`) and over one of `skillpack.runtime` (`runtime`);
    `example` is what the adapter's docstring shows, over the former;
    `imported` are the modules of skillpack that took part, `missing` those of its dependencies that are not installed.
    """

    talks: dict[str, Talk]
    example: Example
    touched: list[str]
    logged: list[str]
    imported: list[str]
    missing: list[str]


class Order(NamedTuple):
    """What each framework is to do.

    `site` has skillpack alone, `folder` the emitted module. `steps` are what a model asks for, by their name: a skill,
    and a path in it, or None for its instructions; `skill` is what the example loads. `marks` are names that no file has which may be opened meanwhile.
    """

    site: str
    folder: str
    module: str
    steps: Mapping[str, tuple[str, str | None]]
    skill: str
    marks: Sequence[str]


def environment(name: str) -> Path:
    """Return the interpreter of an adapter's framework, without skillpack."""
    return python_with(f"adapter-{name}", ADAPTERS[name].requirement, REQUIREMENT, options=())


def install_alone(directory: Path) -> Path:
    """Install skillpack of this checkout below a directory, without what it depends on, and return where to.

    It is a folder site-packages, as an environment has one, so that coverage knows its files.
    """
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", directory, cwd=CHECKOUT)
    (wheel,) = directory.glob("*.whl")
    site = directory / "site-packages"
    run(UV, "pip", "install", "--quiet", "--no-deps", "--python", sys.executable, "--target", site, wheel)
    return site


def outcome(name: str, order: Order) -> Outcome:
    """Return what the framework of an adapter does with an order."""
    result = answered(name, SCRIPT, name, asked=json.dumps(order._asdict()))
    talks = {
        source: Talk(
            talk["prompt"], {step: Answer(**shown) for step, shown in talk["answers"].items()}, talk["more"]
        )
        for source, talk in result.pop("talks").items()
    }
    shown = result.pop("example")
    return Outcome(talks, Example(**{**shown, "answer": Answer(**shown["answer"])}), **result)


def answered(name: str, script: Path, *arguments: str | Path, asked: str) -> Any:
    """Return the JSON that a script prints in the environment of an adapter, where `asked` is its standard input."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [*isolated(environment(name)), script, *arguments],
            input=asked,
            cwd=home,
            env={"HOME": home, "LANG": "C.UTF-8", "PATH": os.defpath},
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS_A_RUN,
            check=False,
        )
    assert done.returncode == 0, f"{name}: {done.stderr}"
    return json.loads(done.stdout)


def type_errors(name: str) -> str:
    """Return what mypy finds wrong in an adapter where its framework is installed; what it learnt is kept."""
    places = (f"--python-executable={environment(name)}", f"--cache-dir={cache() / f'mypy-adapter-{name}'}")
    return mypy(*places, CHECKOUT / "packager" / "skillpack" / "adapters" / f"{name}.py")


def mypy(*arguments: str | Path) -> str:
    """Return what mypy finds wrong, strictly, where skillpack is the checkout's."""
    options = ("--config-file=", "--strict", "--explicit-package-bases", "--follow-imports=silent")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *arguments],
        env={**os.environ, "MYPYPATH": str(CHECKOUT / "packager")},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def table(verdicts: Mapping[str, bool]) -> str:
    """Return the README's table of adapters, of those whose tests are good."""
    head = ["| framework | version | `skillpack.adapters.` | what it gets |", "|---|---|---|---|"]
    rows = [
        f"| {adapter.distribution} | {adapter.version} | `{name}`: {adapter.offers} | {adapter.gives} |"
        for name, adapter in ADAPTERS.items()
        if verdicts[name]
    ]
    return "\n".join([*head, *rows])
