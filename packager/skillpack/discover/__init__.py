"""Discovery: from the skills roots to skills with captured contents; each file is read once.

`search` is the stage and begins at the roots (`root`), `tree` walks one skill, `walk` holds what a run has in common.
`reading` opens directories and files so that no link is ever followed, `store` keeps what was read, `exclusion` is the
author's own list, `link` and `stray` are for the hints of findings.
"""

from __future__ import annotations

from skillpack.discover.reading import SYSTEM
from skillpack.discover.root import Root
from skillpack.discover.search import CONFIGURATION, Discovery, discover
from skillpack.discover.store import ContentStore
from skillpack.discover.walk import Limits

__all__ = ["CONFIGURATION", "SYSTEM", "ContentStore", "Discovery", "Limits", "Root", "discover"]
