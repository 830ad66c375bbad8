"""What is mutated, and the tests that have to notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Modules of skillpack, as paths under packager/skillpack, and the names of their test files in tests/unit."""

    paths: tuple[str, ...]
    tests: tuple[str, ...]


SUBJECTS = {
    "digest": Subject(paths=("digest.py", "runtime/digest.py"), tests=("digest",)),
    "screen": Subject(paths=("screen",), tests=("screen", "exclusion")),
    "secrets": Subject(paths=("secrets",), tests=("secrets", "redaction", "secrecy")),
    "frontmatter": Subject(
        paths=("frontmatter",), tests=("frontmatter", "frontmatter_cases", "fields", "known", "secrecy")
    ),
    "emit": Subject(paths=("emit",), tests=("literal", "module", "folder", "stub", "runtime_source")),
}
