"""What a bundle weighs and why: by skill, by kind of file, what is there twice, what is largest."""

from __future__ import annotations

import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillpack.runtime import SkillBundle, SkillFile

MAX_LARGEST = 10

_VAGUE = ("application/octet-stream", "text/plain")
"""Media types that say less than the file's extension."""


def sizes(bundle: SkillBundle, sources: Iterable[bytes]) -> dict[str, Any]:
    """Return the sizes of a bundle, in bytes and JSON types; `sources` are the emitted files that hold it.

    `contents` is the size of all files of all skills, `distinct` that of the different contents, each of which is
    stored once, and `duplicates` are the files that cost nothing for it. `source` is the size of the emitted files, and
    `wheel` their size when they are compressed as a wheel's are. `catalog_chars` is in characters. `skills` are by
    name, `kinds` from the largest to the smallest, `largest` at most ten files; `own` is what would be gone with the
    skill, and `distinct` of a kind is counted where a content comes first.
    """
    files = [(name, file) for name, skill in bundle.items() for file in skill.files.values()]
    holders: dict[str, set[str]] = {}
    for name, file in files:
        holders.setdefault(file.digest, set()).add(name)
    skills = {name: {"files": 0, "size": 0, "own": 0} for name in bundle}
    kinds: dict[tuple[str, bool], Counter[str]] = {}
    seen: set[tuple[str, str]] = set()
    first: set[str] = set()
    for name, file in files:
        row, kind = skills[name], kinds.setdefault((_kind(file), file.is_text), Counter())
        row["files"] += 1
        row["size"] += file.size
        if holders[file.digest] == {name} and (name, file.digest) not in seen:
            row["own"] += file.size
        seen.add((name, file.digest))
        kind.update(files=1, size=file.size, distinct=0 if file.digest in first else file.size)
        first.add(file.digest)
    rows = [{"kind": kind, "text": is_text, **counts} for (kind, is_text), counts in kinds.items()]
    largest = sorted(files, key=lambda item: (-item[1].size, item[0], item[1].path))[:MAX_LARGEST]
    source = wheel = 0
    for data in sources:
        source += len(data)
        wheel += len(zlib.compress(data))
    return {
        "contents": sum(file.size for _, file in files),
        "distinct": sum(kind["distinct"] for kind in kinds.values()),
        "duplicates": len(files) - len(first),
        "source": source,
        "wheel": wheel,
        "catalog_chars": len(bundle.catalog()),
        "skills": skills,
        "kinds": sorted(rows, key=lambda row: (-int(row["size"]), row["kind"], row["text"])),
        "largest": [{"skill": name, "path": file.path, "size": file.size} for name, file in largest],
    }


def _kind(file: SkillFile) -> str:
    """Return the media type, with the extension where that says more."""
    stem, _, extension = file.path.rpartition("/")[2].rpartition(".")
    return (
        f"{file.media_type} (.{extension.lower()})" if file.media_type in _VAGUE and stem else file.media_type
    )
