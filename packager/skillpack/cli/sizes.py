"""The sizes of a bundle as `inspect` prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillpack.findings import visible
from skillpack.reporting import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def lines(sizes: Mapping[str, Any]) -> Iterator[str]:
    """Give what `skillpack.sizes.sizes` returned, a line each."""
    yield (
        f"  sizes: {sizes['source']:,} bytes of source, about {sizes['wheel']:,} in a wheel, "
        f"catalog {count(sizes['catalog_chars'], 'character')}"
    )
    saved = sizes["contents"] - sizes["distinct"]
    if sizes["duplicates"]:
        yield f"    {count(sizes['duplicates'], 'duplicate')}: {saved:,} bytes saved"
    kinds = [
        (row["size"], f"{row['kind']}, {'text' if row['text'] else 'binary'}, {count(row['files'], 'file')}")
        for row in sizes["kinds"]
    ]
    skills = [
        (row["size"], f"{name}, {row['own']:,} of them its own") for name, row in sizes["skills"].items()
    ]
    largest = [(row["size"], f"{row['skill']}/{row['path']}") for row in sizes["largest"]]
    yield from _block("by kind", kinds)
    yield from _block("by skill", sorted(skills, key=lambda row: -row[0]))
    yield from _block("largest files", largest)


def _block(title: str, rows: Sequence[tuple[int, str]]) -> Iterator[str]:
    yield f"    {title}"
    width = max((len(f"{size:,}") for size, _ in rows), default=0)
    for size, text in rows:
        yield f"      {size:>{width},}  {visible(text)}"
