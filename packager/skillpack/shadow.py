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
_HIDING = re.compile(
    r"(?P<package>[^/]+)/__init__\.[^/]+|(?P<extension>[^/.]+)(?:\.[^/]+)?\.(?:so|pyd)|__pycache__/(?P<cached>[^/.]+)\.[^/]+\.pyc"
)


def installed(name: str) -> str:
    """Return where an installer puts a file of a wheel, as far as it is beside the modules."""
    return _MOVED.sub("", name)


def shadows(modules: Iterable[str], names: Iterable[str]) -> list[tuple[str, str]]:
    """Return (module, name) for each of `names` that hides or replaces one of `modules`, sorted.

    All are POSIX paths from one root. Each name is looked at once, however many modules there are.
    """
    known = set(modules)
    found: list[tuple[str, str]] = []
    for name in names:
        place = installed(name)
        if place in known and name not in known:
            found.append((place, name))
        # what hides a module is at most one directory below it
        for matched in map(_HIDING.fullmatch, _ends(place)):
            if matched:
                hidden = f"{place[: len(place) - len(matched[0])]}{matched[matched.lastgroup or 0]}.py"
                if hidden in known:
                    found.append((hidden, name))
    return sorted(found)


def _ends(path: str) -> tuple[str, str]:
    """Return the last part of a path, and its last two."""
    above, _, last = path.rpartition("/")
    return last, f"{above.rpartition('/')[2]}/{last}"
