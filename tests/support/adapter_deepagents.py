"""What a model sees of a bundle through `skillpack.adapters.deepagents`: files of the agent's virtual file system."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Any

from support.adapter_langchain import QUESTION, fake, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Calls = Sequence[tuple[str, dict[str, Any]]]


def converse(bundle: Any, steps: Mapping[str, tuple[str, str | None]]) -> dict[str, Any]:
    adapter = import_module("skillpack.adapters.deepagents")
    calls = [read(skill, path or "SKILL.md") for skill, path in steps.values()]
    model, answers = talk(calls, bundle)
    _, awaited = talk(calls, bundle, awaited=True)
    return {
        "prompt": model.prompt(),
        "answers": dict(zip(steps, answers, strict=True)),
        "more": {"awaited": dict(zip(steps, awaited, strict=True)), **more(bundle, adapter)},
    }


def example(run: Callable[..., dict[str, Any]], load: str, skill: str) -> dict[str, Any]:
    model = fake([read(skill, "SKILL.md")])
    result = run(model=model)["agent"].invoke(QUESTION)
    return {"prompt": model.prompt(), "answer": shown(result["messages"][-2])}


def read(skill: str, path: str) -> tuple[str, dict[str, Any]]:
    return "read_file", {"file_path": f"/skills/{skill}/{path}", "limit": 1000}


def more(bundle: Any, adapter: Any) -> dict[str, Any]:
    """Return what comes of the other tools for files, of calls past them, and of damage."""
    notes = "/skills/release-notes"
    asked: dict[str, Calls] = {
        "ls": [
            ("ls", {"path": path})
            for path in (
                "/",
                "/skills",
                notes,
                f"{notes}/references/",
                "/skills/hidden-ledger",
                "/skills/none",
            )
        ],
        "pages": [
            ("read_file", {"file_path": f"{notes}/SKILL.md", "offset": offset, "limit": 2})
            for offset in (4, 6, 40)
        ],
        "glob": [
            ("glob", {"pattern": pattern, "path": path})
            for pattern, path in (
                ("*.md", "/skills"),
                ("**/*.md", notes),
                ("*.sh", "/"),
                ("scripts/*", notes),
                ("../*", "/skills"),
                ("*.md", "/skills/hidden-ledger"),
            )
        ],
        "grep": [
            ("grep", {"pattern": "metric", "path": "/skills", "output_mode": "content"}),
            ("grep", {"pattern": "Rules", "output_mode": "content"}),
            (
                "grep",
                {"pattern": "Style", "path": f"{notes}/references/house-style.md", "output_mode": "content"},
            ),
            ("grep", {"pattern": "catalog", "path": "/skills", "output_mode": "content"}),
            ("grep", {"pattern": "notes", "path": "/skills", "glob": "*.sh", "output_mode": "content"}),
            ("grep", {"pattern": "notes", "path": "/skills", "glob": "../*"}),
        ],
        "writes": [
            ("write_file", {"file_path": f"{notes}/new.md", "content": "x"}),
            ("edit_file", {"file_path": f"{notes}/SKILL.md", "old_string": "Release", "new_string": "x"}),
            ("delete", {"file_path": f"{notes}/SKILL.md"}),
            ("write_file", {"file_path": "/notes.md", "content": "mine"}),
            ("read_file", {"file_path": "/notes.md"}),
        ],
    }
    return {**{name: talk(calls, bundle)[1] for name, calls in asked.items()}, **direct(bundle, adapter)}


def direct(bundle: Any, adapter: Any) -> dict[str, Any]:
    """Return what the backend answers where no tool asks: downloads, uploads, a bounded search, a damaged file."""
    damaged = type(bundle).from_json(bundle.to_json())
    for path in ("house-rules.txt", "assets/house-logo.png"):
        object.__setattr__(damaged["release-notes"].files[path], "_load", lambda: b"altered")
        object.__setattr__(damaged["release-notes"].files[path], "_sound", False)
    whole, broken = adapter.BundleBackend(bundle), adapter.BundleBackend(damaged)
    other = adapter.skill_backend(bundle, default=whole, mount="/shared/")
    down = ["/unit-convert/SKILL.md", "/unit-convert", "/none", "/hidden-ledger/SKILL.md"]
    rules = "/release-notes/house-rules.txt"
    found = whole.grep("Fill in", "/spare-forms", max_count=3)
    return {
        "downloads": [
            [file.error, file.content and file.content.decode()] for file in whole.download_files(down)
        ],
        "uploads": [[file.path, file.error] for file in whole.upload_files([("/unit-convert/a.md", b"a")])],
        "bounded": [len(found.matches), found.truncated],
        "exactly": whole.grep("Fill in", "/spare-forms", max_count=120).truncated,
        "mounted": [len(other.ls("/shared/").entries), other.read("/unit-convert/SKILL.md").error],
        "damaged": [
            broken.read(rules).error,
            broken.download_files([rules])[0].error,
            broken.grep("Rules", "/release-notes").error,
            broken.read("/unit-convert/SKILL.md").error,
        ],
    }


def talk(calls: Calls, bundle: Any, *, awaited: bool = False) -> tuple[Any, list[dict[str, Any]]]:
    """Return a fake model after its calls, one a turn, and what it read of each."""
    backend = import_module("skillpack.adapters.deepagents").skill_backend(bundle)
    model = fake(calls)
    agent = import_module("deepagents").create_deep_agent(model=model, skills=["/skills/"], backend=backend)
    result = asyncio.run(agent.ainvoke(QUESTION)) if awaited else agent.invoke(QUESTION)
    return model, [shown(message) for message in result["messages"] if message.type == "tool"]
