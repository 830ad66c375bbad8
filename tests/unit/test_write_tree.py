"""New directories and files: all at once, never over anything, never outside of their place."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from skillpack.errors import OutputError
from skillpack.write import write_new_file, write_new_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = [
    ("demo/SKILL.md", b"# Hi\n", False),
    ("demo/scripts/x.sh", b"#!/bin/sh\n", True),
    ("index.json", b"{}\n", False),
]


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


def contents(place: Path) -> dict[str, bytes]:
    return {
        path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()
    }


def modes(place: Path) -> dict[str, int]:
    return {
        path.relative_to(place).as_posix(): stat.S_IMODE(path.lstat().st_mode)
        for path in (place, *place.rglob("*"))
    }


def without_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refused)


EXPECTED = {path: data for path, data, _ in FILES}
MODES = {
    ".": 0o755,
    "demo": 0o755,
    "demo/SKILL.md": 0o644,
    "demo/scripts": 0o755,
    "demo/scripts/x.sh": 0o755,
    "index.json": 0o644,
}


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o000])
def test_a_new_directory_has_the_files_and_their_modes_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_new_tree(tmp_path / "out", FILES)
    finally:
        os.umask(before)
    assert contents(tmp_path / "out") == EXPECTED
    assert modes(tmp_path / "out") == MODES
    assert names(tmp_path) == ["out"]


def test_an_empty_directory_is_filled_and_stays_the_one_it_is(tmp_path: Path) -> None:
    place = tmp_path / "out"
    place.mkdir(0o700)
    before = place.stat().st_ino
    write_new_tree(place, FILES)
    assert contents(place) == EXPECTED
    assert (place.stat().st_ino, stat.S_IMODE(place.stat().st_mode)) == (before, 0o700)


def test_the_current_directory_may_be_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_new_tree(Path(), FILES)
    assert contents(tmp_path) == EXPECTED


def test_nothing_to_write_makes_an_empty_directory(tmp_path: Path) -> None:
    write_new_tree(tmp_path / "out", [])
    assert names(tmp_path / "out") == []


def test_what_is_there_is_refused_and_stays(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_bytes(b"1")
    (tmp_path / "file").write_bytes(b"2")
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    (tmp_path / "empty").mkdir()
    for name, reason in {
        "full": "is not empty, and an export overwrites nothing; remove it, or name another place",
        "file": "exists and is no directory, and an export overwrites nothing",
        "link": "is a link, and skillpack does not write through links",
        "gone/out": "does not exist; create it if the path is right",
        "file/out": "cannot be written (Not a directory)",
    }.items():
        with pytest.raises(OutputError) as raised:
            write_new_tree(tmp_path / name, FILES)
        assert str(raised.value).startswith(str(tmp_path / name))
        assert reason in str(raised.value)
    assert names(tmp_path) == ["empty", "file", "full", "link"]
    assert contents(tmp_path) == {"file": b"2", "full/mine": b"1"}


@pytest.mark.parametrize(
    "path", ["../escape", "/etc/passwd", "a/../../b", "", "a//b", ".", "a\\b", "C:evil", "a\0b", "a\nb"]
)
def test_a_path_that_would_leave_the_directory_is_refused_and_nothing_is_left(
    tmp_path: Path, path: str
) -> None:
    with pytest.raises(OutputError, match="would not be a file below"):
        write_new_tree(tmp_path / "out", [*FILES, (path, b"!", False)])
    assert names(tmp_path) == []


@pytest.mark.parametrize("path", ["demo/SKILL.md", "index.json/x", "demo"])
def test_paths_that_are_one_for_the_file_system_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(OutputError, match="this file system cannot tell it from another path"):
        write_new_tree(tmp_path / "out", [*FILES, (path, b"!", False)])
    assert names(tmp_path) == []


@pytest.mark.parametrize("path", ["x/aux.md", "nul/x", "x/a:b", "x/a?", "x/trailing.", "x/blank "])
def test_names_that_windows_keeps_for_itself_are_refused_there_alone(tmp_path: Path, path: str) -> None:
    with pytest.raises(OutputError, match="Windows"):
        write_new_tree(tmp_path / "windows", [(path, b"!", False)], windows=True)
    write_new_tree(tmp_path / "other", [(path, b"!", False)], windows=False)
    assert names(tmp_path) == ["other"]


def test_names_that_windows_takes_are_written_there(tmp_path: Path) -> None:
    files = [*FILES, ("e\u0301/x.md", b"!", False)]  # not in normal form C, which Windows does not mind
    write_new_tree(tmp_path / "out", files, windows=True)
    assert contents(tmp_path / "out") == {**EXPECTED, "e\u0301/x.md": b"!"}


def test_what_is_raised_while_files_are_made_leaves_nothing(tmp_path: Path) -> None:
    def failing() -> Iterator[tuple[str, bytes, bool]]:
        yield FILES[0]
        raise KeyboardInterrupt

    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        with pytest.raises(KeyboardInterrupt):
            write_new_tree(tmp_path / name, failing())
    assert names(tmp_path) == ["empty"]
    assert names(tmp_path / "empty") == []


def test_an_entry_that_cannot_be_moved_takes_back_those_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self.name == "index.json":
            raise OSError(errno.EIO, "broken")
        return rename(self, target)

    without_links(monkeypatch)
    monkeypatch.setattr(Path, "rename", failing)
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match=r"out: cannot be written \(broken\)"):
        write_new_tree(tmp_path / "out", FILES)
    assert names(tmp_path / "out") == []


def test_an_interrupt_in_the_middle_of_a_move_takes_back_what_was_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def interrupted(source: Path, target: Path) -> None:
        link(source, target)
        raise KeyboardInterrupt

    (tmp_path / "out").mkdir()
    monkeypatch.setattr(os, "link", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_new_tree(tmp_path / "out", FILES)
    assert names(tmp_path / "out") == []
    monkeypatch.undo()
    write_new_tree(tmp_path / "out", FILES)
    assert names(tmp_path / "out") == sorted({name.partition("/")[0] for name, _, _ in FILES})


def test_a_directory_that_somebody_made_in_the_meantime_is_not_replaced(tmp_path: Path) -> None:
    def slow() -> Iterator[tuple[str, bytes, bool]]:
        yield FILES[0]
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "theirs").write_bytes(b"1")

    with pytest.raises(OutputError, match="cannot be written"):
        write_new_tree(tmp_path / "out", slow())
    assert contents(tmp_path) == {"out/theirs": b"1"}


def test_a_new_file_appears_with_its_bytes_and_mode(tmp_path: Path) -> None:
    write_new_file(tmp_path / "a.json", b"{}\n")
    assert contents(tmp_path) == {"a.json": b"{}\n"}
    assert modes(tmp_path)["a.json"] == 0o644


def test_a_file_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "directory").mkdir()
    for name in ("a.json", "dangling", "directory"):
        with pytest.raises(OutputError, match="exists, and an export overwrites nothing"):
            write_new_file(tmp_path / name, b"{}")
    with pytest.raises(OutputError, match="does not exist; create it"):
        write_new_file(tmp_path / "gone" / "a.json", b"{}")
    assert contents(tmp_path) == {"a.json": b"mine"}


@pytest.mark.parametrize("has_links", [True, False])
def test_a_new_file_is_the_only_one_with_or_without_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
) -> None:
    if not has_links:
        without_links(monkeypatch)
    (tmp_path / "out").mkdir()
    write_new_tree(tmp_path / "out", FILES)
    write_new_file(tmp_path / "a.json", b"{}\n")
    assert contents(tmp_path) == {
        "a.json": b"{}\n",
        **{f"out/{path}": data for path, data in EXPECTED.items()},
    }
    assert {(tmp_path / path).stat().st_nlink for path in contents(tmp_path)} == {1}
    assert modes(tmp_path / "out") == MODES


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_that_somebody_makes_in_the_meantime_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_links: bool
) -> None:
    real = os.fsync

    def slow(descriptor: int) -> None:
        (tmp_path / "a.json").write_bytes(b"theirs")
        real(descriptor)

    if not has_links:
        without_links(monkeypatch)
    monkeypatch.setattr(os, "fsync", slow)
    with pytest.raises(OutputError, match=r"a\.json: exists, and an export overwrites nothing; remove it"):
        write_new_file(tmp_path / "a.json", b"ours")
    assert contents(tmp_path) == {"a.json": b"theirs"}


@pytest.mark.parametrize("has_links", [True, False])
@pytest.mark.parametrize(
    ("entry", "files", "reason"),
    [
        ("index.json", FILES, "exists, and an export overwrites nothing"),
        ("demo", FILES[::-1], r"cannot be written \(Not a directory\)"),
        ("demo/theirs", FILES[::-1], r"cannot be written \(Directory not empty\)"),
    ],
)
def test_an_entry_that_somebody_makes_in_the_meantime_is_not_replaced(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    entry: str,
    files: list[tuple[str, bytes, bool]],
    reason: str,
    *,
    has_links: bool,
) -> None:
    if not has_links:
        without_links(monkeypatch)
    out = tmp_path / "out"
    out.mkdir()

    def slow() -> Iterator[tuple[str, bytes, bool]]:
        yield from files
        (out / entry).parent.mkdir(exist_ok=True)
        (out / entry).write_bytes(b"theirs")

    with pytest.raises(OutputError, match=reason):
        write_new_tree(out, slow())
    assert contents(out) == {entry: b"theirs"}
    assert names(out) == [entry.partition("/")[0]]


@pytest.mark.parametrize("is_there", [False, True])
def test_what_a_killed_run_left_goes_with_the_next(tmp_path: Path, *, is_there: bool) -> None:
    out = tmp_path / "out"
    if is_there:
        out.mkdir()
    left = (out if is_there else tmp_path) / ".skillpack-0123456789abcdef.tmp"
    (left / "demo").mkdir(parents=True)
    (left / "demo" / "SKILL.md").write_bytes(b"half")
    write_new_tree(out, FILES)
    assert contents(tmp_path) == {f"out/{path}": data for path, data in EXPECTED.items()}
    (tmp_path / ".skillpack-0123456789abcdef.tmp").write_bytes(b"half")
    write_new_file(tmp_path / "new", b"new")
    assert names(tmp_path) == ["new", "out"]


def test_an_export_that_goes_on_keeps_its_directory(tmp_path: Path) -> None:
    def meanwhile() -> Iterator[tuple[str, bytes, bool]]:
        yield FILES[0]
        write_new_file(tmp_path / "another", b"")
        yield from FILES[1:]

    write_new_tree(tmp_path / "out", meanwhile())
    assert contents(tmp_path / "out") == EXPECTED


def test_where_directories_cannot_be_locked_it_works_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(path: Path) -> None:
        path.mkdir()

    monkeypatch.setattr("skillpack.temporary.create_directory", nothing)
    write_new_tree(tmp_path / "out", FILES)
    assert contents(tmp_path / "out") == EXPECTED
