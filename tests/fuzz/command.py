"""The command: each target for some time, by random changes or guided by coverage."""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import time
import traceback
from pathlib import Path

from fuzz.mutation import CORPUS, run
from fuzz.targets import TARGETS
from support.environments import python_with

ATHERIS = "atheris==3.0.0"
CHECKOUT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Try random inputs. One that fails is kept in tests/fuzz/corpus, where every test run tries it again.",
    )
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)} (default: all)"
    )
    parser.add_argument("--seconds", type=float, default=60, help="for each target (default: 60)")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32, help="of the random changes")
    parser.add_argument(
        "--guided", action="store_true", help=f"guided by coverage, with {ATHERIS} (CPython 3.11 to 3.13)"
    )
    options = parser.parse_args()
    unknown = sorted(set(options.targets) - TARGETS.keys())
    if unknown:
        parser.error(f"no such target: {', '.join(unknown)}")
    failed = False
    for name in options.targets or TARGETS:
        failed |= not (_guided if options.guided else _random)(name, options.seconds, options.seed)
    sys.exit(failed)


def _random(name: str, seconds: float, seed: int) -> bool:
    tried, fault = run(TARGETS[name], name, seconds=seconds, seed=seed)
    print(
        f"{name:12} {tried:>9,} inputs in {seconds:.0f} s, seed {seed}: {'a fault' if fault else 'nothing found'}",
        flush=True,
    )
    if fault is None:
        return True
    traceback.print_exception(fault.error)
    file = CORPUS / name / hashlib.sha256(fault.data).hexdigest()[:12]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(fault.data)
    print(f"kept as {file.relative_to(CHECKOUT)}")
    return False


def _guided(name: str, seconds: float, seed: int) -> bool:
    python = python_with("fuzz", ATHERIS, "pyyaml", "blake3", "click", "pathspec", "hatchling")
    script = Path(__file__).with_name("guided.py")
    return subprocess.run((python, script, name, str(int(seconds)), str(seed)), check=False).returncode == 0
