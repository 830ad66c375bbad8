"""For all tests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session", autouse=True)
def no_cache() -> Iterator[None]:
    """No test reads or writes the cache of whoever runs the tests; those about the cache have one of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLPACK_CACHE_DIR", os.devnull)
        yield
