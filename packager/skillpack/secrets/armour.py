"""Armoured keys and certificates (PEM, RFC 7468) and OpenPGP packets (RFC 9580): what is public, what is a key."""

from __future__ import annotations

import binascii
import re
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGIN = re.compile(rb"----[- ]BEGIN ([A-Z0-9][A-Z0-9 .]{0,60}?) ?----")
_PUBLIC_LABEL = re.compile(
    rb"(?:.* )?(?:CERTIFICATE|PUBLIC KEY|PUBLIC KEY BLOCK|CERTIFICATE REQUEST|CRL|PARAMETERS|SIGNATURE|SIGNED MESSAGE)"
)

_ESCAPED_NEWLINE = re.compile(rb"\\+[rn]")
_HEADER_LINE = re.compile(rb"(?m)^[^\n]*:[^\n]*$")
# At least four characters: shorter runs are the "+" and "//" of source code around the lines of a key.
_BASE64_RUN = re.compile(rb"[A-Za-z0-9+/]{4,}={0,2}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==")

_FULL_LINE = 60
"""Lines of armour have 64 characters, those of OpenSSH 70; those of some tools are shorter by a few."""
_OPENSSH = b"openssh-key-v1\0"

_SIGNATURE, _SECRET_KEY, _PUBLIC_KEY, _SECRET_SUBKEY = 2, 5, 6, 7
_MARKER, _TRUST, _USER_ID, _PUBLIC_SUBKEY, _USER_ATTRIBUTE = 10, 12, 13, 14, 17
_PUBLIC_PACKETS = frozenset(
    {_SIGNATURE, _PUBLIC_KEY, _MARKER, _TRUST, _USER_ID, _PUBLIC_SUBKEY, _USER_ATTRIBUTE}
)
_UNKNOWN = -1


def labels(data: bytes) -> list[bytes]:
    """Return the label of each armoured block that begins in `data`, such as `RSA PRIVATE KEY`.

    A block counts when it begins, so that a key without its last line is not overlooked.
    """
    return _BEGIN.findall(data)


def is_public(data: bytes) -> bool:
    """Whether `data` holds an armoured block and each is one that may be published.

    Certificates, public keys, requests, revocation lists, parameters and signatures may.
    """
    found = labels(data)
    return bool(found) and all(_PUBLIC_LABEL.fullmatch(label) for label in found)


def is_public_openpgp(data: bytes) -> bool:
    """Whether `data` is made of OpenPGP packets of public keys and signatures only."""
    tags = set(_packet_tags(data))
    return not tags.isdisjoint({_PUBLIC_KEY, _SIGNATURE}) and tags <= _PUBLIC_PACKETS


def unescaped(text: bytes) -> bytes:
    """Return `text` with the escaped line ends of JSON and source code as line feeds."""
    return _ESCAPED_NEWLINE.sub(b"\n", text)


def is_private_key(block: bytes) -> bool:
    """Whether the body of an armoured private key decodes to a key, and not to what a documentation cuts short.

    `block` reaches from the BEGIN line to the END line. It may stand in source code or JSON: escaped newlines,
    quotes and comment signs around its lines do not matter. A key decodes to ASN.1 (a SEQUENCE that is all there
    and begins as PKCS #1, PKCS #8 and SEC 1 do), to OpenSSH's format or to an OpenPGP secret key packet; the body
    of a key encrypted by PEM itself (RFC 1421) is a cipher's output and only has to be whole blocks of it.
    """
    text = unescaped(block)
    body = text[text.index(b"-----", 5) + 5 : text.rindex(b"-----END")]
    looks_right = _is_cipher_text if b"DEK-Info:" in text else _is_key
    return any(map(looks_right, _readings(body)))


def begins_with_key(text: bytes) -> bool:
    """Whether `text`, what follows the BEGIN line of a private key, has all of a key, though no END line.

    It is read up to the last line of base64, the first that is shorter than the others, and to the line before it,
    since the shorter one may be of something else. What a documentation cuts short is none.
    """
    text = unescaped(text)
    looks_right = _is_cipher_text if b"DEK-Info:" in text else _is_whole_key
    return any(looks_right(key) for body in _key_lines(text) for key in _readings(body))


def _key_lines(text: bytes) -> Iterator[bytes]:
    for parts in (text.splitlines(), text.split()):
        lines: list[bytes] = []
        for part in parts:
            longest = max(map(len, _BASE64_RUN.findall(part)), default=0)
            if longest >= _FULL_LINE:
                lines.append(part)
            elif lines and longest:
                yield b"\n".join(lines)
                lines.append(part)
                break
        yield b"\n".join(lines)


def _is_cipher_text(key: bytes) -> bool:
    return len(key) >= 64 and len(key) % 8 == 0


def _is_key(key: bytes) -> bool:
    return (
        _is_whole_sequence(key)
        or key.startswith(_OPENSSH)
        or next(_packet_tags(key), _UNKNOWN) in (_SECRET_KEY, _SECRET_SUBKEY)
    )


def _is_whole_key(key: bytes) -> bool:
    """As `_is_key`, but all of the key has to be there, whatever its format."""
    if key.startswith(_OPENSSH):
        return _is_whole_openssh(key)
    tags = list(_packet_tags(key))
    return _is_whole_sequence(key) or (tags[:1] == [_SECRET_KEY] and _UNKNOWN not in tags)


def _is_whole_openssh(key: bytes) -> bool:
    """Go through OpenSSH's `PROTOCOL.key`: three strings, the number of keys, and a string each for both keys."""
    at = len(_OPENSSH)
    for field in ("cipher", "kdf", "kdf options", "number", "public", "private"):
        at += 4 if field == "number" else 4 + int.from_bytes(key[at : at + 4], "big")
    return at <= len(key)


def _readings(body: bytes) -> Iterator[bytes]:
    """Give what the base64 in `body` may stand for.

    What surrounds it decides: headers stand between the lines (or times and line numbers, which have colons too),
    spaces end a line or follow its number, and the `+` of a diff and the `//` of a comment are base64 themselves.
    """
    for text in dict.fromkeys((_HEADER_LINE.sub(b"", body), body)):
        # A word that begins with "=" is the checksum of an OpenPGP block.
        for parts in ([word for word in text.split() if not word.startswith(b"=")], text.splitlines()):
            found = [runs for part in parts if (runs := _BASE64_RUN.findall(part))]
            for lines in ([max(runs, key=len) for runs in found], [runs[-1] for runs in found]):
                for foreign in range(3):
                    with suppress(binascii.Error):
                        yield binascii.a2b_base64(b"".join(line[foreign:] for line in lines))


def _is_whole_sequence(key: bytes) -> bool:
    if len(key) < 32 or key[0] != 0x30:
        return False
    header = 2
    length = key[1]
    if length & 0x80:
        header += length & 0x7F
        length = int.from_bytes(key[2:header], "big")
    # INTEGER is a version, SEQUENCE the algorithm of an encrypted key.
    return 0 < length <= len(key) - header and key[header] in (0x02, 0x30)


def _packet_tags(data: bytes) -> Iterator[int]:
    """Yield the tag of each OpenPGP packet; `_UNKNOWN` where `data` is no packet or has no length to skip."""
    at = 0
    while at < len(data):
        first = data[at]
        length_bytes = length = 0
        if first & 0xC0 == 0xC0:
            tag = first & 0x3F
            length_bytes, length = _new_length(data[at + 1 : at + 6])
        elif first & 0x80:
            tag = first >> 2 & 0x0F
            length_bytes = (1, 2, 4, 0)[first & 0x03]
            length = int.from_bytes(data[at + 1 : at + 1 + length_bytes], "big")
        else:
            tag = _UNKNOWN
        yield tag
        if not length_bytes:
            yield _UNKNOWN
            return
        at += 1 + length_bytes + length
    if at > len(data):
        yield _UNKNOWN


def _new_length(field: bytes) -> tuple[int, int]:
    """Return how many bytes a length in the new format takes, and the length; (0, 0) for a part of a length."""
    first = field[0] if field else 0xE0
    if first < 0xC0:
        return 1, first
    if first < 0xE0:
        return 2, (first - 0xC0 << 8) + int.from_bytes(field[1:2], "big") + 0xC0
    return (5, int.from_bytes(field[1:5], "big")) if first == 0xFF else (0, 0)
