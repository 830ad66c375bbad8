"""Temporary files in use and those that killed runs left."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

import pytest

from skillpack import temporary

PREFIX, SUFFIX = ".skillpack-", ".tmp"
NAME = f"{PREFIX}0123456789abcdef{SUFFIX}"


def sweep(directory: Path) -> None:
    temporary.sweep(directory, PREFIX, SUFFIX)


def new(directory: Path) -> Path:
    return temporary.name_in(directory, PREFIX, SUFFIX)


def descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def refused(*_: object) -> NoReturn:
    raise OSError(errno.ENOTSUP, "no locks here")


def test_names_differ_and_are_swept(tmp_path: Path) -> None:
    names = {new(tmp_path).name for _ in range(100)}
    assert len(names) == 100
    for name in names:
        (tmp_path / name).write_bytes(b"")
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_synced", [False, True])
def test_a_file_that_is_written_is_in_use_until_it_is_in_its_place(
    tmp_path: Path, *, is_synced: bool
) -> None:
    path, target = new(tmp_path), tmp_path / "target"
    with temporary.written(path, b"data", is_synced=is_synced):
        assert path.read_bytes() == b"data"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        sweep(tmp_path)
        path.replace(target)
    sweep(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["target"]
    os.close(os.open(target, os.O_RDONLY))


def test_who_fails_leaves_no_file_and_no_descriptor(tmp_path: Path) -> None:
    before = descriptors()

    def fail() -> NoReturn:
        with temporary.written(new(tmp_path), b"data"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []
    assert descriptors() == before


@pytest.mark.parametrize("call", ["dup", "fdopen", "fstat"])
def test_where_it_cannot_be_made_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    before = descriptors()
    with monkeypatch.context() as patch:
        patch.setattr(os, call, refused)
        with pytest.raises(OSError, match="no locks"), temporary.written(new(tmp_path), b"data"):
            pytest.fail("not reached")
    assert list(tmp_path.iterdir()) == []
    assert descriptors() == before


def test_one_that_was_swept_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = new(tmp_path)
    real = temporary.lock
    swept: list[Path] = []

    def late(descriptor: int) -> bool:
        if not swept:
            swept.append(path)
            sweep(tmp_path)
        return real(descriptor)

    monkeypatch.setattr(temporary, "lock", late)
    with temporary.written(path, b"data"):
        assert swept
        assert path.read_bytes() == b"data"


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"")
    (tmp_path / NAME).symlink_to(other)
    os.mkfifo(tmp_path / NAME.replace("0", "1"))
    for name in (f"{PREFIX}0123{SUFFIX}", f"{NAME}x", f"x{NAME}", NAME.replace("a", "A"), PREFIX):
        (tmp_path / name).write_bytes(b"")
    before = sorted(tmp_path.iterdir())
    sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_where_there_is_no_directory_nothing_is_swept(tmp_path: Path) -> None:
    sweep(tmp_path / "missing")


def test_one_that_comes_to_its_place_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / NAME).write_bytes(b"data")
    real = fcntl.flock

    def moved(descriptor: int, operation: int) -> None:
        (tmp_path / NAME).rename(tmp_path / "target")
        (tmp_path / NAME).write_bytes(b"another")
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", moved)
    sweep(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "target": b"data",
        NAME: b"another",
    }


def test_many_runs_that_write_and_sweep_lose_nothing(tmp_path: Path) -> None:
    lost: list[BaseException] = []

    def run(number: int) -> None:
        try:
            for _ in range(100):
                sweep(tmp_path)
                path = new(tmp_path)
                with temporary.written(path, b"data"):
                    path.replace(tmp_path / f"target {number}")
        except OSError as error:
            lost.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost == []
    assert {path.name for path in tmp_path.iterdir()} == {f"target {number}" for number in range(6)}


@pytest.mark.parametrize("reason", ["no fcntl", "not there"])
def test_without_locks_it_goes_by_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    if reason == "no fcntl":
        monkeypatch.setitem(sys.modules, "fcntl", None)
    else:
        monkeypatch.setattr(fcntl, "flock", refused)
    old, young = tmp_path / NAME, tmp_path / NAME.replace("0", "1")
    with temporary.written(new(tmp_path), b"data"):
        for path, seconds in (
            (old, temporary.LEFTOVER_SECONDS + 1),
            (young, temporary.LEFTOVER_SECONDS - 60),
        ):
            path.write_bytes(b"")
            time = tmp_path.stat().st_mtime - seconds
            os.utime(path, (time, time))
        sweep(tmp_path)
        assert not old.exists()
        assert young.exists()
        assert len(list(tmp_path.iterdir())) == 2


class TestDirectories:
    def make(self, directory: Path) -> tuple[Path, int]:
        path = temporary.name_in(directory, "build-")
        descriptor = temporary.create_directory(path)
        assert descriptor is not None
        (path / "0").write_bytes(b"data")
        return path, descriptor

    def test_one_is_in_use_until_its_descriptor_is_closed(self, tmp_path: Path) -> None:
        path, descriptor = self.make(tmp_path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        temporary.sweep(tmp_path, "build-")
        assert path.is_dir()
        os.close(descriptor)
        temporary.sweep(tmp_path, "build-")
        assert list(tmp_path.iterdir()) == []

    def test_that_of_another_user_stays(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path, descriptor = self.make(tmp_path)
        os.close(descriptor)
        monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
        temporary.sweep(tmp_path, "build-")
        assert path.is_dir()

    @pytest.mark.parametrize("reason", ["no locks", "not opened"])
    def test_without_locks_it_goes_by_age(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
    ) -> None:
        opened = os.open

        def on_windows(path: Path, flags: int, *mode: int, **named: int) -> int:
            if path.is_dir():
                raise PermissionError(errno.EACCES, "Permission denied")
            return opened(path, flags, *mode, **named)

        old, young = (temporary.name_in(tmp_path, "build-") for _ in range(2))
        for path, seconds in (
            (old, temporary.LEFTOVER_SECONDS + 1),
            (young, temporary.LEFTOVER_SECONDS - 60),
        ):
            path.mkdir()
            (path / "0").write_bytes(b"data")
            time = tmp_path.stat().st_mtime - seconds
            os.utime(path, (time, time))
        before = descriptors()
        with monkeypatch.context() as patch:
            if reason == "no locks":
                patch.setattr(fcntl, "flock", refused)
            else:
                patch.setattr(os, "open", on_windows)
                patch.setattr(shutil, "_use_fd_functions", False)  # as it is there
            temporary.sweep(tmp_path, "build-")
        assert [path.name for path in tmp_path.iterdir()] == [young.name]
        assert [path.name for path in young.iterdir()] == ["0"]
        assert descriptors() == before

    @pytest.mark.parametrize(("owner", "call"), [(os, "open"), (temporary, "lock")])
    def test_one_that_was_swept_before_it_was_locked_is_made_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, call: str
    ) -> None:
        real = getattr(owner, call)
        swept: list[bool] = []

        def late(*arguments: Any, **named: Any) -> Any:
            if not swept:
                swept.append(True)
                temporary.sweep(tmp_path, "build-")
                assert list(tmp_path.iterdir()) == []
            return real(*arguments, **named)

        before = descriptors()
        monkeypatch.setattr(owner, call, late)
        path, descriptor = self.make(tmp_path)
        assert swept
        assert (path / "0").read_bytes() == b"data"
        temporary.sweep(tmp_path, "build-")
        assert path.is_dir()
        os.close(descriptor)
        assert descriptors() == before

    def test_an_interrupt_while_it_waits_leaves_no_descriptor(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(_: int) -> NoReturn:
            raise KeyboardInterrupt

        before = descriptors()
        monkeypatch.setattr(temporary, "lock", interrupted)
        with pytest.raises(KeyboardInterrupt):
            self.make(tmp_path)
        assert descriptors() == before

    def test_one_that_cannot_be_opened_is_made_all_the_same(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "open", refused)
        assert temporary.create_directory(tmp_path / "build") is None
        assert (tmp_path / "build").is_dir()

    def test_where_there_are_no_locks_it_is_made_and_nothing_stays_open(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = descriptors()
        monkeypatch.setattr(fcntl, "flock", refused)
        assert temporary.create_directory(tmp_path / "build") is None
        assert (tmp_path / "build").is_dir()
        assert descriptors() == before
