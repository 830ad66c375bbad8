"""The framework of an adapter, where it is not installed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def needed(requirement: str) -> Iterator[None]:
    """Say what to install when the imports inside fail: the error keeps its type, its name and its words.

    `requirement` is what pip installs. An older release of the framework, which lacks a name, is answered in the same way.
    """
    try:
        yield
    except ImportError as error:
        raise type(error)(
            f"{error}; this adapter needs: pip install '{requirement}'", name=error.name, path=error.path
        ) from error
