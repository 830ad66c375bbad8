"""Pages and contents in files beside a module, as the data form has them, and what comes of files that are not there."""

from __future__ import annotations

from importlib.util import spec_from_file_location
from typing import TYPE_CHECKING, NoReturn

import pytest

from skillpack.digest import content_address
from skillpack.emit import literal
from skillpack.emit.folder import folder
from skillpack.emit.layout import INIT, sections
from skillpack.runtime import IntegrityError, SkillBundle
from skillpack.runtime.blobs import Blobs, blobs, reader
from support.bundles import DEMO, SOLO, make_bundle

if TYPE_CHECKING:
    from pathlib import Path

BUNDLE = make_bundle({"demo": DEMO, "solo": SOLO})


def test_a_page_names_the_files_that_its_rows_count() -> None:
    files = {"skills": b"rows\n", "page": b"one\ttwo\nthe index\n", "one": b"1", "two": b"2"}
    asked: list[str] = []

    def read(name: str) -> bytes:
        asked.append(name)
        return files[name]

    beside = Blobs(b"skills\npage\n", read)
    assert asked == []
    index, load = beside.page(0)
    assert index == b"the index\n"
    assert (load("1"), load("0"), load("1")) == (b"2", b"1", b"2")
    beside.page(0)
    assert beside.skills() == beside.skills() == b"rows\n"
    assert asked == ["page", "two", "one", "skills"]


def test_files_are_read_by_the_loader_of_the_package(tmp_path: Path) -> None:
    (tmp_path / INIT).write_bytes(b"")
    (tmp_path / "x.bin").write_bytes(b"\x00\xff")
    spec = spec_from_file_location("some", tmp_path / INIT)
    assert reader(spec)("x.bin") == b"\x00\xff"
    with pytest.raises(FileNotFoundError):
        reader(spec)("y.bin")
    assert blobs(b"x.bin\n", spec) is blobs(b"x.bin\n", spec) is not blobs(b"y.bin\n", spec)
    assert blobs(b"x.bin\n", spec).skills() == b"\x00\xff"


def stored(missing: str) -> SkillBundle:
    """Return the bundle of a data form whose reading fails for `skills`, `pages` or `shards`."""
    files = dict(folder(BUNDLE, "data", content_address))
    found = sections(files[INIT])
    assert found is not None
    literals = literal.parse(found.data)
    catalog, names = literals["_CATALOG"], literals["_PAGES"]
    assert isinstance(catalog, bytes)
    assert isinstance(names, bytes)

    def read(name: str) -> bytes:
        skills, *pages = names.decode().split()
        if name in {"skills": [skills], "pages": pages, "shards": files.keys() - {skills, *pages}}[missing]:
            fail()
        return files[name]

    beside = Blobs(names, read)
    return SkillBundle.paged(catalog, beside.skills, beside.page)


def fail() -> NoReturn:
    raise OSError


def test_a_missing_page_is_damage_of_its_skills_and_of_the_whole() -> None:
    bundle = stored("pages")
    assert bundle.names == ("demo", "solo")
    with pytest.raises(IntegrityError) as caught:
        bundle.verify()
    assert caught.value.paths == ("demo", "solo", ".")


def test_missing_rows_of_skills_are_damage_of_the_whole() -> None:
    bundle = stored("skills")
    assert bundle.catalog() == BUNDLE.catalog()
    for ask in (bundle.verify, bundle.preload, lambda: bundle.names, bundle.session):
        with pytest.raises(IntegrityError) as caught:
            ask()
        assert caught.value.paths == (".",)


def test_a_missing_shard_is_damage_of_its_files() -> None:
    bundle = stored("shards")
    with pytest.raises(IntegrityError) as caught:
        bundle.preload()
    assert caught.value.paths == ("demo/SKILL.md",)
    with pytest.raises(IntegrityError) as caught:
        bundle.verify()
    assert caught.value.paths == ("demo/SKILL.md", "demo/assets/b.bin", "demo/scripts/x.py", "solo/SKILL.md")
