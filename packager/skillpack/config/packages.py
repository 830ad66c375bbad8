"""Roots that name an installed distribution and not a directory: `package:NAME`, and `package:NAME/SKILL` for one skill."""

from __future__ import annotations

import re

PREFIX = "package:"

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
"""The name of a distribution, as the packaging specifications have it."""


def is_package(written: str) -> bool:
    """Return whether a root, as it was written, names a distribution."""
    return written.startswith(PREFIX)


def split_package(written: str) -> tuple[str, str]:
    """Return the distribution's name, as it was written, and the skill's directory, which is empty for all of them."""
    name, _, skill = written.removeprefix(PREFIX).partition("/")
    return name, skill


def package_fault(text: str) -> str:
    """Say what is wrong with a text that begins with `package:`; empty if nothing is."""
    name, skill = split_package(text)
    if not _NAME.fullmatch(name):
        return (
            'must be "package:NAME" or "package:NAME/SKILL", with the name of a distribution alone: letters, digits, '
            "., _ and -; which version is installed is for [build-system] requires to say"
        )
    if skill in {".", ".."} or "/" in skill or ("/" in text and not skill):
        return 'must be "package:NAME" or "package:NAME/SKILL", where SKILL is the name of the skill\'s directory'
    return ""
