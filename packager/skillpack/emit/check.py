"""The last look at an emitted module before anything is written: skillpack reads what it has just made."""

from __future__ import annotations

import ast
from binascii import a2b_base64
from contextlib import contextmanager
from hashlib import sha256
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from skillpack.emit import literal, part
from skillpack.emit.layout import sections
from skillpack.model import SKILL_MD
from skillpack.runtime import SkillBundle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from skillpack.emit.layout import Sections
    from skillpack.emit.shard import File, Place
    from skillpack.runtime import Skill

_CODE = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.If, ast.FunctionDef, ast.ClassDef)
"""The statements that the code before the data is made of, beside the texts that document them."""

SKILLS_AT_A_TIME = 500
"""How many skills of a package are read back before the pages that hold them are let go."""

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
    with _faults():
        literals, _, tail = _read(source)
        _check_tail(tail)
        match [literals.get(name) for name in (literal.CATALOG, literal.SKILLS, literal.INDEX)]:
            case [bytes() as catalog, bytes() as skills, bytes() as index]:
                read = SkillBundle.packed(catalog, skills, index, literals.__getitem__)
            case _:
                raise ValueError("it has no catalog, skills and index")
        read.verify(bundle.digest)
        _compare(read, bundle, list(bundle))


def shard(file: File, places: Mapping[str, Place]) -> None:
    """Raise `EmissionError` unless the shard `file` holds at `places` what has these digests, and nothing else."""
    with _faults():
        data: bytes | str = file.data
        if file.path.endswith(".py"):
            data = _only_literal(file.data, literal.DATA)
        size = 0
        for digest, place in places.items():
            piece = data[place.start : place.start + place.length]
            size += len(piece)
            content = piece.encode("utf-8") if isinstance(piece, str) else piece
            if place.encoding == "6":
                content = a2b_base64(content)
            if f"sha256:{sha256(content).hexdigest()}" != digest:
                raise ValueError(f"{file.path} does not hold what has the digest {digest}")
        if size != len(data):
            raise ValueError(f"{file.path} holds more than its contents")


def page(file: File, index: bytes, shards: Sequence[tuple[str, str]]) -> None:
    """Raise `EmissionError` unless the page `file` holds `index` and names the `shards` that this counts: (name, kind)."""
    with _faults():
        if file.path.endswith(".py"):
            literals, functions, _ = _read(file.data)
            held, named = literals.get(literal.INDEX), part.parse_parts(functions)
        else:
            head, _, held = file.data.partition(b"\n")
            named = [(name, "bytes") for name in head.decode("ascii").split("\t") if name]
        if held != index:
            raise ValueError(f"{file.path} does not hold its part of the index")
        if named != list(shards):
            raise ValueError(f"{file.path} names other shards than its rows count")


def table(file: File, skills: bytes) -> None:
    """Raise `EmissionError` unless the file holds `skills`, the rows of the skills."""
    with _faults():
        held = _only_literal(file.data, literal.SKILLS) if file.path.endswith(".py") else file.data
        if held != skills:
            raise ValueError(f"{file.path} does not hold the rows of the skills")


def package(
    source: bytes, bundle: SkillBundle, skills: bytes, index: Sequence[bytes], pages: Sequence[str]
) -> None:
    """Raise `EmissionError` unless `source` is an `__init__.py` that, with its index, holds the facts of `bundle`.

    `skills` are the rows of the skills, `index` the parts of the index, and `pages` the names of the files of both. The
    contents were looked at with their shards.
    """
    with _faults():
        literals, functions, tail = _read(source)
        _check_tail(tail)
        match literals.get(literal.PAGES):
            case bytes() as named:
                found = named.decode("ascii").split()
            case _:
                found = part.parse_pages(functions)
        if found != list(pages):
            raise ValueError("it names other pages")
        match literals.get(literal.CATALOG):
            case bytes() as catalog:
                names = list(bundle)
            case _:
                raise ValueError("it has no catalog")
        for first in range(0, len(names) or 1, SKILLS_AT_A_TIME):
            # Each time anew: a bundle keeps all that it has read, which is 100 MB for 5,000 skills.
            read = SkillBundle.paged(catalog, lambda: skills, lambda number: (index[number], _no_content))
            some = names[first : first + SKILLS_AT_A_TIME]
            _compare(read, bundle, some)
            for name in some:
                read[name].file(SKILL_MD)  # which checks the skill's digest


def _no_content(key: str) -> bytes:
    raise LookupError(key)


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except (ValueError, LookupError, SyntaxError) as error:
        raise EmissionError(f"the module cannot be read back ({error})") from error


def _only_literal(source: bytes, name: str) -> bytes | str:
    """Return the one literal of a shard or page, which has this name."""
    literals, _, _ = _read(source)
    if list(literals) != [name]:
        raise ValueError("it does not hold one literal")
    return literals[name]


def _read(source: bytes) -> tuple[dict[str, bytes | str], bytes, list[ast.stmt]]:
    """Return the literals, the functions that stand below them, and the statements after the data."""
    parts = sections(source)
    if parts is None or not source.isascii():
        raise EmissionError("the module is not ASCII with a data section")
    data, functions = part.split(parts.data)
    literals = literal.parse(data)
    constants, tail = _constants(source, parts)
    if list(literals.items()) != constants:
        raise EmissionError("Python and the line grammar read different literals")
    return literals, functions, tail


def _constants(source: bytes, parts: Sections) -> tuple[list[tuple[str, object]], list[ast.stmt]]:
    """Return the literals as Python's parser reads them, and what stands after the data.

    `ValueError` when any statement is not of its form.
    """
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
            # What it does is compared with the text of the one function there is.
            case ast.FunctionDef():
                pass
            case ast.AnnAssign(
                target=ast.Name(id=name),
                annotation=ast.Name(id=kind),
                value=ast.Constant(value=value),
                simple=1,
            ) if type(value).__name__ == kind:
                constants.append((name, value))
            case _:
                raise ValueError(f"line {node.lineno} holds {type(node).__name__}")
    return constants, tail


def _check_tail(tail: list[ast.stmt]) -> None:
    match tail:
        case [
            ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List()),
            *between,
            ast.AnnAssign(target=ast.Name(id="bundle"), value=ast.Call()),
        ] if all(isinstance(node, ast.FunctionDef) for node in between):
            return
    raise ValueError("it does not end with its bundle")


def _compare(read: SkillBundle, bundle: SkillBundle, names: Iterable[str]) -> None:
    """Raise `EmissionError` unless both have the same skills, and the same facts of those that are named."""
    if (
        read.digest != bundle.digest
        or list(read) != list(bundle)
        or any(_facts(read[name]) != _facts(bundle[name]) for name in names)
    ):
        raise EmissionError("the module holds other facts than it was made from")


def _facts(skill: Skill) -> list[Any]:
    return [_skill_facts(skill), *map(_file_facts, skill.files.values())]
