"""Files that Python would import in the place of an emitted module.

Of one name in one directory Python takes a package first, then an extension module, then the source, and for the
source a cached .pyc that may be told not to look at it. A wheel can also bring a second copy of the source, by the
folder whose contents installers move to where the module is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOVED = re.compile(r"^[^/]+\.data/(?:pure|plat)lib/")


def installed(name: str) -> str:
    """Return where an installer puts a file of a wheel, as far as it is beside the modules."""
    return _MOVED.sub("", name)


def shadows(module: str, names: Iterable[str]) -> list[str]:
    """Return those of `names`, sorted, that hide or replace `module`; all are POSIX paths from one root."""
    directory, _, file = module.rpartition("/")
    below = re.escape(f"{directory}/" if directory else "")
    stem = re.escape(file.removesuffix(".py"))
    hiding = re.compile(
        rf"{below}(?:{stem}/__init__\.[^/]+|{stem}(?:\.[^/]+)?\.(?:so|pyd)|__pycache__/{stem}\.[^/]+\.pyc)"
    )
    found = []
    for name in names:
        place = installed(name)
        if hiding.fullmatch(place) or (place == module and name != module):
            found.append(name)
    return sorted(found)
