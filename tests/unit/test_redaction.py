"""What is told of secrets in texts: four characters and a length, and of what is cut out of one nothing."""

from __future__ import annotations

from random import Random

import pytest

from skillpack.errors import ConfigError, SkillpackError
from skillpack.findings import Report, visible
from skillpack.secrets.detection import merged
from skillpack.secrets.redaction import Redaction, redacted, starred
from support import tokens

TOKEN = tokens.example("github-token").secret.decode()
PASSWORD = "pas" + "Word9"


@pytest.mark.parametrize("before", ["", "notes-", "notes_", "a/", "a.", "é ", "\udc80"])
@pytest.mark.parametrize("behind", ["", ".md", "-old.md", "_2/x.txt", "é", "\ud800"])
def test_a_secret_is_cut_wherever_it_stands(before: str, behind: str) -> None:
    assert redacted(before + TOKEN + behind) == f"{before}ghp_…(40 characters){behind}"


def test_each_secret_of_a_text_is_cut() -> None:
    assert redacted(f"{TOKEN}/{TOKEN}") == "ghp_…(40 characters)/ghp_…(40 characters)"


@pytest.mark.parametrize(
    "text", ["", "skills/pdf/SKILL.md", "a\udc80b", "x" + TOKEN, "gh" + "p_" + "example" * 5 + "x"]
)
def test_a_text_without_a_secret_stays(text: str) -> None:
    assert redacted(text) == text


def test_a_token_that_takes_the_beginning_of_the_next_for_its_own_hides_none_of_it() -> None:
    one, other = (tokens.example("grafana-cloud", seed).secret.decode() for seed in (1, 2))
    assert redacted(f"{one}/{other}") == "glc_…(95 characters)"


def test_to_cut_twice_is_to_cut_once() -> None:
    assert redacted(redacted(TOKEN)) == redacted(TOKEN)


def test_a_shell_pattern_has_a_star_for_a_secret() -> None:
    assert starred(f"a/notes-{TOKEN}.md") == "a/notes-ghp_*.md"


def test_what_is_shown_has_no_secret() -> None:
    assert visible(f"a\n{TOKEN}") == "a\\nghp_…(40 characters)"


def test_of_a_short_secret_a_quarter_is_told() -> None:
    assert (
        redacted(f"postgres://app:{PASSWORD}@db.corp.net/x")
        == "postgres://app:pa…(8 characters)@db.corp.net/x"
    )


@pytest.mark.parametrize(
    ("quotation", "told"),
    [
        (TOKEN[4:20], "…(16 characters)"),
        (TOKEN[:20] + "…", "ghp_…(16 characters)…"),
        (TOKEN[20:25] + " and " + TOKEN[30:], "…(5 characters) and …(10 characters)"),
        (TOKEN[20:24], TOKEN[20:24]),
        (TOKEN.lower().replace("_", "-"), "ghp-…(36 characters)"),
        ("nothing of it", "nothing of it"),
    ],
)
def test_a_part_of_a_secret_is_cut_out_where_the_secret_is_known(quotation: str, told: str) -> None:
    redaction = Redaction()
    redaction.learn("a.md", TOKEN[4:])
    assert redaction.text(quotation, "a.md") == told
    assert redaction.text(quotation, "b.md") == told


def test_a_password_which_may_be_a_word_is_cut_out_of_what_is_said_of_its_file() -> None:
    redaction = Redaction()
    redaction.learn("a.md", PASSWORD)
    assert redaction.text(f"it is {PASSWORD}", "a.md") == "it is …(8 characters)"
    assert redaction.text(f"it is {PASSWORD}", "b.md") == f"it is {PASSWORD}"


@pytest.mark.parametrize(("length", "told"), [(19, False), (20, True)])
def test_a_secret_of_twenty_characters_is_cut_out_of_what_is_said_of_any_file(
    length: int, *, told: bool
) -> None:
    redaction = Redaction()
    secret = TOKEN[10 : 10 + length]
    redaction.learn("a.md", secret)
    assert redaction.text(secret, "a.md") == f"…({length} characters)"
    assert (redaction.text(secret, "b.md") != secret) is told


def test_a_report_tells_no_secret_and_keeps_the_paths_for_decisions() -> None:
    report, own = Report(), Report()
    own.conceal("skills/a/SKILL.md", TOKEN[4:])
    report.extend(own)
    path = f"skills/a/{TOKEN}.md"
    report.add("secret-name", path, f"a {TOKEN[9:]}", hint=f"b {TOKEN}", sha256="0" * 64)
    (told,) = report.findings
    assert (told.path, told.message) == ("skills/a/ghp_…(40 characters).md", "a …(31 characters)")
    assert told.hint == "b ghp_…(40 characters)"
    assert told.advice == told.hint
    assert [finding.path for finding in report.found] == [path]


def test_an_error_tells_no_secret() -> None:
    assert str(SkillpackError(f"no {TOKEN}")) == "no ghp_…(40 characters)"
    error = ConfigError([f"tool.skillpack.{TOKEN}: unknown key"])
    assert str(error) == "\n".join(error.problems) == "tool.skillpack.ghp_…(40 characters): unknown key"


@pytest.mark.parametrize("before", [0, 1, 4_095, 4_096, 9_000])
def test_a_token_that_cannot_stand_before_a_slash_is_cut_there(before: int) -> None:
    token = tokens.text_of(Random(1), (tokens.ALNUM, 40))
    text = f"{' ' * before}AWS_SECRET_ACCESS_KEY={token}"
    assert redacted(f"{text}/x.md") == f"{text[:-36]}…(40 characters)/x.md"


def test_a_web_token_with_a_long_payload_is_cut() -> None:
    for size in (3_000, 5_000, 50_000):
        payload = {"groups": tokens.text_of(Random(size), (tokens.ALNUM, size))}
        token = tokens.json_web_token(Random(1), {"alg": "RS256"}, payload)
        assert redacted(f"a {token} b") == f"a eyJh…({len(token):,} characters) b"


def test_of_many_secrets_in_a_text_each_is_cut() -> None:
    assert redacted(f"{TOKEN} " * 300) == "ghp_…(40 characters) " * 300


def test_a_literal_is_found_in_the_beginning_of_another_one() -> None:
    key = tokens.text_of(Random(1), (tokens.ALNUM, 40))
    assert redacted(f"secret_access_key = {key}") == f"secret_access_key = {key[:4]}…(40 characters)"


def test_a_pattern_keeps_the_slashes_of_a_secret_over_directories() -> None:
    example = tokens.example("slack-webhook").text.decode().strip()
    assert starred(f"{example}/x").endswith("*/*/*/x")


@pytest.mark.parametrize("length", [10, 5_000])
def test_a_text_of_any_length_is_cut(length: int) -> None:
    text = f"{'a ' * length}{TOKEN}"
    assert redacted(text) == redacted(text) == f"{'a ' * length}ghp_…(40 characters)"


@pytest.mark.parametrize("size", [4_090, 4_096, 4_097, 20_000])
def test_a_token_of_any_length_is_cut_to_its_end(size: int) -> None:
    random = Random(size)
    token = "gl" + "pat-" + tokens.text_of(random, (tokens.ALNUM, size - 6))
    assert redacted(f"a {token} b") == f"a glpa…({size:,} characters) b"
    assert redacted(f"{token}/{token}") == f"glpa…({size:,} characters)/glpa…({size:,} characters)"
    assert redacted(f"{token}-{token}") == f"glpa…({2 * size + 1:,} characters)"


def test_what_another_one_has_learned_is_taken_over_a_password_among_it() -> None:
    first, second = Redaction(), Redaction()
    first.learn("a.md", PASSWORD)
    first.learn("a.md", TOKEN)
    second.extend(first)
    assert PASSWORD[:6] not in second.text(f"it says {PASSWORD}", "a.md")
    assert TOKEN[4:12] not in second.text(f"it says {TOKEN[4:20]}", "b.md")


def test_stretches_that_overlap_or_touch_are_one() -> None:
    assert list(merged([(0, 2), (1, 3), (3, 4), (6, 7), (6, 9)])) == [(0, 4), (6, 9)]
    assert list(merged([])) == []


@pytest.mark.parametrize(
    "word",
    [
        "glpat" + "-",
        "-eyJ",
        "xoxb" + "-12345678-",
        "a lin" + "_ ",
        "whsec" + "_",
        "sb" + "_secret_",
        "sl" + ".u.",
        "://a:b",
    ],
)
def test_a_text_of_nothing_but_beginnings_of_tokens_is_looked_through_once(word: str) -> None:
    text = word * (20_000 // len(word))
    assert redacted(f"{text} {TOKEN}").endswith(" ghp_…(40 characters)")
