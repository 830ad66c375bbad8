"""Runs `skillpack bundle` in a process of its own for each line of standard input, forked from one that has it loaded.

A line is JSON: `project`, `scratch`, `times` (how many at once), and `action` and `limit` as `layer.Layer` has them. The
answer is a line of JSON: for each run its exit code, what it printed on standard error, and the write point that it came
to, if anything happened there.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any


def main() -> None:
    import skillpack.__main__
    import skillpack.cli
    import skillpack.pipeline
    import skillpack.write  # noqa: F401 - once for all runs

    for line in sys.stdin:
        request = json.loads(line)
        scratch = Path(request["scratch"])
        runs = [_start(request, scratch / f"run {number}") for number in range(request.get("times", 1))]
        answers = []
        for process, place in runs:
            _, status = os.waitpid(process, 0)
            errors, point = place.with_suffix(".errors"), place.with_suffix(".point")
            answers.append(
                {
                    "code": os.waitstatus_to_exitcode(status),
                    "errors": errors.read_text(encoding="utf-8"),
                    "point": point.read_text(encoding="utf-8") if point.exists() else "",
                }
            )
            errors.unlink()
            point.unlink(missing_ok=True)
        print(json.dumps(answers), flush=True)


def _start(request: dict[str, Any], place: Path) -> tuple[int, Path]:
    process = os.fork()
    if process:
        return process, place
    code = 70
    try:
        code = _run(request, place)
    finally:
        os._exit(code)


def _run(request: dict[str, Any], place: Path) -> int:
    import signal

    from faults.layer import Layer
    from skillpack.__main__ import main as program

    scratch = place.parent
    os.chdir(request["project"])
    os.environ.update(TMPDIR=str(scratch), SKILLPACK_CACHE_DIR=str(scratch / "cache"))
    tempfile.tempdir = None
    signal.signal(signal.SIGINT, signal.default_int_handler)
    errors = os.open(place.with_suffix(".errors"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(errors, 2)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    point = os.open(place.with_suffix(".point"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    write = os.write
    sys.argv[1:] = ["bundle"]
    if "action" in request:
        Layer(
            request["action"], request["limit"], lambda name: void(write(point, name.encode()))
        ).put_in_place()
    try:
        program()
    except SystemExit as ending:
        sys.stderr.flush()
        return ending.code if isinstance(ending.code, int) else 0
    return 0


def void(_: object) -> None:
    """Return nothing."""


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
