"""The files of the skills in a wheel, beside the module: `also-files`.

Scanners of installed packages look for `.agents/skills/NAME/SKILL.md` in each package. What they find there is what
the module holds, byte for byte, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.shadow import installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
