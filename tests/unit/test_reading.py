"""Reading directories and files: links are not followed, and what counts is what the open file says."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import stat
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from skillpack.discover.reading import (
    SYSTEM,
    ChangedError,
    Kind,
    System,
    kind_of,
    open_top,
    path_of,
    read_whole,
    shown,
    text_of,
)
from support.discovery import FALLBACK, SYSTEMS, counting, make, meddling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from skillpack.discover.reading import Directory


@pytest.fixture(params=list(SYSTEMS))
def system(request: pytest.FixtureRequest) -> System:
    """Each of the two ways to read."""
    return SYSTEMS[request.param]


@contextlib.contextmanager
def opened(path: Path, system: System) -> Iterator[Directory]:
    with contextlib.closing(open_top(str(path), system)) as directory:
        yield directory


def read(directory: Directory, name: str, system: System = SYSTEM) -> bytes:
    descriptor = directory.open_file(name)
    try:
        return read_whole(descriptor, system.fstat(descriptor), system)
    finally:
        os.close(descriptor)


def test_this_platform_has_descriptors_of_directories() -> None:
    # Otherwise everything below would test one way twice.
    assert SYSTEM.relative
    assert SYSTEM.mode_bits


def test_entries_are_listed_with_what_they_are(tmp_path: Path, system: System) -> None:
    make(tmp_path, {"file": b"", "directory": None})
    (tmp_path / "link").symlink_to("directory")
    os.mkfifo(tmp_path / "pipe")
    with opened(tmp_path, system) as directory:
        assert dict(directory.entries()) == {
            "file": Kind.FILE,
            "directory": Kind.DIRECTORY,
            "link": Kind.LINK,
            "pipe": Kind.SPECIAL,
        }
        assert directory.kind("link") is Kind.LINK


def test_files_and_directories_are_opened_by_name(tmp_path: Path, system: System) -> None:
    make(tmp_path, {"a/b/file": b"contents"})
    status = (tmp_path / "a/b").stat()
    with (
        opened(tmp_path, system) as top,
        contextlib.closing(top.open_directory("a")) as a,
        contextlib.closing(a.open_directory("b")) as b,
    ):
        assert b.identity == (status.st_dev, status.st_ino)
        assert read(b, "file") == b"contents"


def test_the_way_to_the_top_may_have_links(tmp_path: Path, system: System) -> None:
    make(tmp_path, {"real/file": b"contents"})
    (tmp_path / "link").symlink_to("real")
    with opened(tmp_path / "link", system) as top:
        assert read(top, "file") == b"contents"


def test_a_top_that_is_no_directory_is_an_error(tmp_path: Path, system: System) -> None:
    make(tmp_path, {"file": b""})
    with pytest.raises(NotADirectoryError):
        open_top(str(tmp_path / "file"), system)
    with pytest.raises(FileNotFoundError):
        open_top(str(tmp_path / "missing"), system)


@pytest.mark.parametrize("target", ["file", "directory", "missing", "link"])
def test_a_link_is_not_opened_as_a_file(tmp_path: Path, system: System, target: str) -> None:
    make(tmp_path, {"file": b"", "directory": None})
    (tmp_path / "link").symlink_to(target)
    with opened(tmp_path, system) as directory, pytest.raises(OSError, match="symbolic link"):
        directory.open_file("link")


def test_a_link_is_not_opened_as_a_directory(tmp_path: Path, system: System) -> None:
    make(tmp_path, {"directory": None})
    (tmp_path / "link").symlink_to("directory")
    with (
        opened(tmp_path, system) as directory,
        pytest.raises(OSError, match=r"symbolic link|Not a directory"),
    ):
        directory.open_directory("link")


def test_a_file_is_not_opened_as_a_directory(tmp_path: Path, system: System) -> None:
    make(tmp_path, {"file": b""})
    with opened(tmp_path, system) as directory, pytest.raises(NotADirectoryError):
        directory.open_directory("file")


def test_a_fifo_without_a_writer_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with opened(tmp_path, SYSTEM) as directory:
        descriptor = directory.open_file("pipe")
        assert stat.S_ISFIFO(os.fstat(descriptor).st_mode)
        os.close(descriptor)
    with opened(tmp_path, FALLBACK) as directory, pytest.raises(OSError, match="No such device"):
        directory.open_file("pipe")


def test_descriptors_do_not_outlive_an_error(tmp_path: Path) -> None:
    make(tmp_path, {"directory": None, "file": b""})
    counted, counts = counting(SYSTEM)

    def fstat(descriptor: int) -> os.stat_result:
        raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        open_top(str(tmp_path), dataclasses.replace(counted, fstat=fstat))
    failing = dataclasses.replace(counted, relative=False, fstat=fstat)
    with opened(tmp_path, failing) as directory, pytest.raises(OSError, match="Input/output"):
        directory.open_file("file")
    assert counts.most == 1
    assert counts.live == 0


# changes meanwhile


def test_a_file_that_is_another_one_when_opened_by_its_path_is_noticed(tmp_path: Path) -> None:
    make(tmp_path, {"tree/file": b"innocent", "outside": b"secret"})

    def swap() -> None:
        (tmp_path / "tree/file").unlink()
        (tmp_path / "tree/file").symlink_to("../outside")

    swapping, counts = counting(meddling(FALLBACK, "file", swap))
    with opened(tmp_path / "tree", swapping) as directory, pytest.raises(ChangedError):
        directory.open_file("file")
    assert counts.live == 0


def test_a_directory_that_is_another_one_when_listed_by_its_path_is_noticed(tmp_path: Path) -> None:
    make(tmp_path, {"tree/a": b"", "other/b": b""})
    with opened(tmp_path / "tree", FALLBACK) as directory:
        (tmp_path / "tree").rename(tmp_path / "old")
        (tmp_path / "other").rename(tmp_path / "tree")
        with pytest.raises(ChangedError):
            list(directory.entries())


def test_a_directory_that_is_moved_is_read_on_by_its_descriptor(tmp_path: Path) -> None:
    make(tmp_path, {"tree/file": b"innocent", "outside/file": b"secret"})
    with opened(tmp_path / "tree", SYSTEM) as directory:
        (tmp_path / "tree").rename(tmp_path / "old")
        (tmp_path / "tree").symlink_to("outside")
        assert read(directory, "file") == b"innocent"


def during_read(system: System, happens: Callable[[], object], *, most: int | None = None) -> System:
    """Return a platform on which something happens after each read, and reads return at most so many bytes."""

    def read_some(descriptor: int, size: int) -> bytes:
        data = os.read(descriptor, size if most is None else min(size, most))
        happens()
        return data

    return dataclasses.replace(system, read=read_some)


@pytest.mark.parametrize("change", [b"innocent and more", b"short", b"altered!", b""])
def test_a_file_that_is_written_to_while_it_is_read_is_noticed(
    tmp_path: Path, system: System, change: bytes
) -> None:
    make(tmp_path, {"file": b"innocent"})

    def rewrite() -> None:
        (tmp_path / "file").write_bytes(change)
        os.utime(tmp_path / "file", ns=(0, 0))

    with opened(tmp_path, system) as directory, pytest.raises(ChangedError):
        read(directory, "file", during_read(system, rewrite))


@pytest.mark.parametrize("change", [b"longer than that", b"x", b""])
def test_a_file_of_another_length_than_its_status_is_noticed(tmp_path: Path, change: bytes) -> None:
    make(tmp_path, {"file": b"innocent"})
    with opened(tmp_path, SYSTEM) as directory:
        descriptor = directory.open_file("file")
        status = os.fstat(descriptor)
        (tmp_path / "file").write_bytes(change)
        with pytest.raises(ChangedError):
            read_whole(descriptor, status)
        os.close(descriptor)


@pytest.mark.parametrize("most", [1, 3, 8, 9])
@pytest.mark.parametrize("data", [b"", b"x", b"innocent"])
def test_a_system_that_reads_in_pieces_gives_the_whole_file(tmp_path: Path, data: bytes, most: int) -> None:
    make(tmp_path, {"file": data})
    with opened(tmp_path, SYSTEM) as directory:
        assert read(directory, "file", during_read(SYSTEM, lambda: None, most=most)) == data


def test_a_file_is_read_with_one_call(tmp_path: Path) -> None:
    make(tmp_path, {"file": b"innocent", "empty": b""})
    counted, counts = counting(SYSTEM)
    with opened(tmp_path, counted) as directory:
        read(directory, "file", counted)
        read(directory, "empty", counted)
    assert counts.read == 2


SECRET = b"the secret outside"


def race(tmp_path: Path, system: System, seconds: float) -> None:
    """Read a name again and again while a thread swaps it between a file and a link to a file outside."""
    make(tmp_path, {"tree/file": b"innocent", "outside": SECRET, "kept": b"innocent"})
    os.link(tmp_path / "kept", tmp_path / "next")
    name, swapped, done = tmp_path / "tree/file", 0, threading.Event()

    def swap() -> None:
        nonlocal swapped
        while not done.is_set():
            (tmp_path / "link").symlink_to("../outside")
            (tmp_path / "link").replace(name)
            os.link(tmp_path / "kept", tmp_path / "file")
            (tmp_path / "file").replace(name)
            swapped += 1

    swapper = threading.Thread(target=swap)
    swapper.start()
    outcomes = {"read": 0, "refused": 0}
    start = time.monotonic()

    def have_met() -> bool:
        return swapped > 100 and min(outcomes.values()) > 0

    try:
        # On a busy machine it takes longer until swaps and reads have met.
        while (elapsed := time.monotonic() - start) < seconds or (elapsed < 30 and not have_met()):
            try:
                with opened(tmp_path / "tree", system) as directory:
                    data = read(directory, "file", system)
            except (OSError, ChangedError):
                outcomes["refused"] += 1
            else:
                assert data == b"innocent"
                outcomes["read"] += 1
    finally:
        done.set()
        swapper.join()
    assert have_met()


def test_a_file_that_is_swapped_for_a_link_never_leaks(tmp_path: Path, system: System) -> None:
    race(tmp_path, system, 0.5)


@pytest.mark.slow
def test_a_file_that_is_swapped_for_a_link_never_leaks_in_a_longer_race(
    tmp_path: Path, system: System
) -> None:
    race(tmp_path, system, 4)


# names and kinds


@pytest.mark.parametrize("name", ["plain.md", "é.md", "\U0001f600"])
def test_utf_8_names_are_text(name: str) -> None:
    assert text_of(name) == name
    assert shown(name) == name
    assert path_of(Path("/top"), f"a/{name}") == Path("/top/a") / name


def test_other_names_are_none_and_are_shown_escaped() -> None:
    name = os.fsdecode(b"caf\xe9.md")
    assert text_of(name) is None
    assert shown(name) == r"caf\xe9.md"


def test_a_windows_junction_is_a_link_and_a_cloud_file_is_a_file() -> None:
    def status(mode: int, tag: int) -> os.stat_result:
        return cast("os.stat_result", SimpleNamespace(st_mode=mode, st_reparse_tag=tag))

    assert kind_of(status(stat.S_IFDIR, 0xA0000003)) is Kind.LINK
    assert kind_of(status(stat.S_IFREG, 0x9000001A)) is Kind.FILE
    assert kind_of(status(stat.S_IFDIR, 0)) is Kind.DIRECTORY
