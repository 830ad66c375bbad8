"""Reading SKILL.md: each rule of the design page, its place and its way out, with both of PyYAML's parsers."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest
import yaml

from skillpack.findings import Finding, Override, Policy, Report
from skillpack.frontmatter import FASTEST, read
from skillpack.frontmatter.document import is_settled
from skillpack.frontmatter.place import line_at, offset, position, rest_of_line
from skillpack.frontmatter.quoting import quoted, with_line
from skillpack.rules import RULES, SETTINGS, Level, Setting
from skillpack.runtime.digest import sha256_hex
from support import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillpack.frontmatter import Loader
    from skillpack.model import Frontmatter

PLACE = "skills/pdf/SKILL.md"
FILE = "---\nname: pdf\ndescription: Reads PDF files\n{}---\n\nRead them.\n"


class Result(NamedTuple):
    """What a reading gave."""

    fields: Frontmatter | None
    findings: tuple[Finding, ...]

    @property
    def lines(self) -> list[str]:
        """Each finding as `line:column level code`."""
        return [f"{find.line}:{find.column} {find.level.label} {find.code}" for find in self.findings]

    @property
    def codes(self) -> list[str]:
        return [find.code for find in self.findings]

    def only(self) -> Finding:
        """The one finding that there is."""
        (finding,) = self.findings
        return finding

    def loaded(self) -> Frontmatter:
        assert self.fields is not None
        return self.fields


class Check:
    """Reads a SKILL.md with one of the parsers."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def __call__(
        self,
        data: str | bytes,
        setting: Setting = "default",
        *,
        directory: str = "pdf",
        rules: Mapping[str, Level] | None = None,
        overrides: tuple[Override, ...] = (),
        thorough: bool = True,
    ) -> Result:
        report = Report(Policy(setting=setting, rules=rules or {}, overrides=overrides))
        data = data.encode() if isinstance(data, str) else data
        fields = read(
            data, place=PLACE, directory=directory, report=report, loader=self.loader, thorough=thorough
        )
        return Result(fields, report.findings)

    def lines(self, more: str, setting: Setting = "default") -> Result:
        """Read a good file with more lines in its frontmatter, of which the first is line 4."""
        return self(FILE.format(f"{more}\n"), setting)


@pytest.fixture(params=[yaml.BaseLoader, FASTEST], ids=["pure", "libyaml"])
def check(request: pytest.FixtureRequest) -> Check:
    return Check(request.param)


def seconds(check: Check, more: str) -> float:
    """The processor time that reading takes."""
    start = time.process_time()
    check.lines(more)
    return time.process_time() - start


def pasted(data: str, finding: Finding) -> str:
    """The file after the line that a hint ends with has been pasted over the line of its finding."""
    lines = data.split("\n")
    lines[finding.line - 1] = finding.hint.partition(": ")[2]
    return "\n".join(lines)


# The parts


@pytest.mark.parametrize(
    "text",
    ["", "a: b", "a: b # c", "a: b!c", "a: 5% off", "a: b --- c", "a: b... c", "a: | #", "a: é", " ---"],
)
def test_a_text_is_settled_that_both_parsers_read_alike(text: str) -> None:
    assert is_settled(text)


@pytest.mark.parametrize(
    "text",
    [
        "a:\tb",
        "a: [b]",
        "a: {b: c}",
        "!a b",
        "a: !b c",
        "%YAML 1.1",
        "a: b\n--- c",
        "...",
        "a: |#",
        "a: >-2#",
    ],
)
def test_a_text_is_not_settled_that_they_may_read_otherwise(text: str) -> None:
    assert not is_settled(text)


def test_a_place_is_counted_from_the_beginning_of_text_and_line() -> None:
    assert [position("\na\n\nbc", index) for index in range(7)] == [
        *((1, 1), (2, 1), (2, 2), (3, 1)),
        *((4, 1), (4, 2), (4, 3)),
    ]
    assert [line_at("\na\r\n\nbc", index) for index in range(7)] == ["", "a", "a", "a", "", "bc", "bc"]
    assert rest_of_line("\na\nbc", 1) == "a"
    assert offset(None) == 0


# The file


def test_a_good_file_gives_its_fields_and_no_finding(check: Check) -> None:
    result = check(FILE.format("license: MIT\n"), "strict")
    assert result.findings == ()
    assert result.loaded().name == "pdf"
    assert result.loaded().description == "Reads PDF files"
    assert result.loaded().license == "MIT"
    assert result.loaded().values == {"name": "pdf", "description": "Reads PDF files", "license": "MIT"}


def test_a_byte_order_mark_is_no_part_of_the_first_line(check: Check) -> None:
    data = "\ufeff" + FILE.format("").replace("---\n", "--- \n", 1)
    assert check(data).lines == ["1:1 warning bom", "1:4 warning fence-whitespace"]
    assert check(data).loaded().name == "pdf"


def test_only_one_byte_order_mark_is_stripped(check: Check) -> None:
    assert check("\ufeff\ufeff" + FILE.format("")).codes == ["bom", "frontmatter-missing"]


def test_crlf_ends_a_line_and_moves_no_place(check: Check) -> None:
    lf = check.lines("license: 2.0\nmetadata:\n  a: 1.0")
    crlf = check(FILE.format("license: 2.0\nmetadata:\n  a: 1.0\n").replace("\n", "\r\n"))
    assert crlf.lines == ["1:1 warning crlf", *lf.lines]
    assert crlf.fields == lf.fields
    assert crlf.findings[0].message == "9 of 9 lines end with CRLF"


def test_crlf_is_reported_where_it_first_stands(check: Check) -> None:
    assert check(FILE.format("") + "x\r\ny\n").lines == ["7:1 warning crlf"]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ("---\rname: pdf\rdescription: d\r---\rBody\r", "1:4"),
        ("---\nname: pdf\ndescription: d\r---\r", "3:15"),
        ("---\nname: pdf\rdescription: d\n---\nBody\n", "2:10"),
        ("---\nname: pdf\ndescription: d\r\r\n---\nBody\n", "3:15"),
    ],
)
def test_a_cr_alone_ends_no_line(check: Check, data: str, place: str) -> None:
    result = check(data)
    assert f"{place} error line-ending" in result.lines
    assert result.fields is None


def test_a_cr_alone_in_the_body_is_not_the_frontmatters_matter(check: Check) -> None:
    assert check(FILE.format("") + "a\rb").findings == ()
    assert check("a\rb").codes == ["frontmatter-missing"]


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        (
            "",
            "there is no frontmatter",
            'begin the file with the lines `---`, `name: "pdf"`, `description: "What the skill does and when to use it"`, `---`',
        ),
        ("# Title\n", "there is no frontmatter", "begin the file"),
        ("----\nname: a\n----\n", "there is no frontmatter", "begin the file"),
        ("--- # x\nname: a\n---\n", "there is no frontmatter", "begin the file"),
        ("---", "the first line is not ---", "make --- the first line"),
        ("\n---\nname: a\n---\n", "the first line is not ---", "make --- the first line"),
        (" ---\nname: a\n---\n", "the first line is not ---", "make --- the first line"),
        ("---\nname: a\n", "the frontmatter is not closed", "put a line --- below line 2"),
        ("---\nname: a\nb: c\n\n# D\n", "the frontmatter is not closed", "put a line --- below line 3"),
        ("---\nname: a\n...\n", "the frontmatter is not closed", "put a line ---"),
        ("---\nname: a\n ---\n----\n---x\n", "the frontmatter is not closed", "put a line ---"),
    ],
)
def test_a_file_without_frontmatter_is_refused_with_the_reason(
    check: Check, data: str, message: str, hint: str
) -> None:
    for setting in SETTINGS:
        finding = check(data, setting).only()
        assert (finding.code, finding.level, finding.line, finding.column) == (
            "frontmatter-missing",
            Level.ERROR,
            1,
            1,
        )
        assert finding.message.startswith(message)
        assert finding.hint.startswith(hint)


def test_only_a_line_of_its_own_ends_the_frontmatter(check: Check) -> None:
    result = check("---\nname: pdf\ndescription: a --- b\n---\nx\n---\ny\n")
    assert result.loaded().description == "a --- b"
    assert result.lines == ["3:16 warning dashes-in-frontmatter"]


def test_dashes_are_one_finding_a_file(check: Check) -> None:
    result = check.lines("# --- a ---\nlicense: a----b")
    assert result.lines == ["4:3 warning dashes-in-frontmatter"]
    assert result.only().message.endswith("on this line, and on 1 more")
    assert check.lines("# --- a ---").only().message.endswith("on this line")
    assert check.lines("# ---\n# a---\n# b\n# ---").only().message.endswith("on this line, and on 2 more")


def test_blanks_behind_a_fence_are_reported_at_each_fence(check: Check) -> None:
    result = check("--- \nname: pdf\ndescription: d\n---\t \nBody\n")
    assert result.lines == ["1:4 warning fence-whitespace", "4:4 warning fence-whitespace"]
    assert check(FILE.format("license: MIT\n--- \n")).lines == ["5:4 warning fence-whitespace"]


def test_a_closing_fence_may_end_the_file(check: Check) -> None:
    result = check("---\nname: pdf\ndescription: d\n---")
    assert result.lines == ["4:1 note body-empty", "4:4 warning fence-end"]
    assert result.loaded().name == "pdf"


@pytest.mark.parametrize("body", ["", "\n", "\n\n", "  \n\t\n", " "])
def test_an_empty_body_is_a_note(check: Check, body: str) -> None:
    assert check(f"---\nname: pdf\ndescription: d\n---\n{body}").codes == ["body-empty"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("\n" + "x\n" * 501, "the body has 501 lines and about 250 tokens"),
        ("x\n" * 500 + "y", "the body has 501 lines and about 250 tokens"),
        ("x" * 20_004, "the body has 1 lines and about 5001 tokens"),
    ],
)
def test_a_long_body_is_one_note_with_both_figures(check: Check, body: str, message: str) -> None:
    finding = check(f"---\nname: pdf\ndescription: d\n---\n{body}", "strict").only()
    assert (finding.code, finding.level, finding.message) == ("body-length", Level.NOTE, message)


@pytest.mark.parametrize(
    ("more", "levels"),
    [(0, ["note", "note", "note"]), (1, ["note", "warning", "error"])],
)
def test_a_body_that_a_host_passes_over_is_an_error_at_strict(
    check: Check, more: int, levels: list[str]
) -> None:
    head = "---\nname: pdf\ndescription: d\n---\n"
    text = head + "é" * (10 * 1024 * 1024 - len(head) + more)
    assert [check(text, setting).only().level.label for setting in SETTINGS] == levels


def test_a_body_of_500_lines_and_5000_tokens_is_fair(check: Check) -> None:
    assert check("---\nname: pdf\ndescription: d\n---\n\n" + f"{'x' * 39}\n" * 500).findings == ()


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (FILE.format("").encode() + b"caf\xe9", "7:4", "the file is not UTF-8"),
        (FILE.format("# é").encode("latin-1"), "4:3", "the file is not UTF-8"),
        (b"\xef\xbb\xbf---\xff\n", "1:4", "the file is not UTF-8"),
        (b"\xed\xa0\x80", "1:1", "the file is not UTF-8"),
        (FILE.format("").encode("utf-16"), "1:1", "the file is UTF-16"),
        (FILE.format("").encode() + b"\nab\0", "8:3", "the file holds a NUL character"),
        (FILE.format("license: a\0b\n").encode(), "4:11", "the file holds a NUL character"),
    ],
)
def test_a_file_that_is_no_utf8_text_is_refused_at_every_setting(
    check: Check, data: bytes, place: str, message: str
) -> None:
    for setting in SETTINGS:
        result = check(data, setting)
        (finding,) = (find for find in result.findings if find.code != "bom")
        assert f"{finding.line}:{finding.column} {finding.code}" == f"{place} skill-md-encoding"
        assert finding.level is Level.ERROR
        assert finding.message == message


def test_fields_are_read_when_only_the_body_is_no_text(check: Check) -> None:
    assert check(FILE.format("").encode() + b"\xff").loaded().name == "pdf"
    assert check(FILE.format("") + "\0").loaded().name == "pdf"
    assert check(FILE.format("license: \0\n")).fields is None


# YAML that is none

PASTED = [
    ("license: Use when: asked", "4:18", "holds a colon and a blank", 'license: "Use when: asked"'),
    ("license: Use when:", "4:18", "holds a colon at its end", 'license: "Use when:"'),
    ("license: Use when:\n  asked", "4:18", "holds a colon at its end", None),
    ("license: say \"x\": 'y'", "4:17", "holds a colon", """license: 'say "x": ''y'''"""),
    ("metadata:\n  a: b: c", "5:7", "holds a colon", '  a: "b: c"'),
    ("tags:\n  - a: b: c", "5:9", "holds a colon", '  - a: "b: c"'),
    ("tags:\n  - `a`", "5:5", "cannot begin with `", '  - "`a`"'),
    ("license: `x` does", "4:10", "cannot begin with `", 'license: "`x` does"'),
    ("license: @x", "4:10", "cannot begin with @", 'license: "@x"'),
    ("license: %x", "4:10", "cannot begin with %", 'license: "%x"'),
    ("license: *", "4:10", "cannot begin with *", 'license: "*"'),
    ("license: **b** c", "4:10", "cannot begin with *", 'license: "**b** c"'),
    ("license: & b", "4:10", "cannot begin with &", 'license: "& b"'),
    ("license: !a!b c", "4:10", "cannot begin with !", 'license: "!a!b c"'),
    ("license: !<a", "4:10", "cannot begin with !", 'license: "!<a"'),
    ("license: - a", "4:10", "cannot begin with -", 'license: "- a"'),
    ("license: ? a", "4:10", "cannot begin with ?", 'license: "? a"'),
    ("license: ]a", "4:10", "cannot begin with ]", 'license: "]a"'),
    ("license: | a", "4:10", "| begins a block of text", 'license: "| a"'),
    ("license: >a", "4:10", "> begins a block of text", 'license: ">a"'),
    ('license: "MIT', "4:10", "begins here and does not end", 'license: "MIT"'),
    ("license: 'tis free", "4:10", "begins here and does not end", 'license: "\'tis free"'),
    ('license: "a" b', "4:14", 'text behind "', "license: '\"a\" b'"),
    ("license: [text](url)", "4:16", "text behind ]", 'license: "[text](url)"'),
    ("license: [a] [b]", "4:14", "text behind ]", 'license: "[a] [b]"'),
    ("license: {a} b", "4:14", "text behind }", 'license: "{a} b"'),
    ("license: [a, b", "4:10", "a flow collection does not end", 'license: "[a, b"'),
    ("license: [", "4:11", "a flow collection does not end", 'license: "["'),
    ("license: {a: [b,", "4:17", "a flow collection does not end", 'license: "{a: [b,"'),
    ("license: a\u2028", "4:11", "U+2028 cannot stand in YAML", None),
    ('license: "C:\\dir"', "4:14", "a backslash begins an escape", "license: 'C:\\dir'"),
    ("license:\tMIT", "4:9", "a tab", "license: MIT"),
    ("license: a\tb", "4:11", "a tab", "license: a  b"),
    ("metadata:\n\ta: b", "5:1", "a tab", "  a: b"),
    ("license: Free\n  for all: x", "5:10", "holds a colon", None),
    ("license: Free: x\n  for all", "4:14", "holds a colon", None),
]


@pytest.mark.parametrize(("lines", "place", "message", "pasting"), PASTED)
def test_a_common_fault_is_placed_and_named_and_pasting_its_hint_mends_it(
    check: Check, lines: str, place: str, message: str, pasting: str | None
) -> None:
    result = check.lines(lines)
    finding = result.only()
    assert result.fields is None
    assert f"{finding.line}:{finding.column} {finding.code}" == f"{place} yaml-invalid"
    assert message in finding.message
    if pasting is not None:
        assert finding.hint.partition(": ")[2] == pasting
        assert "yaml-invalid" not in check(pasted(FILE.format(f"{lines}\n"), finding)).codes


def test_a_value_of_several_lines_is_shown_quoted_on_one(check: Check) -> None:
    hint = 'write the value in quotes on one line: license: "Free for all: x"'
    assert check.lines("author: a\n  b\nlicense: Free\n  for all: x").only().hint == hint
    assert check.lines("license: Free\n  for all: x").only().hint == hint
    assert check.lines("license: Free\n    for\n  all: x").only().hint == hint


def test_a_field_that_slipped_below_another_is_sent_back(check: Check) -> None:
    finding = check("---\nname: pdf\n description: d\n---\nBody\n").only()
    assert (finding.line, finding.column) == (3, 13)
    assert finding.hint == "begin the field in the first column: description: d"


@pytest.mark.parametrize(
    ("lines", "place", "message", "hint"),
    [
        ("just text", "4:1", "this line is no `key: value`", "indent it, if it continues the value above"),
        ("a:b\nlicense: x", "4:1", "this line is no `key: value`", "indent it, if it continues"),
        ("<<<<<<< HEAD\nlicense: a\n>>>>>>> x", "4:1", "the mark of a merge conflict", "resolve"),
        ("tags:\n  - a\n b", "6:2", "this does not fit the lines above", "indent it as they are"),
        ("'a' b: c", "4:5", "there is text behind ', where the value has ended", "quote the value"),
        (": a", "4:1", "this does not fit the lines above", "indent"),
        ('- "\\q', "4:1", "this does not fit the lines above", "indent"),
        ('license: "\\q', "4:12", "a backslash begins an escape", "quote the value"),
        ("? [a]\n: b", "4:3", "a key is a list or a mapping", "write the key as text"),
        ("license: \u2028", "4:10", "U+2028 cannot stand in YAML", "delete it"),
        ("license: a\x85", "4:11", "U+0085 cannot stand in YAML", "delete it"),
        ("license: a\ufeff", "4:11", "U+FEFF cannot stand in YAML", "delete it"),
        ("license: a\x1b", "4:11", "U+001B cannot stand in YAML", "delete it"),
        ('license: "\\ud800"', "4:10", "escape that is no character", "write the character itself"),
        ('license: "\\ud83d\\ude00"', "4:10", "escape that is no character", "write the character itself"),
        ('license: "\\U00110000"', "4:11", "escape that is no character", "write the character itself"),
        ('license: "\\UFFFFFFFF"', "4:11", "escape that is no character", "write the character itself"),
    ],
)
def test_other_faults_are_placed_and_named(
    check: Check, lines: str, place: str, message: str, hint: str
) -> None:
    finding = check.lines(lines).findings[0]
    assert f"{finding.line}:{finding.column} {finding.code}" == f"{place} yaml-invalid"
    assert message in finding.message
    assert finding.hint.startswith(hint)


@pytest.mark.parametrize(
    ("frontmatter", "message"),
    [
        ("", "the frontmatter is empty"),
        ("\n", "the frontmatter is empty"),
        ("# only a comment\n", "the frontmatter is empty"),
        ("text\n", "the frontmatter is one text, not a mapping of fields"),
        ("- a\n", "the frontmatter is a list, not a mapping of fields"),
    ],
)
def test_a_frontmatter_that_is_no_mapping_is_refused_at_every_setting(
    check: Check, frontmatter: str, message: str
) -> None:
    for setting in SETTINGS:
        finding = check(f"---\n{frontmatter}---\nBody\n", setting).only()
        assert (finding.code, finding.level, finding.message) == ("yaml-invalid", Level.ERROR, message)
        assert (finding.line, finding.column) == (2, 1)


def test_every_broken_line_is_reported_in_one_run(check: Check) -> None:
    result = check.lines("license: a: b\nversion: `1`\nauthor: [a](b)\ntags: [a]")
    assert result.lines == ["4:11 error yaml-invalid", "5:10 error yaml-invalid", "6:12 error yaml-invalid"]


def test_a_reading_that_is_not_thorough_tells_the_first_broken_line_and_repairs_as_ever(check: Check) -> None:
    data = FILE.format("license: a: b\nversion: `1`\nauthor: [a](b)\n")
    assert check(data, thorough=False).lines == ["4:11 error yaml-invalid"]
    report = Report()
    assert read(data.encode(), place=PLACE, directory="pdf", report=report) is None
    assert report.findings == check(data, thorough=True).findings
    assert len(report.findings) == 3
    for setting in ("default", "lenient"):
        anchored = check(FILE.format("license: &a MIT\n"), setting, thorough=False)
        assert anchored.lines == check.lines("license: &a MIT", setting).lines
    mended = check(data, "lenient", thorough=False)
    assert mended == check(data, "lenient")
    assert mended.loaded().license == "a: b"


def test_what_is_still_broken_behind_the_broken_lines_is_reported_too(check: Check) -> None:
    result = check.lines("license: a: b\nmetadata:\n  a: b: c")
    assert result.lines == ["4:11 error yaml-invalid", "6:7 error yaml-invalid"]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("description: Use when: asked", "Use when: asked"),
        ("description: `x` and 'y' and \"z\" \\ {", "`x` and 'y' and \"z\" \\ {"),
        ("description: Use: x # not a comment", "Use: x # not a comment"),
        ('description: "a" b', '"a" b'),
        ('description: "a', '"a'),
        ("description: a\tb", "a\tb"),
        ("description:\ta", "a"),
        ("description: 模式 - Triggers on: '/x'  ", "模式 - Triggers on: '/x'"),
        ("description: a\u2028b", "a\u2028b"),
        ("description: [x](y) \U0001f600\x85", "[x](y) \U0001f600\x85"),
        ('description: "\\ud800"', '"\\ud800"'),
        ("description: a: b\r", "a: b"),
    ],
)
def test_lenient_reads_a_broken_line_as_the_text_that_it_is(check: Check, line: str, text: str) -> None:
    result = check(f"---\nname: pdf\n{line}\nlicense: MIT\n---\nBody\n", "lenient")
    assert result.loaded().description == text
    assert result.loaded().values["description"] == text
    assert result.loaded().license == "MIT"
    assert "yaml-invalid" in result.codes
    assert check(f"---\nname: pdf\n{line}\nlicense: MIT\n---\nBody\n").fields is None


def test_lenient_mends_the_line_below_a_blank_one(check: Check) -> None:
    result = check("---\n\nname: pdf\ndescription: a: b\n---\nBody\n", "lenient")
    assert result.loaded().description == "a: b"
    mended = check("---\n\ndescription: a: b\nname: pdf\n---\nBody\n", "lenient")
    assert mended.loaded().description == "a: b"


def test_lenient_leaves_other_lines_as_they_are_and_keeps_places(check: Check) -> None:
    result = check.lines("author: a: b\nversion: 1.0\nlicense: 2.0", "lenient")
    assert result.loaded().values["version"] == 1.0
    assert "6:10 note ambiguous-scalar" in result.lines


@pytest.mark.parametrize(
    "lines",
    [
        "author: a\n  b\nlicense: a\n  b: c",
        "license: a: b\n  and more",
        "license: a: b\n and more",
        "license: a: b\n\n  and more",
        "metadata:\n\ta: b",
        "- a: b: c",
        "text",
        "\n".join(f"k{number}: a: b" for number in range(501)),
    ],
)
def test_what_lenient_cannot_mend_is_an_error(check: Check, lines: str) -> None:
    result = check.lines(lines, "lenient")
    assert result.fields is None
    assert [find.level for find in result.findings if find.code == "yaml-invalid"] == [Level.ERROR]


def test_a_lowered_code_repairs_and_never_loses_a_skill_silently(check: Check) -> None:
    lowered = {"yaml-invalid": Level.NOTE}
    mended = check(FILE.format("license: a: b\n"), rules=lowered)
    assert mended.loaded().license == "a: b"
    assert mended.lines == ["4:11 note yaml-invalid"]
    lost = check(FILE.format("license: a: b\n  c\n"), rules=lowered)
    assert lost.fields is None
    assert lost.lines == ["4:11 error description-missing", "4:11 note yaml-invalid"]
    assert check(FILE.format("license: a: b\n"), rules={"yaml-invalid": Level.OFF}).findings == ()


def test_a_raised_code_stops_the_repair(check: Check) -> None:
    result = check(FILE.format("license: a: b\n"), "lenient", rules={"yaml-invalid": Level.ERROR})
    assert result.fields is None
    assert result.lines == ["4:11 error yaml-invalid"]


def test_a_very_long_line_is_not_printed(check: Check) -> None:
    assert check.lines(f"license: a: {'b' * 2000}").only().hint == "quote the value"


# YAML that is refused


@pytest.mark.parametrize(
    ("lines", "place", "message", "hint"),
    [
        ("license: &a MIT", "4:10", "'&'", 'quote the value: license: "&a MIT"'),
        ("metadata: &a\n  b: c", "4:11", "'&'", "delete &a"),
        ("&a license: MIT", "4:1", "'&'", "delete &a"),
        ("license: *a", "4:10", "'*'", 'quote the value: license: "*a"'),
        ("tags: [*a, b]", "4:8", "'*'", "write out what it stands for"),
        ("<<: x", "4:1", "'<<'", "write out what it stands for"),
        ("license: <<", "4:10", "'<<'", "write out what it stands for"),
        ("license: !!str MIT", "4:10", "'!'", 'quote the value: license: "!!str MIT"'),
        ("license: !x", "4:10", "'!'", "delete !x"),
        ("metadata: !!map\n  b: c", "4:11", "'!'", "delete !!map"),
        ("...", "4:1", "'---' and '...'", "delete the line"),
        ("--- # x\na: b", "4:1", "'---' and '...'", "delete the line"),
        ("%YAML 1.2", "4:1", "a line that begins with %", "delete the line"),
    ],
)
def test_anchors_tags_and_their_kin_are_refused_at_every_setting(
    check: Check, lines: str, place: str, message: str, hint: str
) -> None:
    for setting in SETTINGS:
        result = check.lines(lines, setting)
        finding = next(find for find in result.findings if find.code == "yaml-alias")
        assert f"{finding.line}:{finding.column}" == place
        assert finding.level is Level.ERROR
        assert finding.message.startswith(message)
        assert finding.hint == hint


def test_a_directive_with_its_document_is_refused(check: Check) -> None:
    result = check("---\n%YAML 1.1\n--- # x\nname: pdf\ndescription: d\n---\nBody\n")
    assert [line for line in result.lines if "yaml-alias" in line] == ["2:1 error yaml-alias"] * 2
    assert result.fields is None


def test_each_sort_of_reference_is_one_finding(check: Check) -> None:
    lines = "a: &a x\nb: &b x\nc: *a\nd: *b"
    assert [line for line in check.lines(lines).lines if "alias" in line] == [
        "4:4 error yaml-alias",
        "6:4 error yaml-alias",
    ]


def test_quoted_merge_keys_and_marks_inside_text_are_text(check: Check) -> None:
    assert (
        check.lines("license: \"<<\"\ncompatibility: a & b * c ! d\nmetadata:\n  '<<': x", "strict").codes
        == []
    )


def test_a_key_twice_is_refused_at_any_depth(check: Check) -> None:
    for setting in SETTINGS:
        result = check.lines("license: a\nlicense: b\nmetadata:\n  a: b\n  'a': c", setting)
        assert result.lines == ["5:1 error yaml-duplicate-key", "8:3 error yaml-duplicate-key"]
        assert (
            result.findings[0].message
            == "the key license stands twice in one mapping: it is on line 4 already"
        )


@pytest.mark.parametrize(
    "more",
    [
        pytest.param(
            "a: &a [x,x,x,x]\n" + "".join(f"k{i}: &a [*a,*a,*a,*a]\n" for i in range(40)), id="alias bomb"
        ),
        pytest.param("x: &a b\ny: [" + "*a," * 20_000 + "]", id="20,000 aliases"),
        pytest.param("".join(f"k{i}: v\n" for i in range(100_000)), id="100,000 keys"),
        pytest.param("".join(f"k{i}: v\n" for i in range(6_000)), id="6,000 keys"),
        pytest.param("x: " + "[" * 20_000, id="20,000 lists"),
        pytest.param("x: " + "{" * 20_000, id="20,000 mappings"),
        pytest.param("x:\n  " + "- " * 20_000, id="20,000 block lists"),
        pytest.param("? " * 20_000, id="20,000 complex keys"),
        pytest.param("".join(f"{' ' * i}a:\n" for i in range(340)), id="340 block mappings"),
        pytest.param("".join(f"{' ' * i}a:\n" for i in range(2_000)), id="2,000 block mappings"),
        pytest.param("x: " + "1" * 5_000, id="5,000 digits"),
        pytest.param("x: 1" + ":1" * 3_000, id="sexagesimal"),
        pytest.param("x: 0x" + "f" * 4_000, id="hexadecimal"),
        pytest.param('x: "\\ud800"', id="lone surrogate"),
        pytest.param("x: a\0b", id="NUL"),
    ],
)
def test_hostile_yaml_is_refused_in_a_fifth_of_a_second(check: Check, more: str) -> None:
    # Three tries, since the machine may be busy with something else.
    assert any(seconds(check, more) < 0.2 for _ in range(3))
    errors = [find for find in check.lines(more).findings if find.level is Level.ERROR]
    assert errors
    assert all(find.line and find.column for find in errors)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param('x: "' + "\\ud800" * 8_000 + '"', id="lone surrogates"),
        pytest.param("a: b: c\n" * 500, id="broken lines"),
        pytest.param("a: b: " + "c: " * 20_000, id="a long broken line"),
        pytest.param('x: "' + "y\n  " * 15_000, id="an open quote"),
        pytest.param("x: y\n" + " z\n" * 20_000 + " a: b", id="a long folded value"),
        pytest.param("a: b: c\nx:" + " " * 60_000, id="a long line of blanks"),
    ],
)
def test_the_worst_that_fits_the_limits_is_refused_soon(check: Check, more: str) -> None:
    assert any(seconds(check, more) < 1 for _ in range(3))
    assert "yaml-invalid" in check.lines(more).codes


@pytest.mark.parametrize(
    ("more", "place", "message"),
    [
        ("x: " + "y" * 65_536, "2:1", "the frontmatter is larger than 65536 bytes"),
        ("# " + "é" * 33_000, "2:1", "the frontmatter is larger than 65536 bytes"),
        ("\n".join(f"k{i}: v" for i in range(498)), "501:7", "more than 1000 keys and values"),
        ("x: [[[[[[[[a]]]]]]]]", "4:11", "nested deeper than 8 levels"),
        ("x:\n " + "- " * 7 + "a: b", "5:16", "nested deeper than 8 levels"),
    ],
)
def test_limits_are_errors_with_a_place_at_every_setting(
    check: Check, more: str, place: str, message: str
) -> None:
    for setting in SETTINGS:
        finding = check.lines(more, setting).only()
        assert (finding.code, finding.level) == ("yaml-limits", Level.ERROR)
        assert f"{finding.line}:{finding.column}" == place
        assert message in finding.message


def test_a_limit_is_no_fault_to_repair(check: Check) -> None:
    result = check.lines("license: a: b\nx: [[[[[[[[[a", "lenient")
    assert result.lines == ["4:11 warning yaml-invalid", "5:12 error yaml-limits"]
    assert result.fields is None


def test_what_is_refused_for_another_reason_is_no_line_to_repair(check: Check) -> None:
    result = check.lines("license: a: b\nauthor: *x", "lenient")
    assert result.lines == ["4:11 warning yaml-invalid", "5:9 error yaml-alias"]
    assert result.fields is None


def test_as_many_broken_lines_are_repaired_as_fit_the_limits(check: Check) -> None:
    lines = [f"k{number}: a: b" for number in range(490)]
    result = check.lines("\n".join(lines), "lenient")
    assert result.codes.count("yaml-invalid") == len(lines)
    assert result.loaded().values["k489"] == "a: b"


def test_what_lies_within_the_limits_is_read(check: Check) -> None:
    result = check.lines("x: [[[[[[[a]]]]]]]\n" + "\n".join(f"k{i}: v" for i in range(493)))
    assert result.loaded().values["x"] == [[[[[[["a"]]]]]]]


def test_an_integer_that_no_python_host_can_read_is_refused_and_kept_as_text(check: Check) -> None:
    digits = "1" * 4_301
    result = check.lines(f"x: {digits}\ny: 0x_\nz: '{digits}'")
    assert [line for line in result.lines if "error" in line] == [
        "4:4 error yaml-limits",
        "5:4 error yaml-limits",
    ]
    assert result.loaded().values["x"] == digits
    assert check.lines(f"x: {'1' * 4_300}").loaded().values["x"] == int("1" * 4_300)
    largest = f"0x{10**4_300 - 1:x}"
    assert check.lines(f"x: {largest}").loaded().values["x"] == 10**4_300 - 1
    for digits in (f"0x{10**4_300:x}", f"-0x{10**4_300:x}"):
        result = check.lines(f"x: {digits}")
        assert "4:4 error yaml-limits" in result.lines
        assert result.loaded().values["x"] == digits


def test_a_number_to_base_60_that_no_python_host_can_read_is_refused_and_kept_as_text(check: Check) -> None:
    number = "1" + ":1" * 200 + ".5"
    result = check.lines(f"x: {number}\ny: '{number}'\nz: 1:30.5")
    (error,) = (find for find in result.findings if find.level is Level.ERROR)
    assert (error.code, error.line, error.column) == ("yaml-limits", 4, 4)
    assert error.message == "a number to base 60 that Python hosts cannot read: it is too large"
    assert result.loaded().values["x"] == number
    assert result.loaded().values["z"] == 90.5


def test_a_hostile_name_costs_no_time(check: Check) -> None:
    accents = "\u0315\u0316\u0327" * 10_000
    data = f"---\nname: {accents}\ndescription: d\n---\nBody\n"

    def seconds() -> float:
        start = time.process_time()
        assert "name-format" in check(data).codes
        return time.process_time() - start

    assert any(seconds() < 0.2 for _ in range(3))


@pytest.mark.parametrize(
    ("value", "message", "hint"),
    [
        (" >\n  a\n  b", "ends with a newline", "write >- in place of >: description: >-"),
        (" |+\n  a\n\n", "ends with a newline", "write |- in place of |+: description: |-"),
        (" >2 # c\n  a", "ends with a newline", "write >2- in place of >2: description: >2- # c"),
        (" >+2\n  a", "ends with a newline", "write >2- in place of >+2: description: >2-"),
        (" >-\n  a ", "ends with a blank", 'delete the white space around it: description: "a"'),
        (
            " |2\n   a\n   b",
            "begins with a blank and ends with a newline",
            r'delete the white space around it: description: "a\u000a b"',
        ),
        (' "a "', "ends with a blank", 'delete the white space around it: description: "a"'),
        (" '\ta'", "begins with a tab", 'delete the white space around it: description: "a"'),
        (" a\u3000", "ends with U+3000", 'delete the white space around it: description: "a"'),
        (r' "\_a"', "begins with U+00A0", 'delete the white space around it: description: "a"'),
    ],
)
def test_white_space_around_a_description_is_an_error_at_strict_and_taken_away_as_it_is_written(
    check: Check, value: str, message: str, hint: str
) -> None:
    data = f"---\nname: pdf\ndescription:{value}\n---\nBody\n"
    for setting, level in zip(SETTINGS, (Level.NOTE, Level.NOTE, Level.ERROR), strict=True):
        (finding,) = (find for find in check(data, setting).findings if find.code == "description-edges")
        assert finding.level is level
        assert finding.message == f"description {message}, which some readers keep and others strip"
        assert finding.hint == hint
    below = value.split("\n")[1:] if hint.startswith("write") else []
    mended = "\n".join(["---", "name: pdf", hint.partition(": ")[2], *below, "---", "Body\n"])
    assert "description-edges" not in check(mended, "strict").codes
    assert check(mended, "strict").loaded().description == check(data).loaded().description.strip()


def test_a_block_strips_its_newline_below_an_explicit_key_too(check: Check) -> None:
    finding = check("---\nname: pdf\n? description\n: |\n  a\n---\nBody\n", "strict").only()
    assert finding.hint == "write |- in place of |: : |-"


def test_a_flow_collection_is_shown_as_it_is_written_and_as_it_should_be(check: Check) -> None:
    sequence, mapping = (
        next(find for find in check.lines(line).findings if find.code == "yaml-flow")
        for line in ("tags: [a, b]", "metadata: {a: b}")
    )
    assert ", […], " in sequence.message
    assert "`- item`" in sequence.hint
    assert ", {…}, " in mapping.message
    assert "`key: value`" in mapping.hint


def test_what_is_in_a_list_is_looked_at_too(check: Check) -> None:
    result = check.lines("metadata:\n  - {a: b}\n  - c: d\n    c: e")
    assert "5:5 note yaml-flow" in result.lines
    assert "7:5 error yaml-duplicate-key" in result.lines


def test_a_directive_is_told_alone(check: Check) -> None:
    assert check("---\n%X\nname: a: b\n---\nBody\n").lines == ["2:1 error yaml-alias"]


def test_a_block_is_stripped_for_white_space_alone(check: Check) -> None:
    result = check("---\nname: |\n  Bad Name\ndescription: d\n---\nBody\n")
    assert result.findings
    assert not any(find.hint.startswith("write |-") for find in result.findings)


def test_a_comment_behind_a_key_cuts_no_value(check: Check) -> None:
    assert "yaml-comment" not in check.lines("metadata:\n  ? a # b\n  : c").codes


def test_a_line_to_paste_is_no_longer_than_the_longest_description_needs() -> None:
    assert with_line("quote it", "a" * 1_200) == f"quote it: {'a' * 1_200}"
    assert with_line("quote it", "a" * 1_201) == "quote it"
    assert with_line("quote it", "") == "quote it"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", '"a"'),
        ("\t", '"\\u0009"'),
        ("\uffff", '"\\uffff"'),
        ("\U00010000\U0001ffff\n", '"\U00010000\\U0001ffff\\u000a"'),
        ("\\ ' \"", '"\\\\ \' \\""'),
        ("it's \\", "'it''s \\'"),
        ('"it"', "'\"it\"'"),
    ],
)
def test_a_text_is_quoted_so_that_every_reader_takes_it_for_the_same(text: str, expected: str) -> None:
    assert quoted(text) == expected
    assert yaml.safe_load(expected) == text


def test_the_outermost_flow_collections_are_reported(check: Check) -> None:
    lines = 'tags: [a, [b]]\nmetadata: {"x": {"y": "z"}}'
    assert [line for line in check.lines(lines).lines if "yaml-flow" in line] == [
        "4:7 note yaml-flow",
        "5:11 note yaml-flow",
    ]
    assert [line for line in check.lines(lines, "strict").lines if "yaml-flow" in line] == [
        "4:7 error yaml-flow",
        "5:11 error yaml-flow",
    ]
    assert check("---\n{name: pdf, description: d}\n---\nBody\n").lines == ["2:1 note yaml-flow"]


@pytest.mark.parametrize(
    ("lines", "place", "pasting"),
    [
        ("license: Fix issue #12 now", "4:20", 'license: "Fix issue #12 now"'),
        ("license: a   # b", "4:14", 'license: "a # b"'),
        ("compatibility: # none", "4:16", 'compatibility: "# none"'),
        ("metadata:\n  a: b # c", "5:8", '  a: "b # c"'),
        ("allowed-tools: Read # and more", "4:21", 'allowed-tools: "Read # and more"'),
        ("license: a\n  b # c", "5:5", 'license: "a b # c"'),
    ],
)
def test_a_comment_that_cuts_a_plain_value_is_reported(
    check: Check, lines: str, place: str, pasting: str
) -> None:
    finding = next(find for find in check.lines(lines).findings if find.code == "yaml-comment")
    assert (f"{finding.line}:{finding.column}", finding.level) == (place, Level.WARNING)
    assert finding.hint == f"move the comment to a line of its own, or quote the value: {pasting}"


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("license: # c\n  MIT\n", "4:10"),
        ("license:  # c\n  # d\n  'MIT'", "4:11"),
        ("'license' : # c: #d\n  >\n  MIT", "4:13"),
        ("? license # a: b\n: # c\n  MIT", "5:3"),
        ("metadata: # b\n  a: # c\n    d", "5:6"),
        ("license:\n\n  >-  # c\n  MIT", "6:7"),
        ("license:\n  # c\n  |1 # d\n  MIT", "6:6"),
    ],
)
def test_a_comment_between_a_key_and_its_value_is_an_error_at_strict(
    check: Check, lines: str, place: str
) -> None:
    assert check.lines(lines).lines == [f"{place} note yaml-comment"]
    assert check.lines(lines, "strict").lines == [f"{place} error yaml-comment"]
    assert check.lines(lines).only().hint == "move the comment to a line of its own above the key"


def test_other_comments_are_no_finding(check: Check) -> None:
    lines = "# a\nlicense: 'MIT' # b\ncompatibility: a#b\nmetadata: # c\n  a: |  # d\n    e # f\n  # g"
    assert check.lines(lines, "strict").findings == ()
    assert check.lines("version: a # b").codes == ["field-unknown"]


# Text that hosts read as something else

READINGS = [
    *((text, "a boolean") for text in ("yes", "No", "TRUE", "false", "on", "Off", "y", "N")),
    *((text, "null") for text in ("~", "null", "NULL")),
    *((text, "a number") for text in ("0", "42", "-1", "+1", "007", "0o7", "0x1F", "0b11", "1_000", "1:20")),
    *((text, "a number") for text in ("1.0", "1.", ".5", "1e3", "-1E+5", ".inf", "-.INF", ".nan", "1.5e+3")),
    *((text, "a date") for text in ("2024-01-01", "2001-12-14t21:59:43.10-05:00", "2024-13-45")),
    ("=", "a default value"),
]


@pytest.mark.parametrize(("text", "reading"), READINGS)
def test_a_plain_scalar_that_hosts_read_otherwise_is_ambiguous(check: Check, text: str, reading: str) -> None:
    result = check(f"---\nname: pdf\ndescription: {text}\n---\nBody\n")
    assert result.loaded().description == text
    finding = result.only()
    assert (finding.code, finding.level, finding.line, finding.column) == (
        "ambiguous-text",
        Level.ERROR,
        3,
        14,
    )
    assert finding.message == f"some hosts read this value of description as {reading}, not as text"
    assert finding.hint == f'quote it: description: "{text}"'
    assert check(f'---\nname: pdf\ndescription: "{text}"\n---\nBody\n').findings == ()


@pytest.mark.parametrize("text", ["1.2.3", "v1", "1e", "yes!", "0o8", "12-05", "nul", "1a"])
def test_text_that_only_looks_like_a_number_is_text(check: Check, text: str) -> None:
    assert check(f"---\nname: pdf\ndescription: {text}\n---\nBody\n", "strict").findings == ()


def test_ambiguous_values_of_the_other_fields_are_notes_and_dates_warnings(check: Check) -> None:
    lines = "license: 2.0\nmetadata:\n  1: a\n  b: 2024-01-01\n  c:\n  d: 'yes'\n  e: [no]"
    expected = [
        "4:10 {} ambiguous-scalar",
        "6:3 {} ambiguous-scalar",
        "7:6 {} ambiguous-scalar",
        "8:5 {} ambiguous-scalar",
        "10:7 {} ambiguous-scalar",
    ]
    for setting, levels in zip(SETTINGS, ("nnnnn", "nnwnn", "eeeee"), strict=True):
        words = {"n": "note", "w": "warning", "e": "error"}
        found = [line for line in check.lines(lines, setting).lines if "ambiguous" in line]
        assert found == [line.format(words[level]) for line, level in zip(expected, levels, strict=True)]


def test_the_hint_quotes_an_ambiguous_scalar_where_it_stands(check: Check) -> None:
    lines = "metadata:\n  1: a\n  b:\n  c: [no, 'x'] # y"
    hints = [find.hint for find in check.lines(lines).findings if find.code == "ambiguous-scalar"]
    assert hints == ['quote it:   "1": a', 'quote it:   b: ""', "quote it:   c: [\"no\", 'x'] # y"]


def test_a_line_to_paste_begins_with_its_line_below_a_blank_one_too(check: Check) -> None:
    result = check("---\n\nname: 5\ndescription: d\n---\nBody\n")
    assert 'quote it: name: "5"' in [find.hint for find in result.findings]


def test_a_secret_is_told_with_the_digest_of_its_file(check: Check) -> None:
    token = tokens.example("github-token").secret.decode()
    data = FILE.format(f'license: "\\x67{token[1:]}"\n').encode()
    (finding,) = (find for find in check(data).findings if find.code == "secret-content")
    assert finding.sha256 == sha256_hex(data)


def test_blank_fields_and_unknown_fields_are_not_ambiguous(check: Check) -> None:
    assert not any("ambiguous" in line for line in check.lines("name:\nwhen_to_use:\nversion:").lines)
    assert check.lines("license:\nallowed-tools:\nmetadata:\nuser-invocable: true\nversion: 1.0").codes == [
        "license-type",
        "allowed-tools-form",
        "metadata-type",
        "field-unknown",
    ]


# Values


def test_text_fields_are_as_written_and_values_as_hosts_read_them(check: Check) -> None:
    result = check.lines(
        "license: 2.0\n"
        "compatibility: no\n"
        "metadata:\n  version: 1.10\n  tags: [a, 1]\n  when: 2024-01-01\n  none:\n  quoted: '1'\n"
        "1: x\n"
        "numbers: [007, 0o7, 1_000, 0x1F, 1:20, .5, 1e3, 1.0e+3, .inf, -.INF, .NaN, 1.0e+999, 0x_]\n"
        "others: [yes, off, ~, =, 2024-13-45, 2001-12-14 21:59:43]\n"
        "block: |\n  a\n  b\n"
        "folded: >-\n  a\n  b"
    )
    fields = result.loaded()
    assert (fields.license, fields.compatibility) == ("2.0", "no")
    assert fields.metadata == {"version": "1.10", "when": "2024-01-01", "none": "", "quoted": "1"}
    assert fields.values == {
        "name": "pdf",
        "description": "Reads PDF files",
        "license": 2.0,
        "compatibility": False,
        "metadata": {"version": 1.1, "tags": ["a", 1], "when": "2024-01-01", "none": None, "quoted": "1"},
        "1": "x",
        "numbers": [7, "0o7", 1000, 31, 80, 0.5, "1e3", 1000.0, ".inf", "-.INF", ".NaN", "1.0e+999", "0x_"],
        "others": [True, False, None, "=", "2024-13-45", "2001-12-14 21:59:43"],
        "block": "a\nb\n",
        "folded": "a b",
    }
    json.dumps(fields.values, allow_nan=False)


def test_a_description_that_looks_quoted_inside_a_block_keeps_its_quotes(check: Check) -> None:
    result = check('---\nname: pdf\ndescription: |-\n  "Use for triage"\n---\nBody\n')
    assert result.loaded().description == '"Use for triage"'


def test_a_description_is_measured_after_folding(check: Check) -> None:
    folded = "".join(f"  {'x' * 31}\n" for _ in range(32))
    assert check(f"---\nname: pdf\ndescription: >-\n{folded}---\nBody\n").codes == []
    result = check(f"---\nname: pdf\ndescription: >-\n{folded}  yy\n---\nBody\n")
    assert result.only().message == "description has 1026 characters; at most 1024 are allowed"


def test_fields_without_a_usable_value_are_absent(check: Check) -> None:
    fields = check.lines("license: [MIT]\ncompatibility: ''\nmetadata: x\nallowed-tools:").loaded()
    assert (fields.license, fields.compatibility, fields.metadata, fields.allowed_tools) == (
        None,
        None,
        {},
        None,
    )
    assert check.lines("").loaded().allowed_tools is None


def test_tools_and_globs_are_split(check: Check) -> None:
    fields = check.lines("allowed-tools: Bash(git add:*,git commit:*), Read\nglobs: '*.py, src/**'").loaded()
    assert fields.allowed_tools == ("Bash(git add:*,git commit:*)", "Read")
    assert fields.globs == ("*.py", "src/**")
    fields = check.lines("allowed-tools: [Read, 'Bash(ls *)']\nglobs:\n  - a\n  - b").loaded()
    assert (fields.allowed_tools, fields.globs) == (("Read", "Bash(ls *)"), ("a", "b"))


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("hide: true", True),
        ("hide: Yes", True),
        ("hide: ON", True),
        ("disable-model-invocation: true", True),
        ("disable-model-invocation: false\nhide: yes", True),
        ("hide: false", False),
        ("hide: 'true'", False),
        ("hide: [true]", False),
        ("hide: 1", False),
        ("disable-model-invocation: 1", False),
        ("disable-model-invocation: 'true'", False),
        ("license: MIT", False),
    ],
)
def test_a_skill_is_hidden_when_hosts_read_true(check: Check, line: str, *, hidden: bool) -> None:
    assert check.lines(line).loaded().hidden is hidden


# Fields and levels


def test_faults_stand_at_the_value_or_the_key_of_their_field(check: Check) -> None:
    result = check(
        "---\n"
        "name:   My Skill\n"
        "description: |\n  a\n  <b>\n"
        "license: ''\n"
        "metadata:\n  tags:\n    - a\n"
        "Globs: x\n"
        "License: x\n"
        "---\nBody\n"
    )
    assert result.lines == [
        "2:9 error name-format",
        "3:14 note description-edges",
        "3:14 note description-lines",
        "3:14 warning description-markup",
        "6:10 error license-type",
        "9:5 warning metadata-type",
        "10:1 note field-unknown",
        "11:1 error field-case",
    ]


def test_of_a_field_that_stands_twice_the_last_is_read(check: Check) -> None:
    assert "4:7 error name-format" in check.lines("name: Bad Name").lines
    assert "name-format" not in check("---\nname: Bad Name\nname: pdf\ndescription: d\n---\nBody\n").codes


def test_a_fault_of_a_field_that_is_absent_stands_at_the_opening_fence(check: Check) -> None:
    result = check("---\nlicense: MIT\n---\nBody\n")
    assert result.lines == ["1:1 error description-missing", "1:1 error name-missing"]
    assert result.fields is None


@pytest.mark.parametrize("value", ["", " ''", " [a]", "\n  a: b"])
def test_a_missing_name_is_replaced_by_the_directory_below_error(check: Check, value: str) -> None:
    data = f"---\nname:{value}\ndescription: d\n---\nBody\n"
    assert check(data).fields is None
    lenient = check(data, "lenient")
    assert lenient.loaded().name == "pdf"
    assert "name-missing" in lenient.codes
    assert check(data, rules={"name-missing": Level.OFF}).loaded().name == "pdf"
    assert check(data, "strict", rules={"name-missing": Level.WARNING}).loaded().name == "pdf"
    assert check(data, "lenient", rules={"name-missing": Level.ERROR}).fields is None


def test_a_directory_name_that_serves_as_name_obeys_the_rules_of_names(check: Check) -> None:
    data = "---\ndescription: d\n---\nBody\n"
    assert check(data, "lenient", directory="My Skill").codes == ["name-format", "name-missing"]
    assert check(data, "lenient", directory="a\u202eb").lines == [
        "1:1 warning name-missing",
        "1:1 error name-unsafe",
    ]
    assert check(data, "lenient", directory="a<b").codes == ["name-format", "name-missing"]


def test_the_hint_for_a_missing_name_is_a_line_to_paste(check: Check) -> None:
    finding = check("---\ndescription: d\n---\nBody\n", directory="My Skill").only()
    assert finding.hint == 'give the skill a name: name: "my-skill"'


def test_angle_brackets_alone_matter_at_strict_only(check: Check) -> None:
    data = "---\nname: pdf\ndescription: a -> b\n---\nBody\n"
    assert check(data, rules={"description-markup": Level.ERROR}).findings == ()
    assert check(data, "strict").lines == ["3:14 error description-markup"]
    assert check(data, "strict", rules={"description-markup": Level.NOTE}).lines == [
        "3:14 note description-markup"
    ]


def test_rules_and_overrides_set_the_level_of_a_code_at_its_place(check: Check) -> None:
    data = FILE.format("version: 1\n")
    assert check(data, rules={"field-unknown": Level.OFF}).findings == ()
    assert check(data, rules={"field-unknown": Level.ERROR}).lines == ["4:1 error field-unknown"]
    vendored = Override(matches=lambda path: path == PLACE, rules={"field-unknown": Level.WARNING})
    assert check(data, overrides=(vendored,)).lines == ["4:1 warning field-unknown"]


def test_a_pinned_code_stays_an_error(check: Check) -> None:
    pinned = {code: Level.OFF for code, rule in RULES.items() if rule.pinned}
    data = "---\nname: a/b\nname: &x a/b\ndescription:\n---\nBody\n\0"
    assert {find.level for find in check(data, "lenient", rules=pinned).findings} == {Level.ERROR}


def test_levels_are_the_registrys(check: Check) -> None:
    data = (
        "\ufeff--- \r\nname: Claude <b>\r\ndescription: |\r\n  a\r\n  </b>\r\nlicense:\r\n"
        "allowed-tools: (\r\nglobs: {}\r\nmetadata: # ---\r\n  a: 1\r\n  b: []\r\nx: y\r\nNAME: z\r\n---"
    )
    for index, setting in enumerate(SETTINGS):
        findings = check(data, setting).findings
        assert len(findings) >= 17
        assert [find.level for find in findings] == [RULES[find.code].levels[index] for find in findings]


def test_no_message_quotes_more_than_80_characters(check: Check) -> None:
    key = "k" * 500
    lines = f"{key}: a\n{key}: b\nmetadata:\n  {key}:\n    - a\nallowed-tools: {key}, {key}\nlicense: {key}: {key}"
    for setting in SETTINGS:
        findings = check.lines(lines, setting).findings
        assert findings
        assert max(find.message.count("k") for find in findings) <= 85


def test_a_place_is_given_for_every_finding(check: Check) -> None:
    result = check.lines("license: ''\nversion: 1\nmetadata: x", "strict")
    assert all(find.path == PLACE and find.line and find.column for find in result.findings)
