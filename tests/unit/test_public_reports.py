"""What people reported about packaging, shipping, loading and validating skills, and what becomes of it here.

Each row of the list of public reports has a test: its input is made here, its right behaviour is asserted.
"""

from __future__ import annotations

import ast
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from skillpack.rules import Level
from skillpack.runtime import ResourceNotFoundError, SkillNotFoundError
from support import artifacts, hatch_builds, projects
from support.archives import make_zip
from support.bundles import skill_md
from support.emitted import executed
from support.packing import Outcome, pack, skillpack
from support.told import told

if TYPE_CHECKING:
    from collections.abc import Mapping

TESTS = Path(__file__).parents[1]


class Row(NamedTuple):
    """A report and the test that holds its right behaviour: a name of this module, or `file.py::name`."""

    report: str
    test: str


ROWS = {
    "A1": Row("chrisbanes/skills#7", "test_a_colon_in_a_description_is_placed_and_the_quoted_line_proposed"),
    "A2": Row("BuilderIO/skills#38", "test_a_broken_skill_is_named_and_never_dropped_beside_a_good_one"),
    "A3": Row("mintlify/docs#6061", "test_a_colon_in_a_description_is_placed_and_the_quoted_line_proposed"),
    "A4": Row("tanweai/pua#147", "test_a_colon_in_a_description_is_placed_and_the_quoted_line_proposed"),
    "A5": Row("context-labs/whip#107", "test_a_block_of_text_is_read_as_yaml_reads_it"),
    "A6": Row("anthropics/claude-code#16983", "test_a_lower_case_skill_md_is_refused_by_its_name"),
    "A7": Row("google-gemini/gemini-cli#16022", "test_two_skills_of_one_name_are_refused_with_both_paths"),
    "A8": Row("openai/codex#13941", "test_a_description_has_at_most_1024_characters_not_bytes"),
    "A9": Row("amElnagdy/delegate-skills#4", "test_a_folded_description_is_counted_after_folding"),
    "A10": Row(
        "anthropics/claude-code#56966", "test_the_size_of_the_catalog_is_shown_and_can_fail_the_build"
    ),
    "A11": Row("NousResearch/hermes-agent#28421", "test_a_wheel_has_the_skills_that_lie_beside_the_package"),
    "A12": Row("NousResearch/hermes-agent#66733", "test_verify_compares_a_wheel_with_the_skills_of_the_tree"),
    "A13": Row("NousResearch/hermes-agent#69476", "test_equal_names_in_two_skills_stay_two_files"),
    "A14": Row("ashutoshsinghpr7/wikiskill#29", "test_an_editable_install_has_the_module_of_the_wheel"),
    "A15": Row(
        "dgunning/edgartools#479", "test_files_of_every_type_and_directories_of_every_name_are_packed"
    ),
    "A16": Row("s-nagaev/chibi#120", "test_a_wheel_has_the_skills_that_lie_beside_the_package"),
    "A17": Row("huangruiteng/loopx#4051", "test_a_module_serves_without_a_file_of_its_own"),
    "A18": Row("withastro/flue#16", "test_a_module_in_a_zip_opens_no_file_once_it_is_loaded"),
    "B19": Row("openai/openai-agents-python#5040", "test_a_block_of_text_is_read_as_yaml_reads_it"),
    "B20": Row("garrytan/gbrain#1713", "test_an_empty_block_is_an_empty_description"),
    "B21": Row("googleworkspace/cli#521", "test_flow_style_is_accepted"),
    "B22": Row("agentskills/agentskills#536", "test_files_are_utf_8_whatever_the_locale_says"),
    "B23": Row("anthropics/skills#35", "test_unknown_keys_are_listed_with_a_hint"),
    "B24": Row(
        "vercel-labs/agent-skills#80", "test_a_name_unlike_its_directory_is_a_warning_and_strict_an_error"
    ),
    "B25": Row(
        "nextlevelbuilder/ui-ux-pro-max-skill#266",
        "test_all_names_unlike_their_directories_are_in_one_message",
    ),
    "B26": Row("netclaw-dev/netclaw#541", "test_a_mismatch_can_be_allowed_for_one_source"),
    "B27": Row("laurigates/claude-plugins#1606", "test_every_lower_case_skill_md_counts"),
    "B28": Row("vercel-labs/skills#897", "test_only_equal_skills_of_two_sources_are_merged_and_it_is_said"),
    "B29": Row("JuliusBrussee/caveman#898", "test_the_size_of_the_catalog_is_shown_and_can_fail_the_build"),
    "B30": Row(
        "anthropics/claude-code#80469", "test_what_looks_like_a_tag_is_a_warning_and_escaped_in_the_catalog"
    ),
    "B31": Row("openabdev/openab#963", "test_text_in_the_catalog_is_escaped_and_quotes_only_in_attributes"),
    "B32": Row("openclaw/openclaw#64215", "test_the_catalog_is_in_the_order_of_names_whatever_the_roots"),
    "B33": Row("anomalyco/opencode#29950", "test_a_copy_in_a_second_root_never_changes_what_is_packed"),
    "B34": Row(
        "fusedio/fused-render#524", "test_a_new_directory_needs_no_configuration_and_a_removed_one_goes"
    ),
    "B35": Row("noontide-co/mainbranch#134", "test_nothing_to_pack_is_refused_unless_it_is_allowed"),
    "B36": Row("pipefy/ai-toolkit#699", "test_skills_may_lie_outside_the_package_and_the_project"),
    "B37": Row("dstackai/dstack#2544", "test_an_ignored_module_is_in_the_wheel_once_also_by_way_of_an_sdist"),
    "B38": Row("keboola/cli#623", "test_an_ignored_module_is_in_the_wheel_once_also_by_way_of_an_sdist"),
    "B39": Row("pypa/hatch#1787", "test_skills_inside_the_package_that_ship_twice_are_told"),
    "B40": Row("MoonshotAI/kimi-cli#1912", "test_a_module_serves_without_a_file_of_its_own"),
    "B41": Row("Tracer-Cloud/opensre#4949", "test_a_smoke_test_can_count_and_verify_what_an_artifact_holds"),
    "B42": Row("letta-ai/lettabot#578", "test_a_module_serves_without_a_file_of_its_own"),
    "B43": Row("python/cpython#121735", "test_a_module_in_a_zip_opens_no_file_once_it_is_loaded"),
    "B44": Row("NousResearch/hermes-agent#81770", "test_every_command_sees_the_same_tree"),
    "B45": Row("vercel-labs/skills#1241", "test_a_local_file_is_a_warning_until_it_is_excluded"),
    "B46": Row("daymade/claude-code-skills#384", "test_what_tools_leave_behind_is_left_out_and_listed"),
    "B47": Row(
        "earendil-works/pi#1294", "unit/test_hostile_inputs.py::test_a_venv_of_36_000_files_is_not_read"
    ),
    "B48": Row("christiananagnostou/skillbox#99", "test_the_execute_bit_is_recorded_and_given_back"),
    "B49": Row("instavm/open-skills#11", "test_a_path_is_a_key_and_nothing_else"),
    "B50": Row("omnigent-ai/omnigent#5638", "test_skills_in_a_group_are_found_where_the_hint_says"),
    "B51": Row("vercel-labs/skills#781", "test_line_ends_count_in_digests_and_crlf_is_a_warning"),
    "C52": Row("secondsky/sap-skills#46", "test_a_markdown_link_as_a_value_is_to_be_quoted"),
    "C53": Row("openclaw/clawhub#575", "test_both_spellings_in_one_directory_are_refused"),
    "C54": Row(
        "AltimateAI/altimate-code#1276", "test_the_refusal_of_a_name_does_not_depend_on_the_order_on_disk"
    ),
    "C55": Row("can1357/oh-my-pi#274", "test_the_catalog_of_50_skills_is_the_same_bytes_each_time"),
    "C56": Row("deepnote/deepnote#314", "test_no_path_of_the_build_is_in_what_is_built"),
    "C57": Row("python/importlib_resources#287", "test_a_module_in_a_zip_opens_no_file_once_it_is_loaded"),
    "C58": Row("agentscope-ai/QwenPaw#4851", "test_what_pip_left_behind_is_not_packed_and_told"),
    "C59": Row(
        "sudoprivacy/sudowork#657", "test_a_new_directory_needs_no_configuration_and_a_removed_one_goes"
    ),
    "C60": Row("nextgenusfs/funannotate#1176", "test_the_execute_bit_is_recorded_and_given_back"),
    "C61": Row("pypa/installer#68", "test_the_execute_bit_is_recorded_and_given_back"),
    "C62": Row("BaseIntelligence/bounty-challenge#9271", "test_a_name_is_no_path"),
    "C63": Row("sgolestane/java-agent#78", "test_a_name_with_a_backslash_is_refused"),
    "C64": Row("AdamWaldie/WaldosMissionPack#56", "test_paths_have_slashes_everywhere"),
    "C65": Row(
        "anthropics/skills#549", "test_a_reader_who_writes_a_name_in_other_letters_is_told_the_right_one"
    ),
    "C66": Row("langgenius/mosoo#205", "test_files_of_every_type_and_directories_of_every_name_are_packed"),
    "C67": Row("NousResearch/hermes-agent#58827", "test_line_ends_count_in_digests_and_crlf_is_a_warning"),
}
"""Every report by its rank in the list."""


def test_every_report_has_a_test() -> None:
    ranks = [f"{'A' if number <= 18 else 'B' if number <= 51 else 'C'}{number}" for number in range(1, 68)]
    assert list(ROWS) == ranks
    assert len({row.report for row in ROWS.values()}) == len(ROWS)
    for row in ROWS.values():
        file, _, name = row.test.rpartition("::")
        source = (TESTS / file if file else Path(__file__)).read_text(encoding="utf-8")
        assert name in {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def test_every_test_of_this_module_is_that_of_a_report() -> None:
    here = {name for name in globals() if name.startswith("test_")}
    own = {"test_every_report_has_a_test", "test_every_test_of_this_module_is_that_of_a_report"}
    assert here - own == {row.test for row in ROWS.values() if "::" not in row.test}


def plant(root: Path, skills: Mapping[str, bytes | str]) -> Path:
    """Write files below the skills root of a project."""
    return projects.write(root, {f"skills/{path}": data for path, data in skills.items()})


def described(root: Path, *lines: str, **options: str) -> Outcome:
    """Pack one skill with these lines for its description."""
    text = "\n".join(("---", "name: demo", *lines, "---", "", "Do it.", ""))
    return pack(plant(root, {"demo/SKILL.md": text}), **options)


def run_module(directory: Path, code: str) -> str:
    """Run code with nothing but the standard library."""
    command = [sys.executable, "-S", "-I", "-c", code]
    return subprocess.run(command, cwd=directory, check=True, capture_output=True, text=True).stdout


# ------------------------------------------------------------------ reading SKILL.md


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("Build motion: enter and exit", 26),
        ("Deploys docs. Triggers: publish, release", 36),
        ("模式 - Triggers on: '/x'", 30),
    ],
)
def test_a_colon_in_a_description_is_placed_and_the_quoted_line_proposed(
    tmp_path: Path, text: str, column: int
) -> None:
    finding = described(tmp_path / "a", f"description: {text}").one("yaml-invalid")
    assert finding.level is Level.ERROR
    assert finding.place() == f"skills/demo/SKILL.md:3:{column}"
    proposed = finding.hint.partition(": ")[2]
    assert proposed == f'description: "{text}"'
    assert proposed in told(finding)
    assert described(tmp_path / "b", proposed).packed["demo"].description == text
    lenient = described(tmp_path / "c", f"description: {text}", level="lenient")
    assert lenient.packed["demo"].description == text


@pytest.mark.parametrize(
    "command", [("check",), ("check", "--select", "efficient-frontier"), ("bundle", "-o", "m.py")]
)
def test_a_broken_skill_is_named_and_never_dropped_beside_a_good_one(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    broken = "---\nname: {0}\ndescription: Use when: {0}\n---\nBody\n"
    plant(
        tmp_path,
        {
            "good/SKILL.md": skill_md("good"),
            "efficient-frontier/SKILL.md": broken.format("efficient-frontier"),
            "efficient-frontier-2/SKILL.md": broken.format("efficient-frontier-2"),
        },
    )
    result = skillpack(tmp_path, *command)
    assert result.exit_code == 1
    assert "skills/efficient-frontier/SKILL.md:3:22: error: yaml-invalid" in result.stderr
    assert ("skills/efficient-frontier-2/SKILL.md" in result.stderr) == ("--select" not in command)
    assert "no-skills" not in result.stderr
    assert not (tmp_path / "m.py").exists()


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("description: >-", "  line one", "  line two"), "line one line two"),
        (("description: |-", '  "Use for triage"'), '"Use for triage"'),
        (("description: |", "  line one", "  line two"), "line one\nline two\n"),
    ],
)
def test_a_block_of_text_is_read_as_yaml_reads_it(tmp_path: Path, lines: tuple[str, ...], text: str) -> None:
    bundle = described(tmp_path, *lines).packed
    assert bundle["demo"].description == text
    assert bundle.catalog().endswith(f"- **demo**: {' '.join(text.split())}")


@pytest.mark.parametrize("mark", ["|", ">-"])
def test_an_empty_block_is_an_empty_description(tmp_path: Path, mark: str) -> None:
    error = described(tmp_path, f"description: {mark}").one("description-missing")
    assert (error.level, error.message) == (Level.ERROR, "description is blank")


def test_a_lower_case_skill_md_is_refused_by_its_name(tmp_path: Path) -> None:
    error = pack(plant(tmp_path, {"x/skill.md": skill_md("x")})).one("skill-md-case")
    assert error.level is Level.ERROR
    assert told(error) == (
        "skills/x/skill.md: error: skill-md-case: named skill.md and not SKILL.md\n  hint: rename it to SKILL.md"
    )


def test_every_lower_case_skill_md_counts(tmp_path: Path) -> None:
    plant(tmp_path, {f"s{number}/skill.md": skill_md(f"s{number}") for number in range(45)})
    plant(tmp_path, {"good/SKILL.md": skill_md("good")})
    result = skillpack(tmp_path, "check")
    assert result.exit_code == 1
    assert result.stderr.count(": error: skill-md-case: ") == 45
    assert "refused: 45 errors" in result.stderr


def test_both_spellings_in_one_directory_are_refused(tmp_path: Path) -> None:
    plant(tmp_path, {"x/SKILL.md": skill_md("x"), "x/skill.md": "other\n"})
    error = pack(tmp_path).one("skill-md-case")
    assert error.level is Level.ERROR
    assert "SKILL.md and skill.md" in error.message


def test_a_description_has_at_most_1024_characters_not_bytes(tmp_path: Path) -> None:
    error = described(tmp_path / "a", f"description: {'x' * 1025}").one("description-length")
    assert error.level is Level.ERROR
    assert error.message == "description has 1025 characters; at most 1024 are allowed"
    assert described(tmp_path / "b", f"description: {'漢' * 1024}").packed["demo"].description == "漢" * 1024


def test_a_folded_description_is_counted_after_folding(tmp_path: Path) -> None:
    # 30 lines of 35 characters become one of 30 * 35 + 29; the last of them makes it the report's 1,086.
    rows = ["  " + "x" * 35] * 29 + ["  " + "x" * 42]
    error = described(tmp_path, "description: >-", *rows).one("description-length")
    assert error.message == "description has 1086 characters; at most 1024 are allowed"


def test_flow_style_is_accepted(tmp_path: Path) -> None:
    outcome = described(tmp_path, "description: d", "metadata:", '  bins: ["gws"]')
    assert outcome.packed["demo"].frontmatter["metadata"] == {"bins": ["gws"]}
    assert outcome.one("yaml-flow").level is Level.NOTE


def test_a_markdown_link_as_a_value_is_to_be_quoted(tmp_path: Path) -> None:
    error = described(tmp_path, "description: d", "docs: [text](url)").one("yaml-invalid")
    assert error.place() == "skills/demo/SKILL.md:4:13"
    assert error.hint == 'quote the value: docs: "[text](url)"'


def test_files_are_utf_8_whatever_the_locale_says(tmp_path: Path) -> None:
    text = "Prüft Übersetzungen — schnell"
    plant(tmp_path, {"demo/SKILL.md": skill_md("demo", text), "demo/ü.md": "é\n"})
    command = [sys.executable, "-X", "utf8=0", "-m", "skillpack", "bundle", "skills", "-o", "m.py"]
    environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    module = (tmp_path / "m.py").read_bytes()
    assert executed(module)["demo"].description == text
    assert module == pack(tmp_path).module


def test_unknown_keys_are_listed_with_a_hint(tmp_path: Path) -> None:
    lines = ("description: d", "version: 1.0.0", "author: me", "category: docs")
    finding = described(tmp_path / "a", *lines).one("field-unknown")
    assert finding.level is Level.NOTE
    assert finding.message == "fields beyond the six of the format: version, author, category"
    assert finding.hint == "move it under metadata"
    assert described(tmp_path / "b", *lines, level="strict").one("field-unknown").level is Level.ERROR


# ------------------------------------------------------------------ names


def test_a_name_unlike_its_directory_is_a_warning_and_strict_an_error(tmp_path: Path) -> None:
    plant(tmp_path, {"react-x/SKILL.md": skill_md("vercel-react-x", "Reacts")})
    outcome = pack(tmp_path)
    assert outcome.one("name-mismatch").level is Level.WARNING
    assert outcome.packed.catalog().endswith("- **vercel-react-x**: Reacts")
    error = pack(tmp_path, level="strict").one("name-mismatch")
    assert error.level is Level.ERROR
    assert error.message == "name and directory differ: react-x is named vercel-react-x"


def test_all_names_unlike_their_directories_are_in_one_message(tmp_path: Path) -> None:
    plant(tmp_path, {f"{name}/SKILL.md": skill_md(f"p-{name}") for name in "abcdef"})
    message = pack(tmp_path).one("name-mismatch").message
    assert all(f"{name} is named p-{name}" in message for name in "abcdef")


def test_a_mismatch_can_be_allowed_for_one_source(tmp_path: Path) -> None:
    files = {"vendor/x/SKILL.md": skill_md("p-x"), "own/y/SKILL.md": skill_md("p-y")}
    projects.write(tmp_path, files)
    override = {"paths": ["vendor/**"], "rules": {"name-mismatch": "off"}}
    outcome = pack(tmp_path, skills=["vendor", "own"], level="strict", overrides=[override])
    assert [error.place() for error in outcome.errors] == ["own/y/SKILL.md"]
    assert [*pack(tmp_path, skills=["vendor"], level="strict", overrides=[override]).packed] == ["p-x"]


def test_two_skills_of_one_name_are_refused_with_both_paths(tmp_path: Path) -> None:
    plant(tmp_path, {"a/SKILL.md": skill_md("same", "One"), "b/SKILL.md": skill_md("same", "Other")})
    error = pack(tmp_path).one("name-duplicate")
    assert error.level is Level.ERROR
    assert error.message == "skills/a and skills/b both have the name same"


def test_the_refusal_of_a_name_does_not_depend_on_the_order_on_disk(tmp_path: Path) -> None:
    texts = set()
    for order in ("abc", "cab", "bca"):
        for directory in order:
            plant(tmp_path / order, {f"{directory}/SKILL.md": skill_md("same", f"From {directory}")})
        texts.add(tuple(told(error) for error in pack(tmp_path / order).errors))
    assert len(texts) == 1
    assert len(texts.pop()) == 2


def test_only_equal_skills_of_two_sources_are_merged_and_it_is_said(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {f"{root}/x/SKILL.md": skill_md("x") for root in ("a", "b")}
    projects.write(tmp_path, {**files, "a/x/notes.md": "One\n", "b/x/notes.md": "One\n"})
    merged = pack(tmp_path, skills=["a", "b"])
    assert [*merged.packed] == ["x"]
    assert merged.one("skill-repeated").message == "a/x and b/x are the same skill; the first is packed"
    projects.write(tmp_path, {"b/x/notes.md": "Other\n"})
    assert pack(tmp_path, skills=["a", "b"]).one("name-duplicate").level is Level.ERROR


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "a\\b", ".."])
def test_a_name_is_no_path(tmp_path: Path, name: str) -> None:
    plant(tmp_path, {"demo/SKILL.md": skill_md(name), "good/SKILL.md": skill_md("good")})
    error = pack(tmp_path, level="lenient").one("name-unsafe")
    assert error.level is Level.ERROR
    bundle = pack(plant(tmp_path / "good", {"good/SKILL.md": skill_md("good")})).packed
    with pytest.raises(SkillNotFoundError):
        bundle.load(name)


# ------------------------------------------------------------------ the catalog


def test_the_size_of_the_catalog_is_shown_and_can_fail_the_build(tmp_path: Path) -> None:
    description = "Does what it says. " + "x" * 381
    plant(tmp_path, {f"s{n:03}/SKILL.md": skill_md(f"s{n:03}", description) for n in range(119)})
    plant(tmp_path, {"dear/SKILL.md": skill_md("dear", description + "x" * 100)})
    assert skillpack(tmp_path, "bundle", "skills", "-o", "m.py").exit_code == 0
    tokens = executed((tmp_path / "m.py").read_bytes()).catalog_cost()["catalog"]["tokens"]
    assert 12_000 < tokens < 13_000
    assert f"catalog about {tokens:,} tokens" in skillpack(tmp_path, "inspect", "m.py").stdout
    refused = skillpack(tmp_path, "check", "--max-catalog-chars", "6000")
    assert refused.exit_code == 1
    table = re.search(r"max-catalog-chars is 6,000: (.*)", refused.stderr)
    assert table
    costs = [int(entry.rpartition(" ")[2]) for entry in table[1].split(", ")]
    assert table[1].startswith("dear ")
    assert len(costs) == 120
    assert costs == sorted(costs, reverse=True)


def test_what_looks_like_a_tag_is_a_warning_and_escaped_in_the_catalog(tmp_path: Path) -> None:
    outcome = described(tmp_path, "description: port to <service>")
    assert outcome.one("description-markup").level is Level.WARNING
    assert "port to &lt;service&gt;" in outcome.packed.catalog(style="xml")


def test_text_in_the_catalog_is_escaped_and_quotes_only_in_attributes(tmp_path: Path) -> None:
    plant(tmp_path, {"demo/SKILL.md": skill_md("demo", """'a < b & c: "d" isn''t'"""), 'demo/it"s.md': "x\n"})
    bundle = pack(tmp_path, level="lenient").packed
    assert """a &lt; b &amp; c: "d" isn't""" in bundle.catalog(style="xml")
    assert '<file path="it&quot;s.md">' in bundle.load("demo")


def test_the_catalog_is_in_the_order_of_names_whatever_the_roots(tmp_path: Path) -> None:
    names = {"one": ["b", "a-b"], "two": ["c", "a"], "three": ["ab", "a0"]}
    for root, skills in names.items():
        projects.write(tmp_path, {f"{root}/{name}/SKILL.md": skill_md(name) for name in skills})
    catalogs = {
        pack(tmp_path, skills=order).packed.catalog()
        for order in (["one", "two", "three"], ["three", "one", "two"])
    }
    (catalog,) = catalogs
    assert re.findall(r"^- \*\*(.*?)\*\*", catalog, re.MULTILINE) == ["a", "a-b", "a0", "ab", "b", "c"]


def test_a_copy_in_a_second_root_never_changes_what_is_packed(tmp_path: Path) -> None:
    projects.write(tmp_path, {f"{root}/x/SKILL.md": skill_md("x") for root in ("a", "b")})
    outcomes = [pack(tmp_path, skills=order) for order in (["a", "b"], ["b", "a"])]
    assert [outcome.one("skill-repeated").path for outcome in outcomes] == ["b/x/SKILL.md", "a/x/SKILL.md"]
    assert len({outcome.module for outcome in outcomes}) == 1
    same = pack(tmp_path, skills=["a", "./a"])
    assert same.one("root-repeated").level is Level.NOTE
    assert [*same.packed] == ["x"]


def test_the_catalog_of_50_skills_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    names = [f"skill-{number}" for number in range(50)]
    outcomes = []
    for seed in range(3):
        random.Random(seed).shuffle(names)
        for name in names:
            plant(tmp_path / str(seed), {f"{name}/SKILL.md": skill_md(name)})
        outcomes.append(pack(tmp_path / str(seed)))
    assert len({outcome.packed.catalog().encode() for outcome in outcomes}) == 1
    assert len({outcome.module for outcome in outcomes}) == 1


# ------------------------------------------------------------------ files


def test_files_of_every_type_and_directories_of_every_name_are_packed(tmp_path: Path) -> None:
    fonts = {f"demo/canvas-fonts/font-{number}.ttf": b"\0\1\0\0" + bytes([number]) for number in range(80)}
    other: dict[str, bytes | str] = {
        "demo/SKILL.md": skill_md("demo"),
        "demo/reading.md": "more\n",
        "demo/data.csv": "a,b\n",
        "demo/Makefile": "all:\n",
        "demo/dist/index.js": "1\n",
        "demo/.gitignore": "*.tmp\n",
        "demo/any name/é.bin": b"\xff\0",
    }
    plant(tmp_path, {**fonts, **other})
    files = pack(tmp_path).packed["demo"].files
    assert {f"demo/{path}" for path in files} == {*fonts, *other}
    assert all(files[path.removeprefix("demo/")].bytes() == data for path, data in fonts.items())


def test_equal_names_in_two_skills_stay_two_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        plant(tmp_path, {f"{name}/SKILL.md": skill_md(name), f"{name}/references/x.md": f"Of {name}\n"})
    bundle = executed(pack(tmp_path).module)
    assert [bundle.read(name, "references/x.md") for name in ("a", "b")] == ["Of a\n", "Of b\n"]


def test_a_local_file_is_a_warning_until_it_is_excluded(tmp_path: Path) -> None:
    plant(tmp_path, {"demo/SKILL.md": skill_md("demo"), "demo/SKILL.local.md": "mine\n"})
    warned = pack(tmp_path)
    assert warned.lines == ["skills/demo/SKILL.local.md: warning: local-file"]
    assert "SKILL.local.md" in warned.packed["demo"].files
    excluded = pack(tmp_path, exclude=["*.local.*"])
    assert excluded.lines == ["skills/demo/SKILL.local.md: note: excluded"]
    assert [*excluded.packed["demo"].files] == ["SKILL.md"]


def test_what_tools_leave_behind_is_left_out_and_listed(tmp_path: Path) -> None:
    state = (".in_use", ".ruff_cache", ".pytest_cache", "node_modules", "__pycache__")
    plant(tmp_path, {"demo/SKILL.md": skill_md("demo"), **{f"demo/{name}/x": "x\n" for name in state}})
    outcome = pack(tmp_path)
    assert [*outcome.packed["demo"].files] == ["SKILL.md"]
    assert outcome.lines == [f"skills/demo/{name}: note: left-out" for name in sorted(state)]


def test_what_pip_left_behind_is_not_packed_and_told(tmp_path: Path) -> None:
    plant(tmp_path, {"~ron/SKILL.md": skill_md("cron"), "cron/SKILL.md": skill_md("cron", "New")})
    outcome = pack(tmp_path)
    assert outcome.lines == ["skills/~ron: warning: left-out"]
    assert outcome.packed["cron"].description == "New"


def test_the_execute_bit_is_recorded_and_given_back(tmp_path: Path) -> None:
    umask = os.umask(0o077)
    try:
        project = projects.write(tmp_path / "agent", projects.agent())
        built = hatch_builds.build(project)
    finally:
        os.umask(umask)
    assert set(artifacts.modes(built.artifact()).values()) == {0o644}
    bundle = executed(built.files["agent/skills.py"])
    out = Path(bundle.extract("sing", str(tmp_path)))
    for path, executable in (("scripts/hum.sh", True), ("SKILL.md", False)):
        assert bundle["sing"].file(path).executable is executable
        assert bool((out / path).stat().st_mode & 0o100) is executable
    manifest = json.loads(built.files["agent-1.0.dist-info/extra_metadata/skillpack.json"])
    recorded = {file["path"]: file["executable"] for file in manifest["skills"][1]["files"]}
    assert recorded["scripts/hum.sh"] is True
    assert recorded["SKILL.md"] is False


def test_a_name_with_a_backslash_is_refused(tmp_path: Path) -> None:
    plant(tmp_path, {"demo/SKILL.md": skill_md("demo"), "demo/a\\b.md": "one\n", "demo/a/b.md": "other\n"})
    error = pack(tmp_path).one("path-windows")
    assert (error.level, error.path) == (Level.ERROR, "skills/demo/a\\b.md")
    files = pack(tmp_path, level="lenient").packed["demo"].files
    assert [files[path].text() for path in ("a\\b.md", "a/b.md")] == ["one\n", "other\n"]


def test_paths_have_slashes_everywhere(tmp_path: Path) -> None:
    project = projects.write(tmp_path / "agent", projects.agent())
    for target in ("wheel", "sdist"):
        assert not any("\\" in path for path in hatch_builds.build(project, target).files)
    bundle = pack(project).packed
    assert "references/notes.md" in bundle["sing"].files
    assert "\\" not in json.dumps([file for skill in bundle.manifest["skills"] for file in skill["files"]])


def test_line_ends_count_in_digests_and_crlf_is_a_warning(tmp_path: Path) -> None:
    outcomes = []
    for name, end in (("lf", b"\n"), ("crlf", b"\r\n")):
        plant(tmp_path / name, {"demo/SKILL.md": skill_md("demo").replace(b"\n", end)})
        outcomes.append(pack(tmp_path / name))
    lf, crlf = outcomes
    assert lf.findings == ()
    assert crlf.one("crlf").level is Level.WARNING
    assert "`SKILL.md text eol=lf` in .gitattributes" in crlf.one("crlf").hint
    assert crlf.packed["demo"].file("SKILL.md").bytes().count(b"\r\n") == 5
    assert lf.packed.digest != crlf.packed.digest


def test_every_command_sees_the_same_tree(tmp_path: Path) -> None:
    plant(tmp_path, {"good/SKILL.md": skill_md("good")})
    projects.write(tmp_path, {"elsewhere/linked/SKILL.md": skill_md("linked")})
    assert skillpack(tmp_path, "bundle", "skills", "-o", "m.py").exit_code == 0
    (tmp_path / "skills/linked").symlink_to("../elsewhere/linked")
    told = set()
    for command in (
        ("check", "skills"),
        ("bundle", "skills", "-o", "m.py"),
        ("bundle", "skills", "-o", "m.py", "--check"),
        ("verify", "m.py", "--against", "skills"),
    ):
        result = skillpack(tmp_path, *command)
        assert result.exit_code == 1
        told.add(re.search(r"skills/linked: error: symlink: .*", result.stderr + result.stdout))
    assert {match and match[0] for match in told} == {
        "skills/linked: error: symlink: a symbolic link to elsewhere/linked"
    }


def test_skills_in_a_group_are_found_where_the_hint_says(tmp_path: Path) -> None:
    plant(tmp_path, {"group/one/SKILL.md": skill_md("one"), "two/SKILL.md": skill_md("two")})
    outcome = pack(tmp_path)
    assert outcome.lines == ["skills/group: warning: skill-md-missing"]
    assert outcome.findings[0].hint == 'add "skills/group" to `skills`'
    assert [*pack(tmp_path, skills=["skills", "skills/group"]).packed] == ["one", "two"]


# ------------------------------------------------------------------ the set as a whole


def test_nothing_to_pack_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    assert pack(tmp_path).one("no-skills").level is Level.ERROR
    assert [*pack(tmp_path, allow_empty=True).packed] == []
    project = projects.write(tmp_path / "agent", {**projects.PACKAGE, "pyproject.toml": projects.pyproject()})
    (project / "skills").mkdir()
    refused = hatch_builds.build(project)
    assert refused.path is None
    assert any("error: no-skills: " in line for line in refused.app.errors)


def test_a_new_directory_needs_no_configuration_and_a_removed_one_goes(tmp_path: Path) -> None:
    project = projects.write(tmp_path / "agent", projects.agent())
    assert skillpack(project, "bundle").exit_code == 0
    projects.write(project, projects.below("skills", projects.skill("walk")))
    for path in sorted((project / "skills/dance").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (project / "skills/dance").rmdir()
    assert skillpack(project, "bundle").exit_code == 0
    module = (project / "src/agent/skills.py").read_bytes()
    assert [*executed(module)] == ["sing", "walk"]
    assert b"dance" not in module


# ------------------------------------------------------------------ wheels


def test_a_wheel_has_the_skills_that_lie_beside_the_package(tmp_path: Path) -> None:
    project = projects.write(tmp_path / "agent", projects.agent())
    built = hatch_builds.build(project)
    assert built.packages == {"agent/__init__.py", "agent/skills.py"}
    bundle = executed(built.files["agent/skills.py"])
    assert [*bundle] == ["dance", "sing"]
    assert bundle["sing"].file("references/notes.md").text() == "Take your time.\n"


def test_verify_compares_a_wheel_with_the_skills_of_the_tree(tmp_path: Path) -> None:
    project = projects.write(tmp_path / "agent", projects.agent())
    wheel = str(hatch_builds.build(project).artifact())
    assert skillpack(project, "verify", wheel, "--against", "skills").exit_code == 0
    projects.write(project, projects.below("skills", projects.skill("walk")))
    result = skillpack(project, "verify", wheel, "--against", "skills")
    assert result.exit_code == 1
    assert "walk" in result.output
    bare = projects.write(
        tmp_path / "bare", {**projects.agent(), "pyproject.toml": projects.pyproject(hook="")}
    )
    result = skillpack(bare, "verify", str(hatch_builds.build(bare).artifact()), "--against", "skills")
    assert result.exit_code == 1
    assert "holds no skillpack module" in result.stderr


def test_an_editable_install_has_the_module_of_the_wheel(tmp_path: Path) -> None:
    project = projects.write(tmp_path / "agent", projects.agent())
    wheel = hatch_builds.build(project)
    hatch_builds.build(project, version="editable").artifact()
    assert (project / "src/agent/skills.py").read_bytes() == wheel.files["agent/skills.py"]
    for name in ("dance", "sing"):
        (project / f"skills/{name}/SKILL.md").unlink()
    for version in ("standard", "editable"):
        assert hatch_builds.build(project, version=version).path is None


def test_an_ignored_module_is_in_the_wheel_once_also_by_way_of_an_sdist(tmp_path: Path) -> None:
    project = projects.write(tmp_path / "agent", {**projects.agent(), ".gitignore": "skills.py\nsinging/\n"})
    assert skillpack(project, "bundle").exit_code == 0
    sdist = hatch_builds.build(project, "sdist")
    assert "skills/sing/SKILL.md" in sdist.files
    unpacked = artifacts.unpack(sdist.artifact(), tmp_path / "sdist")
    (unpacked / ".gitignore").unlink(missing_ok=True)
    wheels = [hatch_builds.build(place) for place in (project, unpacked)]
    for wheel in wheels:
        assert sorted(wheel.packages) == ["agent/__init__.py", "agent/skills.py"]
        assert len(artifacts.names(wheel.artifact())) == len(wheel.files)
    assert wheels[0].files == wheels[1].files


def test_skills_inside_the_package_that_ship_twice_are_told(tmp_path: Path) -> None:
    inside = projects.below("src/agent/bundled", projects.skill("sing"))
    options = '[tool.skillpack]\nskills = ["src/agent/bundled"]\nmodule = "src/agent/skills.py"\n'
    files = {**projects.PACKAGE, **inside, "pyproject.toml": projects.pyproject(options=options)}
    project = projects.write(tmp_path / "agent", files)
    twice = hatch_builds.build(project, verbosity=1)
    assert sum("note: ships-twice: " in line for line in twice.app.warnings) == 2
    once = '[tool.hatch.build.targets.wheel]\nexclude = ["/src/agent/bundled"]\n'
    projects.write(project, {"pyproject.toml": projects.pyproject(once, options=options)})
    assert hatch_builds.build(project).packages == {"agent/__init__.py", "agent/skills.py"}


def test_skills_may_lie_outside_the_package_and_the_project(tmp_path: Path) -> None:
    projects.write(tmp_path, projects.below("shared", projects.skill("sing")))
    options = '[tool.skillpack]\nskills = ["skills", "../shared"]\nmodule = "src/agent/skills.py"\n'
    project = projects.write(
        tmp_path / "agent",
        {
            **projects.PACKAGE,
            **projects.below("skills", projects.skill("dance")),
            "pyproject.toml": projects.pyproject(options=options),
        },
    )
    built = hatch_builds.build(project, verbosity=1)
    assert [*executed(built.files["agent/skills.py"])] == ["dance", "sing"]
    assert any(line.startswith("../shared: note: root-outside: ") for line in built.app.warnings)


def test_no_path_of_the_build_is_in_what_is_built(tmp_path: Path) -> None:
    modules = set()
    for place in ("a", "somewhere/else/b"):
        project = projects.write(tmp_path / place, projects.agent())
        built = hatch_builds.build(project)
        assert not any(str(tmp_path).encode() in data for data in built.files.values())
        modules.add(built.files["agent/skills.py"])
    assert len(modules) == 1


# ------------------------------------------------------------------ what an agent runs


def test_a_module_serves_without_a_file_of_its_own(tmp_path: Path) -> None:
    module = pack(projects.write(tmp_path, projects.agent())).module
    # As a freezer runs it: no __file__, no loader, nothing of importlib.metadata or importlib.resources.
    code = (
        "import sys, types; made = types.ModuleType('skills'); del made.__loader__, made.__spec__\n"
        "exec(compile(sys.stdin.buffer.read(), 'frozen', 'exec'), made.__dict__)\n"
        "print(*made.bundle, made.bundle.read('sing', 'references/notes.md').strip(), sep='|')\n"
        "assert not {'importlib.metadata', 'importlib.resources', 'pathlib'} & set(sys.modules)\n"
    )
    command = [sys.executable, "-S", "-I", "-c", code]
    answer = subprocess.run(command, input=module, cwd=tmp_path, check=True, capture_output=True)
    assert answer.stdout == b"dance|sing|Take your time.\n"


def test_a_module_in_a_zip_opens_no_file_once_it_is_loaded(tmp_path: Path) -> None:
    module = pack(projects.write(tmp_path / "agent", projects.agent())).module
    make_zip(tmp_path / "app.zip", {"agent/__init__.py": b"", "agent/skills.py": module})
    code = (
        "import sys; sys.path.insert(0, 'app.zip'); from agent.skills import bundle\n"
        "bundle.preload()\n"
        "def refuse(event, arguments):\n"
        "    assert event not in {'open', 'os.listdir', 'os.scandir'}, arguments\n"
        "sys.addaudithook(refuse)\n"
        "text = bundle.catalog() + bundle.load('sing') + bundle.read('sing', 'references/notes.md')\n"
        "bundle.verify()\n"
        "print(len(bundle), 'Take your time.' in text)\n"
    )
    assert run_module(tmp_path, code) == "2 True\n"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/hostname",
        "../x",
        "../sing/SKILL.md",
        "references/../SKILL.md",
        "%2e%2e/x",
        "references\\notes.md",
    ],
)
def test_a_path_is_a_key_and_nothing_else(tmp_path: Path, path: str) -> None:
    bundle = pack(projects.write(tmp_path, projects.agent())).packed
    with pytest.raises(ResourceNotFoundError):
        bundle.read("dance", path)
    assert bundle.call("read_skill_resource", {"name": "dance", "path": path}).is_error


def test_a_reader_who_writes_a_name_in_other_letters_is_told_the_right_one(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {
        "SKILL.md": skill_md("pdf", body="Fill in forms: see [forms](FORMS.md).\n"),
        "forms.md": "how\n",
    }
    bundle = pack(plant(tmp_path, {f"pdf/{path}": data for path, data in files.items()})).packed
    answer = bundle.call("read_skill_resource", {"name": "pdf", "path": "FORMS.md"})
    assert answer.is_error
    assert "did you mean forms.md?" in answer


def test_a_smoke_test_can_count_and_verify_what_an_artifact_holds(tmp_path: Path) -> None:
    project = projects.write(tmp_path / "agent", projects.agent())
    wheel = str(hatch_builds.build(project).artifact())
    assert ": 2 skills, 5 files, " in skillpack(project, "inspect", wheel).stdout
    totals = json.loads(skillpack(project, "inspect", wheel, "--json").stdout)["modules"][0]["totals"]
    assert totals["skills"] == 2
    assert skillpack(project, "verify", wheel).exit_code == 0
    empty = make_zip(tmp_path / "empty.zip", {"agent/__init__.py": b""})
    assert skillpack(project, "verify", str(empty)).exit_code == 1
    assert skillpack(project, "check", "--expect-count", "3").exit_code == 1
