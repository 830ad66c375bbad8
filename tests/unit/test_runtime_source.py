from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import skillpack.runtime
from skillpack.emit.runtime_source import (
    RUNTIME_MODULES,
    first_source,
    join,
    runtime_files,
    runtime_source,
    source_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

PROJECT = Path(__file__).parents[2]


def joined(*sources: str) -> str:
    return join([dedent(source) for source in sources])


def own_imports(nodes: Iterable[ast.AST]) -> set[str]:
    """The modules of skillpack that are imported by these nodes themselves."""
    return {
        node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("skillpack")
    }


class WithoutOwnImports(ast.NodeTransformer):
    """Takes imports of skillpack's out of a tree, at any depth."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        return None if own_imports([node]) else node


class TestJoining:
    def test_docstrings_future_lines_and_own_imports_go_and_the_rest_stays(self) -> None:
        one = '''\
            """The first."""

            from __future__ import annotations

            import sys

            A = 1  # kept,  as it   stands
            """Documents A."""
        '''
        two = '''\
            """The second,
            of two lines.
            """
            from __future__ import annotations

            from _collections_abc import Mapping
            from ZODB import DB

            from skillpack.runtime.one import (
                A,
            )
            from .one import A

            def f() -> int:
                """Stays."""
                import json

                return A
        '''
        assert joined(one, two) == dedent(
            '''\
            import sys
            from ZODB import DB
            from _collections_abc import Mapping

            A = 1  # kept,  as it   stands
            """Documents A."""


            def f() -> int:
                """Stays."""
                import json

                return A
            '''
        )

    def test_own_imports_inside_blocks_and_functions_go_too(self) -> None:
        source = '''\
            if TYPE_CHECKING:
                from collections.abc import Iterable

                from skillpack.runtime.later import Late


            def f() -> Late:
                """Returns."""
                # Why.
                from skillpack.runtime.later import (
                    Late,
                )

                return Late()
        '''
        text = joined(source)
        assert "later" not in text
        assert "    from collections.abc import Iterable\n" in text
        assert '    """Returns."""\n    # Why.\n\n    return Late()' in text

    def test_a_block_of_own_imports_alone_goes_with_them(self) -> None:
        assert joined("if TYPE_CHECKING:\n    from skillpack.runtime.later import Late\n\nA = 1\n") == joined(
            "A = 1\n"
        )

    def test_no_blank_line_is_left_below_a_docstring(self) -> None:
        source = '''\
            def f() -> Late:
                """Returns."""
                from skillpack.runtime.later import Late

                return Late()
        '''
        assert '    """Returns."""\n    return Late()' in joined(source)
        longer = source.replace("import Late", "import (\n                    Late,\n                )")
        assert joined(longer) == joined(source)

    def test_what_is_imported_from_other_files_is_sorted_as_linters_want_it_and_there_once(self) -> None:
        source = """\
            import sys

            from skillpack.runtime.far import f, Class, CONSTANT, _g

            if TYPE_CHECKING:
                from skillpack.runtime.far import Class, Other


            A = CONSTANT
        """
        text = join([dedent(source)], {"skillpack.runtime.far": ".near"}, {".near": ["f", "Third"]})
        assert text == dedent(
            """\
            import sys

            from .near import (
                CONSTANT,
                Class,
                _g,
                f,
            )

            if TYPE_CHECKING:
                from .near import (
                    Other,
                    Third,
                )

            A = CONSTANT
            """
        )

    def test_only_what_is_under_type_checking_is_for_checkers(self) -> None:
        source = "if {}:\n    from skillpack.runtime.far import X\n\n    Y = X\n"
        for name, own in (("TYPE_CHECKING", False), ("DEBUG", True), ("_FLAG", True)):
            text = join([source.format(name)], {"skillpack.runtime.far": ".near"})
            assert ("\n    from .near import X\n\n    Y = X\n" in text) is own
            assert ("if TYPE_CHECKING:\n    from .near import (" in text) is not own

    def test_an_import_that_two_files_have_is_there_once(self) -> None:
        assert joined("import sys\nA = 1\n", "import sys\nB = 1\n").count("import sys") == 1

    def test_a_file_without_docstring_or_imports_is_taken_whole(self) -> None:
        assert joined("A = 1\n") == "A = 1\n"

    def test_only_a_text_that_comes_first_is_a_docstring(self) -> None:
        assert "1\n" in joined("1\n")
        assert '"""late"""' in joined('A = 1\n"""late"""\n')

    def test_characters_beyond_ascii_become_escapes_of_the_same_meaning(self) -> None:
        text = joined('A = "…é😀"\n')
        assert 'A = "\\u2026\\xe9\\U0001f600"\n' in text
        assert ast.dump(ast.parse(text).body[-1]) == ast.dump(ast.parse('A = "…é😀"').body[-1])


class TestSources:
    def test_they_come_from_the_loader_of_the_module(self) -> None:
        assert "def one_line" in source_of("skillpack.runtime.text")

    def test_an_installation_without_sources_is_an_error_that_names_the_module(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bare = ModuleType("skillpack.runtime.bare")
        monkeypatch.setitem(sys.modules, bare.__name__, bare)
        with pytest.raises(ImportError, match=r"without the source of skillpack\.runtime\.bare"):
            source_of(bare.__name__)

    def test_a_loader_that_has_no_source_is_an_error_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        module = import_module("skillpack.runtime.text")
        assert module.__spec__ is not None
        monkeypatch.setattr(type(module.__spec__.loader), "get_source", lambda *_: None)
        with pytest.raises(ImportError, match="without the source"):
            source_of("skillpack.runtime.text")


class TestTheRuntime:
    def test_every_file_that_the_public_names_need_is_embedded_but_two(self) -> None:
        public = {getattr(skillpack.runtime, name).__module__ for name in skillpack.runtime.__all__}
        assert public - set(RUNTIME_MODULES) == {"skillpack.runtime.define", "skillpack.runtime.resolution"}

    def test_each_file_comes_after_those_that_it_needs_to_begin_with(self) -> None:
        for number, name in enumerate(RUNTIME_MODULES):
            tree = ast.parse(source_of(name))
            assert own_imports(tree.body) <= set(RUNTIME_MODULES[:number]), name
            assert own_imports(ast.walk(tree)) <= set(RUNTIME_MODULES), name

    def test_names_at_the_top_level_are_unique_over_the_files(self) -> None:
        names: Counter[str] = Counter()
        for name in RUNTIME_MODULES:
            for node in ast.parse(source_of(name)).body:
                match node:
                    case ast.FunctionDef(name=own) | ast.ClassDef(name=own):
                        names[own] += 1
                    case ast.Assign(targets=targets):
                        names.update(target.id for target in targets if isinstance(target, ast.Name))
                    case ast.AnnAssign(target=ast.Name(id=own)):
                        names[own] += 1
        assert [name for name, count in names.items() if count > 1] == []

    def test_the_joined_text_is_ascii_and_means_what_the_files_do(self) -> None:
        text = runtime_source()
        assert text.isascii()
        everything = {ast.dump(node) for node in ast.parse(text).body}
        for name in RUNTIME_MODULES:
            own = [
                ast.dump(WithoutOwnImports().visit(node))
                for number, node in enumerate(ast.parse(source_of(name)).body)
                if not isinstance(node, ast.Import | ast.ImportFrom)
                and not (number == 0 and isinstance(node, ast.Expr))
            ]
            # A block with nothing but own imports goes as a whole.
            assert {dump for dump in own if "body=[], orelse" not in dump} <= everything

    def test_it_is_joined_once(self) -> None:
        assert runtime_source() is runtime_source()
        assert runtime_files() is runtime_files()
        assert first_source("_r") is first_source("_r")

    def test_it_imports_what_every_interpreter_has_loaded(self) -> None:
        imported = {
            alias.name if isinstance(node, ast.Import) else node.module
            for node in ast.parse(runtime_source()).body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        assert imported <= {"__future__", "sys", "_collections_abc"}

    @pytest.mark.slow
    def test_it_passes_the_linter_and_the_type_checker(self, tmp_path: Path) -> None:
        path = tmp_path / "joined.py"
        path.write_text(f'"""The runtime."""\n\n{runtime_source()}', encoding="ascii")
        ruff = [sys.executable, "-m", "ruff", "check", "--config", str(PROJECT / "pyproject.toml")]
        place = PROJECT / "packager" / "skillpack" / "runtime" / "joined.py"
        with path.open("rb") as source:
            subprocess.run([*ruff, "--stdin-filename", str(place), "-"], stdin=source, check=True)
        mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", f"--cache-dir={tmp_path}"]
        subprocess.run([*mypy, str(path)], check=True, cwd=tmp_path)
