"""For the unit tests; those of the runtime run on objects in memory, and on bundles that were stored in each emitted form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import authored, bundles
from support.forms import FORMS, run_through

if TYPE_CHECKING:
    from pathlib import Path

STORED = (
    "test_runtime_bundle",
    "test_runtime_disclosure",
    "test_runtime_model",
    "test_runtime_session",
    "test_runtime_tools",
)
"""What these test holds for a bundle of any form."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.module.__name__.rpartition(".")[2] in STORED:
        metafunc.parametrize("form", FORMS, indirect=True, scope="function")


@pytest.fixture(autouse=True)
def form(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    name: str = getattr(request, "param", "memory")
    if name != "memory":
        directory: Path = tmp_path_factory.mktemp("stored")
        run_through(name, directory, monkeypatch, request.module, authored, bundles)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory of installed distributions, the first on the path."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    return site
