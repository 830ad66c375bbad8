"""The secret scan, cold, against a bare read of the same files: MB/s of CPU time on one core.

    python tests/benchmarks/scan.py [DIRECTORY]

Without a directory the files are the sources, texts and data of the running Python's standard library, which are
as mixed as those of skills. Each figure is of a fresh process, the median of five; the target is 8 MB/s.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import sysconfig
from pathlib import Path

RUNS = 5
TARGET = 8
CODE = """
import sys, time
from pathlib import Path
paths = [path for path in sorted(Path(sys.argv[1]).rglob("*")) if path.is_file() and path.suffix != ".pyc"]
begin = time.process_time()
size = 0
{setup}
for path in paths:
    data = path.read_bytes()
    size += len(data)
    {work}
print(size / (time.process_time() - begin) / 1e6)
"""
READ = CODE.format(setup="", work="pass")
SCAN = CODE.format(setup="from skillpack.secrets.detection import scan", work="list(scan(data))")


def megabytes_a_second(code: str, directory: Path) -> float:
    """Return the speed that a fresh process reports."""
    return float(subprocess.check_output([sys.executable, "-c", code, str(directory)], text=True))


def main() -> None:
    """Measure both in turn and print."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(sysconfig.get_path("stdlib")) / "test"
    read, scanned = [], []
    for _ in range(RUNS):
        read.append(megabytes_a_second(READ, directory))
        scanned.append(megabytes_a_second(SCAN, directory))
    speed, bare = statistics.median(scanned), statistics.median(read)
    verdict = "met" if speed >= TARGET else "missed"
    print(
        f"{directory}: scan {speed:.1f} MB/s, bare read {bare:.0f} MB/s, ratio {speed / bare:.3f}; target {TARGET} MB/s: {verdict}"
    )


if __name__ == "__main__":
    main()
