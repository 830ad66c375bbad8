"""Start-up: from the import of an emitted form to its catalog, against walking directories and reading YAML."""

from __future__ import annotations

import compileall
import shutil
import zipfile
from typing import TYPE_CHECKING

from benchmarks.measure import Row, Script, medians

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUNS = 11
FEW_RUNS = 3

MODULE = "packed_skills"

_WALK = """
import json, sys, time
begin = time.perf_counter()
import os, yaml
def read(top):
    for directory, _, names in os.walk(top):
        if "SKILL.md" in names:
            with open(os.path.join(directory, "SKILL.md"), encoding="utf-8") as file:
                text = file.read()
            yield yaml.load(text[4:].split("\\n---\\n", 1)[0], Loader=yaml.{loader})
catalog = "\\n".join(f"- **{{s['name']}}**: {{' '.join(s['description'].split())}}" for s in read(sys.argv[1]))
print(json.dumps({{"seconds": time.perf_counter() - begin}}))
assert catalog
"""
_CATALOG = f"""
import json, sys, time
sys.path.insert(0, sys.argv[1])
begin = time.perf_counter()
from {MODULE} import bundle
catalog = bundle.catalog()
print(json.dumps({{"seconds": time.perf_counter() - begin}}))
assert catalog
"""
_PASS = "pass"
_IMPORT = f"import sys; sys.path.insert(0, sys.argv[1]); import {MODULE}"
_MEMORY = f"""
import json, os, sys
sys.path.insert(0, sys.argv[1])
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
resident()
before = resident()
import {MODULE}
print(json.dumps({{"megabytes": (resident() - before) / 1e6}}))
"""
_FIRST = f"""
import json, sys, time
sys.path.insert(0, sys.argv[1])
from {MODULE} import bundle
name = bundle.names[len(bundle) // 2]
bundle.catalog()
begin = time.perf_counter()
bundle[name].body
body = time.perf_counter()
bundle[name].files[list(bundle[name].resources)[-1]].bytes()
end = time.perf_counter()
print(json.dumps({{"body": (body - begin) * 1000, "resource": (end - body) * 1000}}))
"""
_COMPILE = """
import json, os, sys, time
size, begin = 0, time.process_time()
for directory, _, names in os.walk(sys.argv[1]):
    for name in names:
        if name.endswith(".py"):
            with open(os.path.join(directory, name), "rb") as file:
                source = file.read()
            size += len(source)
            compile(source, name, "exec", dont_inherit=True)
print(json.dumps({"milliseconds": (time.process_time() - begin) / size * 1e9}))
"""

# By input: with .pyc and without against the pure loader, with .pyc against libyaml's, CPU of the import, memory.
_FACTORS = {"S": (50, 10, 30), "M": (150, 35, 50), "L": (300, 80, 100)}
_IMPORT_MS = {"S": 1, "M": 2, "L": 10}
_MEMORY_MB = {"S": 0.5, "M": 1, "L": 4}


def rows(name: str, form: str, skills: Path, emitted: Path) -> Iterator[Row]:
    """Measure the start-up of the input `name`, which `emitted` holds in a form; the skills are in `skills`."""
    bare = emitted.with_name(f"{emitted.name}-no-pyc")
    shutil.copytree(emitted, bare, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(emitted, quiet=2, workers=1)
    label = f"{name}, {form}"

    runs = RUNS if name != "L" else FEW_RUNS
    quiet = ("-I", "-B")
    found = medians(
        runs,
        pure=Script(code=_WALK.format(loader="SafeLoader"), arguments=[skills]),
        libyaml=Script(code=_WALK.format(loader="CSafeLoader"), arguments=[skills]),
        compiled=Script(code=_CATALOG, arguments=[emitted]),
        source=Script(code=_CATALOG, arguments=[bare], options=quiet),
    )
    seconds = {side: figures["seconds"] for side, figures in found.items()}
    least = _FACTORS[name]
    for title, walk, ours, factor in (
        ("catalog against walk and safe_load, with .pyc", "pure", "compiled", least[0]),
        ("the same without .pyc", "pure", "source", least[1]),
        ("catalog against walk and libyaml, with .pyc", "libyaml", "compiled", least[2]),
    ):
        remark = f"{seconds[walk] * 1000:.1f} ms against {seconds[ours] * 1000:.2f} ms"
        value = seconds[walk] / seconds[ours]
        yield Row(title=title, input=label, value=value, unit="x", limit=factor, least=True, remark=remark)

    found = medians(
        3 * RUNS,
        nothing=Script(code=_PASS),
        importing=Script(code=_IMPORT, arguments=[emitted]),
        memory=Script(code=_MEMORY, arguments=[emitted]),
    )
    cpu = (found["importing"]["cpu"] - found["nothing"]["cpu"]) * 1000
    yield Row(title="import over python -I -c pass, CPU", input=label, value=cpu, unit="ms", limit=_IMPORT_MS[name])
    memory = found["memory"]["megabytes"]
    yield Row(title="memory after import", input=label, value=memory, unit="MB", limit=_MEMORY_MB[name])

    found = medians(
        RUNS,
        compiled=Script(code=_FIRST, arguments=[emitted]),
        source=Script(code=_FIRST, arguments=[bare], options=quiet),
    )
    for side, suffix, limits in (("compiled", "with .pyc", (3, 1.5)), ("source", "without .pyc", (12, 8))):
        for what, limit in zip(("body", "resource"), limits, strict=True):
            value = found[side][what]
            yield Row(title=f"first {what}, {suffix}", input=label, value=value, unit="ms", limit=limit)

    found = medians(FEW_RUNS, nothing=Script(code=_PASS), compiling=Script(code=_COMPILE, arguments=[bare]))
    peak = (found["compiling"]["peak"] - found["nothing"]["peak"]) / 2**20
    most = 50 if form == "module" else 30
    yield Row(title="compiling, peak over pass", input=label, value=peak, unit="MiB", limit=64)
    value = found["compiling"]["milliseconds"]
    yield Row(title="compiling, a MB of source", input=label, value=value, unit="ms", limit=most)

    text, binary = _contents(skills)
    size = sum(path.stat().st_size for path in bare.rglob("*") if path.is_file())
    # One figure for both kinds: what text and bytes may take at most, each by its own share.
    allowed = text * (1.20 if form == "module" else 1.08) + binary * (1 if form == "data" else 1.37)
    remark = f"{size:,} bytes for {text:,} of text and {binary:,} of other contents, each once"
    yield Row(
        title="source size, of what is allowed", input=label, value=size / allowed, unit="x", limit=1, remark=remark
    )
    packed, raw = _zipped(bare), _zipped(skills)
    remark = f"{packed:,} bytes against {raw:,}"
    yield Row(title="wheel size against a zip of the files", input=label, value=packed / raw, unit="x", limit=1.03, remark=remark)
    shutil.rmtree(bare)


def _contents(skills: Path) -> tuple[int, int]:
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
