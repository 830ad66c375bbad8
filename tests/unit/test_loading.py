"""The bundle that somebody names: out of an artifact as data, or by importing a module."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from skillpack import loading
from skillpack.errors import ArtifactError, MissingArtifactError
from support.bundles import DEMO, make_bundle
from support.emitted import emitted
from support.packing import skillpack

if TYPE_CHECKING:
    from pathlib import Path


BUNDLE = make_bundle({"demo": DEMO})


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
        (b"import sys\nsys.exit(0)\n", "cannot be imported: SystemExit: 0"),
        (b"def __getattr__(name):\n    raise OSError('later')\n", "cannot be imported: OSError: later"),
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


def test_the_target_of_an_entry_point_is_answered_with_the_name_of_its_module(tmp_path: Path) -> None:
    result = skillpack(tmp_path, "serve", "agent_to_load.skills:bundle")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'MODULE is the name of a module alone: "agent_to_load.skills".' in result.stderr
