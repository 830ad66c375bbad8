"""The one-file form: a Python module that carries the runtime, the skills and the bundle made of them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from skillpack.emit import check, literal
from skillpack.emit.layout import DATA_BEGINS, DATA_ENDS, FIRST_LINE, PUBLIC_NAMES, Sections
from skillpack.emit.runtime_source import runtime_source
from skillpack.rules import Level
from skillpack.runtime.assembly import text_fields
from skillpack.runtime.digest import canonical_json, index_digest, sha256_hex
from skillpack.runtime.model import FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillpack.findings import Report
    from skillpack.runtime import SkillBundle, SkillFile

LARGE_MODULE_BYTES = 2 * 2**20
MAX_MODULE_BYTES = 10 * 2**20

# Line length is all that linters may not judge here (a reformatted literal would be an edit). BLE001 is the one
# `except Exception` of the runtime, which answers whatever a model sends; RUF100 would want the line gone where
# these rules are off. A project that is strict with pyright is so with its own code: the runtime passes `mypy --strict`
# and pyright's standard rules, and its classes share their inner parts.
_HEAD = '''\
# fmt: off
# flake8: noqa: E501
# ruff: noqa: BLE001, E501, RUF100
# pylint: disable=line-too-long,too-many-lines
# pyright: standard
"""Agent skills, packed by skillpack into one module that needs nothing but the standard library.

Import `bundle` from this module:

    bundle.catalog()             names and descriptions, for the system prompt
    bundle.load(name)            a skill's instructions, framed for the model
    bundle.read(name, path)      one file of a skill
    bundle.tools()               the two above as functions for an agent framework
    bundle.call(tool, arguments) the answer to a model's tool call, in text, whatever was sent
    bundle.session()             a conversation that remembers what is loaded, and what that allows
    bundle[name].file(path)      a file with its digest, for the agent's own code

The skills stand as literals at the end, each named by the SHA-256 of its content. To change them, edit their
sources and run skillpack again; `skillpack verify` tells whether this file is what skillpack wrote.
"""
'''

_NAMES = "".join(f'    "{name}",\n' for name in PUBLIC_NAMES)
_TAIL = f"""

__all__ = [
{_NAMES}]

bundle: SkillBundle = SkillBundle.packed(_CATALOG, _INDEX, globals().__getitem__, __name__)
"""


def module(bundle: SkillBundle, *, place: str, report: Report) -> Iterator[tuple[str, bytes]]:
    """Give what to write for `bundle` as (relative path, bytes): one pair, whose path is empty.

    `place` is the module as findings show it. A module over 2 MiB is the finding `module-large`, one over 10 MiB
    `module-too-large`; where that is an error, nothing is given. The source is checked before it is given:
    `EmissionError` if skillpack wrote what it cannot read.
    """
    # No content is shorter as a literal than as it is, so what cannot fit is not rendered at all.
    least = sum(file.size for file in _contents(bundle).values())
    if least > MAX_MODULE_BYTES and report.level("module-too-large", place) is Level.ERROR:
        _report_size(least, place, report)
        return
    data = parts(bundle).source
    if _report_size(len(data), place, report) is Level.ERROR:
        return
    check.check(data, bundle)
    yield "", data


def parts(bundle: SkillBundle) -> Sections:
    """Return the module's source in its parts: ASCII with LF line ends, the same bytes for the same skills.

    Raises `IntegrityError` when a content does not have its digest.
    """
    head, tail = _code()
    rendered: list[bytes] = []
    encodings: dict[str, literal.Encoding] = {}
    for digest, file in _contents(bundle).items():
        data = file.bytes()
        encodings[digest] = literal.encoding(data)
        rendered.append(literal.render(literal.content_name(digest), data, encodings[digest]))
    index = index_bytes(bundle, encodings)
    rendered.insert(0, literal.render(literal.CATALOG, catalog_bytes(bundle, index)))
    rendered.insert(1, literal.render(literal.INDEX, index))
    return Sections(head=head, data=b"".join(rendered), tail=tail)


@cache
def _code() -> tuple[bytes, bytes]:
    """Return what stands before and after the data; it is the same in every module."""
    head = f"{FIRST_LINE.decode('ascii')}\n{_HEAD}\n{runtime_source()}\n\n".encode("ascii")
    return b"%b%b\n" % (head, DATA_BEGINS), b"%b\n%b" % (DATA_ENDS, _TAIL.encode("ascii"))


def _contents(bundle: SkillBundle) -> dict[str, SkillFile]:
    """Return one file for each distinct content, by its digest, in the order of skills and then paths."""
    contents: dict[str, SkillFile] = {}
    for skill in bundle.values():
        for file in skill.files.values():
            contents.setdefault(file.digest, file)
    return contents


def _report_size(size: int, place: str, report: Report) -> Level:
    """Report a module of `size` bytes, or at least as many, when it is large; return the finding's level."""
    amount = f"{size / 2**20:.1f} MiB of source"
    if size > MAX_MODULE_BYTES:
        return report.add(
            "module-too-large",
            place,
            f"the module would be {amount}, the limit is {MAX_MODULE_BYTES >> 20} MiB",
            hint="leave large files out with `exclude`, or split the skills into several modules: "
            "`skillpack bundle SKILLS… -o OUT` once for each",
        )
    if size > LARGE_MODULE_BYTES:
        return report.add(
            "module-large",
            place,
            f"the module is {amount}: every import pays for it, most where no .pyc is kept",
            hint="leave large files out with `exclude`, or split the skills into several modules",
        )
    return Level.OFF


# ------------------------------------------------------------------ the data, as `SkillBundle.packed` reads it


def catalog_bytes(bundle: SkillBundle, index: bytes) -> bytes:
    """Return the catalog: a head line, then a line a skill, as `SkillBundle.packed` documents it.

    The head line ends with the SHA-256 of the index, so that an edit shows even where no digest of a skill is
    taken over it: media types and execute bits.
    """
    rows = [f"skillpack {FORMAT} {bundle.digest} sha256:{sha256_hex(index)}"]
    for name, skill in bundle.items():
        indexed = index_digest(name, skill.description, canonical_json(skill.frontmatter))
        description = skill.description.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
        rows.append("\t".join([name, "h" if skill.hidden else "-", skill.digest, indexed, description]))
    return "".join(f"{row}\n" for row in rows).encode("utf-8")


def index_bytes(bundle: SkillBundle, encodings: Mapping[str, literal.Encoding]) -> bytes:
    """Return the index: a block a skill, as `SkillBundle.packed` documents it.

    `encodings` says for each digest (`sha256:` and hex) how its content is written.
    """
    blocks = []
    for skill in bundle.values():
        rows = [canonical_json(skill.frontmatter), canonical_json(text_fields(skill))]
        for file in skill.files.values():
            flags = "t" * file.is_text + "x" * file.executable or "-"
            hex_digest = file.digest.removeprefix("sha256:")
            rows.append(
                "\t".join(
                    [file.path, str(file.size), hex_digest, file.media_type, flags, encodings[file.digest]]
                )
            )
        blocks.append("".join(f"{row}\n" for row in rows) + "\n")
    return "".join(blocks).encode("utf-8")
