"""The skills that are measured: real ones from public wheels, and S, M and L made from them by a seeded generator.
A made skill has a real one's frontmatter under another name, and its files are those of a real skill, with lines in
another order, cut or repeated until the sizes come out right: they scan, compress and compile like what they were
made from, while no two are equal but those that are meant to be.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from random import Random

from support.wheelhouse import download

WHEELS = {
    "agno": "3.1.10",
    "deepagents-code": "0.1.57",
    "fastapi": "0.165.0",
    "google-adk": "2.13.0",
    "guard-agent": "3.2.4",
    "library-skills": "0.0.19",
    "pydantic-ai-harness": "0.62.0",
    "pydantic-ai-slim": "2.68.0",
    "sqlmodel": "0.0.50",
    "streamlit": "1.67.0",
    "trulens-core": "2.16.0",
    "typer": "0.29.2",
}
"""Public wheels that ship skills, by the name of their distribution: 34 skills, 199 files, 1.7 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """How much is made: `size` is in bytes, `repeated` the part of the files with the contents of an earlier one."""

    skills: int
    files: int
    size: int
    repeated: float


INPUTS = {
    "S": Input(skills=20, files=250, size=1_000_000, repeated=0),
    "M": Input(skills=300, files=1_650, size=17_000_000, repeated=0.25),
    "L": Input(skills=5_000, files=50_000, size=550_000_000, repeated=0.25),
}
"""Source: the design page "Performance", "Inputs"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """A file of a real skill: its POSIX path below the skill and its lines, or bytes that are no text."""

    path: PurePosixPath
    lines: list[bytes]


def real_files() -> list[list[Real]]:
    """Return the files of each real skill, SKILL.md first, in the order of wheels and names."""
    skills = []
    folder = download([f"{name}=={version}" for name, version in WHEELS.items()], "--no-deps")
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            names = sorted(name for name in archive.namelist() if not name.endswith("/"))
            for skill_md in (name for name in names if name.endswith("/SKILL.md")):
                top = skill_md.removesuffix("SKILL.md")
                others = [name for name in names if name.startswith(top) and name != skill_md]
                skills.append(
                    [
                        Real(path=PurePosixPath(name[len(top) :]), lines=archive.read(name).splitlines(True))
                        for name in (skill_md, *others)
                    ]
                )
    return skills


def make(wanted: Input, directory: Path, real: list[list[Real]], *, seed: str) -> None:
    """Write the skills of an input below `directory`, which is a skills root then; they depend on the arguments alone.

    `real` are the files of real skills, SKILL.md first; one of them has more than two.
    """
    random = Random(seed)
    real = [skill for skill in real if _frontmatter(skill[0].lines)]
    whole = [skill for skill in real if len(skill) > 2]
    earlier: list[bytes] = []
    left_files, left_size = wanted.files, wanted.size
    for number in range(wanted.skills):
        skill_name = f"skill-{number:04}"
        manifest = random.choice(real)[0]
        like = random.choice(whole)[1:]
        target = directory / skill_name
        target.mkdir(parents=True)
        mean = left_size / left_files
        body = _shuffled(manifest.lines[_frontmatter(manifest.lines) :], mean, random)
        data = _head(manifest.lines, skill_name, number) + body
        (target / "SKILL.md").write_bytes(data)
        left_files, left_size = left_files - 1, left_size - len(data)
        for other in range(
            left_files // (wanted.skills - number) if number < wanted.skills - 1 else left_files
        ):
            file = random.choice(like)
            path = target / file.path.parent / f"{file.path.stem}-{other}{file.path.suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            if earlier and random.random() < wanted.repeated * wanted.files / (wanted.files - wanted.skills):
                data = random.choice(earlier)
            else:
                data = _shuffled(
                    file.lines, max(0, left_size) / left_files * random.uniform(0.2, 1.8), random
                )
                if len(earlier) < 1_000:
                    earlier.append(data)
            path.write_bytes(data)
            left_files, left_size = left_files - 1, left_size - len(data)


def _frontmatter(lines: list[bytes]) -> int:
    """Return how many lines the frontmatter has, its fences included."""
    return next((at + 1 for at, line in enumerate(lines) if at and line.rstrip() == b"---"), 0)


def _head(lines: list[bytes], name: str, number: int) -> bytes:
    head = b"".join(lines[: _frontmatter(lines)])
    head = re.sub(rb"(?m)^name:.*$", f"name: {name}".encode(), head)
    return re.sub(rb"(?m)^license:.*$", f"license: Terms {number}".encode(), head)


def _shuffled(lines: list[bytes], size: float, random: Random) -> bytes:
    """Return about `size` bytes: the lines in another order, again and again, and a mark that no other has."""
    found = [b"%016x\n" % random.getrandbits(64)]
    left = int(size) - len(found[0])
    while left > 0:
        order = lines[:] or [b"\n"]
        random.shuffle(order)
        for line in order:
            # a character is not cut in two, or a text would be none any more
            kept = line if len(line) <= left else line[:left].decode(errors="ignore").encode()
            found.append(kept)
            left -= len(line)
            if left <= 0:
                break
    return b"".join(found)
