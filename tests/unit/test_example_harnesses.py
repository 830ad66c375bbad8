"""`examples/harness-*` in this process: what the harnesses do, and the transcripts that they keep.

`SKILLPACK_WRITE_TRANSCRIPTS=1 pytest tests/unit/test_example_harnesses.py` writes them anew; look at the diff.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from skillpack import from_directory
from skillpack.runtime import CollisionError, SkillDefinitionError, define_skill, resolve
from support import hostile, projects, transcripts

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillpack.runtime import SkillBundle

USE = projects.EXAMPLES / "harness-skill-use"
LOAD = projects.EXAMPLES / "harness-load-skill"

FOLDER_IS_NAME = {"name-missing": "off", "name-mismatch": "error"}


@pytest.fixture(autouse=True)
def harnesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let both packages be imported; neither needs its emitted module until it is run."""
    for example in (USE, LOAD):
        monkeypatch.syspath_prepend(str(example / "src"))


def module(name: str) -> Any:
    return importlib.import_module(name)


@pytest.fixture
def skills() -> SkillBundle:
    """Return the skills of harness-skill-use."""
    return from_directory(USE / ".kaged" / "skills", rules=FOLDER_IS_NAME, on_error="raise")


@pytest.fixture
def policies() -> SkillBundle:
    """Return the skills of harness-load-skill."""
    return from_directory(LOAD / "skills", on_error="raise")


def nobody(*_: object) -> None:
    """Listen to a conversation that is not printed."""


def assert_stored(text: str, path: Path) -> None:
    if os.environ.get("SKILLPACK_WRITE_TRANSCRIPTS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


# ------------------------------------------------------------------ both


@pytest.mark.parametrize("example", [USE, LOAD], ids=lambda path: path.name)
def test_every_file_that_its_readme_names_is_there(example: Path) -> None:
    text = (example / "README.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`([\w./-]+\.(?:py|md|toml|txt|json))`", text))
    files = [path.relative_to(example).as_posix() for path in example.rglob("*") if path.is_file()]
    assert names
    assert [name for name in names if not any(f"/{file}".endswith(f"/{name}") for file in files)] == []


@pytest.mark.parametrize("example", [USE, LOAD], ids=lambda path: path.name)
def test_the_file_to_copy_is_short_and_imports_nothing_of_skillpack(example: Path) -> None:
    (harness,) = example.glob("src/*/harness.py")
    text = harness.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    assert "skillpack" not in re.sub(r'""".*?"""', "", text, flags=re.DOTALL)


# ------------------------------------------------------------------ harness-skill-use


def conversation(bundle: SkillBundle, *turns: object, **options: Any) -> Any:
    """Return a conversation of the first harness, with a scripted model."""
    harness, demo = module("harness_skill_use.harness"), module("harness_skill_use.demo")
    agent = harness.Agent(name="a", prompt="p", skills=options.pop("skills", ("*",)))
    tools = {"file.read": lambda path: f"content of {path}"}
    options.setdefault("listen", nobody)
    return harness.Conversation(agent, bundle, model=demo.scripted(turns), tools=tools, **options)


def test_skill_use_says_what_its_transcript_says(
    skills: SkillBundle, capsys: pytest.CaptureFixture[str]
) -> None:
    module("harness_skill_use.demo").packed(skills)
    assert_stored(capsys.readouterr().out, USE / "transcript.txt")


def test_skill_use_says_of_a_project_on_disk_what_its_transcript_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = USE / "checkout"
    found = from_directory(project / ".kaged" / "skills", rules=FOLDER_IS_NAME)
    module("harness_skill_use.demo").discovered(found, project)
    assert_stored(capsys.readouterr().out, USE / "transcript-discovered.txt")


def test_the_catalog_stands_in_the_tool_and_the_names_in_its_enum() -> None:
    primary = transcripts.section(transcripts.stored(USE.name), "primary")
    (use,) = (tool for tool in transcripts.of(primary, "tool") if tool.startswith("skill.use"))
    assert "- **git-workflow**: How branches" in use
    assert transcripts.of(primary, "enum") == ["['code-review', 'deploy-runbook', 'git-workflow']"]


def test_an_agent_has_the_skills_that_its_patterns_choose() -> None:
    reviewer = transcripts.section(transcripts.stored(USE.name), "reviewer")
    assert transcripts.of(reviewer, "enum") == ["['code-review', 'deploy-runbook']"]
    assert "git-workflow**" not in reviewer


def test_an_agent_that_no_skill_matches_has_no_skill_tool() -> None:
    translator = transcripts.section(transcripts.stored(USE.name), "translator")
    assert transcripts.of(translator, "tool") == ["file.read: Read a file of the project."]
    assert transcripts.answers(translator, "skill.use") == ["no tool 'skill.use'; there are: file.read"]


def test_a_skill_is_hinted_at_once_though_two_files_match() -> None:
    reviewer = transcripts.section(transcripts.stored(USE.name), "reviewer")
    assert len([call for call in transcripts.of(reviewer, "call") if call.startswith("file.read")]) == 2
    (hint,) = transcripts.of(reviewer, "hint")
    assert "matches the globs of code-review" in hint


def test_a_hint_that_was_not_followed_is_not_repeated(skills: SkillBundle) -> None:
    talk = conversation(skills, *[("file.read", {"path": name}) for name in ("a.py", "b.md", "c.py")], "done")
    talk.run("look")
    assert [message.role for message in talk.messages].count("hint") == 1


def test_a_loaded_skill_is_framed_and_lists_its_files() -> None:
    (answer,) = transcripts.answers(transcripts.stored(USE.name), 'skill.use {"name": "code-review"}')
    assert answer.startswith('<skill_content name="code-review">\n# Code review\n')
    assert answer.endswith("</skill_resources>\n</skill_content>")
    assert 'skill.read(name="code-review", path="scripts/lint.sh")' in answer
    assert "alwaysApply" not in answer


def test_no_path_leads_out_of_a_skill() -> None:
    (answer,) = transcripts.answers(
        transcripts.stored(USE.name), 'skill.read {"name": "code-review", "path": "../'
    )
    assert answer.startswith("no file '../git-workflow/SKILL.md'")


def test_a_loaded_skill_is_not_sent_again_before_the_conversation_is_compacted() -> None:
    first, again, after = transcripts.answers(
        transcripts.stored(USE.name), 'skill.use {"name": "deploy-runbook"}'
    )
    assert again.startswith("deploy-runbook is already loaded")
    assert first == after
    assert first.startswith("<skill_content")


def test_a_hidden_skill_is_in_no_list_and_is_loaded_by_name(skills: SkillBundle) -> None:
    text = transcripts.stored(USE.name)
    (answer,) = transcripts.answers(text, 'skill.use {"name": "deploy-notes"}')
    assert answer.startswith('<skill_content name="deploy-notes">')
    assert not [tool for tool in transcripts.of(text, "tool") if "deploy-notes" in tool]
    assert skills["deploy-notes"].hidden


def test_keys_that_nobody_interprets_are_kept(skills: SkillBundle) -> None:
    assert skills["code-review"].frontmatter["alwaysApply"] is False


def test_the_folder_is_the_name_of_a_skill_that_has_none(skills: SkillBundle) -> None:
    assert "name" not in skills["git-workflow"].frontmatter
    assert "git-workflow" in skills


def test_broken_skills_of_a_project_are_warned_of_and_the_others_serve() -> None:
    text = transcripts.stored(USE.name, "transcript-discovered")
    assert [line.split(" — ")[0] for line in transcripts.of(text, "warning")] == [
        "hotfix",
        "migrations",
        "translate",
    ]
    assert transcripts.of(text, "enum") == ["['code-review']"]
    assert transcripts.answers(text, 'skill.use {"name": "hotfix"}') == [
        "no skill 'hotfix'. There are: code-review"
    ]


def test_a_skill_on_disk_says_where_its_files_are_and_the_agents_own_tool_reads_them() -> None:
    text = transcripts.stored(USE.name, "transcript-discovered")
    (answer,) = transcripts.answers(text, 'skill.use {"name": "code-review"}')
    assert "\nSkill directory: .kaged/skills/code-review\nRelative paths in this skill" in answer
    (read,) = transcripts.answers(text, 'file.read {"path": ".kaged/skills/code-review/money.md"}')
    assert read.startswith("Amounts are cents")


@pytest.mark.parametrize(
    ("patterns", "names", "absent"),
    [
        (("code-review", "deploy-*"), ("code-review", "deploy-notes", "deploy-runbook"), []),
        (("code-reviews", "deploy-*"), ("deploy-notes", "deploy-runbook"), ["code-reviews"]),
        (("translate-ui",), (), ["translate-ui"]),
        (("translate-*",), (), []),
        ((), (), []),
        (("!deploy-*",), ("code-review", "git-workflow"), []),
        (("!hotfix",), ("code-review", "deploy-notes", "deploy-runbook", "git-workflow"), ["!hotfix"]),
        (("!hotfix", "!deploy-*"), ("code-review", "git-workflow"), ["!hotfix"]),
        # with its only name gone the list takes away alone, and must not begin with every skill
        (("hotfix", "!deploy-*"), (), ["hotfix"]),
    ],
)
def test_a_name_that_no_skill_has_is_a_warning_and_the_other_patterns_choose(
    skills: SkillBundle, patterns: tuple[str, ...], names: tuple[str, ...], absent: list[str]
) -> None:
    heard: list[Any] = []
    talk = conversation(skills, "done", skills=patterns, listen=heard.append)
    assert talk.session.bundle.names == names
    assert [message.text for message in heard] == [f"a names {name}, which no skill is" for name in absent]
    assert [tool["name"] for tool in talk.definitions()] == (
        ["file.read", "skill.use", "skill.read"] if names else ["file.read"]
    )
    assert talk.run("go on") == "done"
    assert [message.role for message in talk.messages] == ["user", "assistant"], "warnings are for the host"


def test_patterns_that_are_one_text_stop_the_wiring(skills: SkillBundle) -> None:
    with pytest.raises(TypeError, match="several patterns, not one text"):
        conversation(skills, skills="code-review")


def test_a_broken_skill_that_an_agent_names_is_a_warning_and_the_session_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = Path(shutil.copytree(USE / "checkout", tmp_path / "checkout"))
    (project / ".kaged/skills/code-review/SKILL.md").write_text("no frontmatter", encoding="utf-8")
    found = from_directory(project / ".kaged" / "skills", rules=FOLDER_IS_NAME)
    module("harness_skill_use.demo").discovered(found, project)
    text = capsys.readouterr().out
    first, *_, last = transcripts.of(text, "warning")
    assert first.startswith("code-review — INVALID: frontmatter-missing")
    assert last == "reviewer names code-review, which no skill is"
    assert [tool.partition(":")[0] for tool in transcripts.of(text, "tool")] == ["file.read"]
    assert transcripts.answers(text, "skill.use")[0] == "no tool 'skill.use'; there are: file.read"
    assert transcripts.of(text, "assistant")


def test_a_model_that_never_answers_is_stopped(skills: SkillBundle) -> None:
    with pytest.raises(RuntimeError, match="no answer after 20 turns"):
        conversation(skills, *[("skill.list", {})] * 30).run("try")


@pytest.mark.parametrize("folder", [None, ".kaged/skills"])
def test_skill_use_answers_whatever_a_model_sends(skills: SkillBundle, folder: str | None) -> None:
    tools = ["skill.use", "skill.read", "file.read", *hostile.TOOLS]
    for turn in [(tool, sent) for tool in tools for sent in hostile.ARGUMENTS]:
        talk = conversation(skills, turn, "done", folder=folder)
        assert talk.run("try") == "done"
        (answer,) = (message.text for message in talk.messages if message.role == "result")
        if talk.session.loaded:
            assert answer.startswith('<skill_content name="code-review">')
            assert (f"Skill directory: {folder}/code-review" in answer) == bool(folder)
        elif not answer.startswith("content of "):
            hostile.assert_answered(answer)


def test_skill_use_takes_arguments_as_an_object_and_as_its_text(skills: SkillBundle) -> None:
    turns = [
        ("skill.use", '{"name": "git-workflow"}'),
        ("file.read", '{"path": "a.py"}'),
        ("file.read", '{"file": "a.py"}'),
        ("file.read", "a.py"),
    ]
    talk = conversation(skills, *turns, "done")
    talk.run("try")
    loaded, *answers = (message.text for message in talk.messages if message.role == "result")
    assert loaded.startswith('<skill_content name="git-workflow">')
    assert answers == [
        "content of a.py",
        "file.read: missing a required argument: 'path'",
        "file.read takes an object of named arguments",
    ]
    assert [message.role for message in talk.messages].count("hint") == 1


def test_a_damaged_skill_on_disk_is_answered(skills: SkillBundle, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = conversation(skills, ("skill.use", {"name": "code-review"}), "done", folder="x")

    def damaged(*_: object, **__: object) -> str:
        raise ValueError("code-review/SKILL.md is damaged")

    monkeypatch.setattr(talk.session, "load", damaged)
    talk.run("try")
    assert talk.messages[2].text == "code-review/SKILL.md is damaged"


# ------------------------------------------------------------------ harness-load-skill


def support(bundle: SkillBundle, *turns: object, **options: Any) -> Any:
    """Return a conversation of the second harness, with a scripted model."""
    harness, demo, tools = (module(f"harness_load_skill.{name}") for name in ("harness", "demo", "tools"))
    return harness.Conversation(
        "Help.",
        bundle,
        model=demo.scripted(turns),
        tools=options.pop("tools", tools.TOOLS),
        listen=options.pop("listen", nobody),
        **options,
    )


def results(talk: Any) -> list[str]:
    return [text for role, text in talk.messages if role == "result"]


def test_load_skill_says_what_its_transcript_says(
    policies: SkillBundle, capsys: pytest.CaptureFixture[str]
) -> None:
    module("harness_load_skill.demo").packed(policies)
    assert_stored(capsys.readouterr().out, LOAD / "transcript.txt")


def test_load_skill_says_of_skills_from_everywhere_what_its_transcript_says(
    policies: SkillBundle, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    supply = module("harness_load_skill.supply")
    original: Callable[[Any], Any] = supply.tenant_policy

    async def tenant_policy(context: object) -> Any:
        asked.append(context)
        return await original(context)

    monkeypatch.setattr(supply, "tenant_policy", tenant_policy)
    monkeypatch.chdir(LOAD)
    module("harness_load_skill.demo").supplied(policies, "acme", Path("workspace"))
    assert_stored(capsys.readouterr().out, LOAD / "transcript-supplied.txt")
    assert asked == [{"tenant": "acme"}]


def test_a_tool_that_the_loaded_skills_do_not_allow_is_refused_at_the_call() -> None:
    first, second = transcripts.answers(transcripts.stored(LOAD.name), 'open_claim {"order": "1042"')
    assert first == (
        "'open_claim' is not allowed: the loaded skills (returns-policy) allow lookup_order, issue_refund, "
        "load_skill, read_skill_resource"
    )
    assert second == first, "a skill without allowed-tools, loaded between the two, widens nothing"


def test_of_two_skills_that_restrict_the_union_counts() -> None:
    before, after = transcripts.answers(transcripts.stored(LOAD.name), "lint_copy")
    assert before.startswith("'lint_copy' is not allowed")
    assert after == "replace: guaranteed"


def test_another_node_is_not_restricted_by_what_was_loaded_before() -> None:
    node = transcripts.section(transcripts.stored(LOAD.name), "another node")
    assert transcripts.answers(node, "verify_customer") == ["the customer is verified"]
    (refund,) = transcripts.answers(node, "issue_refund")
    assert "the loaded skills (warranty-claims) allow lookup_order, open_claim," in refund


def test_a_skill_is_unlocked_and_announced_while_the_prompt_stays() -> None:
    text = transcripts.stored(LOAD.name)
    locked, unlocked, _ = transcripts.answers(text, 'load_skill {"name": "warranty-claims"}')
    assert locked.startswith("no skill 'warranty-claims'")
    assert unlocked.startswith('<skill_content name="warranty-claims">')
    (announcement,) = transcripts.of(text, "announcement")
    assert "Newly available:\n- **warranty-claims**: Open a warranty claim" in announcement
    assert "=== the prompt is the same: True\n" in text
    first, compacted = transcripts.of(text, "system")
    assert "warranty-claims" not in first
    assert "- **warranty-claims**" in compacted


def test_what_is_unlocked_twice_is_announced_once(policies: SkillBundle) -> None:
    verify = ("verify_customer", {"code": "31-07"})
    talk = support(policies, verify, verify, "hm", locked=["warranty-claims"])
    talk.run("31-07, I said 31-07")
    assert results(talk) == ["the customer is verified", "the customer is verified"]
    assert [role for role, _ in talk.messages].count("announcement") == 1


def test_what_is_loaded_and_locked_goes_on_in_the_next_request(policies: SkillBundle) -> None:
    talk = support(policies, ("load_skill", {"name": "returns-policy"}), "hm", locked=["warranty-claims"])
    talk.run("return")
    again = support(
        policies,
        ("load_skill", {"name": "warranty-claims"}),
        ("open_claim", {"order": "1", "text": "x"}),
        "hm",
        state=talk.to_json(),
    )
    again.run("and?")
    assert again.prompt == talk.prompt
    assert results(again)[1].startswith("no skill 'warranty-claims'")
    assert results(again)[2].startswith("'open_claim' is not allowed")


def test_a_skill_that_was_packed_anew_since_is_announced(policies: SkillBundle) -> None:
    talk = support(policies, "hm")
    talk.run("hello")
    changed = policies.overlay(module("harness_load_skill.supply").RETURNS)
    again = support(changed, state=talk.to_json())
    assert "Changed, load again before use: returns-policy" in again.messages[-1][1]


def test_a_skill_that_is_still_locked_and_gone_from_a_newer_build_is_a_warning(policies: SkillBundle) -> None:
    talk = support(policies, "hm", locked=["warranty-claims"])
    talk.run("hello")
    heard: list[tuple[str, str]] = []
    newer = policies.select(["!warranty-claims"])
    again = support(
        newer,
        ("verify_customer", {"code": "31-07"}),
        "hm",
        state=talk.to_json(),
        listen=lambda role, text: heard.append((role, text)),
    )
    assert heard == [("warning", "warranty-claims is locked, and not there any more")]
    rolled_back = support(policies, state=again.to_json())
    assert "warranty-claims" not in rolled_back.session.bundle, "it is locked still"
    again.run("31-07")
    assert results(again) == ["the customer is verified"]


def test_a_locked_skill_that_is_none_stops_the_wiring(policies: SkillBundle) -> None:
    with pytest.raises(KeyError, match="warranty-claim"):
        support(policies, locked=["warranty-claim"])


def test_a_skill_that_is_edited_on_disk_is_announced_before_the_next_turn(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(LOAD / "workspace" / ".agents" / "skills", tmp_path / "skills"))
    load = ("load_skill", {"name": "shipping-info"})
    talk = support(from_directory(folder), load, "hm", load, "hm", tools={})
    talk.run("how long?")
    prompt = talk.prompt
    talk.update(from_directory(folder))
    assert not [role for role, _ in talk.messages if role == "announcement"]
    file = folder / "shipping-info" / "SKILL.md"
    file.write_text(file.read_text(encoding="utf-8").replace("a week", "two weeks"), encoding="utf-8")
    talk.update(from_directory(folder))
    assert "Changed, load again before use: shipping-info" in talk.messages[-1][1]
    assert talk.prompt == prompt
    talk.run("and now?")
    assert ["two weeks" in answer for answer in results(talk)] == [False, True]


def test_load_skill_answers_whatever_a_model_sends(policies: SkillBundle) -> None:
    own = list(module("harness_load_skill.tools").TOOLS)
    tools = ["load_skill", "read_skill_resource", *own, *hostile.TOOLS]
    for turn in [(tool, sent) for tool in tools for sent in hostile.ARGUMENTS]:
        talk = support(policies, turn, "hm")
        talk.run("try")
        (answer,) = results(talk)
        hostile.assert_answered(answer)
        again = support(policies, "hm", state=talk.to_json())
        again.run("and after that?")


def test_load_skill_takes_arguments_as_an_object_and_as_its_text(policies: SkillBundle) -> None:
    def broken(_context: object) -> str:
        raise RuntimeError("connection to db-7 lost")

    turns = [
        ("load_skill", '{"name": "shipping-info"}'),
        ("lookup_order", '{"order": "1042"}'),
        ("lookup_order", '{"order": "x"}'),
        ("broken", ""),
    ]
    tools = {**module("harness_load_skill.tools").TOOLS, "broken": broken}
    talk = support(policies, *turns, "hm", tools=tools)
    talk.run("try")
    assert results(talk)[0].startswith('<skill_content name="shipping-info">')
    assert results(talk)[1:] == [
        "order 1042: a kettle, delivered 12 days ago",
        "lookup_order failed: 'x'",
        "broken failed (RuntimeError)",
    ]


def test_a_tool_reads_its_skills_file_whatever_supplied_it(policies: SkillBundle) -> None:
    own = define_skill(
        name="house-style",
        description="How we write.",
        instructions="Lint.",
        resources={"references/banned-words.json": '{"banned": ["moist"]}'},
    )
    talk = support(policies.overlay(own), ("lint_copy", {"draft": "A moist cake."}), "hm")
    talk.run("lint")
    assert results(talk) == ["replace: moist"]
    missing = support(policies.select(["!house-style"]), ("lint_copy", {"draft": "x"}), "hm")
    missing.run("lint")
    assert results(missing)[0].startswith("lint_copy failed: no skill 'house-style'")


def test_the_trace_names_the_bundle_and_what_is_loaded_by_digest(policies: SkillBundle) -> None:
    first, *_, last = map(json.loads, transcripts.of(transcripts.stored(LOAD.name), "trace"))
    assert last["skillpack.bundle.digest"] == policies.digest
    assert first["skillpack.bundle.digest"] == policies.select(["!warranty-claims"]).digest
    assert first["skillpack.loaded"] == [
        f"{name}@{policies[name].digest}" for name in ("returns-policy", "shipping-info", "house-style")
    ]


def test_a_skill_that_names_a_tool_which_does_not_exist_stops_the_wiring(policies: SkillBundle) -> None:
    wrong = define_skill(name="a", description="d", instructions="i", allowed_tools=["lookup_ordr"])
    with pytest.raises(SkillDefinitionError, match="lookup_ordr"):
        support(policies.overlay(wrong))


def test_later_sources_win() -> None:
    text = transcripts.stored(LOAD.name, "transcript-supplied")
    (returns,) = transcripts.answers(text, 'load_skill {"name": "returns-policy"}')
    assert "60 days" in returns, "made in code, after the packed one"
    (shipping,) = transcripts.answers(text, 'load_skill {"name": "shipping-info"}')
    assert "2-4 working days" in shipping, "packed, after the directory's"


def test_every_way_of_supply_serves_instructions_and_files() -> None:
    text = transcripts.stored(LOAD.name, "transcript-supplied")
    for name in ("policy-acme", "opening-hours", "loyalty-points"):
        (answer,) = transcripts.answers(text, f'load_skill {{"name": "{name}"}}')
        assert answer.startswith(f'<skill_content name="{name}">')
    assert "| Harbour |" in transcripts.answers(text, 'read_skill_resource {"name": "opening-hours"')[0]
    assert "extension 12" in transcripts.answers(text, 'read_skill_resource {"name": "policy-acme"')[0]


def test_a_broken_skill_on_disk_is_a_warning_and_a_plugins_server_is_not_started() -> None:
    first, second = transcripts.stored(LOAD.name, "transcript-supplied").splitlines()[:2]
    assert first == "not started: the server points that the plugin loyalty would like to have"
    assert second.startswith("warning: store-credit — INVALID: description-missing")


def test_two_functions_that_supply_one_name_are_an_error() -> None:
    supply = module("harness_load_skill.supply")

    def another(context: object) -> object:
        return define_skill(name="policy-acme", description="d", instructions="other")

    with pytest.raises(CollisionError, match="policy-acme"):
        asyncio.run(resolve([supply.tenant_policy, another], {"tenant": "acme"}))


def test_a_definition_in_code_is_held_against_the_rules_of_a_file() -> None:
    with pytest.raises(SkillDefinitionError, match="name-format"):
        define_skill(name="Returns Policy", description="d", instructions="i")
