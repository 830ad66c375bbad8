"""The catalog and the index of a bundle, as `SkillBundle.packed` and `SkillBundle.paged` read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.runtime.assembly import text_fields
from skillpack.runtime.bundle import FORMAT
from skillpack.runtime.digest import canonical_json, index_digest
from skillpack.runtime.disclosure import catalog_lines, shown_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from skillpack.runtime import Skill, SkillBundle, SkillFile


def contents(bundle: SkillBundle) -> dict[str, SkillFile]:
    """Return one file for each distinct content, by its digest, in the order of skills and then paths."""
    found: dict[str, SkillFile] = {}
    for skill in bundle.values():
        for file in skill.files.values():
            found.setdefault(file.digest, file)
    return found


def catalog_bytes(bundle: SkillBundle, index: str, pages: Sequence[tuple[int, str]] = ()) -> bytes:
    """Return the catalog: a head line, then the lines that are shown.

    The head line has `index`, the SHA-256 hex of the index, so that an edit shows even where no digest of a skill is
    taken over it: text fields, media types and execute bits. `pages` says how many skills each page of the index holds
    and what the SHA-256 hex of the page is, if it has pages: so that each is checked when it is loaded.
    """
    columns = ["skillpack", str(FORMAT), bundle.digest, f"sha256:{index}"]
    if pages:
        columns += [",".join(str(count) for count, _ in pages), ",".join(digest for _, digest in pages)]
    rows = [" ".join(columns)]
    rows += [catalog_lines([shown_row(skill)]) for skill in bundle.values() if not skill.hidden]
    return "".join(f"{row}\n" for row in rows).encode("utf-8")


def skills_bytes(bundle: SkillBundle) -> bytes:
    """Return the rows of the skills, with the description of those whose line in the catalog is another text."""
    rows = []
    for name, skill in bundle.items():
        indexed = index_digest(name, skill.description, canonical_json(skill.frontmatter))
        row = [name, "h" if skill.hidden else "-", skill.digest, indexed]
        if skill.hidden or shown_row(skill) != (name, skill.description):
            row.append(skill.description.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t"))
        rows.append("\t".join(row) + "\n")
    return "".join(rows).encode("utf-8")


def index_bytes(skills: Iterable[Skill], written: Callable[[str], Sequence[str]]) -> bytes:
    """Return the index of some skills, a block a skill.

    `written` gives the last columns of a file's row by its digest (`sha256:` and hex): how its content is written,
    and where if not in a literal of its own.
    """
    blocks = []
    for skill in skills:
        rows = [canonical_json(skill.frontmatter), canonical_json(text_fields(skill))]
        for file in skill.files.values():
            flags = "t" * file.is_text + "x" * file.executable or "-"
            hex_digest = file.digest.removeprefix("sha256:")
            columns = [file.path, str(file.size), hex_digest, file.media_type, flags, *written(file.digest)]
            rows.append("\t".join(columns))
        blocks.append("".join(f"{row}\n" for row in rows) + "\n")
    return "".join(blocks).encode("utf-8")
