"""Builds in varied surroundings, each pair of values at least once, and what they have in common."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from support import projects
from support.environments import node_with, program, python_with
from support.wheelhouse import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Row = dict[str, str]
"""A value for each dimension, by its name."""

HATCHLINGS_EPOCH = "1580601600"
"""The time that hatchling gives all files when nobody says another one: with it in the environment nothing changes."""
ANOTHER_EPOCH = "1700000000"

NOBODY = 65534

HASHES = "2.4.0"
"""The version of the npm package @noble/hashes, which has BLAKE3 where Python's is not built for the platform."""

DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "root": ("r", "a project/with blanks/and ünïcödé", "/".join(["deep"] * 30)),
    "user": ("root", "another"),
    "umask": ("022", "000", "077"),
    "locale": ("C.UTF-8", "C", "tr_TR.UTF-8", "ja_JP.UTF-8", "ja_JP.EUC-JP"),
    "zone": ("UTC0", "EAST-14", "WEST+11:30"),
    "hash seed": ("0", "1", "random"),
    "order": ("forwards", "backwards", "shuffled"),
    "times": ("now", "1970", "2100"),
    "file system": ("disk", "tmpfs", "overlay"),
    "PYTHONUTF8": ("", "0", "1"),
    "SOURCE_DATE_EPOCH": ("", HATCHLINGS_EPOCH, ANOTHER_EPOCH),
}

SKILLS: dict[str, str | bytes] = {
    **projects.skill("dance", notes="Slowly.\r\nThen fast.\r\n"),
    **projects.skill("sing"),
    "sing/scripts/hum.sh": "#!/bin/sh\necho hum\n",
    "sing/références/été ☀.md": "Été\n",
    "sing/assets/I-i.txt": "dotted and dotless\n",
    "sing/assets/noise.bin": random.Random(0).randbytes(70_000),
    "dance/assets/copy.bin": random.Random(0).randbytes(70_000),
    "dance/assets/empty": b"",
}


def rows(dimensions: Mapping[str, Sequence[str]], seed: int) -> list[Row]:
    """Return rows in which each pair of values of two dimensions occurs; the first has the first value of each."""
    chance = random.Random(seed)
    names = list(dimensions)
    missing = {
        ((one, first), (other, second))
        for one, other in itertools.combinations(names, 2)
        for first in dimensions[one]
        for second in dimensions[other]
    }
    found: list[Row] = []
    while missing:
        tried = [{name: chance.choice(dimensions[name]) for name in names} for _ in range(60)]
        if not found:
            tried = [{name: dimensions[name][0] for name in names}]
        best = max(tried, key=lambda row: len(missing & _pairs(row)))
        if not missing & _pairs(best):
            best.update(min(missing))
        missing -= _pairs(best)
        found.append(best)
    return found


def _pairs(row: Row) -> set[tuple[tuple[str, str], tuple[str, str]]]:
    return set(itertools.combinations(row.items(), 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What came of a row: digests by what they are of, as `building` prints them, and the Python that made it."""

    row: Row
    digests: Mapping[str, str]
    python: str
    seconds: float


class Workshop:
    """Builds below one directory, which is empty before; `tmpfs` is one in memory."""

    def __init__(self, directory: Path, tmpfs: Path) -> None:
        self._places = {"disk": directory, "tmpfs": tmpfs, "overlay": directory}
        self._directory = directory
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self.site = directory / "site"
        self._make_site()
        self._locales = directory / "locales"

    def built(self, row: Row, python: str | Path = sys.executable) -> Built:
        """Build in the surroundings of a row."""
        place = self._places[row["file system"]] / str(next(self._numbers))
        project, out, home = place / row["root"], place / "out", place / "home"
        home.mkdir(parents=True)
        _write(project, row["order"])
        _touch(project, row["times"])
        before = [*_as_user(row["user"])]
        if row["user"] == "nobody":
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", place], check=True)
        if row["file system"] == "overlay":
            before = [*_overlaid(place, project), *before]
        started = time.monotonic()
        done = subprocess.run(
            [*before, python, Path(__file__).with_name("building.py"), project, out],
            env=self._environment(row, home),
            umask=int(row["umask"], 8),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, (row, done.stderr)
        shutil.rmtree(place)
        return _told(row, done.stdout, time.monotonic() - started)

    def built_in_pyodide(self, version: str) -> Built:
        """Build in Pyodide, with BLAKE3 by a library of JavaScript's."""
        place = self._directory / str(next(self._numbers))
        _write(place / "project", "forwards")
        archive = self._site_with_dependencies()
        project = shutil.make_archive(str(place / "agent"), "zip", place / "project")
        script = Path(__file__).with_name("building.mjs")
        pyodide = node_with("pyodide", f"pyodide@{version}") / "pyodide"
        hashes = node_with("hashes", f"@noble/hashes@{HASHES}") / "@noble" / "hashes"
        started = time.monotonic()
        done = subprocess.run(
            [program("node"), script, pyodide, hashes, archive, project, script.with_name("building.py")],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, (version, done.stdout, done.stderr)
        return _told({"Pyodide": version}, done.stdout, time.monotonic() - started)

    def _environment(self, row: Row, home: Path) -> dict[str, str]:
        environment = {
            "PATH": os.defpath,
            "HOME": str(home),
            "TMPDIR": str(home),
            "SKILLPACK_CACHE_DIR": os.devnull,
            # an interpreter that everybody may run has none of these itself
            "PYTHONPATH": os.pathsep.join(
                [str(self.site), *([sysconfig.get_path("purelib")] if row["user"] == "nobody" else [])]
            ),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": row["hash seed"],
            "TZ": row["zone"],
            "LC_ALL": row["locale"],
            "LANG": row["locale"],
        }
        if row["PYTHONUTF8"]:
            environment["PYTHONUTF8"] = row["PYTHONUTF8"]
            environment["PYTHONCOERCECLOCALE"] = "0"
        if row["SOURCE_DATE_EPOCH"]:
            environment["SOURCE_DATE_EPOCH"] = row["SOURCE_DATE_EPOCH"]
        if "_" in row["locale"]:
            environment["LOCPATH"] = str(self._compiled(row["locale"]).parent)
        return environment

    def _compiled(self, locale: str) -> Path:
        """Return a locale, compiled from the sources that Debian's package `locales` has."""
        path = self._locales / locale
        with self._lock:
            if not path.exists():
                self._locales.mkdir(exist_ok=True)
                name, _, codes = locale.partition(".")
                subprocess.run(
                    [program("localedef"), "-i", name, "-f", codes, path], check=True, capture_output=True
                )
        return path

    def _make_site(self) -> None:
        """Make a directory for PYTHONPATH with skillpack and its entry points, as a wheel of it has them."""
        without = shutil.ignore_patterns("__pycache__")
        for source in ("packager/skillpack", "hatch_plugin/hatch_skillpack"):
            shutil.copytree(CHECKOUT / source, self.site / Path(source).name, ignore=without)
        own = metadata.distribution("skillpack")
        information = self.site / f"skillpack-{own.version}.dist-info"
        information.mkdir()
        for name in ("METADATA", "entry_points.txt"):
            (information / name).write_text(own.read_text(name) or "", encoding="utf-8")

    def _site_with_dependencies(self) -> Path:
        """Return an archive of one with what skillpack needs, as far as it is pure Python."""
        complete = self._directory / "complete"
        with self._lock:
            if complete.exists():
                return complete.with_suffix(".zip")
            shutil.copytree(self.site, complete)
            installed = Path(sysconfig.get_path("purelib"))
            without = shutil.ignore_patterns("__pycache__", "*.so")
            for name in (
                "click",
                "hatchling",
                "packaging",
                "pathspec",
                "pluggy",
                "trove_classifiers",
                "yaml",
            ):
                shutil.copytree(installed / name, complete / name, ignore=without)
                for information in installed.glob(f"{name.replace('yaml', 'pyyaml')}-*.dist-info"):
                    shutil.copytree(information, complete / information.name)
            return Path(shutil.make_archive(str(complete), "zip", complete))


def python_of(interpreter: Path) -> Path:
    """Return that of an environment with what skillpack needs, of another interpreter."""
    requirements = [line for line in metadata.requires("skillpack") or [] if "extra ==" not in line]
    return python_with("reproducibility", *requirements, interpreter=interpreter)


def other_interpreters() -> Iterator[Path]:
    """Give an interpreter of each Python since 3.12 that is on this machine, where pyenv or the system keeps them."""
    home = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for minor in range(12, 20):
        if minor == sys.version_info[1]:
            continue
        found = [*sorted(home.glob(f"versions/3.{minor}.*/bin/python")), Path(f"/usr/bin/python3.{minor}")]
        yield from [path for path in found if path.exists()][:1]


def _told(row: Row, printed: str, seconds: float) -> Built:
    digests = json.loads(printed.splitlines()[-1])
    python = digests.pop("python")
    where = f", Pyodide {row['Pyodide']}" if "Pyodide" in row else ""
    return Built(row=row, digests=digests, python=f"CPython {python}{where}", seconds=seconds)


def public_interpreter() -> Path | None:
    """Return an interpreter of this version that every user may run, if there is one."""
    path = Path(f"/usr/bin/python3.{sys.version_info[1]}")
    return path if path.exists() and os.geteuid() == 0 else None


def file_system_of(path: Path) -> str:
    """Return the type of the file system that has `path`."""
    told = subprocess.check_output(
        ["findmnt", "--noheadings", "--output=FSTYPE", f"--target={path}"], text=True
    )
    return told.strip()


def differences(builds: Sequence[Built]) -> list[str]:
    """Return what was not as in the first build, or, with another time for all files, as in the first one with that."""
    firsts: dict[str, Mapping[str, str]] = {}
    found = []
    for build in builds:
        epoch = build.row.get("SOURCE_DATE_EPOCH", "")
        first = firsts.setdefault("" if epoch == HATCHLINGS_EPOCH else epoch, build.digests)
        for of, digest in build.digests.items():
            expected = first if of.endswith((" wheel", " sdist")) else firsts[""]
            if expected[of] != digest:
                found.append(f"{of} in {build.row}")
    return found


def _write(project: Path, order: str) -> None:
    files = {**projects.PACKAGE, **projects.below("skills", SKILLS)}  # type: ignore[arg-type] # bytes, too
    paths = sorted(files)
    if order == "backwards":
        paths.reverse()
    elif order == "shuffled":
        random.Random(order).shuffle(paths)
    projects.write(project, {path: files[path] for path in paths})


def _touch(project: Path, times: str) -> None:
    if times != "now":
        seconds = {"1970": 1, "2100": 4_102_444_800}[times]
        for path in (project, *project.rglob("*")):
            os.utime(path, (seconds, seconds))


def _as_user(user: str) -> tuple[str, ...]:
    """Return what lets a command run as another user to whom its files belong."""
    return {
        "another": ("unshare", "--map-user=1234", "--map-group=1234"),
        "nobody": ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    }.get(user, ())


def _overlaid(place: Path, project: Path) -> tuple[str, ...]:
    """Return what lets a command see the project through an overlay, in which it writes to another directory."""
    for name in ("upper", "work"):
        (place / name).mkdir()
    options = f"lowerdir=lower,upperdir={place / 'upper'},workdir={place / 'work'}"
    # relative: a colon or a comma in the path would end it
    script = f'cd "$1/.." && mv "$1" lower && mkdir "$1" && mount -t overlay -o {options} none "$1" && shift && exec "$@"'
    own = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--map-root-user", "--mount")
    return (*own, "sh", "-c", script, "sh", str(project))
