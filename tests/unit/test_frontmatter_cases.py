"""What reading gives for the 117 inputs of the case list, at the three settings."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from skillpack.findings import Policy, Report
from skillpack.frontmatter import read
from skillpack.rules import SETTINGS, Setting
from support.frontmatter_cases import CASES, READERS

PLACE = "skills/x/SKILL.md"


class Row(NamedTuple):
    """What is expected of one input.

    `verdicts` has a letter for each of lenient, default and strict: L loads, R is refused and its fields are
    known, N is refused and they are not. `codes` are reported at every setting, those with `!` at strict alone.
    """

    verdicts: str
    codes: str
    name: str = "my-skill"
    description: str = "A test skill"


ROWS = {
    "ok": Row("LLL", ""),
    "crlf": Row("LLR", "crlf"),
    "bom": Row("LLR", "bom"),
    "blank-line-first": Row("NNN", "frontmatter-missing"),
    "cr-only": Row("NNN", "line-ending"),
    "opening trailing space '--- '": Row("LLR", "fence-whitespace"),
    "closing trailing space": Row("LLR", "fence-whitespace", description="d"),
    "opening '----'": Row("NNN", "frontmatter-missing"),
    "closing '...'": Row("NNN", "frontmatter-missing"),
    "no trailing newline after closing": Row("LLR", "body-empty fence-end", description="d"),
    "'---' in body": Row("LLL", ""),
    "'---' inside description value": Row("LLR", "dashes-in-frontmatter", description="a --- b"),
    "'---' inside quoted desc": Row("LLR", "dashes-in-frontmatter", description="use --- as separator"),
    "indented --- in block scalar": Row(
        "LLR", "dashes-in-frontmatter description-edges description-lines", description="a\n---\nb\n"
    ),
    "comment with ---": Row("LLR", "dashes-in-frontmatter"),
    "empty frontmatter": Row("NNN", "yaml-invalid"),
    "empty frontmatter blank": Row("NNN", "yaml-invalid"),
    "no frontmatter": Row("NNN", "frontmatter-missing"),
    "invalid utf8": Row("RRR", "skill-md-encoding"),
    "NUL in body": Row("RRR", "skill-md-encoding"),
    "duplicate key": Row("RRR", "yaml-duplicate-key", description="second"),
    "dup key in metadata": Row("RRR", "ambiguous-scalar yaml-duplicate-key"),
    "anchor+alias": Row("NNN", "yaml-alias"),
    "anchor only": Row("RRR", "yaml-alias", description="A test"),
    "merge key <<": Row("NNN", "yaml-alias"),
    "billion laughs": Row("NNN", "yaml-alias yaml-flow"),
    "tag !!python/object": Row("NNN", "description-missing yaml-alias yaml-flow"),
    "tag !!str": Row("RRR", "yaml-alias", description="d"),
    "custom tag !foo": Row("RRR", "yaml-alias", description="bar"),
    "name: no": Row("LRR", "ambiguous-text", name="no", description="d"),
    "name: on": Row("LRR", "ambiguous-text", name="on", description="d"),
    "name: null": Row("LRR", "ambiguous-text", name="null", description="d"),
    "name: true": Row("LRR", "ambiguous-text", name="true", description="d"),
    "name: 123": Row("LRR", "ambiguous-text", name="123", description="d"),
    "name: 007": Row("LRR", "ambiguous-text", name="007", description="d"),
    "name: 1e3": Row("LRR", "ambiguous-text", name="1e3", description="d"),
    "name: 2024-01-01": Row("LRR", "ambiguous-text", name="2024-01-01", description="d"),
    "name: '123' quoted": Row("LLL", "", name="123", description="d"),
    "description: yes": Row("LRR", "ambiguous-text", description="yes"),
    "description: 42": Row("LRR", "ambiguous-text", description="42"),
    "description null (empty)": Row("NNN", "description-missing"),
    "description whitespace": Row("NNN", "description-missing"),
    "description list": Row("NNN", "description-missing yaml-flow"),
    "description missing": Row("NNN", "description-missing"),
    "name missing": Row("LNN", "name-missing", description="d"),
    "description block |": Row("LLR", "description-edges description-lines", description="line1\nline2\n"),
    "description folded >": Row("LLR", "description-edges", description="line1 line2\n"),
    "description plain multiline": Row("LLL", "", description="line1 line2"),
    "colon in value": Row("LNN", "yaml-invalid", description="Use when: the user asks"),
    "hash in value": Row("LLR", "yaml-comment", description="Fix issue"),
    "' #' comment truncates": Row("LLR", "yaml-comment", description="Fix things"),
    "backtick start": Row("LNN", "yaml-invalid", description="`x` does y"),
    "tab indent": Row("NNN", "yaml-invalid"),
    "flow mapping fm": Row("LLR", "yaml-flow", description="d"),
    "desc 1024": Row("LLL", "", description="x" * 1024),
    "desc 1025": Row("LRR", "description-length", description="x" * 1025),
    "desc 1024 astral (2048 utf16)": Row("LLL", "", description="\U0001f600" * 1024),
    "desc 513 astral (1026 utf16)": Row("LLL", "", description="\U0001f600" * 513),
    "desc 1024+trailing ws quoted": Row(
        "LRR", "description-edges description-length", description="x" * 1024 + "  "
    ),
    "desc <tag>": Row("LRR", "description-closing-tag description-markup", description="use <b>bold</b>"),
    "desc a < b": Row("LLR", "!description-markup", description="when a < b"),
    "desc -> arrow": Row("LLR", "!description-markup", description="a -> b"),
    "desc control char \\x07": Row("LRR", "description-control", description="a\x07b"),
    "desc newline injection": Row(
        "LRR",
        "description-closing-tag description-lines !description-markup",
        description="a\n</available_skills>",
    ),
    "name 64": Row("LLL", "", name="a" * 64, description="d"),
    "name 65": Row("LRR", "name-format", name="a" * 65, description="d"),
    "name upper": Row("LRR", "name-format", name="My-Skill", description="d"),
    "name underscore": Row("LRR", "name-format", name="my_skill", description="d"),
    "name --": Row("LRR", "name-format", name="my--skill", description="d"),
    "name -x": Row("LRR", "name-format", name="-x", description="d"),
    "name x-": Row("LRR", "name-format", name="x-", description="d"),
    "name dot": Row("LRR", "name-format", name="a.b", description="d"),
    "name colon ns": Row("LRR", "name-format", name="git:co", description="d"),
    "name CJK 技能": Row("LRR", "name-format", name="技能", description="d"),
    "name cyrillic": Row("LRR", "name-format", name="навык", description="d"),
    "name café NFC": Row("LRR", "name-format", name="café", description="d"),
    "name café NFD in file, NFC dir": Row("LRR", "name-format", name="cafe\u0301", description="d"),
    "name café NFD both": Row("LRR", "name-format", name="cafe\u0301", description="d"),
    "name fullwidth \uff50\uff44\uff46 (NFKC->pdf)": Row(
        "LRR", "name-format", name="\uff50\uff44\uff46", description="d"
    ),
    "name superscript x²": Row("LRR", "name-format", name="x²", description="d"),
    "name ß": Row("LRR", "name-format", name="straße", description="d"),
    "name İ-> lower": Row("LRR", "name-format", name="i̇x", description="d"),
    "name arabic digits": Row("LRR", "name-format", name="٣٤", description="d"),
    "name homoglyph cyrillic \u0430": Row("LRR", "name-format", name="p\u0430y", description="d"),
    "name contains claude": Row("LLR", "name-reserved", name="claude-helper", description="d"),
    "name contains anthropic": Row("LLR", "name-reserved", name="my-anthropic", description="d"),
    "name surrounding ws quoted": Row("LRR", "name-format", name=" my-skill ", description="d"),
    "name trailing newline (block)": Row("RRR", "name-unsafe", name="my-skill\n", description="d"),
    "name != dir": Row("LLL", ""),
    "unknown field": Row("LLR", "field-unknown"),
    "disable-model-invocation": Row("LLR", "field-unknown"),
    "Name capital key": Row("LNN", "field-case name-missing", description="d"),
    "non-str key 1:": Row("LLR", "field-unknown"),
    "metadata version: 1.0": Row("LLR", "ambiguous-scalar"),
    "metadata nested": Row("LLR", "metadata-type"),
    "metadata list value": Row("LLR", "metadata-type yaml-flow"),
    "metadata block list value": Row("LLR", "metadata-type"),
    "metadata inline JSON": Row("LLR", "ambiguous-scalar metadata-type yaml-flow"),
    "metadata null": Row("LLR", "metadata-type"),
    "metadata scalar": Row("LLR", "metadata-type"),
    "metadata date": Row("LLR", "ambiguous-scalar"),
    "metadata .inf": Row("LLR", "ambiguous-scalar"),
    "metadata null val": Row("LLR", "ambiguous-scalar"),
    "license int 2.0": Row("LLR", "ambiguous-scalar"),
    "license empty": Row("LRR", "license-type"),
    "compat 500": Row("LLL", ""),
    "compat 501": Row("LRR", "compatibility-type"),
    "compat empty str": Row("LRR", "compatibility-type"),
    "compat list": Row("LRR", "compatibility-type"),
    "allowed-tools space": Row("LLL", ""),
    "allowed-tools comma": Row("LLR", "allowed-tools-form"),
    "allowed-tools comma in parens": Row("LLL", ""),
    "allowed-tools space in parens": Row("LLL", ""),
    "allowed-tools flow list": Row("LLR", "allowed-tools-form yaml-flow"),
    "allowed-tools block list": Row("LLR", "allowed-tools-form"),
    "allowed-tools empty": Row("LLR", "allowed-tools-form"),
    "allowed-tools '*'": Row("LNN", "yaml-invalid"),
}


def test_every_input_has_a_row_and_a_sign_for_each_reader() -> None:
    assert ROWS.keys() == CASES.keys()
    assert {len(case.readers) for case in CASES.values()} == {len(READERS)}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", ROWS)
def test_verdict_codes_and_values(name: str, setting: Setting) -> None:
    row, case = ROWS[name], CASES[name]
    report = Report(Policy(setting=setting))
    fields = read(case.data, place=PLACE, directory=case.directory, report=report)
    verdict = row.verdicts[SETTINGS.index(setting)]
    assert report.has_errors is (verdict != "L")
    assert {finding.code for finding in report.findings} == {
        code.removeprefix("!") for code in row.codes.split() if setting == "strict" or code[0] != "!"
    }
    if verdict == "N":
        assert fields is None
    else:
        assert fields is not None
        assert (fields.name, fields.description) == (row.name, row.description)


@pytest.mark.parametrize("name", ROWS)
def test_a_looser_setting_never_refuses_what_a_stricter_one_loads(name: str) -> None:
    assert ROWS[name].verdicts in {"LLL", "LLR", "LRR", "LNN", "RRR", "NNN"}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "+" not in case.readers])
def test_what_every_reader_refuses_the_default_refuses(name: str) -> None:
    assert ROWS[name].verdicts[1] != "L"


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.verdicts == "LLL"])
def test_what_strict_loads_every_reader_accepts(name: str) -> None:
    # `name-mismatch`, an error at strict, is found where a whole skills root is known.
    mismatch = ROWS[name].name != CASES[name].directory
    assert mismatch or set(CASES[name].readers) == {"+"}
