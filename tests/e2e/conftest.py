"""The workshop of the end-to-end tests, and the table of traps by front end that closes their run."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import wheelhouse
from support.front_ends import FRONT_ENDS, FrontEnd, Workshop, open_workshop

if TYPE_CHECKING:
    from collections.abc import Generator

HERE = Path(__file__).parent

TRAPS = {
    1: "refusals on sdist as well as wheel",
    2: "editable install importable from another directory",
    3: "tree wheel equals sdist wheel",
    4: "umasks, times, hash seeds, locales",
    5: "read-only tree",
    6: "six builds at once",
    7: "stale module replaced, excluded files in nothing",
    8: "no traceback in any output",
    9: "all configuration errors at once",
    10: "registration imports nothing heavy",
    11: "nothing left in the temporary directory",
    12: "HATCH_BUILD_NO_HOOKS wheel caught by verify",
    13: "data-only project",
    14: "clean leaves foreign files",
    15: "unchanged input keeps the file's time",
    16: "hand-written file not overwritten",
    17: "custom targets",
    18: "import with -S -I",
    19: "force_include names no file of the tree",
    20: "module that cannot be imported or does not ship",
}
"""The traps of the design page "Packaging", by their numbers there."""

DIRECT = "hatchling"
"""The column of tests that go through no front end."""


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheels of skillpack, of its dependencies and of the back ends."""
    directory = tmp_path_factory.mktemp("wheelhouse")
    wheelhouse.fill(directory)
    return directory


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the contents of each wheel of `WHEELS_WITH_SKILLS` in a folder of its own."""
    directory = tmp_path_factory.mktemp("real")
    wheelhouse.unpack_skills(directory)
    return directory


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> Workshop:
    """Return the environment in which everything is built."""
    return open_workshop(tmp_path_factory.mktemp("workshop"), wheels)


@pytest.fixture(params=FRONT_ENDS)
def front_end(request: pytest.FixtureRequest, workshop: Workshop) -> FrontEnd:
    """Return each front end in turn, without build isolation."""
    return FrontEnd(name=request.param, workshop=workshop)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "trap(number, through=front ends): a test of a trap of the design page Packaging"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here builds and installs, so everything here is slow."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    parameters = (
        item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    )
    for marker in item.iter_markers("trap"):
        for column in marker.kwargs.get("through", [parameters.get("front_end", DIRECT)]):
            report.user_properties.append(("trap", (marker.args[0], column)))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was recorded of each trap in each front end."""
    outcomes: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, ()):
            for name, value in getattr(report, "user_properties", ()):
                if name == "trap":
                    outcomes[value].add(outcome)
    if not outcomes:
        return
    columns = (*FRONT_ENDS, DIRECT)
    width = max(map(len, TRAPS.values()))
    terminalreporter.section("traps by front end")
    terminalreporter.write_line(
        f"{'trap':>4} {'':{width}} {' '.join(f'{name:9}' for name in columns)}".rstrip()
    )
    for number, title in TRAPS.items():
        cells = (_cell(outcomes.get((number, column), set())) for column in columns)
        terminalreporter.write_line(
            f"{number:4} {title:{width}} {' '.join(f'{cell:9}' for cell in cells)}".rstrip()
        )


def _cell(outcomes: set[str]) -> str:
    if outcomes & {"failed", "error"}:
        return "FAILED"
    if "passed" in outcomes:
        return "good"
    return "skipped" if outcomes else "-"
