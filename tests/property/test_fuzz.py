"""Fuzzing for a short time, and every input that once failed. `python -m tests.fuzz` goes on for longer."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest

from fuzz.mutation import CORPUS, found_once, run
from fuzz.targets import TARGETS

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = 5
FOUND = [pytest.param(name, file, id=f"{name}-{file.name}") for name in TARGETS for file in found_once(name)]


@pytest.mark.parametrize(("name", "file"), FOUND)
def test_an_input_that_once_failed_fails_no_more(name: str, file: Path) -> None:
    TARGETS[name](file.read_bytes())


def test_the_corpus_has_a_directory_for_no_other_target() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} <= TARGETS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_random_changes_of_good_inputs_break_no_promise(name: str) -> None:
    seed = secrets.randbits(32)
    tried, fault = run(TARGETS[name], name, seconds=SECONDS, seed=seed)
    assert tried > 1
    if fault is not None:
        fault.error.add_note(
            f"python -m tests.fuzz {name} --seed {seed} keeps the input: {fault.data[:200]!r}"
        )
        raise fault.error
