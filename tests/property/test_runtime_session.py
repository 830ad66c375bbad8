"""Laws of sessions, of composition and of what comes back from outside, that hold for any input."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillpack import frontmatter
from skillpack.emit import literal
from skillpack.emit.module import parts
from skillpack.findings import Policy, Report
from skillpack.runtime import (
    IntegrityError,
    SkillBundle,
    SkillDefinitionError,
    SkillSession,
    define_skill,
)
from skillpack.runtime.answering import MAX_ANSWER_CHARS
from skillpack.runtime.matching import allows, matches_glob
from skillpack.runtime.text import one_line
from support.authored import authored, bundle_of
from support.bundles import DEMO, SOLO, make_bundle
from support.forged import forgeries, odd

BUNDLE = make_bundle({"solo": SOLO, "demo": DEMO}).overlay(
    authored("full", tools=["Read", "Bash(git:*)"], globs=["**/*.py"], files={"a/b.txt": b"x" * 300})
)
NEWER = BUNDLE.overlay(authored("full", "# New\n"), authored("more")).select(["!solo"])

anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
names = (
    st.sampled_from([*BUNDLE.names, BUNDLE["demo"].digest, "sha256:00", "Demo", "demo/", "../demo"])
    | anything
)
arguments = st.one_of(
    anything,
    st.fixed_dictionaries(
        {},
        optional={
            "name": names,
            "path": st.sampled_from(
                [
                    "SKILL.md",
                    "scripts/x.py",
                    "a/b.txt",
                    "../x",
                    "/etc/passwd",
                    "%2e%2e/x",
                    "a\\b.txt",
                    "a/b.txt\0",
                    "./SKILL.md",
                    "",
                ]
            )
            | anything,
            "offset": anything,
            "limit": anything,
        },
    ),
)
sent = arguments | arguments.map(lambda value: json.dumps(value, default=repr)) | st.text()
tools = st.sampled_from([*BUNDLE.tool_names, "x"]) | anything
settings_of_sessions = st.fixed_dictionaries(
    {},
    optional={
        "host_tools": st.lists(st.sampled_from(["Read", "x"])),
        "max_body_chars": st.integers(0, 20),
        "max_total_chars": st.integers(0, 30),
    },
)


@settings(deadline=None)
@given(calls=st.lists(st.tuples(tools, sent), max_size=6), options=settings_of_sessions)
def test_a_session_always_answers_in_bounded_text_that_can_be_sent(
    calls: list[tuple[Any, Any]], options: Any
) -> None:
    session = BUNDLE.session(**options)
    contents = [file.bytes() for skill in BUNDLE.values() for file in skill.files.values()]
    for tool, given_arguments in calls:
        answer = session.call(tool, given_arguments)
        assert len(answer) <= MAX_ANSWER_CHARS
        answer.encode("utf-8")
        assert type(answer.is_error) is bool
        assert answer.skill is None or answer.skill in BUNDLE
        assert answer.file is None or answer.file.bytes() in contents
        if answer.is_error:
            assert len(answer) < 600
    assert BUNDLE.session(session.to_json(), **options).to_json() == session.to_json()


@settings(deadline=None)
@given(
    functions=st.lists(st.tuples(st.sampled_from([0, 1]), st.text(), st.text(), st.integers(), st.integers()))
)
def test_the_functions_of_a_session_never_raise(functions: list[tuple[int, str, str, int, int]]) -> None:
    load, read = BUNDLE.session().tools()
    for which, name, path, offset, limit in functions:
        answer = load(name) if which == 0 else read(name, path, offset, limit)
        assert type(answer) is str


# ------------------------------------------------------------------ states

own = st.sampled_from(BUNDLE.names)
steps = st.one_of(
    st.tuples(st.just("load"), own),
    st.tuples(st.just("suggest"), st.sampled_from(["a.py", "b.md"])),
    st.tuples(st.just("compacted"), st.just(())),
    st.tuples(st.just("replace"), st.sampled_from([BUNDLE, NEWER])),
    st.tuples(st.just("rebase")),
)


def take(session: SkillSession, step: tuple[Any, ...]) -> object:
    try:
        return getattr(session, step[0])(*step[1:])
    except KeyError as error:
        return str(error)


@settings(deadline=None)
@given(before=st.lists(steps, max_size=8), after=st.lists(steps, max_size=8))
def test_a_restored_session_goes_on_as_the_one_that_was_saved(
    before: list[tuple[Any, ...]], after: list[tuple[Any, ...]]
) -> None:
    session = BUNDLE.session()
    for step in before:
        take(session, step)
    again = session.bundle.session(session.to_json())
    assert again.announcement == ""
    for step in after:
        assert take(again, step) == take(session, step)
        assert (again.to_json(), again.index(), again.catalog()) == (
            session.to_json(),
            session.index(),
            session.catalog(),
        )


STATE = json.loads(BUNDLE.session().to_json())


@settings(deadline=None)
@given(
    state=anything.map(lambda value: json.dumps(value, default=repr))
    | st.dictionaries(st.sampled_from(sorted(STATE)), anything).map(
        lambda changed: json.dumps(STATE | changed, default=repr)
    )
    | st.text()
)
def test_a_state_is_taken_or_a_value_error(state: str) -> None:
    try:
        session = BUNDLE.session(state)
    except ValueError:
        return
    session.catalog().encode("utf-8")
    session.index().encode("utf-8")
    assert session.call("load_skill", {"name": "demo"})
    assert BUNDLE.session(session.to_json()).to_json() == session.to_json()


@settings(deadline=None, max_examples=200)
@given(data=st.data())
def test_a_bundle_from_json_is_the_same_or_an_error(data: st.DataObject) -> None:
    text = BUNDLE.to_json()
    at = data.draw(st.integers(0, len(text) - 1))
    put = data.draw(st.text(max_size=3))
    changed = text[:at] + put + text[at + data.draw(st.integers(0, 3)) :]
    try:
        again = SkillBundle.from_json(changed)
    except ValueError:
        return
    # What has no digest may differ: media types, execute bits, names of tools, text fields.
    assert again == BUNDLE
    again.verify(BUNDLE.digest)


LITERALS = literal.parse(parts(BUNDLE).data)


@settings(deadline=None, max_examples=300)
@given(name=st.sampled_from(sorted(LITERALS)), data=st.data())
def test_one_flipped_bit_in_any_literal_does_not_pass(name: str, data: st.DataObject) -> None:
    value = LITERALS[name]
    assert isinstance(value, bytes)
    flipped = bytearray(value)
    flipped[data.draw(st.integers(0, len(value) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    literals: dict[str, Any] = LITERALS | {name: bytes(flipped)}
    try:
        bundle = SkillBundle.packed(
            literals["_CATALOG"], literals["_SKILLS"], literals["_INDEX"], literals.__getitem__
        )
    except ValueError:
        return
    for tool, path in (
        ("load_skill", ""),
        ("read_skill_resource", "SKILL.md"),
        ("read_skill_resource", "a/b.txt"),
    ):
        for skill in BUNDLE.names:
            bundle.call(tool, {"name": skill, "path": path}).encode("utf-8")
    try:
        bundle.verify()
    except IntegrityError:
        return
    assert bundle.to_json() == BUNDLE.to_json()


# ------------------------------------------------------------------ composition

skills = st.builds(
    authored,
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(["# 1\n", "# 2\n"]),
)
bundles = st.lists(skills, max_size=3).map(
    lambda chosen: bundle_of(*{skill.name: skill for skill in chosen}.values())
)


@settings(deadline=None)
@given(one=bundles, two=bundles, three=bundles)
def test_overlays_associate_and_first_is_last_the_other_way_round(
    one: SkillBundle, two: SkillBundle, three: SkillBundle
) -> None:
    assert one.overlay(two, three) == one.overlay(two).overlay(three) == one.overlay(two.overlay(three))
    assert one.overlay(two, on_collision="first") == two.overlay(one)
    assert one.overlay(one) == one
    assert set(one.overlay(two)) == set(one) | set(two)


@settings(deadline=None)
@given(bundle=bundles, order=st.permutations(["a", "b", "c"]))
def test_renaming_back_is_the_same_bundle(bundle: SkillBundle, order: list[str]) -> None:
    there = {old: new for old, new in zip("abc", order, strict=True) if old in bundle}
    renamed = bundle.rename(there)
    renamed.verify()
    back = renamed.rename({new: old for old, new in there.items()})
    back.verify(bundle.digest)
    assert SkillBundle.from_json(renamed.to_json()) == renamed


# ------------------------------------------------------------------ definitions

texts = st.text(st.characters(exclude_categories=["Cs"]))


@settings(deadline=None, max_examples=200)
@given(
    description=texts,
    instructions=texts,
    terms=st.none() | texts,
    metadata=st.none() | st.dictionaries(texts, texts, max_size=3),
    tools=st.none() | st.lists(st.sampled_from(["Read", "Bash(git add:*)", "a b", "(", ""])),
    resources=st.dictionaries(
        st.sampled_from(["a.md", "b/c.py", "../x", "SKILL.md", "b"]), texts | st.binary()
    ),
)
def test_a_definition_is_refused_or_is_read_back_as_it_was_given(
    description: str, instructions: str, terms: str | None, metadata: Any, tools: Any, resources: Any
) -> None:
    given_fields: dict[str, Any] = {
        "description": description,
        "license": terms,
        "metadata": metadata,
        "allowed_tools": tools,
    }
    try:
        skill = define_skill(name="x", instructions=instructions, resources=resources, **given_fields)
    except SkillDefinitionError:
        return
    SkillBundle([skill]).verify()
    assert skill.body == instructions
    assert {path: file.bytes() for path, file in skill.resources.items()} == {
        path: data.encode() if isinstance(data, str) else data for path, data in resources.items()
    }
    report = Report(Policy(setting="default"))
    read = frontmatter.read(skill.file("SKILL.md").bytes(), place="SKILL.md", directory="x", report=report)
    assert read is not None, report.findings
    assert (read.description, read.license, read.allowed_tools) == (
        description,
        terms,
        None if tools is None else tuple(tools),
    )
    assert dict(read.metadata) == (metadata or {})
    assert dict(read.values) == skill.frontmatter
    assert not report.has_errors


# ------------------------------------------------------------------ matching


@settings(deadline=None)
@given(entry=st.text(), tool=st.text(), argument=st.none() | st.text())
def test_an_argument_never_widens_what_an_entry_allows(entry: str, tool: str, argument: str | None) -> None:
    if allows(entry, tool, argument):
        assert allows(entry, tool)


parts_of_paths = st.lists(st.sampled_from(["a", "b", "a.py", ".x"]), min_size=1, max_size=5)


@settings(deadline=None)
@given(path=parts_of_paths, below=parts_of_paths)
def test_two_stars_stand_for_any_directories(path: list[str], below: list[str]) -> None:
    joined = "/".join([*path, *below])
    assert matches_glob(joined, "**/" + "/".join(below))
    assert matches_glob(joined, "/".join(path) + "/**")
    assert matches_glob(joined, "/".join(path) + "/**/" + below[-1])
    assert matches_glob(joined.replace("/", "\\"), "**/" + below[-1])


# ------------------------------------------------------------------ hostile bundles and states


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(text=forgeries, tool=st.text(), roster=st.dictionaries(odd, st.just("y"), max_size=2), row=odd)
def test_what_a_session_says_of_a_forged_bundle_or_state_keeps_its_lines(
    text: str, tool: str, roster: dict[str, str], row: str
) -> None:
    try:
        bundle = SkillBundle.from_json(text)
    except ValueError:
        return
    session = bundle.session(host_tools=[])
    (name,) = bundle
    session.call(session.tool_names[0], {"name": name})
    state = json.loads(session.to_json())
    state["roster"] |= roster
    state["loaded"].append(
        {"name": f"{name}!{row}", "digest": "d", "chars": 1, "tools": [row], "fresh": True, "repeated": False}
    )
    restored = bundle.session(json.dumps(state))
    lines = [session.refuse(tool) or "", restored.refuse(tool) or "", session.suggest("x")]
    try:
        session.check_tools([])
    except SkillDefinitionError as error:
        lines += error.problems
    for line in lines:
        assert one_line(line) == line
        assert len(line) < 6_000
    assert len(restored.index().splitlines()) == 1 + len(bundle) + 1 + len(bundle.problems)
    # a head, one for what has changed, one for what is gone, the roster
    told = (name in roster) + bool(roster.keys() - {name})
    assert len(restored.announcement.splitlines()) == (2 + told if told else 0)
