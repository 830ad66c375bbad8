"""Values of nodes: YAML 1.1's types as JSON, and scalars that readers take for different things."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from skillpack.frontmatter.node import Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillpack.frontmatter.node import Node
    from skillpack.model import Json

MAX_INT_DIGITS = 4_300
"""Python refuses to read or print a longer integer, and with it its hosts the whole frontmatter."""

_INT_BOUND = 10**MAX_INT_DIGITS

# YAML 1.2's core schema, where it differs from 1.1, and 1.1's one-letter booleans, which PyYAML leaves alone.
_OTHER_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+")
_OTHER_BOOLEANS = frozenset("yYnN")
_YAML = "tag:yaml.org,2002:"
_READINGS = {
    "bool": "a boolean",
    "float": "a number",
    "int": "a number",
    "null": "null",
    "timestamp": "a date",
    "value": "a default value",
}
_RESOLVER: Any = Resolver()
_CONSTRUCTOR = SafeConstructor()


def as_text(node: Node) -> Json:
    """Return a node as text, and lists and mappings of text: PyYAML's BaseLoader."""
    return _converted(node, lambda scalar: scalar.text)


def as_value(node: Node) -> Json:
    """Return a node as hosts read it: PyYAML's SafeLoader, with the text of what JSON cannot hold."""
    return _converted(node, lambda scalar: _value(scalar.text) if scalar.plain else scalar.text)


def _converted(node: Node, convert: Callable[[Scalar], Json]) -> Json:
    if isinstance(node, Scalar):
        return convert(node)
    if isinstance(node, Sequence):
        return [_converted(item, convert) for item in node.items]
    return {key.text: _converted(value, convert) for key, value in node.items}


def reading_of(scalar: Scalar) -> str:
    """Return what YAML 1.1 or 1.2 takes a plain scalar for, in words, or nothing when it is text to both."""
    if not scalar.plain:
        return ""
    if reading := _READINGS.get(_tag(scalar.text).removeprefix(_YAML)):
        return reading
    if scalar.text in _OTHER_BOOLEANS:
        return "a boolean"
    return "a number" if _OTHER_NUMBER.fullmatch(scalar.text) else ""


def unreadable(scalar: Scalar) -> str:
    """Return what number a scalar is that Python cannot read or print, in words, or nothing."""
    if scalar.plain:
        tag = _tag(scalar.text)
        if tag == _YAML + "int" and _integer(scalar.text) is None:
            return f"an integer that Python hosts cannot read: the limit is {MAX_INT_DIGITS} digits"
        if tag == _YAML + "float" and _float(scalar.text) is None:
            return "a number to base 60 that Python hosts cannot read: it is too large"
    return ""


def _tag(text: str) -> str:
    tag: str = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))
    return tag


def _value(text: str) -> Json:
    match _tag(text).removeprefix(_YAML):
        case "null":
            return None
        case "bool":
            return bool(_CONSTRUCTOR.construct_yaml_bool(yaml.ScalarNode(_YAML + "bool", text)))
        case "int":
            number = _integer(text)
            return text if number is None else number
        case "float":
            value = _float(text)
            return text if value is None or not math.isfinite(value) else value
        case _:
            return text


def _integer(text: str) -> int | None:
    """Return the integer that YAML 1.1 reads, or None for one that Python cannot read (`0x_`) or print."""
    if len(text) > MAX_INT_DIGITS:
        return None
    try:
        number = int(_CONSTRUCTOR.construct_yaml_int(yaml.ScalarNode(_YAML + "int", text)))
    except ValueError:
        return None
    return number if abs(number) < _INT_BOUND else None


def _float(text: str) -> float | None:
    """Return the float that YAML 1.1 reads, or None for one that Python cannot: one to base 60 that is too large."""
    try:
        return float(_CONSTRUCTOR.construct_yaml_float(yaml.ScalarNode(_YAML + "float", text)))
    except OverflowError:
        return None
