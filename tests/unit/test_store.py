"""The content store: in memory, then in a spool that goes with the block."""

from __future__ import annotations

import contextlib
import errno
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Never

import pytest

from skillpack import fingerprint
from skillpack.discover.store import MEMORY_BYTES, ContentStore
from skillpack.errors import OutputError

if TYPE_CHECKING:
    import os

    from skillpack.model import Fingerprint


def make(*, memory_bytes: int) -> ContentStore:
    return ContentStore(
        identity=fingerprint.identity, fingerprint=fingerprint.fingerprint, memory_bytes=memory_bytes
    )


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for temporary files that holds nothing else."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_small_contents_stay_in_memory(temporary: Path) -> None:
    with make(memory_bytes=10) as store:
        contents = [store.put(b"12345"), store.put(b""), store.put(b"67890")]
        assert list(temporary.iterdir()) == []
    assert [content.read() for content in contents] == [b"12345", b"", b"67890"]


def test_64_mib_in_all_are_kept_in_memory() -> None:
    assert MEMORY_BYTES == 64 * 2**20


def spools(directory: Path) -> list[os.stat_result]:
    """What this process has open that has no name and was made in a directory."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            status = descriptor.stat()
            if descriptor.readlink().parent == directory and not status.st_nlink:
                found.append(status)
    return found


def test_what_does_not_fit_goes_to_a_spool_that_nobody_else_can_open(temporary: Path) -> None:
    with make(memory_bytes=3) as store:
        contents = [store.put(data) for data in (b"abc", b"defg", b"", b"hi")]
        store.settle()
        (spool,) = spools(temporary)
        assert stat.S_IMODE(spool.st_mode) == 0o600
        assert spool.st_size == len(b"defghi")
        assert list(temporary.iterdir()) == []
        assert [content.read() for content in reversed(contents)] == [b"hi", b"", b"defg", b"abc"]
        assert contents[1].read() == b"defg"


def test_reading_and_keeping_can_alternate(temporary: Path) -> None:
    with make(memory_bytes=0) as store:
        first = store.put(b"first")
        assert first.read() == b"first"
        second = store.put(b"second")
        assert (first.read(), second.read()) == (b"first", b"second")


def test_equal_contents_are_one_content(temporary: Path) -> None:
    with make(memory_bytes=3) as store:
        assert store.put(b"abc") is store.put(b"abc")
        assert store.put(b"defg") is store.put(b"defg")
        assert store.put(b"abc") is not store.put(b"defg")


def test_of_each_content_is_known_what_its_bytes_tell(temporary: Path) -> None:
    with make(memory_bytes=3) as store:
        for data in (b"abc", b"defg", b"\0", b"\xff", "ü".encode()):
            content = store.put(data)
            assert content.fingerprint == fingerprint.fingerprint(data)
            assert content.identity == fingerprint.identity(data)


def test_no_content_is_hashed_for_more_than_its_identity_before_that_is_asked_for() -> None:
    asked = []

    def look(data: bytes, known: str) -> Fingerprint:
        asked.append((data, known))
        return fingerprint.fingerprint(data, known)

    with ContentStore(identity=fingerprint.identity, fingerprint=look, memory_bytes=3) as store:
        held, spooled = store.put(b"abc"), store.put(b"defg")
        assert [data for data, _ in asked] == [b"defg"]
        for content in (held, spooled, held):
            assert content.fingerprint.blake3 == content.identity
        assert asked == [(b"defg", spooled.identity), (b"abc", held.identity)]


def test_the_spool_is_gone_after_the_block(temporary: Path) -> None:
    with make(memory_bytes=0) as store:
        store.put(b"x")
        assert spools(temporary) != []
    assert spools(temporary) == []


def test_the_spool_is_gone_after_an_error(temporary: Path) -> None:
    def fail() -> Never:
        with make(memory_bytes=0) as store:
            store.put(b"x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert spools(temporary) == []


def test_contents_can_be_read_from_many_threads(temporary: Path) -> None:
    data = [bytes([index]) * (index * 97) for index in range(200)]
    with (
        make(memory_bytes=0) as store,
        ThreadPoolExecutor(8) as threads,
    ):
        contents = [store.put(each) for each in data]
        assert list(threads.map(lambda content: content.read(), contents)) == data


@pytest.mark.parametrize("full", ["write", "flush"])
def test_a_full_disk_is_an_error_that_says_what_to_do(
    full: str, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def write(self, data: bytes) -> None:
            if full == "write":
                self.flush()

        def flush(self) -> Never:
            raise OSError(errno.ENOSPC, "No space left on device")

        close = flush

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    message = r"cannot hold what was read \(No space left on device\); set TMPDIR to one with more room"

    def keep() -> None:
        with make(memory_bytes=0) as store:
            store.put(b"x")
            store.settle()

    with pytest.raises(OutputError, match=message):
        keep()
    assert list(temporary.iterdir()) == []


def test_without_a_temporary_directory_the_error_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with (
        make(memory_bytes=0) as store,
        pytest.raises(OutputError, match="No such file or directory"),
    ):
        store.put(b"x")
