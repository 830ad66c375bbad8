"""The folder forms: a package whose `__init__.py` has the catalog, and whose other parts are loaded on first use."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from skillpack.emit import check, literal, part
from skillpack.emit.index import catalog_bytes, contents, index_bytes, skills_bytes
from skillpack.emit.layout import DATA_BEGINS, DATA_ENDS, INIT, PUBLIC_NAMES, Sections
from skillpack.emit.preamble import EXPORTS, how_to_use, preamble
from skillpack.emit.runtime_source import FIRST_FILE, first_source, runtime_files
from skillpack.emit.shard import DataForm, PackageForm, Shards, is_cut
from skillpack.model import SKILL_MD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from skillpack.emit.shard import Address, File, Place
    from skillpack.runtime import Skill, SkillBundle, SkillFile

FolderForm = Literal["package", "data"]

PAGE_BYTES = 256 * 1024
"""How long the index of a page gets before the next one begins, in bytes."""
_ROW_BYTES = 140
"""How long the row of a file is without its path, about."""

_DOCUMENTATION = how_to_use(
    "a package that needs nothing but the standard library",
    "The catalog stands below, instructions and files in parts beside this file, which are loaded on first use.",
    "this package is",
)

_BUNDLE = {
    "package": """

def _page(number: int) -> "_Page":
    found: _Page = globals()[f"page_{{number}}"]()
    return found


bundle: "SkillBundle" = ready(_CATALOG, skills, _page, __name__)
""",
    "data": """

def _skills() -> bytes:
    from .{runtime} import blobs

    return blobs(_PAGES, __spec__).skills()


def _page(number: int) -> "_Page":
    from .{runtime} import blobs

    return blobs(_PAGES, __spec__).page(number)


bundle: "SkillBundle" = ready(_CATALOG, _skills, _page, __name__)
""",
}


def folder(
    bundle: SkillBundle, form: FolderForm, address: Address, *, checked: bool = True
) -> Iterator[tuple[str, bytes]]:
    """Give what to write for `bundle` as (path relative to the folder, bytes), `__init__.py` last.

    At any time little more than a shard of each kind is in memory. Each file is checked before it is given:
    `EmissionError` if skillpack wrote what it cannot read. Raises `IntegrityError` when a content does not have its
    digest. `address` gives the `blake3:` address of some bytes. Without `checked` nothing is read back: the bundle is
    that of an artifact, which need not be sound.
    """
    writing = DataForm(address) if form == "data" else PackageForm(address)
    yield from runtime_folder(address).items()
    shards = Shards(writing)
    places: dict[str, Place] = {}
    bodies = {skill.files[SKILL_MD].digest for skill in bundle.values()}
    for file, held in _filled(shards, contents(bundle), bodies):
        if checked:
            check.shard(file, held)
        places |= held
        yield file.path, file.data
    counts: list[tuple[int, str]] = []
    pages: list[str] = []
    indexes: list[bytes] = []
    for skills in _pages(bundle):
        index, shards_of_page = _index(skills, places)
        page = writing.page(index, shards_of_page)
        counts.append((len(skills), sha256(index).hexdigest()))
        pages.append(page.name)
        indexes.append(index)
        if checked:
            check.page(page, index, shards_of_page)
        yield page.path, page.data
    rows = skills_bytes(bundle)
    table = writing.table(rows)
    if checked:
        check.table(table, rows)
    yield table.path, table.data
    catalog = catalog_bytes(bundle, sha256(b"".join(indexes)).hexdigest(), counts)
    source = _init(form, address, catalog, table.name, pages).source
    if checked:
        check.package(source, bundle, rows, indexes, [table.name, *pages])
    yield INIT, source


def source_address(bundle: SkillBundle, form: FolderForm, address: Address) -> str:
    """Return the `address` of all that `folder` makes its files from, but its own code: the index, without places."""
    index = sha256()
    for skill in bundle.values():
        index.update(index_bytes([skill], lambda _: ()))
    catalog = catalog_bytes(bundle, index.hexdigest())
    return address(b"%b\n%b%b" % (form.encode("ascii"), catalog, skills_bytes(bundle)))


def _filled(
    shards: Shards, files: Mapping[str, SkillFile], bodies: Collection[str]
) -> Iterator[tuple[File, dict[str, Place]]]:
    for digest, file in files.items():
        yield from shards.take(digest, file.bytes(), is_body=digest in bodies)
    yield from shards.close()


def _pages(bundle: SkillBundle) -> Iterator[list[Skill]]:
    """Give the skills that share a page: whole skills, by about the size of what the index says of them."""
    skills: list[Skill] = []
    size = 0
    for skill in bundle.values():
        if size > PAGE_BYTES or is_cut(size, skill.digest):
            yield skills
            skills, size = [], 0
        skills.append(skill)
        size += 2 * len(skill.description) + sum(len(path) + _ROW_BYTES for path in skill.files)
    yield skills


def _index(skills: list[Skill], places: Mapping[str, Place]) -> tuple[bytes, list[tuple[str, str]]]:
    """Return the index of some skills, and the shards that its rows count: (name, kind)."""
    numbers: dict[str, int] = {}
    kinds: dict[str, str] = {}

    def columns(digest: str) -> tuple[str, ...]:
        place = places[digest]
        number = numbers.setdefault(place.shard, len(numbers))
        kinds[place.shard] = place.kind
        return place.encoding, str(number), str(place.start), str(place.length)

    index = index_bytes(skills, columns)
    return index, [(name, kinds[name]) for name in numbers]


def _init(form: FolderForm, address: Address, catalog: bytes, table: str, pages: list[str]) -> Sections:
    """Return the source of `__init__.py` in its parts."""
    head, tail = _code(form, next(iter(runtime_folder(address))).partition("/")[0])
    data = literal.render(literal.CATALOG, catalog, long=True)
    if form == "data":
        names = "".join(f"{name}\n" for name in [table, *pages]).encode("ascii")
        data += literal.render(literal.PAGES, names, long=True)
    else:
        data += part.render_skills(table)
        data += b"".join(part.render_page(number, name) for number, name in enumerate(pages))
    return Sections(head=head, data=data, tail=tail)


@cache
def _code(form: FolderForm, runtime: str) -> tuple[bytes, bytes]:
    head = f"{preamble(_DOCUMENTATION)}\n{first_source(runtime, PUBLIC_NAMES)}\n\n"
    tail = f"{EXPORTS}{_BUNDLE[form].format(runtime=runtime)}"
    return b"%b%b\n" % (head.encode("ascii"), DATA_BEGINS), b"%b\n%b" % (DATA_ENDS, tail.encode("ascii"))


@cache
def runtime_folder(address: Address) -> dict[str, bytes]:
    """Return the files of the runtime by their paths, in a folder that is named by them all.

    So a run that is killed leaves no new runtime over old data.
    """
    about = "The runtime of the agent skills in this package"
    sources: dict[str, bytes] = {}
    for name, source in runtime_files().items():
        title = about if name == FIRST_FILE else f"{about}: {name}"
        sources[f"{name}.py"] = f"{preamble(f'{title}.')}\n{source}".encode("ascii")
    digests = "".join(f"{sha256(sources[name]).hexdigest()}  {name}\n" for name in sorted(sources))
    folder_name = "_r" + address(digests.encode("ascii")).removeprefix("blake3:")[:16]
    return {f"{folder_name}/{name}": data for name, data in sources.items()}
