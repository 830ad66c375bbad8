"""The one-file form: a Python module that carries the runtime, the skills and the bundle made of them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from skillpack.emit import check, literal
from skillpack.emit.index import catalog_bytes, contents, index_bytes, skills_bytes
from skillpack.emit.layout import DATA_BEGINS, DATA_ENDS, Sections
from skillpack.emit.preamble import EXPORTS, how_to_use, preamble
from skillpack.emit.runtime_source import runtime_source
from skillpack.rules import Level
from skillpack.runtime.digest import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.findings import Report
    from skillpack.runtime import SkillBundle

LARGE_MODULE_BYTES = 2 * 2**20
MAX_MODULE_BYTES = 10 * 2**20

_DOCUMENTATION = how_to_use(
    "one module that needs nothing but the standard library",
    "The skills stand as literals at the end, each named by the SHA-256 of its content.",
    "this file is",
)
_TAIL = f"""
{EXPORTS}
bundle: SkillBundle = SkillBundle.packed(_CATALOG, _SKILLS, _INDEX, globals().__getitem__, __name__)
"""


def module(
    bundle: SkillBundle, *, place: str, report: Report, source: bytes | None = None
) -> Iterator[tuple[str, bytes]]:
    """Give what to write for `bundle` as (relative path, bytes): one pair, whose path is empty.

    `place` is the module as findings show it, `source` what `small` gave for `bundle`, where it was asked. A module over
    2 MiB is the finding `module-large`, one over 10 MiB `module-too-large`; where that is an error, nothing is given. The
    source is checked before it is given:
    `EmissionError` if skillpack wrote what it cannot read.
    """
    # No content is shorter as a literal than as it is, so what cannot fit is not rendered at all.
    least = _least(bundle)
    if least > MAX_MODULE_BYTES and report.level("module-too-large", place) is Level.ERROR:
        _report_size(least, place, report)
        return
    data = parts(bundle).source if source is None else source
    if _report_size(len(data), place, report) is Level.ERROR:
        return
    check.check(data, bundle)
    yield "", data


def small(bundle: SkillBundle) -> bytes | None:
    """Return the module if it is no larger than what is imported without a second thought, 2 MiB, else None."""
    source = parts(bundle).source if _least(bundle) <= LARGE_MODULE_BYTES else b""
    return source if 0 < len(source) <= LARGE_MODULE_BYTES else None


def _least(bundle: SkillBundle) -> int:
    return sum(file.size for file in contents(bundle).values())


def parts(bundle: SkillBundle) -> Sections:
    """Return the module's source in its parts: ASCII with LF line ends, the same bytes for the same skills.

    Raises `IntegrityError` when a content does not have its digest.
    """
    head, tail = _code()
    rendered: list[bytes] = []
    encodings: dict[str, literal.Encoding] = {}
    for digest, file in contents(bundle).items():
        data = file.bytes()
        encodings[digest] = literal.encoding(data)
        rendered.append(literal.render(literal.content_name(digest), data, encodings[digest]))
    index = index_bytes(bundle.values(), lambda digest: (encodings[digest],))
    rendered.insert(0, literal.render(literal.CATALOG, catalog_bytes(bundle, sha256_hex(index))))
    rendered.insert(1, literal.render(literal.SKILLS, skills_bytes(bundle)))
    rendered.insert(2, literal.render(literal.INDEX, index))
    return Sections(head=head, data=b"".join(rendered), tail=tail)


@cache
def _code() -> tuple[bytes, bytes]:
    """Return what stands before and after the data; it is the same in every module."""
    head = f"{preamble(_DOCUMENTATION)}\n{runtime_source()}\n\n".encode("ascii")
    return b"%b%b\n" % (head, DATA_BEGINS), b"%b\n%b" % (DATA_ENDS, _TAIL.encode("ascii"))


def _report_size(size: int, place: str, report: Report) -> Level:
    """Report a module of `size` bytes, or at least as many, when it is large; return the finding's level."""
    amount = f"{size / 2**20:.1f} MiB of source"
    if size > MAX_MODULE_BYTES:
        return report.add(
            "module-too-large",
            place,
            f"the module would be {amount}, the limit is {MAX_MODULE_BYTES >> 20} MiB",
            hint='set format = "package", or leave large files out with `exclude`',
        )
    if size > LARGE_MODULE_BYTES:
        return report.add(
            "module-large",
            place,
            f"the module is {amount}: every import pays for it, most where no .pyc is kept",
            hint='set format = "package", or leave large files out with `exclude`',
        )
    return Level.OFF
