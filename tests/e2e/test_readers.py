"""Public readers of SKILL.md, run for real, agree with what the strict and default settings promise.

Strict without an error: every reader accepts the skill and reads the same name and description. What every
reader refuses, the default refuses. There is no list of known differences: none is left.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import pytest

from skillpack.findings import Policy, Report
from skillpack.frontmatter import read
from support.frontmatter_cases import CASES
from support.frontmatter_cases import READERS as COLUMNS
from support.readers import READERS, Verdict, verdicts
from support.spellings import spellings

if TYPE_CHECKING:
    from pathlib import Path

    from skillpack.model import Frontmatter
    from skillpack.rules import Setting

SPELLINGS = 300
SEED = 117

WAYS = {
    "a plain value over several lines": r"^description: +[^\"'|>\s].*\n +\S",
    "single quotes": r": +'",
    "double quotes with escapes": r": +\".*\\u",
    "a literal block": r": +\|[-+]?\d?$",
    "a folded block": r": +>[-+]?\d?$",
    "a block that keeps or strips its last lines": r": +[|>][-+]",
    "a block with its indentation in the header": r": +[|>][-+]?\d",
    "a comment behind a block's header": r": +[|>][-+]?\d? +# ",
    "a comment behind a quoted value": r"['\"] +# ",
    "a comment on a line of its own": r"^ *#",
    "a value on the line below its key": r"^[\w-]+:\s*\n +\S",
    "a quoted key": r"^ *(['\"])[\w-]+\1:",
    "an explicit key": r"^ *\? [\w-]+$",
    "a blank before the colon": r"^ *[\w-]+ :",
    "text beyond ASCII": r"[^\x00-\x7f]",
    "metadata": r"^metadata:",
    "tools": r"^allowed-tools:",
    "name below another field": r"^(?:description|license).*\n(?:.*\n)*name:",
    "a description of the greatest length": r".{1000}",
}
"""What the spelled files are to hold, as patterns; each in several of those that strict passes."""

_START = "---\nname: x\ndescription: d\n"
FORCED = {
    "skills-ref": [
        f"{_START}license: # a comment\n  MIT\n\n---\nBody\n",
        f"{_START}license:\n\n  > # a comment\n  MIT\n---\nBody\n",
    ],
    "google-adk": [
        f'{_START}metadata:\n  adk_inject_state: "true"\n---\nBody\n',
        f"{_START}metadata:\n  adk_additional_tools: search\n---\nBody\n",
    ],
    "deepagents": [f"{_START}---\n" + "A word. " * (10 * 1024 * 1024 // 8)],
}
"""Files that strict refuses for the sake of the one reader that does."""

AMBIGUOUS = ["|\n  d", ">+\n  d\n\n", '"d "', "'d\u00a0'", "\u3000d"]
"""Descriptions that strict refuses since every reader accepts them and not every one reads the same."""


class Skill(NamedTuple):
    """A skill directory; its origin is `case`, `real`, `spelled`, `forced` or `ambiguous`."""

    origin: str
    label: str
    directory: Path

    def without_error(self, setting: Setting) -> Frontmatter | None:
        """Return what is read at a setting, or None when an error is reported."""
        fields = without_error((self.directory / "SKILL.md").read_bytes(), setting)
        # `name-mismatch`, an error at strict, is found where a whole skills root is known.
        mismatch = fields is not None and fields.name != self.directory.name
        return None if mismatch and setting == "strict" else fields


def without_error(data: bytes, setting: Setting) -> Frontmatter | None:
    report = Report(Policy(setting=setting))
    fields = read(data, place="SKILL.md", directory="", report=report)
    return None if report.has_errors else fields


def spelled() -> list[tuple[str, bytes]]:
    """Return name and bytes of the first spelled files that strict passes."""
    read_strictly = ((without_error(data, "strict"), data) for data in spellings(SEED))
    passed = ((fields.name, data) for fields, data in read_strictly if fields)
    return list(itertools.islice(passed, SPELLINGS))


@pytest.fixture(scope="module")
def skills(tmp_path_factory: pytest.TempPathFactory, unpacked: Path) -> list[Skill]:
    """Return all skills, each alone in a skills root, since some readers read whole roots."""
    top = tmp_path_factory.mktemp("skills")
    found: list[Skill] = []

    def place(origin: str, label: str, name: str) -> Path:
        root = top / str(len(found)) / ".agents" / "skills"
        root.mkdir(parents=True)
        found.append(Skill(origin, label, root / name))
        return root / name

    def write(directory: Path, data: bytes) -> None:
        directory.mkdir()
        (directory / "SKILL.md").write_bytes(data)

    for label, case in CASES.items():
        write(place("case", label, case.directory), case.data)
    for path in sorted(unpacked.rglob("SKILL.md")):
        label = path.parent.relative_to(unpacked).as_posix()
        shutil.copytree(path.parent, place("real", label, path.parent.name))
    for number, (name, data) in enumerate(spelled()):
        write(place("spelled", str(number), name), data)
    for reader, texts in FORCED.items():
        for text in texts:
            write(place("forced", reader, "x"), text.encode())
    for value in AMBIGUOUS:
        write(place("ambiguous", value, "x"), f"---\nname: x\ndescription: {value}\n---\nBody\n".encode())
    return found


@pytest.fixture(scope="module")
def answers(skills: list[Skill]) -> dict[str, list[Verdict]]:
    """Return what each reader says about each skill, in their order."""
    directories = [skill.directory for skill in skills]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = pool.map(lambda name: verdicts(name, directories), READERS)
        return dict(zip(READERS, said, strict=True))


def test_the_spelled_files_hold_every_way_of_writing() -> None:
    frontmatters = [data.decode().partition("\n---\n")[0] for _, data in spelled()]
    for way, pattern in WAYS.items():
        assert sum(bool(re.search(pattern, text, re.MULTILINE)) for text in frontmatters) > 2, way


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_does_with_the_cases_what_is_recorded_of_it(
    skills: list[Skill], answers: dict[str, list[Verdict]], reader: str
) -> None:
    column = COLUMNS.index(READERS[reader].column)
    recorded = {name: case.readers[column] for name, case in CASES.items()}
    assert recorded == {
        skill.label: verdict.sign
        for skill, verdict in zip(skills, answers[reader], strict=True)
        if skill.origin == "case"
    }


def test_what_strict_passes_every_reader_accepts_and_reads_alike(
    skills: list[Skill], answers: dict[str, list[Verdict]], capsys: pytest.CaptureFixture[str]
) -> None:
    passed = [skill.without_error("strict") for skill in skills]
    disagreements = {
        reader: [
            (skill.origin, skill.label, *verdict)
            for skill, fields, verdict in zip(skills, passed, said, strict=True)
            if fields and not agrees(fields, verdict)
        ]
        for reader, said in answers.items()
    }
    strict = Counter(skill.origin for skill, fields in zip(skills, passed, strict=True) if fields)
    with capsys.disabled():
        print(f"\n{strict.total()} of {len(skills)} skills have no error at strict: {dict(strict)}")
        print(
            f"{'reader':20} {'version':>8} {'inputs':>7} {'accepted':>9} {'refused':>8} {'disagreements':>14}"
        )
        for reader, said in answers.items():
            accepted = sum(verdict.sign == "+" for verdict in said)
            print(
                f"{reader:20} {READERS[reader].version:>8} {len(said):7} {accepted:9} {len(said) - accepted:8} "
                f"{len(disagreements[reader]):14}"
            )
    assert strict.keys() == {"case", "real", "spelled"}
    assert not any(disagreements.values()), disagreements


def test_what_every_reader_refuses_the_default_refuses(
    skills: list[Skill], answers: dict[str, list[Verdict]]
) -> None:
    refused = [
        skill
        for skill, *said in zip(skills, *answers.values(), strict=True)
        if all(verdict.sign != "+" for verdict in said)
    ]
    assert {"no frontmatter", "pydantic-settings-aws/pydantic_settings_aws/.agents/skills"} <= {
        skill.label for skill in refused
    }
    assert [skill.label for skill in refused if skill.without_error("default")] == []


def test_what_strict_refuses_for_the_sake_of_one_reader_that_reader_refuses(
    skills: list[Skill], answers: dict[str, list[Verdict]]
) -> None:
    for number, skill in enumerate(skills):
        if skill.origin == "forced":
            refusing = [reader for reader, said in answers.items() if said[number].sign != "+"]
            assert refusing == [skill.label]
            assert skill.without_error("strict") is None
            assert skill.without_error("default")


def test_a_description_that_strict_refuses_for_its_edges_is_read_in_two_ways(
    skills: list[Skill], answers: dict[str, list[Verdict]]
) -> None:
    for number, skill in enumerate(skills):
        if skill.origin == "ambiguous":
            read = {(said[number].sign, said[number].description) for said in answers.values()}
            assert {sign for sign, _ in read} == {"+"}, skill.label
            assert len(read) > 1, skill.label
            assert skill.without_error("strict") is None
            assert skill.without_error("default")


def agrees(fields: Frontmatter, verdict: Verdict) -> bool:
    """Return whether a reader accepted the skill and read the same name and description, to the character."""
    return (verdict.sign, verdict.name, verdict.description) == ("+", fields.name, fields.description)
