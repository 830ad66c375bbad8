"""What the adapter for Anthropic's uploads gives its client, and what it refuses before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from skillpack.adapters.anthropic import MAX_UPLOAD_BYTES, skill_files
from skillpack.runtime import IntegrityError, SkillDefinitionError
from support.authored import authored, bundle_of
from support.bundles import DEMO, damaged_bundle, make_bundle
from support.emitted import emitted, executed

if TYPE_CHECKING:
    from skillpack.runtime import SkillBundle

FILES = [
    ("demo/SKILL.md", DEMO["SKILL.md"], "text/markdown"),
    ("demo/assets/b.bin", DEMO["assets/b.bin"], "application/octet-stream"),
    ("demo/scripts/x.py", DEMO["scripts/x.py"], "text/x-python"),
]


def refused(bundle: SkillBundle) -> list[str]:
    with pytest.raises(SkillDefinitionError) as caught:
        skill_files(bundle)
    return str(caught.value).splitlines()


def test_all_files_of_a_skill_are_in_one_folder_with_their_bytes_and_the_types_that_were_packed() -> None:
    assert skill_files(make_bundle({"demo": DEMO})) == {"demo": FILES}


def test_the_bundle_of_an_emitted_module_gives_the_same() -> None:
    assert skill_files(executed(emitted(make_bundle({"demo": DEMO})))) == {"demo": FILES}


def test_the_folder_of_a_renamed_skill_has_the_name_that_its_file_gives() -> None:
    renamed = make_bundle({"demo": DEMO}).rename({"demo": "demo-eu"})
    assert skill_files(renamed) == {"demo-eu": FILES}


def test_no_skills_give_no_uploads() -> None:
    assert skill_files(make_bundle({})) == {}


def test_all_that_the_service_refuses_is_said_at_once_with_place_and_way_out() -> None:
    bundle = bundle_of(
        authored("claude-notes"),
        authored("fine", metadata={"other": "field"}),
        authored("Loud", description="Writes <b>loudly</b>"),
        authored("wordy", description="w" * 1025),
        authored("x" * 65),
    )
    assert refused(bundle) == [
        (
            "Loud/SKILL.md: name has characters other than a-z, 0-9 and hyphens: 'L'; use a-z, 0-9 and single hyphens "
            "between them"
        ),
        (
            "Loud/SKILL.md: description holds a closing tag, which could end the catalog's frame; write it without angle "
            "brackets"
        ),
        "Loud/SKILL.md: description holds a tag, which some hosts refuse; write it without angle brackets",
        (
            "claude-notes/SKILL.md: name holds the word claude, which one vendor's uploader refuses; leave claude out of "
            "the name"
        ),
        (
            "wordy/SKILL.md: description has 1025 characters; at most 1024 are allowed; shorten it and move the details "
            "below the frontmatter"
        ),
        f"{'x' * 65}/SKILL.md: name has 65 characters; at most 64 are allowed; shorten it",
    ]


def test_a_skill_without_name_or_description_is_refused() -> None:
    bundle = make_bundle({"nameless": {"SKILL.md": b"---\nlicense: MIT\n---\n"}})
    assert refused(bundle) == [
        "nameless/SKILL.md: there is no name; give the skill a name",
        "nameless/SKILL.md: there is no description; write what the skill does and when to use it",
    ]


def test_a_skill_over_the_size_of_an_upload_is_refused_and_its_largest_file_named() -> None:
    rest = sum(map(len, DEMO.values())) - len(DEMO["assets/b.bin"])
    room = MAX_UPLOAD_BYTES - rest
    taken = make_bundle({"demo": {**DEMO, "assets/b.bin": bytes(room)}})
    assert [len(data) for _, data, _ in skill_files(taken)["demo"]] == [rest - 9, room, 9]
    assert refused(make_bundle({"demo": {**DEMO, "assets/b.bin": bytes(room + 1)}})) == [
        (
            "demo: 30000001 bytes, and an upload takes 30000000; leave files out when packing (exclude), or split the skill: "
            f"the largest file is assets/b.bin, {room + 1} bytes"
        ),
    ]


def test_damaged_contents_are_not_uploaded() -> None:
    with pytest.raises(IntegrityError, match="x/SKILL"):
        skill_files(damaged_bundle())
