"""What a name alone decides while a skill is walked: `judge`, and whether it is one that files with secrets have."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from skillpack.findings import toml_text
from skillpack.gitignore import pattern_of_name
from skillpack.model import Verdict
from skillpack.paths import VERSION_CONTROL, folded, is_version_control

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEFT_OUT = frozenset({
    "__pycache__", ".venv", "node_modules", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox", ".cache",
    ".turbo", ".ipynb_checkpoints", ".idea", ".ds_store", "__macosx", "thumbs.db", "desktop.ini", ".in_use",
})  # fmt: skip
_LEFT_OUT_FILE = re.compile(r"\._.*|.*\.(?:py[co]|sw[po]|orig|rej)|.*~|\.#.*|#.*#", re.DOTALL)

_TAKE = Verdict(action="take")
_LEAVE_OUT = Verdict(
    action="leave-out", code="left-out", message="left out: tools and editors make it, and no skill needs it"
)


def judge(path: str, *, is_directory: bool, entries: Sequence[str] = ()) -> Verdict:
    """Judge the entry at `path` by its name: `skillpack.model.NameJudge`.

    Names that are left out are so for files, directories and links alike; patterns are for files, since a directory
    `data.orig` is more likely a content than a leftover. A file with the name of a secret is never left out: what
    an editor left of a `.env` has to be seen. A directory with such a name is taken: `screen` refuses it with the
    digest of what is in it, by which it can be allowed.
    """
    written = path.rpartition("/")[2]
    if _is_plain(written):
        return _TAKE
    name = folded(written)
    if is_version_control(written, is_directory=is_directory, entries=entries):
        return Verdict(
            action="refuse",
            code="vcs-entry",
            message=VERSION_CONTROL,
            hint=f"delete it, or leave it out: {exclusion(pattern_of_name(written) + '/' * is_directory)}",
        )
    if name in _LEFT_OUT or (name == "venv" and "pyvenv.cfg" in map(folded, entries)):
        return _LEAVE_OUT
    if not is_directory and _LEFT_OUT_FILE.fullmatch(name) and not is_secret_name(path):
        return _LEAVE_OUT
    return _TAKE


@functools.lru_cache(maxsize=4096)
def _is_plain(name: str) -> bool:
    """Return whether an entry of this name is taken whatever it is; most names of a run occur in many skills."""
    own = folded(name)
    return not (
        own in _LEFT_OUT
        or own in ("venv", "cvs")
        or is_version_control(name, is_directory=True)
        or _LEFT_OUT_FILE.fullmatch(own)
    )


def is_secret_name(path: str) -> bool:
    """Whether the name or the place of a file says that it holds a secret, whatever is in it.

    `path` is a POSIX path relative to the skill directory.
    """
    from skillpack.screen import secret_names  # its tables are half of what a walk would import

    rules = [secret_names.of_file(path), *map(secret_names.of_directory, path.split("/")[:-1])]
    return any(rule is not None and rule.is_secret for rule in rules)


def exclusion(pattern: str) -> str:
    """Return the configuration that leaves out what a pattern matches, as hints write it."""
    return f"[tool.skillpack] exclude = [{toml_text(pattern)}]"
