"""`examples/grid-assets`: what its transcript shows, and how an asset becomes a skill."""

from __future__ import annotations

import hashlib
import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from support import hostile, packing, projects, transcripts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from skillpack.runtime import SkillBundle

PROJECT = projects.EXAMPLES / "grid-assets"
WHOLE = transcripts.stored("grid-assets")
CLEAN, REVIEW, REPORT = (
    transcripts.section(WHOLE, heading)
    for heading in ("three sources", "meanwhile cleaning", "meanwhile code-review")
)


def lines(text: str, number: int) -> list[str]:
    """Return the lines of an index in a part of the transcript."""
    return transcripts.of(text, "index")[number].splitlines()


def loads(text: str, **arguments: object) -> list[str]:
    """Return what loading gave, each time."""
    return transcripts.answers(text, f"skill_load {json.dumps(arguments)}")


# ------------------------------------------------------------------ the transcript


def test_the_index_shows_what_is_broken_and_what_is_down_and_not_what_is_absent() -> None:
    assert lines(CLEAN, 0)[-4:] == [
        "- broken-skill — INVALID: missing description",
        "- odd — INVALID: neither metadata nor an address but int",
        "- drifted — INVALID: the content is not what its sha256 says",
        "- w/other-skills — UNAVAILABLE: timeout",
    ]
    assert "w/later" not in CLEAN.replace("comes to be", "")


def test_what_is_broken_cannot_be_loaded_and_says_why() -> None:
    assert loads(CLEAN, name="broken-skill") == ["broken-skill — INVALID: missing description"]


def test_a_source_that_comes_to_be_is_announced() -> None:
    assert "Newly available:\n- **minutes**" in transcripts.of(REVIEW, "system")[0]


def test_the_first_source_wins() -> None:
    (grid,) = [line for line in lines(CLEAN, 0) if line.startswith("- grid ")]
    assert "this team's part" in grid
    (read,) = transcripts.answers(REPORT, "skills ")
    assert "Ours are below" in json.loads(read)["body"]


def test_a_skill_loaded_by_its_address_marks_every_line_of_its_content_and_loads_once() -> None:
    assert [line.partition(" — ")[0] for line in lines(CLEAN, 1)] == ["- cleaning", "- csv-cleaning"]
    assert all(line.endswith(" (loaded)") for line in lines(CLEAN, 1))
    (again,) = loads(CLEAN, name="csv-cleaning")
    assert again.startswith("csv-cleaning is already loaded as cleaning, which has the same content")


def test_what_does_not_resolve_is_reported_and_the_rest_is_loaded() -> None:
    (call,) = [said for said in transcripts.of(CLEAN, "call") if said.startswith('skill_load {"ref"')]
    (answer,) = transcripts.answers(CLEAN, call)
    assert answer.startswith('<skill_content name="cleaning">\n# Clean a CSV file')
    assert "[Not available here, though cleaning names them: v/ops/table/profile]" in answer
    assert "[In your palette now: v/ops/file/read]" in answer


def test_context_comes_along_or_is_said_to_be_missing() -> None:
    assert "[House rules for CSV]\nDecimal comma" in CLEAN
    (answer,) = loads(REVIEW, name="pdf-processing", budget=600)
    assert answer.endswith("[PDF handling rules]\nunavailable: nothing is there")


def test_a_toolset_shows_its_description_and_adds_its_tools() -> None:
    (answer,) = loads(CLEAN, name="ledger")
    assert "(No instructions: this skill only names tools.)\nPost to the ledger." in answer
    assert answer.endswith("[In your palette now: v/ops/ledger/post]")


def test_loading_adds_a_tool_and_no_right_to_use_it() -> None:
    assert transcripts.answers(CLEAN, "v/ops/ledger/post") == [
        "'v/ops/ledger/post' is not in your palette: v/ops/file/list",
        "denied: this agent has no capability for v/ops/ledger/post",
    ]


def test_what_is_over_a_budget_is_a_notice_with_figures() -> None:
    assert loads(CLEAN, name="house-style") == [
        "house-style is not loaded: its instructions have 2026 characters; the limit is 1500"
    ]
    assert loads(REVIEW, name="code-review")[0].endswith(
        "with those of the loaded skills 1004; the limit is 1000"
    )
    (cut,) = loads(REVIEW, name="pdf-processing", budget=600)
    assert "[characters 0-209 of 584 of the instructions; continue with skill_read(" in cut


def test_a_loaded_skill_that_changed_is_announced_and_no_longer_fits() -> None:
    assert "Changed, load again before use: cleaning" in transcripts.of(REVIEW, "system")[0]
    assert lines(REVIEW, 0)[1].endswith("(loaded before it changed)")
    assert loads(REVIEW, name="cleaning") == [
        "cleaning is not loaded: its instructions have 2072 characters; the limit is 1500"
    ]


def test_unloading_makes_room() -> None:
    assert transcripts.answers(REVIEW, "context_unload") == ["unloaded; loaded now: cleaning, ledger"]
    assert loads(REVIEW, name="code-review")[1].startswith('<skill_content name="code-review">\n# Review')


def test_a_loaded_skill_that_is_gone_stays_visible() -> None:
    assert "- code-review — UNAVAILABLE: loaded, and no longer offered" in lines(REPORT, 0)


def test_an_asset_that_is_an_operation_joins_the_palette_itself() -> None:
    assert transcripts.answers(REPORT, "report-bug ") == [
        "create_issue: filed #212, orders.csv: blank ids pass the import"
    ]


# ------------------------------------------------------------------ an asset as a skill


def inline(text: str) -> dict[str, str]:
    return {"contentType": "text/markdown", "inline": text}


@pytest.fixture
def assets(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(PROJECT / "src")
    return import_module("grid_assets.assets")


@pytest.fixture
def venue(assets: Any) -> Any:
    return import_module("grid_assets.venue").Venue({"v/ops/read": lambda path: path})


@pytest.fixture
def harness(assets: Any) -> Any:
    return import_module("grid_assets.harness")


@pytest.fixture
def sources(assets: Any) -> Any:
    return import_module("grid_assets.sources")


def test_a_facet_comes_back_from_the_skill_as_it_was_in_the_asset(assets: Any, venue: Any) -> None:
    facet = {"tools": ["v/ops/read"], "context": [{"ref": "w/a", "label": "A"}, {"ref": "w/b"}], "budget": 9}
    skill = assets.skill_of({"name": "a", "description": "A.", "skill": facet}, venue)
    assert assets.facet_of(skill) == assets.Facet(
        tools=("v/ops/read",), context=(("w/a", "A"), ("w/b", "w/b")), budget=9, operation=None
    )
    assert skill.allowed_tools == ("v/ops/read",)


def test_a_packed_skill_names_the_same_tools_to_the_session_as_in_its_facet(assets: Any) -> None:
    for skill in packing.pack(PROJECT).packed.values():
        assert (skill.allowed_tools or ()) == assets.facet_of(skill).tools


DESCRIBED = "Extract text and tables: use it for PDFs # and scans."


@pytest.mark.parametrize(
    "head",
    [
        'description: "Extract text and tables: use it for PDFs # and scans."',
        "description: 'Extract text and tables: use it for PDFs # and scans.' # a comment",
        "description: >-\n  Extract text and tables:\n  use it for PDFs\n  # and scans.\nlicense: MIT",
        "license: {a: [1]}\n# a comment\ndescription: |-\n  Extract text and tables: use it for PDFs # and scans.",
    ],
    ids=["double quotes", "single quotes", "folded", "literal"],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_markdown_document_with_frontmatter_is_taken_as_it_is(
    assets: Any, venue: Any, head: str, newline: str, mark: str
) -> None:
    document = f"{mark}---\nname: 'inner'\n{head}\n---\n\n# Body\n\n---\n\nIt has a rule.\n".replace(
        "\n", newline
    )
    skill = assets.skill_of({"content": inline(document)}, venue)
    assert (skill.name, skill.description) == ("inner", DESCRIBED)
    assert skill.body == "# Body\n\n---\n\nIt has a rule.\n".replace("\n", newline)


def test_a_document_may_end_with_its_fence_and_values_stay_as_they_are_written(
    assets: Any, venue: Any
) -> None:
    skill = assets.skill_of({"content": inline("---\nname: a\ndescription: 1.10\n---")}, venue)
    assert (skill.description, skill.body) == ("1.10", "")


def test_a_document_without_two_fences_has_no_frontmatter(assets: Any, venue: Any) -> None:
    for text in ("---\nname: a\n", "Text.\n---\nname: a\n---\n", "# a\n"):
        assert assets.skill_of({"description": "A.", "content": inline(text)}, venue).body == text


def test_frontmatter_is_not_read_where_the_metadata_says_all(assets: Any, venue: Any) -> None:
    asset = {"name": "a", "description": "A.", "content": inline("---\n[\n---\nBody.\n")}
    assert assets.skill_of(asset, venue).body == "Body.\n"


def test_without_pyyaml_a_document_with_frontmatter_has_a_line(
    sources: Any, venue: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    venue.values["w/skills"] = {"a": {"content": inline("---\ndescription: A.\n---\n")}}
    bundle: SkillBundle = sources.offered(venue, ["w/skills"])
    assert bundle.problems == (
        "a — INVALID: its frontmatter needs pyyaml to be read, which is not installed",
    )


@pytest.mark.parametrize("inner", ["PDF Processing", "../x", "x" * 65, "", 1, None])
def test_a_name_inside_is_ignored_where_a_directory_gives_one(
    sources: Any, venue: Any, inner: object
) -> None:
    address = venue.put({"name": inner, "description": "A."})
    venue.values["w/skills"] = {"pdf": address, "again": address}
    bundle: SkillBundle = sources.offered(venue, ["w/skills"])
    assert (bundle.names, bundle.problems) == (("again", "pdf"), ())
    assert bundle["pdf"].digest == bundle["again"].digest


def test_an_asset_by_its_address_has_its_own_name_whatever_it_is(sources: Any, venue: Any) -> None:
    named = venue.put({"name": "PDF Processing", "description": "A."})
    unsafe = venue.put({"name": "../x", "description": "A."})
    number = venue.put({"name": 1, "description": "A."})
    bundle: SkillBundle = sources.offered(venue, [named, unsafe, number])
    assert bundle.names == ("PDF Processing",)
    assert [problem.partition(" — INVALID: ")[0] for problem in bundle.problems] == [unsafe, number]


def test_a_content_on_the_drive_is_live_and_with_a_sha256_pinned(sources: Any, venue: Any) -> None:
    venue.files["drive/a.md"] = b"One.\n"
    content = {"contentType": "text/markdown", "path": "drive/a.md"}
    pinned = {**content, "sha256": hashlib.sha256(b"One.\n").hexdigest()}
    venue.values["w/skills"] = {
        "live": {"description": "L.", "content": content},
        "pinned": {"description": "P.", "content": pinned},
    }
    before: SkillBundle = sources.offered(venue, ["w/skills"])
    assert [skill.body for skill in before.values()] == ["One.\n", "One.\n"]
    venue.files["drive/a.md"] = b"Two.\n"
    after: SkillBundle = sources.offered(venue, ["w/skills"])
    assert {name: skill.body for name, skill in after.items()} == {"live": "Two.\n"}
    assert after.problems == ("pinned — INVALID: the content is not what its sha256 says",)


def test_metadata_wins_over_the_frontmatter_of_its_content(assets: Any, venue: Any) -> None:
    document = '---\nname: inner\ndescription: "Inner: text."\nlicense: MIT\n---\n\nBody.\n'
    own = assets.skill_of({"content": inline(document)}, venue)
    assert (own.name, own.description, own.body) == ("inner", "Inner: text.", "Body.\n")
    outer = assets.skill_of({"name": "outer", "description": "Outer.", "content": inline(document)}, venue)
    assert (outer.name, outer.description, outer.body) == ("outer", "Outer.", "Body.\n")


def test_the_key_of_a_directory_is_the_name_and_the_content_the_identity(sources: Any, venue: Any) -> None:
    address = venue.put({"name": "inner", "description": "A."}, "Go.\n")
    venue.values["w/skills"] = {"one": address, "two": address}
    bundle: SkillBundle = sources.offered(venue, ["w/skills", address])
    assert bundle.names == ("inner", "one", "two")
    assert len({skill.digest for skill in bundle.values()}) == 1


@pytest.mark.parametrize(
    ("asset", "message"),
    [
        ({}, "missing description"),
        ({"description": "A.", "skill": []}, "skill is not an object"),
        ({"description": "A.", "skill": {"tools": ["a", 1]}}, "skill.tools is not a list of addresses"),
        ({"description": "A.", "skill": {"tools": "a"}}, "skill.tools is not a list of addresses"),
        ({"description": "A.", "skill": {"context": ["w/a"]}}, "skill.context is not a list of objects"),
        ({"description": "A.", "skill": {"budget": "9"}}, "skill.budget is not a whole number"),
        ({"description": "A.", "skill": {"budget": -5}}, "skill.budget is not a whole number above 0"),
        ({"description": "A.", "content": {"path": "drive/gone.md"}}, "there is no file 'drive/gone.md'"),
        ({"content": inline("---\ndescription: [a\n---\n")}, "its frontmatter is not YAML (line 3)"),
        (
            {"content": inline("---\ndescription: Use when: now\n---\n")},
            "its frontmatter is not YAML (line 2)",
        ),
        ({"content": inline("---\n- description\n---\n")}, "its frontmatter is not a mapping"),
        ({"content": inline("---\ndescription: [A]\n---\n")}, "description in its frontmatter is not a text"),
        ({"content": inline("---\nname: a\n---\nBody.\n")}, "missing description"),
        ({"description": "A.", "skill": {"context": [{"ref": 1}]}}, "skill.context is not a list of objects"),
        ({"description": "A.", "content": {}}, "content is neither inline text nor a path nor a sha256"),
        ({"description": "A.", "content": "a"}, "content is neither inline text nor a path nor a sha256"),
        (
            {"description": "A.", "content": {"inline": 1}},
            "content is neither inline text nor a path nor a sha256",
        ),
        ({"description": "A.", "operation": {"remote": "a"}}, "operation is not an object with an adapter"),
        ({"description": "A.", "content": {"sha256": "0" * 64}}, "there is no content 000000000000…"),
        ({"description": "A.", "content": {**inline("a"), "sha256": "0" * 64}}, "not what its sha256 says"),
        ({"description": "A" * 1025}, "description-length"),
    ],
)
def test_an_asset_that_is_no_skill_has_a_line_in_the_index(
    sources: Any, venue: Any, asset: Mapping[str, Any], message: str
) -> None:
    venue.values["w/skills"] = {"x": asset, "sound": {"description": "A."}}
    bundle: SkillBundle = sources.offered(venue, ["w/skills"])
    (problem,) = bundle.problems
    assert problem.startswith("x — INVALID: ")
    assert message in problem
    assert bundle.names == ("sound",)
    assert bundle.session().index().splitlines()[-1].startswith("- x — INVALID: ")


def test_a_source_that_is_no_directory_has_a_line_and_the_others_serve(sources: Any, venue: Any) -> None:
    venue.values |= {"w/odd": 42, "w/skills": {"sound": {"description": "A."}}}
    bundle: SkillBundle = sources.offered(venue, ["w/odd", "w/skills"])
    assert (bundle.names, bundle.problems) == (("sound",), ("w/odd — INVALID: it is no directory",))


@pytest.mark.parametrize("wrong", [None, "w/skills", ["w/skills", 1], {"w/skills": 1}])
def test_a_list_of_sources_that_is_none_fails_at_once(sources: Any, venue: Any, wrong: object) -> None:
    with pytest.raises(TypeError, match="sources are a list of addresses"):
        sources.offered(venue, wrong)


def test_a_pinned_content_is_served_and_its_identity_covers_it(sources: Any, venue: Any) -> None:
    text = "Go.\n"
    first = venue.put({"name": "a", "description": "A."}, text)
    second = venue.put({"name": "a", "description": "A."}, "Stay.\n")
    assert first != second
    assert venue.resolve(first)["content"]["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert sources.skill_at(venue, first).body == text


# ------------------------------------------------------------------ what was exported


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """The example's own skills, as `skillpack export assets` writes them."""
    place = tmp_path / "exported"
    done = packing.skillpack(PROJECT, "export", "assets", "-o", str(place))
    assert done.exit_code == 0, done.output
    return place


def taken_in(venue: Any, place: Path) -> dict[str, str]:
    addresses: dict[str, str] = import_module("grid_assets.exported").taken_in(venue, place)
    return addresses


def test_exported_skills_load_from_the_venue_with_verified_hashes(
    assets: Any, sources: Any, harness: Any, venue: Any, exported: Path
) -> None:
    packed = packing.pack(PROJECT).packed
    venue.values["w/packed"] = addresses = taken_in(venue, exported)
    bundle: SkillBundle = sources.offered(venue, ["w/packed"])
    assert (bundle.names, bundle.problems) == (packed.names, ())
    for name, skill in packed.items():
        asset = venue.resolve(addresses[name])
        assert asset == json.loads((exported / "assets" / f"{name}.json").read_text(encoding="utf-8"))
        assert f"sha256:{asset['content']['sha256']}" == skill.file("SKILL.md").digest
        assert venue.blob(asset["content"]["sha256"]) == skill.file("SKILL.md").bytes()
        read = sources.skill_at(venue, addresses[name])
        assert (read.name, read.description, read.body) == (name, skill.description, skill.body)
        assert assets.facet_of(read) == assets.facet_of(skill) == assets.facet_of(bundle[name])
    agent = harness.Agent(
        venue, ["w/packed"], tools=(), capabilities=(), max_skill_chars=5000, max_total_chars=9000
    )
    answer = answered(harness, agent, "skill_load", name="pdf-processing")
    assert packed["pdf-processing"].body.rstrip("\n") in answer


def test_a_changed_or_missing_content_of_an_export_is_refused(
    assets: Any, venue: Any, exported: Path
) -> None:
    blob = next((exported / "content").iterdir())
    blob.write_bytes(blob.read_bytes().replace(b"# ", b"## ", 1))
    with pytest.raises(assets.AssetError, match="the content is not what its sha256 says"):
        taken_in(venue, exported)
    blob.unlink()
    with pytest.raises(assets.AssetError, match="there is no content "):
        taken_in(venue, exported)


def test_the_blob_of_a_venue_is_held_against_the_hash_on_every_read(
    sources: Any, venue: Any, exported: Path
) -> None:
    venue.values["w/packed"] = addresses = taken_in(venue, exported)
    venue._blobs[venue.resolve(addresses["grid"])["content"]["sha256"]] = b"# Other\n"
    bundle: SkillBundle = sources.offered(venue, ["w/packed"])
    assert bundle.problems == ("grid — INVALID: the content is not what its sha256 says",)


def test_a_packed_toolset_stays_one(sources: Any, venue: Any, tmp_path: Path) -> None:
    tools = "metadata:\n  skill.tools: '[\"v/ops/read\"]'\n"
    head = f"---\nname: ledger\ndescription: Post to the ledger.\n{tools}---\n"
    projects.write(tmp_path, {"skills/ledger/SKILL.md": head})
    place = tmp_path / "exported"
    done = packing.skillpack(tmp_path, "export", "assets", "skills", "-o", str(place))
    assert done.exit_code == 0, done.output
    assert not (place / "content").exists()
    skill = sources.skill_at(venue, taken_in(venue, place)["ledger"])
    assert (skill.body, skill.allowed_tools) == ("", ("v/ops/read",))


# ------------------------------------------------------------------ the harness


@pytest.fixture
def agent(harness: Any, venue: Any) -> Any:
    venue.values["w/skills"] = {"reading": {"description": "Read.", "skill": {"tools": ["v/ops/read"]}}}
    return harness.Agent(
        venue,
        ["w/skills"],
        tools=(),
        capabilities={"v/ops/read"},
        max_skill_chars=100,
        max_total_chars=100,
    )


def answered(harness: Any, agent: Any, tool: str, **arguments: object) -> str:
    return str(agent.answer(harness.Call(tool=tool, arguments=arguments)))


def test_unloading_takes_the_tools_away(harness: Any, agent: Any) -> None:
    answered(harness, agent, "skill_load", name="reading")
    assert answered(harness, agent, "v/ops/read", path="w/a") == "w/a"
    answered(harness, agent, "context_unload", name="reading")
    assert answered(harness, agent, "v/ops/read", path="w/a").startswith(
        "'v/ops/read' is not in your palette"
    )


def test_listing_is_the_index_that_the_agent_sees(harness: Any, agent: Any) -> None:
    assert answered(harness, agent, "skills", command="list") == agent.session.index()


def test_calls_that_make_no_sense_are_answered(harness: Any, agent: Any, venue: Any) -> None:
    other = venue.put({"name": "reading", "description": "Other."})
    assert "There are: reading" in answered(harness, agent, "skill_load", name="singing")
    assert answered(harness, agent, "skill_load", name=["reading"]) == "skill_load: name is not a text"
    assert "no skill ''. There are: reading" in answered(harness, agent, "skill_load", names="reading")
    assert answered(harness, agent, "skill_load", ref="a/0") == "skill_load: there is no skill at 'a/0'"
    assert answered(harness, agent, "skill_load", ref=other) == "skill_load: another skill is named reading"
    assert "loaded skill" in answered(harness, agent, "context_unload", name="reading")
    idle = venue.put({"name": "idle", "description": "I.", "operation": {"adapter": "v/ops/gone"}})
    agent.capabilities.add("idle")
    answered(harness, agent, "skill_load", ref=idle)
    assert answered(harness, agent, "skills", command="write") == "skills: command is list or read"
    assert answered(harness, agent, "idle") == "idle cannot be called here: there is no v/ops/gone"
    assert "There are: SKILL.md" in answered(harness, agent, "skill_read", name="reading", path="a.md")


def test_the_model_is_given_the_index_last_and_the_tools_about_skills(harness: Any, agent: Any) -> None:
    seen: list[Any] = []

    def model(messages: list[dict[str, str]], definitions: list[dict[str, Any]]) -> str:
        seen.extend([messages[-1]["content"], [tool["function"]["name"] for tool in definitions]])
        return "Done."

    assert list(harness.converse(agent, model, "Read."))[-1] == "[assistant] Done."
    assert seen == [agent.session.index(), ["skill_load", "skill_read", "context_unload", "skills"]]


@pytest.mark.parametrize("budget", [-5, 0, 499, True, 600.0, "600", [600]])
def test_a_budget_that_leaves_no_room_loads_nothing(harness: Any, agent: Any, budget: object) -> None:
    answer = answered(harness, agent, "skill_load", name="reading", budget=budget)
    assert answer == "skill_load: budget is a whole number of characters, 500 or more"
    assert agent.session.loaded == ()


def test_a_budget_of_the_skills_own_that_is_too_small_shows_a_part(harness: Any, venue: Any) -> None:
    body = "".join(f"{number}. Look.\n" for number in range(99))
    venue.values["w/skills"] = {"a": {"description": "A.", "content": inline(body), "skill": {"budget": 9}}}
    agent = harness.Agent(
        venue, ["w/skills"], tools=(), capabilities=(), max_skill_chars=2000, max_total_chars=2000
    )
    assert "0. Look.\n1. Look." in answered(harness, agent, "skill_load", name="a")


@pytest.mark.parametrize(
    "tool",
    ["skill_load", "skill_read", "context_unload", "skills", "v/ops/read", *hostile.TOOLS],
    ids=lambda tool: ascii(tool)[:20],
)
def test_whatever_a_model_sends_is_answered(harness: Any, agent: Any, tool: object) -> None:
    agent.tools.add("v/ops/read")
    for sent in hostile.ARGUMENTS:
        call = harness.Call(tool=tool, arguments=sent)
        *_, result, last = harness.converse(agent, _says([call, "Done."]), "Read.")
        assert last == "[assistant] Done."
        if "path" not in str(sent):
            hostile.assert_answered(result.removeprefix("[result] "))


def test_arguments_may_come_as_json_text(harness: Any, agent: Any) -> None:
    load = harness.Call(tool="skill_load", arguments='{"name": "reading"}')
    assert agent.answer(load).startswith('<skill_content name="reading">')
    assert agent.answer(harness.Call(tool="v/ops/read", arguments='{"path": "w/a"}')) == "w/a"


def _says(turns: list[Any]) -> Any:
    left = iter(turns)
    return lambda _messages, _definitions: next(left)
