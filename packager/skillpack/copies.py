"""The files of the skills in a wheel, beside the module: `also-files`.

Scanners of installed packages look for `.agents/skills/NAME/SKILL.md` in each package. What they find there is what
the module holds, byte for byte, and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from skillpack.shadow import installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from skillpack.runtime import SkillBundle, SkillFile

HOME = ".agents/skills"


def home(module: str) -> str:
    """Return the directory of the files beside the module at a POSIX path; empty where the module is in no package."""
    package, _, _ = module.rpartition("/")
    return f"{package}/{HOME}" if package else ""


def files(bundle: SkillBundle) -> Iterator[tuple[str, SkillFile]]:
    """Give the files of all skills, each with its POSIX path in the directory."""
    for name, skill in bundle.items():
        for path, file in skill.files.items():
            yield f"{name}/{path}", file


def differences(
    bundle: SkillBundle, directory: str, found: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Give the path in the wheel and the nature of each difference between a module and the files beside it.

    `directory` is where these are, `found` has files of the wheel: the POSIX path, and `sha256:` and hex.
    """
    expected = {f"{directory}/{path}": file.digest for path, file in files(bundle)}
    missing = dict.fromkeys(expected)
    for name, digest in found:
        path = installed(name)
        if path.startswith(f"{directory}/"):
            missing.pop(path, None)
            if path not in expected:
                yield name, "the module holds no such file"
            elif digest != expected[path]:
                yield name, "this file is not the one that the module holds"
    for path in missing:
        yield path, "there is no such file, but the module holds it"


def altered(homes: Iterable[tuple[str, SkillBundle]], found: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Give the path in the wheel of each file that lies where a module has one, and is not that.

    `homes` are modules by the directory where their files would be, `found` is as for `differences`.
    """
    expected = _digests(homes)
    for name, digest in found:
        if digest not in expected.get(installed(name), {digest}):
            yield name


def present(homes: Iterable[tuple[str, SkillBundle]], found: Iterable[tuple[str, str]]) -> set[str]:
    """Return those directories of modules in which a file lies where the module has one; see `altered`."""
    places = {installed(name) for name, _ in found}
    return {home for home, bundle in homes if any(f"{home}/{path}" in places for path, _ in files(bundle))}


def others(homes: Iterable[tuple[str, SkillBundle]], names: Iterable[str]) -> tuple[str, ...]:
    """Return the directories, of one skill each, of files that lie where no module has one, sorted; see `altered`."""
    expected = _digests(homes)
    return tuple(sorted({_directory(name) for name in names if installed(name) not in expected}))


def _digests(homes: Iterable[tuple[str, SkillBundle]]) -> Mapping[str, set[str]]:
    """Return the digests by path: modules in one package may have a file each at one place."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for home, bundle in homes:
        for path, file in files(bundle):
            found[f"{home}/{path}"].add(file.digest)
    return found


def _directory(name: str) -> str:
    """Return the directory of the skill that a file of a wheel belongs to, or where it lies beside skills, of these."""
    above, _, below = f"/{name}".partition(f"/{HOME}/")
    return f"{above}/{HOME}/{below.partition('/')[0] if '/' in below else ''}".strip("/")
