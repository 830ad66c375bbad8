"""The runtime as text, joined from its files into what an emitted module carries."""

from __future__ import annotations

import ast
import textwrap
from functools import cache
from importlib import import_module
from importlib.abc import InspectLoader
from types import MappingProxyType
from typing import TYPE_CHECKING

from skillpack import runtime

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

FIRST = ("skillpack.runtime.listing", "skillpack.runtime.ready")
"""What runs until a catalog is shown. A package has it in its own `__init__.py`: each further file that is imported,
and the `__future__` line, take as long as running half of it. The other files do not import it, since a stub may stand
for that file: they have the catalog a second time."""

FIRST_FILE = "__init__"

FOLDER_FILES = {
    FIRST_FILE: (
        "skillpack.runtime.listing",
        "skillpack.runtime.frozen",
        "skillpack.runtime.digest",
        "skillpack.runtime.tools",
        "skillpack.runtime.model",
        "skillpack.runtime.packed",
        "skillpack.runtime.bundle",
        "skillpack.runtime.blobs",
    ),
    "text": (
        "skillpack.runtime.text",
        "skillpack.runtime.errors",
        "skillpack.runtime.frames",
        "skillpack.runtime.disclosure",
    ),
    "answering": ("skillpack.runtime.answering",),
    "assembly": (
        "skillpack.runtime.paths",
        "skillpack.runtime.shape",
        "skillpack.runtime.assembly",
        "skillpack.runtime.composition",
        "skillpack.runtime.whole",
    ),
    "session": ("skillpack.runtime.matching", "skillpack.runtime.session"),
}
"""The files of the runtime in a package that are loaded on first use, and what each is joined from.

A file costs more to find than to read: what is used together is together."""

ONLY_IN_FOLDERS = ("skillpack.runtime.ready", "skillpack.runtime.blobs")

RUNTIME_MODULES = tuple(
    name for names in FOLDER_FILES.values() for name in names if name not in ONLY_IN_FOLDERS
)
"""The files of the runtime that are embedded in one module, each after those that it imports from at its top level."""

_GETATTR = """else:  # loaded when they are asked for

    def __getattr__(name: str) -> object:
        if name == "SkillBundle":
            return type(whole(bundle))
"""
_NO_ATTRIBUTE = """        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
"""

LOADED = "."
"""What is loaded already where one file of a package's runtime runs: their folder itself."""

FUTURE = "from __future__ import annotations\n"
NOWHERE: Mapping[str, str] = MappingProxyType({})


@cache
def runtime_source() -> str:
    """Return the runtime as ASCII source: the `__future__` line, the imports, then the files in their order."""
    return f"{FUTURE}\n{join([source_of(name) for name in RUNTIME_MODULES])}"


@cache
def first_source(folder: str, public: Collection[str] = ()) -> str:
    """Return what a package has in its own `__init__.py`, as ASCII source; `folder` is that of the other files.

    Of the `public` names of the runtime those that are in other files are imported when they are asked for.
    """
    places = _places(f".{folder}", FIRST)
    late: dict[str, set[str]] = {}
    for name in public:
        place = places.get(getattr(getattr(runtime, name, None), "__module__", ""))
        if place is not None:
            late.setdefault(place, set()).add(name)
    first = join([source_of(name) for name in FIRST], places, late)
    served = "".join(_served(place, names - {"SkillBundle"}) for place, names in late.items())
    return f"{first}{_GETATTR}{served}{_NO_ATTRIBUTE}"


def _served(place: str, names: Collection[str]) -> str:
    """Return the lines that serve some names of another file."""
    package, _, module = place.rpartition(".")
    shown = ", ".join(f'"{name}"' for name in sorted(names))
    test = f"in ({shown})" if len(names) > 1 else f"== {shown}"
    home = f"from {package or '.'} import {module} as home"
    return f"        if name {test}:\n            {home}\n\n            return getattr(home, name)\n"


@cache
def runtime_files() -> dict[str, str]:
    """Return the runtime of a package: for each of its files the ASCII source, which imports from the others."""
    return {
        file: f"{FUTURE}\n{join([source_of(name) for name in names], _places('', names))}"
        for file, names in FOLDER_FILES.items()
    }


def _places(folder: str, own: Collection[str]) -> dict[str, str]:
    """Return where one file of a package finds the modules of the runtime but its `own`, as its imports name them.

    `folder` is how it names the folder of the runtime; empty where it is in it.
    """
    return {
        name: (folder or ".") if file == FIRST_FILE else f"{folder}.{file}"
        for file, names in FOLDER_FILES.items()
        for name in names
        if name not in own
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


def join(
    sources: list[str],
    elsewhere: Mapping[str, str] = NOWHERE,
    for_checkers: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> str:
    """Return one module's source from those of several.

    Out go module docstrings, `__future__` lines and imports from the runtime itself, those inside functions too,
    found by their place in the syntax tree; other imports at the top level move to the top, each once. `elsewhere`
    says how to import those modules of the runtime that are in other files. What is imported from them at the top
    level moves to the top too, that for type checkers alone under `TYPE_CHECKING`, since it need not exist at run
    time; inside functions only what is loaded at any rate, by `.`, does. `for_checkers` are more names
    to import from such places. Every other line stays as it
    is, but for characters beyond ASCII: they become the escapes that mean the same in a text literal. A function or
    block needs a line besides an import that goes.
    """
    imports: set[str] = set()
    siblings: dict[str, set[str]] = {}
    typing = {place: set(names) for place, names in for_checkers.items()}
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
        typed = {node for block in tree.body if _is_for_checkers(block) for node in ast.walk(block)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and _is_own(node):
                dropped.update(_span(node))
                home = elsewhere.get(node.module or "")
                if home == LOADED or (home is not None and (node in typed or not node.col_offset)):
                    found = typing if node in typed else siblings
                    found.setdefault(home, set()).update(alias.name for alias in node.names)
                elif home is not None:
                    names = ", ".join(alias.name for alias in node.names)
                    lines[node.lineno - 1] = f"{' ' * node.col_offset}from {home} import {names}"
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
    head += [""] if head and siblings else []
    head += [_import(home, siblings[home]) for home in sorted(siblings)]
    only = {home: typing[home] - siblings.get(home, set()) for home in sorted(typing)}
    rows = [_import(home, names) for home, names in only.items() if names]
    late = ["", "if TYPE_CHECKING:", *(textwrap.indent(row, "    ") for row in rows)] if rows else []
    text = "\n\n\n".join(bodies)
    if "TYPE_CHECKING = False" in text:  # below that line
        blocks = ["\n".join(head), text, "\n".join(late)]
    else:
        blocks = ["\n".join([*head, *late]), text]
    text = "\n\n".join(block for block in blocks if block) + "\n"
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _import(home: str, names: Collection[str]) -> str:
    rows = "".join(f"    {name},\n" for name in sorted(names, key=_import_order))
    return f"from {home} import (\n{rows})"


def _is_for_checkers(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Name)
        and statement.test.id == "TYPE_CHECKING"
    )


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
    return isinstance(node, ast.Expr) and _is_constant_text(node.value)


def _is_constant_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
