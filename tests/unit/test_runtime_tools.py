"""Tools: plain functions, definitions, and a call that answers whatever a model sends."""

from __future__ import annotations

import inspect
import pickle
import time
from typing import Any

import pytest

from skillpack import digest
from skillpack.model import Frontmatter
from skillpack.runtime import Skill, SkillBundle, ToolText
from skillpack.runtime.answering import DIALECTS, MAX_ANSWER_CHARS, MAX_ARGUMENT_BYTES
from skillpack.runtime.assembly import held_file, made_skill
from support.bundles import DEMO, SOLO, make_bundle, make_source, skill_md


@pytest.fixture
def bundle() -> SkillBundle:
    return make_bundle({"solo": SOLO, "demo": DEMO})


def hidden() -> tuple[Any, Any]:
    values = Frontmatter(name="ghost", description="boo", values={"hide": True}, hidden=True)
    return make_source("ghost", {"SKILL.md": skill_md("ghost")}, frontmatter=values)


# ------------------------------------------------------------------ functions


def test_the_functions_have_plain_signatures(bundle: SkillBundle) -> None:
    load, read = bundle.tools()
    assert [load.__name__, read.__name__] == ["load_skill", "read_skill_resource"] == list(bundle.tool_names)
    assert load.__annotations__ == {"name": str, "return": str}
    assert str(inspect.signature(load)) == "(name: str) -> str"
    assert (
        str(inspect.signature(read)) == "(name: str, path: str, offset: int = 0, limit: int = 50000) -> str"
    )


def test_every_parameter_has_a_line_in_the_docstring(bundle: SkillBundle) -> None:
    for function in bundle.tools():
        documentation = inspect.getdoc(function) or ""
        assert "Args:\n" in documentation
        for parameter in inspect.signature(function).parameters:
            assert f"    {parameter}: " in documentation


def test_the_functions_answer_in_plain_text(bundle: SkillBundle) -> None:
    load, read = bundle.tools()
    assert load("demo") == bundle.load("demo")
    assert read("demo", "scripts/x.py") == "print(1)\n"
    assert type(load("demo")) is str
    assert "no skill 'dem'; did you mean demo?" in load("dem")
    assert "no file 'x'" in read("demo", "x")


def test_renamed_tools_are_named_so_everywhere(bundle: SkillBundle) -> None:
    renamed = bundle.with_tools("skill.use", "skill.read")
    assert renamed == bundle
    assert renamed.tool_names == ("skill.use", "skill.read")
    assert [function.__name__ for function in renamed.tools()] == ["skill.use", "skill.read"]
    assert "skill.read(name=" in renamed.load("demo")
    assert "that skill.use has listed" in (renamed.tools()[1].__doc__ or "")
    assert renamed.call("skill.use", {"name": "demo"}) == renamed.load("demo")
    assert renamed.call("load_skill", {"name": "demo"}).is_error
    assert renamed.select(["demo"]).tool_names == ("skill.use", "skill.read")


@pytest.mark.parametrize(
    "names", [("", "b", "list"), ("a", "", "list"), ("a", "a", "list"), ("a", "b", "both")]
)
def test_unusable_names_are_refused(bundle: SkillBundle, names: tuple[str, str, str]) -> None:
    with pytest.raises(ValueError, match="two different tool names and a style list or enum"):
        bundle.with_tools(*names)


def test_without_skills_there_are_no_tools() -> None:
    empty = SkillBundle([])
    assert empty.tools() == []
    assert empty.tool_names == ()
    assert empty.tool_definitions("openai") == []
    assert empty.call("load_skill", {"name": "x"}) == "no skill tool 'load_skill': there are no skills"


# ------------------------------------------------------------------ definitions


def test_the_openai_definition(bundle: SkillBundle) -> None:
    load, read = bundle.tool_definitions("openai")
    assert load["type"] == "function"
    assert load["function"]["name"] == "load_skill"
    assert load["function"]["parameters"] == {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "The skill's name, as the catalog has it."}},
        "required": ["name"],
        "additionalProperties": False,
    }
    parameters = read["function"]["parameters"]
    assert parameters["required"] == ["name", "path"]
    assert parameters["properties"]["limit"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 100_000,
        "default": 50_000,
        "description": "How many characters to return at most.",
    }


def test_the_other_dialects_hold_the_same(bundle: SkillBundle) -> None:
    functions = [definition["function"] for definition in bundle.tool_definitions("openai")]
    responses = bundle.tool_definitions("openai-responses")
    assert [{"type": "function", "strict": False, **function} for function in functions] == responses
    for dialect, key in (("anthropic", "input_schema"), ("mcp", "inputSchema")):
        assert bundle.tool_definitions(dialect) == [
            {"name": function["name"], "description": function["description"], key: function["parameters"]}
            for function in functions
        ]


def test_another_dialect_is_refused(bundle: SkillBundle) -> None:
    with pytest.raises(
        ValueError, match="a dialect is one of openai, openai-responses, anthropic, mcp, not 'x'"
    ):
        bundle.tool_definitions("x")


def test_a_name_that_a_dialect_forbids_is_refused(bundle: SkillBundle) -> None:
    dotted = bundle.with_tools("skill.use", "skill.read")
    assert [tool["name"] for tool in dotted.tool_definitions("mcp")] == ["skill.use", "skill.read"]
    for dialect in set(DIALECTS) - {"mcp"}:
        with pytest.raises(ValueError, match=f"{dialect} does not take the tool name 'skill.use'"):
            dotted.tool_definitions(dialect)
    with pytest.raises(ValueError, match="at most 64 characters"):
        bundle.with_tools("a" * 65).tool_definitions("openai")
    assert bundle.with_tools("a" * 65).tool_definitions("anthropic")
    with pytest.raises(ValueError, match="does not take"):
        bundle.with_tools("lädt").tool_definitions("mcp")


def test_list_style_keeps_names_out_of_the_schema(bundle: SkillBundle) -> None:
    assert bundle.tool_definitions("openai") == bundle.select(["demo"]).tool_definitions("openai")


def test_enum_style_holds_the_catalog_and_the_names(bundle: SkillBundle) -> None:
    load, read = bundle.with_tools(style="enum").tool_definitions("mcp")
    assert load["description"].endswith(
        "\n\nAvailable skills:\n\n- **demo**: A demo skill\n- **solo**: One file"
    )
    assert load["inputSchema"]["properties"]["name"]["enum"] == ["demo", "solo"]
    assert "enum" not in read["inputSchema"]["properties"]["name"]
    assert "- **demo**: A demo skill" in (bundle.with_tools(style="enum").tools()[0].__doc__ or "")


def test_enum_style_has_a_read_tool_only_where_there_are_resources(bundle: SkillBundle) -> None:
    solo = bundle.with_tools(style="enum").select(["solo"])
    assert solo.tool_names == ("load_skill",)
    assert [function.__name__ for function in solo.tools()] == ["load_skill"]
    assert len(solo.tool_definitions("openai")) == 1
    assert solo.call("read_skill_resource", {"name": "solo", "path": "x"}).is_error


def test_enum_style_is_a_plain_string_above_250_names() -> None:
    names = [f"s{number}" for number in range(251)]
    bundle = make_bundle({name: {"SKILL.md": skill_md(name)} for name in names}).with_tools(style="enum")
    assert "enum" not in bundle.tool_definitions("mcp")[0]["inputSchema"]["properties"]["name"]
    shorter = bundle.select(["*", "!s250"])
    assert len(shorter.tool_definitions("mcp")[0]["inputSchema"]["properties"]["name"]["enum"]) == 250


def test_hidden_skills_are_not_in_the_enum_but_load(bundle: SkillBundle) -> None:
    bundle = digest.address([make_source("demo", DEMO), hidden()]).bundle.with_tools(style="enum")
    definition = bundle.tool_definitions("mcp")[0]
    assert definition["inputSchema"]["properties"]["name"]["enum"] == ["demo"]
    assert "ghost" not in definition["description"]
    assert bundle.call("load_skill", {"name": "ghost"}).skill == "ghost"


def test_hidden_skills_alone_are_loaded_by_name_and_nothing_is_listed() -> None:
    bundle = digest.address([hidden()]).bundle.with_tools(style="enum")
    for offers in (bundle, bundle.session()):
        definition = offers.tool_definitions("mcp")[0]
        assert definition["inputSchema"]["properties"]["name"]["type"] == "string"
        assert "enum" not in definition["inputSchema"]["properties"]["name"]
        assert "Available skills" not in definition["description"]
        assert offers.catalog() == ""
        assert offers.call("load_skill", {"name": "ghost"}).skill == "ghost"


# ------------------------------------------------------------------ calls


def test_a_call_says_what_it_is_about(bundle: SkillBundle) -> None:
    answer = bundle.call("load_skill", '{"name": "demo"}')
    assert isinstance(answer, ToolText)
    assert (answer, answer.is_error, answer.skill, answer.file) == (bundle.load("demo"), False, "demo", None)
    answer = bundle.call("read_skill_resource", {"name": "demo", "path": "assets/b.bin"})
    assert answer == "[application/octet-stream, 3 bytes: a binary file, not shown as text]"
    assert answer.file == bundle["demo"].file("assets/b.bin")
    answer = bundle.call("read_skill_resource", {"name": "demo", "path": "scripts/x.py", "limit": 4})
    assert (answer, answer.file) == ("prin\n[characters 0-4 of 9; continue with offset=4]", None)


@pytest.mark.parametrize("number", [4, "4", 4.0])
def test_numbers_may_be_written_as_models_write_them(bundle: SkillBundle, number: object) -> None:
    arguments = {"name": "demo", "path": "scripts/x.py", "offset": number, "limit": None}
    assert bundle.call("read_skill_resource", arguments) == "t(1)\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("other", {}, "no tool 'other'; there are: load_skill, read_skill_resource"),
        (None, None, "no tool None; there are: load_skill, read_skill_resource"),
        ("load_skill", None, "load_skill needs the text argument name, not None"),
        ("load_skill", "", "load_skill needs the text argument name, not None"),
        ("load_skill", {"name": 7}, "load_skill needs the text argument name, not 7"),
        ("load_skill", "[]", "load_skill takes an object of named arguments, not 'list'"),
        ("load_skill", 5, "load_skill takes an object of named arguments, not 'int'"),
        ("load_skill", "{", "these arguments cannot be read (JSONDecodeError)"),
        ("load_skill", "[" * 60_000, "these arguments cannot be read (RecursionError)"),
        ("load_skill", '{"name": ' + "1" * 5000 + "}", "these arguments cannot be read (ValueError)"),
        ("load_skill", " " * (MAX_ARGUMENT_BYTES + 1), "the arguments are over 65536 bytes"),
        ("load_skill", {"name": "\ud800"}, "no skill '\\ud800'. There are: demo, solo"),
        (
            "read_skill_resource",
            {"name": "demo"},
            "read_skill_resource needs the text argument path, not None",
        ),
        (
            "read_skill_resource",
            {"name": "demo", "path": "../x"},
            "no file '../x'. There are: SKILL.md, assets/b.bin, scripts/x.py",
        ),
        (
            "read_skill_resource",
            {"name": "demo", "path": "SKILL.md", "offset": 99},
            "the file has 50 characters; offset 99, limit 50000",
        ),
        (
            "read_skill_resource",
            {"name": "demo", "path": "SKILL.md", "limit": 0},
            "the file has 50 characters; offset 0, limit 0",
        ),
    ],
)
def test_what_cannot_be_served_is_answered_in_text(
    bundle: SkillBundle, tool: Any, arguments: Any, answer: str
) -> None:
    got = bundle.call(tool, arguments)
    assert got == answer
    assert got.is_error
    assert got.skill is None


@pytest.mark.parametrize("number", [-1, "x", True, float("inf"), [1], "9" * 5000])
def test_impossible_numbers_are_answered_in_text(bundle: SkillBundle, number: object) -> None:
    answer = bundle.call("read_skill_resource", {"name": "demo", "path": "SKILL.md", "offset": number})
    assert answer.startswith("read_skill_resource needs a whole number for offset, not ")
    assert len(answer) < 200


def test_damage_is_answered_in_text() -> None:
    skill = make_bundle({"demo": DEMO})["demo"]
    object.__setattr__(skill.file("scripts/x.py"), "_load", lambda: b"other")
    bundle = SkillBundle([skill])
    answer = bundle.call("read_skill_resource", {"name": "demo", "path": "scripts/x.py"})
    assert answer == "damaged or altered since it was packed: demo/scripts/x.py"
    assert answer.is_error
    assert not bundle.call("load_skill", {"name": "demo"}).is_error


@pytest.mark.parametrize("line", [b"x" * 300_000, b"a line\n" * 60_000])
def test_answers_are_bounded(line: bytes) -> None:
    bundle = make_bundle({"big": {"SKILL.md": skill_md("big", body=line.decode()), "a.txt": line}})
    loaded = bundle.call("load_skill", {"name": "big"})
    assert MAX_ANSWER_CHARS // 2 < len(loaded) <= MAX_ANSWER_CHARS
    assert "</skill_content>\n[characters 0-" in loaded
    read = bundle.call("read_skill_resource", {"name": "big", "path": "a.txt", "limit": 10**9})
    assert MAX_ANSWER_CHARS // 2 < len(read) <= MAX_ANSWER_CHARS
    assert "continue with offset=" in read
    assert not loaded.is_error
    assert not read.is_error


def test_a_file_of_exactly_the_limit_is_given_whole() -> None:
    text = "x" * MAX_ANSWER_CHARS
    bundle = make_bundle({"big": {**SOLO, "a.txt": text.encode()}})
    assert bundle.call("read_skill_resource", {"name": "big", "path": "a.txt", "limit": 10**9}) == text


# ------------------------------------------------------------------ what is not the caller's fault, and bounds


def test_numbers_that_are_too_large_are_clamped(bundle: SkillBundle) -> None:
    for limit in (2**60, 10**30, "9" * 30, 1e300):
        arguments = {"name": "demo", "path": "scripts/x.py", "limit": limit}
        assert bundle.call("read_skill_resource", arguments) == "print(1)\n"
    answer = bundle.call("read_skill_resource", {"name": "demo", "path": "scripts/x.py", "offset": 10**4000})
    assert answer == f"the file has 9 characters; offset {2**53}, limit 50000"


def holding_itself() -> list[Any]:
    rows: list[Any] = [None] * 60_000
    rows[:] = [rows] * 60_000
    return rows


@pytest.mark.parametrize(
    "extra",
    [
        ["x"] * 3_000_000,
        "é" * 40_000,
        "x" * 70_000,
        b"x" * 70_000,
        dict.fromkeys(range(70_000)),
        [["x" * 1_000] * 100],
        {"x" * 70_000: 1},
        ["\ud800" * 30_000],
        holding_itself(),
    ],
    ids=lambda extra: type(extra).__name__,
)
def test_mappings_are_bounded_as_text_is(bundle: SkillBundle, extra: object) -> None:
    started = time.perf_counter()
    for arguments in ({"name": "demo", "extra": extra}, {"name": extra}):
        assert bundle.call("load_skill", arguments) == "the arguments are over 65536 bytes"
    assert bundle.call(extra, {}).is_error  # type: ignore[arg-type]  # what a model may send
    assert time.perf_counter() - started < 0.5


def test_text_is_measured_in_bytes(bundle: SkillBundle) -> None:
    for text in ("é" * 32_768, "\U0001f600" * 16_384, "\ud800" * 21_845):
        assert bundle.call("load_skill", text) == "these arguments cannot be read (JSONDecodeError)"
        assert bundle.call("load_skill", text + "aa") == "the arguments are over 65536 bytes"


def test_what_is_within_the_bound_is_served(bundle: SkillBundle) -> None:
    arguments = {"name": "demo", "extra": ["x" * 1_000] * 60 + [None, 5, {"a": (1, b"x")}]}
    assert bundle.call("load_skill", arguments) == bundle.load("demo")


def test_a_skill_that_cannot_be_read_is_not_the_fault_of_the_arguments(bundle: SkillBundle) -> None:
    skill = made_skill(
        name="x",
        description="d",
        frontmatter={},
        fields={},
        files=[held_file("SKILL.md", b"\xff", media_type="text/markdown", executable=False, owner="x")],
    )
    answer = bundle.overlay(skill).call("load_skill", {"name": "x"})
    assert answer == "the skill cannot be read (ValueError), whatever the arguments"
    assert answer.is_error


def test_the_line_about_a_binary_file_is_one_short_line_whatever_was_packed(bundle: SkillBundle) -> None:
    file = bundle["demo"].file("assets/b.bin")
    object.__setattr__(file, "media_type", "a\u2028b" + "x" * 200_000)
    answer = bundle.call("read_skill_resource", {"name": "demo", "path": "assets/b.bin"})
    assert answer == f"[a b{'x' * 76}…, 3 bytes: a binary file, not shown as text]"
    assert answer.file is file


def test_what_stands_in_an_answer_can_be_sent(bundle: SkillBundle) -> None:
    odd = Skill(
        name="\ud800",
        description="",
        digest=bundle["solo"].digest,
        index_digest="",
        hidden=False,
        load=bundle["solo"]._load,
    )
    answer = SkillBundle([odd], digest="sha256:0").call("load_skill", {"name": "\ud800"})
    assert answer.startswith('<skill_content name="?">')


def test_large_values_are_told_by_their_type(bundle: SkillBundle) -> None:
    answers = [bundle.call("load_skill", {"name": value}) for value in ([1], {}, 10**400, object())]
    assert [answer.rpartition("not ")[2] for answer in answers] == [
        f"a value of type {name}" for name in ("list", "dict", "int", "object")
    ]


def test_an_answer_pickles_unless_it_has_a_file(bundle: SkillBundle) -> None:
    answer = bundle.call("load_skill", {"name": "demo"})
    again = pickle.loads(pickle.dumps(answer))
    assert (again, again.skill, again.is_error, again.file) == (answer, "demo", False, None)
    with pytest.raises(TypeError, match="a SkillFile is not pickled"):
        pickle.dumps(bundle.call("read_skill_resource", {"name": "demo", "path": "assets/b.bin"}))
