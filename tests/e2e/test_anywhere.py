"""Emitted skills answer the same wherever they run, and look at no file once they are loaded.

`SKILLPACK_WRITE_README=1 pytest tests/e2e/test_anywhere.py` writes the README's table anew.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support import anywhere, conformance, readme
from support.anywhere import BARE, BROWSER, ENVIRONMENTS, Environment
from support.environments import program
from support.traveller import FORMS, NAME, Traveller, traveller

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    Runs = Callable[[Environment, str], "Run"]

EVERYWHERE = [
    pytest.param(environment, form, id=f"{environment.name}-{environment.version}-{form}")
    for form in FORMS
    for environment in ENVIRONMENTS
]


class Run(NamedTuple):
    """What the traveller answered in an environment, by the first word of each line, and where it was run."""

    answers: dict[str, str]
    directory: Path


@pytest.fixture(scope="session")
def travellers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Traveller]:
    """Return the traveller in each form, built once."""
    return {form: traveller(tmp_path_factory.mktemp("traveller"), form) for form in FORMS}


@pytest.fixture(scope="session")
def run(
    request: pytest.FixtureRequest,
    travellers: dict[str, Traveller],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Runs]:
    """Return what gives the run in an environment; those of all collected tests begin at once, one on each core."""

    def visit(environment: Environment, form: str, directory: Path) -> Run:
        report = environment.run(travellers[form], directory)
        return Run(dict(line.split(" ") for line in report.splitlines()), directory)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        begun: dict[tuple[Environment, str], Future[Run]] = {}

        def begin(environment: Environment, form: str) -> Future[Run]:
            if (environment, form) not in begun:
                directory = tmp_path_factory.mktemp("environment")
                begun[environment, form] = pool.submit(visit, environment, form, directory)
            return begun[environment, form]

        for item in request.session.items:
            match getattr(getattr(item, "callspec", None), "params", None):
                case {"environment": Environment() as environment, "form": str(form)}:
                    begin(environment, form)
        yield lambda environment, form: begin(environment, form).result()
        pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="session")
def expected(run: Runs) -> dict[str, str]:
    """Return what the others are compared with."""
    return run(BARE, FORMS[0]).answers


def test_every_section_is_asked(expected: dict[str, str]) -> None:
    assert [*expected] == ["python", *(section.__name__ for section in conformance.SECTIONS), "all"]


@pytest.mark.parametrize(("environment", "form"), EVERYWHERE)
def test_the_answers_are_the_same(
    run: Runs, expected: dict[str, str], environment: Environment, form: str
) -> None:
    assert run(environment, form).answers == {**expected, "python": environment.python}


def test_the_table_of_the_readme_is_of_this_run(run: Runs, expected: dict[str, str]) -> None:
    same = {
        environment: tuple(form for form in FORMS if run(environment, form).answers["all"] == expected["all"])
        for environment in ENVIRONMENTS
    }
    text = readme.PATH.read_text(encoding="utf-8")
    written = readme.with_table(text, "environments", anywhere.table(same))
    if os.environ.get("SKILLPACK_WRITE_README"):
        assert anywhere.HOST_PYTHON == anywhere.OLDEST_PYTHON
        readme.PATH.write_text(written, encoding="utf-8")
    else:
        assert text == written


# ------------------------------------------------------------------ in a browser


@pytest.mark.parametrize("form", FORMS)
def test_a_page_lists_the_skills_loads_one_and_shows_its_files(run: Runs, form: str) -> None:
    directory = run(BROWSER, form).directory
    visit = json.loads((directory / anywhere.VISIT).read_text(encoding="utf-8"))
    listed, loaded, text, other, _ = visit["steps"]
    assert f"3 skills, Python {BROWSER.python}." in listed
    for name in ("commit-message", "csv-profile", "status-page"):
        assert f"- **{name}**: " in listed
    assert '<skill_content name="commit-message">\n# Commit messages\n' in loaded
    assert "# Types\n\n| type | when |\n" in text
    assert '<skill_content name="status-page">' in other
    assert visit["picture"] == ["assets/degraded.png, 194 bytes", 24, 24]
    assert visit["shown"] == loaded
    assert visit["problems"] == []
    command = (program("tesseract"), directory / anywhere.SCREENSHOT, "-")
    seen = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    for shown in (
        "Skills in a browser",
        "3 skills, Python 3.",
        "status-page",
        "Commit messages",
        "Read the whole diff",
    ):
        assert shown in " ".join(seen.split())


# ------------------------------------------------------------------ no file system

SESSION = f"""
import os, sys
sys.path.insert(0, sys.argv[1])
from {NAME} import conformance, skills
def mark(path):
    try:
        os.stat(path)
    except FileNotFoundError:
        pass
skills.bundle.preload()
mark("/preloaded")
report = conformance.report(skills)
mark("/done")
print(report)
"""


@pytest.mark.parametrize("form", FORMS)
def test_after_preload_no_system_call_names_a_path(
    travellers: dict[str, Traveller], expected: dict[str, str], tmp_path: Path, form: str
) -> None:
    site, trace = travellers[form].site, tmp_path / "trace"
    calls = "trace=file,read,pread64,readv,getdents64"  # nor is an open file read on
    strace = (program("strace"), "-f", "-e", calls, "-s", "4096", "-o", trace)
    report = anywhere.output(*strace, sys.executable, "-I", "-c", SESSION, site, scratch=tmp_path)
    assert report.endswith(f"all {expected['all']}\n")
    before, preloaded, after = trace.read_text(encoding="utf-8").partition('"/preloaded"')
    assert f'"{site}/{NAME}/skills' in before
    following = after.splitlines()[1:]
    assert preloaded
    assert '"/done"' in following[0], following
