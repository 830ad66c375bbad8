"""The line that shows how far a run is: on a terminal, after half a second, and gone at the end."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import sys
from typing import TYPE_CHECKING

import pytest

from skillpack.capture import no_progress
from skillpack.cli import progress
from skillpack.cli.progress import Progress
from support import projects
from support.packing import skillpack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO


class Clock:
    """Stands in for the time, which goes on as it is told."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress, "time", made)
    return made


@contextlib.contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Let standard error be a terminal; at the end the list has what it was sent."""
    reader, writer = pty.openpty()
    printed: list[str] = []
    with os.fdopen(writer, "w", encoding="utf-8", newline="") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        yield printed
    with contextlib.suppress(OSError):  # the end of a terminal is an error to its reader
        while part := os.read(reader, 65536):
            printed.append(part.decode())
    os.close(reader)


def shown(text: str) -> str:
    """Return what a person sees in the end: each `\\r` goes back to the start of the line."""
    line: list[str] = []
    for part in text.split("\r"):
        line[: len(part)] = part
    return "".join(line).rstrip()


def drawn(monkeypatch: pytest.MonkeyPatch, clock: Clock, *steps: tuple[float, str, int, int]) -> str:
    with terminal(monkeypatch) as printed:
        line = Progress(quiet=False)
        for after, what, done, total in steps:
            clock.now += after
            line(what, done, total)
    return "".join(printed)


def test_a_run_that_is_soon_done_shows_nothing(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    assert drawn(monkeypatch, clock, (0.2, "checking", 0, 2), (0.29, "checking", 1, 2)) == ""


def test_a_longer_run_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    text = drawn(monkeypatch, clock, (0.5, "checking", 1_000, 3_000))
    assert shown(text) == "checking [##########--------------------] 1,000 of 3,000"


def test_where_nobody_knows_how_much_there_is_it_counts(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    assert shown(drawn(monkeypatch, clock, (0.5, "reading files", 1_234, 0))) == "reading files 1,234"


def test_a_shorter_line_leaves_nothing_of_a_longer_one(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    assert shown(drawn(monkeypatch, clock, (0.5, "reading files", 99, 0), (0.1, "more", 1, 0))) == "more 1"


def test_it_is_not_drawn_more_often_than_a_person_can_see(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    text = drawn(monkeypatch, clock, (0.5, "a", 1, 0), (0.05, "a", 2, 0), (0.06, "a", 3, 0))
    assert "a 2" not in text
    assert shown(text) == "a 3"


def test_at_the_end_the_line_is_gone(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    with terminal(monkeypatch) as printed, Progress(quiet=False) as line:
        clock.now += 1
        line("checking", 1, 2)
    assert printed
    assert shown("".join(printed)) == ""


def test_quiet_or_no_terminal_shows_nothing(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    with terminal(monkeypatch) as printed, Progress(quiet=True) as line:
        clock.now += 1
        line("checking", 1, 2)
    assert printed == []
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        with Progress(quiet=False) as line:
            clock.now += 1
            line("checking", 1, 2)
        assert stream is None or stream.getvalue() == ""


def test_the_stages_tell_it_only_where_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch):
        line = Progress(quiet=False)
        assert line.reported is line
        assert Progress(quiet=True).reported is no_progress


def test_a_terminal_that_has_gone_stops_no_run(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    class Gone(io.StringIO):
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            raise BrokenPipeError(text)

    gone: TextIO = Gone()
    monkeypatch.setattr(sys, "stderr", gone)
    with Progress(quiet=False) as line:
        clock.now += 1
        line("checking", 1, 2)


@pytest.mark.parametrize("command", [("bundle", "-o", "skills.py"), ("check",)])
def test_the_commands_that_read_skills_show_it(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []
    monkeypatch.setattr(Progress, "reported", property(lambda progress: progress))
    monkeypatch.setattr(Progress, "__call__", lambda _, what, done, total: steps.append((what, done, total)))
    projects.write(tmp_path, projects.below("skills", projects.skill("dance")))
    assert skillpack(tmp_path, *command).exit_code == 0
    assert steps == [
        ("reading files", 0, 0),
        ("reading files", 1, 0),
        ("reading instructions", 0, 1),
        ("checking", 0, 1),
        ("making files", 0, 0),
    ]
