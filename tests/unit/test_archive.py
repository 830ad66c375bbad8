from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillpack import archive
from skillpack.archive import Member, kind_of, members
from skillpack.emit.layout import FIRST_LINE
from skillpack.errors import ArtifactError, MissingArtifactError
from support.archives import make_sdist, make_zip, tar_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator


def everything(path: Path, suffix: str = "") -> dict[str, bytes]:
    """All members whose name ends with `suffix`, read to their end."""
    found = {}
    for member in members(path, kind_of(path), lambda name: name.endswith(suffix)):
        assert isinstance(member, Member)
        found[member.name] = member.read(2**30)
    return found


def refusal(path: Path) -> str:
    """The message of the refusal, which names the artifact first and fits on a line."""
    with pytest.raises(ArtifactError) as caught:
        everything(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    return message.removeprefix(f"{path}: ")


class TestKinds:
    def test_content_decides_and_not_the_name(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_bytes(FIRST_LINE + b"\r\nx = 1\r\n")
        assert kind_of(tmp_path / "a.txt") == "module"
        assert kind_of(make_sdist(tmp_path / "b.bin", [])) == "sdist"
        assert kind_of(make_zip(tmp_path / "c.bin", {})) == "zip"
        assert kind_of(make_zip(tmp_path / "d.whl", {})) == "wheel"
        assert kind_of(tmp_path) == "directory"

    def test_a_zip_behind_a_shebang_is_a_zip(self, tmp_path: Path) -> None:
        plain = make_zip(tmp_path / "app.zip", {"a.py": b"1"}).read_bytes()
        (tmp_path / "app.pyz").write_bytes(b"#!/usr/bin/env python3\n" + plain)
        assert kind_of(tmp_path / "app.pyz") == "zip"
        assert everything(tmp_path / "app.pyz") == {"a.py": b"1"}

    @pytest.mark.parametrize("name", ["nothing", "file/below"])
    def test_nothing_there_is_an_error_of_usage(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(MissingArtifactError, match="no such file") as caught:
            kind_of(tmp_path / name)
        assert caught.value.exit_code == 2

    @pytest.mark.parametrize("data", [b"", b"print('hello')\n", b"\x7fELF", FIRST_LINE])
    def test_another_file_is_named_for_what_it_is_not(self, tmp_path: Path, data: bytes) -> None:
        (tmp_path / "x.py").write_bytes(data)
        assert "neither a module that skillpack wrote" in refusal(tmp_path / "x.py")

    def test_a_fifo_does_not_block(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        assert "neither" in refusal(tmp_path / "pipe")

    def test_what_cannot_be_opened_is_one_message(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(type(tmp_path), "stat", fail)
        with pytest.raises(ArtifactError, match=r"cannot be read, it may be damaged \(Permission denied\)"):
            kind_of(tmp_path)


class TestReading:
    def test_a_single_file_is_a_member_without_a_name(self, tmp_path: Path) -> None:
        (tmp_path / "m.py").write_bytes(FIRST_LINE + b"\n")
        assert everything(tmp_path / "m.py") == {"": FIRST_LINE + b"\n"}

    def test_archives_give_the_wanted_files(self, tmp_path: Path) -> None:
        pairs = [("p/a.py", b"A"), ("p/b.txt", b"B"), ("p/sub/c.py", b"")]
        wheel = make_zip(tmp_path / "x.whl", [("p/", b""), *pairs])
        directory = tarfile.TarInfo("p")
        directory.type = tarfile.DIRTYPE
        sdist = make_sdist(tmp_path / "x.tar.gz", [(directory, b""), *pairs])
        assert everything(wheel, ".py") == everything(sdist, ".py") == {"p/a.py": b"A", "p/sub/c.py": b""}

    def test_members_are_read_in_parts(self, tmp_path: Path) -> None:
        for path in (
            make_zip(tmp_path / "x.zip", {"a": b"0123456789"}),
            make_sdist(tmp_path / "x.tgz", [("a", b"0123456789")]),
        ):
            for member in members(path, kind_of(path), lambda _: True):
                assert [member.read(4), member.read(4), member.read(4), member.read(4)] == [
                    b"0123",
                    b"4567",
                    b"89",
                    b"",
                ]

    def test_a_directory_is_walked_in_order_without_caches_and_hidden_directories(
        self, tmp_path: Path
    ) -> None:
        for name in ("b.py", "a/z.py", "a/.hidden.py", ".venv/x.py", "__pycache__/y.py", "node_modules/n.py"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(name.encode())
        assert list(everything(tmp_path)) == ["b.py", "a/.hidden.py", "a/z.py"]

    def test_a_relative_directory_is_read_there_and_nowhere_else(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for place, data in (("src/pkg/m.py", b"own"), ("other/pkg/m.py", b"other")):
            (tmp_path / place).parent.mkdir(parents=True)
            (tmp_path / place).write_bytes(data)
        (tmp_path / "src/src").symlink_to(tmp_path / "other")
        monkeypatch.chdir(tmp_path)
        assert everything(Path("src")) == {"pkg/m.py": b"own"}

    def test_links_in_a_directory_are_not_followed_and_pipes_not_opened(self, tmp_path: Path) -> None:
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "x.py").write_bytes(b"")
        inside = tmp_path / "inside"
        inside.mkdir()
        (inside / "file.py").symlink_to(tmp_path / "outside" / "x.py")
        (inside / "directory").symlink_to(tmp_path / "outside")
        os.mkfifo(inside / "pipe.py")
        assert everything(inside) == {}

    def test_a_directory_that_vanishes_is_an_error(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def scandir(path: str) -> Iterator[os.DirEntry[str]]:
            raise FileNotFoundError(2, "No such file or directory", path)

        monkeypatch.setattr(os, "scandir", scandir)
        assert "No such file" in refusal(tmp_path)


TRICKS = [
    "/etc/x.py",
    "../x.py",
    "a/../../x.py",
    "a/./x.py",
    "a//x.py",
    "C:/x.py",
    "a\\x.py",
    "a\nb.py",
    "\x7f",
    ".",
]


class TestHostileArchives:
    @pytest.mark.parametrize("name", [*TRICKS, "a\0b.py"])
    def test_a_name_in_a_zip_that_is_no_plain_path(self, tmp_path: Path, name: str) -> None:
        info = zipfile.ZipInfo("placeholder")
        info.filename = name
        assert "no plain relative path" in refusal(make_zip(tmp_path / "x.whl", [(info, b"")]))

    @pytest.mark.parametrize("name", TRICKS)
    def test_a_name_in_a_tar_that_is_no_plain_path(self, tmp_path: Path, name: str) -> None:
        assert "no plain relative path" in refusal(make_sdist(tmp_path / "x.tar.gz", [(name, b"")]))

    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_a_name_that_is_there_twice(self, tmp_path: Path) -> None:
        for pairs in ([("a.py", b"1"), ("a.py", b"2")], [("a", b""), ("a/", b"")]):
            assert "two members named a" in refusal(make_zip(tmp_path / "x.whl", pairs))
        assert "two members named a" in refusal(make_sdist(tmp_path / "x.tar.gz", [("a", b"1"), ("a", b"2")]))

    def test_a_link_or_device(self, tmp_path: Path) -> None:
        link = zipfile.ZipInfo("a.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        assert "link or special file: a.py" in refusal(make_zip(tmp_path / "x.whl", [(link, b"/etc/passwd")]))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.CONTTYPE):
            info = tarfile.TarInfo("a.py")
            info.type = kind
            info.linkname = "/etc/passwd"
            assert "link or special file: a.py" in refusal(make_sdist(tmp_path / "x.tar.gz", [(info, b"")]))

    def test_more_members_than_anyone_packs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
        pairs = [(f"{number}", b"") for number in range(4)]
        assert "more than 3 members" in refusal(make_zip(tmp_path / "x.zip", pairs))
        assert "more than 3 members" in refusal(make_sdist(tmp_path / "x.tgz", pairs))
        assert len(everything(make_zip(tmp_path / "y.zip", pairs[:3]))) == 3

    def test_more_content_than_the_ratio_allows(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(archive, "RATIO_FREE_BYTES", 1000)
        bomb = [("a.txt", b"\0" * 10**6)]
        assert "unpacks to more than" in refusal(make_zip(tmp_path / "x.whl", bomb))
        assert "unpacks to more than" in refusal(make_sdist(tmp_path / "x.tar.gz", bomb))

    def test_blanks_of_a_usual_size_are_no_bomb(self, tmp_path: Path) -> None:
        blanks = [("a.txt", b"\0" * 10**6)]
        assert everything(make_zip(tmp_path / "x.whl", blanks)) == dict(blanks)
        assert everything(make_sdist(tmp_path / "x.tar.gz", blanks)) == dict(blanks)

    def test_more_content_than_the_bound(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 20_000)
        large = [("a.txt", os.urandom(25_000))]
        assert "more than 20,000 bytes" in refusal(make_zip(tmp_path / "x.whl", large))
        assert "more than 20,000 bytes" in refusal(make_sdist(tmp_path / "x.tar.gz", large))

    def test_a_size_that_lies_is_no_way_around_the_bound(self, tmp_path: Path) -> None:
        path = make_zip(tmp_path / "x.whl", {"a.py": b"x" * 5000})
        data = path.read_bytes()
        path.write_bytes(data.replace((5000).to_bytes(4, "little"), (50).to_bytes(4, "little")))
        assert "cannot be read" in refusal(path)

    def test_a_compression_that_wheels_do_not_use(self, tmp_path: Path) -> None:
        path = tmp_path / "x.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as made:
            made.writestr("a.py", b"x" * 100)
        assert "compressed in a way that wheels are not" in refusal(path)

    def test_an_encrypted_member(self, tmp_path: Path) -> None:
        path = make_zip(tmp_path / "x.whl", {"a.py": b"x" * 100})
        data = bytearray(path.read_bytes())
        for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            data[data.index(signature) + offset] |= 1
        path.write_bytes(data)
        assert refusal(path) == "a.py is encrypted"

    def test_a_tar_header_that_wants_gigabytes(self, tmp_path: Path) -> None:
        for kind in (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME):
            info = tarfile.TarInfo("x")
            info.type = kind
            info.size = 2**30
            (tmp_path / "x.tar.gz").write_bytes(gzip.compress(info.tobuf() + bytes(10_240)))
            assert "a header is too long" in refusal(tmp_path / "x.tar.gz")

    def test_a_sparse_file(self, tmp_path: Path) -> None:
        info = tarfile.TarInfo("a.py")
        info.pax_headers = {
            "GNU.sparse.map": "0,1",
            "GNU.sparse.size": "1000000000",
            "GNU.sparse.name": "a.py",
        }
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as made:
            made.addfile(info)
        (tmp_path / "x.tar.gz").write_bytes(gzip.compress(stream.getvalue()))
        assert "link or special file" in refusal(tmp_path / "x.tar.gz")


class TestDamagedArchives:
    @pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
    def test_a_truncated_archive_is_one_message(self, tmp_path: Path, share: float) -> None:
        pairs = [(f"{number}.py", os.urandom(3000)) for number in range(10)]
        for path in (make_zip(tmp_path / "x.whl", pairs), make_sdist(tmp_path / "x.tar.gz", pairs)):
            data = path.read_bytes()
            path.write_bytes(data[: int(len(data) * share)])
            assert "cannot be read, it may be damaged" in refusal(path)

    def test_a_changed_byte_in_a_member(self, tmp_path: Path) -> None:
        pairs = [("a.py", os.urandom(30_000))]
        for path in (make_zip(tmp_path / "x.whl", pairs), make_sdist(tmp_path / "x.tar.gz", pairs)):
            data = bytearray(path.read_bytes())
            data[15_000] ^= 1
            path.write_bytes(data)
            assert "cannot be read" in refusal(path)

    @pytest.mark.parametrize("number", [0, 1, 2])
    def test_a_damaged_tar_header_is_not_the_end(self, tmp_path: Path, number: int) -> None:
        tar = bytearray(tar_bytes([("a.py", b"1"), ("b.py", b"2"), ("c.py", b"3")]))
        tar[number * 1024] ^= 1
        (tmp_path / "x.tar.gz").write_bytes(gzip.compress(tar))
        assert "bad checksum" in refusal(tmp_path / "x.tar.gz")

    def test_a_tar_without_its_end_is_damaged(self, tmp_path: Path) -> None:
        (tmp_path / "x.tar.gz").write_bytes(gzip.compress(tar_bytes([("a.py", b"1")])[:1024]))
        assert "cannot be read" in refusal(tmp_path / "x.tar.gz")

    def test_a_damage_behind_the_last_member_shows(self, tmp_path: Path) -> None:
        path = tmp_path / "x.tar.gz"
        data = bytearray(gzip.compress(tar_bytes([("a.py", b"1")]) + bytes(200_000)))
        path.write_bytes(data)
        assert everything(path) == {"a.py": b"1"}
        data[-5] ^= 1
        path.write_bytes(data)
        assert "cannot be read" in refusal(path)
