"""Screening: what a skill may not ship, may ship with a warning, or leaves out.

`policy` is the stage: names and paths first, then contents. `secret_names` is its table, `concealment` finds text that
hides; secrets in bytes and names are found by `skillpack.secrets`.
"""

from __future__ import annotations

from skillpack.screen.policy import instructions_key, is_clean, is_secret_name, judge, screen

__all__ = ["instructions_key", "is_clean", "is_secret_name", "judge", "screen"]
