"""The folder forms on disk. The design page "Formats", section "Writing"."""

from __future__ import annotations

import compileall
import os
import re
import shutil
import stat
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from skillpack import write
from skillpack.digest import content_address
from skillpack.emit.folder import folder as emit
from skillpack.emit.layout import FIRST_LINE, INIT
from skillpack.errors import OutputError
from skillpack.write import folder, place
from support.bundles import DEMO, SOLO, make_bundle
from support.emitted import emitted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.emit.folder import FolderForm
    from skillpack.runtime import SkillBundle

NOW = 2_000_000_000.5
OLD = make_bundle({"demo": DEMO})
NEW = make_bundle({"demo": DEMO, "solo": SOLO})
STUB = FIRST_LINE + b"\nbundle: int\n"


@pytest.fixture(params=["package", "data"])
def kind(request: pytest.FixtureRequest) -> FolderForm:
    found: FolderForm = request.param
    return found


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    return tmp_path / "src" / "skills.py"


def files(bundle: SkillBundle, kind: FolderForm) -> Iterator[tuple[str, bytes]]:
    return emit(bundle, kind, content_address)


def put(
    module: Path,
    bundle: SkillBundle,
    kind: FolderForm,
    *,
    force: bool = False,
    stub: bytes | None = None,
) -> bool:
    root = module.parent.parent
    return write.write_output(module, files(bundle, kind), stub, root=root, now=NOW, force=force)


def put_module(module: Path, bundle: SkillBundle) -> bool:
    return write.write_output(module, iter([("", emitted(bundle))]), root=module.parent.parent, now=NOW)


def state(module: Path, bundle: SkillBundle, kind: FolderForm) -> str:
    ((place, found),) = write.compare_output(module, files(bundle, kind), root=module.parent.parent)
    assert place == module.parent / "skills"
    return found


def states(module: Path, bundle: SkillBundle, kind: FolderForm, stub: bytes | None) -> dict[str, str]:
    found = write.compare_output(module, files(bundle, kind), stub, root=module.parent.parent)
    return {path.relative_to(module.parent).as_posix(): state for path, state in found}


def listing(module: Path) -> set[str]:
    """The files below the directory of the module, with their paths from there."""
    return {
        path.relative_to(module.parent).as_posix() for path in module.parent.rglob("*") if not path.is_dir()
    }


def expected(bundle: SkillBundle, kind: FolderForm) -> set[str]:
    return {f"skills/{path}" for path, _ in files(bundle, kind)}


def expected_runtimes(bundle: SkillBundle, kind: FolderForm) -> set[str]:
    return {path.split("/")[0] for path, _ in files(bundle, kind) if "/" in path}


def refusal(module: Path, kind: FolderForm, *, force: bool = False) -> str:
    with pytest.raises(OutputError) as caught:
        put(module, NEW, kind, force=force)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    with pytest.raises(OutputError):
        state(module, NEW, kind)
    found = write.obstacles(module, is_folder=True, has_stub=False, root=module.parent.parent, force=force)
    told = [f"{obstacle.path}: output-foreign: {obstacle.message}; {obstacle.hint}" for obstacle in found]
    assert told == [str(caught.value)]
    return str(caught.value)


class TestWriting:
    def test_a_new_folder_holds_what_was_emitted(self, module: Path, kind: FolderForm) -> None:
        assert put(module, NEW, kind)
        for path, data in files(NEW, kind):
            target = module.parent / "skills" / path
            assert target.read_bytes() == data
            assert stat.S_IMODE(target.stat().st_mode) == 0o644
        assert listing(module) == expected(NEW, kind)

    def test_the_same_is_not_written_again(self, module: Path, kind: FolderForm) -> None:
        put(module, NEW, kind)
        before = {path: path.stat().st_mtime_ns for path in module.parent.rglob("*")}
        assert not put(module, NEW, kind)
        assert {path: path.stat().st_mtime_ns for path in module.parent.rglob("*")} == before

    def test_what_only_the_old_one_named_goes_with_what_python_compiled_of_it(
        self, module: Path, kind: FolderForm
    ) -> None:
        put(module, OLD, kind)
        cache = module.parent / "skills" / "__pycache__"
        cache.mkdir()
        gone = expected(OLD, kind) - expected(NEW, kind)
        for path in gone | {"skills/kept.py"}:
            (cache / f"{path.rpartition('/')[2].partition('.')[0]}.cpython-311.pyc").write_bytes(b"")
        assert put(module, NEW, kind)
        left = {"skills/__pycache__/kept.cpython-311.pyc"}
        # nothing was compiled of a blob
        left |= {path for path in listing(module) if "__pycache__" in path and kind == "data"}
        assert listing(module) == expected(NEW, kind) | left

    def test_the_init_is_newer_by_a_second_even_when_the_clock_is_not(
        self, module: Path, kind: FolderForm
    ) -> None:
        put(module, OLD, kind)
        init = module.parent / "skills" / INIT
        os.utime(init, (NOW + 10, NOW + 10))
        put(module, NEW, kind)
        assert init.stat().st_mtime == NOW + 11

    def test_a_directory_that_does_not_exist_is_not_made(self, module: Path, kind: FolderForm) -> None:
        place = module.parent / "pkg" / "skills.py"
        with pytest.raises(OutputError, match=f"the directory {place.parent} does not exist"):
            put(place, NEW, kind)
        assert write.compare_output(place, files(NEW, kind), root=module.parent) == [
            (place.parent / "skills", "missing")
        ]

    def test_a_run_that_fails_leaves_the_old(
        self, module: Path, kind: FolderForm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(module, OLD, kind)
        old = {path: (module.parent / path).read_bytes() for path in expected(OLD, kind)}
        real = place._arrive
        count = len([path for path, _ in files(NEW, kind) if f"skills/{path}" not in old]) + 1
        for limit in range(count):
            done = 0

            def dying(waiting: place._Waiting) -> None:
                nonlocal done
                if done == limit:  # noqa: B023 - called within its turn of the loop
                    raise KeyboardInterrupt
                done += 1
                real(waiting)

            with monkeypatch.context() as patch:
                patch.setattr(place, "_arrive", dying)
                with pytest.raises(KeyboardInterrupt):
                    put(module, NEW, kind)
            assert {path: (module.parent / path).read_bytes() for path in old} == old
            assert listing(module) == set(old), "what it made is gone: a disk may be full"

    @pytest.mark.parametrize("most", [1, 2, 3])
    def test_parts_are_put_some_at_a_time_and_the_commit_by_itself(
        self, module: Path, kind: FolderForm, most: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        on_disk: list[Path] = []
        arrived: list[Path] = []
        sync, arrive = os.fsync, place._arrive

        def note(descriptor: int) -> None:
            on_disk.append(Path(f"/proc/self/fd/{descriptor}").readlink())
            sync(descriptor)

        def note_too(waiting: place._Waiting) -> None:
            assert waiting.part in on_disk
            if waiting.path == module.parent / "skills" / INIT:
                assert len(on_disk) == len(arrived) + 1
            arrived.append(waiting.path)
            arrive(waiting)

        monkeypatch.setattr(place, "MOST_WAITING", most)
        monkeypatch.setattr(os, "fsync", note)
        monkeypatch.setattr(place, "_arrive", note_too)
        put(module, OLD, kind)
        assert arrived == [module.parent / "skills" / path for path, _ in files(OLD, kind)]
        assert listing(module) == expected(OLD, kind)

    def test_a_run_that_is_killed_after_the_commit_is_finished_by_the_next(
        self, module: Path, kind: FolderForm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(module, OLD, kind)
        with monkeypatch.context() as patch:
            patch.setattr(folder, "clear", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                put(module, NEW, kind)
        assert expected(NEW, kind) < listing(module)
        assert put(module, NEW, kind)
        assert listing(module) == expected(NEW, kind)

    def test_a_first_run_that_fails_leaves_nothing(
        self, module: Path, kind: FolderForm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = place._arrive
        made = []

        def failing(waiting: place._Waiting) -> None:
            if waiting.path == module.parent / "skills" / INIT:
                raise OSError(28, "No space left on device")
            made.append(waiting.path)
            real(waiting)

        monkeypatch.setattr(place, "_arrive", failing)
        with pytest.raises(OutputError, match="No space left on device"):
            put(module, NEW, kind)
        assert len(made) == len(expected(NEW, kind)) - 1
        assert list(module.parent.iterdir()) == []

    @pytest.mark.parametrize("old", [None, OLD])
    def test_an_interrupt_right_after_the_commit_takes_nothing_back(
        self, module: Path, kind: FolderForm, old: SkillBundle | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if old is not None:
            put(module, old, kind)
        real = place._arrive

        def interrupted(waiting: place._Waiting) -> None:
            real(waiting)
            if waiting.path == module.parent / "skills" / INIT:
                raise KeyboardInterrupt

        monkeypatch.setattr(place, "_arrive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            put(module, NEW, kind)
        assert expected(NEW, kind) <= listing(module)

    @pytest.mark.parametrize("is_all", [True, False])
    def test_what_vanishes_while_it_is_written_is_no_output(
        self, module: Path, kind: FolderForm, monkeypatch: pytest.MonkeyPatch, *, is_all: bool
    ) -> None:
        monkeypatch.setattr(place, "MOST_WAITING", 1)

        def vanishing() -> Iterator[tuple[str, bytes]]:
            made = list(files(NEW, kind))
            for number, (path, data) in enumerate(made):
                if number == len(made) // 2:
                    if is_all:
                        shutil.rmtree(module.parent / "skills")
                    else:
                        (module.parent / "skills" / made[0][0]).unlink()
                yield path, data

        message = "cannot be written" if is_all else "was removed while the others were written; run it again"
        with pytest.raises(OutputError, match=message):
            write.write_output(module, vanishing(), root=module.parent.parent, now=NOW)
        assert list(module.parent.iterdir()) == []

    def test_what_another_run_does_meanwhile_is_no_reason_to_refuse(
        self, module: Path, kind: FolderForm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(module, OLD, kind)
        (module.parent / "skills" / INIT).unlink()
        gone = module.parent / "skills" / "_s0123456789abcdef.py"
        gone.write_bytes(FIRST_LINE)
        real = folder._is_ours

        def meanwhile(path: Path) -> bool:
            gone.unlink(missing_ok=True)
            return real(path)

        monkeypatch.setattr(folder, "_is_ours", meanwhile)
        assert folder.obstacle(module, root=module.parent.parent) is None

    def test_a_first_run_that_was_killed_is_no_reason_to_refuse(self, module: Path, kind: FolderForm) -> None:
        put(module, OLD, kind)
        (module.parent / "skills" / INIT).unlink()
        (module.parent / "skills" / ".skillpack-0123456789abcdef.tmp").write_bytes(b"")
        assert state(module, NEW, kind) == "missing"
        assert put(module, NEW, kind)
        assert listing(module) == expected(NEW, kind)

    def test_an_error_of_the_system_is_one_line(
        self, module: Path, kind: FolderForm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(place.Puts, "put", full)
        with pytest.raises(OutputError, match=r"skills: cannot be written \(No space left on device\)"):
            put(module, NEW, kind)

    @pytest.mark.parametrize("started", [0, 1])
    def test_where_no_thread_can_be_started_it_is_written_all_the_same(
        self, module: Path, kind: FolderForm, monkeypatch: pytest.MonkeyPatch, started: int
    ) -> None:
        begun: list[Thread] = []
        start = Thread.start

        def refused(thread: Thread) -> None:
            if len(begun) == started:
                raise RuntimeError("can't start new thread")
            begun.append(thread)
            start(thread)

        monkeypatch.setattr(Thread, "start", refused)
        assert put(module, NEW, kind)
        monkeypatch.undo()
        assert len(begun) == started
        assert listing(module) == expected(NEW, kind)


class TestOtherForms:
    def test_where_there_is_no_folder_nothing_has_the_place_of_a_part(self, module: Path) -> None:
        assert write.part_obstacles(module, [path for path, _ in files(OLD, "package")]) == []

    def test_a_folder_takes_the_place_of_our_module(self, module: Path, kind: FolderForm) -> None:
        put_module(module, OLD)
        assert put(module, OLD, kind)
        assert listing(module) == expected(OLD, kind)

    def test_a_module_takes_the_place_of_our_folder(self, module: Path, kind: FolderForm) -> None:
        put(module, OLD, kind)
        (module.parent / "skills" / "__pycache__").mkdir()
        (module.parent / "skills" / "__pycache__" / "__init__.cpython-311.pyc").write_bytes(b"")
        assert put_module(module, OLD)
        assert listing(module) == {"skills.py"}
        assert not (module.parent / "skills").exists()

    def test_a_module_takes_the_place_of_what_is_left_of_our_folder(
        self, module: Path, kind: FolderForm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(module, OLD, kind, stub=STUB)
        (module.parent / "skills" / "notes.txt").write_bytes(b"")
        unlink = type(module).unlink

        def dying(path: Path) -> None:
            unlink(path)
            raise KeyboardInterrupt

        left = listing(module) - {f"skills/{INIT}"}
        with monkeypatch.context() as patch:
            patch.setattr(type(module), "unlink", dying)
            with pytest.raises(KeyboardInterrupt):
                put_module(module, OLD)
        assert listing(module) == left | {"skills.py"}
        root = module.parent.parent
        assert write.compare_output(module, iter([("", emitted(OLD))]), root=root) == [(module, "stale")]
        assert put_module(module, OLD)
        assert listing(module) == {"skills.py", "skills/notes.txt"}
        assert not put_module(module, OLD)

    def test_our_folder_by_a_link_is_not_ours_to_clear(self, module: Path, kind: FolderForm) -> None:
        put(module, OLD, kind)
        (module.parent / "skills").rename(module.parent / "other")
        (module.parent / "skills").symlink_to(module.parent / "other")
        with pytest.raises(OutputError, match=r"would import skills/__init__\.py"):
            put_module(module, OLD)

    def test_one_folder_form_takes_the_place_of_the_other(self, module: Path, kind: FolderForm) -> None:
        other: FolderForm = "data" if kind == "package" else "package"
        put(module, OLD, other)
        assert put(module, OLD, kind)
        assert listing(module) == expected(OLD, kind)

    def test_another_form_beside_it_is_not_what_would_be_written(
        self, module: Path, kind: FolderForm
    ) -> None:
        put(module, OLD, kind)
        module.write_bytes(emitted(OLD))
        assert state(module, OLD, kind) == "stale"
        assert write.compare_output(module, iter([("", emitted(OLD))]), root=module.parent.parent) == [
            (module, "stale")
        ]

    def test_a_foreign_module_is_refused(self, module: Path, kind: FolderForm) -> None:
        module.write_bytes(b"mine = 1\n")
        assert "output-foreign" in refusal(module, kind)
        assert "output-foreign" in refusal(module, kind, force=True)
        assert listing(module) == {"skills.py"}


class TestForeignFolders:
    def test_a_foreign_init_stays_without_force(self, module: Path, kind: FolderForm) -> None:
        init = module.parent / "skills" / INIT
        init.parent.mkdir()
        init.write_bytes(b"mine = 1\n")
        assert "--force" in refusal(module, kind)
        assert init.read_bytes() == b"mine = 1\n"
        assert put(module, NEW, kind, force=True)
        assert state(module, NEW, kind) == "equal"

    def test_a_folder_of_other_things_stays_also_with_force(self, module: Path, kind: FolderForm) -> None:
        skill = module.parent / "skills" / "pdf" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_bytes(b"")
        assert "did not write what is in this folder (pdf)" in refusal(module, kind)
        refusal(module, kind, force=True)
        assert listing(module) == {"skills/pdf/SKILL.md"}

    def test_an_empty_folder_is_taken(self, module: Path, kind: FolderForm) -> None:
        (module.parent / "skills").mkdir()
        assert put(module, NEW, kind)

    def test_other_files_in_our_folder_stay(self, module: Path, kind: FolderForm) -> None:
        put(module, OLD, kind)
        own = {
            "skills/notes.txt": b"",
            "skills/_s0123456789abcdef.py": b"mine = 1\n",
            f"skills/{'0' * 64}.bin": b"x",
            "skills/_r0123456789abcdef/core.py": b"mine = 1\n",
        }
        for path, data in own.items():
            (module.parent / path).parent.mkdir(exist_ok=True)
            (module.parent / path).write_bytes(data)
        (module.parent / "skills" / "_s1123456789abcdef.py").symlink_to(module.parent / "nothing")
        (module.parent / "skills" / f"{'1' * 64}.bin").mkdir()
        put(module, NEW, kind)
        assert set(own) < listing(module)
        assert write.remove_output(module, root=module.parent.parent)
        assert listing(module) == {*own, "skills/_s1123456789abcdef.py"}

    def test_a_foreign_file_in_the_place_of_a_part_is_refused(self, module: Path) -> None:
        put(module, OLD, "package")
        shard = next((module.parent / "skills").glob("_s*.py"))
        shard.write_bytes(b"mine = 1\n")
        with pytest.raises(OutputError, match="output-foreign"):
            put(module, OLD, "package")
        with pytest.raises(OutputError, match="output-foreign"):
            state(module, OLD, "package")
        paths = [path for path, _ in files(OLD, "package")]
        assert [found.path for found in write.part_obstacles(module, paths)] == [shard]
        assert (
            write.part_obstacles(module, ["other"]) == write.part_obstacles(module, paths, force=True) == []
        )
        assert put(module, OLD, "package", force=True)

    def test_a_damaged_part_of_ours_is_mended(self, module: Path, kind: FolderForm) -> None:
        put(module, OLD, kind)
        pattern = "_s*.py" if kind == "package" else "*.bin"
        part = next((module.parent / "skills").glob(pattern))
        part.write_bytes(FIRST_LINE + b"\n")
        assert state(module, OLD, kind) == "stale"
        assert put(module, OLD, kind)
        assert state(module, OLD, kind) == "equal"

    def test_what_python_would_import_instead_is_refused(self, module: Path, kind: FolderForm) -> None:
        put(module, OLD, kind)
        (module.parent / "skills" / "__init__.abi3.so").write_bytes(b"")
        assert "in the place of its __init__.py" in refusal(module, kind)

    @pytest.mark.parametrize("shadow", ["{}/__init__.py", "{}.so", "{}.cpython-311-x86_64-linux-gnu.so"])
    @pytest.mark.parametrize("start", ["_r", "_m", "_s"])
    def test_what_python_would_import_instead_of_a_part_is_refused(
        self, module: Path, start: str, shadow: str
    ) -> None:
        put(module, OLD, "package")
        paths = [path for path, _ in files(OLD, "package")]
        part = next(path for path in paths if path.startswith(start) and not path.endswith(INIT))
        hiding = module.parent / "skills" / shadow.format(part.removesuffix(".py"))
        hiding.parent.mkdir(exist_ok=True)
        hiding.write_bytes(b"")
        told = f"Python would import {hiding.relative_to(module.parent)} in its place"
        with pytest.raises(OutputError, match=f"{part}: output-foreign: {re.escape(told)}; move that away"):
            put(module, OLD, "package", force=True)
        with pytest.raises(OutputError, match="output-foreign"):
            state(module, OLD, "package")
        (found,) = write.part_obstacles(module, paths, force=True)
        assert (found.path, found.message) == (module.parent / "skills" / part, told)

    def test_what_hides_no_part_is_none_of_ours(self, module: Path, kind: FolderForm) -> None:
        put(module, OLD, kind)
        runtime = next((module.parent / "skills").glob("_r*"))
        for path in (
            "other/__init__.py",
            "_s0123456789abcdef/notes.txt",
            "__pycache__/__init__.cpython-311.pyc",
            f"{runtime.name}/__pycache__/__init__.cpython-311.pyc",
            f"{runtime.name}/notes.txt",
        ):
            (module.parent / "skills" / path).parent.mkdir(exist_ok=True)
            (module.parent / "skills" / path).write_bytes(b"")
        assert state(module, OLD, kind) == "equal"
        assert not put(module, OLD, kind)

    def test_a_file_in_the_place_of_the_folder_is_refused(self, module: Path, kind: FolderForm) -> None:
        (module.parent / "skills").write_bytes(b"")
        assert "is no directory" in refusal(module, kind)

    def test_links_are_refused(self, module: Path, kind: FolderForm) -> None:
        (module.parent / "other").mkdir()
        (module.parent / "skills").symlink_to(module.parent / "other")
        assert "is a link" in refusal(module, kind)
        assert not write.remove_output(module, root=module.parent.parent)

    def test_a_link_in_the_place_of_a_part_is_refused(self, module: Path, kind: FolderForm) -> None:
        put(module, OLD, kind)
        init = module.parent / "skills" / INIT
        (path,) = [path for path, _ in files(OLD, kind) if path.endswith("/__init__.py")]
        target = init.parent / path
        target.unlink()
        target.symlink_to(init)
        with pytest.raises(OutputError, match="is a link"):
            put(module, OLD, kind)
        (found,) = write.part_obstacles(module, [path for path, _ in files(OLD, kind)])
        assert found.path == target

    @pytest.mark.parametrize("is_link", [False, True])
    def test_what_has_the_place_of_the_runtimes_folder_is_refused(
        self, module: Path, kind: FolderForm, is_link: bool
    ) -> None:
        put(module, OLD, kind)
        runtime = next((module.parent / "skills").glob("_r*"))
        elsewhere = runtime.rename(module.parent / "elsewhere")
        if is_link:
            runtime.symlink_to(elsewhere)
        else:
            runtime.write_bytes(FIRST_LINE + b"\n")
        reason = "is a link" if is_link else "is no directory"
        with pytest.raises(OutputError, match=reason):
            put(module, OLD, kind, force=True)
        (found,) = write.part_obstacles(module, [path for path, _ in files(OLD, kind)], force=True)
        assert (found.path, found.message.startswith(reason)) == (runtime, True)

    def test_what_cannot_be_looked_at_is_none(
        self, module: Path, kind: FolderForm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(module, OLD, kind)

        def closed(*_: object) -> bool:
            raise PermissionError

        monkeypatch.setattr(place, "is_ours", closed)
        assert write.obstacles(module, is_folder=True, has_stub=True, root=module.parent.parent) == []
        assert write.part_obstacles(module, [INIT]) == []


class TestTheStub:
    def test_it_is_in_the_folder_and_goes_when_it_is_not_wanted(self, module: Path, kind: FolderForm) -> None:
        assert put(module, OLD, kind, stub=STUB)
        assert listing(module) == expected(OLD, kind) | {"skills/__init__.pyi"}
        assert not put(module, OLD, kind, stub=STUB)
        assert states(module, OLD, kind, STUB) == {"skills": "equal", "skills/__init__.pyi": "equal"}
        assert states(module, OLD, kind, STUB + b"#") == {"skills": "equal", "skills/__init__.pyi": "stale"}
        assert states(module, OLD, kind, None) == {"skills": "equal", "skills/__init__.pyi": "off"}
        assert put(module, OLD, kind)
        assert states(module, OLD, kind, STUB) == {"skills": "equal", "skills/__init__.pyi": "missing"}
        assert listing(module) == expected(OLD, kind)

    def test_it_comes_and_goes_with_its_form(self, module: Path, kind: FolderForm) -> None:
        root = module.parent.parent
        put(module, OLD, kind, stub=STUB)
        write.write_output(module, iter([("", emitted(OLD))]), STUB, root=root, now=NOW)
        assert listing(module) == {"skills.py", "skills.pyi"}
        module.unlink()
        put(module, OLD, kind, stub=STUB)
        assert listing(module) == expected(OLD, kind) | {"skills/__init__.pyi"}
        module.with_suffix(".pyi").write_bytes(STUB)
        assert states(module, OLD, kind, STUB) == {"skills": "stale", "skills/__init__.pyi": "equal"}
        assert write.remove_output(module, root=root)
        assert listing(module) == set()

    def test_one_that_is_not_ours_stays_without_force(self, module: Path, kind: FolderForm) -> None:
        put(module, OLD, kind)
        place = module.parent / "skills/__init__.pyi"
        place.write_bytes(b"mine: int\n")
        assert not put(module, OLD, kind)
        with pytest.raises(OutputError, match=r"__init__\.pyi: output-foreign"):
            put(module, OLD, kind, stub=STUB)
        with pytest.raises(OutputError, match=r"__init__\.pyi: output-foreign"):
            states(module, OLD, kind, STUB)
        (found,) = write.obstacles(module, is_folder=True, has_stub=True, root=module.parent.parent)
        assert found.path == place
        assert put(module, OLD, kind, stub=STUB, force=True)
        assert place.read_bytes() == STUB


class TestWhatAKilledRunLeft:
    @pytest.mark.parametrize("bundle", [OLD, NEW])
    def test_goes_with_the_next_run_also_when_that_has_nothing_to_write(
        self, module: Path, kind: FolderForm, bundle: SkillBundle
    ) -> None:
        put(module, OLD, kind)
        folder = module.parent / "skills"
        for directory in (folder, next(folder.glob("_r*")), module.parent):
            (directory / ".skillpack-0123456789abcdef.tmp").write_bytes(b"half of a part")
        assert put(module, bundle, kind) is (bundle is NEW)
        assert listing(module) == expected(bundle, kind)

    def test_a_runtime_that_was_half_removed_goes_with_the_next_run(
        self, module: Path, kind: FolderForm
    ) -> None:
        put(module, OLD, kind)
        for name in ("_r0123456789abcdef", "_r1123456789abcdef"):
            (module.parent / "skills" / name / "__pycache__").mkdir(parents=True)
        (module.parent / "skills" / "_r1123456789abcdef" / "mine").write_bytes(b"")
        assert not put(module, OLD, kind)
        left = {path.name for path in (module.parent / "skills").glob("_r*")}
        assert left == {"_r1123456789abcdef", next(iter(expected_runtimes(OLD, kind)))}

    def test_an_empty_runtime_in_the_place_of_our_folder_goes_with_it(
        self, module: Path, kind: FolderForm
    ) -> None:
        put_module(module, OLD)
        (module.parent / "skills" / "_r0123456789abcdef" / "__pycache__").mkdir(parents=True)
        assert put_module(module, OLD)
        assert listing(module) == {"skills.py"}
        assert not (module.parent / "skills").exists()

    @pytest.mark.parametrize("is_empty", [True, False])
    def test_what_python_compiled_stays_where_a_link_leads(
        self, module: Path, kind: FolderForm, *, is_empty: bool
    ) -> None:
        put(module, OLD, kind)
        folder = module.parent / "skills"
        (runtime,) = expected_runtimes(OLD, kind)
        elsewhere = module.parent.parent / "elsewhere"
        elsewhere.mkdir()
        if not is_empty:
            for path in folder.rglob("*.py"):
                (elsewhere / f"{path.stem}.cpython-311.pyc").write_bytes(b"")
        before = sorted(elsewhere.iterdir())
        for directory in (folder, folder / runtime):
            (directory / "__pycache__").symlink_to(elsewhere)
        assert put_module(module, OLD)
        links = {"skills/__pycache__", f"skills/{runtime}/__pycache__"}
        assert {path for path in links if (module.parent / path).is_symlink()} == links
        assert sorted(elsewhere.iterdir()) == before
        assert not put_module(module, OLD)

    def test_what_was_compiled_goes_before_its_source(
        self, module: Path, kind: FolderForm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(module, OLD, kind)
        compileall.compile_dir(module.parent, quiet=1)
        real = Path.unlink

        def killed(path: Path, missing_ok: bool = False) -> None:
            if path.name == INIT:
                raise KeyboardInterrupt
            real(path, missing_ok)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", killed)
            with pytest.raises(KeyboardInterrupt):
                write.remove_output(module, root=module.parent.parent)
        assert (module.parent / "skills" / INIT).exists()
        assert not list((module.parent / "skills" / "__pycache__").glob("__init__.*"))
        put_module(module, OLD)
        assert {path.name for path in module.parent.iterdir()} == {"skills.py"}


class TestComparing:
    def test_states(self, module: Path, kind: FolderForm) -> None:
        assert state(module, NEW, kind) == "missing"
        put(module, NEW, kind)
        assert state(module, NEW, kind) == "equal"
        assert state(module, OLD, kind) == "stale"

    def test_windows_lines_count_as_unix_lines_in_sources(self, module: Path, kind: FolderForm) -> None:
        put(module, NEW, kind)
        for path in (module.parent / "skills").rglob("*.py"):
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        assert state(module, NEW, kind) == "equal"

    def test_other_code_around_the_same_skills_is_said(self, module: Path, kind: FolderForm) -> None:
        put(module, NEW, kind)
        init = module.parent / "skills" / INIT
        (runtime,) = [path for path in init.parent.iterdir() if path.name.startswith("_r")]
        older = init.parent / "_r0123456789abcdef"
        runtime.rename(older)
        init.write_bytes(init.read_bytes().replace(runtime.name.encode(), older.name.encode()))
        assert state(module, NEW, kind) == "runtime-newer"
        put(module, NEW, kind)
        assert listing(module) == expected(NEW, kind)


class TestRemoving:
    def test_all_that_is_ours_goes(self, module: Path, kind: FolderForm) -> None:
        put(module, NEW, kind)
        assert folder.holds_ours(module)
        assert write.remove_output(module, root=module.parent.parent)
        assert not (module.parent / "skills").exists()
        assert not folder.holds_ours(module)
        assert not write.remove_output(module, root=module.parent.parent)
