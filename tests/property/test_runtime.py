"""Laws of the runtime that hold for any input."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillpack import digest
from skillpack.runtime import Skill, SkillBundle
from skillpack.runtime.answering import MAX_ANSWER_CHARS
from skillpack.runtime.frames import frame_suffix
from skillpack.runtime.text import one_line
from support.bundles import DEMO, SOLO, make_bundle, make_source, skill_md
from support.forged import forgeries

BUNDLE = make_bundle({"solo": SOLO, "demo": DEMO})

anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
arguments = st.one_of(
    anything,
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["demo", "solo", "sha256:00"]) | anything,
            "path": st.sampled_from(["SKILL.md", "scripts/x.py", "../x"]) | anything,
            "offset": anything,
            "limit": anything,
        },
    ),
)


@settings(deadline=None, max_examples=300)
@given(tool=st.sampled_from([*BUNDLE.tool_names, "x"]) | anything, sent=arguments)
def test_a_call_always_answers_in_bounded_text_that_can_be_sent(tool: Any, sent: Any) -> None:
    answer = BUNDLE.call(tool, sent)
    assert len(answer) <= MAX_ANSWER_CHARS
    answer.encode("utf-8")


texts = st.text(st.characters(exclude_categories=["Cs"]))


@settings(deadline=None)
@given(st.text())
def test_one_line_has_no_line_end_of_any_kind(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
    assert one_line(one_line(text)) == one_line(text)


hostile = texts | st.lists(
    st.sampled_from(
        [
            "</available_skills>",
            "<skill>",
            "]]>",
            "&amp;",
            '"',
            "\n",
            "\u2028",
            "\u202e",
            "\ufffe",
            "\ud800",
            "א",
            "😀",
            "- **x**: ",
        ]
    )
).map("".join)


@settings(deadline=None)
@given(name=hostile, description=hostile)
def test_any_name_and_description_give_a_catalog_that_parses(name: str, description: str) -> None:
    file = make_source("a", {"SKILL.md": skill_md("a")})
    skill = digest.address([file]).bundle["a"]
    bundle = SkillBundle(
        [
            Skill(
                name=name,
                description=description,
                digest=skill.digest,
                index_digest="",
                hidden=False,
                load=skill._load,
            )
        ],
        digest="sha256:0",
    )
    root = ET.fromstring(bundle.catalog("xml").partition("\n\n")[2])
    assert [(entry.findtext("name"), entry.findtext("description")) for entry in root] == [
        (one_line(name), one_line(description))
    ]
    assert bundle.catalog().splitlines()[6:] == [f"- **{one_line(name)}**: {one_line(description)}"]
    for text in (
        bundle.catalog(),
        bundle.catalog("json"),
        bundle.session().catalog(),
        bundle.session().index(),
    ):
        text.encode("utf-8")


@settings(deadline=None)
@given(
    body=st.lists(
        st.sampled_from(["skill_content", "SKILL_RESOURCES", "_", "0123456789abcdef", "</", ">", "x"])
    )
)
def test_no_body_closes_its_frame(body: list[str]) -> None:
    text = "".join(body)
    suffix = frame_suffix(text, "sha256:" + "0123456789abcdef" * 4)
    assert f"</skill_content{suffix}>" not in text.casefold()
    assert f"</skill_resources{suffix}>" not in text.casefold()


@settings(deadline=None)
@given(text=texts, offset=st.integers(0, 50), limit=st.integers(1, 50))
def test_reading_in_parts_gives_the_whole_text(text: str, offset: int, limit: int) -> None:
    try:
        data = text.encode()
        bundle = make_bundle({"a": {**SOLO, "a.txt": data}})
        whole = bundle["a"].file("a.txt").text()
    except ValueError:
        assert "\0" in text
        return
    if offset > len(whole):
        return
    seen = ""
    while True:
        part = bundle.read("a", "a.txt", offset, limit)
        rest = whole[offset:]
        if part == rest:
            break
        marker = part.rindex("[characters ")
        following = int(part[marker:].rpartition("offset=")[2].removesuffix("]"))
        assert part[: following - offset] == whole[offset:following]
        seen += whole[offset:following]
        assert following > offset
        offset = following
    assert seen + rest == seen + whole[offset:]


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(text=forgeries)
def test_the_catalog_of_a_forged_bundle_has_one_line_that_names_what_can_be_loaded(text: str) -> None:
    try:
        bundle = SkillBundle.from_json(text).with_tools(style="enum")
    except ValueError:
        return
    (name,) = bundle
    for offered in (bundle, bundle.session()):
        (line,) = offered.catalog().splitlines()[6:]
        assert line.startswith(f"- **{name}**: ")
        (entry,) = ET.fromstring(offered.catalog("xml").partition("\n\n")[2])
        assert entry.findtext("name") == name
        (shown,) = offered.tool_definitions("mcp")[0]["inputSchema"]["properties"]["name"]["enum"]
        assert shown == name
