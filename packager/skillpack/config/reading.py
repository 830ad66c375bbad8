"""From a pyproject.toml and the command line to one `Config`, with all faults in one error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.config.allowances import read_allow, within
from skillpack.config.file import find_project, read_table
from skillpack.config.levels import read_flag_rules, read_overrides, read_rules
from skillpack.config.module import read_module
from skillpack.config.notices import python_notice, uv_notice
from skillpack.config.options import OPTIONS
from skillpack.config.patterns import read_names, read_patterns
from skillpack.config.roots import read_roots
from skillpack.config.settings import FORMATS, NESTED, Config
from skillpack.config.table import Faults, Layers, Place, Table, lookup
from skillpack.errors import ConfigError
from skillpack.limits import MAX_BYTES, MAX_DEPTH, MAX_FILES, MAX_SKILL_BYTES, MAX_SKILL_FILES
from skillpack.rules import SETTINGS, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from skillpack.findings import Allowance


def load(
    start: Path,
    *,
    skills: Sequence[str] = (),
    output: str | None = None,
    level: Setting | None = None,
    rules: Sequence[str] = (),
    flags: Mapping[str, object] | None = None,
) -> Config:
    """Read the configuration that holds in the directory `start`; raises ConfigError with all faults.

    The rest is from the command line and stands above the file: `skills` and `output` are paths relative to
    `start` in the form of the platform, `rules` texts `CODE=LEVEL`, `flags` further keys of `OPTIONS` with values
    as TOML has them. Without a pyproject.toml it has to suffice.
    """
    start = start.absolute()
    pyproject = find_project(start)
    return from_table(
        read_table(pyproject) if pyproject else {},
        pyproject.parent if pyproject else start,
        start=start,
        skills=skills,
        output=output,
        level=level,
        rules=rules,
        flags=flags,
    )


def from_table(
    table: Mapping[str, object],
    project: Path,
    *,
    start: Path | None = None,
    skills: Sequence[str] = (),
    output: str | None = None,
    level: Setting | None = None,
    rules: Sequence[str] = (),
    flags: Mapping[str, object] | None = None,
) -> Config:
    """Read the configuration from `table`, the root table of a pyproject.toml in the absolute directory `project`.

    For the rest see `load`; `start` is `project` if not given. Raises ConfigError with all faults.
    """
    start = start or project
    faults: Faults = []
    tool = Table(table, Place("", ()), faults).table("tool").table("skillpack")
    both = Layers(tool, flags or {})
    tool.refuse_unknown([option.key for option in OPTIONS])

    file_level = tool.choice("level", SETTINGS)
    setting = level or file_level or "default"
    # a flag stands above the whole file, overrides included, so they lose what it sets
    flag_rules = read_flag_rules(rules, setting, faults)
    file_rules = read_rules(tool.table("rules"), setting)
    overrides = read_overrides(tool, setting, flag_rules)
    allow = read_allow(tool)

    roots = read_roots(tool, skills, project, faults)
    name = lookup(table, "project", "name")
    if name is None:  # Poetry's own table, which it had before it took [project]
        name = lookup(table, "tool", "poetry", "name")
    module, module_written, module_fault = read_module(tool, output, start, project, name)
    max_skill_bytes = both.size("max-skill-bytes") or MAX_SKILL_BYTES
    config = Config(
        project=project,
        base=start if skills else project,
        skills=roots,
        module=module,
        module_written=module_written,
        module_fault=module_fault,
        module_is_default="module" not in tool.values and output is None,
        format=both.choice("format", FORMATS) or "module",
        stub=both.boolean("stub") or False,
        also_files=tool.boolean("also-files") or False,
        level=setting,
        rules={**file_rules, **flag_rules},
        overrides=overrides,
        allow=within(roots, allow) if skills else allow,
        select=read_names(both.texts("select", least=1) or (), faults),
        exclude=read_patterns(both.texts("exclude") or (), faults),
        expect=tuple(text for _, text in both.texts("expect", least=1) or ()),
        expect_count=both.integer("expect-count", least=0),
        allow_empty=both.boolean("allow-empty") or False,
        nested=both.choice("nested", NESTED) or "resource",
        max_catalog_chars=both.integer("max-catalog-chars"),
        max_skill_files=both.integer("max-skill-files") or MAX_SKILL_FILES,
        max_skill_bytes=max_skill_bytes,
        max_file_bytes=both.size("max-file-bytes") or max_skill_bytes,
        max_files=both.integer("max-files") or MAX_FILES,
        max_bytes=both.size("max-bytes") or MAX_BYTES,
        max_depth=both.integer("max-depth") or MAX_DEPTH,
        notices=(*python_notice(table), *uv_notice(table, () if skills else roots)),
    )
    _refuse(faults)
    return config


def load_allow(start: Path) -> tuple[Allowance, ...]:
    """Return the reviewed exceptions that hold in the directory `start`; what else is wrong there does not matter.

    Raises ConfigError with all faults of these.
    """
    pyproject = find_project(start)
    faults: Faults = []
    root = Table(read_table(pyproject) if pyproject else {}, Place("", ()), faults)
    allow = read_allow(root.table("tool").table("skillpack"))
    _refuse(faults)
    return allow


def _refuse(faults: Faults) -> None:
    if faults:
        faults.sort(key=lambda fault: fault[0].order)
        raise ConfigError([f"{place.text}: {message}" for place, message in faults])
