"""What a bundle weighs."""

from __future__ import annotations

import json
import zlib

from skillpack.sizes import MAX_LARGEST, sizes
from support.bundles import make_bundle, skill_md

TWICE = b"There twice.\n"
BUNDLE = make_bundle(
    {
        "a": {"SKILL.md": skill_md("a"), "x.md": TWICE, "y.md": TWICE, "z.bin": b"\0" * 99},
        "b": {"SKILL.md": skill_md("b"), "x.md": TWICE, "tool": b"#!/bin/sh\n"},
    }
)
SKILL_MD = len(skill_md("a"))
FOUND = sizes(BUNDLE, [b"source " * 100, b"more"])


def test_they_are_values_of_json() -> None:
    assert json.loads(json.dumps(FOUND)) == FOUND


def test_contents_are_counted_in_all_and_each_once() -> None:
    assert FOUND["contents"] == 2 * SKILL_MD + 3 * len(TWICE) + 99 + 10
    assert FOUND["distinct"] == 2 * SKILL_MD + len(TWICE) + 99 + 10
    assert FOUND["duplicates"] == 2


def test_a_skills_own_contents_are_those_that_no_other_skill_has() -> None:
    assert FOUND["skills"] == {
        "a": {"files": 4, "size": SKILL_MD + 2 * len(TWICE) + 99, "own": SKILL_MD + 99},
        "b": {"files": 3, "size": SKILL_MD + len(TWICE) + 10, "own": SKILL_MD + 10},
    }
    alone = sizes(make_bundle({"a": {"SKILL.md": skill_md("a"), "x": TWICE, "y": TWICE}}), [])
    assert alone["skills"]["a"]["own"] == SKILL_MD + len(TWICE)


def test_kinds_are_media_types_with_the_extension_where_that_says_more() -> None:
    markdown = 2 * SKILL_MD + 3 * len(TWICE)
    assert FOUND["kinds"] == [
        {
            "kind": "text/markdown",
            "text": True,
            "files": 5,
            "size": markdown,
            "distinct": markdown - 2 * len(TWICE),
        },
        {"kind": "application/octet-stream (.bin)", "text": False, "files": 1, "size": 99, "distinct": 99},
        {"kind": "text/plain", "text": True, "files": 1, "size": 10, "distinct": 10},
    ]


def test_the_largest_files_come_first_and_are_ten_at_most() -> None:
    assert FOUND["largest"][0] == {"skill": "a", "path": "z.bin", "size": 99}
    assert len(FOUND["largest"]) == 7
    many = make_bundle({"a": {"SKILL.md": skill_md("a"), **{str(size): b"x" * size for size in range(200)}}})
    assert [row["size"] for row in sizes(many, [])["largest"]] == list(range(199, 199 - MAX_LARGEST, -1))


def test_the_source_is_measured_as_it_is_and_as_a_wheel_compresses_it() -> None:
    assert FOUND["source"] == 704
    assert FOUND["wheel"] == len(zlib.compress(b"source " * 100)) + len(zlib.compress(b"more"))
    assert FOUND["catalog_chars"] == len(BUNDLE.catalog())


def test_an_empty_bundle_weighs_nothing() -> None:
    found = sizes(make_bundle({}), [])
    assert (found["contents"], found["distinct"], found["kinds"], found["largest"]) == (0, 0, [], [])
