"""What holds for `init` on any pyproject.toml."""

from __future__ import annotations

import contextlib
import tomllib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from skillpack.config import from_table
from skillpack.errors import ConfigError
from skillpack.init import Initialised, init

requires = st.sampled_from(
    [
        'requires = ["hatchling"]',
        "requires = [ 'hatchling', ]",
        'requires = [\n  "hatchling",  # one\n  # two\n]',
        'requires = [\n\t"hatchling"\n\t, "hatch-vcs"\n]',
        'requires = ["hatchling", "skillpack"]',
    ]
)
systems = st.builds(
    lambda first, backend, comment: f"[build-system]{comment}\n{first}\nbuild-backend = {backend}\n",
    requires,
    st.sampled_from(['"hatchling.build"', "'hatchling.build'  # back end", '"poetry.core.masonry.api"']),
    st.sampled_from(["", "  # how it is built"]),
)
hatch = st.sampled_from(
    [
        "",
        '[tool.hatch.version]\npath = "a.py"\n',
        '[tool.hatch.build]\nhooks.vcs.version-file = "a.py"\n',
        '[tool.hatch.build]\nhooks = { vcs = { version-file = "a.py" } }\n',
        "[tool.hatch]\nbuild = { targets.wheel = {} }\n",
        "[tool.hatch.build.hooks.skillpack]\n",
        "[ tool . hatch . build . hooks ]\n\n# nothing yet\n",
        '[tool."hatch".build.hooks.vcs]\n',
    ]
)
uv = st.sampled_from(
    [
        "",
        "[tool.uv]\n",
        '[tool.uv]\nmanaged = true\n[tool.uv.sources]\nx = { path = "x" }\n',
        '[[tool.uv.index]]\nname = "x"\n',
        '[tool.uv]\ncache-keys = [{ file = "pyproject.toml" }]\n',
        '[tool.uv]\ncache-keys = [\n    "a",\n    { git = true }, # git\n]\n',
        '[tool.uv]\nfloats = [nan, 1.5e3]\ncache-keys = ["skills/**/*"]\n',
    ]
)
ours = st.sampled_from(["", "[tool.skillpack]\n", '[tool.skillpack]\nlevel = "strict"  # level\n'])
others = st.sampled_from(
    [
        "# a comment of its own\n\n",
        '[project]\nname = "agent"\n\n\n',
        '[tool.ruff]\nselect = [\n  "ALL",\n]\n\n# ----- end -----\n',
        '[tool.notes]\ntext = """\n[tool.uv]\n# no comment\n"""\nrows = [\n[1]\n]\n',
        "\n",
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    parts = [draw(systems), draw(hatch), draw(uv), draw(ours)]
    parts += draw(st.lists(others, max_size=3, unique=True))
    text = "".join(draw(st.permutations(parts)))
    return text.rstrip("\n") if draw(st.booleans()) else text


options = st.fixed_dictionaries(
    {
        "skills": st.sampled_from([(), ("skills",), ("a", "./b/c/"), ("../x",)]),
        "module": st.sampled_from(["", "agent/skills.py", "agent/packed.py"]),
        "uv": st.booleans(),
        "hook": st.booleans(),
    }
)


def run(text: str, chosen: dict[str, Any]) -> Initialised:
    return init(text, version="1.0.0", default_module="agent/skills.py", **chosen)


def comments(text: str) -> list[str]:
    return [line.partition("#")[2].strip() for line in text.splitlines() if "#" in line]


def loads(text: str) -> dict[str, Any]:
    return tomllib.loads(text, parse_float=str)


def without(after: object, before: object) -> object:
    """Take out of `after` what `before` does not have: keys of tables, items at the end of arrays."""
    if isinstance(after, dict) and isinstance(before, dict):
        return {key: without(value, before[key]) for key, value in after.items() if key in before}
    if isinstance(after, list) and isinstance(before, list):
        return after[: len(before)]
    return after


@settings(deadline=None, max_examples=80)
@given(documents(), options)
def test_a_second_run_has_nothing_to_do(text: str, chosen: dict[str, Any]) -> None:
    first = run(text, chosen)
    second = run(first.text, chosen)
    assert second.text == first.text
    assert second.changes == ()
    assert second.advice == first.advice


@settings(deadline=None, max_examples=80)
@given(documents(), options)
def test_what_was_there_stays_with_its_comments_in_its_order(text: str, chosen: dict[str, Any]) -> None:
    done = run(text, chosen)
    left = without(loads(done.text), loads(text))
    assert left == loads(text)
    assert str(left) == str(loads(text)), "the order of keys"
    assert comments(done.text) == comments(text)
    assert bool(done.changes) == (done.text != text)


@settings(deadline=None, max_examples=50)
@given(documents(), options)
def test_line_ends_do_not_matter_and_stay(text: str, chosen: dict[str, Any]) -> None:
    lf, crlf = run(text, chosen), run(text.replace("\n", "\r\n"), chosen)
    if "\n" in text:
        assert crlf.text == lf.text.replace("\n", "\r\n")
    assert (crlf.changes, crlf.advice) == (lf.changes, lf.advice)


@settings(deadline=None, max_examples=50)
@given(documents(), options)
def test_the_configuration_takes_the_result_and_says_nothing_about_uv(
    tmp_path_factory: Any, text: str, chosen: dict[str, Any]
) -> None:
    place = tmp_path_factory.getbasetemp() / "project"
    (place / "skills").mkdir(parents=True, exist_ok=True)
    read = from_table(tomllib.loads(run(text, chosen).text), place)
    assert not [notice for notice in read.notices if notice.code == "uv-cache-keys"]


@settings(deadline=None)
@given(st.text(), st.text())
def test_any_text_is_taken_or_refused(text: str, hatch_toml: str) -> None:
    with contextlib.suppress(ConfigError):
        init(text, version="1.0.0", hatch_toml=hatch_toml)
    with contextlib.suppress(ConfigError):
        init(
            f'{text}\n[build-system]\nrequires=[]\nbuild-backend="hatchling.build"\n',
            version="1.0.0",
            skills=[text],
            uv=True,
        )
