"""One target under atheris, in an environment that has it: `guided.py TARGET SECONDS SEED`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "packager"), str(TESTS)]

import atheris  # noqa: E402

with atheris.instrument_imports(include=["skillpack"]):
    from fuzz.mutation import CORPUS, found_once
    from fuzz.targets import MAX_BYTES, TARGETS

LONGEST_WORD = 64
"""Of a dictionary, in bytes: libFuzzer takes none that is longer."""


def _quoted(word: bytes) -> str:
    escaped = "".join(rf"\x{byte:02x}" for byte in word)
    return f'"{escaped}"\n'


name, seconds, seed = sys.argv[1:]
fuzzed = TARGETS[name]
kept = CORPUS / name
kept.mkdir(parents=True, exist_ok=True)
with tempfile.TemporaryDirectory(prefix="skillpack-fuzz-") as directory:
    work = Path(directory)
    for number, data in enumerate((*fuzzed.seeds(), *(file.read_bytes() for file in found_once(name)))):
        (work / str(number)).write_bytes(data)
    words = work.parent / f"{work.name}.dict"
    words.write_text("".join(_quoted(word) for word in fuzzed.words if len(word) < LONGEST_WORD))
    arguments = (
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-max_len={MAX_BYTES}",
        f"-artifact_prefix={kept}/",
        f"-dict={words}",
        "-timeout=20",
        "-rss_limit_mb=2048",
    )
    atheris.Setup([sys.argv[0], *arguments, "-print_final_stats=1", str(work)], fuzzed)
    atheris.Fuzz()
