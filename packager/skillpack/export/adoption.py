"""A bundle of any emitted module as the runtime's own, held against the rules before anything is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from skillpack.runtime import SkillBundle
from skillpack.runtime.assembly import adopted, text_fields
from skillpack.runtime.digest import canonical_json
from skillpack.runtime.text import echo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillpack.export.structure import AnyBundle
    from skillpack.runtime import Skill

SKILL_MD = "SKILL.md"


class ExportError(ValueError):
    """A bundle that cannot be exported, or not in this format; `problems` holds one line a fault, all of them."""

    problems: tuple[str, ...]

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(self.problems)


def adopt(bundle: AnyBundle) -> SkillBundle:
    """Return a bundle of the runtime's own classes with the skills of one of any module.

    The bundle may be hostile: raises `ExportError` for a name or a path that is not safe below a directory, for parts
    of other types, and where names, paths and recorded digests do not belong together. Contents are not read yet: each
    is held against its digest when it is, and a damaged one raises `skillpack.runtime.IntegrityError`.
    """
    if not isinstance(bundle, Mapping):
        raise ExportError([f"a bundle is needed, not {echo(bundle)}"])
    skills: list[Skill] = []
    problems: list[str] = []
    for name, skill in bundle.items():
        try:
            made = adopted(skill, name)
            made.file(SKILL_MD)
            canonical_json(text_fields(made)).encode("utf-8")  # halves of surrogate pairs are in no format
            skills.append(made)
        except (ValueError, TypeError) as error:  # each module has an IntegrityError of its own
            problems.append(problem(name, str(error)))
    if not problems:
        whole = SkillBundle(skills)
        if getattr(bundle, "digest", whole.digest) == whole.digest:
            return whole
        problems.append("the bundle does not have the digest that was recorded when it was packed")
    raise ExportError(problems)


def apart(bundle: SkillBundle) -> SkillBundle:
    """Return the bundle if its names can be directories beside one another, whatever the file system.

    Raises `ExportError` for names that differ in nothing but case.
    """
    seen: dict[str, str] = {}
    problems = [
        problem(name, f"some file systems cannot tell its name from {echo(first)}; rename one, or select one")
        for name in bundle
        if (first := seen.setdefault(name.casefold(), name)) != name
    ]
    if problems:
        raise ExportError(problems)
    return bundle


def offered(bundle: SkillBundle, *, hidden: bool) -> list[Skill]:
    """Return the skills that a list for models may hold: all but the hidden ones, or with `hidden` all."""
    return [skill for skill in bundle.values() if hidden or not skill.hidden]


def problem(name: object, fault: str) -> str:
    """Return the line that an `ExportError` has for a fault of a skill."""
    return f"skill {echo(name)}: {fault}"
