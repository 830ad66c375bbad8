"""Laws of the screen: no secret in any word, no token overlooked, no path set misjudged, no input that stops it."""

from __future__ import annotations

import re
import unicodedata
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skillpack import screen
from skillpack.findings import Report
from skillpack.secrets import detection
from skillpack.secrets.detection import scan
from skillpack.secrets.redaction import redacted
from skillpack.secrets.tokens import RULES, TokenRule, in_words
from support import screening, tokens

SECRETS = st.builds(tokens.example, st.sampled_from([rule.name for rule in RULES]), st.integers(0, 10**6))
NAMES = st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1, max_size=6)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)


def collide(one: str, other: str) -> bool:
    """Whether two paths collide by the words of the design page "Screening"."""
    first, second = (
        unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold()) for path in (one, other)
    )
    return first == second or first.startswith(second + "/") or second.startswith(first + "/")


@settings(deadline=None)
@given(st.sets(st.lists(NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=5))
def test_paths_collide_exactly_when_the_rule_says_so(paths: set[str]) -> None:
    ordered = sorted(paths)
    expected = any(collide(one, other) for one in ordered for other in ordered if one < other)
    codes = {finding.code for finding in screening.findings(ordered)}
    assert ("path-collision" in codes) is expected


@settings(deadline=None)
@given(
    st.dictionaries(st.lists(NAMES, min_size=1, max_size=3).map("/".join), st.binary(max_size=80), max_size=3)
)
def test_no_names_and_no_bytes_stop_the_screen(files: dict[str, bytes]) -> None:
    for path in files:
        screen.is_secret_name(path)
        for is_directory in (False, True):
            assert screen.judge(path, is_directory=is_directory).action in {"take", "leave-out", "refuse"}
    screen.screen(screening.skill({"SKILL.md": b"".join(files.values()), **files}), Report())


@settings(deadline=None)
@given(st.binary(max_size=400), st.sampled_from([literal for rule in RULES for literal in rule.literals]))
def test_no_bytes_stop_the_scan(data: bytes, literal: bytes) -> None:
    for match in scan(data + literal + data):
        assert 0 <= match.offset <= 2 * len(data) + len(literal)


def found_everywhere(text: bytes) -> list[tuple[int, int]]:
    """The stretches that are secrets, by trying every rule wherever one of its literals stands, on all that follows."""
    found: list[tuple[TokenRule, re.Match[bytes]]] = []
    for rule in RULES:
        pattern = re.compile(in_words(rule.pattern))
        if rule.where == "file":
            if any(word in text for word in rule.literals):
                found += [(rule, find) for find in pattern.finditer(text)]
            continue
        for at in {
            hit.start() for word in rule.literals for hit in re.finditer(b"(?=%b)" % re.escape(word), text)
        }:
            slash = re.compile(rb"[/\\]").search(text, at)
            for end in {len(text), slash.start() if slash else len(text)}:
                matches = (pattern.match(text, at - offset, end) for offset in rule.offsets if offset <= at)
                found += [(rule, find) for find in matches if find]
    return list(detection.merged(sorted(find.span(1) for _, find, _ in detection._judged(text, found))))


LENGTHS = st.sampled_from([0, 1, 30, detection.MAX_NEAR_BYTES, 5_000, 9_000]) | st.integers(3_900, 4_200)


@st.composite
def long_tokens(draw: st.DrawFn) -> bytes:
    """A token, as it is or with more in it, so that it may end far behind where it begins."""
    random = Random(draw(st.integers(0, 10**6)))
    more = tokens.text_of(random, (tokens.ALNUM, draw(LENGTHS)))
    if draw(st.booleans()):
        return tokens.json_web_token(random, {"alg": "RS256", "kid": more[:20]}, {"groups": [more]}).encode()
    # one of supabase's goes on to the last of many places where it may end
    token = draw(SECRETS.filter(lambda example: b"sb_secret" not in example.secret)).secret.decode("latin-1")
    at = draw(st.integers(1, len(token)))
    return f"{token[:at]}{more}{token[at:]}".encode("latin-1")


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(long_tokens(), st.sampled_from(["", "-", "_", "/", " ", ".", "\n"])), min_size=1, max_size=3
    )
)
def test_no_secret_of_any_length_is_overlooked_in_words(pieces: list[tuple[bytes, str]]) -> None:
    text = b"".join(piece + sign.encode() for piece, sign in pieces)
    assert list(detection.spans_in_words(text)) == found_everywhere(text)


@settings(deadline=None)
@given(
    st.sampled_from([rule for rule in RULES if rule.check]).flatmap(lambda rule: st.from_regex(rule.pattern))
)
def test_nothing_in_the_form_of_a_token_stops_the_scan(data: bytes) -> None:
    """What has the form of a token of a rule need not decode to anything."""
    for match in (*scan(data), *detection.scan_words(data)):
        assert match.length <= len(data)
    redacted(data.decode("utf-8", "replace"))


@settings(deadline=None)
@given(TEXTS, SECRETS, TEXTS, st.sampled_from(["SKILL.md", "a.md", ".env", "x.pem"]))
def test_nothing_that_is_said_holds_more_of_a_secret_than_four_characters(
    before: str, example: tokens.Example, after: str, path: str
) -> None:
    data = f"{before}\n{example.text.decode()}\n{after}".encode()
    # What all secrets of a rule begin with is its format, and no secret: `secret_`.
    literals = {literal for rule in RULES for literal in rule.literals if example.secret.startswith(literal)}
    secret = example.secret.removeprefix(max(literals, key=len, default=b"")).decode()
    parts = {secret[at : at + 5] for at in range(len(secret) - 4)}
    for finding in screening.findings({path: data}):
        said = f"{finding.message} {finding.hint}"
        assert not any(part in said for part in parts)


@settings(deadline=None)
@given(st.binary(max_size=300), SECRETS, st.integers(0, 5000))
def test_a_secret_is_found_wherever_it_stands(noise: bytes, example: tokens.Example, padding: int) -> None:
    alone = list(scan(example.text))
    assume(alone)
    expected = alone[0]
    before = noise.replace(b"#", b"") + b"\n" * (padding + 1)
    found = [match for match in scan(before + example.text + b"\n") if match.offset >= len(before)]
    assert [(match.rule, match.offset - len(before)) for match in found] == [(expected.rule, expected.offset)]


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_every_match_of_a_pattern_stands_where_its_rule_is_tried(data: st.DataObject) -> None:
    """The prefilter loses nothing: each literal occurs in each match, at its offset, in a run where one is asked for."""
    rule = data.draw(st.sampled_from(RULES))
    pattern = re.compile(rule.pattern)
    text = data.draw(st.from_regex(pattern))
    match = pattern.search(text)
    assert match is not None
    tried = [*detection._matches_in_text(text), *detection._matches_in_runs(text)]
    assume(rule.where != "file")
    assert any(other is rule and find.span(1) == match.span(1) for other, find in tried)
