"""The list of mutants that no test can kill: what it says is of the code as it is."""

from __future__ import annotations

from typing import Any

import pytest

from mutation.command import EXPLAINED, explained, page, reason, section
from mutation.session import Mutant, Outcome
from mutation.subjects import SUBJECTS
from support.wheelhouse import CHECKOUT

PACKAGE = CHECKOUT / "packager" / "skillpack"
REASONS = ("equivalent", "performance", "platform", "bound")


def words(line: str) -> str:
    return "".join(line.split())


@pytest.mark.parametrize("entry", explained(), ids=lambda entry: entry["line"][0])
def test_an_explained_mutant_is_of_a_line_that_is_there(entry: dict[str, Any]) -> None:
    assert entry.keys() <= {"file", "line", "becomes", "operators", "reason"}
    assert entry["reason"].partition(":")[0] in REASONS
    lines = {words(line) for line in (PACKAGE / entry["file"]).read_text("utf-8").splitlines()}
    assert {words(line) for line in entry["line"]} <= lines
    assert not {words(line) for line in entry.get("becomes", [])} & lines


def test_what_is_mutated_and_what_tests_it_is_there() -> None:
    for subject in SUBJECTS.values():
        assert all((PACKAGE / path).exists() for path in subject.paths)
        assert all((CHECKOUT / path).is_file() for path in subject.tests)


def test_the_page_of_results_keeps_the_modules_that_were_not_run() -> None:
    entry = next(entry for entry in explained() if "becomes" in entry)
    known = Mutant(
        file=entry["file"], line=entry["line"][0], becomes=entry["becomes"][0], operator="NumberReplacer"
    )
    other = Mutant(file=entry["file"], line=entry["line"][0], becomes="pass", operator="NumberReplacer")
    assert reason(known) == entry["reason"]
    assert reason(other) == ""
    ran = Outcome(possible=9, run=4, survivors=(known, other), seconds=1.4)
    told = section("screen", "--sample 4 --seed 0", ran)
    assert "2 of 3 killed (66.7 %), and 1 that are explained: 4 of 9 mutants" in told
    assert (
        told.index("Survived:")
        < told.index("+ pass")
        < told.index("Explained:")
        < told.index(entry["reason"])
    )
    first = page("# Results\n", {"screen": told})
    second = page(first, {"digest": "## digest\n\nall\n"})
    assert second.endswith("## digest\n\nall\n\n" + told)
    assert page(second, {"screen": told}) == second
    assert EXPLAINED.name in first
