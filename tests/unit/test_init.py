"""`skillpack init`: what is added to a pyproject.toml, what stays, what is said."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from skillpack.config import load
from skillpack.errors import ConfigError
from skillpack.init import Initialised, init, requirement

if TYPE_CHECKING:
    from pathlib import Path

HATCHLING = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
"""

PROJECT = f"""\
{HATCHLING}
[project]
name = "agent"  # the name
version = "1"

[tool.hatch.build.targets.wheel]
packages = ["src/agent"]

[tool.uv]
dev-dependencies = ["pytest"]

# ----- Ruff -----
[tool.ruff]
line-length = 100
"""

AGAIN = "so that uv builds again after a skill was edited"
BY_HAND = "without the hook; run skillpack bundle first, and skillpack bundle --check in CI"
DROPPED = "the build leaves it out without a word; add"


def run(text: str, **options: Any) -> Initialised:
    return init(text, version="1.0.0", **options)


def problem(text: str, **options: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        run(text, **options)
    (only,) = caught.value.problems
    return only


def with_backend(backend: str, rest: str = "") -> str:
    return f'[build-system]\nrequires = ["x"]\nbuild-backend = "{backend}"\n{rest}'


# ------------------------------------------------------------------ the whole


def test_a_hatchling_project_gets_the_requirement_the_hook_the_options_and_uvs_keys() -> None:
    done = run(PROJECT, skills=["prompts/skills"], module="src/agent/packed.py")
    assert done.text == (
        """\
[build-system]
requires = ["hatchling", "skillpack>=1,<2"]
build-backend = "hatchling.build"

[project]
name = "agent"  # the name
version = "1"

[tool.hatch.build.targets.wheel]
packages = ["src/agent"]

[tool.hatch.build.hooks.skillpack]

[tool.uv]
dev-dependencies = ["pytest"]
cache-keys = [{ file = "pyproject.toml" }, { file = "prompts/skills/**/*" }]

# ----- Ruff -----
[tool.ruff]
line-length = 100

[tool.skillpack]
skills = ["prompts/skills"]
module = "src/agent/packed.py"
"""
    )
    assert done.changes == (
        'build-system.requires: added "skillpack>=1,<2"',
        "tool.hatch.build.hooks.skillpack: added, so that each build packs the skills",
        'tool.skillpack.skills: set to ["prompts/skills"]',
        'tool.skillpack.module: set to "src/agent/packed.py"',
        f'tool.uv.cache-keys: added {{ file = "pyproject.toml" }}, {{ file = "prompts/skills/**/*" }}, {AGAIN}',
    )
    assert done.advice == ()


def test_a_second_time_there_is_nothing_to_do() -> None:
    first = run(PROJECT, skills=["a"], module="src/agent/packed.py", uv=True)
    second = run(first.text, skills=["a"], module="src/agent/packed.py", uv=True)
    assert second == Initialised(text=first.text, hatch_toml="", changes=(), advice=())


@pytest.mark.parametrize("before", [PROJECT, PROJECT.replace("[tool.uv]", "[tool.uv.sources]")])
def test_the_configuration_takes_the_result_and_says_nothing_about_uv(tmp_path: Path, before: str) -> None:
    for folder in ("skills", "more", "src/agent"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(before, encoding="utf-8")
    assert any(notice.code == "uv-cache-keys" for notice in load(tmp_path).notices)
    done = run(before, skills=["skills", "./more/"], module="src/agent/packed.py")
    (tmp_path / "pyproject.toml").write_text(done.text, encoding="utf-8")
    settings = load(tmp_path)
    assert settings.skills == ("skills", "more")
    assert settings.module_written == "src/agent/packed.py"
    assert not any(notice.code == "uv-cache-keys" for notice in settings.notices)


# ------------------------------------------------------------------ the requirement


@pytest.mark.parametrize(
    ("version", "pinned"),
    [
        ("1.0.0", "skillpack>=1,<2"),
        ("1.0.3", "skillpack>=1,<2"),
        ("1.4.2", "skillpack>=1.4,<2"),
        ("2.0.0.post1", "skillpack>=2,<3"),
        ("0.1.0", "skillpack>=0.1,<0.2"),
        ("0.0.4", "skillpack>=0.0,<0.1"),
        ("1.0.0rc1", "skillpack>=1.0.0rc1,<2"),
        ("0.3.0.dev2+local", "skillpack>=0.3.0.dev2,<0.4"),
    ],
)
def test_the_requirement_reaches_to_the_next_release_that_may_break(version: str, pinned: str) -> None:
    assert requirement(version) == pinned


@pytest.mark.parametrize("there", ["skillpack", "Skillpack == 1.2", "skillpack[mcp]>=0.9"])
def test_a_requirement_that_is_there_stays(there: str) -> None:
    text = HATCHLING.replace('"hatchling"', f'"{there}", "hatchling"')
    assert run(text).changes == (
        "tool.hatch.build.hooks.skillpack: added, so that each build packs the skills",
    )


@pytest.mark.parametrize("there", ['"skillpack-cli"', '"not a requirement"', "7"])
def test_a_requirement_of_another_name_is_none(there: str) -> None:
    text = HATCHLING.replace('"hatchling"', f'"hatchling", {there}')
    assert f'requires = ["hatchling", {there}, "skillpack>=1,<2"]' in run(text).text


# ------------------------------------------------------------------ the hook


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            '[tool.hatch.build.hooks.vcs]\nversion-file = "v.py"\n[tool.ruff]\nfix = true\n',
            '[tool.hatch.build.hooks.vcs]\nversion-file = "v.py"\n\n'
            "[tool.hatch.build.hooks.skillpack]\n\n[tool.ruff]\nfix = true\n",
            id="beside another hook",
        ),
        pytest.param(
            "[[tool.hatch.envs.all.matrix]]\npython = ['3.11']\n\n# Ruff\n[tool.ruff]\n",
            "[[tool.hatch.envs.all.matrix]]\npython = ['3.11']\n\n"
            "[tool.hatch.build.hooks.skillpack]\n\n# Ruff\n[tool.ruff]\n",
            id="after the last of hatch's tables",
        ),
        pytest.param(
            '[tool.hatch.build]\nhooks.vcs.version-file = "v.py"\n',
            '[tool.hatch.build]\nhooks.vcs.version-file = "v.py"\n\n[tool.hatch.build.hooks.skillpack]\n',
            id="below dotted keys",
        ),
        pytest.param(
            '[tool.hatch.build]\nhooks = { vcs = { version-file = "v.py" } }\n',
            '[tool.hatch.build]\nhooks = { vcs = { version-file = "v.py" }, skillpack = {}} \n'.replace(
                "} \n", "}\n"
            ),
            id="in an inline table",
        ),
        pytest.param(
            "[tool.hatch]\nbuild = {}\n",
            "[tool.hatch]\nbuild = {hooks = { skillpack = {} }}\n",
            id="deep in an inline table",
        ),
        pytest.param(
            'notes = """\n[tool.hatch]\n"""\n',
            'notes = """\n[tool.hatch]\n"""\n\n[tool.hatch.build.hooks.skillpack]\n',
            id="not into a text that looks like a table",
        ),
    ],
)
def test_the_hook_goes_where_toml_and_the_layout_allow_it(before: str, after: str) -> None:
    head = HATCHLING.replace('"hatchling"]', '"hatchling", "skillpack"]')
    assert run(f"{head}{before}").text == f"{head}{after}"


def test_a_hook_that_is_there_stays_also_when_it_is_off() -> None:
    text = f"{HATCHLING}[tool.hatch.build.hooks.skillpack]\nenable-by-default = false\n"
    assert run(text).changes == ('build-system.requires: added "skillpack>=1,<2"',)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[build.targets.wheel]\npackages = []\n", "\n[build.hooks.skillpack]\n"),
        ("[build.hooks.vcs]\r\n[envs.test]\r\n", None),
        ("build = {}\n", None),
    ],
)
def test_a_build_in_hatch_toml_is_where_the_hook_goes(before: str, after: str | None) -> None:
    done = run(HATCHLING, hatch_toml=before)
    assert done.changes == (
        'build-system.requires: added "skillpack>=1,<2"',
        "hatch.toml: build.hooks.skillpack: added, so that each build packs the skills",
    )
    assert done.advice == ()
    assert "hooks" not in done.text
    assert tomllib.loads(done.hatch_toml)["build"]["hooks"]["skillpack"] == {}
    assert done.hatch_toml.count("\n") == done.hatch_toml.count("\r\n") or "\r" not in before
    if after is not None:
        assert done.hatch_toml == before + after
    again = run(done.text, hatch_toml=done.hatch_toml)
    assert again == Initialised(text=done.text, hatch_toml=done.hatch_toml, changes=(), advice=())


def test_a_hook_in_the_pyproject_toml_is_none_beside_a_hatch_toml_with_a_build() -> None:
    text = f"{HATCHLING}[tool.hatch.build.hooks.skillpack]\n"
    assert "hatch.toml: build.hooks.skillpack: added" in run(text, hatch_toml="[build]\n").changes[1]


def test_a_hatch_toml_without_a_build_stays() -> None:
    text = "[envs.default]\n"
    done = run(HATCHLING, hatch_toml=text)
    assert (done.text, done.changes) == (run(HATCHLING).text, run(HATCHLING).changes)
    assert done.hatch_toml == text


@pytest.mark.parametrize(("target", "other"), [("wheel", "sdist"), ("sdist", "wheel")])
def test_a_hook_that_is_on_for_one_target_stays_and_is_said(target: str, other: str) -> None:
    head = HATCHLING.replace('"hatchling"]', '"hatchling", "skillpack"]')
    table = f"build.targets.{target}.hooks.skillpack"
    end = f"is on for the {target} alone, so that the {other} is built without skillpack; write"
    done = run(f"{head}[tool.hatch.{table}]\n")
    assert done.changes == ()
    assert done.advice == (f"tool.hatch.{table}: {end} [tool.hatch.build.hooks.skillpack] in its place",)
    done = run(head, hatch_toml=f"[{table}]\n")
    assert (done.changes, done.hatch_toml) == ((), f"[{table}]\n")
    assert done.advice == (f"hatch.toml: {table}: {end} [build.hooks.skillpack] in its place",)


def test_a_hook_that_is_on_for_both_targets_is_enough() -> None:
    tables = "".join(
        f"[tool.hatch.build.targets.{target}.hooks.skillpack]\n" for target in ("sdist", "wheel")
    )
    done = run(HATCHLING.replace('"hatchling"]', '"hatchling", "skillpack"]') + tables)
    assert (done.changes, done.advice) == ((), ())


def test_a_hook_for_all_targets_and_for_one_needs_no_word() -> None:
    done = run(
        f"{HATCHLING}[tool.hatch.build.hooks.skillpack]\n[tool.hatch.build.targets.sdist.hooks.skillpack]\n"
    )
    assert done.advice == ()


def test_what_another_target_has_is_no_hook_of_a_wheel() -> None:
    done = run(f"{HATCHLING}[tool.hatch.build.targets.custom.hooks.skillpack]\n")
    assert "[tool.hatch.build.hooks.skillpack]\n" in done.text


# ------------------------------------------------------------------ other back ends


def test_another_back_end_gets_no_hook_and_no_requirement() -> None:
    done = run(with_backend("flit_core.buildapi"), module="agent/packed.py", default_module="agent/skills.py")
    assert done.changes == ('tool.skillpack.module: set to "agent/packed.py"',)
    assert done.advice == (
        f"build-system.build-backend: flit_core.buildapi builds {BY_HAND}",
        "build-system.build-backend: agent/packed.py ships as it is, whether git ignores it or not",
    )


@pytest.mark.parametrize(
    "backend", ["setuptools.build_meta", "setuptools.build_meta:__legacy__", "uv_build", "pdm.backend"]
)
def test_most_back_ends_ship_the_module_as_it_is(backend: str) -> None:
    assert run(with_backend(backend), default_module="agent/skills.py").advice[1] == (
        "build-system.build-backend: agent/skills.py ships as it is, whether git ignores it or not"
    )


def test_poetry_needs_a_line_for_a_module_that_git_ignores() -> None:
    assert run(with_backend("poetry.core.masonry.api"), default_module="agent/skills.py").advice[1] == (
        f"tool.poetry.include: if git ignores agent/skills.py, {DROPPED} "
        '{ path = "agent/skills.py", format = ["sdist", "wheel"] }'
    )


def test_hatchling_without_the_hook_needs_a_line_too() -> None:
    done = run(HATCHLING, hook=False)
    assert (done.text, done.changes) == (HATCHLING, ())
    assert done.advice == (
        f"build-system.build-backend: hatchling.build builds {BY_HAND}",
        f'tool.hatch.build.artifacts: if git ignores src/PACKAGE/skills.py, {DROPPED} "/src/PACKAGE/skills.py"',
    )


def test_what_an_unknown_back_end_ships_is_for_the_user_to_see() -> None:
    assert run(with_backend("maturin"), default_module="agent/skills.py").advice[1] == (
        "build-system.build-backend: see with skillpack verify that the wheel holds agent/skills.py"
    )


def test_without_a_back_end_setuptools_builds() -> None:
    assert run('[project]\nname = "agent"\n').advice == (
        f"build-system.build-backend: is not set, so setuptools builds {BY_HAND}",
        "build-system.build-backend: src/PACKAGE/skills.py ships as it is, whether git ignores it or not",
    )


# ------------------------------------------------------------------ the options


def test_defaults_are_not_written() -> None:
    done = run(
        HATCHLING,
        skills=["./.agents/skills/"],
        module="src/agent/./skills.py",
        default_skills=".agents/skills",
        default_module="src/agent/skills.py",
    )
    assert "[tool.skillpack]" not in done.text


def test_options_join_a_table_that_is_there() -> None:
    text = f'{HATCHLING}\n[tool.skillpack]  # ours\n  level = "strict"\n\n# the end\n'
    assert run(text, skills=["a", "b"]).text.endswith(
        '[tool.skillpack]  # ours\n  level = "strict"\n  skills = ["a", "b"]\n\n# the end\n'
        "\n[tool.hatch.build.hooks.skillpack]\n"
    )


def test_an_option_that_is_set_stays_and_the_user_is_told() -> None:
    text = f'{HATCHLING}[tool.skillpack]\nskills = ["a"]\nmodule = "x/y.py"\n'
    done = run(text, skills=["b"], module="x/z.py", default_module="x/z.py")
    assert tomllib.loads(done.text)["tool"]["skillpack"] == {"skills": ["a"], "module": "x/y.py"}
    assert done.advice == (
        'tool.skillpack.skills: is set and was left; to change it, write ["b"]',
        'tool.skillpack.module: is set and was left; to change it, write "x/z.py"',
    )


def test_an_option_that_is_set_to_the_same_path_in_another_spelling_is_the_same() -> None:
    text = f'{HATCHLING}[tool.skillpack]\nskills = ["./a/"]\nmodule = "x//y.py"\n'
    assert run(text, skills=["a"], module="./x/y.py").advice == ()


def test_a_path_is_written_so_that_toml_reads_it_back() -> None:
    odd = 'a "b"\\c\x7f\té'
    assert tomllib.loads(run(HATCHLING, skills=[odd]).text)["tool"]["skillpack"]["skills"] == [odd]


# ------------------------------------------------------------------ uv


def keys(text: str, **options: Any) -> object:
    return tomllib.loads(run(text, **options).text).get("tool", {}).get("uv", {}).get("cache-keys")


def test_without_uv_there_are_no_keys() -> None:
    assert keys(HATCHLING) is None


@pytest.mark.parametrize(
    ("text", "uv"), [(HATCHLING, True), (f"{HATCHLING}[tool.uv]\n", False), (with_backend("uv_build"), False)]
)
def test_uvs_own_key_is_kept_when_there_were_none(text: str, uv: bool) -> None:
    assert keys(text, uv=uv) == [{"file": "pyproject.toml"}, {"file": "skills/**/*"}]


@pytest.mark.parametrize("head", ["", with_backend("setuptools.build_meta")])
def test_setuptools_reads_more_files_that_uv_watches_by_itself(head: str) -> None:
    assert keys(head, uv=True) == [
        {"file": "pyproject.toml"},
        {"file": "setup.py"},
        {"file": "setup.cfg"},
        {"file": "skills/**/*"},
    ]


def test_keys_that_are_there_stay() -> None:
    text = f'{HATCHLING}[tool.uv]\ncache-keys = [\n  {{ git = {{ commit = true }} }},\n  "Cargo.lock",\n]\n'
    assert run(text).text.count("\n") == text.count("\n") + 3
    assert keys(text) == [{"git": {"commit": True}}, "Cargo.lock", {"file": "skills/**/*"}]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "tool.uv.managed = true\n",
            'tool.uv.managed = true\ntool.uv.cache-keys = [{ file = "pyproject.toml" }, { file = "skills/**/*" }]\n',
        ),
        (
            "[tool]\nuv = { managed = true }\n",
            '[tool]\nuv = { managed = true, cache-keys = [{ file = "pyproject.toml" }, { file = "skills/**/*" }]}\n',
        ),
    ],
)
def test_keys_join_a_table_without_a_header(before: str, after: str) -> None:
    system = 'build-system.requires = ["skillpack"]\nbuild-system.build-backend = "hatchling.build"\n'
    assert run(system + before, hatch_toml="build = {}").text == system + after


@pytest.mark.parametrize("key", ['{ file = "**/*" }', '"skills/**/*"', '{ file = "skills/**/*" }'])
def test_a_key_that_names_all_files_is_enough(key: str) -> None:
    text = f"{HATCHLING}[tool.uv]\ncache-keys = [{key}]\n"
    assert len(tomllib.loads(run(text).text)["tool"]["uv"]["cache-keys"]) == 1


@pytest.mark.parametrize("key", ['{ file = "skills/**/*.md" }', '{ file = "skills" }', '{ dir = "skills" }'])
def test_a_key_that_names_some_files_is_not(key: str) -> None:
    text = f"{HATCHLING}[tool.uv]\ncache-keys = [{key}]\n"
    assert tomllib.loads(run(text).text)["tool"]["uv"]["cache-keys"][1] == {"file": "skills/**/*"}


@pytest.mark.parametrize(
    ("root", "glob"),
    [
        ("a/b", "a/b/**/*"),
        (".", "**/*"),
        ("../shared", "../shared/**/*"),
        ("a [x]*?{y}", "a [[]x][*][?][{]y}/**/*"),
    ],
)
def test_a_root_is_watched_with_all_its_files(root: str, glob: str) -> None:
    assert keys(HATCHLING, skills=[root], uv=True) == [{"file": "pyproject.toml"}, {"file": glob}]


def test_roots_of_the_file_are_watched_and_absolute_ones_cannot_be() -> None:
    assert keys(f'{HATCHLING}[tool.skillpack]\nskills = ["/srv/a", "b"]\n', uv=True) == [
        {"file": "pyproject.toml"},
        {"file": "b/**/*"},
    ]
    assert keys(HATCHLING, skills=["/srv/a"], uv=True) is None


# ------------------------------------------------------------------ what is refused


def test_a_broken_text_is_refused_with_the_place() -> None:
    assert problem("[project]\nname =\n") == "pyproject.toml:2:7: is not TOML: invalid value"
    assert problem(HATCHLING, hatch_toml="[build").startswith("hatch.toml")
    assert problem(HATCHLING, hatch_toml="build = 1") == "hatch.toml: build: must be a table"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("build-system = 1\n", "build-system: must be a table"),
        ("build-system.build-backend = 1\n", "build-system.build-backend: must be a string"),
        (HATCHLING.replace('["hatchling"]', '"hatchling"'), "build-system.requires: must be an array"),
        (
            HATCHLING.replace('requires = ["hatchling"]', ""),
            'build-system.requires: is missing; write requires = ["hatchling"]',
        ),
        (f"{HATCHLING}[[tool.hatch.build]]\n", "tool.hatch.build: must be a table"),
        (f"{HATCHLING}[tool]\nuv = true\n", "tool.uv: must be a table"),
        (f"{HATCHLING}[tool.uv]\ncache-keys = 'x'\n", "tool.uv.cache-keys: must be an array"),
        (
            f"{HATCHLING}[tool.uv]\n[tool.skillpack]\nskills = 'x'\n",
            "tool.skillpack.skills: must be an array",
        ),
    ],
)
def test_something_else_where_a_table_or_an_array_has_to_be_is_refused(text: str, message: str) -> None:
    assert problem(text) == message


def test_a_path_that_is_not_unicode_is_refused() -> None:
    assert problem(HATCHLING, skills=["a\udcff"]) == (
        "a\\udcff: is not Unicode, so that TOML cannot hold it; rename it"
    )
