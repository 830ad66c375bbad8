"""Runs of one version of skillpack, hundreds in a minute, in which something may happen at a write point."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from faults.workplace import Done

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faults.workplace import Workplace


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Done):
    """How a run ended; `point` is the write point where something happened, empty if it came to none."""

    point: str


class Runner:
    """Gives runs of `skillpack bundle`; each is a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def bundle(self, project: Path, scratch: Path, action: str = "", limit: int = 0) -> Ended:
        """Run it in a project, with the action of `layer.Layer` at a write point."""
        acting: dict[str, str | int] = {"action": action, "limit": limit} if action else {}
        (ended,) = self._ask(project=str(project), scratch=str(scratch), **acting)
        return ended

    def bundles(self, project: Path, scratch: Path, times: int) -> list[Ended]:
        """Run it several times at once."""
        return self._ask(project=str(project), scratch=str(scratch), times=times)

    def _ask(self, **request: str | int) -> list[Ended]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(request)}\n")
        self._process.stdin.flush()
        return [Ended(**answer) for answer in json.loads(self._process.stdout.readline())]


@contextmanager
def runner(workplace: Workplace, version: str) -> Iterator[Runner]:
    """Give the runner of a version, which ends with the block."""
    environment = workplace.environment(version, workplace.directory)
    server = Path(__file__).with_name("server.py")
    with subprocess.Popen(
        [sys.executable, server],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        yield Runner(process)
