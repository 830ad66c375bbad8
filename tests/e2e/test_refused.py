"""`examples/refused`: every front end shows the whole report, once, and nothing is built."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import projects

if TYPE_CHECKING:
    from support.front_ends import FrontEnd, Run, Workshop

REFUSED = projects.EXAMPLES / "refused"
REPORT = (REFUSED / "expected-report.txt").read_text(encoding="utf-8")


@pytest.fixture
def refused(tmp_path: Path) -> Path:
    """Return a copy of the example, its link still a link."""
    return Path(shutil.copytree(REFUSED, tmp_path / "refused", symlinks=True))


def assert_refused(run: Run) -> None:
    assert run.code != 0
    assert not run.artifacts
    assert "Traceback" not in run.output
    printed = [line.strip(" │╰─>") for line in run.output.splitlines()]
    for line in REPORT.splitlines():
        assert printed.count(line.strip()) == REPORT.splitlines().count(line), run.output


@pytest.mark.trap(8)
@pytest.mark.trap(1)
def test_a_wheel_is_refused_with_the_whole_report(front_end: FrontEnd, refused: Path, tmp_path: Path) -> None:
    before = projects.tree(refused)
    assert_refused(front_end.wheel(refused, tmp_path / "dist"))
    assert projects.tree(refused) == before


@pytest.mark.trap(8)
@pytest.mark.trap(1)
@pytest.mark.parametrize("front_end", ["build", "uv"], indirect=True)
def test_an_sdist_is_refused_with_the_whole_report(
    front_end: FrontEnd, refused: Path, tmp_path: Path
) -> None:
    before = projects.tree(refused)
    assert_refused(front_end.sdist(refused, tmp_path / "dist"))
    assert projects.tree(refused) == before


@pytest.mark.trap(8)
@pytest.mark.trap(1)
@pytest.mark.parametrize("front_end", ["pip", "uv"], indirect=True)
def test_an_editable_install_is_refused_with_the_whole_report(front_end: FrontEnd, refused: Path) -> None:
    before = projects.tree(refused)
    assert_refused(front_end.editable(refused))
    assert projects.tree(refused) == before


@pytest.mark.trap(1)
@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_the_hook_exits_with_1(workshop: Workshop, target: str, refused: Path, tmp_path: Path) -> None:
    run = workshop.hatchling(refused, "-t", target, "-d", tmp_path / "dist")
    assert run.code == 1
    assert run.output == REPORT


def test_the_command_line_reports_the_same(workshop: Workshop, refused: Path) -> None:
    run = workshop.skillpack("check", cwd=refused)
    assert run.code == 1
    assert run.output == REPORT
