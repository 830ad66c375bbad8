"""`examples/setuptools-project`: the module comes from the command line and is committed."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import projects

if TYPE_CHECKING:
    from support.front_ends import FrontEnd, Workshop

EXAMPLE = projects.EXAMPLES / "setuptools-project"


@pytest.fixture
def helpdesk(tmp_path: Path) -> Path:
    """Return a copy of the example, which setuptools litters."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "helpdesk"))


def ci_commands() -> list[str]:
    """Return the skillpack commands that the example's CI runs."""
    text = (EXAMPLE / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    return re.findall(r"- run: skillpack (.+)", text)


def test_its_ci_line_passes_on_the_committed_module(workshop: Workshop, helpdesk: Path) -> None:
    (command,) = ci_commands()
    run = workshop.skillpack(*command.split(), cwd=helpdesk)
    assert run.code == 0, f"run `skillpack bundle` in {EXAMPLE} and commit the result\n{run.output}"


def test_its_ci_line_fails_when_a_skill_was_edited(workshop: Workshop, helpdesk: Path) -> None:
    skill = helpdesk / "skills" / "refunds" / "SKILL.md"
    skill.write_text(skill.read_text(encoding="utf-8") + "\nBe kind.\n", encoding="utf-8")
    before = (helpdesk / "src" / "helpdesk" / "skills.py").read_bytes()
    (command,) = ci_commands()
    assert workshop.skillpack(*command.split(), cwd=helpdesk).code == 1
    assert (helpdesk / "src" / "helpdesk" / "skills.py").read_bytes() == before
    assert workshop.skillpack("bundle", cwd=helpdesk).code == 0
    assert workshop.skillpack(*command.split(), cwd=helpdesk).code == 0


def test_setuptools_ships_the_module_as_it_is(front_end: FrontEnd, helpdesk: Path, tmp_path: Path) -> None:
    wheel = front_end.wheel(helpdesk, tmp_path / "dist").artifact()
    with zipfile.ZipFile(wheel) as archive:
        shipped = archive.read("helpdesk/skills.py")
    assert shipped == (EXAMPLE / "src" / "helpdesk" / "skills.py").read_bytes()
    assert front_end.workshop.skillpack("verify", wheel, "--against", helpdesk / "skills").code == 0
