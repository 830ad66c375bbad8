"""The bundle that somebody names: out of an artifact as data, or by importing a module."""

from __future__ import annotations

import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from skillpack import loading, pipeline
from skillpack.errors import ArtifactError, MissingArtifactError
from support.bundles import DEMO, SOLO, make_bundle, skill_md
from support.emitted import emitted
from support.packing import skillpack

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from skillpack.runtime import SkillBundle

BUNDLE = make_bundle({"demo": DEMO})
CODE = "raise SystemExit('this was run')\n"


def archive(path: Path, modules: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as opened:
        for name, data in modules.items():
            opened.writestr(name, data)
    return path


def read(path: Path) -> SkillBundle:
    return loading.read(path, pipeline.reread)


def test_the_modules_of_an_artifact_are_one_bundle(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "a.zip",
        {
            "a/skills.py": emitted(BUNDLE),
            "b/skills.py": emitted(make_bundle({"demo": DEMO, "solo": SOLO})),
            "setup.py": CODE.encode(),
        },
    )
    assert read(path).digest == make_bundle({"demo": DEMO, "solo": SOLO}).digest


def test_two_skills_of_one_name_are_refused(tmp_path: Path) -> None:
    other = make_bundle({"demo": {"SKILL.md": skill_md("demo")}})
    path = archive(tmp_path / "a.zip", {"a/skills.py": emitted(BUNDLE), "b/skills.py": emitted(other)})
    with pytest.raises(ArtifactError, match="two skills are named 'demo'"):
        read(path)


def test_a_damaged_artifact_is_refused_with_one_message(tmp_path: Path) -> None:
    path = tmp_path / "skills.py"
    source = emitted(make_bundle({"demo": DEMO, "solo": SOLO}))
    path.write_bytes(source.replace(b"print(1)", b"print(2)"))
    with pytest.raises(
        ArtifactError, match=r"skills\.py: demo/scripts/x\.py does not have the digest"
    ) as caught:
        read(path)
    assert "faults" not in str(caught.value)
    path.write_bytes(source.replace(b"print(1)", b"print(2)").replace(b"# Hi", b"# Ho"))
    with pytest.raises(ArtifactError, match=r"\(2 faults in all, which skillpack verify tells\)$"):
        read(path)


def test_an_index_that_its_files_do_not_say_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "skills.py"
    path.write_bytes(emitted(BUNDLE).replace(b"A demo skill\\n", b"Any demo skill\\n", 1))
    with pytest.raises(ArtifactError):
        read(path)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingArtifactError):
        read(tmp_path / "none.whl")


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("agent_to_load", "agent_to_load.skills"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    package = tmp_path / "agent_to_load"
    package.mkdir()
    return package


def test_a_module_is_imported_without_a_word_on_standard_output(
    importable: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (importable / "__init__.py").write_text("print('hello')\n", encoding="utf-8")
    (importable / "skills.py").write_bytes(emitted(BUNDLE))
    assert loading.imported("agent_to_load.skills").digest == BUNDLE.digest
    assert capsys.readouterr() == ("", "hello\n")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (b"", "has no bundle"),
        (b"bundle = {}\n", "has no bundle"),
        (b"import no_such_module\n", "cannot be imported: No module named 'no_such_module'"),
        (b"raise ValueError('by itself')\n", "cannot be imported: ValueError: by itself"),
        (b"raise ModuleNotFoundError('of no name')\n", "cannot be imported: of no name"),
        (
            emitted(BUNDLE).replace(b"print(1)", b"print(2)"),
            "damaged or altered since it was packed: demo/scripts/x.py",
        ),
    ],
)
def test_a_module_without_a_sound_bundle_is_refused(importable: Path, source: bytes, told: str) -> None:
    (importable / "__init__.py").write_bytes(source)
    with pytest.raises(ArtifactError, match=rf"^agent_to_load: {told}"):
        loading.imported("agent_to_load")


@pytest.mark.parametrize("name", ["no_such_agent", "no_such_agent.skills", "agent_to_load.none"])
def test_a_module_that_nobody_finds_is_told(importable: Path, name: str) -> None:
    (importable / "__init__.py").write_bytes(b"")
    with pytest.raises(MissingArtifactError, match=rf"^{name}: there is no such file, and no module"):
        loading.imported(name)


# ------------------------------------------------------------------ the command, without the extra


def test_without_the_extra_serving_is_told_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "skills.py").write_bytes(emitted(BUNDLE))
    for found in (None, ImportError()):

        def find(_name: str, found: object = found) -> object:
            if isinstance(found, ImportError):
                raise found
            return found

        monkeypatch.setattr("importlib.util.find_spec", find)
        result = skillpack(tmp_path, "serve", "skills.py")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "error: serving needs the SDK of MCP, version 2.3 or newer: pip install 'skillpack[mcp]'\n"
        )


@pytest.mark.parametrize("flag", [["--host", "0.0.0.0"], ["--port", "0"]])
def test_an_address_without_http_is_a_usage_error(tmp_path: Path, flag: list[str]) -> None:
    result = skillpack(tmp_path, "serve", "skills.py", *flag)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--host and --port need --http." in result.stderr
