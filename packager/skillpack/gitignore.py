"""Gitignore patterns for what findings show: the ways out that hints name, for `exclude` to take as they are."""

from __future__ import annotations

import re

from skillpack.secrets.redaction import starred


def pattern_of(place: str) -> str:
    """Return the pattern that excludes exactly what findings show at `place`, which ends in no slash.

    A secret in the path is not told: a star stands for it, so that the pattern can still be followed to the letter.
    """
    pattern = pattern_of_name(place.removeprefix("./").lstrip("/"))
    return pattern if "/" in pattern else f"/{pattern}"


def pattern_of_name(name: str) -> str:
    """Return the pattern that excludes what has this name, wherever it lies."""
    return starred(name, _literal)


def _literal(text: str) -> str:
    return re.sub(r"[\\*?\[]|^[#!]| $", r"\\\g<0>", text)
