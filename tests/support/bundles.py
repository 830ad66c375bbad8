"""Bundles made in memory, through the packager's own addressing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from skillpack import digest
from skillpack.model import Frontmatter, Json, SkillSource, SourceFile
from skillpack.runtime.digest import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from skillpack.runtime import SkillBundle

DEMO = {
    "SKILL.md": b"---\nname: demo\ndescription: A demo skill\n---\n# Hi\n",
    "assets/b.bin": b"\xff\x00\x01",
    "scripts/x.py": b"print(1)\n",
}
"""The skill `demo` of the design page "Formats"."""

SOLO = {"SKILL.md": b"---\nname: solo\ndescription: One file\n---\n"}
"""The skill `solo` of the design page "Formats"."""


class Captured:
    """Bytes in memory, as the content store gives them."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.fingerprint = digest.fingerprint(data)
        self.identity = self.fingerprint.blake3

    def read(self) -> bytes:
        return self.data


def skill_md(name: str, description: str = "A skill", body: str = "# Hi\n", **fields: str) -> bytes:
    """Return a SKILL.md; each further field is a line of the frontmatter, `_` in its key standing for `-`."""
    rows = {
        "name": name,
        "description": description,
        **{key.replace("_", "-"): fields[key] for key in fields},
    }
    head = "".join(f"{key}: {value}\n" for key, value in rows.items())
    return f"---\n{head}---\n{body}".encode()


def make_source(
    name: str,
    files: Mapping[str, bytes],
    *,
    executable: Collection[str] = (),
    frontmatter: Frontmatter | None = None,
) -> tuple[SkillSource, Frontmatter]:
    """Return what discovery and frontmatter give for a skill; plain `key: value` lines are understood."""
    sources = tuple(
        SourceFile(path=path, size=len(data), executable=path in executable, content=Captured(data))
        for path, data in sorted(files.items(), key=lambda item: item[0].encode())
    )
    values: dict[str, Json] = {}
    for line in files["SKILL.md"].decode().split("\n---\n")[0].splitlines()[1:]:
        key, _, value = line.partition(": ")
        values[key] = value
    made = frontmatter or Frontmatter(
        name=name, description=str(values.get("description", "")), values=values
    )
    return SkillSource(directory=name, place=f"skills/{name}", files=sources), made


def make_bundle(
    skills: Mapping[str, Mapping[str, bytes]], *, executable: Collection[str] = ()
) -> SkillBundle:
    """Return a bundle of skills given as name → path → bytes."""
    made = [make_source(name, files, executable=executable) for name, files in skills.items()]
    return digest.address(made).bundle


def damaged_bundle() -> SkillBundle:
    """Return a bundle of one skill whose content is no longer what was hashed."""
    source, fields = make_source("x", {"SKILL.md": skill_md("x")})
    bundle = digest.address([(source, fields)]).bundle
    captured = source.files[0].content
    assert isinstance(captured, Captured)
    captured.data = b"changed since it was hashed"
    return bundle


def structural_files(contents: Mapping[str, bytes]) -> dict[str, SimpleNamespace]:
    """Return what has the structure of a skill's files, with digests that hold, whatever their paths are."""
    return {
        path: SimpleNamespace(
            path=path,
            size=len(data),
            digest=f"sha256:{sha256_hex(data)}",
            media_type="text/plain",
            is_text=True,
            executable=False,
            bytes=lambda data=data: data,
        )
        for path, data in contents.items()
    }
