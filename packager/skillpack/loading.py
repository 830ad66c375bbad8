"""The bundle of a module that is imported by its name, held against its digests."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import TYPE_CHECKING, Any

from skillpack.errors import ArtifactError, MissingArtifactError

if TYPE_CHECKING:
    from collections.abc import Collection

BUNDLE = "bundle"
"""What an emitted module calls its bundle."""


def is_name(text: str) -> bool:
    """Return whether a text may be the name of a module, as an import has it; a path may be one too."""
    return all(part.isidentifier() for part in text.split("."))


def imported(name: str) -> Any:
    """Return the bundle of a module that this interpreter finds, checked; what the module prints goes to standard error.

    Raises `MissingArtifactError` when there is no such module, and `ArtifactError` when it cannot be imported, has no
    bundle or a damaged one.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr):
            bundle: Any = getattr(importlib.import_module(name), BUNDLE, None)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise ArtifactError(f"{name}: cannot be imported: {error}") from None
        raise MissingArtifactError(
            f"{name}: there is no such file, and no module of this name in {sys.prefix}; give the path of the module or "
            "wheel, or install it there"
        ) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the code of somebody else raises
        raise ArtifactError(f"{name}: cannot be imported: {type(error).__name__}: {error}") from None
    if not _is_bundle(bundle, ("verify", "preload", "select")):
        raise ArtifactError(f"{name}: has no bundle; name the module that skillpack wrote")
    try:
        bundle.verify()
        bundle.preload()
    except ValueError as error:
        raise ArtifactError(f"{name}: {error}") from None
    return bundle


def _is_bundle(found: object, members: Collection[str]) -> bool:
    """Return whether something has the members of a bundle: each emitted module has a class of its own."""
    return all(callable(getattr(found, member, None)) for member in members)
