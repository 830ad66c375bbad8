"""What contents are known by: their digests, and whether they are text. The one module that imports blake3.

It is small, since a run in which nothing has changed needs no more of the addressing than this.
"""

from __future__ import annotations

from blake3 import blake3

from skillpack.model import Fingerprint


def identity(data: bytes) -> str:
    """Return the hex of the BLAKE3 of `data`, 64 lowercase characters: what tells one content from another in a run."""
    return blake3(data).hexdigest()


def content_address(data: bytes) -> str:
    """Return `blake3:` and the hex of the BLAKE3 of `data`."""
    return f"blake3:{blake3(data).hexdigest()}"


def fingerprint(data: bytes, known: str = "") -> Fingerprint:
    """Return the digests of some contents, and whether they are text; `known` is their `identity`, if that is at hand."""
    import hashlib

    # Most contents are ASCII, which is told thirty times as fast as it is decoded.
    is_text = b"\0" not in data
    if is_text and not data.isascii():
        from skillpack.runtime.text import plain_text

        is_text = plain_text(data)
    # `hashlib` takes a small input as fast as `runtime.digest` does.
    sha256 = hashlib.sha256(data).hexdigest()
    return Fingerprint(sha256=sha256, blake3=known or identity(data), is_text=is_text)
