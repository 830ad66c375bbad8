"""One flag writes every expected output anew: `pytest tests/golden --regenerate`; look at the diff afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate", action="store_true", help="write the expected outputs of tests/golden anew"
    )
