"""The runtime as text, joined from its files into what an emitted module carries."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from importlib.abc import InspectLoader
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

RUNTIME_MODULES = (
    "skillpack.runtime.text",
    "skillpack.runtime.errors",
    "skillpack.runtime.digest",
    "skillpack.runtime.shape",
    "skillpack.runtime.model",
    "skillpack.runtime.assembly",
    "skillpack.runtime.disclosure",
    "skillpack.runtime.tools",
    "skillpack.runtime.frames",
    "skillpack.runtime.answering",
    "skillpack.runtime.bundle",
    "skillpack.runtime.matching",
    "skillpack.runtime.session",
)
"""The files of the runtime that are embedded, each after those that it imports from at its top level."""

FIRST_FILE = "__init__"
"""The file of a package's runtime that imports no other one at its top level: with one of its own beside an empty
`__init__.py`, each import would look for and read a file more."""

LATE_FILES = {
    "assembly": ("skillpack.runtime.assembly",),
    "answering": ("skillpack.runtime.frames", "skillpack.runtime.answering"),
    "session": ("skillpack.runtime.shape", "skillpack.runtime.matching", "skillpack.runtime.session"),
}
"""Those that a package loads on first use only."""

FOLDER_FILES = {
    FIRST_FILE: (
        *(
            name
            for name in RUNTIME_MODULES
            if name not in {late for names in LATE_FILES.values() for late in names}
        ),
        "skillpack.runtime.blobs",
    ),
    **LATE_FILES,
}
"""The files of the runtime in a package, and what each is joined from: a file costs more to find than to read."""

FUTURE = "from __future__ import annotations\n"
NOWHERE: Mapping[str, str] = MappingProxyType({})


@cache
def runtime_source() -> str:
    """Return the runtime as ASCII source: the `__future__` line, the imports, then the files in their order."""
    return join([source_of(name) for name in RUNTIME_MODULES])


@cache
def runtime_files() -> dict[str, str]:
    """Return the runtime of a package: for each of its files the ASCII source, which imports from the others."""
    return {
        file: join(
            [source_of(name) for name in names],
            {name: other for other in FOLDER_FILES if other != file for name in FOLDER_FILES[other]},
        )
        for file, names in FOLDER_FILES.items()
    }


def source_of(name: str) -> str:
    """Return the source text of an installed module, from the loader that imported it.

    No file is opened by its path, so this works from a zip too. `ImportError` when there is no source.
    """
    spec = import_module(name).__spec__
    loader = spec.loader if spec is not None else None
    source = loader.get_source(name) if isinstance(loader, InspectLoader) else None
    if source is None:
        raise ImportError(f"skillpack is installed without the source of {name}", name=name)
    return source


def join(sources: list[str], elsewhere: Mapping[str, str] = NOWHERE) -> str:
    """Return one module's source from those of several.

    Out go module docstrings, `__future__` lines and imports from the runtime itself, those inside functions too,
    found by their place in the syntax tree; other imports at the top level move to the top, each once. `elsewhere`
    says which modules of the runtime are in which other file beside this one: they are imported from there, what is
    for type checkers alone under `TYPE_CHECKING`, since it need not exist at run time. Every other line stays as it
    is, but for characters beyond ASCII: they become the escapes that mean the same in a text literal. A function or
    block needs a line besides an import that goes.
    """
    imports: set[str] = set()
    siblings: dict[str, set[str]] = {}
    typing: dict[str, set[str]] = {}
    bodies: list[str] = []
    for source in sources:
        lines = source.splitlines()
        dropped: set[int] = set()
        tree = ast.parse(source)
        for number, statement in enumerate(tree.body):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                dropped.update(_span(statement))
                if not _is_own(statement):
                    imports.add(ast.unparse(statement))
            elif number == 0 and _is_text(statement):
                dropped.update(_span(statement))
        for_checkers = {node for block in tree.body if _is_for_checkers(block) for node in ast.walk(block)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and _is_own(node):
                dropped.update(_span(node))
                home = _home(node, elsewhere)
                if home == FIRST_FILE:  # which is there when the others are imported
                    found = typing if node in for_checkers else siblings
                    found.setdefault(home, set()).update(alias.name for alias in node.names)
                elif home is not None:
                    names = ", ".join(alias.name for alias in node.names)
                    lines[node.lineno - 1] = f"{' ' * node.col_offset}from {_sibling(home)} import {names}"
                    dropped.remove(node.lineno - 1)
                if node.col_offset and node.lineno - 1 in dropped:
                    dropped.update(_gap(lines, node, dropped))
        for block in tree.body:
            inner = _span(block)[1:]
            if _is_for_checkers(block) and all(at in dropped or not lines[at] for at in inner):
                dropped.update(_span(block))
        kept = (line for number, line in enumerate(lines) if number not in dropped)
        bodies.append("\n".join(kept).strip("\n"))
    head = sorted(imports, key=lambda line: (line.startswith("from"), line))
    for home in sorted(siblings):
        names = "".join(f"    {name},\n" for name in sorted(siblings[home], key=_import_order))
        head += [*([""] if head else []), f"from {_sibling(home)} import (\n{names})"]
    for home in sorted(typing):
        only = sorted(typing[home] - siblings.get(home, set()), key=_import_order)
        if only:
            head += ["", f"if TYPE_CHECKING:\n    from {_sibling(home)} import {', '.join(only)}"]
    text = "\n".join([FUTURE, *head, "", "\n\n\n".join(bodies), ""])
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _is_for_checkers(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Name)
        and statement.test.id == "TYPE_CHECKING"
    )


def _home(node: ast.ImportFrom, elsewhere: Mapping[str, str]) -> str | None:
    """Return the other file that holds what an import names."""
    return elsewhere.get(node.module or "")


def _sibling(file: str) -> str:
    """Return how a file of a package's runtime is named in the import of another."""
    return "." if file == FIRST_FILE else f".{file}"


def _import_order(name: str) -> tuple[int, str]:
    """Return the key by which linters sort what is imported: constants, then classes, then the rest."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name.casefold()


def _span(node: ast.stmt) -> range:
    return range(node.lineno - 1, node.end_lineno or node.lineno)


def _gap(lines: list[str], node: ast.ImportFrom, dropped: Collection[int]) -> range:
    """Return the blank line below an import that goes, where linters want none: below a docstring or another one."""
    above = next(
        line
        for number, line in enumerate(lines[node.lineno - 2 :: -1], 2 - node.lineno)
        if -number not in dropped
    )
    end = node.end_lineno or node.lineno
    is_gap = not lines[end] and (not above or above.endswith('"""'))
    return range(end, end + is_gap)


def _is_own(node: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(node, ast.ImportFrom) and (
        node.level > 0 or node.module == "__future__" or (node.module or "").startswith("skillpack.runtime.")
    )


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
