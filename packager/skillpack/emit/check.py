"""The last look at an emitted module before anything is written: skillpack reads what it has just made."""

from __future__ import annotations

import ast
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from skillpack.emit import literal
from skillpack.emit.layout import sections
from skillpack.runtime import SkillBundle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillpack.emit.layout import Sections

_CODE = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.If, ast.FunctionDef, ast.ClassDef)
"""The statements that the code before the data is made of, beside the texts that document them."""

_skill_facts = attrgetter(
    *("description", "hidden", "digest", "frontmatter", "license", "compatibility", "metadata"),
    *("allowed_tools", "globs"),
)
_file_facts = attrgetter("path", "size", "digest", "media_type", "is_text", "executable")


class EmissionError(Exception):
    """skillpack made a module that does not hold what it was given: a fault of skillpack, never of the skills."""

    def __init__(self, what: str) -> None:
        super().__init__(f"this is a bug in skillpack, and nothing was written: {what}; please report it")


def check(source: bytes, bundle: SkillBundle) -> None:
    """Raise `EmissionError` unless `source` is a module of the one shape there is and holds exactly `bundle`.

    The literals are read twice, by the line grammar and from the syntax tree, so that what `skillpack verify`
    sees and what Python sees are known to be one. Then every digest is computed anew from what was read.
    """
    parts = sections(source)
    if parts is None or not source.isascii():
        raise EmissionError("the module is not ASCII with a data section")
    try:
        literals = literal.parse(parts.data)
        if list(literals.items()) != _constants(source, parts):
            raise EmissionError("Python and the line grammar read different literals")
        read = _read(literals)
        read.verify(bundle.digest)
        if _facts(read) != _facts(bundle):
            raise EmissionError("the module holds other facts than it was made from")
    except (ValueError, LookupError, SyntaxError) as error:
        raise EmissionError(f"the module cannot be read back ({error})") from error


def _constants(source: bytes, parts: Sections) -> list[tuple[str, object]]:
    """Return the literals as Python's parser reads them; `ValueError` when any statement is not of its form."""
    first = parts.head.count(b"\n") + 1
    after = first + parts.data.count(b"\n")
    constants: list[tuple[str, object]] = []
    tail: list[ast.stmt] = []
    for node in ast.parse(source).body:
        if node.lineno >= after:
            tail.append(node)
            continue
        match node:
            case ast.Expr(value=ast.Constant(value=str())) if node.lineno < first:
                pass
            case _ if node.lineno < first and isinstance(node, _CODE):
                pass
            case ast.AnnAssign(
                target=ast.Name(id=name),
                annotation=ast.Name(id=kind),
                value=ast.Constant(value=value),
                simple=1,
            ) if node.lineno >= first and type(value).__name__ == kind:
                constants.append((name, value))
            case _:
                raise ValueError(f"line {node.lineno} holds {type(node).__name__}")
    match tail:
        case [
            ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List()),
            ast.AnnAssign(target=ast.Name(id="bundle"), value=ast.Call()),
        ]:
            return constants
    raise ValueError("it does not end with its bundle")


def _read(literals: Mapping[str, bytes | str]) -> SkillBundle:
    match literals.get(literal.CATALOG), literals.get(literal.INDEX):
        case bytes() as catalog, bytes() as index:
            return SkillBundle.packed(catalog, index, literals.__getitem__)
    raise ValueError("it has no catalog and index")


def _facts(bundle: SkillBundle) -> list[Any]:
    return [
        (name, _skill_facts(skill), [_file_facts(file) for file in skill.files.values()])
        for name, skill in bundle.items()
    ]
