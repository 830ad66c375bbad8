"""Packing: the walk, the scan, a whole `bundle`, and what the cache saves, against a bare loop over the same files."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from benchmarks.emission import bundling
from benchmarks.measure import Row, Script, figure, medians

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

RUNS = 7
RUNS_L = 1

COLD = "whole bundle, cold, against a bare loop"

BARE = """
import hashlib, os, sys, time
from blake3 import blake3
begin = time.perf_counter()
for directory, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(directory, name), "rb") as file:
            data = file.read()
        hashlib.sha256(data).hexdigest(), blake3(data).hexdigest()
figures["seconds"] = time.perf_counter() - begin
"""
SAFE = """
import sys, time
from pathlib import Path
from skillpack import config
from skillpack.capture import captured
given = {"max-files": 1_000_000, "max-bytes": "10GiB"}
settings = config.from_table({}, Path(sys.argv[1]).parent, skills=["skills"], flags=given)
begin = time.perf_counter()
with captured(settings) as taken:
    for skill in taken.found.skills:
        for file in skill.files:
            file.content.fingerprint
    figures["seconds"] = time.perf_counter() - begin
"""
_READING = """
import os, sys, time
{setup}
size, begin = 0, time.process_time()
for directory, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(directory, name), "rb") as file:
            data = file.read()
        size += len(data)
        {work}
figures["speed"] = size / (time.process_time() - begin) / 1e6
"""
READ = _READING.format(setup="", work="pass")
SCAN = _READING.format(
    setup="from skillpack.secrets.detection import scan", work="assert not any(scan(data))"
)


def rows(name: str, skills: Path, python: str, before: Iterable[Row]) -> Iterator[Row]:
    """Measure the packing of the input `name`; `before` are the rows of the inputs before it.

    A bundle is measured as a whole process, imports and all, and so is the bare loop that it is compared with.
    """
    runs = RUNS_L if name == "L" else RUNS
    bare = Script(code=BARE, arguments=[skills], python=python)
    yield _walk(name, runs, bare, Script(code=SAFE, arguments=[skills], python=python))
    found = medians(
        runs,
        scan=Script(code=SCAN, arguments=[skills], python=python),
        read=Script(code=READ, arguments=[skills], python=python),
    )
    speed, read = found["scan"]["speed"], found["read"]["speed"]
    remark = f"a bare read: {figure(read)} MB/s"
    yield Row(
        title="secret scan, cold, a core",
        input=name,
        value=speed,
        unit="MB/s",
        limit=8,
        least=True,
        remark=remark,
    )

    output, cache = skills.with_name("output"), skills.with_name("cache")
    cold = bundling(skills, "package", output, python, "--no-cache", before=lambda: _empty(output))
    found = medians(runs, bare=bare, ours=cold)
    yield _whole(COLD, name, found, 12 if name == "M" else None)
    yield from _growth(name, skills, found["ours"]["wall"], before)
    yield _peak(name, "package", found["ours"]["peak"])
    warm = bundling(skills, "package", output, python, SKILLPACK_CACHE_DIR=str(cache))
    yield _whole(
        "the same, nothing changed", name, medians(runs, bare=bare, ours=warm), 2 if name == "M" else None
    )
    _empty(output)
    data = bundling(skills, "data", output, python, "--no-cache", before=lambda: _empty(output))
    yield _peak(name, "data", data.run()["peak"])


def _walk(name: str, runs: int, bare: Script, safe: Script) -> Row:
    found = medians(runs, bare=bare, ours=safe)
    theirs, own = found["bare"]["seconds"], found["ours"]["seconds"]
    remark = f"{figure(own * 1000)} ms, the bare loop {figure(theirs * 1000)} ms"
    title = "safe walk, read and both digests, of a bare loop"
    limit = None if name == "S" else 65
    return Row(
        title=title, input=name, value=theirs / own * 100, unit="%", limit=limit, least=True, remark=remark
    )


def _whole(title: str, name: str, found: dict[str, dict[str, float]], limit: float | None) -> Row:
    own, theirs = found["ours"], found["bare"]
    remark = (
        f"processes: {figure(own['wall'] * 1000)} ms against {figure(theirs['wall'] * 1000)} ms, "
        f"CPU {figure(own['cpu'] * 1000)} ms against {figure(theirs['cpu'] * 1000)} ms, "
        f"{figure(own['cpu'] / theirs['cpu'])} x"
    )
    return Row(
        title=title, input=name, value=own["wall"] / theirs["wall"], unit="x", limit=limit, remark=remark
    )


def _growth(name: str, skills: Path, seconds: float, before: Iterable[Row]) -> Iterator[Row]:
    """Give how many times longer a byte takes than one of M, where both are measured."""
    speed = sum(path.stat().st_size for path in skills.rglob("*") if path.is_file()) / seconds / 1e6
    title = "whole bundle, cold, speed"
    yield Row(title=title, input=name, value=speed, unit="MB/s")
    if name == "L":
        for row in before:
            if (row.title, row.input) == (title, "M"):
                yield Row(
                    title="growth of a byte's time from M",
                    input=name,
                    value=row.value / speed,
                    unit="x",
                    limit=1.15,
                )


def _peak(name: str, form: str, peak: float) -> Row:
    limit = 256 if name == "L" else None
    return Row(title=f"peak memory, {form}", input=name, value=peak / 2**20, unit="MiB", limit=limit)


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
