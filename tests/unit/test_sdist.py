from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillpack import sdist
from skillpack.config import Config, from_table
from skillpack.errors import ConfigError
from skillpack.findings import Override
from skillpack.model import SkillSource, SourceFile
from skillpack.rules import Level
from support.bundles import Captured

if TYPE_CHECKING:
    from collections.abc import Sequence

PROJECT = Path("/work/agent")


def config(*roots: str) -> Config:
    return Config(project=PROJECT, base=PROJECT, skills=roots, module=None)


def source(place: str, **files: bytes) -> SkillSource:
    """Return a skill with a SKILL.md and `files`, of which those in capitals are executable."""
    return SkillSource(
        directory=place.rpartition("/")[2],
        place=place,
        files=tuple(
            SourceFile(path=path, size=len(data), executable=path.isupper(), content=Captured(data))
            for path, data in {"SKILL.md": b"---\n", **files}.items()
        ),
    )


def files(settings: Config, *sources: SkillSource) -> dict[str, tuple[bytes, bool]]:
    return {path: (data, executable) for path, data, executable in sdist.files(settings, sources)}


def paths(settings: Config, *sources: SkillSource) -> set[str]:
    return set(files(settings, *sources))


def test_files_of_a_root_in_the_project_keep_their_place_and_their_execute_bit() -> None:
    assert files(config("skills"), source("skills/pdf", notes=b"n", RUN=b"r")) == {
        "skills/pdf/SKILL.md": (b"---\n", False),
        "skills/pdf/notes": (b"n", False),
        "skills/pdf/RUN": (b"r", True),
    }


def test_a_root_that_is_a_skill_keeps_its_place_too() -> None:
    assert paths(config("skills/pdf"), source("skills/pdf")) == {"skills/pdf/SKILL.md"}


@pytest.mark.parametrize(
    ("root", "name"),
    [
        ("../shared", "shared"),
        ("/opt/shared", "shared"),
        ("a/../shared", "shared"),
        ("..", "work"),
        ("C:/shared", "shared"),
        ("/", "root"),
        ("package:Desk.tools", "Desk.tools"),
        ("package:desk-tools/pdf", "pdf"),
    ],
)
def test_a_root_elsewhere_moves_under_its_own_name(root: str, name: str) -> None:
    found = files(config("skills", root), source(f"{root}/pdf"))
    home = f"_skillpack_src/1/{name}"
    assert f"{home}/pdf/SKILL.md" in found
    assert json.loads(found[sdist.INDEX][0]) == {"roots": {root: home}}


def test_a_skill_elsewhere_keeps_the_name_of_its_directory() -> None:
    assert "_skillpack_src/0/pdf/SKILL.md" in paths(config("../shared/pdf"), source("../shared/pdf"))


def test_a_skill_belongs_to_the_deepest_of_nested_roots() -> None:
    settings = config("../shared", "../shared/more")
    found = paths(settings, source("../shared/pdf"), source("../shared/more/csv"))
    assert {"_skillpack_src/0/shared/pdf/SKILL.md", "_skillpack_src/1/more/csv/SKILL.md"} <= found


def test_a_name_that_only_begins_like_a_root_does_not_belong_to_it() -> None:
    found = paths(
        config("../shared", "../shared more"), source("../shared/pdf"), source("../shared more/csv")
    )
    assert "_skillpack_src/1/shared more/csv/SKILL.md" in found


def test_a_root_without_skills_is_kept_by_an_empty_file() -> None:
    found = files(config("skills", "later", "../none"), source("skills/pdf"))
    assert found["later/.gitkeep"] == (b"", False)
    assert found["_skillpack_src/2/none/.gitkeep"] == (b"", False)


def test_the_index_is_the_same_whatever_the_order() -> None:
    (data, _) = files(config("../b", "../a"))[sdist.INDEX]
    assert data == (
        b'{\n  "roots": {\n    "../a": "_skillpack_src/1/a",\n    "../b": "_skillpack_src/0/b"\n  }\n}\n'
    )


SPLIT = ("skills/pdf", "skills/pdf/a/forms", "skills/pdf/a/forms/deep")


@pytest.mark.parametrize(
    ("packed", "strays"),
    [
        (SPLIT, []),
        (SPLIT[:2], []),
        (SPLIT[:1] + SPLIT[2:], []),
        (SPLIT[1:], SPLIT[1:2]),
        (SPLIT[2:], SPLIT[2:]),
        (("skills/pdf", "skills/pdf-2/a/b", "skills/c/d"), ("skills/pdf-2/a/b", "skills/c/d")),
    ],
)
def test_a_skill_that_was_split_off_from_one_that_is_not_packed_is_in_the_index(
    packed: Sequence[str], strays: Sequence[str]
) -> None:
    found = files(config("skills"), *map(source, packed))
    assert {f"{place}/SKILL.md" for place in packed} <= set(found)
    index = json.loads(found[sdist.INDEX][0]) if sdist.INDEX in found else {}
    assert index == ({"roots": {}, "strays": {place: place for place in strays}} if strays else {})


@pytest.mark.parametrize(
    ("root", "place", "stray"),
    [
        (".", "./pdf", False),
        (".", "./pdf/a", True),
        ("skills/pdf", "skills/pdf/a", False),
        ("skills/pdf", "skills/pdf/a/b", True),
    ],
)
def test_what_lies_one_level_below_a_root_is_found(root: str, place: str, stray: bool) -> None:
    assert (sdist.INDEX in files(config(root), source(place))) is stray


def test_a_split_skill_of_a_root_that_is_a_packed_skill_is_found() -> None:
    assert sdist.INDEX not in files(config("skills/pdf"), source("skills/pdf"), source("skills/pdf/a/b/c"))


def test_there_is_no_index_when_nothing_moved() -> None:
    assert sdist.INDEX not in paths(config("skills"), source("skills/pdf"))


class TestUnpacked:
    def test_the_index_says_where_roots_are(self) -> None:
        settings = config("skills", "../shared")
        (index, _) = files(settings)[sdist.INDEX]
        there = sdist.unpacked(settings, index)
        assert there.locate("../shared") == PROJECT / "_skillpack_src/1/shared"
        assert there.locate("skills") == PROJECT / "skills"
        assert there.skills == settings.skills

    def test_the_index_says_where_split_skills_are(self) -> None:
        settings = config("skills", "../shared")
        found = files(settings, source("skills/pdf/forms"), source("../shared/csv/sort"))
        assert "_skillpack_src/1/shared/csv/sort/SKILL.md" in found
        there = sdist.unpacked(settings, found[sdist.INDEX][0])
        assert there.strays == ("../shared/csv/sort", "skills/pdf/forms")
        assert there.locate("skills/pdf/forms") == PROJECT / "skills/pdf/forms"
        assert there.locate("../shared/csv/sort") == PROJECT / "_skillpack_src/1/shared/csv/sort"
        again = files(there, source("skills/pdf/forms"), source("../shared/csv/sort"))
        assert again == found

    def test_what_the_sdist_lacks_is_no_fault(self) -> None:
        override = Override(
            matches=lambda _: True, rules={"exclude-unused": Level.ERROR, "left-out": Level.ERROR}
        )
        settings = replace(
            config("skills"), level="strict", rules={"exclude-unused": Level.ERROR}, overrides=(override,)
        )
        policy = sdist.unpacked(settings, None).policy
        assert policy.level("exclude-unused", "pyproject.toml") is Level.OFF
        assert policy.level("left-out", "skills/x") is Level.ERROR

    @pytest.mark.parametrize(
        "index", [b"", b"{", b"[]", b"{}", b"1", b'{"roots": []}', b'{"roots": {}, "strays": 1}', b"\xff"]
    )
    def test_an_index_that_is_none_is_refused(self, index: bytes) -> None:
        with pytest.raises(ConfigError, match=r"index\.json: is damaged; unpack the sdist again"):
            sdist.unpacked(config("skills"), index)


def test_a_module_that_was_found_by_the_package_is_named_in_the_index(tmp_path: Path) -> None:
    (tmp_path / "src" / "agent").mkdir(parents=True)
    settings = from_table({"project": {"name": "agent"}}, tmp_path, skills=["skills"])
    files = {path: data for path, data, _ in sdist.files(settings, [])}
    assert sdist.default_module(files[sdist.INDEX]) == "src/agent/skills.py"
    named = {"project": {"name": "agent"}, "tool": {"skillpack": {"module": "src/agent/skills.py"}}}
    settings = from_table(named, tmp_path, skills=["skills"])
    assert sdist.INDEX not in {path for path, _, _ in sdist.files(settings, [])}


def test_without_an_index_or_a_name_in_it_the_configuration_stands() -> None:
    assert sdist.default_module(None) == ""
    assert sdist.default_module(b'{"roots": {}}') == ""


@pytest.mark.parametrize("index", [b"{", b"[]", b'{"roots": {}, "module": 1}', b"{}"])
def test_an_index_that_is_none_names_no_module(index: bytes) -> None:
    with pytest.raises(ConfigError, match="is damaged; unpack the sdist again"):
        sdist.default_module(index)
