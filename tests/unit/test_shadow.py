"""What Python imports in the place of an emitted module."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from skillpack.shadow import shadows

if TYPE_CHECKING:
    from pathlib import Path

HARMLESS = [
    "agent/skills.py",
    "agent/skills.pyi",
    "agent/skills/pdf/SKILL.md",
    "agent/skills_test.py",
    "agent/myskills/__init__.py",
    "skills/__init__.py",
    "agent/__pycache__/other.cpython-311.pyc",
    "agent-1.0.data/scripts/skills.py",
]


@pytest.mark.parametrize(
    "name",
    [
        "agent/skills/__init__.py",
        "agent/skills/__init__.pyc",
        "agent/skills.cpython-311-x86_64-linux-gnu.so",
        "agent/skills.so",
        "agent/skills.cp311-win_amd64.pyd",
        "agent/__pycache__/skills.cpython-311.pyc",
        "agent-1.0.data/purelib/agent/skills.py",
        "agent-1.0.data/platlib/agent/skills/__init__.py",
    ],
)
def test_what_hides_the_module_is_found(name: str) -> None:
    assert shadows(["agent/skills.py"], [*HARMLESS, name]) == [("agent/skills.py", name)]


def test_what_does_not_is_not() -> None:
    assert shadows(["agent/skills.py"], HARMLESS) == []


def test_a_module_at_the_top_is_looked_at_in_the_same_way() -> None:
    names = ["skills.py", "skills/__init__.py", "agent/skills/__init__.py"]
    assert shadows(["skills.py"], names) == [("skills.py", "skills/__init__.py")]


def test_several_modules_are_looked_at_together() -> None:
    names = ["a/x.so", "a/y/__init__.py", "w.data/purelib/a/x.py", "b/x.so", "a/__init__.abi3.so", "a/x.py"]
    assert shadows(["a/y.py", "a/x.py", "a/__init__.py"], names) == [
        ("a/__init__.py", "a/__init__.abi3.so"),
        ("a/x.py", "a/x.so"),
        ("a/x.py", "w.data/purelib/a/x.py"),
        ("a/y.py", "a/y/__init__.py"),
    ]


def test_many_modules_take_no_more_than_their_number() -> None:
    modules = [f"agent/_m{number:016x}.py" for number in range(20_000)]
    begin = time.process_time()
    assert shadows(modules, [*modules, "agent/_m0000000000000000.so"]) == [
        (modules[0], "agent/_m0000000000000000.so")
    ]
    assert time.process_time() - begin < 2


def test_python_does_take_the_package(tmp_path: Path) -> None:
    (tmp_path / "skills.py").write_text("print('module')\n", encoding="utf-8")
    (tmp_path / "skills").mkdir()
    run = [sys.executable, "-c", "import skills"]
    assert subprocess.check_output(run, cwd=tmp_path, text=True) == "module\n"
    (tmp_path / "skills" / "__init__.py").write_text("print('package')\n", encoding="utf-8")
    assert subprocess.check_output(run, cwd=tmp_path, text=True) == "package\n"
