"""Compiled by Nuitka, skills answer the same. It takes minutes of a C compiler, so its name keeps it out of a plain
run: `pytest tests/e2e/nightly_nuitka.py`, which .github/workflows/nightly.yml does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import anywhere, readme
from support.traveller import FORMS, traveller

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("form", FORMS)
def test_a_compiled_program_answers_the_same(tmp_path: Path, form: str) -> None:
    built = traveller(tmp_path, form)
    for name in ("bare", "compiled"):
        (tmp_path / name).mkdir()
    assert anywhere.nuitka(built, tmp_path / "compiled") == anywhere.bare(built, tmp_path / "bare")


def test_the_readme_names_the_version() -> None:
    assert f"Nuitka {anywhere.NUITKA} " in readme.PATH.read_text(encoding="utf-8")
