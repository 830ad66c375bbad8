"""How much a skill and a run may hold when nothing else is set.

Source: design page "Screening", "Reading files safely". The configuration and the walk both default to these.
"""

from __future__ import annotations

MIB = 1024**2

MAX_SKILL_FILES = 4_096
MAX_SKILL_BYTES = 64 * MIB
MAX_FILES = 50_000
MAX_BYTES = 1024 * MIB
MAX_DEPTH = 16
"""Directories between the skill's directory and a file."""
