"""Secrets in contents: every rule by a true and a false example, through the path that production takes."""

from __future__ import annotations

import base64
import json
from random import Random
from typing import TYPE_CHECKING

import pytest

from skillpack.screen import armour
from skillpack.screen.secrets import Match, scan
from skillpack.screen.tokens import RULES
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


@pytest.mark.parametrize("before", ["", " ", "\n", '"', "=", ".", "/", "~", ":", "=="])
def test_a_token_is_found_behind_any_sign(before: str) -> None:
    assert names(before.encode() + TOKEN) == ["github-token"]


@pytest.mark.parametrize("before", ["a", "0", "_", "-"])
def test_a_token_inside_a_word_is_none(before: str) -> None:
    assert names(before.encode() + TOKEN) == []


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


def test_a_token_of_low_entropy_is_dropped() -> None:
    body = "aZ4bY5cX6" * 6
    assert names("gs" + "k_" + body[:52]) == []


def test_words_in_the_prefix_of_a_token_are_no_placeholder() -> None:
    for name in ("age-secret-key", "notion", "supabase"):
        assert names(tokens.example(name).text) == [name]


# Structural checks.


@pytest.mark.parametrize("prefix", ["gh" + "o_", "gh" + "u_", "gh" + "s_", "gh" + "r_", "np" + "m_"])
def test_a_wrong_checksum_is_said_and_still_refused(prefix: str) -> None:
    body = text_of(Random(1), (ALNUM, 30))
    assert only(tokens.with_checksum(prefix, body)).remark == ""
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


def test_a_private_key_that_pem_itself_encrypted_is_found() -> None:
    headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF"
    assert names(tokens.armoured("RSA PRIVATE KEY", Random(1).randbytes(320), headers)) == [
        "private-key-block"
    ]
    assert names(tokens.armoured("RSA PRIVATE KEY", Random(1).randbytes(321), headers)) == []


@pytest.mark.parametrize(
    "wrap",
    [
        json.dumps,
        lambda key: json.dumps(json.dumps(key)),
        lambda key: " ".join(key.splitlines()),
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
        tokens.private_key(Random(1)).replace("-----END", "----- END"),
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
        "no end",
    ],
)
def test_what_is_no_whole_private_key_is_passed_over(block: str) -> None:
    assert names(block) == []


def test_a_key_behind_a_block_that_is_cut_short_is_found() -> None:
    key = tokens.private_key(Random(1))
    assert names("-----BEGIN PRIVATE KEY-----\n…\n" + key) == ["private-key-block"]


def test_a_service_account_is_one_finding_whatever_the_order_of_its_keys() -> None:
    fields = json.loads(tokens.example("gcp-service-account").text)
    assert names(json.dumps(fields, indent=2)) == ["gcp-service-account"]
    assert names(json.dumps(fields, indent=2, sort_keys=True)) == ["gcp-service-account"]
    del fields["type"]
    assert names(json.dumps(fields)) == ["private-key-block"]


def test_a_commented_npmrc_line_is_passed_over() -> None:
    before, parts, after = tokens.FORMS["npmrc-auth"]
    line = before + text_of(Random(1), *parts) + after
    assert names("# " + line) == []
    assert names("# other\n" + line) == ["npmrc-auth"]
    assert names("self." + line.rpartition(":")[2]) == []
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


def test_a_token_as_the_password_of_a_url_is_reported_as_the_token() -> None:
    assert names(b"https" + b"://oauth2:" + TOKEN + b"@git.acme.test/x.git") == ["github-token"]


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


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("around", ["plain text", "配置文件 密钥是 "])
def test_a_token_in_utf_16_is_found_with_its_line(codec: str, around: str) -> None:
    text = f"{around}\n{around * 3}\n密钥中{TOKEN.decode()}\n{around}"
    match = only(text.encode(codec))
    assert (match.rule.name, match.line, match.column) == ("github-token", 3, 4)


def test_a_token_in_a_binary_file_has_an_offset_and_no_line() -> None:
    match = only(b"\x89PNG\r\n\x1a\n" + bytes(5) + Random(1).randbytes(99) + b"\0" + TOKEN + b"\0")
    assert (match.line, match.column, match.offset) == (0, 0, 113)


@pytest.mark.parametrize("offset", [0, 1, 19, 4095, 4096, 65_535, 5_000_000])
def test_a_token_is_found_at_any_offset(offset: int) -> None:
    filler = (b"Lorem ipsum dolor sit amet, consectetur adipiscing elit.\n" * (offset // 57 + 1))[:offset]
    assert only(filler[:-1] + b" " * bool(offset) + TOKEN).offset == offset


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
        (b"\x99\x00\x02ab\x95\x00\x02cd", False),
        (b"\xc5\x02ab", False),
        (b"\x99\x00\x09ab", False),
        (b"\x9b\x00\x02ab", False),
        (b"\xc6\xe0ab", False),
        (b"\xc6", False),
        (b"text", False),
        (b"\xb4\x01u", False),
        (b"", False),
    ],
)
def test_openpgp_is_public_when_all_of_its_packets_are(data: bytes, *, expected: bool) -> None:
    assert armour.is_public_openpgp(data) is expected


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
    ],
)
@pytest.mark.parametrize("kind", ["RSA", "EC", ""])
def test_a_private_key_is_found_whatever_stands_around_its_lines(
    mark: Callable[[str, int], str], kind: str
) -> None:
    lines = tokens.private_key(Random(kind), kind).splitlines()
    quoted = "\n".join(mark(line, number) for number, line in enumerate(lines, 1))
    assert names(f"before\n{quoted}\nafter\n") == ["private-key-block"]
