"""What an emitted module holds: its catalog's rows and the index of its files, decoded on first use."""

from __future__ import annotations

from skillpack.runtime.digest import sha256_hex
from skillpack.runtime.listing import TYPE_CHECKING
from skillpack.runtime.model import _DAMAGE, Skill, SkillFile, damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from skillpack.runtime.bundle import SkillBundle
    from skillpack.runtime.model import _Bytes, _Loader, _Page, _Parts


def unpacked(bundle: SkillBundle) -> dict[str, Skill]:
    """Return the skills that a bundle's catalog lists, by their names in order."""
    try:
        return {
            skill.name: skill
            for skill in sorted(_skills(bundle._catalog, *bundle._packed), key=lambda skill: skill.name)
        }
    except _DAMAGE:
        raise damaged(".") from None


def _skills(
    catalog: _Bytes, skills: Callable[[], _Bytes], page: Callable[[int], _Page], checked: bool
) -> Iterator[Skill]:
    head, *shown = catalog.decode("utf-8").split("\n")[:-1]
    rows = [row.split("\t") for row in skills().decode("utf-8").split("\n")[:-1]]
    counts, digests = page_table(head, len(rows))
    # Or a skill would be given the block or the description of another.
    if sum(counts) != len(rows) or len(shown) != sum(row[1] != "h" for row in rows):
        raise ValueError
    left, lines = iter(rows), iter(shown)
    for number, count in enumerate(counts):
        blocks = _Blocks(number, digests[number] if checked else None, page)
        for at in range(count):
            name, kind, digest, indexed, *true = next(left)
            line = next(lines) if kind != "h" else ""
            start = f"- **{name}**: "
            if not true and not line.startswith(start):
                raise ValueError
            description = unescaped(true[0]) if true else line[len(start) :]
            yield Skill(
                name=name,
                description=description,
                digest=digest,
                index_digest=indexed,
                hidden=kind == "h",
                load=blocks.parts(name, at),
            )


def page_table(head: str, rows: int) -> tuple[list[int], list[str]]:
    """Return how many skills each page of the index holds, and the SHA-256 hex of each, of the catalog's first line.

    Without counts there is one page, which holds all the `rows` that the catalog has.
    """
    columns = head.split(" ")
    if len(columns) == 4:
        return [rows], [columns[3][7:]]
    return [int(count) for count in columns[4].split(",")], columns[5].split(",")


def is_whole(catalog: _Bytes, page: Callable[[int], _Page]) -> bool:
    """Return whether the index is as recorded: text fields, media types and execute bits have no other digest."""
    head = catalog[: catalog.find(b"\n")].decode("ascii")
    try:
        pages = range(len(page_table(head, 0)[0]))
        return "sha256:" + sha256_hex(b"".join(page(number)[0] for number in pages)) == head.split(" ")[3]
    except _DAMAGE:
        return False


def unescaped(text: str) -> str:
    r"""Return a text of a skill's row: `\\`, `\n` and `\t` are a backslash, a newline and a tab."""
    if "\\" not in text:
        return text
    return "\\".join(part.replace("\\n", "\n").replace("\\t", "\t") for part in text.split("\\\\"))


class _Blocks:
    """A page of the index, held against its SHA-256 hex and split on first use."""

    __slots__ = ("_digest", "_number", "_page", "_split")
    _split: tuple[list[_Bytes], _Loader] | None

    def __init__(self, number: int, digest: str | None, page: Callable[[int], _Page]) -> None:
        self._number, self._digest, self._page, self._split = number, digest, page, None

    def parts(self, owner: str, at: int) -> Callable[[], _Parts]:
        """Return what decodes the block at a place for the skill that owns it."""

        def parts() -> _Parts:
            split = self._split
            if split is None:
                index, load = self._page(self._number)
                # What it says of fields, kinds and flags has no digest of its own.
                if self._digest not in (None, sha256_hex(index)):
                    raise damaged(owner)
                self._split = split = index.split(b"\n\n"), load
            blocks, load = split
            frontmatter, fields, *rows = blocks[at].decode("utf-8").split("\n")
            return frontmatter, fields, tuple(_packed_file(owner, row, load) for row in rows)

        return parts


def _packed_file(owner: str, row: str, load: _Loader) -> SkillFile:
    path, size, digest, media_type, flags, encoding, *where = row.split("\t")

    def content() -> _Bytes:
        literal = load(where[0] if where else f"_{digest}")
        if where:
            start, length = map(int, where[1:])
            literal = literal[start : start + length]
        if isinstance(literal, str):
            return literal.encode("utf-8")
        if encoding == "6":
            from binascii import a2b_base64

            return a2b_base64(literal)
        return literal

    return SkillFile(
        path=path,
        size=int(size),
        digest=f"sha256:{digest}",
        media_type=media_type,
        is_text="t" in flags,
        executable="x" in flags,
        load=content,
        owner=owner,
    )


class ModuleName:
    """The name of a module, which pickles as the module itself.

    By built-in functions alone: one of the runtime's own may lie elsewhere when the pickle is read, since a package
    has its runtime in a folder that is named by its content.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __reduce__(self) -> Any:
        return __import__, (self._name, None, None, ["bundle"])
