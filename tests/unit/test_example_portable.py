"""`examples/strict-portable`: what its transcript shows, and what its agent refuses."""

from __future__ import annotations

import hashlib
import json
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from skillpack.runtime import SkillBundle, define_skill
from skillpack.schema import schema
from support import hostile, packing, projects, transcripts

if TYPE_CHECKING:
    from skillpack.runtime import Skill

PROJECT = projects.EXAMPLES / "strict-portable"
OPERATIONS, REPOSITORY, OVER_MCP = (
    transcripts.section(transcripts.stored("strict-portable"), heading)
    for heading in ("operations", "repository", "over MCP")
)


@pytest.fixture(scope="module")
def bundle() -> SkillBundle:
    return packing.pack(PROJECT, skills=["skills", ".agents/skills"], level="strict").packed


@pytest.fixture
def terms(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(PROJECT / "src")
    return import_module("strict_portable.terms")


@pytest.fixture
def harness(terms: Any) -> Any:
    return import_module("strict_portable.harness")


def skill(**data: str) -> Skill:
    metadata = {f"cloudhal.{key}": text for key, text in data.items()}
    return define_skill(name="move", description="Move.", instructions="Move.", metadata=metadata)


# ------------------------------------------------------------------ the skills


def test_the_skills_of_both_roots_pass_the_schema_of_six_fields(bundle: SkillBundle) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    assert all(validator.is_valid(skill.frontmatter) for skill in bundle.values())
    assert bundle.names == ("cost-report", "release-notes", "restart-instance", "schema-change")


def test_one_skill_has_all_six_fields(bundle: SkillBundle) -> None:
    assert set(bundle["restart-instance"].frontmatter) == set(schema()["properties"])
    assert len(schema()["properties"]) == 6


def test_terms_are_read_from_prefixed_text(bundle: SkillBundle, terms: Any) -> None:
    assert terms.terms_of(bundle["restart-instance"]) == terms.Terms(
        capabilities=frozenset({"compute-api", "metrics"}),
        scopes=frozenset({"compute:read", "compute:write"}),
        approval=frozenset({"restart_instance"}),
    )


# ------------------------------------------------------------------ the transcript


@pytest.mark.parametrize(
    ("conversation", "names"),
    [(OPERATIONS, ["restart-instance"]), (REPOSITORY, ["release-notes", "schema-change"])],
)
def test_an_agent_is_offered_what_its_host_can_do_and_its_user_may(
    conversation: str, names: list[str]
) -> None:
    (system,) = transcripts.of(conversation, "system")
    assert re.findall(r"^- \*\*(.+?)\*\*", system, flags=re.MULTILINE) == names


def test_what_is_not_offered_cannot_be_loaded_by_name() -> None:
    assert transcripts.answers(OPERATIONS, 'load_skill {"name": "cost-report"}') == [
        "no skill 'cost-report'. There are: restart-instance"
    ]


def test_a_person_is_asked_each_time_for_what_needs_approval() -> None:
    assert transcripts.answers(OPERATIONS, "restart_instance") == [
        "i-7: restarted",
        "a person was asked to approve restart_instance and said no",
    ]


def test_a_tool_that_no_loaded_skill_names_is_refused() -> None:
    (answer,) = transcripts.answers(OPERATIONS, "delete_instance")
    assert answer.startswith("'delete_instance' is not allowed: the loaded skills (restart-instance) allow ")


def test_entries_for_hosts_elsewhere_carry_metadata_as_written_and_true_digests(bundle: SkillBundle) -> None:
    decoder, rest, entries = json.JSONDecoder(), OVER_MCP.strip(), []
    while rest:
        entry, end = decoder.raw_decode(rest)
        entries.append(entry)
        rest = rest[end:].strip()
    assert [entry["uri"] for entry in entries] == [
        "skill://cost-report/SKILL.md",
        "skill://restart-instance/SKILL.md",
    ]
    for entry in entries:
        name = entry["frontmatter"]["name"]
        assert entry["frontmatter"]["metadata"] == bundle[name].metadata
        assert len(entry["resources"]) == len(bundle[name].files)
        for resource in entry["resources"]:
            data = (PROJECT / "skills" / resource["uri"].removeprefix("skill://")).read_bytes()
            assert resource["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
            assert resource["size"] == len(data)


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, r"move: cloudhal.schemaVersion is None, this agent reads '1'"),
        ({"schemaVersion": "2"}, r"move: cloudhal.schemaVersion is '2', this agent reads '1'"),
        ({"schemaVersion": "1", "aproval": "push"}, r"move: nobody reads cloudhal.aproval"),
    ],
)
def test_terms_that_the_agent_does_not_know_stop_it_when_it_is_wired(
    terms: Any, data: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        terms.offered(SkillBundle([skill(**data)]), [], [])


def test_approval_holds_for_a_model_that_loads_no_skill(bundle: SkillBundle, harness: Any) -> None:
    asked: list[Any] = []
    tools = dict.fromkeys(["instance_status", "restart_instance", "list_costs"], lambda: "done")
    agent = harness.Agent(
        bundle,
        tools=tools,
        capabilities={"compute-api", "metrics"},
        scopes={"compute:read", "compute:write"},
        approve=asked.append,
    )
    call = harness.Call(tool="restart_instance", arguments={})
    assert agent.answer(call) == "a person was asked to approve restart_instance and said no"
    assert asked == [call]


def test_calls_that_make_no_sense_are_answered(bundle: SkillBundle, harness: Any) -> None:
    agent = harness.Agent(
        bundle,
        tools={"git_log": lambda since: since, "open_pull_request": lambda title: title},
        capabilities={"git"},
        scopes=(),
        approve=lambda _call: True,
    )
    assert agent.answer(harness.Call(tool="sing", arguments={})) == "there is no tool 'sing'"
    assert agent.answer(harness.Call(tool="git_log", arguments={})) == (
        "git_log: missing a required argument: 'since'"
    )
    assert agent.answer(harness.Call(tool="git_log", arguments='{"since": "v1"}')) == "v1"
    assert "load_skill" in agent.answer(harness.Call(tool="load_skill", arguments={"name": ["a"]}))


def test_whatever_a_model_sends_is_answered(bundle: SkillBundle, harness: Any) -> None:
    tools = {"git_log": lambda since: {}[since], "open_pull_request": lambda title: title}
    for tool in ["load_skill", "read_skill_resource", "git_log", *hostile.TOOLS]:
        for sent in [*hostile.ARGUMENTS, {"since": []}]:
            agent = harness.Agent(
                bundle, tools=tools, capabilities={"git"}, scopes=(), approve=lambda _call: True
            )
            turns = iter([harness.Call(tool=tool, arguments=sent), "Done."])
            *_, result, last = harness.converse(
                agent, lambda _messages, _definitions, turns=turns: next(turns), "?"
            )
            assert last == "[assistant] Done."
            hostile.assert_answered(result.removeprefix("[result] "))


def test_a_person_is_not_asked_for_a_call_that_cannot_be_made(bundle: SkillBundle, harness: Any) -> None:
    asked: list[Any] = []
    agent = harness.Agent(
        bundle,
        tools=dict.fromkeys(["instance_status", "restart_instance", "list_costs"], lambda instance: instance),
        capabilities={"compute-api", "metrics"},
        scopes={"compute:read", "compute:write"},
        approve=asked.append,
    )
    hostile_calls: list[Any] = [{}, [], "{", {"instance": "i-7", "force": True}]
    for sent in hostile_calls:
        agent.answer(harness.Call(tool="restart_instance", arguments=sent))
    assert asked == []


def test_a_model_that_never_ends_is_stopped(bundle: SkillBundle, harness: Any) -> None:
    agent = harness.Agent(bundle, tools={}, capabilities=(), scopes=(), approve=lambda _call: True)
    call = harness.Call(tool="sing", arguments={})
    with pytest.raises(RuntimeError, match="no answer after 20 steps"):
        list(harness.converse(agent, lambda _messages, _definitions: call, "Sing."))


def test_a_host_notices_what_is_not_what_was_announced(bundle: SkillBundle, terms: Any) -> None:
    over_mcp = import_module("strict_portable.over_mcp")
    entry = over_mcp.entries(bundle)[0]
    uri = entry["uri"]
    data = over_mcp.served(bundle, uri)
    assert over_mcp.checked(entry, uri, data) == data
    for wrong in ((uri, data + b"!"), (f"{uri}.md", data)):
        with pytest.raises(ValueError, match="is not what was announced"):
            over_mcp.checked(entry, *wrong)
    with pytest.raises(KeyError, match="no file"):
        over_mcp.served(bundle, "skill://cost-report/../release-notes/SKILL.md")
