"""The law of the cache: findings and output are those of a run without one, whatever state it is in."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillpack import config, pipeline, write
from skillpack.cache import FILE, Cache
from skillpack.errors import RefusedError
from support.bundles import skill_md
from support.packing import skillpack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillpack.findings import Finding

bodies = st.text(st.sampled_from("ab\u200b<!->\n\t"), max_size=40)
fields = st.dictionaries(
    st.sampled_from(["metadata", "license", "tags", "allowed-tools", "x"]),
    st.sampled_from(
        ["{a: 1}", "[a, 'b']", '"\\x41 b"', "- a", "[a", "a: b", "yes", "!!str 1", "[{a: [b]}, c]"]
    ),
)
files = st.dictionaries(
    st.sampled_from(["a.md", "b/c.txt", "d.bin"]), st.binary(max_size=20) | bodies.map(str.encode)
)
skills = st.dictionaries(
    st.sampled_from(["dance", "sing", "wait"]), st.tuples(fields, bodies, files), min_size=1
)
damages = st.binary(max_size=200) | st.tuples(st.integers(0, 10_000), st.integers(1, 255))


def run(project: Path, level: str, form: str, cache: Cache) -> tuple[tuple[Finding, ...], dict[str, bytes]]:
    """Return the findings of a run, and the output that it left beside the project."""
    table = {"tool": {"skillpack": {"level": level, "format": form}}}
    module = project.with_name("out.py")
    try:
        with pipeline.pack(config.from_table(table, project, skills=["skills"]), cache=cache) as packed:
            files = pipeline.emit(packed, "out.py", standing=module.with_suffix(""))
            write.write_output(module, files, root=module.parent, now=0)
            places = [module] if module.exists() else sorted(module.with_suffix("").rglob("*.*"))
            return packed.findings, {path.name: path.read_bytes() for path in places}
    except RefusedError as refused:
        return refused.findings, {}


def plant(project: Path, made: Mapping[str, tuple[dict[str, str], str, dict[str, bytes]]]) -> None:
    for name, (more, body, others) in made.items():
        tree = {"SKILL.md": skill_md(name, body=body, **more), **others}
        for path, data in tree.items():
            target = project / "skills" / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def damage(file: Path, how: bytes | tuple[int, int]) -> None:
    data = file.read_bytes()
    if isinstance(how, tuple):
        at, mask = how[0] % len(data), how[1]
        how = data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]
    file.write_bytes(how)


@settings(deadline=None, max_examples=60)
@given(
    skills,
    st.sampled_from(["lenient", "default", "strict"]),
    st.sampled_from(["lenient", "strict"]),
    st.sampled_from(["module", "package", "data"]),
    damages,
)
def test_no_state_of_the_cache_changes_findings_or_output(
    made: dict[str, tuple[dict[str, str], str, dict[str, bytes]]],
    level: str,
    other: str,
    form: str,
    how: bytes | tuple[int, int],
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        project, home = Path(directory) / "project", Path(directory) / "home"
        plant(project, made)
        expected = run(project, level, form, Cache())
        run(project, other, form, Cache(home))
        assert run(project, level, form, Cache(home)) == expected, "after a run at another level"
        assert run(project, level, form, Cache(home)) == expected, "warm"
        if (home / FILE).exists():
            damage(home / FILE, how)
        assert run(project, level, form, Cache(home)) == expected, "damaged"


@settings(deadline=None, max_examples=30)
@given(
    skills,
    st.sampled_from(["lenient", "strict"]),
    st.sampled_from(["module", "package", "data"]),
    damages,
    skills,
)
def test_no_state_of_the_cache_changes_what_a_run_tells_or_leaves(
    made: dict[str, tuple[dict[str, str], str, dict[str, bytes]]],
    level: str,
    form: str,
    how: bytes | tuple[int, int],
    changed: dict[str, tuple[dict[str, str], str, dict[str, bytes]]],
) -> None:
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        home, output = Path(directory) / "home", Path(directory) / "project" / "out"
        patch.setenv("SKILLPACK_CACHE_DIR", str(home))

        def told(*options: str) -> tuple[int, str, dict[str, bytes]]:
            command = ("bundle", "-o", "out.py", "-v", f"--{level}", "--format", form, *options)
            done = skillpack(output.parent, *command)
            places = [*output.parent.glob("out.py"), *output.rglob("*.*")]
            text = done.output.replace("unchanged out", "wrote out")
            return done.exit_code, text, {path.name: path.read_bytes() for path in places}

        for planted in (made, changed):
            plant(output.parent, planted)
            expected = told("--no-cache")
            for state in ("cold", "warm", "warm again"):
                assert told() == expected, state
            for file in home.glob("*"):
                damage(file, how)
            assert told() == expected, "damaged"
