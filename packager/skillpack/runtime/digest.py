"""Digests: the texts that they are taken over are fixed by the design page "Formats"."""

from __future__ import annotations

import sys

from skillpack.runtime.listing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

SMALL_BYTES = 262_144

_hashers: dict[str, Callable[[bytes], Any]] = {}


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of `data` as 64 lowercase hex characters."""
    # The C module costs half a millisecond to import and hashlib 6, but OpenSSL is faster on large inputs.
    small = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
    name = small if len(data) <= SMALL_BYTES else "hashlib"
    if name not in _hashers:
        try:
            module = __import__(name)
        except ImportError:
            module = __import__("hashlib")
        _hashers[name] = module.sha256
    return str(_hashers[name](data).hexdigest())


def canonical_json(value: object) -> str:
    """Return `value` as JSON with sorted keys, no spaces and every character as itself."""
    import json

    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def skill_digest(files: Iterable[tuple[str, str]]) -> str:
    """Return `sha256:<hex>` over the text that `sha256sum` prints for (path, SHA-256 hex) pairs."""
    rows = sorted((path.encode(), digest.encode()) for path, digest in files)
    return "sha256:" + sha256_hex(b"".join(digest + b"  " + path + b"\n" for path, digest in rows))


def bundle_digest(skills: Iterable[tuple[str, str]]) -> str:
    """Return `sha256:<hex>` over (skill name, skill digest) pairs, sorted by name."""
    rows = "".join(f"{digest[7:]}  {name}\n" for name, digest in sorted(skills))
    return "sha256:" + sha256_hex(f"skillpack-bundle/1\n{rows}".encode())


def index_digest(name: str, description: str, frontmatter: str) -> str:
    """Return `sha256:<hex>` over what reaches the prompt; `frontmatter` is its canonical JSON text."""
    text = f"[{canonical_json(name)},{canonical_json(description)},{frontmatter}]"
    return "sha256:" + sha256_hex(text.encode())
