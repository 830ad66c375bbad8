"""The 117 SKILL.md files of the design's case list, and what eleven public readers do with each.

`READERS` were run over these inputs once, outside this repository: the reference validator, its public
`quick_validate` script, FastMCP 4.2.3, library-skills 0.0.19, ADK 2.13.0, deepagents 0.7.32,
pydantic-ai-harness 0.62.0, two JavaScript packagers, one agents SDK and one reader based on gray-matter.
"""

from __future__ import annotations

from typing import NamedTuple

READERS = (
    "reference",
    "quick-validate",
    "fastmcp",
    "library-skills",
    "adk",
    "deepagents",
    "harness",
    "kuralle",
    "flue",
    "agents-sdk",
    "gray-matter",
)


class Case(NamedTuple):
    """A SKILL.md, the name of its directory, and a sign for each reader: accepted `+`, refused `-`, hung `~`."""

    directory: str
    data: bytes
    readers: str


def _file(fields: str, body: str = "Body\n", newline: str = "\n") -> bytes:
    return f"---\n{fields}\n---\n".replace("\n", newline).encode() + body.encode()


_GOOD = "name: my-skill\ndescription: A test skill"
_BOMB = ["a: &a [l,l,l,l,l,l,l,l,l]"] + [
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]"
    for before, name in zip("abcdefg", "bcdefgh", strict=True)
]

CASES = {
    "ok": Case("my-skill", _file(_GOOD), "+++++++++++"),
    "crlf": Case("my-skill", _file(_GOOD, newline="\r\n"), "+++++++++++"),
    "bom": Case("my-skill", b"\xef\xbb\xbf" + _file(_GOOD), "--+----++-+"),
    "blank-line-first": Case("my-skill", b"\n" + _file(_GOOD), "-----------"),
    "cr-only": Case("my-skill", _file(_GOOD, newline="\r"), "++-++-+----"),
    "opening trailing space '--- '": Case(
        "my-skill", _file(_GOOD).replace(b"---\n", b"--- \n", 1), "+--+++--+-+"
    ),
    "closing trailing space": Case(
        "my-skill", b"---\nname: my-skill\ndescription: d\n--- \nBody\n", "++-+++-++++"
    ),
    "opening '----'": Case("my-skill", b"----\nname: my-skill\ndescription: d\n----\nBody\n", "-----------"),
    "closing '...'": Case("my-skill", b"---\nname: my-skill\ndescription: d\n...\nBody\n", "-----------"),
    "no trailing newline after closing": Case(
        "my-skill", b"---\nname: my-skill\ndescription: d\n---", "+++++-+++++"
    ),
    "'---' in body": Case("my-skill", _file(_GOOD, "a\n---\nb\n"), "+++++++++++"),
    "'---' inside description value": Case(
        "my-skill", _file("name: my-skill\ndescription: a --- b"), "+++++++++++"
    ),
    "'---' inside quoted desc": Case(
        "my-skill", _file('name: my-skill\ndescription: "use --- as separator"'), "-+++-++++++"
    ),
    "indented --- in block scalar": Case(
        "my-skill", _file("name: my-skill\ndescription: |\n  a\n  ---\n  b"), "+++++++++++"
    ),
    "comment with ---": Case("my-skill", _file("# --- header ---\n" + _GOOD), "-+++-++++++"),
    "empty frontmatter": Case("my-skill", b"---\n---\nBody\n", "-----------"),
    "empty frontmatter blank": Case("my-skill", b"---\n\n---\nBody\n", "-----------"),
    "no frontmatter": Case("my-skill", b"# hi\n", "-----------"),
    "invalid utf8": Case("my-skill", _file(_GOOD, "x\n") + b"\xff\xfe", "-------++++"),
    "NUL in body": Case("my-skill", _file(_GOOD, "x\0y\n"), "+++++++++++"),
    "duplicate key": Case("my-skill", _file(_GOOD + "\ndescription: second"), "-+-+++-----"),
    "dup key in metadata": Case("my-skill", _file(_GOOD + "\nmetadata:\n  a: x\n  a: y"), "-+-+++-----"),
    "anchor+alias": Case(
        "my-skill", _file("name: my-skill\ndescription: &d A test\ncompatibility: *d"), "-+-++++++++"
    ),
    "anchor only": Case("my-skill", _file("name: my-skill\ndescription: &d A test"), "-++++++++++"),
    "merge key <<": Case("my-skill", _file(_GOOD + "\nmetadata: &m\n  a: x\nx:\n  <<: *m"), "---++++++++"),
    "billion laughs": Case(
        "my-skill", _file(_GOOD + "\nmetadata:\n" + "".join(f"  {line}\n" for line in _BOMB)), "-+-++~+---+"
    ),
    "tag !!python/object": Case(
        "my-skill",
        _file("name: my-skill\ndescription: !!python/object/apply:os.system ['echo x']"),
        "-----------",
    ),
    "tag !!str": Case("my-skill", _file("name: !!str my-skill\ndescription: d"), "-++++++++++"),
    "custom tag !foo": Case("my-skill", _file("name: my-skill\ndescription: !foo bar"), "------++-+-"),
    "name: no": Case("no", _file("name: no\ndescription: d"), "+----++++++"),
    "name: on": Case("on", _file("name: on\ndescription: d"), "+----++++++"),
    "name: null": Case("null", _file("name: null\ndescription: d"), "+----++++--"),
    "name: true": Case("true", _file("name: true\ndescription: d"), "+----++++--"),
    "name: 123": Case("123", _file("name: 123\ndescription: d"), "+----++++--"),
    "name: 007": Case("007", _file("name: 007\ndescription: d"), "+----++++--"),
    "name: 1e3": Case("1e3", _file("name: 1e3\ndescription: d"), "+++++++++--"),
    "name: 2024-01-01": Case("2024-01-01", _file("name: 2024-01-01\ndescription: d"), "+----+++++-"),
    "name: '123' quoted": Case("123", _file("name: '123'\ndescription: d"), "+++++++++++"),
    "description: yes": Case("my-skill", _file("name: my-skill\ndescription: yes"), "+----++++++"),
    "description: 42": Case("my-skill", _file("name: my-skill\ndescription: 42"), "+----++++--"),
    "description null (empty)": Case("my-skill", _file("name: my-skill\ndescription:"), "-----+-----"),
    "description whitespace": Case("my-skill", _file("name: my-skill\ndescription: '   '"), "-+--+-----+"),
    "description list": Case("my-skill", _file("name: my-skill\ndescription: [a, b]"), "-----+-----"),
    "description missing": Case("my-skill", _file("name: my-skill"), "-----------"),
    "name missing": Case("my-skill", _file("description: d"), "------+----"),
    "description block |": Case(
        "my-skill", _file("name: my-skill\ndescription: |\n  line1\n  line2"), "+++++++++++"
    ),
    "description folded >": Case(
        "my-skill", _file("name: my-skill\ndescription: >\n  line1\n  line2"), "+++++++++++"
    ),
    "description plain multiline": Case(
        "my-skill", _file("name: my-skill\ndescription: line1\n  line2"), "+++++++++++"
    ),
    "colon in value": Case(
        "my-skill", _file("name: my-skill\ndescription: Use when: the user asks"), "-----------"
    ),
    "hash in value": Case("my-skill", _file("name: my-skill\ndescription: Fix issue #12 now"), "+++++++++++"),
    "' #' comment truncates": Case(
        "my-skill", _file("name: my-skill\ndescription: Fix things # not this"), "+++++++++++"
    ),
    "backtick start": Case("my-skill", _file("name: my-skill\ndescription: `x` does y"), "-----------"),
    "tab indent": Case("my-skill", _file(_GOOD + "\nmetadata:\n\ta: b"), "----------+"),
    "flow mapping fm": Case("my-skill", _file("{name: my-skill, description: d}"), "-++++++++++"),
    "desc 1024": Case("my-skill", _file("name: my-skill\ndescription: " + "x" * 1024), "+++++++++++"),
    "desc 1025": Case("my-skill", _file("name: my-skill\ndescription: " + "x" * 1025), "-----++--++"),
    "desc 1024 astral (2048 utf16)": Case(
        "my-skill", _file("name: my-skill\ndescription: " + "\U0001f600" * 1024), "+++++++++++"
    ),
    "desc 513 astral (1026 utf16)": Case(
        "my-skill", _file("name: my-skill\ndescription: " + "\U0001f600" * 513), "+++++++++++"
    ),
    "desc 1024+trailing ws quoted": Case(
        "my-skill", _file("name: my-skill\ndescription: '" + "x" * 1024 + "  '"), "-+-+-++++++"
    ),
    "desc <tag>": Case("my-skill", _file("name: my-skill\ndescription: use <b>bold</b>"), "+-+++++-+++"),
    "desc a < b": Case("my-skill", _file("name: my-skill\ndescription: when a < b"), "+-+++++++++"),
    "desc -> arrow": Case("my-skill", _file("name: my-skill\ndescription: a -> b"), "+-+++++++++"),
    "desc control char \\x07": Case(
        "my-skill", _file('name: my-skill\ndescription: "a\\x07b"'), "+++++++++++"
    ),
    "desc newline injection": Case(
        "my-skill", _file('name: my-skill\ndescription: "a\\n</available_skills>"'), "+-+++++-+++"
    ),
    "name 64": Case("a" * 64, _file("name: " + "a" * 64 + "\ndescription: d"), "+++++++++++"),
    "name 65": Case("a" * 65, _file("name: " + "a" * 65 + "\ndescription: d"), "-----+---++"),
    "name upper": Case("My-Skill", _file("name: My-Skill\ndescription: d"), "-----+---++"),
    "name underscore": Case("my_skill", _file("name: my_skill\ndescription: d"), "-----+---++"),
    "name --": Case("my--skill", _file("name: my--skill\ndescription: d"), "-----+---++"),
    "name -x": Case("-x", _file("name: -x\ndescription: d"), "-----+---++"),
    "name x-": Case("x-", _file("name: x-\ndescription: d"), "-----+---++"),
    "name dot": Case("a.b", _file("name: a.b\ndescription: d"), "-----+---++"),
    "name colon ns": Case("git-co", _file("name: git:co\ndescription: d"), "-----+---++"),
    "name CJK 技能": Case("技能", _file("name: 技能\ndescription: d"), "+----++--++"),
    "name cyrillic": Case("навык", _file("name: навык\ndescription: d"), "+----++--++"),
    "name café NFC": Case("caf\u00e9", _file("name: caf\u00e9\ndescription: d"), "+----++--++"),
    "name café NFD in file, NFC dir": Case(
        "caf\u00e9", _file("name: cafe\u0301\ndescription: d"), "+----++--++"
    ),
    "name café NFD both": Case("cafe\u0301", _file("name: cafe\u0301\ndescription: d"), "+----++--++"),
    "name fullwidth \uff50\uff44\uff46 (NFKC->pdf)": Case(
        "pdf", _file("name: \uff50\uff44\uff46\ndescription: d"), "+---+++--++"
    ),
    "name superscript x²": Case("x2", _file("name: x\u00b2\ndescription: d"), "+---+++--++"),
    "name ß": Case("straße", _file("name: straße\ndescription: d"), "+----++--++"),
    "name İ-> lower": Case("i̇x", _file("name: i̇x\ndescription: d"), "-----+---++"),
    "name arabic digits": Case("٣٤", _file("name: ٣٤\ndescription: d"), "+----++--++"),
    "name homoglyph cyrillic \u0430": Case(
        "p\u0430y", _file("name: p\u0430y\ndescription: d"), "+----++--++"
    ),
    "name contains claude": Case(
        "claude-helper", _file("name: claude-helper\ndescription: d"), "+++++++-+++"
    ),
    "name contains anthropic": Case(
        "my-anthropic", _file("name: my-anthropic\ndescription: d"), "+++++++-+++"
    ),
    "name surrounding ws quoted": Case(
        "my-skill", _file("name: ' my-skill '\ndescription: d"), "++-+-+-++++"
    ),
    "name trailing newline (block)": Case(
        "my-skill", _file("name: |\n  my-skill\ndescription: d"), "++-+-+-++++"
    ),
    "name != dir": Case("other", _file(_GOOD), "-+---+---++"),
    "unknown field": Case("my-skill", _file(_GOOD + "\nversion: 1.0"), "--+++++++++"),
    "disable-model-invocation": Case(
        "my-skill", _file(_GOOD + "\ndisable-model-invocation: true"), "--+++++++++"
    ),
    "Name capital key": Case("my-skill", _file("Name: my-skill\ndescription: d"), "------+----"),
    "non-str key 1:": Case("my-skill", _file(_GOOD + "\n1: x"), "---+-++++++"),
    "metadata version: 1.0": Case("my-skill", _file(_GOOD + "\nmetadata:\n  version: 1.0"), "+++++++++++"),
    "metadata nested": Case("my-skill", _file(_GOOD + "\nmetadata:\n  a:\n    b: c"), "++++++++-++"),
    "metadata list value": Case("my-skill", _file(_GOOD + "\nmetadata:\n  tags: [a, b]"), "-+++++++-++"),
    "metadata block list value": Case(
        "my-skill", _file(_GOOD + "\nmetadata:\n  tags:\n    - a\n    - b"), "++++++++-++"
    ),
    "metadata inline JSON": Case("my-skill", _file(_GOOD + '\nmetadata: {"a":{"b":1}}'), "-+++++++-++"),
    "metadata null": Case("my-skill", _file(_GOOD + "\nmetadata:"), "++-+-++++++"),
    "metadata scalar": Case("my-skill", _file(_GOOD + "\nmetadata: foo"), "++-+-+++-++"),
    "metadata date": Case("my-skill", _file(_GOOD + "\nmetadata:\n  d: 2024-01-01"), "++-++++++++"),
    "metadata .inf": Case("my-skill", _file(_GOOD + "\nmetadata:\n  d: .inf"), "++-++++++++"),
    "metadata null val": Case("my-skill", _file(_GOOD + "\nmetadata:\n  d:"), "+++++++++++"),
    "license int 2.0": Case("my-skill", _file(_GOOD + "\nlicense: 2.0"), "++-+-++++++"),
    "license empty": Case("my-skill", _file(_GOOD + "\nlicense:"), "++-++++++++"),
    "compat 500": Case("my-skill", _file(_GOOD + "\ncompatibility: " + "x" * 500), "+++++++++++"),
    "compat 501": Case("my-skill", _file(_GOOD + "\ncompatibility: " + "x" * 501), "---+-++--++"),
    "compat empty str": Case("my-skill", _file(_GOOD + "\ncompatibility: ''"), "++-++++++++"),
    "compat list": Case("my-skill", _file(_GOOD + "\ncompatibility:\n  - a"), "---+-+++-++"),
    "allowed-tools space": Case(
        "my-skill", _file(_GOOD + "\nallowed-tools: Bash(git:*) Read"), "+++++++++++"
    ),
    "allowed-tools comma": Case(
        "my-skill", _file(_GOOD + "\nallowed-tools: Bash(git:*), Read"), "+++++++++++"
    ),
    "allowed-tools comma in parens": Case(
        "my-skill", _file(_GOOD + "\nallowed-tools: Bash(git add:*,git commit:*) Read"), "+++++++++++"
    ),
    "allowed-tools space in parens": Case(
        "my-skill", _file(_GOOD + "\nallowed-tools: Bash(git add *) Read"), "+++++++++++"
    ),
    "allowed-tools flow list": Case(
        "my-skill", _file(_GOOD + "\nallowed-tools: [Read, Write]"), "-+++-+++-++"
    ),
    "allowed-tools block list": Case(
        "my-skill", _file(_GOOD + "\nallowed-tools:\n  - Read\n  - Write"), "++++-+++-++"
    ),
    "allowed-tools empty": Case("my-skill", _file(_GOOD + "\nallowed-tools:"), "++-++++++++"),
    "allowed-tools '*'": Case("my-skill", _file(_GOOD + "\nallowed-tools: *"), "-----------"),
}
