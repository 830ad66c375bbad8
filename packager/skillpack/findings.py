"""Findings: what the packager has to say about files, and the policy that gives each its level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skillpack.rules import RULES, SETTINGS, Level, Levels, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def visible(text: str) -> str:
    """Return `text` with everything that could move a terminal's cursor or hide written as an escape."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to say about one place.

    `path` is the POSIX path as the user would write it: the skills root as configured, then the path below
    it. `line` and `column` count from 1; 0 means that the finding is about the file as a whole. `hint` says
    what to do, or is empty. Neither `message` nor `hint` ever holds a secret.
    """

    code: str
    level: Level
    path: str
    message: str
    hint: str = ""
    line: int = 0
    column: int = 0

    def sort_key(self) -> tuple[bytes, int, int, str, str]:
        """Order by place, then code: the bytes of the path, so that no locale reaches the order."""
        return (self.path.encode("utf-8", "surrogatepass"), self.line, self.column, self.code, self.message)

    def place(self) -> str:
        """Return `path:line:column`, without the numbers that are 0."""
        return ":".join([visible(self.path), *(str(number) for number in (self.line, self.column) if number)])

    def line_text(self) -> str:
        """Return `path:line:column: level: code: message`, without the numbers that are 0."""
        return f"{self.place()}: {self.level.label}: {self.code}: {visible(self.message)}"

    def text(self) -> str:
        """Return `line_text()` and, where there is one, the hint on a line of its own."""
        return f"{self.line_text()}\n  hint: {visible(self.hint)}" if self.hint else self.line_text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """Levels for some paths: `[[tool.skillpack.overrides]]`."""

    matches: Callable[[str], bool]
    rules: Mapping[str, Level]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which level a code has at a place: the setting, then `rules`, then each matching override in turn."""

    setting: Setting = "default"
    rules: Mapping[str, Level] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()

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
    """Collects the findings of a run; every stage adds to it and none reads it."""

    def __init__(self, policy: Policy | None = None) -> None:
        self.policy = policy or Policy()
        self._findings: dict[Finding, None] = {}

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
    ) -> Level:
        """Add one finding, once, and return its level; a code that is off adds nothing."""
        level = self.policy.level(code, path, levels)
        if level is not Level.OFF:
            finding = Finding(
                code=code, level=level, path=path, message=message, hint=hint, line=line, column=column
            )
            self._findings[finding] = None
        return level

    def extend(self, other: Report) -> None:
        """Take over the findings of another report, levels and all."""
        self._findings.update(other._findings)

    def rewrite(self, change: Callable[[Finding], Finding]) -> None:
        """Put what `change` gives in the place of each finding."""
        self._findings = dict.fromkeys(map(change, self._findings))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, sorted by place."""
        return tuple(sorted(self._findings, key=Finding.sort_key))

    @property
    def has_errors(self) -> bool:
        """Whether anything found so far stops the build."""
        return any(finding.level is Level.ERROR for finding in self._findings)
