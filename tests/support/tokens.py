"""Secrets for tests, made when a test runs: none of them is in any file, so that no scanner trips over the tests."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"
LETTERS = UPPER + UPPER.lower()
ALNUM = DIGITS + LETTERS
WORD = ALNUM + "_-"
HEX = DIGITS + "abcdef"
BASE32 = UPPER + "234567"
BASE64 = ALNUM + "+/"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A text and, where there is one, the secret in it."""

    text: bytes
    secret: bytes = b""


Part = str | tuple[str, int]


def text_of(random: Random, *parts: Part) -> str:
    """Join the parts: a text as it is, or so many characters of an alphabet."""
    return "".join(
        part if isinstance(part, str) else "".join(random.choices(part[0], k=part[1])) for part in parts
    )


FORMS: dict[str, tuple[str, tuple[Part, ...], str]] = {
    "aws-access-key-id": ("id = ", ("AK" + "IA", (BASE32, 16)), "\n"),
    "aws-secret-access-key": ('aws_secret_access_key = "', ((BASE64, 40),), '"'),
    "aws-bedrock-key": ("", ("AB" + "SK", (BASE64, 109)), " "),
    "gcp-api-key": ("?key=", ("AI" + "za", (WORD, 34), (ALNUM, 1)), "&"),
    "google-oauth-secret": ("", ("GOC" + "SPX-", (WORD, 28)), ""),
    "google-oauth-token": ("Bearer ", ("ya" + "29.", (WORD, 50)), ""),
    "github-fine-grained": ("", ("github" + "_pat_", (ALNUM, 22), "_", (ALNUM, 59)), ""),
    "gitlab-token": ("", ("gl" + "pat-", (WORD, 20)), ""),
    "slack-token": ("", ("xox" + "b-", (DIGITS, 12), "-", (ALNUM, 16)), ""),
    "slack-app-token": ("", ("xa" + "pp-1-", (UPPER, 11), "-", (DIGITS, 13), "-", (HEX, 32)), ""),
    "slack-webhook": ("https://hooks.slack" + ".com/services/", ("T", (UPPER, 8), "/B", (UPPER, 8), "/", (ALNUM, 20)), ""),
    "stripe-live": ("", ("sk" + "_live_", (ALNUM, 24)), ""),
    "stripe-test": ("", ("rk" + "_test_", (ALNUM, 24)), ""),
    "stripe-webhook": ("", ("whs" + "ec_", (BASE64, 32)), ""),
    "openai": ("", ("sk-" + "proj-", (WORD, 40), "T3Blbk" + "FJ", (WORD, 16)), ""),
    "anthropic": ("", ("sk-" + "ant-api03-", (WORD, 80)), ""),
    "openrouter": ("", ("sk-" + "or-v1-", (HEX, 64)), ""),
    "groq": ("", ("gs" + "k_", (ALNUM, 52)), ""),
    "xai": ("", ("xa" + "i-", (ALNUM, 80)), ""),
    "huggingface": ("", ("hf" + "_", (LETTERS, 34)), ""),
    "replicate": ("", ("r8" + "_", (ALNUM, 37)), ""),
    "perplexity": ("", ("pp" + "lx-", (ALNUM, 48)), ""),
    "nvidia": ("", ("nv" + "api-", (WORD, 60)), ""),
    "langsmith": ("", ("lsv2" + "_pt_", (HEX, 32), "_", (HEX, 10)), ""),
    "tavily": ("", ("tv" + "ly-", (ALNUM, 32)), ""),
    "firecrawl": ("", ("fc" + "-", (HEX, 32)), ""),
    "elevenlabs": ("", ("sk" + "_", (HEX, 48)), ""),
    "npmrc-auth": ("//registry.test/:_auth" + "Token = ", ((ALNUM, 24),), "\n"),
    "pypi": ("", ("pypi-" + "AgEIcHlwaS5vcmc", (WORD, 50)), ""),
    "rubygems": ("", ("ruby" + "gems_", (HEX, 48)), ""),
    "crates": ("", ("ci" + "o", (ALNUM, 32)), ""),
    "sendgrid": ("", ("S" + "G.", (WORD, 22), ".", (WORD, 43)), ""),
    "twilio-api-key": ("", ("S" + "K", (HEX, 32)), ""),
    "mailgun": ("", ("ke" + "y-", (HEX, 32)), ""),
    "mailchimp": ("", ((HEX, 32), "-u" + "s", (DIGITS, 1)), ""),
    "azure-ad-secret": ("", ((ALNUM, 3), (DIGITS, 1), "Q" + "~", (ALNUM, 31)), ""),
    "azure-storage-key": ("AccountName=a;Account" + "Key=", ((BASE64, 42), "=="), ";"),
    "azure-devops": ("", ((ALNUM, 76), "AZ" + "DO", (ALNUM, 4)), ""),
    "age-secret-key": ("", ("AGE-" + "SECRET-KEY-1", (BECH32, 58)), ""),
    "telegram-bot": ("https://api.telegram.test/bot", ("7", (DIGITS, 9), ":" + "A", (WORD, 33), (ALNUM, 1)), "/"),
    "discord-bot": ("DISCORD_TOKEN=", ("M", (ALNUM, 23), ".", (ALNUM, 6), ".", (ALNUM, 27)), ""),
    "discord-webhook": ("https://discord.com/api/web" + "hooks/", ((DIGITS, 18), "/", (WORD, 60)), ""),
    "digitalocean": ("", ("do" + "p_v1_", (HEX, 64)), ""),
    "vault": ("", ("hv" + "s.", (WORD, 24)), ""),
    "tfc": ("", ((ALNUM, 14), ".atlas" + "v1.", (WORD, 60)), ""),
    "databricks": ("", ("da" + "pi", (HEX, 32)), ""),
    "grafana": ("", ("gl" + "sa_", (ALNUM, 32), "_", (HEX, 8)), ""),
    "grafana-cloud": ("", ("gl" + "c_eyJ", (BASE64, 40)), ""),
    "linear": ("", ("lin" + "_api_", (ALNUM, 40)), ""),
    "notion": ("", ("sec" + "ret_", (ALNUM, 43)), ""),
    "supabase": ("", ("sb" + "_secret_", (ALNUM, 22), "_", (ALNUM, 8)), ""),
    "shopify": ("", ("shp" + "at_", (HEX, 32)), ""),
    "doppler": ("", ("d" + "p.pt.", (ALNUM, 40)), ""),
    "fly": ("", ("Fly" + "V1 fm2_", (ALNUM, 80)), ""),
    "fly-oauth": ("", ("fo" + "1_", (WORD, 43)), ""),
    "sentry": ("", ("sntr" + "ys_eyJ", (BASE64, 80)), ""),
    "sentry-user": ("", ("sntr" + "yu_", (HEX, 64)), ""),
    "newrelic": ("", ("NR" + "AK-", (UPPER + DIGITS, 27)), ""),
    "postman": ("", ("PM" + "AK-", (HEX, 24), "-", (HEX, 34)), ""),
    "atlassian": ("", ("ATA" + "TT3", (WORD, 150)), ""),
    "figma": ("", ("fi" + "gd_", (WORD, 38)), ""),
    "1password": ("", ("ops" + "_eyJ", (BASE64, 250)), " "),
    "1password-key": (
        "",
        ("A" + "3-", (ALNUM[:36], 6), "-", (UPPER, 11), "-", (UPPER, 5), "-", (UPPER, 5), "-", (UPPER, 5)),
        "",
    ),
    "dockerhub": ("", ("dck" + "r_pat_", (WORD, 27)), ""),
    "docker-auths": ('{"auths": {"ghcr.test": {"auth": "', ((ALNUM, 16), "=="), '"}}}'),
    "tailscale": ("", ("tsk" + "ey-auth-", (ALNUM, 12), "-", (ALNUM, 20)), ""),
    "pulumi": ("", ("pu" + "l-", (HEX, 40)), ""),
    "planetscale": ("", ("psca" + "le_tkn_", (WORD, 32)), ""),
    "square": ("", ("sq" + "0csp-", (WORD, 22)), ""),
    "dropbox": ("", ("s" + "l.", (WORD, 130)), ""),
    "sourcegraph": ("", ("sg" + "p_", (HEX, 40)), ""),
}  # fmt: skip
"""By the name of a rule: what stands before its shortest secret, the secret's parts, what stands behind it."""


def example(rule: str, seed: int = 0) -> Example:
    """Return a text with a secret of the rule in it."""
    random = Random(f"{rule} {seed}")
    if rule in _MAKERS:
        return _MAKERS[rule](random)
    before, parts, after = FORMS[rule]
    secret = text_of(random, *parts)
    return Example(text=(before + secret + after).encode(), secret=secret.encode())


def near_miss(rule: str) -> bytes:
    """Return a text that is just no match: its last random part is one character short, or it fails its check."""
    if rule in _NEAR_MISSES:
        return _NEAR_MISSES[rule](Random(rule))
    before, parts, after = FORMS[rule]
    index, (alphabet, count) = [
        (index, part) for index, part in enumerate(parts) if not isinstance(part, str)
    ][-1]
    short: tuple[Part, ...] = (*parts[:index], (alphabet, count - 1), *parts[index + 1 :])
    return (before + text_of(Random(rule), *short) + after).encode()


def with_checksum(prefix: str, body: str) -> str:
    """Return a token of GitHub's and npm's form with the right checksum."""
    rest = zlib.crc32(body.encode())
    digits = ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        digits = ALNUM[digit] + digits
    return prefix + body + digits


def _with_checksum(prefix: str) -> Callable[[Random], Example]:
    def make(random: Random) -> Example:
        secret = with_checksum(prefix, text_of(random, (ALNUM, 30))).encode()
        return Example(text=b'token = "' + secret + b'"\n', secret=secret)

    return make


def der(random: Random, size: int = 300) -> bytes:
    """Return a SEQUENCE that begins like a private key's, of random content."""
    body = b"\x02\x01\x00" + random.randbytes(size)
    return b"\x30\x82" + len(body).to_bytes(2, "big") + body


def armoured(label: str, content: bytes, headers: str = "") -> str:
    """Return a block of `content` as PEM."""
    text = base64.b64encode(content).decode()
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "\n".join(
        [f"-----BEGIN {label}-----", *([headers, ""] if headers else []), *lines, f"-----END {label}-----"]
    )


def private_key(random: Random, kind: str = "") -> str:
    """Return an armoured private key."""
    return armoured(f"{kind} PRIVATE KEY".strip(), der(random))


def _private_key(random: Random) -> Example:
    secret = private_key(random, "RSA").encode()
    return Example(text=b"key: |\n" + secret + b"\n", secret=secret)


def wrapped(text: str, before: str = "") -> str:
    """Return `before` and `text` in base64: the length of `before` decides how `text` comes to stand."""
    return base64.b64encode((before + text).encode()).decode()


def _wrapped_key(random: Random) -> Example:
    secret = wrapped(private_key(random, "RSA") + "\n").encode()
    return Example(text=b"data:\n  tls.key: " + secret + b"\n", secret=secret)


def _service_account(random: Random) -> Example:
    fields = {"type": "service_account", "project_id": "p", "private_key": private_key(random) + "\n"}
    return Example(text=json.dumps(fields).encode(), secret=json.dumps(fields["private_key"])[1:-1].encode())


def _putty(random: Random) -> Example:
    secret = "PuTTY-User-" + "Key-File-3:"
    lines = text_of(random, (BASE64, 64))
    return Example(
        text=f"{secret} ssh-ed25519\nComment: test-key\nPrivate-Lines: 1\n{lines}\n".encode(),
        secret=secret.encode(),
    )


def json_web_token(random: Random, header: object, payload: object) -> str:
    """Return a token of these parts with a random signature."""
    parts = [
        base64.urlsafe_b64encode(json.dumps(part, separators=(",", ":")).encode()).decode().rstrip("=")
        for part in (header, payload)
    ]
    return ".".join((*parts, text_of(random, (ALNUM, 43))))


def _jwt(random: Random) -> Example:
    secret = json_web_token(
        random, {"alg": "HS256", "typ": "JWT"}, {"sub": text_of(random, (ALNUM, 12))}
    ).encode()
    return Example(text=b"Authorization: Bearer " + secret, secret=secret)


def _url(before: str, after: str) -> Callable[[Random], Example]:
    def make(random: Random) -> Example:
        secret = text_of(random, (ALNUM, 12)).encode()
        return Example(text=before.encode() + secret + after.encode(), secret=secret)

    return make


_MAKERS: dict[str, Callable[[Random], Example]] = {
    "github-token": _with_checksum("gh" + "p_"),
    "npm-token": _with_checksum("np" + "m_"),
    "private-key-block": _private_key,
    "private-key-base64": _wrapped_key,
    "gcp-service-account": _service_account,
    "putty-key": _putty,
    "jwt": _jwt,
    "db-url-password": _url("postgres" + "://app:", "@db.acme.test/main"),
    "basic-auth-url": _url("https" + "://app:", "@git.acme.test/main"),
}

_NEAR_MISSES: dict[str, Callable[[Random], bytes]] = {
    "github-token": lambda random: ("gh" + "p_" + text_of(random, (ALNUM, 35))).encode(),
    "npm-token": lambda random: ("np" + "m_" + text_of(random, (ALNUM, 35))).encode(),
    "private-key-block": lambda random: armoured("PRIVATE KEY", random.randbytes(9)).encode(),
    "private-key-base64": lambda random: wrapped(armoured("CERTIFICATE", der(random))).encode(),
    "gcp-service-account": lambda random: json.dumps(
        {
            "type": "service_account",
            "private_key": armoured("PRIVATE KEY", b"\x30\x82\x09" + random.randbytes(60)),
        }
    ).encode(),
    "putty-key": lambda _: ("PuTTY-User-" + "Key-File-2: ssh-rsa\nPrivate-Lines: 14\n…\n").encode(),
    "jwt": lambda random: json_web_token(random, ["alg"], {"sub": "me"}).encode(),
    "db-url-password": lambda _: ("postgres" + "://app:hunter2@localhost/main").encode(),
    "basic-auth-url": lambda _: ("https" + "://app:app@git.acme.test").encode(),
    "slack-webhook": lambda _: ("https://hooks.slack" + ".com/services/T0/B0/abc").encode(),
    "docker-auths": lambda random: (
        FORMS["docker-auths"][0].replace("auths", "other") + text_of(random, (ALNUM, 20)) + '"'
    ).encode(),
}


FLOORS = {
    3: """
        aws-access-key-id github-token github-fine-grained openrouter langsmith firecrawl rubygems
        twilio-api-key mailgun mailchimp digitalocean databricks shopify sentry sentry-user postman
        pulumi sourcegraph
    """,
    3.2: """
        elevenlabs
    """,
    3.3: """
        supabase
    """,
    3.5: """
        google-oauth-secret gitlab-token slack-token slack-app-token stripe-live stripe-test
        stripe-webhook openai huggingface npm-token npmrc-auth grafana grafana-cloud newrelic
        docker-auths tailscale
    """,
    3.8: """
        replicate 1password 1password-key planetscale
    """,
    4: """
        aws-secret-access-key aws-bedrock-key gcp-api-key google-oauth-token slack-webhook anthropic
        groq xai perplexity nvidia tavily pypi crates sendgrid azure-ad-secret azure-devops
        age-secret-key telegram-bot discord-webhook vault tfc linear notion doppler fly fly-oauth
        atlassian figma dockerhub square dropbox
    """,
    4.2: """
        azure-storage-key discord-bot
    """,
}
"""The rules by the bits a character that their secrets have at least."""
