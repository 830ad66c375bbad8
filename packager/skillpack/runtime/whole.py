"""What concerns all of a bundle or a skill at once: its digests, its loading, its writing to disk."""

from __future__ import annotations

from skillpack.runtime.digest import SMALL_BYTES, bundle_digest, index_digest, sha256_hex, skill_digest
from skillpack.runtime.disclosure import styled
from skillpack.runtime.errors import IntegrityError
from skillpack.runtime.listing import TYPE_CHECKING
from skillpack.runtime.model import is_hidden
from skillpack.runtime.packed import is_whole
from skillpack.runtime.paths import check_name, check_paths

if TYPE_CHECKING:
    from skillpack.runtime.bundle import SkillBundle
    from skillpack.runtime.model import Skill, _Directory

MODULES = ("binascii", "difflib", "fnmatch", "hashlib", "json", "pathlib", "shutil", "tempfile")
"""Every module of the standard library that a function of the runtime imports, for `SkillBundle.preload`."""


def verify(bundle: SkillBundle, digest: str | None) -> None:
    """Do what `SkillBundle.verify` does."""
    damaged: list[str] = []
    for skill in bundle.values():
        try:
            frontmatter, _, files = skill._decoded()
            hidden = is_hidden(skill.frontmatter)
            skill._fields()
        except IntegrityError as error:
            damaged += error.paths
            continue
        for file in files.values():
            try:
                file.bytes()
            except IntegrityError as error:
                damaged += error.paths
        indexed = index_digest(skill.name, skill.description, frontmatter) == skill._index_digest
        hashed = skill_digest((file.path, file.digest[7:]) for file in files.values()) == skill.digest
        if not (indexed and hashed and hidden == skill.hidden):
            damaged.append(skill.name)
    computed = bundle_digest((name, skill.digest) for name, skill in bundle.items())
    if computed != bundle.digest or digest not in (None, computed) or not _is_sound(bundle):
        damaged.append(".")
    if damaged:
        raise IntegrityError(damaged)


def _is_sound(bundle: SkillBundle) -> bool:
    """Return whether what a packed bundle shows and what its index says is what was packed."""
    return not bundle._packed or (
        bundle.catalog() == styled(bundle, "markdown") and is_whole(bundle._catalog, bundle._packed[1])
    )


def late() -> tuple[object, ...]:
    """Return something of each late file of the runtime that no other one of them loads."""
    from skillpack.runtime.answering import answer
    from skillpack.runtime.composition import overlaid
    from skillpack.runtime.session import SkillSession

    return answer, overlaid, SkillSession


def preload(bundle: SkillBundle) -> None:
    """Do what `SkillBundle.preload` does."""
    late()
    for name in MODULES:
        __import__(name)
    for size in (0, SMALL_BYTES + 1):
        sha256_hex(bytes(size))
    for skill in bundle.values():
        for file in skill.files.values():
            file._touch()


def extract(skill: Skill, directory: _Directory) -> str:
    """Do what `SkillBundle.extract` does."""
    from pathlib import Path
    from shutil import rmtree
    from tempfile import mkdtemp

    check_paths(skill.files)
    contents = [(file.path, file.bytes(), file.executable) for file in skill.files.values()]
    target = Path(directory, check_name(skill.name))
    taken = f"{target} exists: extract writes to a new place only"
    if target.exists() or target.is_symlink():
        raise FileExistsError(taken)
    target.parent.mkdir(parents=True, exist_ok=True)
    # A new directory of ours alone: nobody can have put a link or a file there.
    part = Path(mkdtemp(prefix=".skill-", dir=target.parent))
    try:
        for path, data, executable in contents:
            place = part / "skill" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            if executable:
                place.chmod(place.stat().st_mode | 0o111)
        try:
            (part / "skill").rename(target)
        except OSError:
            if target.exists():  # somebody was faster
                raise FileExistsError(taken) from None
            raise
    finally:
        rmtree(part, ignore_errors=True)
    return str(target)
