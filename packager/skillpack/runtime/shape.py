"""JSON that comes back from outside: read, and held against the shape that was written."""

from __future__ import annotations

from skillpack.runtime.digest import canonical_json
from skillpack.runtime.listing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


def read_json(text: str, shape: Any, what: str) -> Any:
    """Return the value of a JSON text that has a shape, as `fits` explains it.

    Anything else is a `ValueError` that begins with `what`, text that UTF-8 cannot hold included.
    """
    import json

    try:
        value = json.loads(text)
        canonical_json(value).encode("utf-8")
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{what} cannot be read as JSON ({type(error).__name__})") from None
    if not fits(value, shape):
        raise ValueError(f"{what} does not have the shape that to_json gives")
    return value


def fits(value: object, shape: Any) -> bool:
    """Return whether a JSON value has a shape.

    A shape is a type or None, `(a, b)` for either, `[of]` for a list, `{str: of}` for a mapping with any keys, or a
    mapping with just these keys.
    """
    if isinstance(shape, tuple):
        return any(fits(value, one) for one in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(item, shape[0]) for item in value)
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return False
        if str in shape:
            return all(fits(item, shape[str]) for item in value.values())
        return value.keys() == shape.keys() and all(fits(value[key], shape[key]) for key in shape)
    return value is None if shape is None else type(value) is shape
