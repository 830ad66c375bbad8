"""A venue: what its addresses resolve to. One in memory, in the place of one on the network."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from grid_assets.assets import AssetError, identity

Operation = Callable[..., str]


class Venue:
    """`values` by address (`w/…`, `v/…`), `operations` by theirs, `files` of its drive by path; assets and blobs by hash.

    A value that is an exception is raised: so a source can be down.
    """

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        self.operations = dict(operations)
        self.values: dict[str, Any] = {}
        self.files: dict[str, bytes] = {}
        self._assets: dict[str, Mapping[str, Any]] = {}
        self._blobs: dict[str, bytes] = {}

    def put(self, asset: Mapping[str, Any], content: str | None = None) -> str:
        """Store an asset, with its content in a blob of its own if there is one, and return its address.

        An export of a bundle as assets comes in here: one call for each asset of it. `AssetError` when an asset says
        another SHA-256 of its content than that has.
        """
        if content is not None:
            data = content.encode("utf-8")
            digest = hashlib.sha256(data).hexdigest()
            stated = asset.get("content")
            if isinstance(stated, Mapping) and stated.get("sha256", digest) != digest:
                raise AssetError("the content is not what its sha256 says")
            self._blobs[digest] = data
            asset = {**asset, "content": {"contentType": "text/markdown", "sha256": digest}}
        address = f"a/{identity(asset)}"
        self._assets[address] = asset
        return address

    def resolve(self, address: str) -> Any:
        """Return what is at an address, or None. Raises `OSError` when that cannot be told."""
        value = self._assets.get(address) or self.values.get(address)
        if isinstance(value, OSError):
            raise value
        return value

    def blob(self, digest: str) -> bytes:
        """Return the content with this SHA-256. `AssetError` when the venue has none."""
        try:
            return self._blobs[digest]
        except KeyError:
            raise AssetError(f"there is no content {digest[:12]}…") from None

    def file(self, path: str) -> bytes:
        """Return what is now in a file of the venue's drive. `AssetError` when there is none: nothing is joined or opened."""
        try:
            return self.files[path]
        except KeyError:
            raise AssetError(f"there is no file {path!a:.80}") from None
