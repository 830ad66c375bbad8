"""Screening: what a skill may not ship, may ship with a warning, or leaves out.

`judgement` decides by name while a skill is walked. `policy` is the stage: names and paths first, then contents.
`secret_names` is its table, `concealment` finds text that hides; secrets in bytes and names are found by
`skillpack.secrets`. The stage is imported when it is asked for: a run in which nothing has changed does not come to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.screen.judgement import is_secret_name, judge

if TYPE_CHECKING:
    from skillpack.screen.policy import screen
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from skillpack.screen import policy

        return getattr(policy, name)


__all__ = ["is_secret_name", "judge", "screen"]
