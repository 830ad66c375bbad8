"""Who may import what, and who may touch the file system: the rules of the design page "Architecture"."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import skillpack

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGER = Path(skillpack.__file__).parent
HOOK = PACKAGER.parent.parent / "hatch_plugin" / "hatch_skillpack"


def modules() -> dict[str, Path]:
    """Every module of the two packages, by its name."""
    return {
        ".".join((root.name, *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__"): path
        for root in (PACKAGER, HOOK)
        for path in sorted(root.rglob("*.py"))
    }


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, for type checking alone or not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


MODULES = modules()
IMPORTS = {name: set(imports(path)) for name, path in MODULES.items()}


def importers(package: str) -> set[str]:
    """The modules that import `package` or something below it."""
    return {
        name
        for name, imported in IMPORTS.items()
        if any(module == package or module.startswith(f"{package}.") for module in imported)
    }


STAGES = {
    "discover": (),
    "frontmatter": ("fields",),
    "screen": (),
    "digest": ("media_type",),
    "emit": (),
}
"""Each stage and the modules that are its own."""


@pytest.mark.parametrize("stage", STAGES)
def test_stages_never_import_each_other(stage: str) -> None:
    own = {f"skillpack.{part}" for part in (stage, *STAGES[stage])}
    others = {f"skillpack.{part}" for other in STAGES if other != stage for part in (other, *STAGES[other])}
    shared = {"skillpack.fields"}
    for name in MODULES:
        if any(name == part or name.startswith(f"{part}.") for part in own):
            foreign = {
                module
                for module in IMPORTS[name] - shared
                if any(module == part or module.startswith(f"{part}.") for part in others)
            }
            assert not foreign, name


def test_only_the_command_line_imports_click_and_nothing_imports_it() -> None:
    own = {name for name in MODULES if name.startswith("skillpack.cli")}
    assert importers("click") <= own
    assert importers("skillpack.cli") - own <= {"skillpack.__main__"}


def test_only_frontmatter_imports_yaml() -> None:
    assert {".".join(name.split(".")[:2]) for name in importers("yaml")} == {"skillpack.frontmatter"}


def test_only_one_module_imports_blake3() -> None:
    assert importers("blake3") == {"skillpack.fingerprint"}


def test_only_the_hook_imports_hatchling_and_nothing_imports_the_hook() -> None:
    assert {name.partition(".")[0] for name in importers("hatchling")} == {"hatch_skillpack"}
    assert {name.partition(".")[0] for name in importers("hatch_skillpack")} == {"hatch_skillpack"}


MAY_IMPORT = {
    # Not embedded: rules and tables that import nothing of the packager either.
    "skillpack.runtime.define": (
        "skillpack.fields",
        "skillpack.invisible",
        "skillpack.limits",
        "skillpack.media_type",
        "skillpack.paths",
    ),
    "skillpack.fields": ("skillpack.invisible",),
    "skillpack.paths": ("skillpack.invisible",),
    # The rules of an uploader are among those of a SKILL.md.
    "skillpack.adapters.anthropic": ("skillpack.fields",),
    # Inside a function, for a directory.
    "skillpack.runtime.resolution": ("skillpack.sources",),
}


RULES = ("skillpack.fields", "skillpack.invisible", "skillpack.limits", "skillpack.paths")
"""What a skill defined in code is held against."""


def test_the_runtime_and_its_rules_import_the_standard_library_only() -> None:
    for name in MODULES:
        if name.startswith("skillpack.runtime") or name in RULES:
            for module in IMPORTS[name]:
                top = module.partition(".")[0]
                if top == "skillpack":
                    assert module.startswith(("skillpack.runtime", *MAY_IMPORT.get(name, ()))), name
                else:
                    assert top in sys.stdlib_module_names, name


SHARED = ("skillpack.export.mcp", "skillpack.export.structure")
"""What adapters have in common with the exports: standard library only."""


def test_the_formats_of_others_import_the_runtime_and_the_standard_library_only() -> None:
    """And of the runtime what needs nothing of the packager, so that they work without its dependencies."""
    for name in MODULES:
        if name.startswith("skillpack.export"):
            for module in IMPORTS[name]:
                top = module.partition(".")[0]
                own = "skillpack.export" if name in SHARED else ("skillpack.export", "skillpack.runtime")
                assert module.startswith(own) or top in sys.stdlib_module_names, name


FRAMEWORKS = {
    "agent_framework": ("agent_framework",),
    "anthropic": (),
    "deepagents": ("deepagents",),
    "fastmcp": ("fastmcp", "mcp", "mcp_types", "pydantic"),
    "google_adk": ("google",),
    "haystack": ("haystack",),
    "langchain": ("langchain", "langchain_core"),
    "mcp": ("anyio", "mcp", "mcp_types", "pydantic"),
    "openai_agents": ("agents", "pydantic"),
    "pydantic_ai": ("pydantic_ai",),
}
"""What each adapter of a framework imports of it, by the adapter's module."""
OF_ADAPTERS = (
    "skillpack.adapters._bundle",
    "skillpack.adapters._catalog",
    "skillpack.adapters._framework",
)


def test_an_adapter_imports_its_framework_the_runtime_and_the_standard_library_only() -> None:
    package = "skillpack.adapters"
    own = {name for name in MODULES if name.startswith(f"{package}.")}
    assert own == {*OF_ADAPTERS, *(f"{package}.{name}" for name in FRAMEWORKS)}
    for name in own:
        allowed = FRAMEWORKS.get(name.rpartition(".")[2], ())
        for module in IMPORTS[name]:
            top = module.partition(".")[0]
            if top == "skillpack":
                rules = MAY_IMPORT.get(name, ())
                assert module.startswith(("skillpack.runtime", *OF_ADAPTERS, *SHARED, *rules)), name
            else:
                assert top in sys.stdlib_module_names or top in allowed, name


def test_the_server_alone_imports_an_adapter_and_the_package_of_adapters_imports_nothing() -> None:
    package = "skillpack.adapters"
    assert {name for name in importers(package) if not name.startswith(package)} == {"skillpack.cli.serve"}
    assert IMPORTS[package] == set()


def test_frameworks_of_mcp_are_imported_by_adapters_and_servers_when_they_are_needed() -> None:
    users = ("skillpack.adapters.fastmcp", "skillpack.adapters.mcp", "skillpack.serving.")
    frameworks = ("anyio", "fastmcp", "mcp", "mcp_types", "uvicorn")
    for framework in frameworks:
        assert all(name.startswith(users) for name in importers(framework))
    names = [name for name in MODULES if name.startswith(users)]
    assert loaded(*(f"import {name}" for name in names)).isdisjoint(frameworks)


FILE_MODULES = {"os", "pathlib", "shutil", "tempfile", "glob", "io", "zipfile", "tarfile"}
MAY_TOUCH_FILES = (
    "skillpack.discover",
    "skillpack.config",
    "skillpack.archive",
    "skillpack.distribution",
    "skillpack.inventory",
    "skillpack.artifact",
    "skillpack.cache",
    "skillpack.write",
    "skillpack.temporary",
    "skillpack.cli",
    "skillpack.runtime.whole",
    "skillpack.serving.stdio",  # two descriptors
    "skillpack.sources",
    "hatch_skillpack",
)
IN_MEMORY = {"skillpack.export.zips": {"io", "zipfile"}}
"""What a module imports of these without touching a file: zips are made in memory."""


def test_only_named_modules_touch_the_file_system() -> None:
    for name, path in MODULES.items():
        if name.startswith(MAY_TOUCH_FILES):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        checking = {
            id(child)
            for node in ast.walk(tree)
            if isinstance(node, ast.If)
            and isinstance(node.test, ast.Name)
            and node.test.id == "TYPE_CHECKING"
            for child in ast.walk(node)
        }
        for node in ast.walk(tree):
            if id(node) in checking:
                continue
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            found = FILE_MODULES & {module.partition(".")[0] for module in names}
            assert found <= IN_MEMORY.get(name, set()), name
            assert not (isinstance(node, ast.Name) and node.id == "open"), name


def test_environment_and_clock_are_read_at_the_edges_only() -> None:
    for name, path in MODULES.items():
        if name.startswith(("skillpack.cli", "hatch_skillpack")):
            continue
        reads = {
            ast.unparse(node)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute)
        }
        assert not {"os.environ", "os.getenv", "time.time", "datetime.now"} & reads, name


def loaded(*lines: str) -> set[str]:
    """The modules that a fresh interpreter has after running some lines."""
    code = "; ".join((*lines, "import sys", "print(*sys.modules)"))
    return set(subprocess.check_output([sys.executable, "-c", code], text=True).split())


def test_importing_skillpack_imports_nothing_else() -> None:
    assert {name for name in loaded("import skillpack") if name.startswith("skillpack")} == {"skillpack"}


def test_the_registration_of_the_hook_imports_nothing_heavy() -> None:
    names = {name.partition(".")[0] for name in loaded("import hatch_skillpack.hooks")}
    assert not names & {"click", "yaml", "blake3", "pathspec", "skillpack"}


def test_importing_the_runtime_costs_nothing_but_itself() -> None:
    before = loaded("pass")
    new = {name for name in loaded("import skillpack.runtime") - before if not name.startswith("skillpack")}
    assert new <= {"__future__", "_collections_abc"}
