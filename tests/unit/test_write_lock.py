"""Runs at the same time over one output: one waits for the other."""

from __future__ import annotations

import errno
import fcntl
import os
import pickle
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from skillpack import write
from skillpack.digest import content_address
from skillpack.emit.folder import folder as emit
from skillpack.errors import OutputError
from skillpack.write import lock
from support.bundles import DEMO, make_bundle, skill_md

if TYPE_CHECKING:
    from pathlib import Path

    from skillpack.emit.folder import FolderForm

OLD = make_bundle({"demo": DEMO})


def write_package(module: Path, started: threading.Event | None = None) -> bool:
    if started is not None:
        started.set()
    return write.write_output(module, emit(OLD, "package", content_address), root=module.parent, now=1.0)


def locked(folder: Path) -> int:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def waiting(module: Path) -> threading.Thread:
    started = threading.Event()
    thread = threading.Thread(target=write_package, args=(module, started))
    thread.start()
    assert started.wait(10)
    thread.join(0.2)
    assert thread.is_alive()
    return thread


def test_a_run_waits_for_the_one_that_is_in_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    folder.mkdir()
    other = locked(folder)
    thread = waiting(tmp_path / "skills.py")
    assert list(folder.iterdir()) == []
    os.close(other)
    thread.join(10)
    assert (folder / "__init__.py").is_file()


@pytest.mark.parametrize("is_made_again", [False, True])
def test_a_run_does_not_go_on_in_a_folder_that_was_removed_meanwhile(
    tmp_path: Path, *, is_made_again: bool
) -> None:
    folder = tmp_path / "skills"
    folder.mkdir()
    other = locked(folder)
    thread = waiting(tmp_path / "skills.py")
    folder.rename(tmp_path / "gone")
    if is_made_again:
        folder.mkdir()
    os.close(other)
    thread.join(10)
    assert (folder / "__init__.py").is_file()
    assert list((tmp_path / "gone").iterdir()) == []


def test_nothing_is_left_behind_and_the_lock_is_lifted(tmp_path: Path) -> None:
    module = tmp_path / "skills.py"
    assert write_package(module)
    assert {path.name for path in tmp_path.iterdir()} == {"skills"}
    os.close(locked(tmp_path / "skills"))
    assert write.remove_output(module, root=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("reason", ["no fcntl", "not there", "not opened"])
def test_without_locks_one_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    def refused(*_: object) -> int:
        raise OSError(errno.EBADF, "no locks here")

    with monkeypatch.context() as patch:
        if reason == "no fcntl":
            patch.setitem(sys.modules, "fcntl", None)
        elif reason == "not there":
            patch.setattr(fcntl, "flock", refused)
        else:
            (tmp_path / "skills").mkdir()
            patch.setattr(os, "open", refused)
            with lock.held(tmp_path / "skills", make=True):
                pass
            return
        assert write_package(tmp_path / "skills.py")


def test_a_run_that_is_interrupted_while_it_waits_leaves_no_descriptor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[int] = []
    close = os.close

    def closing(descriptor: int) -> None:
        closed.append(descriptor)
        close(descriptor)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fcntl, "flock", interrupted)
    monkeypatch.setattr(os, "close", closing)
    with pytest.raises(KeyboardInterrupt), lock.held(tmp_path, make=False):
        pytest.fail("not reached")
    assert len(closed) == 1


def test_a_refused_output_makes_no_folder(tmp_path: Path) -> None:
    (tmp_path / "skills.py").write_bytes(b"mine = 1\n")
    with pytest.raises(OutputError, match="output-foreign"):
        write_package(tmp_path / "skills.py")
    assert {path.name for path in tmp_path.iterdir()} == {"skills.py"}


RUN = """
import pickle, sys, time
from pathlib import Path
from skillpack import write
files = pickle.loads(Path(sys.argv[1]).read_bytes())
for _ in sys.stdin:
    write.write_output(Path("out/skills.py"), iter(files), root=Path("out"), now=time.time())
    print("done", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("form", ["package", "data"])
def test_two_runs_with_other_skills_leave_the_output_of_one(tmp_path: Path, form: FolderForm) -> None:
    outputs, runs = [], []
    (tmp_path / "out").mkdir()
    for name in ("one", "two"):
        bundle = make_bundle({name: {"SKILL.md": skill_md(name), "noise.dat": os.urandom(6 * 2**20)}})
        files = list(emit(bundle, form, content_address))
        outputs.append(dict(files))
        (tmp_path / name).write_bytes(pickle.dumps(files))
        command = [sys.executable, "-c", RUN, name]
        runs.append(
            subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        )
    folder = tmp_path / "out" / "skills"
    try:
        for _ in range(20):
            for run in runs:
                assert run.stdin is not None
                run.stdin.write(b"\n")
            for run in runs:
                assert run.stdout is not None
                assert run.stdout.readline() == b"done\n"
            found = {
                path.relative_to(folder).as_posix(): path.read_bytes()
                for path in folder.rglob("*")
                if path.is_file()
            }
            assert found.keys() in [output.keys() for output in outputs]
            assert found in outputs
    finally:
        for run in runs:
            run.communicate()
