"""What `skillpack export assets` wrote, put into a venue: metadata by the names of the skills, contents by their hashes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from grid_assets.assets import AssetError

if TYPE_CHECKING:
    from pathlib import Path

    from grid_assets.venue import Venue


def taken_in(venue: Venue, directory: Path) -> dict[str, str]:
    """Store each asset of an exported directory and return its address by its name, as a source of skills has them.

    `AssetError` for a content that is not there, or is not what the asset says.
    """
    blobs = {path.name: path.read_bytes() for path in directory.glob("content/*")}
    addresses = {}
    for path in sorted(directory.glob("assets/*.json")):
        asset = json.loads(path.read_text(encoding="utf-8"))
        digest = asset.get("content", {}).get("sha256")
        if digest is not None and digest not in blobs:
            raise AssetError(f"{path.name}: there is no content {digest[:12]}…")
        content = None if digest is None else blobs[digest].decode("utf-8")
        addresses[path.stem] = venue.put(asset, content)
    return addresses
