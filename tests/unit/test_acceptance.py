"""What is made of an artifact is made of one that `skillpack verify` finds good, and of nothing else."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from skillpack import acceptance, archive
from skillpack.digest import content_address
from skillpack.emit.folder import folder
from skillpack.errors import ArtifactError, MissingArtifactError, SkillpackError
from support.archives import make_sdist, make_zip
from support.bundles import DEMO, SOLO, make_bundle
from support.emitted import emitted, executed
from support.packing import within

if TYPE_CHECKING:
    from pathlib import Path

    from skillpack.emit.folder import FolderForm

BUNDLE = make_bundle({"demo": DEMO, "solo": SOLO}, executable={"scripts/x.py"})
MODULE = emitted(BUNDLE)


def module(directory: Path, source: bytes = MODULE) -> Path:
    path = directory / "skills.py"
    path.write_bytes(source)
    return path


def package(directory: Path, form: FolderForm) -> Path:
    for path, data in folder(BUNDLE, form, content_address):
        target = directory / "skills" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return directory / "skills"


@pytest.mark.parametrize("kind", ["module", "package", "data", "init", "wheel", "zip", "sdist", "directory"])
def test_the_bundle_of_every_kind_of_artifact_is_taken(tmp_path: Path, kind: str) -> None:
    match kind:
        case "module":
            path = module(tmp_path)
        case "package":
            path = package(tmp_path, "package")
        case "data":
            path = package(tmp_path, "data")
        case "init":
            path = package(tmp_path, "package") / "__init__.py"
        case "sdist":
            path = make_sdist(tmp_path / "a-1.tar.gz", [("a-1/src/a/skills.py", MODULE)])
        case "directory":
            path = tmp_path
            module(tmp_path)
        case _:
            path = make_zip(
                tmp_path / ("a-1-py3-none-any.whl" if kind == "wheel" else "a.zip"), {"a/skills.py": MODULE}
            )
    taken = acceptance.taken(path)
    assert taken == BUNDLE
    assert taken["demo"].file("scripts/x.py").executable
    assert archive.is_artifact(path) == (kind != "directory")


def test_some_of_its_skills_can_be_taken(tmp_path: Path) -> None:
    path = module(tmp_path)
    assert acceptance.taken(path, select=["d*"]).names == ("demo",)
    assert acceptance.taken(path, select=["!demo"]).names == ("solo",)
    with pytest.raises(SkillpackError, match="no skill 'dem'; did you mean demo"):
        acceptance.taken(path, select=["dem"])
    with pytest.raises(SkillpackError, match="--select chooses none of its skills: demo, solo"):
        acceptance.taken(path, select=["x*"])


def test_some_of_the_skills_of_an_imported_module_are_taken_in_the_same_words() -> None:
    bundle = executed(MODULE)
    assert acceptance.chosen(bundle, "a.skills", []) is bundle
    assert acceptance.chosen(bundle, "a.skills", ["!demo"]).names == ("solo",)
    with pytest.raises(SkillpackError, match=r"^a\.skills: no skill 'dem'; did you mean demo"):
        acceptance.chosen(bundle, "a.skills", ["dem"])
    with pytest.raises(SkillpackError, match=r"^a\.skills: --select chooses none of its skills: demo, solo"):
        acceptance.chosen(bundle, "a.skills", ["x*"])


def test_of_several_modules_one_has_to_be_named(tmp_path: Path) -> None:
    other = emitted(make_bundle({"solo": SOLO}))
    path = make_zip(tmp_path / "a.zip", {"a/skills.py": MODULE, "b/skills.py": other})
    with pytest.raises(
        SkillpackError, match=r"2 modules; say which with --module: a/skills\.py, b/skills\.py"
    ):
        acceptance.taken(path)
    assert acceptance.taken(path, module="b/skills.py").names == ("solo",)
    with pytest.raises(
        SkillpackError, match=r"holds no module skills\.py; it holds a/skills\.py, b/skills\.py"
    ):
        acceptance.taken(path, module="skills.py")


def test_a_changed_byte_is_refused_with_one_message_that_says_where(tmp_path: Path) -> None:
    path = module(
        tmp_path, MODULE.replace(b"A demo skill", b"A demo skull").replace(b"print(1)", b"print(2)")
    )
    with pytest.raises(ArtifactError) as raised:
        acceptance.taken(path)
    message = str(raised.value)
    assert message.startswith(f"{path}")
    assert "artifact-" in message
    assert message.count("\n") == 0
    assert f"more: `skillpack verify {path}` lists them); nothing is taken from it" in message


def test_one_thing_that_is_wrong_is_told_whole(tmp_path: Path) -> None:
    path = module(tmp_path, MODULE + b"import os\n")
    with pytest.raises(ArtifactError) as raised:
        acceptance.taken(path)
    assert "more:" not in str(raised.value)
    assert str(raised.value).endswith("; nothing is taken from it")


def test_damage_in_another_module_of_the_artifact_is_damage_of_the_artifact(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a/skills.py": MODULE, "b/skills.py": MODULE + b"import os\n"})
    with pytest.raises(ArtifactError):
        acceptance.taken(path, module="a/skills.py")


def test_hostile_archives_are_refused_in_bounded_time(tmp_path: Path) -> None:
    bomb = make_zip(tmp_path / "bomb.zip", {"a/skills.py": b"\n" * 2**26})
    climbing = make_zip(tmp_path / "climbing.zip", {"../skills.py": MODULE})
    link = zipfile.ZipInfo("a/skills.py")
    link.external_attr = 0o120777 << 16
    linked = make_zip(tmp_path / "linked.zip", [(link, b"/etc/passwd")])
    short = tmp_path / "short.whl"
    short.write_bytes(climbing.read_bytes()[:-30])
    text = tmp_path / "notes.txt"
    text.write_bytes(b"hello")
    with within(20):
        for path in (bomb, climbing, linked, short, text):
            with pytest.raises(ArtifactError) as raised:
                acceptance.taken(path)
            assert str(raised.value).startswith(str(path))


def test_nothing_at_a_path_is_missing_and_names_tell_what_was_meant(tmp_path: Path) -> None:
    for name in ("a.whl", "a.zip", "a-1.tar.gz", "skills.py"):
        assert archive.is_artifact(tmp_path / name)
        with pytest.raises(MissingArtifactError):
            acceptance.taken(tmp_path / name)


def test_directories_of_skills_are_no_artifacts(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    foreign = tmp_path / "package"
    foreign.mkdir()
    (foreign / "__init__.py").write_bytes(b"mine = 1\n")
    odd = tmp_path / "odd"
    (odd / "__init__.py").mkdir(parents=True)
    for name in ("skills", "package", "odd", "gone"):
        assert not archive.is_artifact(tmp_path / name)
