"""Start-up: from the import of an emitted form to its catalog, against walking directories and reading YAML."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from benchmarks.emission import MODULE
from benchmarks.measure import Row, Script, figure, medians

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.emission import Emission

RUNS = 11
FEW_RUNS = 3

WALK = """
import sys, time
begin = time.perf_counter()
import os, yaml
def read(top):
    for directory, _, names in os.walk(top):
        if "SKILL.md" in names:
            with open(os.path.join(directory, "SKILL.md"), encoding="utf-8") as file:
                text = file.read()
            yield yaml.load(text[4:].split("\\n---\\n", 1)[0], Loader=yaml.{loader})
catalog = "\\n".join(f"- **{{s['name']}}**: {{' '.join(s['description'].split())}}" for s in read(sys.argv[1]))
figures.update({{"seconds": time.perf_counter() - begin}})
assert catalog
"""
CATALOG = f"""
import sys, time
sys.path.insert(0, sys.argv[1])
begin = time.perf_counter()
from {MODULE} import bundle
catalog = bundle.catalog()
figures.update({{"seconds": time.perf_counter() - begin}})
assert catalog
"""
_IMPORT = f"import sys; sys.path.insert(0, sys.argv[1]); import {MODULE}"
MEMORY = f"""
import os, sys
sys.path.insert(0, sys.argv[1])
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
resident()
before = resident()
import {MODULE}
figures.update({{"megabytes": (resident() - before) / 1e6}})
"""
FIRST = f"""
import sys, time
sys.path.insert(0, sys.argv[1])
from {MODULE} import bundle
name = bundle.names[len(bundle) // 2]
bundle.catalog()
begin = time.perf_counter()
bundle[name].body
body = time.perf_counter()
bundle[name].files[list(bundle[name].resources)[-1]].bytes()
end = time.perf_counter()
figures.update({{"body": (body - begin) * 1000, "resource": (end - body) * 1000}})
"""
_COMPILE = """
import os, sys, time
size, begin = 0, time.process_time()
for directory, _, names in os.walk(sys.argv[1]):
    for name in names:
        if name.endswith(".py"):
            with open(os.path.join(directory, name), "rb") as file:
                source = file.read()
            size += len(source)
            compile(source, name, "exec", dont_inherit=True)
figures.update({"milliseconds": (time.process_time() - begin) / size * 1e9})
"""

# By input: with .pyc and without against the pure loader, with .pyc against libyaml's, CPU of the import, memory.
_FACTORS = {"S": (50, 10, 30), "M": (150, 35, 50), "L": (300, 80, 100)}
_IMPORT_MS = {"S": 1, "M": 2, "L": 10}
_MEMORY_MB = {"S": 0.5, "M": 1, "L": 4}

_NO_PYC = ("-I", "-B")


def catalog(emitted: Path, python: str, options: tuple[str, ...] = ("-I",)) -> Script:
    """Return the script that imports what is in `emitted` and asks for its catalog."""
    return Script(code=CATALOG, arguments=[emitted], python=python, options=options)


def rows(name: str, skills: Path, emission: Emission) -> Iterator[Row]:
    """Measure the start-up of the input `name`, emitted in some form, and the size and cost of that."""
    label = f"{name}, {emission.form}"
    yield from _against_walk(name, label, skills, emission)
    yield from _import(name, label, emission)
    yield from _first_use(label, emission)
    yield from _compiling(label, emission)
    yield from _sizes(label, skills, emission)


def _against_walk(name: str, label: str, skills: Path, emission: Emission) -> Iterator[Row]:
    found = medians(
        FEW_RUNS if name == "L" else RUNS,
        pure=Script(code=WALK.format(loader="SafeLoader"), arguments=[skills], python=emission.python),
        libyaml=Script(code=WALK.format(loader="CSafeLoader"), arguments=[skills], python=emission.python),
        compiled=catalog(emission.compiled, emission.python),
        source=catalog(emission.bare, emission.python, _NO_PYC),
    )
    least = _FACTORS[name]
    for title, walk, ours, factor in (
        ("catalog against walk and safe_load, with .pyc", "pure", "compiled", least[0]),
        ("the same without .pyc", "pure", "source", least[1]),
        ("catalog against walk and libyaml, with .pyc", "libyaml", "compiled", least[2]),
    ):
        theirs, own = (found[side]["seconds"] * 1000 for side in (walk, ours))
        remark = f"{figure(theirs)} ms against {figure(own)} ms"
        yield Row(
            title=title, input=label, value=theirs / own, unit="x", limit=factor, least=True, remark=remark
        )


def _import(name: str, label: str, emission: Emission) -> Iterator[Row]:
    python = emission.python
    found = medians(
        3 * RUNS,
        nothing=Script(code="pass", python=python),
        importing=Script(code=_IMPORT, arguments=[emission.compiled], python=python),
        memory=Script(code=MEMORY, arguments=[emission.compiled], python=python),
    )
    cpu = (found["importing"]["cpu"] - found["nothing"]["cpu"]) * 1000
    yield Row(
        title="import over python -I -c pass, CPU", input=label, value=cpu, unit="ms", limit=_IMPORT_MS[name]
    )
    memory = found["memory"]["megabytes"]
    yield Row(title="memory after import", input=label, value=memory, unit="MB", limit=_MEMORY_MB[name])


def _first_use(label: str, emission: Emission) -> Iterator[Row]:
    found = medians(
        RUNS,
        compiled=Script(code=FIRST, arguments=[emission.compiled], python=emission.python),
        source=Script(code=FIRST, arguments=[emission.bare], python=emission.python, options=_NO_PYC),
    )
    for side, suffix, limits in (("compiled", "with .pyc", (3, 1.5)), ("source", "without .pyc", (12, 8))):
        for what, limit in zip(("body", "resource"), limits, strict=True):
            value = found[side][what]
            yield Row(title=f"first {what}, {suffix}", input=label, value=value, unit="ms", limit=limit)


def _compiling(label: str, emission: Emission) -> Iterator[Row]:
    python = emission.python
    compiling = Script(code=_COMPILE, arguments=[emission.bare], python=python)
    found = medians(FEW_RUNS, nothing=Script(code="pass", python=python), compiling=compiling)
    peak = (found["compiling"]["peak"] - found["nothing"]["peak"]) / 2**20
    yield Row(title="compiling, peak over pass", input=label, value=peak, unit="MiB", limit=64)
    most = 50 if emission.form == "module" else 30
    value = found["compiling"]["milliseconds"]
    yield Row(title="compiling, a MB of source", input=label, value=value, unit="ms", limit=most)


def _sizes(label: str, skills: Path, emission: Emission) -> Iterator[Row]:
    text, binary = contents(skills)
    size = sum(path.stat().st_size for path in emission.bare.rglob("*") if path.is_file())
    # One figure for both kinds: what text and bytes may take at most, each by its own share.
    allowed = text * (1.20 if emission.form == "module" else 1.08) + binary * 1.37
    remark = f"{size:,} bytes for {text:,} of text and {binary:,} of other contents, each once"
    yield Row(
        title="source size, of what it may be",
        input=label,
        value=size / allowed,
        unit="x",
        limit=1,
        remark=remark,
    )
    packed, raw = _zipped(emission.bare), _zipped(skills)
    remark = f"{packed:,} bytes against {raw:,}"
    title = "wheel size against a zip of the files"
    yield Row(title=title, input=label, value=packed / raw, unit="x", limit=1.03, remark=remark)


def contents(skills: Path) -> tuple[int, int]:
    """Return the bytes of the different contents, those that are text and the others."""
    sizes, seen = [0, 0], set()
    for path in skills.rglob("*"):
        if path.is_file() and (data := path.read_bytes()) not in seen:
            seen.add(data)
            try:
                sizes[0 if b"\0" not in data and data.decode() is not None else 1] += len(data)
            except UnicodeDecodeError:
                sizes[1] += len(data)
    return sizes[0], sizes[1]


def _zipped(directory: Path) -> int:
    """Return the bytes of a zip of all files, as a wheel is one."""
    target = directory.with_name(f"{directory.name}.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(directory.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(directory))
    size = target.stat().st_size
    target.unlink()
    return size
