"""Skills in memory, and what the screen says about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack import screen
from skillpack.findings import Policy, Report
from skillpack.model import SkillSource, SourceFile
from support.bundles import Captured

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from skillpack.findings import Finding
    from skillpack.rules import Setting


def skill(files: Mapping[str, bytes | str] | Iterable[str]) -> SkillSource:
    """Return a skill at `skills/demo`; files without contents are empty."""
    contents = files if isinstance(files, dict) else dict.fromkeys(files, b"")
    sources = []
    for path, content in contents.items():
        data = content.encode() if isinstance(content, str) else content
        sources.append(SourceFile(path=path, size=len(data), executable=False, content=Captured(data)))
    return SkillSource(directory="demo", place="skills/demo", files=tuple(sources))


def findings(
    files: Mapping[str, bytes | str] | Iterable[str], setting: Setting = "default"
) -> tuple[Finding, ...]:
    """Return all findings about a skill."""
    report = Report(Policy(setting=setting))
    screen.screen(skill(files), report)
    return report.findings


def found(
    files: Mapping[str, bytes | str] | Iterable[str], setting: Setting = "default"
) -> list[tuple[str, str, str]]:
    """Return place in the skill, code and level of each finding."""
    return [
        (finding.path.removeprefix("skills/demo/"), finding.code, finding.level.label)
        for finding in findings(files, setting)
    ]


def levels(path: str, data: bytes | str = b"") -> tuple[str, str]:
    """Return what a single file gets at the default and at strict: `code level`, empty for nothing."""
    default, strict = (
        " ".join(f"{code} {level}" for _, code, level in found({path: data}, setting))
        for setting in ("default", "strict")
    )
    return default, strict
