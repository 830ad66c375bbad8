"""The runtime: what an emitted module carries, importable by itself without any dependency.

The data's way: `text`, `errors` and `digest` hold what all need, `model` the frozen values, `disclosure` what a
model is shown, `tools` what it calls.
"""

from skillpack.runtime.errors import IntegrityError, ResourceNotFoundError, SkillNotFoundError
from skillpack.runtime.model import Skill, SkillFile
from skillpack.runtime.tools import SkillBundle, ToolText

__all__ = [
    "IntegrityError",
    "ResourceNotFoundError",
    "Skill",
    "SkillBundle",
    "SkillFile",
    "SkillNotFoundError",
    "ToolText",
]
