"""A run that is stopped, or that the system gives too little, leaves the old output or the new one, whole.

Each replaces an output with other skills and another runtime. A part of `python -m tests.faults`, whose last result is
in tests/faults/RESULTS.md.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from faults import command, ground, points, processes, systems
from faults.ground import Tally
from faults.sealed import sealed
from faults.workplace import Workplace

if TYPE_CHECKING:
    from collections.abc import Iterable

SAME = ground.SAME_FORMS
FOLDER = SAME[1:2]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    return Workplace.made(tmp_path_factory.mktemp("faults"))


def test_the_versions_differ_in_skills_and_runtime_and_agree_in_all_forms(workplace: Workplace) -> None:
    assert [answer.split()[1] for answer in workplace.answers.values()] == ["old", "new"]


def test_killed_at_a_write_point(workplace: Workplace) -> None:
    tally = points.killed_at_write_points(workplace, points.every(11), SAME)
    assert {"old", "new"} == tally.found.keys()


def test_killed_at_a_write_point_of_a_change_of_forms(workplace: Workplace) -> None:
    changes = [("module", "package"), ("package", "module"), ("data", "package")]
    tally = points.killed_at_write_points(workplace, points.every(20), changes)
    assert tally.found.keys() <= {"old", "new"}
    assert tally.runs >= 6


@pytest.mark.parametrize("action", ["interrupt", "terminate"])
def test_stopped_at_a_write_point(workplace: Workplace, action: str) -> None:
    assert points.stopped_at_write_points(workplace, points.every(22), action, SAME).runs >= 6


def test_a_disk_that_is_full_from_a_write_point_on(workplace: Workplace) -> None:
    assert points.full_at_write_points(workplace, points.every(16), SAME).runs >= 6


@pytest.mark.parametrize("place", ["src/agent", "src/agent/skills"])
def test_an_output_that_vanishes_at_a_write_point(workplace: Workplace, place: str) -> None:
    assert points.vanished_at_write_points(workplace, points.every(16), place, FOLDER).runs >= 4


@pytest.mark.parametrize("form", ["module", "package", "data"])
def test_killed_at_any_time(workplace: Workplace, form: str) -> None:
    assert processes.killed_at_any_time(workplace, form, 3).runs == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_at_any_time(workplace: Workplace, number: signal.Signals) -> None:
    assert processes.stopped_at_any_time(workplace, "package", number, 3).runs == 3


def test_a_wheel_that_is_killed_leaves_nothing_for_long(workplace: Workplace) -> None:
    assert systems.killed_wheels(workplace, 1).found == {"left and swept": 1}


def test_without_memory(workplace: Workplace) -> None:
    assert processes.without_memory(workplace, "package", [28, 36, 52]).runs == 3


def test_a_full_disk(workplace: Workplace) -> None:
    assert sealed("full_disk", workplace, [0, 30, 60], FOLDER).found["old"] >= 1


def test_a_full_temporary_directory_and_a_full_cache(workplace: Workplace) -> None:
    assert sealed("full_scratch", workplace, FOLDER).found == {"new": 1, "old": 1}


def test_a_read_only_output(workplace: Workplace) -> None:
    assert sealed("read_only", workplace, FOLDER).found == {"old": 2}


def test_64_builds_at_once(workplace: Workplace) -> None:
    assert points.at_once(workplace, 64, FOLDER).found == {"new": 64}


def test_builds_of_two_versions_at_once(workplace: Workplace) -> None:
    assert processes.two_versions_at_once(workplace, 6, FOLDER).runs == 6


def test_without_a_network(workplace: Workplace) -> None:
    assert systems.without_network(workplace, FOLDER).found == {"new": 1, "the same wheel": 1}


def test_a_clock_in_1970_and_in_2100(workplace: Workplace) -> None:
    assert systems.other_clock(workplace, FOLDER).found == {"new": 2, "the same wheel": 2}


# ------------------------------------------------------------------ the layer and the command


def test_the_layer_counts_every_call_that_the_system_sees(workplace: Workplace) -> None:
    for form, _ in SAME:
        counted, seen = points.counted(workplace, form), systems.traced(workplace, form)
        assert counted == seen


def test_results_are_a_table_and_a_fault_that_does_not_hold_is_told(
    workplace: Workplace,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: object,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def faults(*_: int) -> Iterable[command.Fault]:
        yield lambda _: tally
        yield broken

    def broken(_: Workplace) -> Tally:
        raise AssertionError("a mixture")

    tally = Tally("fine")
    tally.add("old")
    monkeypatch.setattr(command, "all_faults", faults)
    monkeypatch.setattr(Workplace, "made", lambda _: workplace)
    with pytest.raises(SystemExit, match="True"):
        command.main([])
    told = capsys.readouterr().err
    assert "| fine | 1 | old 1 | 0 |" in told
    assert "a mixture" in told
    assert "| fine | 1 | old 1 | 0 |\n" in command.page([command.row(tally)], 0)
