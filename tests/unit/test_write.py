from __future__ import annotations

import io
import os
import py_compile
import re
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from skillpack.emit.layout import FIRST_LINE
from skillpack.errors import OutputError
from skillpack.write import compare, remove, remove_output, replace, write, write_output, write_report
from skillpack.write.file import obstacle
from support.bundles import DEMO, SOLO, make_bundle
from support.emitted import emitted

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS = FIRST_LINE + b"\nbundle = 1\n"
NEWER = FIRST_LINE + b"\nbundle = 2\n"
FOREIGN = b"import os\n"
NOW = 2_000_000_000.5


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    return tmp_path / "src" / "skills.py"


def put(target: Path, data: bytes, *, force: bool = False) -> bool:
    return write(target, data, root=target.parent.parent, now=NOW, force=force)


def put_output(target: Path) -> bool:
    return write_output(target, iter([("", OURS)]), root=target.parent.parent, now=NOW)


def refusal(target: Path, data: bytes = OURS, *, force: bool = False) -> str:
    with pytest.raises(OutputError) as caught:
        put(target, data, force=force)
    assert caught.value.exit_code == 2
    message = str(caught.value)
    assert message.startswith(f"{target}: ")
    assert "\n" not in message
    return message.removeprefix(f"{target}: ")


def listing(target: Path) -> set[str]:
    return {path.name for path in target.parent.iterdir()}


class TestWriting:
    def test_a_new_file_is_written(self, target: Path) -> None:
        assert put(target, OURS)
        assert target.read_bytes() == OURS
        assert listing(target) == {"skills.py"}

    def test_its_mode_is_0644_whatever_the_umask(self, target: Path) -> None:
        for number, mask in enumerate((0o000, 0o077, 0o777)):
            old = os.umask(mask)
            try:
                assert put(target, OURS + bytes(number))
            finally:
                os.umask(old)
            assert stat.S_IMODE(target.stat().st_mode) == 0o644

    def test_the_same_bytes_are_not_written_again(self, target: Path) -> None:
        put(target, OURS)
        os.utime(target, (1, 1))
        target.parent.chmod(0o555)
        try:
            assert not put(target, OURS)
        finally:
            target.parent.chmod(0o755)
        assert target.stat().st_mtime == 1

    @pytest.mark.parametrize("other", [NEWER, OURS + b"#", OURS.replace(b"\n", b"\r\n")])
    def test_a_file_of_ours_that_differs_is_replaced(self, target: Path, other: bytes) -> None:
        target.write_bytes(other)
        assert put(target, OURS)
        assert target.read_bytes() == OURS

    def test_a_replaced_file_gets_the_time_of_now(self, target: Path) -> None:
        put(target, OURS)
        os.utime(target, (1, 1))
        put(target, NEWER)
        assert target.stat().st_mtime == NOW

    def test_it_is_newer_by_a_second_even_when_the_clock_is_not(self, target: Path) -> None:
        put(target, OURS)
        os.utime(target, (NOW + 10, NOW + 10))
        put(target, NEWER)
        assert target.stat().st_mtime == NOW + 11

    def test_a_directory_that_does_not_exist_is_not_made(self, target: Path) -> None:
        message = refusal(target.parent / "pkg" / "skills.py")
        assert f"the directory {target.parent / 'pkg'} does not exist" in message

    def test_many_runs_at_once_leave_one_whole_file(self, target: Path) -> None:
        contents = [FIRST_LINE + b"\n" + bytes([65 + number]) * 100_000 for number in range(6)]
        threads = [threading.Thread(target=put, args=(target, data)) for data in contents]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert target.read_bytes() in contents
        assert listing(target) == {"skills.py"}

    def test_a_relative_path_works(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(target.parent.parent)
        assert write(Path("src/skills.py"), OURS, root=Path(), now=NOW)
        assert target.read_bytes() == OURS


class TestWhatAKilledRunLeft:
    @pytest.mark.parametrize("data", [OURS, b"", FOREIGN])
    @pytest.mark.parametrize("before", [None, OURS, NEWER])
    def test_goes_with_the_next_run_also_when_that_has_nothing_to_write(
        self, target: Path, data: bytes, before: bytes | None
    ) -> None:
        if before is not None:
            target.write_bytes(before)
        left = target.parent / ".skillpack-0123456789abcdef.tmp"
        left.write_bytes(data)
        assert put_output(target) is (before != OURS)
        assert listing(target) == {"skills.py"}

    def test_goes_with_the_output(self, target: Path) -> None:
        put_output(target)
        (target.parent / ".skillpack-0123456789abcdef.tmp").write_bytes(b"")
        assert remove_output(target, root=target.parent.parent)
        assert listing(target) == set()

    def test_of_a_users_own_file_goes_when_that_is_replaced(self, target: Path) -> None:
        target.write_bytes(FOREIGN)
        (target.parent / ".skillpack-0123456789abcdef.tmp").write_bytes(FOREIGN)
        replace(target, OURS)
        assert listing(target) == {"skills.py"}

    def test_stays_where_a_link_leads(self, target: Path) -> None:
        elsewhere = target.parent / "elsewhere"
        elsewhere.mkdir()
        left = elsewhere / ".skillpack-0123456789abcdef.tmp"
        left.write_bytes(b"")
        target.with_suffix("").symlink_to(elsewhere)
        put_output(target)
        assert left.exists()


class TestWhatPythonCompiled:
    """Python takes it for current when time and size of the source agree."""

    def compiled(self, target: Path) -> list[Path]:
        py_compile.compile(str(target))
        found = list(target.parent.glob("__pycache__/skills.*"))
        assert found
        return found

    def test_goes_with_the_module(self, target: Path) -> None:
        put_output(target)
        (compiled,) = self.compiled(target)
        assert remove_output(target, root=target.parent.parent)
        assert not compiled.exists()

    @pytest.mark.parametrize("is_removed", [True, False])
    def test_stays_where_a_link_leads(self, target: Path, *, is_removed: bool) -> None:
        put_output(target)
        (compiled,) = self.compiled(target)
        elsewhere = target.parent.parent / "elsewhere"
        compiled.parent.rename(elsewhere)
        compiled.parent.symlink_to(elsewhere)
        if is_removed:
            assert remove_output(target, root=target.parent.parent)
        else:
            write_output(target, iter([("__init__.py", OURS)]), root=target.parent.parent, now=NOW)
        assert not target.exists()
        assert [path.name for path in elsewhere.iterdir()] == [compiled.name]

    def test_goes_when_a_folder_takes_its_place(self, target: Path) -> None:
        put_output(target)
        (compiled,) = self.compiled(target)
        write_output(target, iter([("__init__.py", OURS)]), root=target.parent.parent, now=NOW)
        assert not target.exists()
        assert not compiled.exists()


class TestForeignFiles:
    @pytest.mark.parametrize("data", [FOREIGN, b"", b"\n" + OURS, FIRST_LINE, FIRST_LINE + b"!\n"])
    def test_they_stay(self, target: Path, data: bytes) -> None:
        target.write_bytes(data)
        message = refusal(target)
        assert message.startswith("output-foreign: ")
        assert "--force" in message
        assert target.read_bytes() == data

    def test_force_replaces_them(self, target: Path) -> None:
        target.write_bytes(FOREIGN)
        assert put(target, OURS, force=True)
        assert target.read_bytes() == OURS

    @pytest.mark.parametrize("force", [False, True])
    def test_directories_and_special_files_stay_also_with_force(self, target: Path, force: bool) -> None:
        target.mkdir()
        assert "is a directory" in refusal(target, force=force)
        target.rmdir()
        os.mkfifo(target)
        assert "no regular file" in refusal(target, force=force)


class TestObstacles:
    def test_what_can_be_written_has_none(self, target: Path) -> None:
        root = target.parent.parent
        assert obstacle(target, root=root) is None
        assert obstacle(root / "missing/skills.py", root=root) is None
        put(target, OURS)
        assert obstacle(target, root=root) is None

    def test_what_is_not_ours_is_one_unless_it_is_to_be_replaced(self, target: Path) -> None:
        target.write_bytes(FOREIGN)
        found = obstacle(target, root=target.parent.parent)
        assert found is not None
        assert refusal(target) == f"output-foreign: {found.message}; {found.hint}"
        assert obstacle(target, root=target.parent.parent, force=True) is None

    def test_what_cannot_be_looked_at_is_none(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def closed(*_: object) -> bool:
            raise PermissionError

        target.write_bytes(FOREIGN)
        monkeypatch.setattr("skillpack.write.place.is_ours", closed)
        assert obstacle(target, root=target.parent.parent) is None


class TestLinks:
    @pytest.mark.parametrize("force", [False, True])
    def test_a_link_at_the_target_is_refused(self, target: Path, force: bool) -> None:
        elsewhere = target.parent / "elsewhere.py"
        elsewhere.write_bytes(OURS)
        for aim in (elsewhere, target.parent / "nothing"):
            target.unlink(missing_ok=True)
            target.symlink_to(aim)
            assert "is a link" in refusal(target, NEWER, force=force)
        assert elsewhere.read_bytes() == OURS

    def test_a_link_on_the_way_below_the_project_is_refused_and_named(self, target: Path) -> None:
        link = target.parent.parent / "link"
        link.symlink_to(target.parent)
        message = refusal(link / "skills.py")
        assert "its directory link is a link" in message
        assert not target.exists()

    def test_links_above_the_project_are_the_users_own(self, target: Path, tmp_path: Path) -> None:
        alias = tmp_path.parent / f"{tmp_path.name}-alias"
        alias.symlink_to(tmp_path)
        try:
            assert write(alias / "src" / "skills.py", OURS, root=alias, now=NOW)
        finally:
            alias.unlink()
        assert target.read_bytes() == OURS

    def test_outside_the_project_only_the_target_is_looked_at(self, target: Path, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to(target.parent)
        (tmp_path / "project").mkdir()
        assert write(link / "skills.py", OURS, root=tmp_path / "project", now=NOW)
        (link / "other.py").symlink_to(target)
        with pytest.raises(OutputError, match="is a link"):
            write(link / "other.py", NEWER, root=tmp_path / "project", now=NOW)


def outcome(target: Path) -> str:
    """What comes out of writing: the message of a refusal, the name of another exception, or nothing."""
    try:
        put(target, OURS)
    except OutputError as error:
        return str(error)
    except KeyboardInterrupt as error:
        return type(error).__name__
    return ""


def expected_outcome(error: BaseException, target: Path) -> str:
    if isinstance(error, OSError):
        return f"{target}: cannot be written (No space left on device)"
    return type(error).__name__


class TestFailures:
    @pytest.mark.parametrize(
        ("owner", "name"),
        [
            (os, "lstat"),
            (os, "open"),
            (os, "fsync"),
            (os, "utime"),
            (Path, "chmod"),
            (Path, "replace"),
            (Path, "read_bytes"),
            (Path, "is_dir"),
        ],
    )
    @pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
    @pytest.mark.parametrize("exists", [False, True])
    def test_at_any_step_the_old_file_stays_and_nothing_is_left(
        self,
        target: Path,
        monkeypatch: pytest.MonkeyPatch,
        owner: object,
        name: str,
        error: BaseException,
        exists: bool,
    ) -> None:
        if exists:
            target.write_bytes(NEWER)
        calls = []

        def fail(*_: object, **__: object) -> NoReturn:
            calls.append(name)
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, fail)
            raised = outcome(target)
        after = target.read_bytes() if target.exists() else None
        assert raised == (expected_outcome(error, target) if calls else "")
        assert after == (OURS if not calls else NEWER if exists else None)
        assert listing(target) == ({"skills.py"} if after is not None else set())

    @pytest.mark.parametrize("call", ["write", "close"])
    def test_a_disk_that_fills_while_writing_leaves_nothing(
        self, target: Path, monkeypatch: pytest.MonkeyPatch, call: str
    ) -> None:
        class Full(io.FileIO):
            def write(self, data: object) -> NoReturn:
                raise OSError(28, "No space left on device")

        def fdopen(descriptor: int, mode: str) -> io.BufferedWriter | Full:
            raw = Full(descriptor, mode)
            # a buffered stream takes the bytes and fails when it passes them on
            return raw if call == "write" else io.BufferedWriter(raw)

        monkeypatch.setattr(os, "fdopen", fdopen)
        target.write_bytes(NEWER)
        assert refusal(target) == "cannot be written (No space left on device)"
        assert target.read_bytes() == NEWER
        assert listing(target) == {"skills.py"}

    def test_a_temporary_file_that_cannot_be_removed_does_not_hide_the_reason(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> NoReturn:
            raise OSError(5, "Input/output error")

        def refuse(*_: object, **__: object) -> NoReturn:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(os, "fsync", fail)
        monkeypatch.setattr(Path, "unlink", refuse)
        assert refusal(target) == "cannot be written (Input/output error)"

    def test_an_error_without_a_text_is_named_by_itself(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> NoReturn:
            raise OSError("odd")

        monkeypatch.setattr(os, "fsync", fail)
        assert refusal(target) == "cannot be written (odd)"


class TestReplacingAUsersOwnFile:
    @pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
    @pytest.mark.parametrize("mask", [0o000, 0o077])
    def test_its_mode_stays_whatever_the_umask(self, target: Path, mode: int, mask: int) -> None:
        target.write_bytes(FOREIGN)
        target.chmod(mode)
        old = os.umask(mask)
        try:
            replace(target, b"a\r\nb\n")
        finally:
            os.umask(old)
        assert target.read_bytes() == b"a\r\nb\n"
        assert stat.S_IMODE(target.stat().st_mode) == mode
        assert listing(target) == {"skills.py"}

    def refused(self, target: Path) -> str:
        with pytest.raises(OutputError) as caught:
            replace(target, OURS)
        return str(caught.value).removeprefix(f"{target}: ")

    def test_a_link_stays_and_so_does_what_it_leads_to(self, target: Path) -> None:
        elsewhere = target.parent / "elsewhere.toml"
        elsewhere.write_bytes(FOREIGN)
        target.symlink_to(elsewhere)
        assert self.refused(target) == (
            "is a link, and skillpack does not write through links; edit its target"
        )
        assert target.is_symlink()
        assert elsewhere.read_bytes() == FOREIGN

    def test_what_is_no_file_stays(self, target: Path) -> None:
        assert self.refused(target) == "cannot be written (No such file or directory)"
        os.mkfifo(target)
        assert self.refused(target) == "is no regular file"

    def test_a_read_only_file_stays_although_its_directory_would_let_it_go(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        target.write_bytes(FOREIGN)
        # for root, under which tests may run, no file is read-only
        monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (target, os.W_OK))
        assert self.refused(target) == "is read-only; make it writable first"
        assert target.read_bytes() == FOREIGN

    @pytest.mark.parametrize(
        ("owner", "name"), [(os, "open"), (os, "fsync"), (Path, "chmod"), (Path, "replace")]
    )
    @pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
    def test_at_any_failure_it_is_as_it_was_and_nothing_is_left(
        self,
        target: Path,
        monkeypatch: pytest.MonkeyPatch,
        owner: object,
        name: str,
        error: BaseException,
    ) -> None:
        target.write_bytes(FOREIGN)

        def fail(*_: object, **__: object) -> NoReturn:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, fail)
            with pytest.raises((OutputError, KeyboardInterrupt)):
                replace(target, OURS)
        assert target.read_bytes() == FOREIGN
        assert listing(target) == {"skills.py"}


class TestWritingReports:
    def test_a_report_takes_the_place_of_the_last_one_and_its_mode_is_the_users(self, target: Path) -> None:
        target.write_bytes(b"an old and longer one")
        target.chmod(0o640)
        write_report(target, b"new")
        assert target.read_bytes() == b"new"
        assert stat.S_IMODE(target.stat().st_mode) == 0o640

    def test_a_pipe_is_written_to_also_through_a_link_and_stays(self, target: Path) -> None:
        reader, writer = os.pipe()
        try:
            target.symlink_to(DESCRIPTORS / str(writer))
            write_report(target, b"report")
            assert os.read(reader, 100) == b"report"
        finally:
            os.close(reader)
            os.close(writer)
        assert target.is_symlink()

    @pytest.mark.parametrize("exists", [False, True])
    def test_a_link_to_a_file_is_refused(self, target: Path, exists: bool) -> None:
        elsewhere = target.parent / "elsewhere"
        if exists:
            elsewhere.write_bytes(FOREIGN)
        target.symlink_to(elsewhere)
        with pytest.raises(OutputError, match="is a link, and skillpack does not write through links"):
            write_report(target, b"report")
        assert (elsewhere.read_bytes() if elsewhere.exists() else None) == (FOREIGN if exists else None)

    def test_what_cannot_be_written_is_one_message(self, target: Path) -> None:
        for path, reason in (
            (target.parent, "Is a directory"),
            (target / "no" / "report", "No such file or directory"),
        ):
            with pytest.raises(OutputError) as caught:
                write_report(path, b"report")
            assert str(caught.value) == f"{path}: cannot be written ({reason})"


class TestComparing:
    def state(self, target: Path, data: bytes) -> str:
        return compare(target, data, root=target.parent.parent)

    def test_nothing_there_is_missing(self, target: Path) -> None:
        assert self.state(target, OURS) == "missing"
        assert self.state(target.parent / "no" / "skills.py", OURS) == "missing"

    @pytest.mark.parametrize("found", [OURS, OURS.replace(b"\n", b"\r\n")])
    def test_equal_with_either_line_end(self, target: Path, found: bytes) -> None:
        target.write_bytes(found)
        assert self.state(target, OURS) == "equal"
        assert target.read_bytes() == found

    def test_other_skills_are_stale(self, target: Path) -> None:
        target.write_bytes(emitted(make_bundle({"demo": DEMO})))
        assert self.state(target, emitted(make_bundle({"solo": SOLO}))) == "stale"

    def test_a_file_without_data_is_stale(self, target: Path) -> None:
        target.write_bytes(NEWER)
        assert self.state(target, emitted(make_bundle({}))) == "stale"
        target.write_bytes(emitted(make_bundle({})))
        assert self.state(target, NEWER) == "stale"

    def test_the_same_skills_with_other_code_are_an_older_runtime(self, target: Path) -> None:
        source = emitted(make_bundle({"demo": DEMO}))
        target.write_bytes(
            source.replace(b"MAX_ECHO_CHARS = 80", b"MAX_ECHO_CHARS = 79").replace(b"\n", b"\r\n")
        )
        assert self.state(target, source) == "runtime-newer"

    def test_what_write_would_refuse_is_refused(self, target: Path) -> None:
        target.write_bytes(FOREIGN)
        with pytest.raises(OutputError, match="output-foreign"):
            self.state(target, OURS)
        target.unlink()
        target.symlink_to(target.parent / "x")
        with pytest.raises(OutputError, match="is a link"):
            self.state(target, OURS)

    def test_what_cannot_be_read_is_one_message(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        target.write_bytes(OURS)

        def fail(*_: object, **__: object) -> NoReturn:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "read_bytes", fail)
        with pytest.raises(OutputError, match=r"cannot be read \(Permission denied\)"):
            self.state(target, OURS)


class TestRemoving:
    def gone(self, target: Path) -> bool:
        return remove(target, root=target.parent.parent)

    def test_what_skillpack_wrote_goes(self, target: Path) -> None:
        target.write_bytes(OURS)
        assert self.gone(target)
        assert listing(target) == set()

    def test_everything_else_stays(self, target: Path) -> None:
        assert not self.gone(target)
        target.write_bytes(FOREIGN)
        assert not self.gone(target)
        assert target.read_bytes() == FOREIGN

    def test_links_and_directories_stay(self, target: Path) -> None:
        kept = target.parent / "kept.py"
        kept.write_bytes(OURS)
        target.symlink_to(kept)
        assert not self.gone(target)
        assert kept.exists()
        target.unlink()
        target.mkdir()
        assert not self.gone(target)

    def test_what_cannot_be_removed_is_one_message(
        self, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        target.write_bytes(OURS)

        def fail(*_: object, **__: object) -> NoReturn:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "unlink", fail)
        with pytest.raises(OutputError, match=r"cannot be removed \(Permission denied\)"):
            self.gone(target)


DESCRIPTORS = Path("/proc/self/fd")


@pytest.fixture(autouse=True)
def _descriptors_are_closed() -> Iterator[None]:
    before = len(list(DESCRIPTORS.iterdir())) if DESCRIPTORS.is_dir() else 0
    yield
    assert not before or len(list(DESCRIPTORS.iterdir())) <= before


class TestWhatPythonWouldImportInstead:
    """A package or an extension module of the module's name comes before it."""

    @pytest.mark.parametrize("name", ["skills/__init__.py", "skills.cpython-311-x86_64-linux-gnu.so"])
    def test_is_refused_when_it_is_not_ours(self, tmp_path: Path, name: str) -> None:
        foreign = tmp_path / name
        foreign.parent.mkdir(exist_ok=True)
        foreign.write_bytes(b"bundle = None\n")
        path = tmp_path / "skills.py"
        message = f"{path}: output-foreign: Python would import {name}, which lies beside it, in its place"
        with pytest.raises(OutputError, match=re.escape(message)):
            write(path, OURS, root=tmp_path, now=0)
        assert not path.exists()
        path.write_bytes(OURS)
        with pytest.raises(OutputError, match="output-foreign"):
            compare(path, OURS, root=tmp_path)

    def test_goes_when_skillpack_wrote_it(self, tmp_path: Path) -> None:
        path, package = tmp_path / "skills.py", tmp_path / "skills" / "__init__.py"
        package.parent.mkdir()
        path.write_bytes(OURS)
        package.write_bytes(OURS)
        assert compare(path, OURS, root=tmp_path) == "stale"
        assert write(path, OURS, root=tmp_path, now=0)
        assert not package.exists()
        assert compare(path, OURS, root=tmp_path) == "equal"
        assert not write(path, OURS, root=tmp_path, now=0)
