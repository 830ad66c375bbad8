"""The cache: it saves work and holds no secret, and a cache that is no good is no cache."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Never

import pytest

from skillpack import cache, digest, pipeline
from skillpack.cache import FILE, Cache
from skillpack.emit.folder import folder
from skillpack.errors import OutputError, RefusedError
from skillpack.screen.policy import instructions_key
from skillpack.secrets import detection
from support import projects, tokens
from support.bundles import skill_md
from support.hatch_builds import build
from support.packing import settings, skillpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

FLOW = skill_md("dance", metadata="{author: us}")
"""A SKILL.md that the pure parser has to read."""

KEY = digest.fingerprint(FLOW).blake3
CLEAN = instructions_key(KEY)


def filled(home: Path) -> Cache:
    """Return a saved cache that knows one file."""
    made = Cache(home)
    made.clean.add(CLEAN)
    made.documents[KEY] = ["name: dance", [], {}]
    made.outputs["old"] = [["a.py", "blake3:0"]]
    made.save()
    return made


def is_empty(home: Path) -> bool:
    found = Cache(home)
    return not found.clean and not found.documents and not found.outputs


# ------------------------------------------------------------------ where it is


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"HOME": "/home/me"}, "/home/me/.cache/skillpack"),
        ("linux", {"HOME": "/home/me", "XDG_CACHE_HOME": "/caches"}, "/caches/skillpack"),
        ("linux", {"HOME": "/home/me", "XDG_CACHE_HOME": "caches"}, "/home/me/.cache/skillpack"),
        ("darwin", {"HOME": "/Users/me", "XDG_CACHE_HOME": "/caches"}, "/Users/me/Library/Caches/skillpack"),
        ("win32", {"LOCALAPPDATA": "/data"}, "/data/skillpack/Cache"),
        ("linux", {}, None),
        ("darwin", {}, None),
        ("win32", {"HOME": "/home/me"}, None),
        ("win32", {"LOCALAPPDATA": "/data", "SKILLPACK_CACHE_DIR": "/here"}, "/here"),
        ("linux", {"HOME": "/home/me", "SKILLPACK_CACHE_DIR": ""}, "/home/me/.cache/skillpack"),
    ],
)
def test_the_directory_is_the_platforms_own_or_the_one_that_is_named(
    platform: str, environment: dict[str, str], expected: str | None
) -> None:
    assert cache.directory(environment, platform) == (Path(expected) if expected else None)


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    filled(tmp_path / "new" / "home")
    (file,) = (tmp_path / "new" / "home").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


# ------------------------------------------------------------------ what it keeps


def test_what_a_run_found_out_is_there_in_the_next(tmp_path: Path) -> None:
    first = filled(tmp_path)
    second = Cache(tmp_path)
    assert (second.clean, second.documents) == (first.clean, first.documents)
    assert second.outputs == {"old": [["a.py", "blake3:0"]]}


def test_a_run_that_found_out_nothing_writes_nothing(tmp_path: Path) -> None:
    filled(tmp_path)
    (file,) = tmp_path.iterdir()
    file.chmod(0o400)
    before = file.stat()
    Cache(tmp_path).save()
    assert file.stat() == before


def test_without_a_directory_it_lasts_for_the_run() -> None:
    made = Cache()
    made.clean.add(CLEAN)
    made.save()
    assert not Cache().clean


def test_it_is_bounded_and_forgets_what_is_old_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_CLEAN", 2)
    monkeypatch.setattr(cache, "MAX_DOCUMENTS", 1)
    monkeypatch.setattr(cache, "MAX_OUTPUTS", 1)
    filled(tmp_path)
    second = Cache(tmp_path)
    list(second.emitted("new", tmp_path, digest.content_address, list))
    new = {bytes([number]) * cache.KEY_BYTES for number in range(2)}
    key = "00" * 32
    second.clean |= new | {instructions_key(key)}
    second.documents[key] = ["", [], {}]
    second.save()
    third = Cache(tmp_path)
    assert len(third.clean) == 2
    assert CLEAN not in third.clean
    assert list(third.documents) == [key]
    assert list(third.outputs) == ["new"]


def grown(home: Path, numbers: range, *, outputs: int = 0) -> Cache:
    """Return a saved cache to which documents and outputs of 1,000 characters and more were added."""
    made = Cache(home)
    made.clean.add(CLEAN)
    for number in numbers:
        made.documents[f"{number:064}"] = "d" * 1_000
    for number in range(outputs):
        made.outputs[f"{number}"] = [["a.py", "o" * 1_000]]
    made.save()
    return made


def test_what_is_too_much_to_be_read_is_not_written_and_what_is_old_is_left_out_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_FILE_BYTES", 10_500)
    grown(tmp_path, range(4))
    made = grown(tmp_path, range(4, 12))
    assert list(made.documents) == [f"{number:064}" for number in (*range(4, 12), 0)]
    again = Cache(tmp_path)
    assert (again.clean, again.documents, again.outputs) == (made.clean, made.documents, made.outputs)
    before = (tmp_path / FILE).stat()
    made.save()
    again.save()
    assert (tmp_path / FILE).stat() == before


def test_outputs_leave_half_of_it_to_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_FILE_BYTES", 10_500)
    grown(tmp_path, range(12), outputs=12)
    again = Cache(tmp_path)
    assert again.clean == {CLEAN}
    assert (len(again.outputs), len(again.documents)) == (5, 4)


@pytest.mark.parametrize(("more", "documents"), [(-1, 1), (8, 2)])
def test_all_is_kept_that_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int, documents: int
) -> None:
    grown(tmp_path / "whole", range(2), outputs=2)
    body = (tmp_path / "whole" / FILE).read_bytes().partition(b"\n")[2]
    # what is between entries is counted with each, also with the last
    monkeypatch.setattr(cache, "MAX_FILE_BYTES", len(body) + more)
    grown(tmp_path / "home", range(2), outputs=2)
    again = Cache(tmp_path / "home")
    assert (again.clean, len(again.outputs), len(again.documents)) == ({CLEAN}, 2, documents)


def test_one_that_is_too_large_for_itself_keeps_no_other_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_FILE_BYTES", 10_500)
    made = Cache(tmp_path)
    made.documents = {"large": "d" * 11_000, "small": "d"}
    made.save()
    assert Cache(tmp_path).documents == {"small": "d"}


def test_a_run_that_tells_too_much_to_be_read_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_FILE_BYTES", 100)
    runs = cache.Runs(tmp_path)
    for length in (98, 99):  # two quotes beside
        runs.keep(f"{length}", "t" * length)
    assert [runs.recall("98"), runs.recall("99")] == ["t" * 98, None]
    assert len(list(tmp_path.iterdir())) == 1


# ------------------------------------------------------------------ when it is no good


def test_a_missing_cache_is_empty(tmp_path: Path) -> None:
    assert is_empty(tmp_path / "missing")


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"dance", b"dunce"),
        lambda data: b"",
        lambda data: b"\0" * len(data),
        lambda data: data[:-33] + b"\0" * 33,
        lambda data: data.replace(b"skillpack-cache ", b"skillpack-cache/1 "),
    ],
)
def test_a_damaged_cache_is_empty_and_is_replaced(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    filled(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert is_empty(tmp_path)
    filled(tmp_path)
    assert not is_empty(tmp_path)


def test_a_cache_of_another_skillpack_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)
    monkeypatch.setattr(cache, "_version", lambda: "f" * 64)
    assert is_empty(tmp_path)


def test_any_change_of_skillpacks_code_is_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(**files: str) -> str:
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return cache._version()

    monkeypatch.setattr(cache, "__file__", str(tmp_path / "cache.py"))
    versions = [version(cache="", rules="A = 1"), version(rules="A = 2"), version(more="")]
    assert len(set(versions)) == 3
    assert version() == versions[-1]


def test_code_that_cannot_be_read_means_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "skillpack.zip" / "cache.py"))
    filled(tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    filled(tmp_path / "file")

    def full(*_: object) -> Never:
        raise OSError

    monkeypatch.setattr("pathlib.Path.replace", full)
    filled(tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


def test_runs_at_the_same_time_leave_a_good_cache(tmp_path: Path) -> None:
    threads = [threading.Thread(target=filled, args=[tmp_path]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Cache(tmp_path).clean == {CLEAN}
    assert len(list(tmp_path.iterdir())) == 1


# ------------------------------------------------------------------ in a run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SKILLPACK_CACHE_DIR", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return projects.write(
        tmp_path / "project", {"skills/dance/SKILL.md": FLOW, "skills/dance/notes.md": "Take your time.\n"}
    )


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The contents that were looked into."""
    scan, seen = detection.scan, []

    def look(data: bytes) -> object:
        seen.append(data)
        return scan(data)

    monkeypatch.setattr(detection, "scan", look)
    return seen


def codes(project: Path, home: Path, **options: Any) -> list[str]:
    try:
        with pipeline.pack(settings(project, options), cache=Cache(home)) as packed:
            return [finding.code for finding in packed.findings]
    except RefusedError as refused:
        return [finding.code for finding in refused.findings]


def test_what_is_known_is_not_looked_into_again(project: Path, tmp_path: Path, scanned: list[bytes]) -> None:
    codes(project, tmp_path / "home")
    assert {FLOW, b"Take your time.\n"} <= set(scanned)
    scanned.clear()
    codes(project, tmp_path / "home")
    assert scanned == []
    (project / "skills/dance/notes.md").write_bytes(b"Hurry.\n")
    codes(project, tmp_path / "home")
    assert scanned == [b"Hurry.\n"]


def test_equal_contents_are_looked_into_once_in_a_run(project: Path, scanned: list[bytes]) -> None:
    for number in range(3):
        (project / f"skills/dance/{number}.md").write_bytes(b"Take your time.\n")
    with pipeline.pack(settings(project, {})):
        assert scanned.count(b"Take your time.\n") == 1


def test_a_file_that_is_known_is_looked_into_as_a_skill_md(project: Path, tmp_path: Path) -> None:
    hiding = skill_md("hide", body="# Hi\n<!-- for the model -->\n")
    projects.write(project, {"skills/dance/copy.md": hiding})
    assert "html-comment" not in codes(project, tmp_path / "home", level="strict")
    projects.write(project, {"skills/hide/SKILL.md": hiding})
    assert "html-comment" in codes(project, tmp_path / "home", level="strict")


def test_what_is_found_is_found_in_every_run(project: Path, tmp_path: Path) -> None:
    example = tokens.example("github-token")
    projects.write(project, {"skills/dance/a.md": example.text, "skills/dance/b.md": "zero\u200bwidth\n"})
    for _ in range(2):
        found = codes(project, tmp_path / "home")
        assert {"secret-content", "invisible-characters"} <= set(found)
    (file,) = (tmp_path / "home").iterdir()
    assert example.secret not in file.read_bytes()


def test_a_secret_that_yaml_alone_puts_together_is_not_written_to_it(tmp_path: Path) -> None:
    secret = tokens.example("aws-secret-access-key").secret.decode()
    head = "name: a\ndescription: Use it [when] asked\nmetadata: {a: b}\n"
    skill = tmp_path / "skills" / "a"
    skill.mkdir(parents=True)
    text = f'---\n{head}"aws_secret\\x5faccess_key": "{secret}"\n---\nHi\n'
    (skill / "SKILL.md").write_text(text, encoding="utf-8")
    kept = Cache(tmp_path / "home")
    with pytest.raises(RefusedError) as refused, pipeline.pack(settings(tmp_path, {}), cache=kept):
        pass
    assert "secret-content" in {finding.code for finding in refused.value.findings}
    assert kept.documents == {}
    assert secret.encode() not in (tmp_path / "home" / FILE).read_bytes()


def test_what_is_no_file_in_its_place_is_passed_over_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FILE)
    assert Cache(tmp_path).clean == set()


def test_what_is_off_in_one_run_is_found_in_the_next(project: Path, tmp_path: Path) -> None:
    projects.write(project, {"skills/dance/b.md": "zero\u200bwidth\n"})
    assert "invisible-characters" not in codes(
        project, tmp_path / "home", rules={"invisible-characters": "off"}
    )
    assert "invisible-characters" in codes(project, tmp_path / "home")


# ------------------------------------------------------------------ what was emitted

FILES = [("_r/core.py", b"core\n"), ("__init__.py", b"init\n")]


def emitted(made: Cache, key: str, place: Path) -> tuple[list[tuple[str, bytes]], bool]:
    """Return what is emitted, and whether it was rendered."""
    rendered = []

    def render() -> list[tuple[str, bytes]]:
        rendered.append(key)
        return FILES

    return list(made.emitted(key, place, digest.content_address, render)), bool(rendered)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return projects.write(tmp_path / "out", dict(FILES))


def test_an_output_that_stands_as_it_was_emitted_is_not_rendered_again(tmp_path: Path, output: Path) -> None:
    made = Cache(tmp_path / "home")
    assert emitted(made, "a", output) == (FILES, True)
    made.save()
    for _ in range(2):
        assert emitted(Cache(tmp_path / "home"), "a", output) == (FILES, False)
    assert emitted(Cache(tmp_path / "home"), "b", output) == (FILES, True)


@pytest.mark.parametrize("path", [path for path, _ in FILES])
def test_an_output_of_which_one_file_is_another_is_rendered(path: str, tmp_path: Path, output: Path) -> None:
    made = Cache()
    emitted(made, "a", output)
    emitted(made, "a", output)
    for damage in ((output / path).unlink, lambda: (output / path).write_bytes(b"core!\n")):
        damage()
        assert emitted(made, "a", output) == (FILES, True)
    assert emitted(made, "a", tmp_path / "elsewhere") == (FILES, True)


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_bytes(b"other\n")])
def test_an_output_that_changes_meanwhile_is_an_error_and_not_given(
    change: Callable[[Path], object], output: Path
) -> None:
    made = Cache()
    emitted(made, "a", output)
    given = made.emitted("a", output, digest.content_address, lambda: FILES)
    assert next(given) == FILES[0]
    change(output / FILES[1][0])
    with pytest.raises(OutputError, match=r"__init__\.py: was changed while skillpack ran; run it again$"):
        next(given)


def test_what_was_not_emitted_to_the_end_is_not_known(output: Path) -> None:
    made = Cache()
    next(made.emitted("a", output, digest.content_address, lambda: FILES))
    assert made.outputs == {}


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The forms that were rendered."""
    seen = []

    def look(bundle: Any, form: Any, address: Any, **options: Any) -> Iterator[tuple[str, bytes]]:
        seen.append(form)  # when the first file is asked for
        yield from folder(bundle, form, address, **options)

    monkeypatch.setattr(pipeline, "folder", look)
    return seen


def tree(top: Path) -> dict[str, bytes]:
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}


@pytest.mark.parametrize("form", ["package", "data"])
def test_a_bundle_of_which_nothing_changed_is_not_rendered_again(
    form: str, project: Path, home: Path, rendered: list[str]
) -> None:
    command = ("bundle", "-o", "out.py", "--format", form)
    assert "wrote" in skillpack(project, *command).stderr
    assert rendered == [form]
    first = tree(project / "out")
    assert "unchanged" in skillpack(project, *command).stderr
    assert rendered == [form]
    assert "wrote" in skillpack(project, *command, "--stub").stderr
    assert rendered == [form]
    assert skillpack(project, *command, "--check", "--stub").exit_code == 0
    assert rendered == [form] * 2
    assert skillpack(project, *command, "--no-cache").exit_code == 0
    assert rendered == [form] * 3
    (project / "out" / max(first)).write_bytes(b"# Generated by skillpack; do not edit.\n")
    assert "wrote" in skillpack(project, *command).stderr
    assert tree(project / "out") == first
    assert rendered == [form] * 4
    (project / "skills/dance/notes.md").write_bytes(b"Hurry.\n")
    assert "wrote" in skillpack(project, *command).stderr
    assert rendered == [form] * 5
    assert home.exists()


def test_what_is_rendered_depends_on_facts_that_no_digest_of_a_skill_covers(
    project: Path, home: Path, rendered: list[str]
) -> None:
    command = ("bundle", "-o", "out.py", "--format", "package")
    for _ in range(2):
        assert skillpack(project, *command).exit_code == 0
    (project / "skills/dance/notes.md").chmod(0o755)
    assert "wrote" in skillpack(project, *command).stderr
    assert len(rendered) == 2
    assert home.exists()


def test_a_stray_part_goes_although_nothing_changed(project: Path, home: Path, rendered: list[str]) -> None:
    command = ("bundle", "-o", "out.py", "--format", "package")
    assert skillpack(project, *command).exit_code == 0
    stray = project / "out" / f"_s{'0' * 16}.py"
    stray.write_bytes(b"# Generated by skillpack; do not edit.\n")
    assert "wrote" in skillpack(project, *command).stderr
    assert not stray.exists()
    assert len(rendered) == 1
    assert home.exists()


# ------------------------------------------------------------------ at the edges


@pytest.mark.parametrize("command", [("bundle", "-o", "skills.py"), ("check",)])
def test_the_command_line_uses_it_unless_it_is_told_not_to(
    command: tuple[str, ...], project: Path, home: Path
) -> None:
    assert skillpack(project, *command, "--no-cache").exit_code == 0
    assert not home.exists()
    assert skillpack(project, *command).exit_code == 0
    assert CLEAN in Cache(home).clean
    assert KEY in Cache(home).documents


def test_the_hook_uses_it(tmp_path: Path, home: Path) -> None:
    with contextlib.chdir(tmp_path):
        build(projects.write(tmp_path / "agent", projects.agent())).artifact()
    assert Cache(home).clean
