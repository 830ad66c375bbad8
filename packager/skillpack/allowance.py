"""The reviewed exceptions that an artifact was packed under. Source: screening, "Exceptions, reviewed"."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from skillpack import provenance
from skillpack.model import Allowed
from skillpack.runtime.digest import skill_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from skillpack.artifact import Artifact
    from skillpack.findings import Allowance
    from skillpack.runtime import Skill, SkillBundle

_KEYS = tuple(field.name for field in fields(Allowed))


def recorded(artifact: Artifact) -> tuple[Allowed, ...]:
    """Return the exceptions that the manifests of a wheel tell of: the words of who built it, under no digest.

    A manifest that is malformed tells of none; to say so is what `verify` is for.
    """
    return tuple(exception for told in provenance.recorded(artifact) for exception in _told(told))


def _told(told: Mapping[str, Any]) -> tuple[Allowed, ...]:
    try:
        return tuple(Allowed(**{key: _text(row[key]) for key in _KEYS}) for row in told["allow"])
    except (LookupError, TypeError):
        return ()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def known(bundle: SkillBundle, allow: Iterable[Allowance]) -> tuple[Allowed, ...]:
    """Return the exceptions of a configuration whose contents are in a bundle, by skill and path.

    An entry is about what has its digest and a path that its own path ends with. A bundle does not say in which
    directory a skill lay, so where several are, the one with the skill's name before that path goes first.
    """
    by_digest: defaultdict[str, list[Allowance]] = defaultdict(list)
    for entry in allow:
        by_digest[entry.sha256].append(entry)
    found: dict[tuple[str, str, str], Allowed] = {}
    for name, skill in bundle.items() if by_digest else ():
        for path, sha256 in _digests(skill):
            about = [entry for entry in by_digest[sha256] if f"/{entry.path}".endswith(f"/{path}")]
            for entry in sorted(about, key=lambda entry: f"/{entry.path}".endswith(f"/{name}/{path}")):
                found[name, path, entry.rule] = Allowed(
                    skill=name, path=path, rule=entry.rule, sha256=sha256, reason=entry.reason
                )
    return tuple(found[key] for key in sorted(found))


def _digests(skill: Skill) -> Iterator[tuple[str, str]]:
    """Give path and `Finding.sha256` of each file and each directory of a skill."""
    below: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, file in skill.files.items():
        sha256 = file.digest.removeprefix("sha256:")
        yield path, sha256
        at = path.find("/")
        while at >= 0:
            below[path[:at]].append((path[at + 1 :], sha256))
            at = path.find("/", at + 1)
    for directory, files in below.items():
        yield directory, skill_digest(files).removeprefix("sha256:")
