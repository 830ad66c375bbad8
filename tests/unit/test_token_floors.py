"""The entropy that each rule asks of a secret, by many secrets of its form."""

from __future__ import annotations

import math
import re
from collections import Counter
from random import Random

import pytest

from skillpack.secrets.detection import scan
from skillpack.secrets.tokens import PLACEHOLDER
from support import tokens
from support.tokens import ALNUM, FLOORS


def names(text: str) -> list[str]:
    return [match.rule.name for match in scan(text.encode())]


FORMS = {
    **tokens.FORMS,
    "github-token": ("", ("gh" + "p_", (ALNUM, 36)), ""),
    "npm-token": ("", ("np" + "m_", (ALNUM, 36)), ""),
}


def uneven(random: Random, alphabet: str, count: int, number: int) -> str:
    """Return characters of which some are more frequent than others; `number` decides how much more."""
    few, rest, skew = 3 + number // 2 % 10, (number / 400) ** 3, number / 130
    ranks = range(1, len(alphabet) + 1)
    weights = (
        [1 if rank <= few else rest for rank in ranks] if number % 2 else [rank**-skew for rank in ranks]
    )
    return "".join(random.choices(random.sample(alphabet, len(alphabet)), weights, k=count))


def spread(name: str) -> list[tuple[float, str]]:
    """Return secrets of a rule by their entropy: no placeholders, of nine characters or more, of some more than of others."""
    parts = FORMS[name][1]
    made = []
    for number in range(400):
        texts = [
            part if isinstance(part, str) else uneven(Random(f"{name} {number}"), *part, number)
            for part in parts
        ]
        free = "".join(text for text, part in zip(texts, parts, strict=True) if not isinstance(part, str))
        if len(set(free)) > 8 and not re.search(PLACEHOLDER, free.encode()):
            secret = "".join(texts)
            counts = Counter(secret).values()
            made.append((-sum(n / len(secret) * math.log2(n / len(secret)) for n in counts), secret))
    return sorted(made)


@pytest.mark.parametrize(
    ("floor", "name"), [(floor, name) for floor, rows in FLOORS.items() for name in rows.split()]
)
def test_a_token_is_found_from_the_entropy_on_that_its_rule_asks_for(floor: float, name: str) -> None:
    before, _, after = FORMS[name]
    made = spread(name)
    entropy, below = [(entropy, secret) for entropy, secret in made if entropy < floor][-1]
    least, above = next((entropy, secret) for entropy, secret in made if entropy >= floor)
    assert floor - 1 < entropy < floor <= least < floor + 1
    assert name not in names(before + below + after)
    assert name in names(before + above + after)
