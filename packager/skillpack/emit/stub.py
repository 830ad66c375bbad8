"""The stub of an emitted module: its public names with their types, and the names of its skills as a type.

A checker that finds `skills.pyi` beside `skills.py` reads it instead. There `SkillName`, at run time any text, is one
of the packed names, and what loads a skill from `bundle` takes a `SkillName`: a renamed skill is an error where its
old name stands. Bundles made of others, and sessions, have names that nobody knows beforehand and take any text.

Every signature is the runtime's own lines, found by their place in the syntax tree. To unparse the tree was rejected:
its spelling differs between releases of Python, and the same skills give the same bytes everywhere.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING

from skillpack.emit.layout import FIRST_LINE, PUBLIC_NAMES
from skillpack.emit.runtime_source import runtime_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from skillpack.runtime import SkillBundle

    Definition = ast.ClassDef | ast.Assign

_HEAD = f"""\
{FIRST_LINE.decode("ascii")}
# fmt: off
# flake8: noqa
# ruff: noqa
# pyright: standard, reportIncompatibleMethodOverride=false
"""

# To take fewer names than its base is what this class is for, and what checkers call an incompatible override. It is a
# subclass all the same, so that `bundle` goes wherever a `SkillBundle` is wanted.
_PACKED = """\
class _PackedBundle(SkillBundle):
    @property
    def names(self) -> tuple[SkillName, ...]: ...
    def __iter__(self) -> Iterator[SkillName]: ...
    def keys(self) -> KeysView[SkillName]: ...
    def items(self) -> ItemsView[SkillName, Skill]: ...
"""
_TAKES_A_NAME = "(self, name: str"
_NARROWER = "  # type: ignore[override]"
_OWN_IMPORTS = {
    **dict.fromkeys(("ItemsView", "Iterator", "KeysView"), "collections.abc"),
    **dict.fromkeys(("Literal", "NoReturn", "TypeAlias"), "typing"),
}


def stub(bundle: SkillBundle) -> bytes:
    """Return the stub of the module that carries `bundle`: ASCII with LF line ends, the same bytes for the same names."""
    head, tail = _around()
    return b"%b%b%b" % (head, _alias(bundle.names).encode("ascii"), tail)


def stub_path(module: Path) -> Path:
    """Return where the stub of the module at `module` is."""
    return module.with_suffix(".pyi")


def _alias(names: Iterable[str]) -> str:
    """Return the definition of `SkillName`; what a skill is called stands in a literal, whatever it is."""
    escaped = (name.encode("unicode_escape").decode("ascii").replace('"', '\\"') for name in names)
    rows = "".join(f'    "{name}",\n' for name in escaped)
    # There is no literal of nothing; where there are no skills, no text is a name.
    return f"SkillName: TypeAlias = Literal[\n{rows}]\n" if rows else "SkillName: TypeAlias = NoReturn\n"


@cache
def _around() -> tuple[bytes, bytes]:
    """Return what stands before and after the definition of `SkillName`; it is the same in every stub."""
    source = runtime_source()
    lines = source.splitlines()
    definitions: dict[str, Definition] = {}
    imports = dict(_OWN_IMPORTS)
    for node in _statements(ast.parse(source).body):
        match node:
            case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                definitions[name] = node
            case ast.ImportFrom(module=str(module), names=imported):
                # `_collections_abc`, which costs nothing to import, has its names from `collections.abc` for checkers
                public = module.removeprefix("_").replace("_", ".")
                imports |= {alias.name: public for alias in imported}
    wanted = _closure(
        [name for name in PUBLIC_NAMES if name in definitions and name != "SkillName"], definitions
    )
    texts = [_definition(node, lines) for name, node in definitions.items() if name in wanted]
    texts.append(_PACKED + "".join(_narrowed(definitions["SkillBundle"], lines)))
    names = "".join(f'    "{name}",\n' for name in PUBLIC_NAMES)
    tail = "\n".join(["", *texts, f"__all__ = [\n{names}]\n", "bundle: _PackedBundle\n"])
    return f"{_HEAD}{_imports(imports, tail)}\n".encode("ascii"), tail.encode("ascii")


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Give the statements of a module, those for checkers alone included."""
    for node in body:
        if isinstance(node, ast.If):
            yield from _statements(node.body)
        else:
            yield node


def _imports(modules: Mapping[str, str], text: str) -> str:
    """Return the import lines of those names that `text` has, or the definition of `SkillName`."""
    used = {*re.findall(r"\w+", text), "Literal", "TypeAlias"}
    by_module: dict[str, list[str]] = {}
    for name, module in sorted(modules.items()):
        if name in used:
            by_module.setdefault(module, []).append(name)
    return "".join(
        f"from {module} import {', '.join(names)}\n" for module, names in sorted(by_module.items())
    )


def _closure(names: Iterable[str], definitions: Mapping[str, Definition]) -> set[str]:
    """Return `names` and all that their declarations name, on and on."""
    found: set[str] = set()
    wanted = list(names)
    while wanted:
        name = wanted.pop()
        if name in definitions and name not in found:
            found.add(name)
            wanted += _named_by(definitions[name])
    return found


def _named_by(node: Definition) -> Iterator[str]:
    parts: list[ast.AST] = [node.value] if isinstance(node, ast.Assign) else [*node.bases]
    for member in _members(node):
        if isinstance(member, ast.FunctionDef):
            parts += [member.args, *filter(None, [member.returns])]
        else:
            parts.append(member.annotation)
    for part in parts:
        yield from (inner.id for inner in ast.walk(part) if isinstance(inner, ast.Name))


def _members(node: Definition) -> Iterator[ast.FunctionDef | ast.AnnAssign]:
    """Give the attributes and methods of a class that a user may know of; an alias has none."""
    for member in node.body if isinstance(node, ast.ClassDef) else ():
        match member:
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                if not name.startswith("_") or name.endswith("__"):
                    yield member


def _narrowed(node: Definition, lines: Sequence[str]) -> Iterator[str]:
    """Give the methods that take the name of a skill, as those that take a `SkillName`; none of a base does."""
    for member in _members(node):
        text = _declaration(member, lines)
        if _TAKES_A_NAME in text:
            first, *more = text.replace(_TAKES_A_NAME, "(self, name: SkillName").splitlines()
            yield "\n".join([f"{first}{_NARROWER}", *more, ""])


def _definition(node: Definition, lines: Sequence[str]) -> str:
    """Return a class without bodies and docstrings, or an alias as it stands."""
    if isinstance(node, ast.Assign):
        return "\n".join(lines[node.lineno - 1 : node.end_lineno]).strip() + "\n"
    members = "".join(_declaration(member, lines) for member in _members(node))
    head = _header(node, lines)
    return f"{head}\n{members}" if members else f"{head} ...\n"


def _declaration(member: ast.FunctionDef | ast.AnnAssign, lines: Sequence[str]) -> str:
    if isinstance(member, ast.AnnAssign):
        return "\n".join(lines[member.lineno - 1 : member.end_lineno]) + "\n"
    return f"{_header(member, lines)} ...\n"


def _header(node: ast.ClassDef | ast.FunctionDef, lines: Sequence[str]) -> str:
    """Return the lines of a definition up to its colon: ruff's format puts the body on a line of its own."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return "\n".join(lines[first - 1 : node.body[0].lineno - 1]).rstrip()
