"""Packing: the walk, the scan, a whole `bundle`, and what the cache saves, against a bare loop over the same files."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Row, Script, medians

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = 5
FEW_RUNS = 1

BARE = """
import hashlib, json, os, sys, time
from blake3 import blake3
begin = time.perf_counter()
for directory, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(directory, name), "rb") as file:
            data = file.read()
        hashlib.sha256(data).digest(), blake3(data).digest()
print(json.dumps({"seconds": time.perf_counter() - begin}))
"""
_SAFE = """
import json, sys, time
from pathlib import Path
from skillpack import config, digest, discover
from skillpack.pipeline import captured
settings = config.from_table({}, Path(sys.argv[1]).parent, skills=["skills"])
begin = time.perf_counter()
with captured(settings) as contents:
    count = sum(1 for _ in contents)
print(json.dumps({"seconds": time.perf_counter() - begin, "count": count}))
"""
_READ = """
import json, os, sys, time
from pathlib import Path
{setup}
paths = [path for path in sorted(Path(sys.argv[1]).rglob("*")) if path.is_file()]
size, begin = 0, time.process_time()
for path in paths:
    data = path.read_bytes()
    size += len(data)
    {work}
print(json.dumps({{"speed": size / (time.process_time() - begin) / 1e6}}))
"""
_BARE_READ = _READ.format(setup="", work="pass")
_SCAN = _READ.format(setup="from skillpack.screen.secrets import scan", work="list(scan(data))")
_BUNDLE = """
import json, sys, time
begin = time.perf_counter()
from skillpack.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps({"seconds": time.perf_counter() - begin}))
"""
