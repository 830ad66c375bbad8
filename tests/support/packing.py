"""Whole runs in this process: the pipeline as the edges call it, and the command line."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from skillpack import cli, config, pipeline
from skillpack.errors import RefusedError
from skillpack.rules import Level

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType

    from click.testing import Result

    from skillpack.config import Config
    from skillpack.findings import Finding
    from skillpack.runtime import SkillBundle

OUTPUT = "skills.py"
"""The module, as findings of a run show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one run gave: its findings and, unless it was refused, the bundle and the emitted module.

    The bundle outlives the run while its contents fit in memory, as those of tests do.
    """

    findings: tuple[Finding, ...]
    bundle: SkillBundle | None = None
    module: bytes = b""

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.level is Level.ERROR]

    @property
    def lines(self) -> list[str]:
        """Each finding as `place: level: code`."""
        return [f"{finding.place()}: {finding.level.label}: {finding.code}" for finding in self.findings]

    def one(self, code: str) -> Finding:
        """The only finding with this code."""
        (finding,) = [finding for finding in self.findings if finding.code == code]
        return finding

    @property
    def packed(self) -> SkillBundle:
        """The bundle of a run that has to be good."""
        assert self.bundle is not None, self.lines
        return self.bundle


def settings(project: Path, options: dict[str, Any]) -> Config:
    """Return the configuration of a project whose `[tool.skillpack]` holds `options`."""
    return config.from_table({"tool": {"skillpack": {"skills": ["skills"], **options}}}, project)


def pack(project: Path, **options: Any) -> Outcome:
    """Pack and emit a project; options are keys of `[tool.skillpack]`, `_` standing for `-`."""
    table = {key.replace("_", "-"): value for key, value in options.items()}
    try:
        with pipeline.pack(settings(project, table)) as packed:
            ((_, module),) = pipeline.emit(packed, OUTPUT)
            return Outcome(findings=packed.findings, bundle=packed.bundle, module=module)
    except RefusedError as refused:
        return Outcome(findings=refused.findings)


def skillpack(project: Path, *arguments: str) -> Result:
    """Run the command line in the directory of a project."""
    with contextlib.chdir(project):
        return CliRunner().invoke(cli.cli, arguments, prog_name="skillpack")


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail when the block takes longer, also when it would never end."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        pytest.fail(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
