"""Configuration: `[tool.skillpack]` of the nearest pyproject.toml and what the command line puts over it.

Everything ends in one frozen `Config`. All faults of a configuration come in one `ConfigError`, in the order of
the file, each with its TOML path; faults of command-line flags follow. `OPTIONS` describes every key as data: the
README's table is written from it, and a key that is not in it is a fault.
"""

from __future__ import annotations

import itertools
import json
import keyword
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Literal

from pathspec import GitIgnoreSpec

from skillpack.errors import ConfigError
from skillpack.findings import Allowance, Override, Policy, visible
from skillpack.rules import ALLOWABLE, LEVELS, RULES, SETTINGS, Level, Setting
from skillpack.table import (
    LATER,
    Faults,
    Layers,
    Place,
    Table,
    flag_place,
    kind_of,
    listed,
    near,
    quoted,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PYPROJECT = "pyproject.toml"
DEFAULT_SKILLS = ("skills", ".agents/skills")
"""The skills roots that serve when none is named: the first that exists."""

_MIB = 1024**2
MAX_SKILL_FILES = 4_096
MAX_SKILL_BYTES = 64 * _MIB
MAX_FILES = 50_000
MAX_BYTES = 1024 * _MIB
MAX_DEPTH = 16

Nested = Literal["resource", "split"]
NESTED: tuple[Nested, ...] = ("resource", "split")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One key of `[tool.skillpack]`, as the README shows it.

    All but `key` are Markdown of one line. `default` is TOML, or words where it depends on something, or empty
    when the key is unset by default. `flag` is what sets it on the command line, empty where nothing does.
    """

    key: str
    type: str
    default: str
    help: str
    flag: str = ""


_SIZE = 'integer (bytes), or text such as `"64 MiB"`'
OPTIONS = (
    Option(
        key="skills",
        type="array of paths",
        default="`skills`, else `.agents/skills`",
        flag="`SKILLS…`",
        help="skills roots, or single skills; paths may lead out of the project",
    ),
    Option(
        key="module",
        type="path inside the project",
        default="`skills.py` in the project's package",
        flag="`-o`, `--output`",
        help="the Python file that is emitted",
    ),
    Option(key="format", type='`"module"`', default='`"module"`', help="the emitted form: one file"),
    Option(
        key="level",
        type='`"lenient"`, `"default"` or `"strict"`',
        default='`"default"`',
        flag="`--lenient`, `--strict`",
        help="how much is an error",
    ),
    Option(
        key="rules",
        type='table: a finding\'s code to `"error"`, `"warning"`, `"note"` or `"off"`',
        default="`{}`",
        flag="`--rule CODE=LEVEL`",
        help="levels of single codes; the flag also wins over `overrides`",
    ),
    Option(
        key="overrides",
        type="array of tables: `paths` (array of gitignore patterns) and `rules` (as above)",
        default="`[]`",
        help="levels for some paths, matched against `<root as written>/<path>`; the last match wins",
    ),
    Option(
        key="allow",
        type="array of tables: `path`, `rule`, `sha256` and `reason` (strings)",
        default="`[]`",
        help="reviewed exceptions, each for one file `<root as written>/<path>` with these contents",
    ),
    Option(
        key="select",
        type="array of shell patterns",
        default="",
        flag="`--select PATTERN`",
        help="pack only the skills whose name matches one of them",
    ),
    Option(
        key="exclude",
        type="array of gitignore patterns",
        default="`[]`",
        flag="`--exclude PATTERN`",
        help="leave these paths out, matched against `<root as written>/<path>`",
    ),
    Option(
        key="expect",
        type="array of names",
        default="",
        flag="`--expect NAME`",
        help="the skills that must be packed, by name",
    ),
    Option(
        key="expect-count",
        type="integer",
        default="",
        flag="`--expect-count N`",
        help="how many skills must be packed",
    ),
    Option(
        key="allow-empty",
        type="boolean",
        default="`false`",
        flag="`--allow-empty`",
        help="accept that there is nothing to pack",
    ),
    Option(
        key="nested",
        type='`"resource"` or `"split"`',
        default='`"resource"`',
        flag="`--nested`",
        help="a SKILL.md below a skill is a resource of the outer skill, or makes a skill of its own",
    ),
    Option(
        key="max-catalog-chars",
        type="integer",
        default="",
        flag="`--max-catalog-chars N`",
        help="most characters that the catalog of all skills may have",
    ),
    Option(
        key="max-skill-files",
        type="integer",
        default="`4096`",
        flag="`--max-skill-files N`",
        help="most files of one skill",
    ),
    Option(
        key="max-skill-bytes",
        type=_SIZE,
        default='`"64 MiB"`',
        flag="`--max-skill-bytes SIZE`",
        help="most bytes of one skill",
    ),
    Option(
        key="max-file-bytes",
        type=_SIZE,
        default="the value of `max-skill-bytes`",
        flag="`--max-file-bytes SIZE`",
        help="most bytes of one file",
    ),
    Option(
        key="max-files",
        type="integer",
        default="`50000`",
        flag="`--max-files N`",
        help="most files of all skills",
    ),
    Option(
        key="max-bytes",
        type=_SIZE,
        default='`"1 GiB"`',
        flag="`--max-bytes SIZE`",
        help="most bytes of all skills",
    ),
    Option(
        key="max-depth",
        type="integer",
        default="`16`",
        flag="`--max-depth N`",
        help="most directories below one another in a skill",
    ),
)
"""Every key of `[tool.skillpack]`."""

_LATER_KEYS = ("stub", "also-files")


def options_table() -> str:
    """Return the Markdown table of `OPTIONS`, with a line feed at the end."""
    rows = [("Key", "Type", "Default", "Command line", "What it does"), ("---",) * 5]
    rows += [(f"`{row.key}`", row.type, row.default or "unset", row.flag, row.help) for row in OPTIONS]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A whole, valid configuration.

    `project` is the absolute directory of the pyproject.toml, or the current directory where there is none.
    `skills` are POSIX paths as they were written, without `./` in front and `/` at the end; `locate` makes them
    absolute from `base`, which is `project`, or the current directory for those of the command line.

    `module` is the absolute path of the file to emit and `module_written` the same as the user wrote it. Without
    one, `module` is None and `module_fault` says why; `output()` is for those who cannot do without.
    `module_is_default` says that it was found by the package of the project's name.

    `exclude` holds gitignore patterns and `select` shell patterns (empty: all skills), both as written. `expect`
    is empty, and `expect_count` and `max_catalog_chars` (characters) None, when unset. Sizes are in bytes.
    `notices` are lines for the user about other tables of the same file, each beginning with its TOML path.
    In an unpacked sdist `moved` holds the absolute paths of what does not lie where it was written, and `strays` are
    the places of skills that no search of the roots would come to.
    """

    project: Path
    base: Path
    skills: tuple[str, ...]
    module: Path | None
    module_written: str = ""
    module_fault: str = ""
    module_is_default: bool = False
    format: Literal["module"] = "module"
    level: Setting = "default"
    rules: Mapping[str, Level] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    allow: tuple[Allowance, ...] = ()
    select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    expect_count: int | None = None
    allow_empty: bool = False
    nested: Nested = "resource"
    max_catalog_chars: int | None = None
    max_skill_files: int = MAX_SKILL_FILES
    max_skill_bytes: int = MAX_SKILL_BYTES
    max_file_bytes: int = MAX_SKILL_BYTES
    max_files: int = MAX_FILES
    max_bytes: int = MAX_BYTES
    max_depth: int = MAX_DEPTH
    notices: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    moved: Mapping[str, Path] = field(default_factory=dict)

    @property
    def policy(self) -> Policy:
        """The levels of findings under this configuration."""
        return Policy(setting=self.level, rules=self.rules, overrides=self.overrides, allow=self.allow)

    def locate(self, written: str) -> Path:
        """Return the absolute path of a skills root. No link is followed: the walk has to see and refuse it."""
        return self.moved.get(written, self.base / written)

    def for_comparison(self) -> Config:
        """Return what holds for sources that are compared with an artifact: they are read, and not judged.

        What the project made stricter is taken back, and what it allowed is kept: it was packed under that.
        """
        overrides = (replace(override, rules=_at_most_lenient(override.rules)) for override in self.overrides)
        return replace(
            self,
            level="lenient",
            rules=_at_most_lenient(self.rules),
            overrides=tuple(overrides),
            expect=(),
            expect_count=None,
            allow_empty=True,
            max_catalog_chars=None,
        )

    def output(self) -> Path:
        """Return `module`; raises ConfigError with the reason where there is none."""
        if self.module is None:
            raise ConfigError([self.module_fault])
        return self.module


def _at_most_lenient(rules: Mapping[str, Level]) -> dict[str, Level]:
    return {code: min(level, RULES[code].levels[0]) for code, level in rules.items()}


def find_project(start: Path) -> Path | None:
    """Return the nearest pyproject.toml in the directory `start` or above it, or None.

    A directory or a dangling link of that name counts: to pass it over would read another project's options.
    """
    start = start.absolute()
    candidates = (directory / PYPROJECT for directory in (start, *start.parents))
    return next((path for path in candidates if _mode(path, follow_symlinks=False)), None)


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
        _read(pyproject) if pyproject else {},
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
    tool.refuse_unknown([option.key for option in OPTIONS], later=_LATER_KEYS)

    file_level = tool.choice("level", SETTINGS)
    setting = level or file_level or "default"
    # a flag stands above the whole file, overrides included, so they lose what it sets
    flag_rules = _flag_rules(rules, setting, faults)
    file_rules = _rules(tool.table("rules"), setting)
    overrides = _overrides(tool, setting, flag_rules)
    allow = _allow(tool)

    roots = _roots(tool, skills, project, faults)
    module, module_written, module_fault = _module(
        tool, output, start, project, _lookup(table, "project", "name")
    )
    max_skill_bytes = both.size("max-skill-bytes") or MAX_SKILL_BYTES
    config = Config(
        project=project,
        base=start if skills else project,
        skills=roots,
        module=module,
        module_written=module_written,
        module_fault=module_fault,
        module_is_default="module" not in tool.values and output is None,
        format=tool.choice("format", ("module",), later=("package", "data", "auto")) or "module",
        level=setting,
        rules={**file_rules, **flag_rules},
        overrides=overrides,
        allow=_within(roots, allow) if skills else allow,
        select=tuple(text for _, text in both.texts("select", least=1) or ()),
        exclude=_patterns(both.texts("exclude") or (), faults),
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
        notices=(*_python_notice(table), *_uv_notice(table, () if skills else roots)),
    )
    _refuse(faults)
    return config


def load_allow(start: Path) -> tuple[Allowance, ...]:
    """Return the reviewed exceptions that hold in the directory `start`; what else is wrong there does not matter.

    Raises ConfigError with all faults of these.
    """
    pyproject = find_project(start)
    faults: Faults = []
    root = Table(_read(pyproject) if pyproject else {}, Place("", ()), faults)
    allow = _allow(root.table("tool").table("skillpack"))
    _refuse(faults)
    return allow


def _refuse(faults: Faults) -> None:
    if faults:
        faults.sort(key=lambda fault: fault[0].order)
        raise ConfigError([f"{place.text}: {message}" for place, message in faults])


def import_fault(path: PurePosixPath) -> str:
    """Say why the module at `path`, seen from the directory on `sys.path`, cannot be imported; empty if it can."""
    if path.suffix != ".py":
        return "must end in .py"
    if path.name == "__init__.py":
        return (
            "would take the place of the package's own __init__.py; name a file beside it, such as skills.py"
        )
    return next(filter(None, map(_segment_fault, (*path.parts[:-1], path.stem))), "")


def _segment_fault(segment: str) -> str:
    if not segment.isidentifier():
        return f"{quoted(segment)} is no Python identifier, so it cannot be imported; rename it"
    if keyword.iskeyword(segment):
        return f"{quoted(segment)} is a Python keyword, so it cannot be imported; rename it"
    return ""


def _posix(argument: str) -> str:
    """Return a path of the command line with slashes; an empty one stays empty, where pathlib makes it `.`."""
    return PurePath(argument).as_posix() if argument else ""


def _lookup(table: object, *keys: str) -> object:
    """Return what another tool's table holds, None when the way there is broken: its form is not ours to judge."""
    for key in keys:
        table = table.get(key) if isinstance(table, Mapping) else None
    return table


def _mode(path: Path, *, follow_symlinks: bool = True) -> int:
    """Return `st_mode`, or 0 where nothing can be looked at (also for names too long or with a NUL)."""
    try:
        return path.stat(follow_symlinks=follow_symlinks).st_mode
    except (OSError, ValueError):
        return 0


def default_root(project: Path) -> str:
    """Return the skills root that serves in the directory `project` when none is named; empty where there is none."""
    # a link is taken too, even a dangling one: the walk refuses it aloud, where passing on to the other root would
    # leave skills out in silence
    for root in DEFAULT_SKILLS:
        mode = _mode(project / root, follow_symlinks=False)
        if stat.S_ISDIR(mode) or stat.S_ISLNK(mode):
            return root
    return ""


def _read(path: Path) -> dict[str, object]:
    return parse(read_text(path), visible(str(path)))


def read_text(path: Path) -> str:
    """Return the text of a TOML file, its line ends as they are; raises ConfigError when it is not UTF-8 text."""
    shown = visible(str(path))
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # to open a FIFO would wait for ever
            raise ConfigError([f"{shown}: is not a regular file"])
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError([f"{shown}: cannot be read: {error.strerror}"]) from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError([f"{shown}:{line}: is not UTF-8; save it as UTF-8"]) from error


def parse(text: str, place: str) -> dict[str, object]:
    """Return what a TOML text holds; raises ConfigError with `place`, the file's name for messages, when it is none."""
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ConfigError([f"{place}: is nested too deeply"]) from error
    except ValueError as error:  # TOMLDecodeError, and what int() says to a number of over 4,300 digits
        line_and_column, message = _toml_fault(text, str(error))
        raise ConfigError([f"{place}{line_and_column}: is not TOML: {visible(message)}"]) from error


def _toml_fault(text: str, message: str) -> tuple[str, str]:
    """Split the place off a TOML error's message: the error has it as attributes only from Python 3.14 on."""
    message = message[:1].lower() + message[1:]
    if match := re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL):
        return f":{match[2]}:{match[3]}", match[1]
    bare = message.removesuffix(" (at end of document)")
    if bare != message:
        last_line = text.rstrip("\n").count("\n") + 1
        return f":{last_line}", f"{bare} at the end of the file"
    return "", message


def _level(code: str, word: object, setting: Setting, place: Place, faults: Faults) -> Level | None:
    """Return the level that `word` sets for `code`, None with at least one fault where it cannot."""
    rule = RULES.get(code)
    if rule is None:
        way_out = near(code, RULES) or "; a finding shows its code before its message"
        faults.append((place, f"unknown code{way_out}"))
    level = LEVELS.get(word) if isinstance(word, str) else None
    if level is None:
        words = [label for label, _ in sorted(LEVELS.items(), key=lambda item: -item[1])]
        got = f"{quoted(word)}{near(word, words)}" if isinstance(word, str) else kind_of(word)
        faults.append((place, f"must be {listed(words)}, not {got}"))
    if rule is None or level is None:
        return None
    floor = rule.levels[SETTINGS.index(setting)]
    if rule.pinned and level < floor:
        message = f'"{code}" cannot be set below "{floor.label}", which it is at level = "{setting}"'
        way_out = ", or allow single files with allow" if code in ALLOWABLE else ""
        message = f"{message}; remove this and mend what it finds, or leave it out with exclude{way_out}"
        faults.append((place, message))
        return None
    return level


def _rules(table: Table, setting: Setting) -> dict[str, Level]:
    levels = (
        (code, _level(code, word, setting, table.at(code), table.faults))
        for code, word in table.values.items()
    )
    return {code: level for code, level in levels if level is not None}


def _flag_rules(rules: Sequence[str], setting: Setting, faults: Faults) -> dict[str, Level]:
    levels = {}
    for rule in rules:
        place = flag_place("--rule", rule)
        code, equals, word = rule.partition("=")
        if not equals:
            faults.append((place, "must be CODE=LEVEL, such as name-mismatch=error"))
        elif (level := _level(code, word, setting, place, faults)) is not None:
            levels[code] = level
    return levels


def _overrides(tool: Table, setting: Setting, flag_rules: Mapping[str, Level]) -> tuple[Override, ...]:
    overrides = []
    for table in tool.tables("overrides"):
        table.require(("paths", "rules"))
        patterns = _patterns(table.texts("paths", least=1) or (), table.faults)
        levels = _rules(table.table("rules"), setting)
        overrides.append(
            Override(
                matches=GitIgnoreSpec.from_lines(patterns).match_file,
                rules={code: level for code, level in levels.items() if code not in flag_rules},
            )
        )
    return tuple(overrides)


def _allow(tool: Table) -> tuple[Allowance, ...]:
    entries: dict[tuple[str, str, str], Allowance] = {}
    for table in tool.tables("allow"):
        table.require(("path", "rule", "sha256", "reason"))
        path, rule = table.text("path", _blank_fault), table.choice("rule", ALLOWABLE)
        sha256, reason = table.text("sha256", _sha256_fault), table.text("reason", _reason_fault)
        if path is None or rule is None or sha256 is None or reason is None:
            continue
        entry = Allowance(path=str(PurePosixPath(path)), rule=rule, sha256=sha256, reason=reason)
        key = (entry.path, entry.rule, entry.sha256)
        if key in entries:
            table.faults.append((table.place, "allows the same as an entry above; remove one of them"))
        entries[key] = entry
    return tuple(entries.values())


def _blank_fault(text: str) -> str:
    return "" if text else "is empty"


def _sha256_fault(text: str) -> str:
    if re.fullmatch(r"[0-9a-f]{64}", text):
        return ""
    return "must be the 64 lowercase hex digits that `sha256sum` prints and the refusal shows"


def _reason_fault(text: str) -> str:
    return "" if text.strip() else "is blank; say why this may ship"


def _within(roots: Sequence[str], allow: Sequence[Allowance]) -> tuple[Allowance, ...]:
    """Return the entries about what lies in the roots: a run over others cannot find these unused."""
    return tuple(
        entry
        for entry in allow
        if any(root == "." or PurePosixPath(entry.path).is_relative_to(root) for root in roots)
    )


def _patterns(items: Iterable[tuple[Place, str]], faults: Faults) -> tuple[str, ...]:
    """Return the gitignore patterns that are patterns; one that can match nothing is a fault, not a silence."""
    patterns = []
    for place, text in items:
        if text.removeprefix("!").startswith("./"):
            faults.append((place, 'begins with "./", which matches nothing; write it without'))
        elif not _is_pattern(text):
            faults.append((place, f"{quoted(text)} is no gitignore pattern"))
        else:
            patterns.append(text)
    return tuple(patterns)


def _is_pattern(text: str) -> bool:
    try:
        compiled = GitIgnoreSpec.from_lines([text])
    except (ValueError, re.error):  # pathspec's own error is a ValueError; a range like [z-a] reaches re
        return False
    return any(pattern.include is not None for pattern in compiled.patterns)


def _path_fault(text: str) -> str:
    if not text:
        return "is empty"
    if "\0" in text:
        return "holds a NUL character"
    if "\\" in text:
        return "holds a backslash; write / between directories"
    return ""


def _roots(tool: Table, skills: Sequence[str], project: Path, faults: Faults) -> tuple[str, ...]:
    written = tool.texts("skills", least=1)
    roots = _checked_roots(written or (), faults)
    if skills:
        return _checked_roots(((flag_place("SKILLS", text), _posix(text)) for text in skills), faults)
    if written is not None:
        return roots
    if root := default_root(project):
        return (root,)
    tried = " nor ".join(f"{root}/" for root in DEFAULT_SKILLS)
    message = f"not set, and there is neither {tried} in {visible(str(project))}"
    tool.fault("skills", f"{message}; name the skills roots here or on the command line")
    return ()


def _checked_roots(items: Iterable[tuple[Place, str]], faults: Faults) -> tuple[str, ...]:
    roots = []
    for place, text in items:
        if text.startswith("package:"):
            faults.append((place, f'a "package:" source is {LATER}; name a directory'))
        elif fault := _path_fault(text):
            faults.append((place, fault))
        else:
            roots.append(str(PurePosixPath(text)))
    return tuple(roots)


def _module(
    tool: Table, output: str | None, start: Path, project: Path, name: object
) -> tuple[Path | None, str, str]:
    """Return the path of the module to emit, how it was written, and the reason where there is none."""
    base, text = project, tool.text("module")
    if text is not None and (fault := _inside_fault(text) or _module_fault(text, project, project)):
        tool.fault("module", fault)
    if output is not None:
        base, text = start, _posix(output)
        if fault := _module_fault(text, start, project):
            tool.faults.append((flag_place("-o", output), fault))
    if text is None:
        text, fault = _default_module(project, name)
        if fault:
            way_out = "set it to the file to write, or name the file with -o"
            return None, "", f"{tool.at('module').text}: not set, and {fault}; {way_out}"
    written = PurePosixPath(text)
    return base / written, str(written), ""


def _inside_fault(text: str) -> str:
    """Say why a path does not stay in the project; a drive letter counts on every platform."""
    windows = PureWindowsPath(text)
    if windows.drive or windows.root or ".." in windows.parts:
        return "must stay inside the project; write a path relative to pyproject.toml, without .."
    return ""


def _module_fault(text: str, base: Path, project: Path) -> str:
    """Say why the module cannot be written at `text` and imported from there.

    The directories above it that hold an `__init__.py` are packages and need names that can be imported; the
    first that does not is a source root such as `src`, whose name is free. What a wheel makes of a namespace
    package only the build hook knows: it calls `import_fault` with the path in the wheel.
    """
    if fault := _path_fault(text):
        return fault
    path = base / text
    packages = itertools.takewhile(
        lambda directory: directory != project and stat.S_ISREG(_mode(directory / "__init__.py")),
        path.parents,
    )
    return import_fault(PurePosixPath(*reversed([directory.name for directory in packages]), path.name))


def _default_module(project: Path, name: object) -> tuple[str, str]:
    """Return the path of `skills.py` in the project's package, or an empty path and the reason."""
    if not isinstance(name, str):
        return "", "there is no project.name to find the package by"
    package = re.sub(r"[-_.]+", "_", name).lower()  # PEP 503, then as an import package is named
    if _segment_fault(package):
        return "", f"{quoted(package)}, the package of the project's name, cannot be imported"
    for directory in (f"src/{package}", package):
        if stat.S_ISDIR(_mode(project / directory)):
            return f"{directory}/skills.py", ""
    return "", f"there is neither src/{package}/ nor {package}/ in {visible(str(project))}"


def _python_notice(table: Mapping[str, object]) -> Iterator[str]:
    """Say it when pip would install the project where its emitted module does not run."""
    if not isinstance(_lookup(table, "project"), Mapping):
        return
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # 12 ms, and not every command needs it

    required = _lookup(table, "project", "requires-python")
    dynamic = _lookup(table, "project", "dynamic")
    if required is None and isinstance(dynamic, list) and "requires-python" in dynamic:
        return
    try:
        allowed = SpecifierSet("" if required is None else str(required))
    except InvalidSpecifier:
        return  # the build front end refuses it in its own words
    # the first and a last release of every line decide: no pyproject.toml means single ones between them
    older = ["2.7.18", *(f"3.{minor}.{micro}" for minor in range(11) for micro in (0, 99))]
    if any(allowed.contains(version) for version in older):
        got = "not set, which admits" if required is None else f"{quoted(str(required))} admits"
        yield (
            f"project.requires-python: {got} Python before 3.11, where the emitted module does not run"
            '; write requires-python = ">=3.11"'
        )


def _uv_notice(table: Mapping[str, object], roots: Sequence[str]) -> Iterator[str]:
    """Say it when uv would not see that a skill was edited: it looks at pyproject.toml alone unless told."""
    if not isinstance(_lookup(table, "tool", "uv"), Mapping):
        return
    keys = _lookup(table, "tool", "uv", "cache-keys")
    listed = keys if isinstance(keys, list) else []
    files = [key if isinstance(key, str) else _lookup(key, "file") for key in listed]
    globs = [glob for glob in files if isinstance(glob, str)]
    missing = [root for root in roots if root[0] != "/" and not any(_reaches(glob, root) for glob in globs)]
    if missing:
        # the glob crate's ** alone matches directories only
        entries = ", ".join(
            f"{{ file = {json.dumps(f'{root}/**/*', ensure_ascii=False)} }}" for root in missing
        )
        if not isinstance(keys, list):
            entries = f'cache-keys = [{{ file = "{PYPROJECT}" }}, {entries}]'
        yield f"tool.uv.cache-keys: uv keeps an old build after a skill was edited; add {visible(entries)}"


def _reaches(glob: str, root: str) -> bool:
    """Whether a glob of uv's names files below a skills root; whether it names all of them is its author's choice."""
    path, top = PurePosixPath(glob), PurePosixPath(root)
    literal = PurePosixPath(*itertools.takewhile(lambda part: not set("*?[") & set(part), path.parts))
    if path == top:
        return False  # uv reads the time of files only, and this is a directory
    return literal.is_relative_to(top) or ("**" in path.parts and top.is_relative_to(literal))
