"""Skills that are read when an agent starts: directories, plugin folders, what is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import skillpack
from skillpack import SkillBundle, SkillSourceError, from_directory, from_plugin, installed
from skillpack.discover.store import ContentStore
from skillpack.errors import RefusedError
from support import tokens
from support.bundles import DEMO, SOLO, make_bundle, skill_md
from support.emitted import emitted


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(root: str, skills: dict[str, dict[str, bytes]]) -> None:
    for name, files in skills.items():
        for path, data in files.items():
            place = Path(root, name, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)


def test_what_is_no_path_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="the path of a directory is needed, not 'int'"):
        from_directory(5)  # type: ignore[arg-type]  # what a caller without types may pass


BROKEN = {"SKILL.md": b"---\nname: broken\n---\n", "Bad\x01name.txt": b""}


# ------------------------------------------------------------------ a directory


def test_a_directory_gives_what_a_build_would_pack() -> None:
    write("skills", {"demo": DEMO, "solo": SOLO})
    bundle = from_directory("skills")
    assert type(bundle) is SkillBundle
    assert bundle == make_bundle({"demo": DEMO, "solo": SOLO})
    assert bundle.problems == ()
    bundle.verify()


@pytest.mark.parametrize("path", ["skills/demo", "./skills/demo", Path("skills/demo")])
def test_a_single_skill_is_a_directory_too(path: Any) -> None:
    write("skills", {"demo": DEMO})
    assert from_directory(path) == make_bundle({"demo": DEMO})


def test_the_path_may_be_absolute_and_anywhere(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write(str(elsewhere), {"solo": SOLO})
    assert from_directory(str(elsewhere)).names == ("solo",)
    write("skills", {"demo": DEMO})
    assert from_directory(tmp_path / "skills").names == ("demo",)


def test_an_empty_directory_is_an_empty_bundle() -> None:
    Path("skills").mkdir()
    assert from_directory("skills") == SkillBundle([])


def test_execute_bits_are_read() -> None:
    write("skills", {"demo": DEMO})
    Path("skills/demo/scripts/x.py").chmod(0o755)
    assert from_directory("skills")["demo"].file("scripts/x.py").executable


def test_the_directory_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ContentStore.__init__, "__kwdefaults__", {"memory_bytes": 10})
    write("skills", {"demo": DEMO})
    bundle = from_directory("skills")
    for path in Path("skills/demo").rglob("*.*"):
        path.unlink()
    assert {path: file.bytes() for path, file in bundle["demo"].files.items()} == DEMO


def test_the_project_of_the_current_directory_does_not_count() -> None:
    Path("pyproject.toml").write_text(
        '[tool.skillpack]\nexclude = ["**/x.py"]\nlevel = "strict"\n', encoding="utf-8"
    )
    write("skills", {"demo": DEMO})
    assert "scripts/x.py" in from_directory("skills")["demo"].files


def test_a_broken_skill_is_left_out_and_has_a_line() -> None:
    write("skills", {"demo": DEMO, "broken": BROKEN, "Odd": {"SKILL.md": skill_md("Odd_Name")}})
    bundle = from_directory("skills")
    assert bundle == make_bundle({"demo": DEMO})
    assert bundle.problems == (
        "Odd — INVALID: name-format: name has characters other than a-z, 0-9 and hyphens: 'N', 'O', '_'",
        "broken — INVALID: path-control: U+0001 control character in the name cannot be seen (1 more)",
    )
    index = bundle.session().index()
    assert all(f"- {problem}" in index for problem in bundle.problems)


def test_on_demand_a_broken_skill_ends_the_call_with_all_findings() -> None:
    write("skills", {"demo": DEMO, "broken": BROKEN})
    with pytest.raises(SkillSourceError) as caught:
        from_directory("skills", on_error="raise")
    assert "skills/broken/SKILL.md" in str(caught.value)
    assert "description-missing" in str(caught.value)
    assert isinstance(caught.value.__cause__, RefusedError)


def test_a_secret_is_left_out_and_not_told() -> None:
    secret = tokens.example("sourcegraph").secret.decode()
    write(
        "skills",
        {"demo": DEMO, "leaky": {"SKILL.md": skill_md("leaky", body=f"use {secret}\n"), ".env": b"A=1"}},
    )
    bundle = from_directory("skills")
    assert bundle.names == ("demo",)
    (problem,) = bundle.problems
    assert problem.startswith("leaky — INVALID: secret-")
    assert secret[8:] not in problem


def test_a_link_to_a_skill_is_a_broken_skill() -> None:
    write("skills", {"demo": DEMO})
    Path("skills/linked").symlink_to("demo")
    bundle = from_directory("skills")
    assert bundle.names == ("demo",)
    assert bundle.problems[0].startswith("linked — INVALID: symlink: ")


def test_of_two_skills_with_one_name_the_first_is_kept() -> None:
    write(
        "skills", {"a": {"SKILL.md": skill_md("same")}, "b": {"SKILL.md": skill_md("same", body="# Other\n")}}
    )
    bundle = from_directory("skills")
    assert bundle["same"].body == "# Hi\n"
    assert bundle.problems == ("b — INVALID: name-duplicate: skills/a and skills/b both have the name same",)


def test_a_broken_skill_does_not_take_the_name_of_a_sound_one() -> None:
    write("skills", {"a": {"SKILL.md": b"---\nname: same\n---\n"}, "b": {"SKILL.md": skill_md("same")}})
    bundle = from_directory("skills")
    assert bundle.names == ("same",)
    assert [problem.partition(" ")[0] for problem in bundle.problems] == ["a"]


def test_level_and_rules_are_those_of_the_packager() -> None:
    write(
        "skills",
        {
            "a": {"SKILL.md": skill_md("other")},
            "b": {"SKILL.md": skill_md("c")},
            "d": {"SKILL.md": skill_md("d")},
        },
    )
    assert from_directory("skills").names == ("c", "d", "other")
    strict = from_directory("skills", level="strict")
    assert strict.names == ("d",)
    assert [problem.partition(":")[0] for problem in strict.problems] == ["a — INVALID", "b — INVALID"]
    assert from_directory("skills", rules={"name-mismatch": "error"}).names == ("d",)
    assert from_directory("skills", level="strict", rules={"name-mismatch": "warning"}).names == (
        "c",
        "d",
        "other",
    )


def test_a_root_that_is_a_broken_skill_is_a_problem_or_an_error() -> None:
    write("skills", {"broken": BROKEN})
    bundle = from_directory("skills/broken")
    assert bundle == SkillBundle([])
    assert "INVALID" in bundle.problems[0]
    with pytest.raises(SkillSourceError):
        from_directory("skills/broken", on_error="raise")


@pytest.mark.parametrize("on_error", ["skip", "raise"])
def test_a_directory_that_cannot_be_used_is_an_error(on_error: str) -> None:
    with pytest.raises(SkillSourceError, match="none: error: root-missing: there is no such directory"):
        from_directory("none", on_error=on_error)
    write(".agents/skills", {"demo": DEMO})
    Path(".claude").mkdir()
    Path(".claude/skills").symlink_to("../.agents/skills")
    with pytest.raises(SkillSourceError) as caught:
        from_directory(".claude/skills", on_error=on_error)
    assert "the skills root is a symbolic link to .agents/skills" in str(caught.value)
    assert from_directory(".agents/skills").names == ("demo",)


@pytest.mark.parametrize(
    "options", [{"rules": {"no-such": "error"}}, {"rules": {"name-format": "loud"}}, {"level": "none"}]
)
def test_options_that_are_none_are_an_error(options: dict[str, Any]) -> None:
    with pytest.raises(SkillSourceError, match=r"tool\.skillpack"):
        from_directory("skills", **options)


def test_another_way_with_errors_is_refused() -> None:
    with pytest.raises(ValueError, match="on_error is skip or raise, not 'report'"):
        from_directory("skills", on_error="report")


# ------------------------------------------------------------------ a plugin folder


def plugin(manifest: object, **others: bytes) -> None:
    Path("plugin").mkdir(exist_ok=True)
    Path("plugin/plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
    for name, data in others.items():
        Path("plugin", f"{name}.json").write_bytes(data)


def test_a_plugin_has_skills_and_hands_its_servers_back() -> None:
    plugin({"name": "desk", "version": "1"}, mcp=b'{"mcpServers": {"x": {"command": "rm"}}}')
    write("plugin/skills", {"demo": DEMO, "broken": BROKEN})
    found = from_plugin("plugin")
    assert (found.name, found.manifest) == ("desk", {"name": "desk", "version": "1"})
    assert found.mcp == {"mcpServers": {"x": {"command": "rm"}}}
    assert found.bundle == make_bundle({"demo": DEMO})
    assert found.bundle.problems[0].startswith("broken — INVALID: ")


def test_skills_and_servers_may_be_missing(tmp_path: Path) -> None:
    plugin({"name": "desk"})
    found = from_plugin(tmp_path / "plugin")
    assert found.bundle == SkillBundle([])
    assert found.mcp is None


@pytest.mark.parametrize("manifest", [{}, {"name": ""}, {"name": 5}])
def test_a_plugin_needs_a_name(manifest: object) -> None:
    plugin(manifest)
    with pytest.raises(SkillSourceError, match=r"the plugin 'plugin' has no plugin\.json with a name"):
        from_plugin("plugin")


def test_a_folder_without_plugin_json_is_no_plugin() -> None:
    Path("plugin").mkdir()
    with pytest.raises(SkillSourceError, match=r"has no plugin\.json with a name"):
        from_plugin("plugin")
    with pytest.raises(SkillSourceError, match="the plugin 'none' cannot be read: No such file or directory"):
        from_plugin("none")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"[]", r"mcp\.json is not a JSON object"),
        (b"{", "Expecting property name"),
        (b"\xff\xfe\xff", "codec"),
        (b"[" * 100_000, "recursion"),
        (b" " * (2**20 + 1), r"mcp\.json is not a file of at most 1 MiB"),
    ],
)
def test_a_file_that_is_no_json_object_is_an_error(data: bytes, reason: str) -> None:
    plugin({"name": "desk"}, mcp=data)
    with pytest.raises(SkillSourceError, match=f"the plugin 'plugin' cannot be read: .*{reason}"):
        from_plugin("plugin")


def test_no_link_is_followed_and_no_pipe_waited_for() -> None:
    plugin({"name": "desk"})
    Path("secrets.json").write_text('{"token": "x"}', encoding="utf-8")
    Path("plugin/mcp.json").symlink_to("../secrets.json")
    with pytest.raises(SkillSourceError, match="cannot be read"):
        from_plugin("plugin")
    Path("plugin/mcp.json").unlink()
    os.mkfifo("plugin/mcp.json")
    with pytest.raises(SkillSourceError, match=r"mcp\.json is not a file"):
        from_plugin("plugin")
    Path("plugin/mcp.json").unlink()
    write("real", {"demo": DEMO})
    Path("plugin/skills").symlink_to("../real")
    with pytest.raises(SkillSourceError, match="the skills root is a symbolic link"):
        from_plugin("plugin")


# ------------------------------------------------------------------ installed packages


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory of installed distributions: two declare bundles, one target is none."""
    site = tmp_path / "site"
    for name, version, points in (
        ("desk-skills", "1.2", "desk = desk_skills:bundle\n"),
        (
            "other-skills",
            "3",
            "desk = other_skills:bundle\nabsent = other_skills:nothing\nwrong = json:dumps\n",
        ),
        ("plain", "1", ""),
    ):
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
        )
        if points:
            (info / "entry_points.txt").write_text(f"[skillpack.bundles]\n{points}", encoding="utf-8")
    (site / "desk_skills.py").write_bytes(emitted(make_bundle({"demo": DEMO})))
    (site / "other_skills.py").write_text("raise RuntimeError('ran')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    return site


@pytest.mark.usefixtures("site")
def test_what_is_installed_is_listed_without_running_it() -> None:
    found = [
        bundle for bundle in installed() if bundle.distribution in ("desk-skills", "other-skills", "plain")
    ]
    assert [(bundle.name, bundle.distribution, bundle.version, bundle.target) for bundle in found] == [
        ("absent", "other-skills", "3", "other_skills:nothing"),
        ("desk", "desk-skills", "1.2", "desk_skills:bundle"),
        ("desk", "other-skills", "3", "other_skills:bundle"),
        ("wrong", "other-skills", "3", "json:dumps"),
    ]
    assert "desk_skills" not in sys.modules


@pytest.mark.usefixtures("site")
def test_a_bundle_is_loaded_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    by_target = {bundle.target: bundle for bundle in installed()}
    loaded = by_target["desk_skills:bundle"].load()
    monkeypatch.delitem(sys.modules, "desk_skills")
    assert type(loaded) is SkillBundle
    assert loaded == make_bundle({"demo": DEMO})
    loaded.verify()
    with pytest.raises(RuntimeError, match="ran"):
        by_target["other_skills:bundle"].load()
    with pytest.raises(SkillSourceError, match="json:dumps of other-skills is not a bundle"):
        by_target["json:dumps"].load()


# ------------------------------------------------------------------ the names of the package


def test_the_package_offers_its_names_when_they_are_asked_for() -> None:
    for name in skillpack.__all__:
        assert getattr(skillpack, name).__name__ == name
    with pytest.raises(AttributeError, match="module 'skillpack' has no attribute 'nothing'"):
        _ = skillpack.nothing  # type: ignore[attr-defined] # that is the test
    with pytest.raises(AttributeError, match=r"module 'skillpack\.runtime' has no attribute 'nothing'"):
        _ = skillpack.runtime.nothing  # type: ignore[attr-defined] # that is the test


def test_the_names_of_the_runtime_are_those_of_the_package() -> None:
    import skillpack.runtime

    assert set(skillpack.runtime.__all__) | {"from_directory", "from_plugin", "installed"} == set(
        skillpack.__all__
    )
    for name in skillpack.runtime.__all__:
        assert getattr(skillpack, name) is getattr(skillpack.runtime, name)


@pytest.mark.parametrize(
    ("line", "absent"),
    [
        ("from skillpack import SkillBundle", {"skillpack.sources", "skillpack.fields", "yaml"}),
        ("from skillpack import define_skill", {"skillpack.sources", "yaml", "skillpack.runtime.resolution"}),
        ("from skillpack import resolve", {"skillpack.sources", "yaml", "skillpack.fields"}),
    ],
)
def test_a_name_imports_no_more_than_it_needs(line: str, absent: set[str]) -> None:
    code = f"{line}; import sys; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    assert not loaded & absent
