"""Secrets in contents: every rule by a true and a false example, through the path that production takes."""

from __future__ import annotations

import base64
import json
from random import Random
from typing import TYPE_CHECKING

import pytest

from skillpack.secrets import armour
from skillpack.secrets.detection import Match, scan, scan_words
from skillpack.secrets.redaction import redacted
from skillpack.secrets.tokens import RULES
from support import tokens
from support.tokens import ALNUM, HEX, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = [rule.name for rule in RULES]


def names(data: bytes | str) -> list[str]:
    return [match.rule.name for match in scan(data.encode() if isinstance(data, str) else data)]


def only(data: bytes | str) -> Match:
    (match,) = scan(data.encode() if isinstance(data, str) else data)
    return match


TOKEN = tokens.example("github-token").secret
UPPER = tokens.UPPER
SECRET_KEY = ((UPPER, 6), "-", (UPPER, 6), "-", (UPPER, 5), "-", (UPPER, 5), "-", (UPPER, 5), "-", (UPPER, 5))


# The rules.


def test_every_rule_has_its_own_name_and_an_example() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert tokens.FORMS.keys() <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_finds_its_secret(name: str) -> None:
    example = tokens.example(name)
    match = only(example.text)
    assert match.rule.name == name
    assert match.offset == example.text.index(example.secret)
    assert match.length == len(example.secret)


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_passes_over_what_is_just_no_secret(name: str) -> None:
    assert name not in names(tokens.near_miss(name))


@pytest.mark.parametrize("name", [rule.name for rule in RULES if rule.floor])
def test_a_rule_finds_almost_all_random_secrets(name: str) -> None:
    """Placeholder words and the entropy floor cost little."""
    assert sum(name in names(tokens.example(name, seed).text) for seed in range(100)) >= 97


@pytest.mark.parametrize("name", tokens.FORMS)
def test_a_rule_passes_over_a_placeholder_of_its_form(name: str) -> None:
    before, parts, after = tokens.FORMS[name]
    filled = "".join(part if isinstance(part, str) else part[0][-1] * part[1] for part in parts)
    assert names(before + filled + after) == []


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("aws-secret-access-key", "AWS_SECRET_ACCESS_KEY=" + text_of(Random(1), (ALNUM, 40))),
        ("aws-secret-access-key", "secretAccessKey: '" + text_of(Random(2), (ALNUM, 40)) + "'"),
        ("aws-secret-access-key", "ENV AWS_SECRET_ACCESS_KEY " + text_of(Random(11), (ALNUM, 40))),
        ("aws-secret-access-key", "aws configure set aws_secret_access_key " + text_of(Random(12), (ALNUM, 40))),
        ("aws-secret-access-key", "aws configure set default.aws_secret_access_key '" + text_of(Random(13), (ALNUM, 40)) + "'"),
        ("grafana", "gl" + "sa_" + text_of(Random(3), (ALNUM, 32), "_", (HEX, 8))),
        ("notion", "nt" + "n_" + text_of(Random(4), (ALNUM, 46))),
        ("supabase", "sb" + "p_" + text_of(Random(5), (HEX, 40))),
        ("square", "EA" + "AA" + text_of(Random(6), (ALNUM, 60))),
        ("sourcegraph", "sg" + "p_local_" + text_of(Random(7), (HEX, 40))),
        ("telegram-bot", text_of(Random(8), ("123456789", 8), ":" + "A", (ALNUM, 34))),
        ("discord-webhook", "discordapp.com/api/web" + "hooks/" + text_of(Random(9), ("123456789", 18), "/", (ALNUM, 68))),
        ("1password-key", "A" + "3-" + text_of(Random(10), *SECRET_KEY)),
    ],
)  # fmt: skip
def test_the_other_forms_of_a_rule_are_found(name: str, secret: str) -> None:
    assert names(secret) == [name]


@pytest.mark.parametrize(
    "before", ["secret_access_key ", "SecretAccessKey ", "SECRET_KEY ", "SECRET_ACCESS_KEY\n"]
)
def test_other_names_than_that_of_the_variable_need_a_sign_before_the_key(before: str) -> None:
    assert names(before + text_of(Random(11), (ALNUM, 40))) == []
    assert names(before + "= " + text_of(Random(11), (ALNUM, 40))) == ["aws-secret-access-key"]


@pytest.mark.parametrize("before", ["", " ", "\n", '"', "=", ".", "/", "~", ":", "=="])
def test_a_token_is_found_behind_any_sign(before: str) -> None:
    assert names(before.encode() + TOKEN) == ["github-token"]


@pytest.mark.parametrize("before", ["a", "0", "_", "a-"])
def test_a_token_inside_a_word_is_none(before: str) -> None:
    assert names(before.encode() + TOKEN) == []


ESCAPES = (
    r"\n", r"\r", r"\t", r"\b", r"\f", r"\"", r"\/", r"\\", r"\u001b", r"\u000A", r"\x1B", r"\r\n", r"\\n",
    "\x1b[m", "\x1b[0m", "\x1b[32m", "\x1b[1;32m", "\x1b[38;5;214m", "\x1b[01;31m\x1b[K", r"\x1b[32m", r"\033[32m", r"\e[32m", r"\u001b[32m",
    "%3D", "%3d", "%20", "%22", "%0A", "%3A%20", "=3D", "=20",
)  # fmt: skip
BEHIND_ESCAPES = (
    "github-token",
    "jwt",
    "mailchimp",
    "azure-ad-secret",
    "tfc",
    "telegram-bot",
    "stripe-webhook",
)


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("name", BEHIND_ESCAPES)
def test_a_token_is_found_behind_an_escape(escape: str, name: str) -> None:
    secret = tokens.example(name).secret
    match = only(b"one\ntwo KEY:" + escape.encode() + secret + b" rest")
    assert (match.rule.name, match.line, match.column) == (name, 2, 9 + len(escape))
    assert match.offset == 12 + len(escape)
    assert match.length == len(secret)


def test_a_token_behind_the_line_end_of_a_json_string_is_found() -> None:
    assert names(json.dumps({"f": "KEY:\n" + TOKEN.decode() + "\n"})) == ["github-token"]
    assert names(json.dumps(json.dumps({"f": "KEY:\n" + TOKEN.decode() + "\n"}))) == ["github-token"]


@pytest.mark.parametrize("before", ["", "@@ -1 +1 @@\n"])
def test_a_token_in_a_removed_line_of_a_diff_is_found(before: str) -> None:
    assert only(before.encode() + b"-" + TOKEN).offset == len(before) + 1


@pytest.mark.parametrize(
    "before",
    [
        "n",
        "/n",
        r"\z",
        r"\nn",
        r"\x1",
        r"\u00",
        "%3",
        "%zz",
        "3D",
        "32m",
        "[32",
        "[1234m",
        "(32m",
        " --",
        "=3d",
        "=D",
    ],
)
def test_what_is_no_whole_escape_is_a_part_of_the_word(before: str) -> None:
    assert names("KEY:" + before + TOKEN.decode()) == []


# Placeholders.


@pytest.mark.parametrize(
    "word", ["EXAMPLE", "your_", "ReplaceMe", "00000", "aAaAa", "abcdef", "UVWXYZ", "345678", "dummy"]
)
def test_a_token_with_a_placeholder_in_it_is_dropped(word: str) -> None:
    token = "hf" + "_" + (word + text_of(Random(1), (tokens.LETTERS, 34)))[:34]
    assert names(token) == []
    assert (
        names("gs" + "k_" + (text_of(Random(1), (ALNUM, 20)) + word + text_of(Random(2), (ALNUM, 52)))[:52])
        == []
    )


def test_a_token_of_few_different_characters_is_dropped() -> None:
    assert names("da" + "pi" + text_of(Random(1), ("013579a", 32))) == []


def test_a_token_of_eight_different_characters_is_none_to_drop() -> None:
    assert names("da" + "pi" + "0246ace8" * 2 + "8eca6420" * 2) == ["databricks"]
    assert names("da" + "pi" + "0246ace" * 2 + "eca6420" * 2 + "0a6e") == []


def test_a_token_of_low_entropy_is_dropped() -> None:
    body = "aZ4bY5cX6" * 6
    assert names("gs" + "k_" + body[:52]) == []


def test_every_rule_has_its_floor_or_leaves_all_to_its_check() -> None:
    floors = {name: floor for floor, rows in tokens.FLOORS.items() for name in rows.split()}
    checked = ("gcp-service-account", "private-key-block", "private-key-base64", "putty-key")
    passwords = ("db-url-password", "basic-auth-url")
    assert {rule.name: rule.floor for rule in RULES} == {
        **floors,
        "jwt": 4,
        **dict.fromkeys(checked + passwords, 0),
    }


def test_few_rules_find_what_is_only_like_a_secret() -> None:
    assert {rule.name for rule in RULES if rule.like} == {
        *("stripe-test", "jwt", "db-url-password", "basic-auth-url")
    }


@pytest.mark.parametrize("digits", [8, 9, 10, 11])
def test_a_telegram_bot_has_a_number_of_eight_to_eleven_digits(digits: int) -> None:
    token = text_of(Random(1), ("123456789", digits), ":" + "A", (ALNUM, 34))
    assert names(f"bot: {token} ") == ["telegram-bot"]
    assert names(f"bot: {'1' * (12 - digits)}{token} ") == []


def test_words_in_the_prefix_of_a_token_are_no_placeholder() -> None:
    for name in ("age-secret-key", "notion", "supabase"):
        assert names(tokens.example(name).text) == [name]


# Structural checks.


@pytest.mark.parametrize("prefix", ["gh" + "o_", "gh" + "u_", "gh" + "s_", "gh" + "r_", "np" + "m_"])
def test_a_wrong_checksum_is_said_and_still_refused(prefix: str) -> None:
    body = text_of(Random(1), (ALNUM, 30))
    assert only(tokens.with_checksum(prefix, body)).remark == ""
    assert only(tokens.with_checksum(prefix, body)).ending == ""
    assert only(prefix + body + text_of(Random(2), (ALNUM, 6))).ending.startswith("; its checksum")
    checksum = tokens.with_checksum(prefix, body)[-6:]
    for place in range(6):
        other = checksum[:place] + ("a" if checksum[place] != "a" else "b") + checksum[place + 1 :]
        assert "checksum is wrong" in only(prefix + body + other).remark
    assert "checksum is wrong" in only(prefix + body + text_of(Random(2), (ALNUM, 6))).remark


@pytest.mark.parametrize("kind", ["", "RSA", "EC", "ENCRYPTED"])
def test_a_private_key_of_any_kind_is_found(kind: str) -> None:
    assert names(tokens.private_key(Random(1), kind)) == ["private-key-block"]


def test_a_private_key_in_the_format_of_openssh_is_found() -> None:
    key = b"openssh-key-v1\0" + Random(1).randbytes(200)
    assert names(tokens.armoured("OPENSSH PRIVATE KEY", key)) == ["private-key-block"]


@pytest.mark.parametrize("packet", [b"\x95\x01\x00", b"\xc5\x20", b"\x9d\x01\x00"])
def test_a_private_key_in_the_format_of_openpgp_is_found(packet: bytes) -> None:
    block = tokens.armoured("PGP PRIVATE KEY BLOCK", packet + Random(1).randbytes(256), "Comment: test-key")
    assert names(block.replace("-----END", "=aBcD\n-----END")) == ["private-key-block"]
    assert names(tokens.armoured("PGP PRIVATE KEY BLOCK", packet + bytes(256))) == ["private-key-block"]


def test_a_private_key_that_pem_itself_encrypted_is_found() -> None:
    headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF"
    assert names(tokens.armoured("RSA PRIVATE KEY", Random(1).randbytes(320), headers)) == [
        "private-key-block"
    ]
    assert names(tokens.armoured("RSA PRIVATE KEY", Random(1).randbytes(64), headers)) == [
        "private-key-block"
    ]
    for size in (321, 56):
        assert names(tokens.armoured("RSA PRIVATE KEY", Random(1).randbytes(size), headers)) == []


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (b"\x30\x23\x02\x01\x00" + bytes(32), True),
        (b"\x30\x23\x30\x01\x00" + bytes(32), True),
        (b"\x30\x81\x90\x02\x01\x00" + bytes(141), True),
        (b"\x30\x82\x01\x00\x30\x01\x00" + bytes(253), True),
        (b"\x30\x23\x02\x01\x00" + bytes(40), True),
        (b"\x30\x1e\x02" + bytes(29), True),
        (b"\x30\x1d\x02" + bytes(28), False),
        (b"\x30\x24\x02" + bytes(34), False),
        (b"\x30\x23\x2f" + bytes(34), False),
        (b"\x31\x23\x02" + bytes(34), False),
        (b"\x30\x00\x02" + bytes(60), False),
    ],
)
def test_a_private_key_is_a_whole_sequence_of_a_version_or_an_algorithm(
    key: bytes, *, expected: bool
) -> None:
    assert names(tokens.armoured("PRIVATE KEY", key)) == ["private-key-block"] * expected


@pytest.mark.parametrize(
    "wrap",
    [
        json.dumps,
        lambda key: json.dumps(json.dumps(key)),
        lambda key: " ".join(key.splitlines()),
        lambda key: "".join(key.splitlines()),
        lambda key: "\r\n".join(key.splitlines()),
        lambda key: "\n".join(f"> {line}" for line in key.splitlines()),
        lambda key: "\n".join(f"    // {line}" for line in key.splitlines()),
        lambda key: "\n".join(f"    '{line}\\n' +" for line in key.splitlines()),
    ],
)
def test_a_private_key_is_found_in_json_quotations_and_source_code(wrap: object) -> None:
    assert callable(wrap)
    assert names(wrap(tokens.private_key(Random(2)))) == ["private-key-block"]


@pytest.mark.parametrize(
    "block",
    [
        "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7...\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANB\n-----END PRIVATE KEY-----",
        tokens.armoured("PRIVATE KEY", b"\x30\x80" + bytes(60)),
        tokens.armoured("PRIVATE KEY", b"\x30\x3c\x05" + bytes(60)),
        tokens.armoured("PGP PRIVATE KEY BLOCK", b"\xc6\x20" + bytes(60)),
        tokens.armoured("CERTIFICATE", tokens.der(Random(1))),
    ],
    ids=[
        "dots",
        "cut",
        "short",
        "no base64",
        "no length",
        "other content",
        "public",
        "certificate",
    ],
)
def test_what_is_no_whole_private_key_is_passed_over(block: str) -> None:
    assert names(block) == []


def test_a_key_behind_a_block_that_is_cut_short_is_found() -> None:
    key = tokens.private_key(Random(1))
    assert names("-----BEGIN PRIVATE KEY-----\n…\n" + key) == ["private-key-block"]


def openssh_key(random: Random) -> bytes:
    fields = [b"none", b"none", b"", b"\0\0\0\1", random.randbytes(51), random.randbytes(136)]
    return b"openssh-key-v1\0" + b"".join(
        field if number == 3 else len(field).to_bytes(4, "big") + field for number, field in enumerate(fields)
    )


PEM_ENCRYPTED = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF"
KEYS = {
    "sequence": tokens.private_key(Random(1)),
    "sequence of whole lines": tokens.armoured("PRIVATE KEY", tokens.der(Random(1), 281)),
    "one line": tokens.armoured("PRIVATE KEY", tokens.der(Random(1), 41)),
    "OpenSSH": tokens.armoured("OPENSSH PRIVATE KEY", openssh_key(Random(1))),
    "OpenSSH with more behind it": tokens.armoured("OPENSSH PRIVATE KEY", openssh_key(Random(1)) + b"\1\2\3"),
    "OpenPGP": tokens.armoured(
        "PGP PRIVATE KEY BLOCK",
        b"\x95\x01\x00" + Random(1).randbytes(256) + b"\xb4\x01u",
        "Comment: test-key",
    ),
    "encrypted": tokens.armoured("RSA PRIVATE KEY", Random(1).randbytes(320), PEM_ENCRYPTED),
}


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda key: key,
        lambda key: key + "\nand what it is for\n",
        lambda key: json.dumps({"key": key + "\n", "other": "value"}),
        lambda key: "\n".join(f"> {line}" for line in key.splitlines()),
        lambda key: key + "\n-----BEGIN CERTIFICATE-----\n",
        lambda key: key.replace("\n", "\n> \n> "),
    ],
    ids=["alone", "text behind it", "json", "quoted", "block behind it", "quoted with lines between"],
)
def test_a_private_key_without_its_last_line_is_found(name: str, wrap: Callable[[str], str]) -> None:
    match = only(wrap(KEYS[name].rpartition("\n")[0]))
    assert match.rule.name == "private-key-block"
    assert match.remark == "its last line is missing"


def test_the_body_of_a_match_is_all_of_the_secret_that_its_format_does_not_give() -> None:
    assert only(TOKEN).body == TOKEN[4:].decode()
    key = tokens.armoured("PRIVATE KEY", tokens.der(Random(1), 293))
    lines = key.splitlines()[1:-1]
    assert only(key).body.splitlines() == lines
    assert only(f"{key}\n{tokens.armoured('CERTIFICATE', b'a' * 60)}").body.splitlines() == lines


@pytest.mark.parametrize("before", [0, 19_973])
@pytest.mark.parametrize("behind", ["", "-----BEGIN CERTIFICATE-----\nYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh\n"])
def test_the_body_of_a_key_without_its_last_line_goes_to_the_next_block(behind: str, before: int) -> None:
    lines = tokens.armoured("PRIVATE KEY", tokens.der(Random(1), 293)).splitlines()[1:-1]
    assert len(lines[-1]) == 16
    text = "\n".join((" " * before + "-----BEGIN PRIVATE KEY-----", *lines, behind))
    assert only(text).body.splitlines() == lines


@pytest.mark.parametrize("text", [TOKEN.decode(), tokens.private_key(Random(1))])
def test_a_match_does_not_print_what_it_found(text: str) -> None:
    match = only(text)
    assert match.body[:20] not in repr(match)


def test_a_private_key_without_its_last_line_has_lines_of_sixty_characters_at_least() -> None:
    text = base64.b64encode(tokens.der(Random(1))).decode()
    for width, expected in ((60, ["private-key-block"]), (59, [])):
        lines = [text[at : at + width] for at in range(0, len(text), width)]
        assert names("\n".join(("-----BEGIN PRIVATE KEY-----", *lines))) == expected


@pytest.mark.parametrize("offset", [0, 9_973, 19_973, 60_000])
def test_a_private_key_without_its_last_line_is_found_at_any_offset(offset: int) -> None:
    key = KEYS["sequence"].rpartition("\n")[0]
    assert names(" " * offset + key) == ["private-key-block"]


def test_a_private_key_between_blanks_without_its_last_line_is_found() -> None:
    key = KEYS["sequence"].rpartition("\n")[0].replace("\n", " ")
    assert names(f"KEY={key} OTHER=1") == ["private-key-block"]


@pytest.mark.parametrize("name", [name for name in KEYS if name != "encrypted"])
def test_a_private_key_of_which_a_documentation_shows_the_first_lines_is_none(name: str) -> None:
    lines = KEYS[name].splitlines()[:-1]
    shown = "\n".join(lines[: -2 if len(lines) > 3 else -1])
    assert names(shown) == []
    assert names(shown + "\n...\n" + "what is to be said of it, in many words\n" * 99) == []


WRAPPED = tokens.private_key(Random(2), "EC") + "\n"


@pytest.mark.parametrize(
    "before", ["", "\n", "# ", "abc", "key:\n", tokens.armoured("CERTIFICATE", b"a" * 99) + "\n"]
)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: text,
        lambda text: f"tls.key: {text}\nother: value\n",
        lambda text: json.dumps({"key": text}),
        lambda text: "\n".join(text[at : at + 76] for at in range(0, len(text), 76)),
        lambda text: json.dumps({"key": "\n".join(text[at : at + 64] for at in range(0, len(text), 64))}),
        lambda text: "\n".join(f"    {text[at : at + 76]}" for at in range(0, len(text), 76)),
        lambda text: text.rstrip("=").replace("+", "-").replace("/", "_"),
    ],
    ids=["alone", "yaml", "json", "lines", "lines in json", "indented lines", "url-safe"],
)
def test_a_private_key_in_base64_is_found_at_any_alignment(wrap: Callable[[str], str], before: str) -> None:
    match = only(wrap(tokens.wrapped(WRAPPED, before)))
    assert match.rule.name == "private-key-base64"
    assert match.remark == ""


def test_a_private_key_in_base64_that_is_cut_short_has_its_remark_or_is_none() -> None:
    assert only(tokens.wrapped(WRAPPED.rpartition("\n-----END")[0])).remark == "its last line is missing"
    assert names(tokens.wrapped(WRAPPED[:120])) == []


@pytest.mark.parametrize(
    "text",
    [
        tokens.armoured("CERTIFICATE", tokens.der(Random(3))),
        "-----BEGIN and nothing that could be a key",
        "-----BEGIN",
    ],
)
def test_other_blocks_in_base64_are_passed_over(text: str) -> None:
    assert names(f"data: {tokens.wrapped(text)}\n") == []


def test_a_service_account_with_a_key_without_its_last_line_is_found() -> None:
    fields = json.loads(tokens.example("gcp-service-account").text)
    fields["private_key"] = fields["private_key"].partition("-----END")[0]
    assert names(json.dumps(fields)) == ["gcp-service-account"]


def test_a_service_account_is_one_finding_whatever_the_order_of_its_keys() -> None:
    fields = json.loads(tokens.example("gcp-service-account").text)
    assert names(json.dumps(fields, indent=2)) == ["gcp-service-account"]
    assert names(json.dumps(fields, indent=2, sort_keys=True)) == ["gcp-service-account"]
    del fields["type"]
    assert names(json.dumps(fields)) == ["private-key-block"]


def test_a_putty_key_has_its_private_lines_before_the_next_header() -> None:
    public = "PuTTY-User-" + "Key-File-3: ssh-rsa\nPublic-Lines: 1\nAAAA\n"
    key = tokens.example("putty-key").text.decode()
    assert names(public) == []
    assert names("Private-Lines: 1\n" + "A" * 40 + "\n" + public) == []
    match = only(public + key)
    assert (match.rule.name, match.offset) == ("putty-key", len(public) + key.index("PuTTY"))
    assert names(key.replace("Private-Lines", "Comment: x\n" * 2_000 + "Private-Lines")) == []


def test_a_registry_credential_stands_near_behind_auths() -> None:
    text = tokens.example("docker-auths").text.decode()
    assert names(text[1:]) == ["docker-auths"]
    assert names(text.replace('": {"auth"', f'": {{{" " * 1_000}"auth"')) == []


def test_a_commented_npmrc_line_is_passed_over() -> None:
    before, parts, after = tokens.FORMS["npmrc-auth"]
    line = before + text_of(Random(1), *parts) + after
    assert names("# " + line) == []
    assert names("# other\n" + line) == ["npmrc-auth"]
    assert names("# other" + " x" * 60 + line) == ["npmrc-auth"]
    for prefix in ("self.", "npm_config_", "NPM_CONFIG_"):
        assert names(prefix + line.rpartition(":")[2]) == ["npmrc-auth"]
    assert names("_auth" + " = " + text_of(Random(1), (ALNUM, 30)) + "==") == ["npmrc-auth"]


@pytest.mark.parametrize(
    "payload",
    [
        {"sub": "1234567890", "name": "John Doe", "iat": 1516239022},
        {"iss": "supabase-demo", "role": "anon", "exp": 1983812996},
    ],
)
def test_the_web_tokens_of_documentations_pass(payload: object) -> None:
    assert names(tokens.json_web_token(Random(1), {"alg": "HS256", "typ": "JWT"}, payload)) == []


@pytest.mark.parametrize("left_over", [1, 5])
def test_what_no_bytes_encode_to_is_no_web_token(left_over: int) -> None:
    header, payload, signature = tokens.example("jwt").secret.split(b".")
    longer = (
        header[: len(header) // 4 * 4] + b"a" * left_over,
        payload[: len(payload) // 4 * 4] + b"a" * left_over,
    )
    for parts in ((longer[0], payload, signature), (header, longer[1], signature)):
        assert names(b".".join(parts)) == []


def test_a_web_token_that_nests_too_deep_is_none() -> None:
    noise = text_of(Random(1), "a", (ALNUM, 30_000))
    deep = base64.urlsafe_b64encode(f'{{"{noise}":{"[" * 5000}'.encode()).rstrip(b"=")
    assert names(b".".join((deep, deep, TOKEN[4:]))) == []
    assert names(tokens.json_web_token(Random(1), {noise: 0}, {noise: 0})) == ["jwt"]


@pytest.mark.parametrize(
    "url",
    [
        "postgres://app:hunter2@localhost/main",
        "postgres://app:hunter2@127.0.0.1:5432/main",
        "postgresql+psycopg://app:hunter2@db/main",
        "mysql://app:hunter2@db.local/main",
        "mysql://app:hunter2@db.prod.internal/main",
        "mongodb+srv://app:hunter2@cluster.example.mongodb.net",
        "redis://app:hunter2@example.org",
        "postgres://app:app@db.acme.test/main",
        "postgres://app:Main@db.acme.test:5432/main",
        "postgres://app:Postgres@db.acme.test/main",
        "postgres://app:your_password@db.acme.test/main",
        "postgres://app:****@db.acme.test/main",
        "postgres://app:$PASSWORD@db.acme.test/main",
        "postgres://app:<password>@db.acme.test/main",
        "ftp://app:hunter2@db.acme.test/main",
        "xpostgres://app:hunter2@db.acme.test/main",
        "postgres://app@db.acme.test:5432/main",
    ],
)
def test_a_url_without_a_password_worth_keeping_passes(url: str) -> None:
    assert names(url) == []


@pytest.mark.parametrize("scheme", ["postgres", "MySQL", "mongodb+srv", "rediss", "postgresql+asyncpg"])
def test_a_database_url_with_a_password_is_like_a_secret(scheme: str) -> None:
    match = only(f"url = {scheme}" + "://app:hunter2@db.acme.test")
    assert match.rule.like
    assert (match.head, match.length) == ("h", len("hunter2"))


@pytest.mark.parametrize(
    ("length", "head"), [(3, ""), (4, "h"), (7, "h"), (8, "hu"), (15, "hun"), (16, "hunt"), (99, "hunt")]
)
def test_of_a_short_secret_a_quarter_is_the_head(length: int, head: str) -> None:
    password = f"hunter2{text_of(Random(1), (ALNUM, 99))}"[:length]
    url = "mysql" + f"://app:{password}@db.acme.test"
    match = only(url)
    assert (match.head, match.length) == (head, length)
    assert redacted(url) == url.replace(password, f"{head}…({length:,} characters)")


@pytest.mark.parametrize("before", ["", "see ", "\n"])
@pytest.mark.parametrize("scheme", ["http", "https", "HTTP", "Https"])
def test_a_web_url_with_a_password_is_like_a_secret_wherever_it_begins(scheme: str, before: str) -> None:
    match = only(f"{before}{scheme}" + "://app:hunter2@git.acme.test/x")
    assert (match.rule.name, match.offset) == ("basic-auth-url", len(before) + len(scheme) + len("://app:"))


def test_a_token_as_the_password_of_a_url_is_reported_as_the_token() -> None:
    assert names(b"https" + b"://oauth2:" + TOKEN + b"@git.acme.test/x.git") == ["github-token"]


def test_a_token_within_a_password_is_reported_as_the_token_wherever_others_stand() -> None:
    url = b"https" + b"://oauth2:a=" + TOKEN + b"@git.acme.test/x.git\n"
    for more in range(4):
        assert names(url + (TOKEN + b"\n") * more) == ["github-token"] * (more + 1)
        assert names((TOKEN + b"\n") * more + url) == ["github-token"] * (more + 1)


# The files.


def test_overlapping_finds_are_one() -> None:
    before, _, after = tokens.FORMS["npmrc-auth"]
    npm = tokens.example("npm-token").secret.decode()
    assert names(before + npm + after) == ["npm-token"]


def test_finds_come_in_their_order_with_line_and_column() -> None:
    text = b"# \xc3\xa9\n\nfirst: \xc3\xa9" + TOKEN + b"\n" + tokens.example("mailgun").secret
    matches = list(scan(text))
    assert [(match.rule.name, match.line, match.column) for match in matches] == [
        ("github-token", 3, 9),
        ("mailgun", 4, 1),
    ]


def test_places_are_counted_from_the_first_character() -> None:
    for before, line, column in (("", 1, 1), ("a ", 1, 3), ("é é ", 1, 5), ("\n", 2, 1), ("\n\n a ", 3, 4)):
        match = only(before.encode() + TOKEN)
        assert (match.line, match.column) == (line, column)


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("around", ["plain text", "配置文件 密钥是 "])
def test_a_token_in_utf_16_is_found_with_its_line(codec: str, around: str) -> None:
    text = f"{around}\n{around * 3}\n密钥中{TOKEN.decode()}\n{around}"
    match = only(text.encode(codec))
    assert (match.rule.name, match.line, match.column) == ("github-token", 3, 4)


CHINESE = "配置文件中的密钥是" * 40


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("around", ["", " ", "密", "a ", "\n"])
def test_a_token_in_utf_16_among_other_scripts_is_found_once(codec: str, around: str) -> None:
    text = CHINESE + around
    match = only((text + TOKEN.decode() + around[::-1] + CHINESE).encode(codec))
    assert (match.rule.name, match.line, match.column) == ("github-token", 0, 0)
    assert match.offset == 2 * len(text) + (codec == "utf-16-be")
    assert match.length == len(TOKEN)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("padding", [0, 1, 2, 3])
@pytest.mark.parametrize("filler", [b"\0", b"\1\2\3\4\0" * 60, b"\x01\0\0\0", b"MZ\x90\0\3\0\0\0"])
@pytest.mark.parametrize(
    "name", ["github-token", "gitlab-token", "private-key-block", "azure-ad-secret", "jwt"]
)
def test_utf_16_in_a_binary_file_is_found_once(codec: str, padding: int, filler: bytes, name: str) -> None:
    noise = filler * 300 + bytes(padding)
    secret = tokens.example(name).secret.decode()
    data = noise + f" {secret} ".encode(codec) + b"\xff\xff" + f"{secret}x ".encode(codec) * 2 + noise
    matches = [match for match in scan(data) if match.offset < len(noise) + 2 * len(secret)]
    assert [(match.rule.name, match.line, match.length) for match in matches] == [(name, 0, len(secret))]
    assert data[matches[0].offset] == ord(secret[0])


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_each_token_in_utf_16_in_a_binary_file_has_its_offset(codec: str) -> None:
    data, offsets = b"MZ\x90\0\3\0\0\0" * 600, []
    for seed in range(4):
        offsets.append(len(data) + (codec == "utf-16-be"))  # of the letter, not of the zero before it
        data += tokens.example("github-token", seed).secret.decode().encode(codec) + b"\1\2\3\4" * 200
    assert [match.offset for match in scan(data)] == offsets


def test_a_token_in_a_binary_file_has_an_offset_and_no_line() -> None:
    match = only(b"\x89PNG\r\n\x1a\n" + bytes(5) + Random(1).randbytes(99) + b"\0" + TOKEN + b"\0")
    assert (match.line, match.column, match.offset) == (0, 0, 113)


@pytest.mark.parametrize("offset", [0, 1, 19, 4095, 4096, 65_535, 5_000_000])
def test_a_token_is_found_at_any_offset(offset: int) -> None:
    filler = (b"Lorem ipsum dolor sit amet, consectetur adipiscing elit.\n" * (offset // 57 + 1))[:offset]
    assert only(filler[:-1] + b" " * bool(offset) + TOKEN).offset == offset


def test_a_match_says_what_it_is_and_by_which_code() -> None:
    assert only(TOKEN).told == "GitHub token ghp_…, 40 characters"
    assert only(TOKEN).code == "secret-content"
    assert only(tokens.example("jwt").text).code == "secret-like"


def test_a_secret_in_a_name_has_its_place() -> None:
    (match,) = scan_words(b"a-" + TOKEN)
    assert (match.line, match.column, match.offset) == (1, 3, 2)


def test_a_match_tells_four_characters_at_most() -> None:
    match = only(TOKEN)
    assert (match.head, match.length) == (TOKEN[:4].decode(), 40)
    assert TOKEN[:5].decode() not in repr(match)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"\xff\xfe",
        b"\xfe\xff\xd8",
        ("-----BEGIN " + "PRIVATE KEY-----").encode() * 2000,
        ("-----BEGIN " + "PRIVATE KEY-----").encode() + b"-a" * 4000,
        ('"private_key"' + ': "-----BEGIN PRIVATE KEY-----').encode() * 2000,
        tokens.wrapped("-----BEGIN").encode().rstrip(b"=") * 20_000,
        (tokens.wrapped("-----BEGIN " + "PRIVATE KEY-----") + "a" * 60).encode() * 2000,
        tokens.wrapped("-----BEGIN" + " " * 30).encode() + b"a\n" * 20_000,
        ("PuTTY-User-" + "Key-File-3:").encode() * 20_000,
        ("PuTTY-User-" + "Key-File-3: Private-Lines:").encode() * 20_000,
        ("-----BEGIN " + "PRIVATE KEY-----" + "a" * 60 + "\n" * 60).encode() * 400,
        b"a\0" * 500_000,
        b"\0" * 500_000,
        b"\\n" * 500_000,
        b"%3D" * 500_000,
        b"+sntr" + b"ys_eyJ" * 20_000,
        b".eyJ" * 20_000,
        b"postgres://a:b" * 20_000,
    ],
)
def test_no_input_is_slow_or_raises(data: bytes) -> None:
    assert list(scan(data)) == []


# Armour, as the rules on names use it.


@pytest.mark.parametrize(
    "label",
    [
        "CERTIFICATE", "TRUSTED CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY", "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST",
        "X509 CRL", "EC PARAMETERS", "X9.42 DH PARAMETERS", "PGP PUBLIC KEY BLOCK", "PGP SIGNATURE", "PGP SIGNED MESSAGE", "SSH SIGNATURE",
    ],
)  # fmt: skip
def test_what_may_be_published_is_public(label: str) -> None:
    assert armour.is_public(f"-----BEGIN {label}-----\nAA==\n-----END {label}-----\n".encode())


@pytest.mark.parametrize(
    "label", ["PRIVATE KEY", "RSA PRIVATE KEY", "PGP MESSAGE", "PGP PRIVATE KEY BLOCK", "OTHER"]
)
def test_any_other_block_makes_a_file_private(label: str) -> None:
    certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
    assert not armour.is_public(f"{certificate}-----BEGIN {label}-----\n".encode())
    assert not armour.is_public(b"no block at all")


def test_an_ssh2_public_key_is_public() -> None:
    assert armour.labels(b"---- BEGIN SSH2 PUBLIC KEY ----\nAA==\n") == [b"SSH2 PUBLIC KEY"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x99\x00\x02ab\xb4\x01u\x88\x01s", True),
        (b"\xc6\x02ab\xcd\x01u\xc2\xc0\x00" + bytes(192), True),
        (b"\xc6\xff\x00\x00\x00\x02ab", True),
        (b"\x9a\x00\x00\x00\x02ab", True),
        (b"\x88\x01s", True),
        (b"\xc6\xc3\x28" + bytes(1_000) + b"\xcd\x01u", True),
        (b"\xc6\xc3\xc1" + bytes(1_153) + b"\xcd\x01u", True),
        (b"\xc6\xe0\0" + bytes(8_384), False),
        (b"\x18\x02ab", False),
        (b"\x18\x02ab\x88\x01s", False),
        (b"\x19\x00\x02ab\x88\x01s", False),
        (b"\xc6\xff\x01\x00\x00\x02ab", False),
        (b"\x99\x00\x02ab\x95\x00\x02cd", False),
        (b"\xc5\x02ab", False),
        (b"\x99\x00\x09ab", False),
        (b"\x9b\x00\x02ab", False),
        (b"\xc6\xbf" + bytes(191) + b"\xcd\x01u", True),
        (b"\xc6\xdf\x00" + bytes(8_128) + b"\xcd\x01u", True),
        (b"\x9b\x00\x88\x01s", False),
        (b"\xc6\xe0ab", False),
        (b"\xc6\xe0\x88\x01s", False),
        (b"\xc6", False),
        (b"text", False),
        (b"\xb4\x01u", False),
        (b"", False),
    ],
)
def test_openpgp_is_public_when_all_of_its_packets_are(data: bytes, *, expected: bool) -> None:
    assert armour.is_public_openpgp(data) is expected


@pytest.mark.parametrize("tag", range(64))
def test_openpgp_packets_of_public_keys_and_what_goes_with_them_are_public(tag: int) -> None:
    data = b"\xc6\x02ab" + bytes([0xC0 + tag]) + b"\x01x"
    assert armour.is_public_openpgp(data) is (tag in {2, 6, 10, 12, 13, 14, 17})


@pytest.mark.parametrize(
    "mark",
    [
        lambda line, number: f"+{line}",
        lambda line, number: f"-{line}",
        lambda line, number: f"> {line}",
        lambda line, number: f"# {line}",
        lambda line, number: f"//{line}",
        lambda line, number: f"// {line}",
        lambda line, number: f"/{line}",
        lambda line, number: f"{number}:{line}",
        lambda line, number: f"{number}: {line}",
        lambda line, number: f"{number:04} {line}",
        lambda line, number: f"2026-11-30T12:00:{number:02}Z {line}",
        lambda line, number: f'  "{line}\\n" +',
        lambda line, number: f"{line}\\n\\",
        lambda line, number: f"log: {line}",
        lambda line, number: f"{'host' * 20} {line}",
    ],
)
@pytest.mark.parametrize("kind", ["RSA", "EC", ""])
def test_a_private_key_is_found_whatever_stands_around_its_lines(
    mark: Callable[[str, int], str], kind: str
) -> None:
    lines = tokens.private_key(Random(kind), kind).splitlines()
    quoted = "\n".join(mark(line, number) for number, line in enumerate(lines, 1))
    assert names(f"before\n{quoted}\nafter\n") == ["private-key-block"]
