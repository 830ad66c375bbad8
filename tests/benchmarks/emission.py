"""An emitted form of the skills that are measured, with .pyc files and without."""

from __future__ import annotations

import compileall
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from benchmarks.measure import Script

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODULE = "packed_skills"

# More than the limits of a run by default allow.
_OPTIONS = ("-q", "--max-files", "1000000", "--max-bytes", "10GiB", "--rule", "module-too-large=off")
_BUNDLE = """
import os, sys
os.chdir(sys.argv.pop(1))
from skillpack.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


def bundling(
    skills: Path,
    form: str,
    output: Path,
    python: str | Path,
    *options: str,
    before: Callable[[], None] | None = None,
    **environment: str,
) -> Script:
    """Return the script that bundles `skills` as `form` into the folder `output`, which is there then."""
    chosen = (*(("--format", form) if form != "module" else ()), "-o", output / f"{MODULE}.py")
    arguments: list[str | Path] = [skills.parent, "bundle", skills, *chosen, *_OPTIONS, *options]
    return Script(code=_BUNDLE, arguments=arguments, python=python, environment=environment, before=before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Emission:
    """Two folders that hold the emitted form: `compiled` with its .pyc files, `bare` without.

    `python` is the interpreter that both are for.
    """

    form: str
    compiled: Path
    bare: Path
    python: str

    @classmethod
    def made(cls, skills: Path, form: str, python: str) -> Self:
        """Bundle `skills` beside them; what was there of this form goes."""
        compiled, bare = (skills.with_name(f"{form}-{kind}") for kind in ("compiled", "bare"))
        for folder in (compiled, bare):
            shutil.rmtree(folder, ignore_errors=True)
        compiled.mkdir()
        bundling(skills, form, compiled, python, SKILLPACK_CACHE_DIR=os.devnull).run()
        shutil.copytree(compiled, bare)
        compileall.compile_dir(compiled, quiet=2, workers=1)
        return cls(form=form, compiled=compiled, bare=bare, python=python)
