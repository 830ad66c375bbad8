"""Adapters where their frameworks are not installed, as they are not beside the tests."""

from __future__ import annotations

import tomllib
from importlib import import_module

import pytest

from skillpack.adapters import fastmcp, mcp
from skillpack.adapters._framework import needed
from support.bundles import DEMO, make_bundle
from support.wheelhouse import CHECKOUT

BUNDLE = make_bundle({"demo": DEMO})
EXTRAS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


@pytest.mark.parametrize("extra", sorted(EXTRAS.keys() - {"dev", "mcp", "anthropic"}))
def test_an_adapter_without_its_framework_says_what_to_install(extra: str) -> None:
    with pytest.raises(ModuleNotFoundError) as raised:
        import_module(f"skillpack.adapters.{extra.replace('-', '_')}")
    assert str(raised.value) == (
        f"No module named '{raised.value.name}'; this adapter needs: pip install 'skillpack[{extra}]'"
    )


@pytest.mark.parametrize(
    ("make", "requirement"),
    [(mcp.extension, "skillpack[mcp]"), (mcp.server, "skillpack[mcp]"), (fastmcp.provider, "fastmcp>=4.2")],
)
def test_an_adapter_that_imports_its_framework_when_it_is_used_says_so_then(
    make: type, requirement: str
) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"; this adapter needs: pip install '") as raised:
        make(BUNDLE)
    assert str(raised.value).endswith(f"'{requirement}'")


def test_a_release_that_lacks_a_name_is_answered_too() -> None:
    with pytest.raises(ImportError, match="cannot import name 'no_such_name'") as raised, needed("x>=2"):
        from json import no_such_name  # type: ignore[attr-defined]  # noqa: F401
    assert type(raised.value) is ImportError
    assert str(raised.value).endswith("; this adapter needs: pip install 'x>=2'")
