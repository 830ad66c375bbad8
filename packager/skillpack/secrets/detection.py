"""Secrets in the bytes of a file: provider tokens, private keys, passwords in URLs.

The rules are those of `skillpack.secrets.tokens`. A naive loop over their patterns runs at 2 MB/s. Here a pattern is only
tried where its literal stands, and most literals are only looked for in runs of at least 20 token characters,
which make up some 5 % of real text: 40 MB/s. One alternation of all literals over the whole text (10 to 20 MB/s)
and one `bytes.find` a literal (16 MB/s) were measured and rejected.
"""

from __future__ import annotations

import bisect
import collections
import functools
import itertools
import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from skillpack.secrets.tokens import (
    DATABASE_SCHEME,
    DOCUMENTATION_JWTS,
    LOCAL_HOST,
    MIN_DISTINCT,
    MIN_RUN,
    PLACEHOLDER,
    PLACEHOLDER_PASSWORDS,
    RULES,
    RUN_BYTES,
    WRAPPED_BEGIN,
    TokenRule,
    in_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Find = re.Match[bytes]

HEAD_CHARS = 4
"""At most this much of a secret is ever told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A secret that was found.

    `head` is what may be told of it: at most four characters, and of a short secret at most a quarter. `body` is what
    may not, in no message: the secret without the beginning that its format has, of a key the lines of base64 and
    nothing of its armour. `length` is in bytes. `line` and `column` count from 1, the column in characters; both are 0 in a file that is no text,
    where `offset` tells the place (in bytes from the start; for UTF-16, of the text as UTF-8). `remark` is what
    its check had to say.
    """

    rule: TokenRule
    head: str
    body: str = field(repr=False)
    length: int
    offset: int
    line: int = 0
    column: int = 0
    remark: str = ""

    @property
    def told(self) -> str:
        """What it is, as far as it may be told."""
        return f"{self.rule.title} {self.head}…, {self.length:,} characters"

    @property
    def ending(self) -> str:
        """The remark as the end of a message, empty without one."""
        return f"; {self.remark}" if self.remark else ""

    @property
    def code(self) -> str:
        """The code of the finding."""
        return "secret-like" if self.rule.like else "secret-content"


def scan(data: bytes) -> Iterator[Match]:
    """Find the secrets in `data`, the content of a file, in their order; overlapping finds are one.

    The text of a UTF-16 file is searched as well as its bytes, and so are UTF-16 texts in other files. Nothing is
    raised, whatever the bytes are.
    """
    is_text = b"\0" not in data
    yield from _scan(data, is_text=is_text)
    if is_text:
        return
    if (codec := _utf16(data)) and "\0" not in (text := data.decode(codec, "replace")):
        yield from _scan(text.encode("utf-8"), is_text=True)
    else:
        yield from _scan_wide(data)


# ASCII in UTF-16, in both byte orders, in data of which `_WIDE_SHAPES` has made "x" for ASCII and "0" for NUL. The
# literal beginning lets `re` skip: classes of characters in the place of shapes are ten times as slow.
_WIDE_SHAPES = bytes(
    ord("0" if byte == 0 else "x" if byte in b"\t\n\r" or 32 <= byte < 127 else " ") for byte in range(256)
)
_WIDE = tuple(b"%b(?:%b)*" % (pair * MIN_RUN, pair) for pair in (b"x0", b"0x"))


def scan_words(text: bytes) -> Iterator[Match]:
    """Find the secrets in a name or a message, in their order: UTF-8 without a file around it.

    The rules and their tests are those of `scan`, but a token may stand behind any sign, and before any: in a name
    `-` and `_` part words, and a slash ends what some tokens could go on with. Of a file that would be too much said,
    since these are in the middle of words and tokens there too.
    """
    return _matches(text, _matches_in_words(text), is_text=True)


def spans_in_words(text: bytes) -> Iterator[tuple[int, int]]:
    """Give the stretches of a name or a message that are secrets, by start and end; those that overlap are one.

    In a path one token may take the beginning of the next segment for a part of itself: `scan_words` gives the first
    alone, and what is left of the second would be told.
    """
    yield from merged(sorted(find.span(1) for _, find, _ in _judged(text, _matches_in_words(text))))


def merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Give stretches by start and end, which come in order; those that overlap or touch are one."""
    start = end = -1
    for first, last in spans:
        if first > end:
            if end >= 0:
                yield start, end
            start = first
        end = max(end, last)
    if end >= 0:
        yield start, end


def _scan_wide(data: bytes) -> Iterator[Match]:
    """Find the secrets in stretches of UTF-16, at any offset, in what is mostly something else.

    A program, say, or text in another script without a byte order mark. What is ASCII in one byte order looks like
    ASCII in the other one, less a character at an end: each secret is told once.
    """
    shape = data.translate(_WIDE_SHAPES)
    told: set[tuple[str, int]] = set()
    for high, wide in enumerate(_WIDE):
        runs = [
            (run.start() + high, data[run.start() + high : run.end() : 2])
            for run in _compiled(wide).finditer(shape)
        ]
        # All in one scan: a scan of each would cost more than the runs are long.
        starts = list(itertools.accumulate((len(text) + 1 for _, text in runs), initial=0))
        for match in _scan(b"\0".join(text for _, text in runs), is_text=False):
            index = bisect.bisect(starts, match.offset) - 1
            offset = runs[index][0] + 2 * (match.offset - starts[index])
            if (match.rule.name, offset) not in told:
                told.add((match.rule.name, offset))
                yield replace(match, offset=offset)


def _utf16(data: bytes) -> str:
    """Return the codec of `data` if it is UTF-16 by its byte order mark, or since every other byte is mostly NUL."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    enough = len(data) // 8
    if data[1::2].count(0) > enough:
        return "utf-16-le"
    return "utf-16-be" if data[::2].count(0) > enough else ""


def _scan(data: bytes, *, is_text: bool) -> Iterator[Match]:
    found = itertools.chain(_matches_in_text(data), _matches_in_runs(data))
    return _matches(data, found, is_text=is_text)


def _matches(data: bytes, found: Iterable[tuple[TokenRule, Find]], *, is_text: bool) -> Iterator[Match]:
    spans: list[tuple[int, int]] = []
    chosen: dict[tuple[int, int], tuple[TokenRule, str]] = {}
    for rule, find, remark in sorted(_judged(data, found), key=_precedence):
        span = find.span(1)
        index = bisect.bisect(spans, span)
        # The spans do not overlap, so only the neighbours can overlap the new one.
        if all(end <= span[0] or span[1] <= start for start, end in spans[max(0, index - 1) : index + 1]):
            spans.insert(index, span)
            chosen[span] = rule, remark
    line, column, counted = 1, 1, 0
    for start, end in spans:
        gap = data[counted:start] if is_text else b""
        counted = start
        if newlines := gap.count(b"\n"):
            line, column, gap = line + newlines, 1, gap[gap.rindex(b"\n") + 1 :]
        column += len(gap.decode("utf-8", "replace"))
        rule, remark = chosen[start, end]
        yield Match(
            rule=rule,
            head=data[start : start + min(HEAD_CHARS, (end - start) // 4)].decode("utf-8", "replace"),
            body=_body(rule, data, start, end).decode("utf-8", "replace"),
            length=end - start,
            offset=start,
            line=line if is_text else 0,
            column=column if is_text else 0,
            remark=remark,
        )


_ORDER = {rule.name: (rule.like, index) for index, rule in enumerate(RULES)}


def _precedence(found: tuple[TokenRule, Find, str]) -> tuple[tuple[bool, int], int]:
    """Refusals come before warnings, so that a URL's password never hides that the password is a token."""
    rule, find, _ = found
    return _ORDER[rule.name], find.start(1)


def _body(rule: TokenRule, data: bytes, start: int, end: int) -> bytes:
    """Return `Match.body`; the lines of a key without an END line are those that are too long for words."""
    secret = data[start:end]
    if rule.check not in _KEY_CHECKS:
        return _without_literal(rule, secret)
    least = 16
    if b"-----END" in secret:
        least = 5
        secret = secret[secret.index(b"-----", 5) : secret.rindex(b"-----END")]
    else:
        secret += data[end : end + MAX_KEY_BYTES].partition(b"-----")[0]
    return b"\n".join(_compiled(b"[A-Za-z0-9+/]{%d,}" % least).findall(secret))


def _judged(data: bytes, found: Iterable[tuple[TokenRule, Find]]) -> Iterator[tuple[TokenRule, Find, str]]:
    """Yield each match that stands its rule's tests, with the remark of its check."""
    for rule, find in found:
        if rule.floor and not _is_random(rule, find[1]):
            continue
        remark = _CHECKS[rule.check](data, find) if rule.check else ""
        if remark is not None:
            yield rule, find, remark


def _by_literal(rules: Iterable[TokenRule]) -> dict[bytes, tuple[TokenRule, ...]]:
    """Return what to try where a literal stands: longer literals first, each with the rules of its beginnings."""
    rules = tuple(rules)
    literals = sorted({literal for rule in rules for literal in rule.literals}, reverse=True)
    return {
        literal: tuple(rule for rule in rules if literal.startswith(rule.literals)) for literal in literals
    }


def _alternation(literals: Iterable[bytes]) -> bytes:
    return b"|".join(map(re.escape, literals))


_IN_TEXT = _by_literal(rule for rule in RULES if rule.where == "text")
# What some literals hold, or never stand without: where it is missing, they are not looked for one by one.
_GATES = {
    b"_eyJ": (b"glc_eyJ", b"ops_eyJ", b"sntrys_"),
    b"ECRET": (b"ECRET", b"AGE-SECRET-KEY-"),
    b"Key=": (b"AccountKey=", b"SharedAccessKey="),
    b"-----BEGIN": (b"-----BEGIN", b'"private_key"'),
}
_UNGATED = [literal for literal in _IN_TEXT if not any(literal in literals for literals in _GATES.values())]
_IN_FILE = [rule for rule in RULES if rule.where == "file"]
_LITERALS = tuple({literal for rule in RULES if rule.where != "file" for literal in rule.literals})
_SLASH = re.compile(rb"[/\\]")


@functools.cache
def _in_words() -> tuple[dict[bytes, tuple[TokenRule, ...]], re.Pattern[bytes]]:
    """Return what to try where a literal stands in a name or message, and what finds the literals.

    By first letters: a branch for each literal would be tried at every other character.
    """
    rules = _by_literal(rule for rule in RULES if rule.where != "file")
    heads = itertools.groupby(rules, key=lambda literal: literal[:2])
    pattern = b"|".join(
        b"%b(?:%b)" % (re.escape(head), _alternation(literal[2:] for literal in literals))
        for head, literals in heads
    )
    return rules, re.compile(pattern)


class _Runs(NamedTuple):
    """What to try where a literal stands in a run, and what finds the literals there.

    Most literals begin their token (`leading`), and no word character precedes that: to look for such a place first,
    and for the literal by lookahead (`literal`), is four times as fast as an alternation of all literals. The few that
    stand inside their token (group 2) cannot begin with such a place and another literal behind it, so that none hides
    another. `escape` is the end of an escape that `tokens` lets a token follow. What an escape begins with is in no
    run, so that it can only be the first of a run; the pattern of the rule looks at all of it.
    """

    rules: dict[bytes, tuple[TokenRule, ...]]
    leading: re.Pattern[bytes]
    literal: re.Pattern[bytes]
    escape: re.Pattern[bytes]


@functools.cache
def _in_runs() -> _Runs:
    rules = _by_literal(rule for rule in RULES if rule.where == "run")
    beginnings = [literal for literal, tried in rules.items() if any(rule.offsets == (0,) for rule in tried)]
    leading = _alternation(beginnings)
    inner = _alternation(literal for literal in rules if literal not in beginnings)
    return _Runs(
        rules=rules,
        leading=re.compile(leading),
        literal=re.compile(b"[^A-Za-z0-9_-](?:(?<==)[0-9A-F]{2})?(?=(%b))|(%b)" % (leading, inner)),
        escape=re.compile(
            rb"(?:[abefnrtv0]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[0-9A-Fa-f]{2}|\d{0,3}[mK]|-)(?=(%b))" % leading
        ),
    )


_SHAPES = bytes(ord("x" if byte in RUN_BYTES else " ") for byte in range(256))
_LONG_RUN = b"x" * MIN_RUN

_compiled = functools.cache(re.compile)


@functools.cache
def _compiled_for_words(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(in_words(pattern))


def _matches_in_text(data: bytes) -> Iterator[tuple[TokenRule, Find]]:
    literals = [*_UNGATED]
    for gate, behind in _GATES.items():
        if gate in data:
            literals += behind
    for literal in literals:
        at = data.find(literal)
        while at >= 0:
            yield from _matches_at(data, _IN_TEXT[literal], at)
            at = data.find(literal, at + 1)
    yield from _matches_in_file(data)


def _matches_in_file(
    data: bytes, compiled: Callable[[bytes], re.Pattern[bytes]] = _compiled
) -> Iterator[tuple[TokenRule, Find]]:
    for rule in _IN_FILE:
        if any(literal in data for literal in rule.literals):
            for find in compiled(rule.pattern).finditer(data):
                yield rule, find


def _matches_in_words(text: bytes) -> Iterator[tuple[TokenRule, Find]]:
    """Try the rules where their literals stand, on all that follows and on no more than the segment of a path.

    Some tokens may hold a slash, or not stand before one: what is a secret as a name is one with more names behind it.
    """
    # Most texts have no literal. A run that tells a few lines compiles nothing; once it is compiled, that is faster.
    if _in_words.cache_info().currsize or any(literal in text for literal in _LITERALS):
        rules, literals = _in_words()
        far: collections.Counter[str] = collections.Counter()
        hit = literals.search(text)
        while hit:
            at, tried = hit.start(), rules[hit[0]]
            for rule in tried:
                yield from _matches_near(text, rule, at, far)
            if slash := _SLASH.search(text, at, at + MAX_NEAR_BYTES):
                yield from _matches_at(text, tried, at, _compiled_for_words, slash.start())
            hit = literals.search(text, at + 1)
    yield from _matches_in_file(text, _compiled_for_words)


MAX_NEAR_BYTES = 4_096
"""How far a token is looked for wherever its literal stands."""
MAX_FAR = 64
"""How often each rule looks farther in one text."""


def _matches_near(
    text: bytes, rule: TokenRule, at: int, far: collections.Counter[str]
) -> Iterator[tuple[TokenRule, Find]]:
    """Try a rule where its literal stands, on all that follows if what is near does not decide.

    Words may be parts of a token and begin one themselves, so that a text of nothing but beginnings would be gone through
    from each to its end: `far` counts, by the name of the rule, how often it was. Keys and URLs end before the next begins.
    """
    end = at + MAX_NEAR_BYTES if rule.floor else len(text)
    near = [*_matches_at(text, (rule,), at, _compiled_for_words, end)]
    is_decided = end >= len(text) or (near and all(find.end() < end for _, find in near))
    if is_decided or far[rule.name] == MAX_FAR:
        yield from near
    else:
        far[rule.name] += 1
        yield from _matches_at(text, (rule,), at, _compiled_for_words)


def _matches_in_runs(data: bytes) -> Iterator[tuple[TokenRule, Find]]:
    runs = _in_runs()
    shape = data.translate(_SHAPES)
    end = 0
    while (start := shape.find(_LONG_RUN, end)) >= 0:
        end = shape.find(b" ", start)
        if end < 0:
            end = len(data)
        if not start and (hit := runs.leading.match(data)):
            yield from _matches_at(data, runs.rules[hit[0]], 0)
        if hit := runs.escape.match(data, start):
            yield from _matches_at(data, runs.rules[hit[1]], hit.end())
        for hit in runs.literal.finditer(data, max(0, start - 1), end):
            leading, inner = hit.groups()
            yield from _matches_at(data, runs.rules[leading or inner], hit.end() if leading else hit.start())


def _matches_at(
    data: bytes,
    rules: Iterable[TokenRule],
    at: int,
    compiled: Callable[[bytes], re.Pattern[bytes]] = _compiled,
    end: int | None = None,
) -> Iterator[tuple[TokenRule, Find]]:
    end = len(data) if end is None else end
    for rule in rules:
        for offset in rule.offsets:
            if offset <= at and (find := compiled(rule.pattern).match(data, at - offset, end)):
                yield rule, find


def _placeholder(text: bytes) -> Find | None:
    return _compiled(PLACEHOLDER).search(text)


def _is_random(rule: TokenRule, token: bytes) -> bool:
    """Whether `token` is no placeholder and has the entropy of a secret.

    What it begins with by its format is not judged as a placeholder: `secret_` and `AGE-SECRET-KEY-` are such words.
    """
    body = _without_literal(rule, token)
    counts = collections.Counter(token)
    entropy = -sum(count / len(token) * math.log2(count / len(token)) for count in counts.values())
    return entropy >= rule.floor and len(set(body)) >= MIN_DISTINCT and not _placeholder(body)


def _without_literal(rule: TokenRule, token: bytes) -> bytes:
    for literal in rule.literals:
        token = token.removeprefix(literal)
    return token


# The structural checks. Each returns None for what is no secret, else a remark for the message, mostly empty.

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _crc_ok(_: bytes, find: Find) -> str:
    """Check the end of a GitHub or npm token: the CRC-32 of its 30 random characters, six digits of base 62."""
    import zlib

    token = find[1]
    rest = zlib.crc32(token[4:34])
    digits = ""
    for _digit in range(6):
        rest, digit = divmod(rest, 62)
        digits = _BASE62[digit] + digits
    return "" if token.endswith(digits.encode("ascii")) else "its checksum is wrong, so it may be made up"


MAX_KEY_BYTES = 20_000
"""How far behind its first line a private key is looked for: some four times an RSA key of 16,384 bits."""


def _private_key_ok(data: bytes, find: Find) -> str | None:
    """Decode the block, or where its END line is missing what follows its BEGIN line, up to the next block."""
    from skillpack.secrets import armour

    if b"-----END" in find[1]:
        return "" if armour.is_private_key(find[1]) else None
    following = data[find.end(1) : find.end(1) + MAX_KEY_BYTES].partition(b"-----")[0]
    return "its last line is missing" if armour.begins_with_key(following) else None


_NO_BASE64 = rb"[^A-Za-z0-9+/_\-\s]"
_URL_SAFE = bytes.maketrans(b"-_", b"+/")


def _wrapped_key_ok(data: bytes, find: Find) -> str | None:
    """Decode the base64, whose lines may be broken, and look for a key in it."""
    import base64

    from skillpack.secrets import armour

    literal = next(literal for literal in WRAPPED_BEGIN if find[1].startswith(literal))
    text = data[find.start(1) : find.start(1) + 2 * MAX_KEY_BYTES]
    # up to the next block, which is a find of its own: a file of nothing but such beginnings is decoded once
    following = _compiled(_alternation(WRAPPED_BEGIN)).search(text, 1)
    plain = armour.unescaped(text[: following.start()] if following else text)
    lines = _compiled(_NO_BASE64).split(plain, maxsplit=1)[0]
    run = WRAPPED_BEGIN[literal] + b"".join(lines.split()).translate(_URL_SAFE)
    # what is left of a quadruple holds bytes, a single character none; padding that is too much is passed over
    key = base64.b64decode(run[: len(run) - (len(run) % 4 == 1)] + b"==")
    block = _compiled(_PRIVATE_KEY).search(key)
    return _private_key_ok(key, block) if block else None


_SERVICE_ACCOUNT = rb'"type"\s*:\s*"service_account"'
_PRIVATE_KEY = next(rule.pattern for rule in RULES if rule.name == "private-key-block")


def _service_account_ok(data: bytes, find: Find) -> str | None:
    """Look for the type before the key, as Google writes it, and behind it, where keys were sorted."""
    near = _compiled(_SERVICE_ACCOUNT).search(data, max(0, find.start() - 3000), find.end() + 3000)
    block = _compiled(_PRIVATE_KEY).match(find[1])
    return _private_key_ok(find[1], block) if near and block else None


def _putty_ok(data: bytes, find: Find) -> str | None:
    """Look for private lines of base64 before the next header: what only mentions the format has none."""
    key = _compiled(rb"Private-Lines:\s{0,9}\d{1,4}\s{1,9}[A-Za-z0-9+/=]{40}")
    end = find.end() + MAX_KEY_BYTES
    following = data.find(b"PuTTY-User-Key-File-", find.end(), end)
    at = data.find(b"Private-Lines:", find.end(), following if following >= 0 else end)
    return "" if at >= 0 and key.match(data, at) else None


def _npmrc_ok(data: bytes, find: Find) -> str | None:
    """Pass over comments."""
    line = data[max(data.rfind(b"\n", 0, find.start()) + 1, find.start() - 121) : find.start()]
    return None if b"#" in line else ""


def _docker_ok(data: bytes, find: Find) -> str | None:
    return "" if data.rfind(b'"auths"', max(0, find.start() - 400), find.start()) >= 0 else None


def _jwt_ok(_: bytes, find: Find) -> str | None:
    """Decode header and payload to JSON objects, and pass over payloads that documentations print."""
    import base64
    import hashlib

    header, payload, _signature = find[1].split(b".")
    try:
        parts = [base64.urlsafe_b64decode(part + b"=" * (-len(part) % 4)) for part in (header, payload)]
    except ValueError:  # so long that a single character is left over
        return None
    if hashlib.sha256(parts[1]).hexdigest() in DOCUMENTATION_JWTS:
        return None
    return "" if all(isinstance(_json(part), dict) for part in parts) else None


def _json(data: bytes) -> Any:
    import json

    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _database_url_ok(data: bytes, find: Find) -> str | None:
    before = data[max(0, find.start() - 40) : find.start()]
    return _password_ok(data, find) if _compiled(DATABASE_SCHEME).search(before) else None


def _web_url_ok(data: bytes, find: Find) -> str | None:
    scheme = data[max(0, find.start() - 5) : find.start()].lower()
    return _password_ok(data, find) if scheme.endswith((b"http", b"https")) else None


def _password_ok(data: bytes, find: Find) -> str | None:
    """Pass over placeholders, passwords that are the name of the user or database, and hosts that are not public."""
    password = find[1].lower()
    user = data[find.start() + len("://") : find.start(1) - 1].lower()
    host = data[find.end(1) + 1 : find.end()]
    database = _compiled(rb"(?::\d+)?/?([\w-]*)").match(data, find.end())
    known = PLACEHOLDER_PASSWORDS | {user, database and database[1].lower()}
    if password in known or _placeholder(password) or _compiled(LOCAL_HOST).fullmatch(host):
        return None
    return ""


_KEY_CHECKS = frozenset({"private_key_ok", "wrapped_key_ok", "service_account_ok", "putty_ok"})

_CHECKS: dict[str, Callable[[bytes, Find], str | None]] = {
    "crc_ok": _crc_ok,
    "private_key_ok": _private_key_ok,
    "wrapped_key_ok": _wrapped_key_ok,
    "service_account_ok": _service_account_ok,
    "putty_ok": _putty_ok,
    "npmrc_ok": _npmrc_ok,
    "docker_ok": _docker_ok,
    "jwt_ok": _jwt_ok,
    "database_url_ok": _database_url_ok,
    "web_url_ok": _web_url_ok,
}
