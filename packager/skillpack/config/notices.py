"""What other tables of the same file say that is not good for skills."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from skillpack.config.file import PYPROJECT
from skillpack.config.packages import is_package
from skillpack.config.table import lookup, quoted
from skillpack.findings import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Notice(NamedTuple):
    """What a finding at the pyproject.toml is to say; the message begins with a TOML path."""

    code: str
    message: str
    hint: str

    @property
    def line(self) -> str:
        """Both in one line, for those who only set a project up."""
        return f"{self.message}; {self.hint}"


def python_notice(table: Mapping[str, object]) -> Iterator[Notice]:
    """Say it when pip would install the project where its emitted module does not run."""
    if not isinstance(lookup(table, "project"), Mapping):
        return
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # 12 ms, and not every command needs it

    required = lookup(table, "project", "requires-python")
    dynamic = lookup(table, "project", "dynamic")
    if required is None and isinstance(dynamic, list) and "requires-python" in dynamic:
        return
    try:
        allowed = SpecifierSet("" if required is None else str(required))
    except InvalidSpecifier:
        return  # the build front end refuses it in its own words
    # the first and a last release of every line decide: no pyproject.toml means single ones between them
    older = ["2.7.18", *(f"3.{minor}.{micro}" for minor in range(11) for micro in (0, 99))]
    if any(allowed.contains(version) for version in older):
        got = "not set, which admits" if required is None else f"{quoted(str(required))} admits"
        yield Notice(
            code="requires-python",
            message=f"project.requires-python: {got} Python before 3.11, where the emitted module does not run",
            hint='write requires-python = ">=3.11"',
        )


def uv_notice(table: Mapping[str, object], roots: Sequence[str]) -> Iterator[Notice]:
    """Say it when uv would not see that a skill was edited: it looks at pyproject.toml alone unless told."""
    if not isinstance(lookup(table, "tool", "uv"), Mapping):
        return
    keys = lookup(table, "tool", "uv", "cache-keys")
    listed = keys if isinstance(keys, list) else []
    files = [key if isinstance(key, str) else lookup(key, "file") for key in listed]
    globs = [glob for glob in files if isinstance(glob, str)]
    watched = [root for root in roots if root[0] != "/" and not is_package(root)]
    missing = [root for root in watched if not any(_reaches(glob, root) for glob in globs)]
    if missing:
        # the glob crate's ** alone matches directories only
        entries = ", ".join(
            f"{{ file = {json.dumps(f'{root}/**/*', ensure_ascii=False)} }}" for root in missing
        )
        if not isinstance(keys, list):
            entries = f'cache-keys = [{{ file = "{PYPROJECT}" }}, {entries}]'
        yield Notice(
            code="uv-cache-keys",
            message="tool.uv.cache-keys: uv keeps an old build after a skill was edited",
            hint=f"add {visible(entries)}",
        )


def _reaches(glob: str, root: str) -> bool:
    """Whether a glob of uv's names files below a skills root; whether it names all of them is its author's choice."""
    path, top = PurePosixPath(glob), PurePosixPath(root)
    literal = PurePosixPath(*itertools.takewhile(lambda part: not set("*?[") & set(part), path.parts))
    if path == top:
        return False  # uv reads the time of files only, and this is a directory
    return literal.is_relative_to(top) or ("**" in path.parts and top.is_relative_to(literal))
