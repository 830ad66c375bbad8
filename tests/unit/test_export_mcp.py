"""The entries of the extension for skills of MCP, and the URIs in them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from skillpack import digest
from skillpack.export import mcp
from skillpack.model import Frontmatter
from support.bundles import DEMO, SOLO, make_bundle, make_source, skill_md

if TYPE_CHECKING:
    from skillpack.model import Json

PATHS = (
    "a b#c?d%e&f.md",
    "référence/näh.md",
    "%2e%2e",
    "%41.md",
    "+.txt",
    "a:b@c;d=e,f'(g)!*~$[h]",
    "x/😀/y z",
)


def test_entries_are_complete_and_sorted() -> None:
    found = mcp.entries(make_bundle({"solo": SOLO, "demo": DEMO}))
    assert [entry["uri"] for entry in found] == ["skill://demo/SKILL.md", "skill://solo/SKILL.md"]
    assert found[0] == {
        "uri": "skill://demo/SKILL.md",
        "frontmatter": {"name": "demo", "description": "A demo skill"},
        "resources": [
            {
                "uri": f"skill://demo/{path}",
                "digest": f"sha256:{hashlib.sha256(data).hexdigest()}",
                "size": len(data),
            }
            for path, data in sorted(DEMO.items())
        ],
    }


@pytest.mark.parametrize("path", PATHS)
def test_a_uri_holds_any_path_and_gives_it_back(path: str) -> None:
    uri = mcp.uri_of("demo", path)
    assert uri.isascii()
    assert not set(uri.removeprefix("skill://")) & set(' #?\\"<>[]')
    assert mcp.located(uri) == ("demo", path)


def test_what_needs_no_encoding_is_decoded_too() -> None:
    assert mcp.located("skill://de%6do/%53KILL.md") == ("demo", "SKILL.md")
    assert mcp.located("skill://demo") == ("demo", "")
    assert mcp.located("skill://demo/") == ("demo", "")


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "skill:",
        "skill://",
        "skill:///SKILL.md",
        "file://demo/SKILL.md",
        "SKILL://demo/SKILL.md",
        "skill://demo/scripts%2Fx.py",
        "skill://demo%2Fscripts/x.py",
        "skill://demo/%ff",
    ],
)
def test_a_uri_of_another_form_names_nothing(uri: str) -> None:
    assert mcp.located(uri) is None


def test_a_name_of_several_segments_stays_one() -> None:
    assert mcp.uri_of("a/b c") == "skill://a%2Fb%20c/SKILL.md"


def test_faults_name_each_skill_that_hosts_refuse() -> None:
    many = {f"{number}.txt": b"" for number in range(mcp.MAX_FILES)}
    bundle = make_bundle(
        {
            "Loud": {"SKILL.md": skill_md("Loud")},
            "x" * 65: {"SKILL.md": skill_md("x" * 65)},
            "good": {**dict(list(many.items())[1:]), "SKILL.md": skill_md("good")},
            "large": {"SKILL.md": skill_md("large"), "a.bin": bytes(mcp.MAX_SKILL_BYTES)},
            "long": {"SKILL.md": skill_md("long", "x" * 1025)},
            "many": {**many, "SKILL.md": skill_md("many")},
            "renamed": {"SKILL.md": skill_md("other")},
        }
    )
    found = mcp.faults(bundle)
    assert [fault.split(": ")[0] for fault in found] == [
        f"skill {name!r}" for name in ("Loud", "large", "long", "many", "renamed", "x" * 65)
    ]
    assert found[1] == "skill 'large': its files hold 16,777,262 bytes, and hosts take 16,777,216"
    assert found[3] == "skill 'many': it has 513 files, and hosts take 512"
    assert not mcp.faults(make_bundle({"solo": SOLO, "demo": DEMO}))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"compatibility": ""}, "its compatibility is not a text of 1 to 500 characters"),
        ({"compatibility": "x" * 501}, "its compatibility is not a text of 1 to 500 characters"),
        ({"license": 1.0}, "its license is not a text"),
        ({"metadata": ["a"]}, "its metadata are no mapping"),
        ({"allowed-tools": {"a": 1}}, "its allowed-tools are neither a text nor a list of texts"),
        ({"allowed-tools": ["a", 1]}, "its allowed-tools are neither a text nor a list of texts"),
        ({"description": 1}, "its description is not a text of 1 to 1,024 characters"),
        ({"name": 1}, "its SKILL.md gives another name, or none, and hosts compare the two"),
        ({"compatibility": "x", "license": "MIT", "metadata": {"a": 1}, "allowed-tools": ["a"]}, None),
        ({"allowed-tools": "a b"}, None),
    ],
    ids=str,
)
def test_faults_name_fields_that_hosts_refuse(fields: dict[str, Json], told: str | None) -> None:
    values: dict[str, Json] = {"name": "x", "description": "y", **fields}
    frontmatter = Frontmatter(name="x", description="y", values=values)
    source = make_source("x", {"SKILL.md": skill_md("x")}, frontmatter=frontmatter)
    bundle = digest.address([source]).bundle
    assert mcp.faults(bundle) == ([] if told is None else [f"skill 'x': {told}"])
