"""The benchmarks themselves: their arithmetic, and their inputs, made in little; no figure is looked at."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest

from benchmarks import command, inputs, pack, report, start
from benchmarks.emission import Emission
from benchmarks.inputs import Input, Real
from benchmarks.measure import Row, Script, figure, medians

if TYPE_CHECKING:
    from collections.abc import Iterator

LITTLE = Input(skills=3, files=12, size=6_000, repeated=0.5)


def real(path: str, text: str) -> Real:
    return Real(path=PurePosixPath(path), lines=text.encode().splitlines(keepends=True))


REAL = [
    [
        real("SKILL.md", "---\nname: real\ndescription: Really.\nlicense: MIT\n---\n# Real\n\nDo it.\n"),
        real("a.py", "import a\nprint(a)\n"),
        real("refs/ü.md", "Über alles\nund nichts\n"),
    ]
]


def tree(top: Path) -> dict[str, bytes]:
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    inputs.make(LITTLE, tmp_path / "skills", REAL, seed="x")
    return tmp_path / "skills"


# ------------------------------------------------------------------ inputs


def test_an_input_is_as_large_as_it_is_to_be(skills: Path) -> None:
    made = tree(skills)
    assert len(list(skills.iterdir())) == LITTLE.skills
    assert len(made) == LITTLE.files
    assert sum(map(len, made.values())) == pytest.approx(LITTLE.size, rel=0.1)
    others = [data for path, data in made.items() if not path.endswith("/SKILL.md")]
    assert len(set(others)) < len(others)


def test_a_made_skill_has_the_frontmatter_of_a_real_one_under_its_own_name(skills: Path) -> None:
    for directory in skills.iterdir():
        text = (directory / "SKILL.md").read_text(encoding="utf-8")
        assert text.startswith(f"---\nname: {directory.name}\ndescription: Really.\nlicense: Terms ")


def test_an_input_depends_on_its_arguments_alone(skills: Path, tmp_path: Path) -> None:
    inputs.make(LITTLE, tmp_path / "again", REAL, seed="x")
    inputs.make(LITTLE, tmp_path / "other", REAL, seed="y")
    assert tree(tmp_path / "again") == tree(skills)
    assert tree(tmp_path / "other") != tree(skills)


# ------------------------------------------------------------------ figures


def test_a_script_reports_its_figures_and_those_of_its_process() -> None:
    ran: list[str] = []
    script = Script(
        code="import sys; figures['length'] = len(sys.argv[1])",
        arguments=["abc"],
        before=lambda: ran.append("before"),
    )
    figures = script.run()
    assert figures["length"] == 3
    assert figures["peak"] > 2**20
    assert 0 < figures["cpu"] < 60
    assert figures["wall"] > 0
    assert ran == ["before"]


def test_a_script_that_fails_ends_the_benchmarks() -> None:
    with pytest.raises(SystemExit, match="exit code 3 of"):
        Script(code="raise SystemExit(3)").run()


def test_medians_leave_out_the_first_round() -> None:
    class Counted(Script):
        __slots__ = ()
        rounds: Iterator[float] = iter([100.0, 1.0, 3.0, 2.0])

        def run(self) -> dict[str, float]:
            return {"value": next(self.rounds)}

    assert medians(3, one=Counted(code="")) == {"one": {"value": 2.0}}


@pytest.mark.parametrize(
    ("value", "limit", "least", "verdict", "target"),
    [
        (2.0, 2.0, False, "met", "≤ 2 x"),
        (2.1, 2.0, False, "missed", "≤ 2 x"),
        (2.0, 2.0, True, "met", "≥ 2 x"),
        (1.9, 2.0, True, "missed", "≥ 2 x"),
        (1.9, None, False, "", ""),
    ],
)
def test_a_row_knows_whether_its_target_is_met(
    *, value: float, limit: float | None, least: bool, verdict: str, target: str
) -> None:
    row = Row(title="t", input="S", value=value, unit="x", limit=limit, least=least)
    assert (row.verdict, row.target) == (verdict, target)


@pytest.mark.parametrize(
    ("value", "text"), [(0.1234, "0.123"), (12.34, "12.3"), (123.4, "123"), (1234.5, "1,234"), (-0.5, "-0.5")]
)
def test_figures_have_three_digits_that_count(value: float, text: str) -> None:
    assert figure(value) == text


# ------------------------------------------------------------------ the report


def test_a_table_is_aligned() -> None:
    row = Row(title="a title", input="S", value=1, unit="x", limit=2)
    heading, line = report.aligned([row.cells()])
    assert heading == "figure   input  measured  target  verdict  remark"
    assert line == "a title  S      1 x       ≤ 2 x   met"


def test_the_page_has_the_machine_and_every_row() -> None:
    row = Row(title="a title", input="S", value=1, unit="x", limit=2)
    text = report.page({"pack": [row]}, report.machine(), "python -m tests.benchmarks")
    assert "- python: CPython 3." in text
    assert "## Packing\n\n| figure | input |" in text
    assert "\n| a title | S | 1 x | ≤ 2 x | met |  |\n" in text


def test_the_command_measures_prints_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Row(title="a title", input="S", value=1, unit="x", limit=2)

    def rows(name: str, skills: Path, python: str, before: list[Row]) -> list[Row]:
        assert (name, python, before) == ("S", sys.executable, [])
        assert len(tree(skills)) == LITTLE.files
        return [row]

    monkeypatch.setattr(inputs, "INPUTS", {"S": LITTLE})
    monkeypatch.setattr(inputs, "real_files", lambda: REAL)
    monkeypatch.setattr(pack, "rows", rows)
    monkeypatch.setattr(command, "RESULTS", tmp_path / "RESULTS.md")
    command.main(["--part", "pack", "--json", str(tmp_path / "x.json"), "--results"])
    assert "a title  S      1 x       ≤ 2 x   met" in capsys.readouterr().out
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["pack"] == [row.record()]
    assert "| a title |" in (tmp_path / "RESULTS.md").read_text(encoding="utf-8")


# ------------------------------------------------------------------ the scripts, over the little input


def test_the_scripts_of_packing_run(skills: Path) -> None:
    for code in (pack.BARE, pack.SAFE, pack.READ, pack.SCAN):
        assert min(Script(code=code, arguments=[skills]).run().values()) >= 0


def test_the_scripts_of_start_up_run(skills: Path, tmp_path: Path) -> None:
    assert sum(start.contents(skills)) == sum(
        {hashlib.sha256(data).digest(): len(data) for data in tree(skills).values()}.values()
    )
    emission = Emission.made(skills, "module", sys.executable)
    assert {path.suffix for path in emission.compiled.rglob("*") if path.is_file()} == {".py", ".pyc"}
    assert {path.suffix for path in emission.bare.rglob("*") if path.is_file()} == {".py"}
    for code in (start.CATALOG, start.MEMORY, start.FIRST):
        assert Script(code=code, arguments=[emission.bare]).run()
    assert Script(code=start.WALK.format(loader="SafeLoader"), arguments=[skills]).run()["seconds"] > 0
