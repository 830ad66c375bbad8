"""Findings: what the packager has to say about files, and the policy that gives each its level."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from skillpack.rules import ALLOWABLE, RULES, SETTINGS, Level, Levels, Setting
from skillpack.secrets.redaction import Redaction, redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


def visible(text: str) -> str:
    """Return `text` as it may be shown: no secret in it, and what could move a cursor or hide written as an escape."""
    told = redacted(text)
    if told.isprintable():
        return told
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in told
    )


def toml_text(text: str) -> str:
    """Return `text` as a basic string of TOML, with everything that `visible` would change as an escape of TOML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{"".join(char if char.isprintable() else _toml_escape(ord(char)) for char in escaped)}"'


def _toml_escape(code: int) -> str:
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def subject(code: str, path: str) -> tuple[str, str]:
    """Return what a finding is about, whatever the contents are, as an `allow` entry names it: code and path."""
    return code, path.removeprefix("./")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """A reviewed exception: `[[tool.skillpack.allow]]`. Source: screening, "Exceptions, reviewed".

    `path` is a POSIX path as findings show it, without `./` in front, and is compared character by character: what
    a file system takes for the same name is another one here. `rule` is one of `ALLOWABLE`, `sha256` that of the
    finding (64 lowercase hex characters), `reason` a text for people that is not blank.
    """

    path: str
    rule: str
    sha256: str
    reason: str

    def toml(self) -> str:
        """Return the entry as a pyproject.toml has it."""
        return (
            f"[[tool.skillpack.allow]]\npath = {toml_text(self.path)}\nrule = {toml_text(self.rule)}\n"
            f"sha256 = {toml_text(self.sha256)}\nreason = {toml_text(self.reason)}"
        )

    def is_about(self, code: str, path: str) -> bool:
        """Return whether this is about findings of a code at a place, whatever the contents are."""
        return (self.rule, self.path) == subject(code, path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to say about one place.

    `path` is the POSIX path as the user would write it: the skills root as configured, then the path below
    it. `line` and `column` count from 1; 0 means that the finding is about the file as a whole. `hint` says
    what to do, or is empty. Neither `message` nor `hint` ever holds a secret.

    `sha256` (64 lowercase hex characters) is of the content that the finding is about: of a file the SHA-256 of its
    bytes, of a directory that of the lines which `sha256sum` prints for the files packed from it, sorted by their
    paths below it, as in the digest of a skill. It is empty where nothing was looked into.
    """

    code: str
    level: Level
    path: str
    message: str
    hint: str = ""
    line: int = 0
    column: int = 0
    sha256: str = ""

    def sort_key(self) -> tuple[bytes, int, int, str, str]:
        """Order by place, then code: the bytes of the path, so that no locale reaches the order."""
        return (self.path.encode("utf-8", "surrogatepass"), self.line, self.column, self.code, self.message)

    def place(self) -> str:
        """Return `path:line:column`, without the numbers that are 0."""
        return ":".join([visible(self.path), *(str(number) for number in (self.line, self.column) if number)])

    def line_text(self) -> str:
        """Return `path:line:column: level: code: message`, without the numbers that are 0."""
        return f"{self.place()}: {self.level.label}: {self.code}: {visible(self.message)}"

    @property
    def advice(self) -> str:
        """The hint and, below it, the entry to paste where a reviewed exception could let an error pass.

        The hint is one line, and only the entry has more: a name of a file that holds a line feed must not look like
        a line of its own.
        """
        hint = self.hint.replace("\n", "\\n")
        if self.level is not Level.ERROR or not self.sha256 or self.code not in ALLOWABLE:
            return hint
        path = self.path.removeprefix("./")
        entry = Allowance(path=path, rule=self.code, sha256=self.sha256, reason="").toml()
        lines = entry.replace("\n", "\n  ")
        return f"{hint}\nor, if it may ship as it is, say why in pyproject.toml:\n  {lines}"

    def advice_text(self) -> str:
        """Return the advice for a terminal, its further lines indented by two blanks."""
        return "\n  ".join(map(visible, self.advice.split("\n")))


def with_entries_once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings for a report; of those that one entry would allow, the first alone has it in its advice."""
    printed: set[tuple[str, str, Level, str]] = set()
    for finding in findings:
        subject = (finding.code, finding.path, finding.level, finding.sha256)
        yield replace(finding, sha256="") if subject in printed else finding
        printed.add(subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """Levels for some paths: `[[tool.skillpack.overrides]]`; `paths` are the patterns of `matches`, as written."""

    paths: tuple[str, ...] = ()
    matches: Callable[[str], bool] = field(repr=False)
    rules: Mapping[str, Level]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which level a code has at a place: the setting, then `rules`, then each matching override in turn.

    `allow` are the reviewed exceptions.
    """

    setting: Setting = "default"
    rules: Mapping[str, Level] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    allow: tuple[Allowance, ...] = ()

    def level(self, code: str, path: str, levels: Levels | None = None) -> Level:
        """Return the level of `code` at `path`; `levels` stands in for the registry's where a case differs."""
        rule = RULES[code]
        floor = (levels or rule.levels)[SETTINGS.index(self.setting)]
        level = self.rules.get(code, floor)
        for override in self.overrides:
            if code in override.rules and override.matches(path):
                level = override.rules[code]
        return max(level, floor) if rule.pinned else level


class Report:
    """Collects the findings of a run; every stage adds to it and none reads it.

    It is where findings become what may be told: `findings` has no secret in any text, whoever wrote it, and `found`
    has the paths as they are.
    `told` counts what was told, also what the policy has off: a stage sees from it that nothing was found.
    """

    def __init__(self, policy: Policy | None = None) -> None:
        self.policy = policy or Policy()
        self.told = 0
        self._findings: dict[Finding, None] = {}
        self._redaction = Redaction()

    def level(self, code: str, path: str, levels: Levels | None = None) -> Level:
        """Return the level that `code` would have at `path`: a stage repairs only what is below error."""
        return self.policy.level(code, path, levels)

    def add(
        self,
        code: str,
        path: str,
        message: str,
        *,
        hint: str = "",
        line: int = 0,
        column: int = 0,
        levels: Levels | None = None,
        sha256: str = "",
    ) -> Level:
        """Add one finding, once, and return its level; a code that is off adds nothing.

        An error about contents that were reviewed and allowed becomes a note with the reason.
        """
        self.told += 1
        level = self.policy.level(code, path, levels)
        if level is Level.OFF:
            return level
        if sha256 and level is Level.ERROR:
            reviewed = {entry.sha256: entry for entry in self.policy.allow if entry.is_about(code, path)}
            if sha256 in reviewed:
                level, message, hint = Level.NOTE, f"{message}; allowed: {reviewed[sha256].reason}", ""
            elif reviewed:
                message = f"{message}; it has changed since it was allowed"
        finding = Finding(
            code=code,
            level=level,
            path=path,
            message=message,
            hint=hint,
            line=line,
            column=column,
            sha256=sha256,
        )
        self._findings[finding] = None
        return level

    def conceal(self, path: str, secret: str) -> None:
        """Keep a secret of the file at `path` out of all that is told, also where only a part of it is quoted."""
        self._redaction.learn(path, secret)

    def extend(self, other: Report) -> None:
        """Take over the findings of another report, levels and all."""
        self._findings.update(other._findings)
        self._redaction.extend(other._redaction)

    @property
    def found(self) -> tuple[Finding, ...]:
        """All findings with their paths as they are, for decisions about files: they are not to be shown."""
        return tuple(self._findings)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings as they may be told, sorted by place."""
        return tuple(sorted(dict.fromkeys(map(self._told, self._findings)), key=Finding.sort_key))

    def _told(self, finding: Finding) -> Finding:
        path = redacted(finding.path)
        return replace(
            finding,
            path=path,
            message=self._redaction.text(finding.message, finding.path),
            hint=self._redaction.text(finding.hint, finding.path),
            # an entry to paste could not name such a path
            sha256=finding.sha256 if path == finding.path else "",
        )

    @property
    def has_errors(self) -> bool:
        """Whether anything found so far stops the build."""
        return any(finding.level is Level.ERROR for finding in self._findings)
