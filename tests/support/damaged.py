"""A bundle in memory that is no longer as it was packed; nothing but a bundle's own class is imported."""

from __future__ import annotations

from typing import Any


def damaged(bundle: Any, listing: str) -> Any:
    """Return a bundle whose contents are all changed; of the skill `listing` the list of files is not its own."""
    twin = type(bundle).from_json(bundle.to_json())
    for skill in twin.values():
        for file in skill.files.values():
            alter(file, _load=lambda: b"changed", _sound=False)
    alter(twin[listing], digest=f"sha256:{'0' * 64}", _sound=False)
    return twin


def alter(frozen: object, **values: object) -> None:
    """Set attributes of an object that refuses it."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)
