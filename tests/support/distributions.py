"""Distributions as an installer leaves them: files, and a dist-info with the record of these."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING

from support import projects

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def install(
    site: Path,
    name: str,
    version: str = "1.0",
    files: Mapping[str, str] | None = None,
    *,
    record: str | None = "",
    editable: bool = False,
    entry_points: str = "",
) -> Path:
    """Write a distribution into `site` and return its dist-info.

    `record` is what the record has besides `files`; there is none where it is None.
    """
    files = files or {}
    projects.write(site, files)
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    projects.write(info, {"METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"})
    if record is not None:
        rows = [f"{path},sha256={digest(text)},{len(text.encode())}" for path, text in files.items()]
        projects.write(info, {"RECORD": "\n".join([*rows, f"{info.name}/RECORD,,", record]) + "\n"})
    if editable:
        projects.write(
            info, {"direct_url.json": json.dumps({"url": "file:///x", "dir_info": {"editable": True}})}
        )
    if entry_points:
        projects.write(info, {"entry_points.txt": entry_points})
    return info


def digest(text: str) -> str:
    """Return a SHA-256 as a record has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode("ascii")
