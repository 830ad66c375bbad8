"""Inputs made from others by small random changes, and the loop that tries them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fuzz.targets import Fuzzed

CORPUS = Path(__file__).with_name("corpus")
"""Inputs that once showed a fault, in a directory for each target: they are tried in every test run."""


def found_once(target: str) -> list[Path]:
    """Return the files of a target's corpus."""
    return sorted((CORPUS / target).glob("*"))


def mutated(parents: Sequence[bytes], words: Sequence[bytes], random: Random) -> bytes:
    """Return one of `parents` with one to eight changes: of bytes, of stretches, of words."""
    data = bytearray(random.choice(parents))
    for _ in range(random.choice((1, 1, 1, 2, 3, 5, 8))):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.choice((0, 1, 2, 8, 64)))
        match random.randrange(7):
            case 0 if data:
                data[at - 1] ^= 1 << random.randrange(8)
            case 1:
                del data[at:end]
            case 2:
                data[at:end] = random.randbytes(end - at)
            case 3 if words:
                data[at:end] = random.choice(words)
            case 4 if words:
                data[at:at] = random.choice(words)
            case 5:
                data[at:at] = data[at:end] * random.choice((1, 2, 50))
            case _:
                other = random.choice(parents)
                start = random.randrange(len(other) + 1)
                data[at:end] = other[start : start + random.choice((1, 8, 200))]
    return bytes(data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An input that a target failed on, and the error."""

    data: bytes
    error: Exception


def inputs(fuzzed: Fuzzed, target: str, random: Random) -> Iterator[bytes]:
    """Give the seeds and the corpus of a target, then changes of them, without end."""
    parents = [*fuzzed.seeds(), *(file.read_bytes() for file in found_once(target))]
    yield from parents
    while True:
        child = mutated(parents, fuzzed.words, random)
        yield child
        if random.random() < 0.02:  # so that changes add up; some get far from what is valid
            parents.append(child)


def run(fuzzed: Fuzzed, target: str, *, seconds: float, seed: int) -> tuple[int, Fault | None]:
    """Try inputs for some seconds, or until one fails; returns how many were tried, and the fault."""
    until = time.monotonic() + seconds
    for tried, data in enumerate(inputs(fuzzed, target, Random(seed)), 1):
        try:
            fuzzed(data)
        except Exception as error:  # noqa: BLE001 - any is what is looked for
            return tried, Fault(data=data, error=error)
        if time.monotonic() > until:
            return tried, None
    raise AssertionError("the inputs have no end")
