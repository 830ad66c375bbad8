"""Peers: from a cold process to a catalog of the same skills, each in an environment of its own, ours beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.measure import Row, Script, figure, medians
from support.environments import python_with

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUNS = 5
RUNS_L = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """What is measured beside: `what` says by which way, `code` sets `found` to the number of skills it lists.

    In `code`, `top` is the path of the directory of skills.
    """

    requirement: str
    what: str
    code: str


PEERS = (
    Peer(
        requirement="pydantic-ai-skills==2.1.0",
        what="SkillsCapability",
        code="from pydantic_ai_skills import SkillsCapability\nfound = len(SkillsCapability(top).skill_names)",
    ),
    Peer(
        requirement="google-adk==2.13.0",
        what="list_skills_in_dir",
        code="from google.adk.skills import list_skills_in_dir\nfound = len(list_skills_in_dir(top))",
    ),
    Peer(
        requirement="google-adk==2.13.0",
        what="load_skills_from_dir",
        code="from google.adk.skills import load_skills_from_dir\nfound = len(load_skills_from_dir(top))",
    ),
    Peer(
        requirement="agent-framework-core==1.23.0",
        what="FileSkillsSource",
        code="""
import asyncio
from agent_framework import FileSkillsSource, SkillsSourceContext
found = len(asyncio.run(FileSkillsSource(top).get_skills(SkillsSourceContext(agent=None))))
""",
    ),
    Peer(
        requirement="fastmcp==4.2.3",
        what="SkillsDirectoryProvider",
        code="""
import asyncio
from fastmcp.skills.provider import SkillsDirectoryProvider
found = len(asyncio.run(SkillsDirectoryProvider(top).load_manifests()))
""",
    ),
    Peer(
        requirement="fastmcp==4.2.3",
        what="Skill.from_package",
        code="""
import os
from fastmcp.skills import Skill
parent, package = os.path.split(top)
sys.path.insert(0, parent)
found = len([Skill.from_package(package, name).description for name in sorted(os.listdir(top))])
""",
    ),
    Peer(
        requirement="skills-ref==0.1.1",
        what="to_prompt",
        code="""
from pathlib import Path
from skills_ref import SkillError, to_prompt
found = 0
for directory in Path(top).iterdir():
    try:
        found += bool(to_prompt([directory]))
    except SkillError:  # it refuses lists in brackets
        pass
""",
    ),
)
"""Pinned; `code` is what each one's documentation has for a directory of skills."""

_PEER = """
import logging, sys, time, warnings
warnings.simplefilter("ignore")
logging.disable()
top = sys.argv[1]
begin = time.perf_counter()
{code}
figures = {{"seconds": time.perf_counter() - begin, "found": found}}
"""


def rows(name: str, skills: Path, ours: Script, label: str) -> Iterator[Row]:
    """Measure every peer on the skills of the input `name`; `ours` is the cold process that a row compares with.

    `ours` reports `seconds`, like its peer: imports and all, without the start of the interpreter.
    """
    runs = RUNS_L if name == "L" else RUNS
    for peer in PEERS:
        distribution, _, version = peer.requirement.partition("==")
        python = python_with(distribution, peer.requirement, options=())
        script = Script(code=_PEER.format(code=peer.code), arguments=[skills], python=python)
        found = medians(runs, peer=script, ours=ours)
        theirs, own = found["peer"]["seconds"], found["ours"]["seconds"]
        listed = int(found["peer"]["found"])
        yield Row(
            title=f"{distribution} {version}, {peer.what}",
            input=label,
            value=theirs / own,
            unit="x",
            remark=f"{figure(theirs * 1000)} ms for {listed:,} skills, ours {figure(own * 1000)} ms",
        )
