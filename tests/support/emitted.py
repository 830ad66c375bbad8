"""Emitted modules in tests: written from a bundle, and run as Python runs them."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import TYPE_CHECKING

from skillpack.emit.module import module
from skillpack.findings import Report

if TYPE_CHECKING:
    from skillpack.runtime import SkillBundle


def emitted(bundle: SkillBundle) -> bytes:
    """Return the source of the one-file form, checked as in production."""
    ((path, source),) = module(bundle, place="skills.py", report=Report())
    assert path == ""
    return source


def executed(source: bytes) -> SkillBundle:
    """Return the bundle that a module makes when it is run, in a namespace of its own."""
    namespace = ModuleType("emitted")
    exec(compile(source, "emitted.py", "exec", dont_inherit=True), namespace.__dict__)
    bundle: SkillBundle = namespace.bundle
    return bundle


def shape(source: bytes) -> tuple[list[str], set[str], list[str]]:
    """Return the syntax trees of a module's statements: before its literals, of the literals, after them.

    Left out is what may differ from bundle to bundle: constants, the names of contents, `bytes` or `str`.
    """
    before: list[str] = []
    literals: set[str] = set()
    after: list[str] = []
    for statement in ast.parse(source).body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="bytes" | "str")) if (
                name in ("_CATALOG", "_SKILLS", "_INDEX") or len(name) == 65
            ):
                assert isinstance(statement.value, ast.Constant)
                statement.value.value = None
                statement.target = statement.annotation = ast.Name(id="_")
                literals.add(ast.dump(statement))
            case _:
                (after if literals else before).append(ast.dump(statement))
    return before, literals, after
