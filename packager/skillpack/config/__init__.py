"""Configuration: `[tool.skillpack]` of the nearest pyproject.toml and what the command line puts over it.

Everything ends in one frozen `Config` (`settings`). All faults of a configuration come in one `ConfigError`, in the
order of the file, each with its TOML path; faults of command-line flags follow.

`reading` puts it together: `file` finds and parses the file, `table` reads typed values and keeps the faults, and
`roots`, `module`, `levels`, `patterns` and `allowances` read the keys that are more than one value; `paths` is what
two of them share, `packages` the roots that are no paths. `options` describes every key as data, `notices` looks at the tables of other tools.
"""

from __future__ import annotations

from skillpack.config.file import PYPROJECT, find_project, parse, read_text
from skillpack.config.module import import_fault, inside_fault
from skillpack.config.options import OPTIONS, Option, options_table
from skillpack.config.packages import is_package, split_package
from skillpack.config.reading import from_table, load, load_allow
from skillpack.config.roots import DEFAULT_SKILLS, default_root
from skillpack.config.settings import FORMATS, NESTED, Config

__all__ = [
    "DEFAULT_SKILLS",
    "FORMATS",
    "NESTED",
    "OPTIONS",
    "PYPROJECT",
    "Config",
    "Option",
    "default_root",
    "find_project",
    "from_table",
    "import_fault",
    "inside_fault",
    "is_package",
    "load",
    "load_allow",
    "options_table",
    "parse",
    "read_text",
    "split_package",
]
