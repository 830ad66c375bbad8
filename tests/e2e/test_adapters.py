"""Through an adapter a model sees of a bundle what the bundle holds, in the place that its framework has for skills.

`SKILLPACK_WRITE_README=1 pytest tests/e2e/test_adapters.py` writes the README's table anew.
"""

from __future__ import annotations

import base64
import html
import json
import os
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from skillpack.emit.stub import stub
from skillpack.runtime.text import one_line
from support import adapters, forms, readme
from support.adapters import ADAPTERS, CONVERSING, Answer, Order, Outcome, Talk
from support.authored import authored, bundle_of
from support.bundles import make_bundle, skill_md
from support.emitted import emitted
from support.skills_service import service
from support.wheelhouse import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from skillpack.runtime import SkillBundle
    from support.skills_service import Upload

    Outcomes = Callable[[str], Outcome]

PNG = b"\x89PNG\r\n\x1a\n\x00\xff"
PROGRAM = b"\x7fELF\x02\x01\x01\x00\xfe"
FILES = {
    "references/house-style.md": "# Style\n\nGroup by theme — not by date. 🙂\n".encode(),
    "references/left-blank.md": b"",
    "assets/house-logo.png": PNG,
    "assets/house-plan.svg": b"<svg/>\n",
    "assets/house-font.woff2": b"wOF2\x00\xff",
    "assets/house-rules.pdf": b"%PDF-1.7\n\xe2\xe3\xff",
    "scripts/collect-notes.sh": b"#!/bin/sh\necho notes\n",
    "scripts/render-notes": PROGRAM,
    "house-rules.txt": b"Rules at the root.\n",
    "templates/deep/notes.tmpl": b"{{ notes }}\n",
}
FORMS = {
    "assets/form-0.txt": b"Another form.",
    **{f"form-{number}.txt": b"Fill in." for number in range(120)},
}
BUNDLE: SkillBundle = bundle_of(
    authored(
        "release-notes",
        "# Release notes\n\nRead references/house-style.md; {braces}, <b>tags</b>, “quotes”, 🙂.\n",
        description="Write notes for a release.\nUse when <someone> asks for a changelog & “more”.",
        files=FILES,
        executable={"scripts/collect-notes.sh", "scripts/render-notes"},
        metadata={"team.owner": "docs"},
    ),
    authored(
        "unit-convert", "# Units\n\nA mile is 1.609344 km.\n", description="Convert units: metric & imperial"
    ),
    authored("spare-forms", "", description="Forms to fill in", files=FORMS),
    authored(
        "refund-orders",
        "# Refunds\n",
        description="Refund an order",
        tools=["lookup_order", "Bash(git log:*)"],
    ),
    authored(
        "hidden-ledger",
        "# Ledger\n\nKept out of the catalog.\n",
        description="Only by its name",
        tools=["read_ledger"],
        hidden=True,
    ),
)
NOTES = BUNDLE["release-notes"]
VISIBLE = [skill for skill in BUNDLE.values() if not skill.hidden]

STEPS: dict[str, tuple[str, str | None]] = {
    "load": ("release-notes", None),
    "load a hidden skill": ("hidden-ledger", None),
    "load a skill without files": ("unit-convert", None),
    "load a skill without instructions": ("spare-forms", None),
    "load a wrong name": ("release-note", None),
    **{path: ("release-notes", path) for path in FILES},
    "read a wrong path": ("release-notes", "references/house-stile.md"),
    "read outside": ("release-notes", "../unit-convert/SKILL.md"),
}
TEXTS = {path: data.decode() for path, data in FILES.items() if NOTES.file(path).is_text and data}
BINARIES = {path: data for path, data in FILES.items() if not NOTES.file(path).is_text}
SHOWN = ("image/png", "application/pdf")
"""The media types among them that models take."""

USE = """
from packed import bundle
from skillpack.adapters._bundle import Answer, Bundle, Session, Skill, SkillFile
from skillpack.runtime import SkillBundle

packed: Bundle = bundle
selected: Bundle = bundle.select(["*"])
own: Bundle = SkillBundle([])
session: Session = bundle.session()
skill: Skill = bundle["release-notes"]
file: SkillFile = skill.file("SKILL.md")
answer: Answer = bundle.call("load_skill", {"name": "release-notes"})
"""

each = pytest.mark.parametrize("name", CONVERSING)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with skillpack alone."""
    return adapters.install_alone(tmp_path_factory.mktemp("alone"))


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, site: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Outcomes]:
    """Return what gives the outcome of a framework; those that tests ask for work as many at a time as processors."""
    folder = tmp_path_factory.mktemp("emitted")
    (folder / "packed.py").write_bytes(emitted(BUNDLE))
    order = Order(
        site=str(site),
        folder=str(folder),
        module="packed",
        steps=STEPS,
        skill=NOTES.name,
        marks=sorted({*BUNDLE, "SKILL.md", *(path.rpartition("/")[2] for path in {**FILES, **FORMS})}),
    )
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        begun: dict[str, Future[Outcome]] = {}

        def begin(name: str) -> Future[Outcome]:
            if name not in begun:
                begun[name] = pool.submit(adapters.outcome, name, order)
            return begun[name]

        for item in request.session.items:
            match getattr(getattr(item, "callspec", None), "params", None):
                case {"name": str(name)} if name in CONVERSING:
                    begin(name)
        yield lambda name: begin(name).result()
        pool.shutdown(cancel_futures=True)


def refusal(read: str) -> str:
    """Return what a model is told of `send_mail` when the skill that restricts is loaded."""
    session = BUNDLE.with_tools("load_skill", read).session()
    session.load("refund-orders")
    return str(session.refuse("send_mail"))


def talks(outcomes: Outcomes, name: str) -> list[Talk]:
    """Return both conversations of a framework."""
    return list(outcomes(name).talks.values())


def talk(outcomes: Outcomes, name: str) -> Talk:
    """Return the conversation over an emitted module's bundle."""
    return outcomes(name).talks["emitted"]


# ------------------------------------------------------------------ every framework


@each
def test_a_bundle_of_an_emitted_module_and_one_of_the_runtime_give_the_same(
    outcomes: Outcomes, name: str
) -> None:
    both = outcomes(name).talks
    assert both["emitted"] == both["runtime"]
    assert list(both["emitted"].answers) == list(STEPS)


@each
def test_a_model_is_told_of_each_skill_that_is_not_hidden_and_of_no_instructions(
    outcomes: Outcomes, name: str
) -> None:
    prompt = " ".join(html.unescape(talk(outcomes, name).prompt).split())
    for skill in VISIBLE:
        assert skill.name in prompt
        assert one_line(skill.description) in prompt
    assert "hidden-ledger" not in prompt
    assert BUNDLE["hidden-ledger"].description not in prompt
    assert not any(" ".join(skill.body.split()) in prompt for skill in BUNDLE.values() if skill.body)


@each
@pytest.mark.parametrize(
    ("step", "skill"),
    [
        ("load", "release-notes"),
        ("load a hidden skill", "hidden-ledger"),
        ("load a skill without files", "unit-convert"),
    ],
)
def test_loading_gives_the_instructions_as_written(
    outcomes: Outcomes, name: str, step: str, skill: str
) -> None:
    answer = talk(outcomes, name).answers[step]
    assert not answer.error
    assert BUNDLE[skill].body.rstrip("\n") in answer.text


@pytest.mark.parametrize("name", [name for name in CONVERSING if ADAPTERS[name].lists_files])
def test_instructions_come_with_the_list_of_files(outcomes: Outcomes, name: str) -> None:
    told = talk(outcomes, name)
    for path in FILES:
        assert path in told.answers["load"].text
    assert "This skill has no resources." in told.answers["load a skill without files"].text
    many = told.answers["load a skill without instructions"].text
    assert "(No instructions: this skill only names tools.)\nForms to fill in\n" in many
    assert "form-0.txt" in many
    assert "… and 21 more." in many


@each
@pytest.mark.parametrize("path", TEXTS)
def test_a_text_is_read_as_written(outcomes: Outcomes, name: str, path: str) -> None:
    answer = talk(outcomes, name).answers[path]
    assert not answer.error
    assert answer.data is None
    assert TEXTS[path].rstrip("\n") in answer.text


@each
@pytest.mark.parametrize("path", BINARIES)
def test_a_binary_file_comes_as_its_bytes_and_never_as_their_spelling(
    outcomes: Outcomes, name: str, path: str
) -> None:
    answer = talk(outcomes, name).answers[path]
    file = NOTES.file(path)
    assert not answer.error
    if ADAPTERS[name].shows_any_file or file.media_type in SHOWN:
        assert answer.data is not None
        assert base64.b64decode(answer.data) == BINARIES[path]
        assert answer.media_type == file.media_type
    else:
        assert answer.data is None
        assert BUNDLE.read(NOTES.name, path) in answer.text
    assert "b'" not in answer.text
    assert "\\x" not in answer.text


@each
def test_an_empty_file_is_there_and_said_to_be_empty(outcomes: Outcomes, name: str) -> None:
    answer = talk(outcomes, name).answers["references/left-blank.md"]
    assert not answer.error
    assert "empty" in answer.text


@each
@pytest.mark.parametrize(
    ("step", "near"),
    [
        ("load a wrong name", "release-notes"),
        ("read a wrong path", "references/house-style.md"),
    ],
)
def test_what_is_not_there_is_an_error_that_names_what_there_is(
    outcomes: Outcomes, name: str, step: str, near: str
) -> None:
    answer = talk(outcomes, name).answers[step]
    assert answer.error
    assert near in answer.text
    assert "hidden-ledger" not in answer.text


@each
def test_no_path_leads_out_of_a_skill(outcomes: Outcomes, name: str) -> None:
    answer = talk(outcomes, name).answers["read outside"]
    assert answer.error
    assert "1.609344" not in answer.text


@each
def test_the_example_of_the_docstring_gives_an_agent_the_skills(outcomes: Outcomes, name: str) -> None:
    example = outcomes(name).example
    assert "from myagent.skills import bundle" in example.code
    assert all(skill.name in example.prompt for skill in VISIBLE)
    assert NOTES.body.rstrip("\n") in example.answer.text


@each
def test_nothing_named_like_a_skill_is_opened_and_nothing_is_logged(outcomes: Outcomes, name: str) -> None:
    assert outcomes(name).touched == []
    own = ADAPTERS[name].complains
    assert [line for line in outcomes(name).logged if own is None or not line.startswith(own)] == []


@each
def test_of_skillpack_the_adapter_and_the_runtime_are_enough(outcomes: Outcomes, name: str) -> None:
    imported = {module for module in outcomes(name).imported if not module.startswith("skillpack.runtime")}
    package = "skillpack.adapters"
    own = {f"{package}.{module}" for module in ("_bundle", "_framework", name)}
    assert imported == {"skillpack", package, *own}
    # a framework may itself need one of the others
    assert {"blake3", "pathspec"} <= set(outcomes(name).missing)


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_fits_the_types_of_its_framework(name: str) -> None:
    assert adapters.type_errors(name) == ""


@pytest.mark.parametrize("with_stub", [True, False], ids=["stub", "no stub"])
def test_a_bundle_of_any_module_has_the_type_that_adapters_take(tmp_path: Path, *, with_stub: bool) -> None:
    (tmp_path / "packed.py").write_bytes(emitted(BUNDLE))
    if with_stub:
        (tmp_path / "packed.pyi").write_bytes(stub(BUNDLE))
    use = tmp_path / "use.py"
    use.write_text(USE, encoding="utf-8")
    assert adapters.mypy(f"--cache-dir={tmp_path / 'cache'}", use) == ""


# ------------------------------------------------------------------ pydantic-ai


def test_pydantic_ai_lists_each_skill_on_one_line(outcomes: Outcomes) -> None:
    lines = talk(outcomes, "pydantic_ai").prompt.splitlines()
    for skill in VISIBLE:
        assert f"- {skill.name}: {one_line(skill.description)}" in lines


def test_pydantic_ai_says_how_to_read_each_file(outcomes: Outcomes) -> None:
    told = talk(outcomes, "pydantic_ai")
    for path in FILES:
        assert f'read_skill_resource(name="release-notes", path="{path}")' in told.answers["load"].text
    prompt, read = told.more["renamed"]
    assert "a skill that load_capability has listed" in prompt
    assert '["read_file", ' in prompt
    assert read["text"].startswith(BUNDLE.read("unit-convert", "SKILL.md", 4, 12).splitlines()[0])


def test_pydantic_ai_has_no_capability_without_skills(outcomes: Outcomes) -> None:
    assert talk(outcomes, "pydantic_ai").more["none"] == []


def test_pydantic_ai_refuses_what_loaded_skills_do_not_allow_when_told_to(outcomes: Outcomes) -> None:
    free, enforced, hidden_free, hidden = (
        [Answer(**shown) for shown in talked] for talked in talk(outcomes, "pydantic_ai").more["policy"]
    )
    for before, _, after in (free, hidden_free):
        assert before == after == Answer("sent to all")
    for (before, _, after), name in ((enforced, "refund-orders"), (hidden, "hidden-ledger")):
        assert before == Answer("sent to all")
        assert after.error
        assert f"'send_mail' is not allowed: the loaded skills ({name}) allow " in after.text


# ------------------------------------------------------------------ deepagents

SKILLS = "/skills/release-notes"


def texts(outcomes: Outcomes, name: str, part: str) -> list[str]:
    """Return the texts of the answers in a part of what else there is."""
    return [shown["text"] for shown in talk(outcomes, name).more[part]]


def errors(outcomes: Outcomes, name: str, part: str) -> list[bool]:
    """Return which answers of a part are errors."""
    return [shown["error"] for shown in talk(outcomes, name).more[part]]


def test_deepagents_gives_the_same_to_agents_that_are_awaited(outcomes: Outcomes) -> None:
    told = talk(outcomes, "deepagents")
    assert {step: Answer(**shown) for step, shown in told.more["awaited"].items()} == told.answers


def test_deepagents_names_the_path_of_each_skill(outcomes: Outcomes) -> None:
    prompt = talk(outcomes, "deepagents").prompt
    for skill in VISIBLE:
        assert f"-> Read `/skills/{skill.name}/SKILL.md` for full instructions" in prompt


def test_deepagents_lists_directories_and_hidden_skills_only_by_their_path(outcomes: Outcomes) -> None:
    root, skills, notes, references, hidden, none = texts(outcomes, "deepagents", "ls")
    assert root == "['/skills/']"
    assert skills == str([f"/skills/{skill.name}/" for skill in VISIBLE])
    names = ("SKILL.md", "assets/", "house-rules.txt", "references/", "scripts/", "templates/")
    assert notes == str([f"{SKILLS}/{name}" for name in names])
    assert references == str([f"{SKILLS}/references/{name}" for name in ("house-style.md", "left-blank.md")])
    assert hidden == "['/skills/hidden-ledger/SKILL.md']"
    assert none == "Error: file_not_found"
    assert errors(outcomes, "deepagents", "ls") == [False] * 5 + [True]


def test_deepagents_reads_lines_from_an_offset(outcomes: Outcomes) -> None:
    first, last, past = texts(outcomes, "deepagents", "pages")
    assert first.startswith("@@ lines 5-6 of 7 | next offset 6 @@\n# Release notes\n")
    assert last.startswith("@@ lines 7-7 of 7 @@\nRead references/house-style.md")
    assert past == "Error: Line offset 40 exceeds file length (7 lines)"


def test_deepagents_finds_files_by_patterns(outcomes: Outcomes) -> None:
    anywhere, below, root, folder, refused, hidden = texts(outcomes, "deepagents", "glob")
    assert "hidden-ledger" not in anywhere
    assert all(f"/skills/{skill.name}/SKILL.md" in anywhere for skill in VISIBLE)
    documents = ("SKILL.md", "references/house-style.md", "references/left-blank.md")
    assert below == str([f"{SKILLS}/{name}" for name in documents])
    assert root == str([f"{SKILLS}/scripts/collect-notes.sh"])
    assert folder == str([f"{SKILLS}/scripts/{name}" for name in ("collect-notes.sh", "render-notes")])
    assert refused == "Error: Path traversal not allowed in glob pattern '../*'"
    assert hidden == "['/skills/hidden-ledger/SKILL.md']"


def test_deepagents_searches_texts(outcomes: Outcomes) -> None:
    units, rules, one, hidden, scripts, refused = texts(outcomes, "deepagents", "grep")
    assert units.startswith("/skills/unit-convert/SKILL.md:\n  3: ")
    assert rules == f"{SKILLS}/house-rules.txt:\n  1: Rules at the root."
    assert one == f"{SKILLS}/references/house-style.md:\n  1: # Style"
    assert hidden == "No matches found"
    assert scripts == f"{SKILLS}/scripts/collect-notes.sh:\n  2: echo notes"
    assert "Path traversal not allowed" in refused
    told = talk(outcomes, "deepagents")
    assert told.more["bounded"] == [3, True]
    assert told.more["exactly"] is False


def test_deepagents_refuses_writes_to_skills_and_no_others(outcomes: Outcomes) -> None:
    *refused, written, again = texts(outcomes, "deepagents", "writes")
    assert refused == ["permission_denied: skills are read-only"] * 3
    assert errors(outcomes, "deepagents", "writes") == [True] * 3 + [False] * 2
    assert "/notes.md" in written
    assert "mine" in again
    assert talk(outcomes, "deepagents").more["uploads"] == [["/unit-convert/a.md", "permission_denied"]]


def test_deepagents_downloads_bytes_and_says_what_is_no_file(outcomes: Outcomes) -> None:
    found, directory, none, hidden = talk(outcomes, "deepagents").more["downloads"]
    assert found == [None, BUNDLE["unit-convert"].file("SKILL.md").text()]
    assert directory == ["is_directory", None]
    assert none == ["file_not_found", None]
    assert hidden == [None, BUNDLE["hidden-ledger"].file("SKILL.md").text()]


def test_deepagents_mounts_skills_where_it_is_told_to_beside_another_backend(outcomes: Outcomes) -> None:
    assert talk(outcomes, "deepagents").more["mounted"] == [len(VISIBLE), None]


def test_deepagents_refuses_a_damaged_file_alone(outcomes: Outcomes) -> None:
    *damaged, sound = talk(outcomes, "deepagents").more["damaged"]
    assert damaged == ["damaged or altered since it was packed: release-notes/house-rules.txt"] * 3
    assert sound is None


# ------------------------------------------------------------------ google-adk


def test_google_adk_gives_files_elsewhere_a_place_and_says_so(outcomes: Outcomes) -> None:
    told = talk(outcomes, "google_adk")
    lines = told.answers["load"].text.splitlines()
    assert (
        'Files of this skill, to be read with load_skill_resource(skill_name="release-notes", file_path=…):'
        in lines
    )
    assert "- references/house-style.md" in lines
    for path in ("house-rules.txt", "templates/deep/notes.tmpl", "scripts/render-notes"):
        assert f"- assets/{path} (elsewhere in these instructions: {path})" in lines
    rules, program = (Answer(**shown) for shown in told.more["places"])
    assert "Rules at the root." in rules.text
    assert BUNDLE.read(NOTES.name, "scripts/render-notes") in program.text


def test_google_adk_serves_the_places_through_its_own_toolset_too(outcomes: Outcomes) -> None:
    loaded, rules = (Answer(**shown) for shown in talk(outcomes, "google_adk").more["plain"])
    assert NOTES.body.rstrip("\n") in loaded.text
    assert "- assets/house-rules.txt (elsewhere" in loaded.text
    assert "Rules at the root." in rules.text


def test_google_adk_reads_a_long_file_in_pieces_and_answers_calls_without_arguments(
    outcomes: Outcomes,
) -> None:
    page, read, load = (Answer(**shown) for shown in talk(outcomes, "google_adk").more["page"])
    assert BUNDLE.read(NOTES.name, "house-rules.txt", 6, 3) in page.text
    assert read.error
    assert "needs the text argument name" in read.text
    assert load.error


def test_google_adk_lists_skills_on_request_when_told_to(outcomes: Outcomes) -> None:
    prompt, (listed,) = talk(outcomes, "google_adk").more["lazy"]
    for skill in BUNDLE.values():
        assert skill.name not in prompt
        assert (skill.name in listed["text"]) is not skill.hidden


def test_google_adk_offers_no_search_and_takes_a_filter_and_a_prefix(outcomes: Outcomes) -> None:
    told = talk(outcomes, "google_adk")
    assert "search_skills" not in told.prompt
    assert told.more["found"] == []
    filtered, chosen, prefixed, loaded = told.more["options"]
    for prompt in (filtered, chosen):
        assert '["load_skill", ' in prompt
        assert '["load_skill_resource", ' not in prompt
    assert '["my_load_skill", ' in prefixed
    assert 'my_load_skill_resource(skill_name="release-notes"' in loaded["text"]


def test_google_adk_says_nothing_of_skills_where_there_are_none(outcomes: Outcomes) -> None:
    told = talk(outcomes, "google_adk")
    assert "skill" not in told.more["none"]


def test_google_adk_finds_a_place_beside_a_file_that_has_it(outcomes: Outcomes) -> None:
    text = talk(outcomes, "google_adk").answers["load a skill without instructions"].text
    assert (
        "- assets/form-0.txt\n- assets/moved/form-0.txt (elsewhere in these instructions: form-0.txt)\n"
        in text
    )


def test_google_adk_refuses_what_active_skills_do_not_allow(outcomes: Outcomes) -> None:
    before, loaded, after, again = (Answer(**shown) for shown in talk(outcomes, "google_adk").more["policy"])
    assert "sent to all" in before.text
    assert '"lookup_order Bash(git log:*)"' in loaded.text
    assert after.error
    assert "'send_mail' is not allowed: the loaded skills (refund-orders) allow " in after.text
    assert not again.error


def test_google_adk_says_which_skill_it_does_not_take(outcomes: Outcomes) -> None:
    text = talk(outcomes, "google_adk").more["unfit"]
    assert text.startswith("google-adk does not take the skill 'unit_convert': ")
    assert "kebab-case" in text


# ------------------------------------------------------------------ langchain


def test_langchain_gives_the_same_to_agents_that_are_awaited(outcomes: Outcomes) -> None:
    for told in talks(outcomes, "langchain"):
        assert {step: Answer(**shown) for step, shown in told.more["awaited"].items()} == told.answers


def test_langchain_has_the_catalog_at_the_end_of_the_system_message(outcomes: Outcomes) -> None:
    told = talk(outcomes, "langchain")
    assert told.prompt.startswith(f"Help.\n\n{BUNDLE.catalog()}\ngo\n")
    assert told.more["alone"].startswith(f"{BUNDLE.catalog()}\ngo\n")
    mark = {"type": "text", "text": "Help.", "cache_control": {"type": "ephemeral"}}
    assert told.more["parts"] == [mark, {"type": "text", "text": BUNDLE.catalog()}]


def test_langchain_leaves_the_catalog_out_when_told_to_or_when_there_is_none(outcomes: Outcomes) -> None:
    told = talk(outcomes, "langchain")
    first, prompt = told.more["enum"]
    assert first == "human"
    assert '"enum": ["refund-orders", "release-notes", "spare-forms", "unit-convert"]' in prompt
    assert BUNDLE.catalog() not in prompt
    assert told.more["none"] == ["human", "go"]


def test_langchain_refuses_what_the_loaded_skills_of_a_session_do_not_allow(outcomes: Outcomes) -> None:
    for talked in talk(outcomes, "langchain").more["policy"]:
        before, loaded, after = (Answer(**shown) for shown in talked)
        assert before == Answer("sent to all")
        assert "# Refunds" in loaded.text
        assert after.error
        assert after.text.startswith("'send_mail' is not allowed: the loaded skills (refund-orders) allow ")


# ------------------------------------------------------------------ agent-framework


def test_agent_framework_lists_the_files_in_its_own_words(outcomes: Outcomes) -> None:
    told = talk(outcomes, "agent_framework")
    for path in FILES:
        assert f'<resource name="{path}"/>' in told.answers["load"].text
    assert "<available_resources />" in told.answers["load a skill without files"].text
    many = told.answers["load a skill without instructions"].text
    assert (
        "<instructions>\n(No instructions: this skill only names tools.)\nForms to fill in\n</instructions>"
        in many
    )
    assert many.count("<resource ") == 100
    assert many.endswith("\n\n… and 21 more resources.")


def test_agent_framework_asks_a_person_first_unless_told_otherwise(outcomes: Outcomes) -> None:
    told = talk(outcomes, "agent_framework")
    assert told.more["approvals"] == ["load_skill"]
    assert told.more["turns"] == 1  # the model waits


def test_agent_framework_has_no_tools_without_skills_and_tools_alone_for_hidden_ones(
    outcomes: Outcomes,
) -> None:
    more = talk(outcomes, "agent_framework").more
    assert more["none"] == "Help."
    prompt, loaded = more["hidden alone"]
    assert prompt.splitlines()[:2] == [
        "Help.",
        "load_skill: Loads the full instructions for a specific skill.",
    ]
    assert "Kept out of the catalog." in loaded


def test_agent_framework_answers_what_is_not_there_and_what_is_damaged(outcomes: Outcomes) -> None:
    more = talk(outcomes, "agent_framework").more
    unknown = "Error: no skill 'release-note'; did you mean release-notes? There are: refund-orders, release-notes, spare-forms, unit-convert"
    assert more["file of a wrong name"] == [unknown]
    assert more["scripts"] == [
        "Error: Script 'scripts/collect-notes.sh' not found in skill 'release-notes'.",
        "Error: Skill 'release-note' not found.",
    ]
    assert more["damaged"] == [
        f"Error: damaged or altered since it was packed: {place}"
        for place in (
            "release-notes/SKILL.md",
            "release-notes/house-rules.txt",
            "release-notes/assets/house-logo.png",
            "unit-convert",
        )
    ]


def test_agent_framework_refuses_what_the_skills_loaded_in_a_session_do_not_allow(outcomes: Outcomes) -> None:
    sent, loaded, again, refused, found, later = talk(outcomes, "agent_framework").more["policy"]
    assert sent == "sent to all"
    assert "# Refunds" in loaded
    assert again == loaded
    assert refused == f"Error: {refusal('read_skill_resource')}"
    assert found == "1: a kettle"
    assert later == refused  # in the session that was saved


def test_agent_framework_refuses_a_name_that_it_does_not_take_with_a_way_out(outcomes: Outcomes) -> None:
    message = talk(outcomes, "agent_framework").more["refused"]
    assert message.startswith("agent-framework does not take the skill Unit_Convert: Invalid skill name")
    assert message.endswith('or leave it out: bundle.select(["!Unit_Convert"])')


# ------------------------------------------------------------------ anthropic

CRLF = b"---\r\nname: house-letters\r\ndescription: Write letters\r\n---\r\n# Letters\r\n"
UPLOADED: SkillBundle = make_bundle(
    {
        "unit-convert": {"SKILL.md": skill_md("unit-convert", "Convert units")},
        "house-letters": {
            **FILES,
            "SKILL.md": CRLF,
            "templates/Grüße an „alle“.txt": "Liebe Grüße 🙂\r\n--\r\n".encode(),
        },
    },
    executable={"scripts/render-notes"},
)


class Uploaded(NamedTuple):
    """What the client of anthropic has sent to a service on this machine, and what it printed and touched meanwhile."""

    url: str
    uploads: list[Upload]
    printed: str
    versions: list[str]
    touched: list[str]


@pytest.fixture(scope="module")
def uploaded(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Uploaded:
    """Return what becomes of `UPLOADED`."""
    folder = tmp_path_factory.mktemp("uploaded")
    (folder / "packed.py").write_bytes(emitted(UPLOADED))
    marks = sorted({*UPLOADED, "SKILL.md", *(path.rpartition("/")[2] for path in FILES)})
    script = Path(adapters.__file__).with_name("upload_script.py")
    with service() as running:
        order = {
            "site": str(site),
            "folder": str(folder),
            "module": "packed",
            "marks": marks,
            "url": running.url,
        }
        done = adapters.answered("anthropic", script, asked=json.dumps(order))
        return Uploaded(running.url, running.uploads, **done)


def test_anthropic_uploads_every_file_of_a_skill_byte_for_byte(uploaded: Uploaded) -> None:
    created = uploaded.uploads[: len(UPLOADED)]
    assert [upload.target for upload in created] == ["/v1/skills"] * len(UPLOADED)
    for skill, upload in zip(UPLOADED.values(), created, strict=True):
        assert upload.files == [
            (f"{skill.name}/{path}", file.bytes(), file.media_type) for path, file in skill.files.items()
        ]


def test_anthropic_uploads_the_same_as_a_new_version(uploaded: Uploaded) -> None:
    created, versions = uploaded.uploads[: len(UPLOADED)], uploaded.uploads[len(UPLOADED) :]
    assert [upload.files for upload in versions] == [upload.files for upload in created]
    assert {upload.target for upload in versions} == {"/v1/skills/skill_0/versions"}
    assert uploaded.versions == ["version_3", "version_4"]


def test_anthropic_gives_the_id_of_each_skill_and_opens_nothing(uploaded: Uploaded) -> None:
    assert uploaded.printed == "house-letters skill_1\nunit-convert skill_2\n"
    host, port = uploaded.url.removeprefix("http://").split(":")
    assert uploaded.touched
    assert all(
        line.startswith("socket.connect ") and line.endswith(f"({host!r}, {port}))")
        for line in uploaded.touched
    )


# ------------------------------------------------------------------ haystack


def test_haystack_says_that_there_are_no_skills(outcomes: Outcomes) -> None:
    assert "No skills are currently available." in talk(outcomes, "haystack").more["none"]


def test_haystack_hands_on_what_is_not_there_and_what_is_damaged(outcomes: Outcomes) -> None:
    more = talk(outcomes, "haystack").more
    (unknown,) = (Answer(**shown) for shown in more["file of a wrong name"])
    assert unknown.error
    assert "Error: no skill 'release-note'; did you mean release-notes? There are: " in unknown.text
    answers = [Answer(**shown) for shown in more["damaged"]]
    for answer, place in zip(
        answers,
        ("release-notes/SKILL.md", "release-notes/assets/house-logo.png", "unit-convert"),
        strict=True,
    ):
        assert answer.error
        assert answer.text.endswith(f"Error: damaged or altered since it was packed: {place}")


def test_haystack_refuses_what_the_loaded_skills_do_not_allow(outcomes: Outcomes) -> None:
    more = talk(outcomes, "haystack").more
    sent, loaded, refused, found, read, later = (Answer(**shown) for shown in more["policy"])
    assert sent == Answer("sent to all")
    assert "# Refunds" in loaded.text
    assert refused == Answer(refusal("read_skill_file"), error=True)
    assert found == Answer("1: a kettle")
    assert read == Answer(TEXTS["house-rules.txt"])
    assert later == refused  # in the conversation that was saved
    (unwritten,) = more["yaml of a policy"]
    assert "a SkillPolicy is of one conversation and is not written with a pipeline" in unwritten


def test_haystack_writes_where_a_bundle_is_and_reads_it_from_there(outcomes: Outcomes) -> None:
    more = talk(outcomes, "haystack").more
    for key, path in {"yaml": "packed.bundle", "yaml of a path": "myagent.skills.bundle"}.items():
        text, body, files = more[key]
        assert f"init_parameters:\n              import_path: {path}\n" in text
        assert "skillpack.adapters.haystack.BundleSkillStore" in text
        assert not any(name in text for name in BUNDLE)
        assert body.startswith(BUNDLE["unit-convert"].body)
        assert files == "[]"


def test_haystack_knows_where_a_bundle_of_several_files_is(site: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    forms.write(BUNDLE, "package", tmp_path / "mine" / "packed_package")
    forms.write(BUNDLE, "data", tmp_path / "mine" / "packed_data")
    modules = ["mine.packed_package", "mine.packed_data"]
    order = {"site": str(site), "folder": str(tmp_path), "modules": modules}
    script = Path(adapters.__file__).with_name("pipeline_script.py")
    for name, (text, body, _) in zip(
        modules, adapters.answered("haystack", script, asked=json.dumps(order)), strict=True
    ):
        assert f"import_path: {name}.bundle\n" in text
        assert body.startswith(BUNDLE["unit-convert"].body)


def test_haystack_imports_only_what_it_trusts_and_writes_only_what_can_be_imported(
    outcomes: Outcomes,
) -> None:
    more = talk(outcomes, "haystack").more
    (refused,) = more["yaml that is not trusted"]
    assert "module 'packed': the module is not on the trusted-module allowlist" in refused
    (unwritten,) = more["yaml of a bundle made at run time"]
    assert "this bundle was made at run time, so there is no module to import it from" in unwritten
    assert unwritten.endswith('BundleSkillStore(bundle, "myagent.support.skills")')


# ------------------------------------------------------------------ openai-agents


def test_openai_agents_answers_arguments_that_are_none_and_what_is_damaged(outcomes: Outcomes) -> None:
    more = talk(outcomes, "openai_agents").more
    calls = [("load_skill", "{"), ("load_skill", "[]"), ("read_skill_resource", "{}")]
    assert more["senseless"] == [str(BUNDLE.call(*call)) for call in calls]
    assert more["damaged"] == [
        f"damaged or altered since it was packed: {place}"
        for place in ("release-notes/SKILL.md", "release-notes/assets/house-logo.png", "unit-convert")
    ]


def test_openai_agents_takes_a_session_and_offers_no_tools_without_skills(outcomes: Outcomes) -> None:
    more = talk(outcomes, "openai_agents").more
    session = BUNDLE.session()
    assert more["session"] == [session.load("unit-convert"), session.load("unit-convert")]
    assert more["none"] == 0


def test_openai_agents_refuses_what_the_loaded_skills_of_a_session_do_not_allow(outcomes: Outcomes) -> None:
    sent, loaded, refused, found = talk(outcomes, "openai_agents").more["policy"]
    assert sent == "sent to all"
    assert "# Refunds" in loaded
    assert refused == refusal("read_skill_resource")
    assert found == "1: a kettle"


def test_openai_agents_answers_in_the_words_of_the_bundle(outcomes: Outcomes) -> None:
    told = talk(outcomes, "openai_agents")
    assert BUNDLE.catalog() in told.prompt
    for step, (skill, path) in STEPS.items():
        answer = told.answers[step]
        if answer.data is None and step != "references/left-blank.md":
            sent = {"name": skill} if path is None else {"name": skill, "path": path}
            tool = "load_skill" if path is None else "read_skill_resource"
            assert answer.text == str(BUNDLE.call(tool, sent))
    assert told.answers["assets/house-rules.pdf"].text == "house-rules.pdf"  # its name goes with it


def test_openai_agents_puts_every_file_of_what_is_not_hidden_into_a_sandbox(
    outcomes: Outcomes,
) -> None:
    more = talk(outcomes, "openai_agents").more
    expected = {
        f".agents/{skill.name}/{path}": [
            "755" if file.executable else "644",
            base64.b64encode(file.bytes()).decode(),
        ]
        for skill in VISIBLE
        for path, file in skill.files.items()
    }
    assert more["sandbox"]["files"] == expected
    told = more["sandbox"]["told"]
    for skill in VISIBLE:
        assert f"- {skill.name}: {one_line(skill.description)} (file: .agents/{skill.name})\n" in told
    assert more["sandbox"]["again"] == expected
    assert list(more["sandbox elsewhere"]["files"]) == ["skills/unit-convert/SKILL.md"]
    assert "(file: skills/unit-convert)\n" in more["sandbox elsewhere"]["told"]


def test_openai_agents_refuses_a_sandbox_with_nothing_to_list_or_with_damage(outcomes: Outcomes) -> None:
    more = talk(outcomes, "openai_agents").more
    assert "there is no skill to put into a sandbox" in more["sandbox of nothing"]
    assert more["sandbox of damage"] == "damaged or altered since it was packed: refund-orders/SKILL.md"


def test_openai_agents_has_the_files_as_packed_in_a_real_sandbox(site: Path, tmp_path: Path) -> None:
    (tmp_path / "packed.py").write_bytes(emitted(BUNDLE))
    command = (
        "cd .agents && find . -type f -printf '%m %p\\n' | sort && find . -type f -exec sha256sum {} + | sort"
    )
    order = {"site": str(site), "folder": str(tmp_path), "module": "packed", "command": command}
    script = Path(adapters.__file__).with_name("sandbox_script.py")
    found = adapters.answered("openai_agents", script, asked=json.dumps(order))
    files = [(f"./{skill.name}/{path}", file) for skill in VISIBLE for path, file in skill.files.items()]
    modes = sorted(f"{'755' if file.executable else '644'} {path}" for path, file in files)
    digests = sorted(f"{file.digest.removeprefix('sha256:')}  {path}" for path, file in files)
    _, _, output = found["answer"].partition("Output:\n")
    assert output.splitlines() == [*modes, *digests]
    for skill in VISIBLE:
        assert (
            f"- {skill.name}: {one_line(skill.description)} (file: .agents/{skill.name})\n" in found["prompt"]
        )
    assert "hidden-ledger" not in found["prompt"]


# ------------------------------------------------------------------ what the README and pyproject.toml say


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_extra_installs_what_was_tested_or_newer(name: str) -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = f"{ADAPTERS[name].distribution}>={ADAPTERS[name].version}"
    assert project["optional-dependencies"][name.replace("_", "-")] == [wanted]


def test_what_the_readme_shows_of_an_adapter_is_the_example_of_its_docstring(outcomes: Outcomes) -> None:
    shown = [block.text for block in readme.blocks() if "skillpack.adapters" in block.text]
    assert shown
    assert {*shown} <= {f"{outcomes(name).example.code}\n" for name in CONVERSING}


def test_the_table_of_the_readme_is_of_this_run(outcomes: Outcomes, uploaded: Uploaded) -> None:
    alike = {"anthropic": len(uploaded.uploads) == 2 * len(UPLOADED)}
    for name in CONVERSING:
        told = talks(outcomes, name)
        alike[name] = all(one == told[0] and not one.answers["load"].error for one in told)
    text = readme.PATH.read_text(encoding="utf-8")
    written = readme.with_table(text, "adapters", adapters.table(alike))
    if os.environ.get("SKILLPACK_WRITE_README"):
        readme.PATH.write_text(written, encoding="utf-8")
    else:
        assert text == written
