"""Skills written in code: the design page "The runtime", "Where skills come from"."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from skillpack import digest, fields, frontmatter
from skillpack.findings import Policy, Report
from skillpack.rules import RULES, Level
from skillpack.runtime import SkillBundle, SkillDefinitionError, define_skill
from support.bundles import make_source

RETURNS: dict[str, Any] = {
    "name": "returns-policy",
    "description": 'Returns, refunds: the "30-day" window',
    "instructions": "# Returns\n\n1. Confirm the order.\n",
    "allowed_tools": ["lookup_order", "Bash(git log:*)"],
    "resources": {"exceptions.md": "# Exceptions\n", "data/rates.bin": b"\x00\xff"},
    "license": "MIT",
    "compatibility": "Python 3",
    "metadata": {"shop.owner": "desk", "shop.area": "é\t<b>"},
}

# The vector of `define_skill`: the fields in this order, their values as JSON strings, then the body.
RETURNS_MD = """\
---
name: "returns-policy"
description: "Returns, refunds: the \\"30-day\\" window"
license: "MIT"
compatibility: "Python 3"
allowed-tools: "lookup_order Bash(git log:*)"
metadata:
  "shop.area": "é\\t<b>"
  "shop.owner": "desk"
---
# Returns

1. Confirm the order.
"""


def defined(**changes: Any) -> Any:
    return define_skill(**{"name": "x", "description": "d", "instructions": "", **changes})


def problems(**changes: Any) -> list[str]:
    with pytest.raises(SkillDefinitionError) as caught:
        defined(**changes)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return [problem.partition(": ")[2] for problem in caught.value.problems]


# ------------------------------------------------------------------ what is made


def test_the_vector() -> None:
    skill = define_skill(**RETURNS)
    assert skill.file("SKILL.md").bytes() == RETURNS_MD.encode()
    assert skill.digest == "sha256:ccd83490e98196120030ea16d7f619a667ad125ecada8cb2b5fcf46cee072bee"


def test_the_least_vector() -> None:
    assert defined().file("SKILL.md").bytes() == b'---\nname: "x"\ndescription: "d"\n---\n'


def test_it_is_a_skill_like_any_other() -> None:
    skill = define_skill(**RETURNS)
    bundle = SkillBundle([skill])
    bundle.verify()
    assert (skill.name, skill.description) == (RETURNS["name"], RETURNS["description"])
    assert skill.body == RETURNS["instructions"]
    assert skill.allowed_tools == ("lookup_order", "Bash(git log:*)")
    assert (skill.license, skill.compatibility, skill.metadata) == ("MIT", "Python 3", RETURNS["metadata"])
    assert skill.globs == ()
    assert not skill.hidden
    assert list(skill.resources) == ["data/rates.bin", "exceptions.md"]
    rates = skill.file("data/rates.bin")
    assert (rates.media_type, rates.is_text, rates.executable) == ("application/octet-stream", False, False)
    assert skill.file("exceptions.md").media_type == "text/markdown"
    assert skill.file("exceptions.md").text() == "# Exceptions\n"
    assert "# Returns" in bundle.load("returns-policy")
    assert SkillBundle.from_json(bundle.to_json()) == bundle


@pytest.mark.parametrize("setting", ["lenient", "default", "strict"])
def test_moved_to_a_folder_it_is_the_same_skill(setting: Any) -> None:
    skill = define_skill(**{**RETURNS, "metadata": {"a.b": "no", "c": "é\x85\ufeff"}})
    report = Report(Policy(setting=setting))
    data = skill.file("SKILL.md").bytes()
    read = frontmatter.read(data, place="SKILL.md", directory="returns-policy", report=report)
    assert read is not None
    assert not report.has_errors
    source, _ = make_source(
        "returns-policy", {path: file.bytes() for path, file in skill.files.items()}, frontmatter=read
    )
    packed = digest.address([(source, read)]).bundle["returns-policy"]
    assert packed == skill
    assert packed._index_digest == skill._index_digest
    assert packed._decoded()[:2] == skill._decoded()[:2]


def test_without_instructions_it_only_names_tools() -> None:
    skill = defined(allowed_tools=["Read"])
    assert skill.body == ""
    assert "(No instructions: this skill only names tools.)\nd" in SkillBundle([skill]).load("x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\n\nHi",
        " \t\nHi\n",
        "\r\nHi",
        "Hi",
        "Hi\n\n\n",
        "---\nx\n---\n",
        "   ",
        "\ufeffx",
        "…\u2028",
    ],
)
def test_the_body_is_what_was_given(text: str) -> None:
    assert defined(instructions=text).body == text


def test_tools_may_be_one_text_and_any_iterable() -> None:
    for given in (
        "Read Bash(git add:*)",
        "Read, Bash(git add:*)",
        iter(["Read", "Bash(git add:*)"]),
        ("Read", "Bash(git add:*)"),
    ):
        skill = defined(allowed_tools=given)
        assert skill.allowed_tools == ("Read", "Bash(git add:*)")
        assert skill.frontmatter["allowed-tools"] == "Read Bash(git add:*)"


def test_the_order_of_metadata_and_resources_does_not_count() -> None:
    one = defined(metadata={"a": "1", "b": "2"}, resources={"a": "", "b": ""})
    assert defined(metadata={"b": "2", "a": "1"}, resources={"b": "", "a": ""}).digest == one.digest


def test_empty_mappings_are_no_fields() -> None:
    assert defined(metadata={}, resources={}).digest == defined().digest


def test_characters_that_readers_disagree_on_are_escaped() -> None:
    text = defined(license="a\x7f\x85\u2028\u2029\ufeff\ufffe\x00b").file("SKILL.md").text()
    assert 'license: "a\\u007f\\u0085\\u2028\\u2029\\ufeff\\ufffe\\u0000b"' in text


# ------------------------------------------------------------------ what is refused


def test_all_faults_come_at_once() -> None:
    found = problems(
        name="Not_A_Name",
        description=" ",
        instructions="\0",
        allowed_tools=[],
        resources={"../x": b"", "a.bin": 5},
        license=5,
        metadata={"a": 1},
    )
    assert [problem.partition(":")[0] for problem in found] == [
        "name-format",
        "description-missing",
        "license-type",
        "metadata-type",
        "allowed-tools-syntax",
        "instructions",
        "resources",
        "resources",
    ]


def test_a_fault_says_whose_it_is_and_what_to_do() -> None:
    with pytest.raises(SkillDefinitionError) as caught:
        defined(name="A")
    (problem,) = caught.value.problems
    assert problem == (
        "skill 'A': name-format: name has characters other than a-z, 0-9 and hyphens: 'A' "
        "(use a-z, 0-9 and single hyphens between them)"
    )
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": None}, "name-missing: there is no name"),
        ({"name": "../x"}, "name-unsafe: name holds /"),
        ({"description": "d" * 1025}, "description-length: description has 1025 characters"),
        ({"description": "a </b> c"}, "description-closing-tag: description holds a closing tag"),
        ({"description": "a\u202eb"}, "description-control: description holds control"),
        ({"license": " "}, "license-type: license is blank"),
        ({"compatibility": "c" * 501}, "compatibility-type: compatibility has 501 characters"),
        ({"metadata": ["a"]}, "metadata-type: metadata is a list"),
        ({"metadata": {1: "a"}}, "metadata-type: metadata.1 is of type int"),
        ({"metadata": {"a": ["b"]}}, "metadata-type: metadata.a is a list"),
        ({"allowed_tools": []}, "allowed-tools-syntax: allowed-tools is a list that names no tools"),
        ({"allowed_tools": " "}, "allowed-tools-syntax: allowed-tools is a list that names no tools"),
        ({"allowed_tools": ["Bash(x"]}, "allowed-tools-syntax: allowed-tools has a parenthesis"),
        ({"allowed_tools": "Bash(x"}, "allowed-tools-syntax: allowed-tools has a parenthesis"),
        ({"allowed_tools": [5]}, "allowed-tools-syntax: allowed-tools is a list that names no tools"),
        (
            {"allowed_tools": ["a b"]},
            "allowed-tools-syntax: 'a b' is not one tool (make each an item of its own)",
        ),
        ({"allowed_tools": ["a", ""]}, "allowed-tools-syntax: '' is not one tool"),
        ({"license": "\ud800"}, "license: it holds half of a surrogate pair"),
        ({"metadata": {"a": "\udfff"}}, "metadata: it holds half of a surrogate pair"),
        ({"instructions": None}, "instructions: not text, or text with NUL"),
        ({"instructions": b"x"}, "instructions: not text, or text with NUL"),
        ({"instructions": "\ud800"}, "instructions: not text, or text with NUL"),
        ({"resources": {"SKILL.md": ""}}, "resources: SKILL.md is made of the other parts (take it out)"),
        ({"resources": {"skill.MD": ""}}, "resources: SKILL.md is made of the other parts (take it out)"),
        ({"resources": {"/etc/x": ""}}, "resources: not a relative POSIX path: '/etc/x'"),
        ({"resources": {"a": "", "a/b": ""}}, "path-collision: 'a/b': it lies in a directory that some"),
        ({"resources": {"a": None}}, "resources: 'a' is neither bytes nor text that UTF-8 can hold"),
        ({"resources": {"a": "\ud800"}}, "resources: 'a' is neither bytes nor text that UTF-8 can hold"),
        ({"resources": {5: ""}}, "resources: 5 is not a path"),
    ],
)
def test_what_is_wrong_is_refused(changes: dict[str, Any], problem: str) -> None:
    (found,) = problems(**changes)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    "changes",
    [
        {"description": "a <b> c -> d"},
        {"description": "two\nlines"},
        {"name": "claude-pdf"},
        {"metadata": {"adk_inject_state": "true"}},
    ],
)
def test_what_an_author_is_only_warned_of_passes(changes: dict[str, Any]) -> None:
    assert defined(**changes)


def test_what_is_an_error_here_is_one_in_a_file() -> None:
    # Metadata that is no text is only a warning there: in a file it has a spelling that hosts can read.
    warned = {code for code in fields.TOLERATED if RULES[code].levels[1] is Level.ERROR}
    assert warned == set()
    codes = {rule for rule in RULES if rule in inspect.getsource(fields)} - fields.TOLERATED
    assert {code for code in codes if RULES[code].levels[1] is not Level.ERROR} == {"metadata-type"}


def test_its_parameters_are_keywords() -> None:
    parameters = inspect.signature(define_skill).parameters.values()
    assert [parameter.name for parameter in parameters] == [
        "name",
        "description",
        "instructions",
        "allowed_tools",
        "resources",
        "license",
        "compatibility",
        "metadata",
    ]
    assert {parameter.kind for parameter in parameters} == {inspect.Parameter.KEYWORD_ONLY}


# ------------------------------------------------------------------ a folder would be refused for the same


@pytest.mark.parametrize(
    ("resources", "problem"),
    [
        (["a.md", "A.md"], "path-collision: 'A.md': some file systems cannot tell it from a.md"),
        (["a/x", "A"], "path-collision: 'a/x': it lies in a directory"),
        (["SKILL.md/x"], "path-collision: 'SKILL.md/x': it lies in a directory"),
        ([".git/config"], "vcs-entry: '.git': version control data inside a skill (take it out)"),
        (["sub/.git"], "vcs-entry: 'sub/.git': version control data"),
        (["cvs/Entries", "cvs/Root", "cvs/Repository"], "vcs-entry: 'cvs': version control data"),
        (["con"], "path-windows: 'con': Windows keeps the name con for a device"),
        (["e\u0301.md"], "path-normal-form: 'e\\u0301.md': the name is not in Unicode normal form C"),
        (["a\u200b.md"], "path-control: 'a\\u200b.md': U+200B ZERO WIDTH SPACE in the name cannot be seen"),
        (["a\u202e.md"], "resources: not a relative POSIX path"),
        (
            ["/".join("d" * 17) + "/x.md"],
            "limit-depth: 'd/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/x.md' lies deeper than 16",
        ),
        (["x" * 300], "resources: a name of over 255 bytes: 'xxx"),
        (["/".join(["d" * 250] * 5)], "path-length: 'ddd"),
    ],
)
def test_paths_that_a_folder_could_not_have_are_refused(resources: list[str], problem: str) -> None:
    (found,) = problems(resources=dict.fromkeys(resources, ""))
    assert found.startswith(problem)


def test_directories_may_be_sixteen_deep_and_cvs_may_be_a_curriculum() -> None:
    assert defined(resources={"/".join("d" * 16) + "/x.md": "", "cvs/jane.md": ""})


@pytest.mark.parametrize("sign", ["\U000e0041", "\u202e", "\u2066", "\U000e0100"])
def test_instructions_that_hide_are_refused(sign: str) -> None:
    (found,) = problems(instructions=f"Hi{sign}")
    assert found.startswith(f"invisible-text: instructions hold U+{ord(sign):04X} ")


def test_a_flag_and_what_an_author_is_only_warned_of_may_be_in_instructions() -> None:
    scotland = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    assert defined(instructions=f"{scotland} a\u200bb \u200d").body == f"{scotland} a\u200bb \u200d"


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        (
            {"name": "BAD_", "description": "", "resources": [1]},
            ["name-format", "description-missing", "resources"],
        ),
        ({"resources": "abc"}, ["resources"]),
        ({"resources": 5}, ["resources"]),
        ({"allowed_tools": 5}, ["allowed-tools-syntax"]),
        ({"allowed_tools": [5, "Read"]}, ["allowed-tools-syntax"]),
        ({"allowed_tools": b"Read"}, ["allowed-tools-syntax"]),
        (
            {"name": 5, "description": [], "license": {}, "metadata": 5},
            ["name-missing", "description-missing", "metadata-type"],
        ),
        ({"instructions": 5, "compatibility": 5}, ["compatibility-type", "instructions"]),
    ],
)
def test_values_of_other_types_are_faults_like_any_other(changes: dict[str, Any], codes: list[str]) -> None:
    assert [problem.partition(":")[0] for problem in problems(**changes)] == codes
