"""What is mutated, and the tests that have to notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Modules of skillpack, as paths under packager/skillpack, and their test files, as paths under the checkout.

    What runs in a moment comes first: a mutant is done with when one test fails.
    """

    paths: tuple[str, ...]
    tests: tuple[str, ...]


def _unit(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/unit/test_{name}.py" for name in names)


SUBJECTS = {
    "digest": Subject(paths=("digest.py", "runtime/digest.py"), tests=_unit("digest")),
    "screen": Subject(paths=("screen",), tests=_unit("screen", "exclusion")),
    "secrets": Subject(
        paths=("secrets/detection.py", "secrets/redaction.py"),
        tests=_unit("secrets", "redaction", "secrecy", "token_floors"),
    ),
    "tokens": Subject(
        paths=("secrets/tokens.py", "secrets/armour.py"), tests=_unit("secrets", "redaction", "token_floors")
    ),
    "frontmatter": Subject(
        paths=("frontmatter",),
        tests=_unit("frontmatter_cases", "known", "secrecy", "fields", "frontmatter"),
    ),
    "emit": Subject(
        paths=("emit",),
        tests=(
            "tests/golden/test_emitted.py",
            *_unit("runtime_source", "literal", "stub", "module", "folder"),
        ),
    ),
}
