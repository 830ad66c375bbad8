"""A flipped bit in what an emitted form says of its skills: the answer is the right one, or there is none."""

from __future__ import annotations

import sys
from importlib import import_module, invalidate_caches
from typing import TYPE_CHECKING, Any

import pytest

from skillpack.digest import content_address
from skillpack.emit import folder as emission
from skillpack.emit import literal, part
from skillpack.emit.folder import folder
from skillpack.emit.layout import INIT, sections
from skillpack.emit.module import parts
from skillpack.runtime import IntegrityError, SkillBundle
from skillpack.runtime.blobs import Blobs
from support.authored import authored
from support.bundles import make_bundle, skill_md

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from skillpack.emit.folder import FolderForm

pytestmark = pytest.mark.slow  # every bit is a bundle that is asked everything

BUNDLE = make_bundle({"other": {"SKILL.md": skill_md("other"), "a.txt": b"A"}}).overlay(
    authored("guarded", "Work.\n", tools=["Read", "Bash(git:*)"], globs=["*.py"], files={"b.bin": b"\0b"})
)


@pytest.fixture(autouse=True)
def _a_page_a_skill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emission, "PAGE_BYTES", 1)


def answers(bundle: SkillBundle, name: str) -> dict[str, Callable[[], object]]:
    """Return what there is to ask about a skill."""

    def permits() -> object:
        session = bundle.session()
        session.load(name)
        return session.permits("Bash", "rm"), session.permits("Read"), session.permits("Write")

    def files() -> object:
        return [
            (file.path, file.size, file.media_type, file.is_text, file.executable, file.bytes())
            for file in bundle[name].files.values()
        ]

    return {
        "permits": permits,
        "files": files,
        "tools": lambda: bundle[name].allowed_tools,
        "globs": lambda: bundle[name].globs,
        "metadata": lambda: bundle[name].metadata,
        "frontmatter": lambda: bundle[name].frontmatter,
        "body": lambda: bundle[name].body,
        "load": lambda: bundle.load(name),
        "read": lambda: [bundle.read(name, path) for path in BUNDLE[name].files],
        "cost": bundle.catalog_cost,
        "catalog": bundle.catalog,
    }


RIGHT = {name: {what: ask() for what, ask in answers(BUNDLE, name).items()} for name in BUNDLE}
CALLS = {name: BUNDLE.call("load_skill", {"name": name}) for name in BUNDLE}
REFUSED = "damaged or altered since it was packed: "


def refused(bundle: SkillBundle, name: str) -> set[str]:
    """Return the questions that are refused; each other has its right answer."""
    found = set()
    for what, ask in answers(bundle, name).items():
        try:
            assert ask() == RIGHT[name][what], what
        except IntegrityError:
            found.add(what)
    answer = bundle.call("load_skill", {"name": name})
    assert answer == CALLS[name] or answer.startswith(REFUSED)
    return found


def flips(data: bytes, step: int = 1) -> Iterator[bytes]:
    for bit in range(0, 8 * len(data), step):
        at, shift = divmod(bit, 8)
        yield data[:at] + bytes([data[at] ^ 1 << shift]) + data[at + 1 :]


def literals_of(source: bytes) -> dict[str, Any]:
    found = sections(source)
    assert found is not None
    return literal.parse(part.split(found.data)[0])


EVERY = set(RIGHT["guarded"]) - {"catalog"}


def test_in_the_one_file_form_every_flip_in_the_index_is_refused_on_the_first_read() -> None:
    literals = literals_of(parts(BUNDLE).source)
    for flipped in flips(literals["_INDEX"]):
        bundle = SkillBundle.packed(literals["_CATALOG"], literals["_SKILLS"], flipped, literals.__getitem__)
        assert refused(bundle, "guarded") == EVERY


def emitted(form: FolderForm) -> dict[str, bytes]:
    return dict(folder(BUNDLE, form, content_address))


def test_in_the_data_form_every_flip_in_a_page_is_refused_and_other_pages_are_read() -> None:
    files = emitted("data")
    literals = literals_of(files[INIT])
    _, page, _ = literals["_PAGES"].decode().split()
    for flipped in flips(files[page]):
        blobs = Blobs(literals["_PAGES"], {**files, page: flipped}.__getitem__)
        bundle = SkillBundle.paged(literals["_CATALOG"], blobs.skills, blobs.page)
        assert refused(bundle, "guarded")
        assert refused(bundle, "other") <= {"cost"}


def test_in_the_package_form_a_flip_in_the_file_of_a_page_is_refused_and_other_pages_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = emitted("package")
    for path, data in files.items():
        (tmp_path / "flipped" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "flipped" / path).write_bytes(data)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    invalidate_caches()
    package = import_module("flipped")
    page = next(path for path in files if path.startswith("_m"))
    source = files[page]
    begin = source.index(b"_INDEX")
    end = source.index(b"\ndef ")
    for flipped in flips(source[begin:end], 7):
        (tmp_path / "flipped" / page).write_bytes(source[:begin] + flipped + source[end:])
        sys.modules.pop(f"flipped.{page[:-3]}", None)
        vars(package).pop(page[:-3], None)
        bundle = SkillBundle.paged(package._CATALOG, package.skills, package._page)
        assert refused(bundle, "guarded") in (EVERY, set())  # none where one spelling became another
        assert refused(bundle, "other") <= {"cost"}


def test_a_flip_in_the_counts_of_pages_gives_no_skill_the_block_of_another() -> None:
    files = emitted("data")
    literals = literals_of(files[INIT])
    blobs = Blobs(literals["_PAGES"], files.__getitem__)
    catalog: bytes = literals["_CATALOG"]
    head, newline, rows = catalog.partition(b"\n")
    start = head.index(b" 1,1 ") + 1
    for flipped in flips(head[start:]):
        if flipped.isascii() and flipped.count(b" ") == 1:
            bundle = SkillBundle.paged(head[:start] + flipped + newline + rows, blobs.skills, blobs.page)
            for name in BUNDLE:
                refused(bundle, name)
            assert bundle.catalog() == BUNDLE.catalog()
            with pytest.raises(IntegrityError):
                bundle.verify()
