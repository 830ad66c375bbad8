"""The functions of `tools()` go into the tool builders of agent frameworks as they are."""

from __future__ import annotations

import operator
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from support.authored import authored, bundle_of
from support.emitted import emitted
from support.frameworks import FRAMEWORKS, Order, Outcome, Used, Variant, outcome

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from concurrent.futures import Future

    from skillpack.runtime import SkillBundle

LINE = "Ünïcode né 🙂\n"
BUNDLE: SkillBundle = bundle_of(
    authored(
        "release-notes",
        "# Release notes\n\nRead references/style.md; {braces}, <b>tags</b>, “quotes”, 🙂.\n",
        description="Write notes. Args: name: x :param name: y @param name: z Returns: {braces} <b>tags</b>",
        files={"references/style.md": LINE.encode() * 5000, "assets/logo.png": b"\x89PNG\r\n\x1a\n\x00\xff"},
    ),
    authored("unit-convert", "# Units\n", description="Convert units: metric & imperial"),
)

VARIANTS = {
    "list": Variant(),
    "enum": Variant(style="enum"),
    "renamed": Variant(("skill_use", "skill_read"), "enum"),
    "session": Variant(session=True),
}
LOAD, READ = 0, 1
STYLE = {"name": "release-notes", "path": "references/style.md"}
CALLS: list[tuple[int, dict[str, Any]]] = [
    (LOAD, {"name": "release-notes"}),
    (LOAD, {"name": "release-notes"}),
    (LOAD, {"name": BUNDLE["unit-convert"].digest}),
    (READ, STYLE),
    (READ, {**STYLE, "offset": 20}),
    (READ, {**STYLE, "offset": 20, "limit": 100}),
    (READ, {**STYLE, "path": "assets/logo.png"}),
]
WRONG: list[tuple[int, dict[str, Any]]] = [
    (LOAD, {"name": "release-note"}),
    (LOAD, {"name": ""}),
    (READ, {**STYLE, "name": "release-note"}),
    (READ, {**STYLE, "path": "../unit-convert/SKILL.md"}),
    (READ, {**STYLE, "offset": -1}),
    (READ, {**STYLE, "offset": 2**40}),
    (READ, {**STYLE, "limit": 0}),
]

ABOUT_LOAD = (
    "Load a skill: its instructions and the list of its files. Call this before you work on its task."
)
LOAD_PARAMETERS = {"name": ("string", "The skill's name, as the catalog has it.")}
READ_PARAMETERS = {
    "name": ("string", "The skill's name."),
    "path": ("string", "The file's path, exactly as listed."),
    "offset": ("integer", "Where to begin, in characters from the start of the file."),
    "limit": ("integer", "How many characters to return at most."),
}
DEFAULTS = {"offset": 0, "limit": 50000}

each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)
each_variant = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)


class Frameworks:
    """What comes of each framework and what each variant of the bundle has to answer."""

    def __init__(self, coming: Mapping[str, Future[Outcome]]) -> None:
        self._coming = coming

    def fault(self, framework: str) -> BaseException | None:
        return self._coming[framework].exception()

    def outcome(self, framework: str) -> Outcome:
        return self._coming[framework].result()

    def used(self, framework: str) -> list[tuple[Variant, Used]]:
        return list(zip(VARIANTS.values(), self.outcome(framework).used, strict=True))

    def answers(self, framework: str, variant: Variant) -> list[str]:
        return dict(self.used(framework))[variant].answers


@pytest.fixture(scope="module")
def frameworks(tmp_path_factory: pytest.TempPathFactory) -> Generator[Frameworks]:
    """Yield all frameworks at work, as many at a time as there are processors."""
    folder = tmp_path_factory.mktemp("emitted")
    (folder / "packed.py").write_bytes(emitted(BUNDLE))
    files = {path.rpartition("/")[2] for skill in BUNDLE.values() for path in skill.files}
    order = Order(
        folder=str(folder),
        module="packed",
        variants=list(VARIANTS.values()),
        calls=[*CALLS, *WRONG],
        marks=sorted({*BUNDLE, *files}),
    )
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield Frameworks({name: pool.submit(outcome, name, order) for name in FRAMEWORKS})


def right_answers(variant: Variant) -> list[str]:
    """Return the texts for `CALLS`, from the methods that raise."""
    bundle = BUNDLE.with_tools(*variant.tools, variant.style)
    source = bundle.session() if variant.session else bundle
    return [source.load(**sent) if which == LOAD else source.read(**sent) for which, sent in CALLS]


def refusals(variant: Variant) -> list[str]:
    """Return the texts for `WRONG`."""
    bundle = BUNDLE.with_tools(*variant.tools, variant.style)
    answers = [bundle.call(variant.tools[which], sent) for which, sent in WRONG]
    assert all(answer.is_error for answer in answers)
    return list(map(str, answers))


def properties(tool: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the parameters of a tool by name, in the order of the schema."""
    shapes: dict[str, dict[str, Any]] = tool["parameters"]["properties"]
    return shapes


def test_every_framework_takes_the_functions_and_answers_as_the_bundle_does(
    frameworks: Frameworks, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = []
    for name, framework in FRAMEWORKS.items():
        alike = total = 0
        if not frameworks.fault(name):
            for variant, used in frameworks.used(name):
                wanted = right_answers(variant) + refusals(variant)
                alike += sum(map(operator.eq, used.answers, wanted))
                total += len(wanted)
        described = "parameter" if framework.parses else "tool"
        verdict = "good" if total and alike == total else "FAILED"
        rows.append((name, framework.version, described, f"{alike} of {total}", verdict))
    with capsys.disabled():
        print()
        for row in [("framework", "version", "args described in", "answers alike", "verdict"), *rows]:
            print("{:22}{:>8}  {:18}{:>14}  {}".format(*row))
    assert [row for row in rows if row[-1] != "good"] == []


@each_framework
def test_a_schema_has_the_parameters_their_types_and_defaults(frameworks: Frameworks, framework: str) -> None:
    kind = FRAMEWORKS[framework]
    for variant, used in frameworks.used(framework):
        assert tuple(tool["name"] for tool in used.tools) == variant.tools
        for tool, wanted in zip(used.tools, (LOAD_PARAMETERS, READ_PARAMETERS), strict=True):
            shapes = properties(tool)
            assert [(name, shape["type"]) for name, shape in shapes.items()] == [
                (name, type_name) for name, (type_name, _) in wanted.items()
            ]
            defaults = {name: value for name, value in DEFAULTS.items() if name in wanted}
            assert tool["parameters"]["required"] == [
                name for name in wanted if kind.strict or name not in defaults
            ]
            assert {name: shape["default"] for name, shape in shapes.items() if "default" in shape} == (
                defaults if kind.defaults else {}
            )


@each_framework
def test_a_model_is_told_what_every_parameter_is(frameworks: Frameworks, framework: str) -> None:
    for _, used in frameworks.used(framework):
        for tool, wanted in zip(used.tools, (LOAD_PARAMETERS, READ_PARAMETERS), strict=True):
            if FRAMEWORKS[framework].parses:
                told = {name: shape["description"] for name, shape in properties(tool).items()}
                assert told == {name: text for name, (_, text) in wanted.items()}
                assert "Args:\n" not in tool["description"]
            else:
                lines = "".join(f"    {name}: {text}\n" for name, (_, text) in wanted.items())
                assert f"\n\nArgs:\n{lines}\n" in tool["description"]


@each_framework
def test_a_description_says_what_the_tool_is_for(frameworks: Frameworks, framework: str) -> None:
    for variant, used in frameworks.used(framework):
        load, read = (tool["description"] for tool in used.tools)
        assert ABOUT_LOAD in load
        assert f"Read one file of a skill that {variant.tools[0]} has listed." in read


@each_framework
def test_enum_style_describes_each_skill_on_one_line_and_list_style_none(
    frameworks: Frameworks, framework: str
) -> None:
    entries = [f"- **{name}**: {skill.description}" for name, skill in BUNDLE.items()]
    for variant, used in frameworks.used(framework):
        lines = [line for line in used.tools[LOAD]["description"].splitlines() if "- **" in line]
        wanted = entries if variant.style == "enum" else []
        assert len(lines) == len(wanted)
        assert all(entry in line for entry, line in zip(wanted, lines, strict=True))


@each_framework
@each_variant
def test_a_call_through_the_framework_gives_the_texts_of_load_and_read(
    frameworks: Frameworks, framework: str, variant: Variant
) -> None:
    assert frameworks.answers(framework, variant)[: len(CALLS)] == right_answers(variant)


@each_framework
@each_variant
def test_a_wrong_call_through_the_framework_is_answered_in_text(
    frameworks: Frameworks, framework: str, variant: Variant
) -> None:
    assert frameworks.answers(framework, variant)[len(CALLS) :] == refusals(variant)


@each_framework
def test_nothing_named_like_a_skill_is_opened_and_nothing_is_logged(
    frameworks: Frameworks, framework: str
) -> None:
    assert frameworks.outcome(framework).touched == []
    assert frameworks.outcome(framework).logged == []
