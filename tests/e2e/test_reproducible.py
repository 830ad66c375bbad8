"""The same skills give the same bytes in any surroundings: wheels, sdists and modules, in every form.

A part of `python -m tests.reproducibility`, whose last result is in tests/reproducibility/RESULTS.md.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reproducibility import command
from reproducibility.matrix import ANOTHER_EPOCH, DIMENSIONS, Built, Workshop, differences, rows
from support.anywhere import PYODIDES

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = rows(DIMENSIONS, 0)
NEWEST_PYODIDE = list(PYODIDES)[-1]
OF = {
    f"{form} {what}"
    for form in ("module", "package", "data")
    for what in ("wheel", "wheel contents", "sdist", "sdist contents", "tree")
}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with tempfile.TemporaryDirectory(dir=command.MEMORY) as memory:
        yield Workshop(tmp_path_factory.mktemp("reproducibility"), Path(memory))


@pytest.fixture(scope="module")
def builds(workshop: Workshop) -> list[Built]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        in_pyodide = pool.submit(workshop.built_in_pyodide, NEWEST_PYODIDE)
        return [*pool.map(workshop.built, ROWS), in_pyodide.result()]


def test_each_pair_of_values_is_met() -> None:
    for one, other in itertools.combinations(DIMENSIONS, 2):
        met = {(row[one], row[other]) for row in ROWS}
        assert met == set(itertools.product(DIMENSIONS[one], DIMENSIONS[other]))
    assert list(ROWS[0].values()) == [values[0] for values in DIMENSIONS.values()]


def test_surroundings_change_no_byte(builds: list[Built]) -> None:
    assert [build.row for build in builds[:-1]] == ROWS
    assert {frozenset(build.digests) for build in builds} == {frozenset(OF)}
    assert differences(builds) == []


def test_a_time_for_all_files_changes_their_times_and_nothing_else(builds: list[Built]) -> None:
    for of in OF:
        found = {build.digests[of] for build in builds if build.row.get("SOURCE_DATE_EPOCH") == ANOTHER_EPOCH}
        assert (found == {builds[0].digests[of]}) == (not of.endswith((" wheel", " sdist")))


def test_another_python_is_one_of_the_builds(builds: list[Built]) -> None:
    assert builds[-1].python.startswith(f"CPython {PYODIDES[NEWEST_PYODIDE]}.")


def test_a_difference_is_found_and_named(
    builds: list[Built],
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = builds[-1]
    for of in OF:
        other = dataclasses.replace(other, digests={**builds[-1].digests, of: "0"})
        assert differences([*builds[:-1], other]) == [f"{of} in {other.row}"]
    monkeypatch.setattr(command, "builds", lambda *_: [*builds[:-1], other])
    with pytest.raises(SystemExit, match="True"):
        command.main([])
    assert f" in {other.row}" in capsys.readouterr().err
    assert f"{len(builds)} builds of one project" in command.page(builds, "ext4", 1)
