"""What the import of an emitted module costs over `python -c pass`, in fresh processes, both in turn.

    python tests/benchmarks/startup.py [MIB]

The skills are made by a seeded generator: text of words in lines. Printed are medians of CPU and wall-clock
milliseconds; the target, at most 5 ms for 1 MB with a .pyc, is for a quiet machine.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from skillpack import config, pipeline

RUNS = 41
WORDS = [
    "the",
    "skill",
    "says",
    "what",
    "to",
    "do",
    "when",
    "a",
    "task",
    "of",
    "this",
    "kind",
    "comes",
    "and",
    "which",
    "file",
    "to",
    "read",
    "then",
]


def plant(project: Path, size: int) -> None:
    """Write skills of about `size` bytes in all."""
    random = Random(1)
    for number in range(20):
        directory = project / "skills" / f"skill-{number:02}"
        (directory / "references").mkdir(parents=True)
        head = f"---\nname: skill-{number:02}\ndescription: Does thing {number}\n---\n"
        lines = [" ".join(random.choices(WORDS, k=14)) for _ in range(size // 20 // 60)]
        (directory / "SKILL.md").write_text(head + "\n".join(lines[:40]) + "\n", encoding="utf-8")
        (directory / "references" / "more.md").write_text("\n".join(lines[40:]) + "\n", encoding="utf-8")


def milliseconds(code: str) -> tuple[float, float]:
    """Return CPU and wall-clock time of a fresh interpreter that runs `code`."""
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-I", "-c", code])
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return (usage.ru_utime + usage.ru_stime) * 1000, (time.perf_counter() - begin) * 1000


def main() -> None:
    """Measure and print."""
    size = int(float(sys.argv[1]) * 2**20) if len(sys.argv) > 1 else 2**20
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory)
        plant(project, size)
        with pipeline.pack(config.from_table({}, project, skills=["skills"])) as packed:
            ((_, source),) = pipeline.emit(packed, "emitted.py")
        (project / "emitted.py").write_bytes(source)
        importing = f"import sys; sys.path.insert(0, {directory!r}); import emitted"
        milliseconds(importing)  # writes the .pyc
        baseline, imported = [], []
        for _ in range(RUNS):
            baseline.append(milliseconds("pass"))
            imported.append(milliseconds(importing))
    cpu, wall = (
        statistics.median(run[kind] for run in imported) - statistics.median(run[kind] for run in baseline)
        for kind in (0, 1)
    )
    print(
        f"module of {len(source):,} bytes, with .pyc: +{cpu:.1f} ms CPU, +{wall:.1f} ms wall over `python -c pass`"
    )


if __name__ == "__main__":
    main()
