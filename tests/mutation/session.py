"""A run of cosmic-ray over one subject: what it would change, less what says nothing, and what the tests said."""

from __future__ import annotations

import ast
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from support.environments import python_with
from support.wheelhouse import CHECKOUT, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from mutation.subjects import Subject

COSMIC_RAY = "cosmic-ray==8.7.0"

_NO_BEHAVIOUR = re.compile(r"\s*(?:@dataclass|@functools|if TYPE_CHECKING:)|.*lru_cache\(")
"""Lines of which no test can say more than the type checker does, and sizes of caches."""


_ENDLESS_SECONDS = 15
"""How long one test may take: many times what any of them does."""

_IDENTITY = ("_Eq_Is", "_NotEq_IsNot")
"""Whether equal constants are one object is the interpreter's matter."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Mutant:
    """A change that no test noticed: the file under packager/skillpack, the line before and after it, the operator."""

    file: str
    line: str
    becomes: str
    operator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How many mutants there are, how many of them were run, those that survived, and the seconds it took."""

    possible: int
    run: int
    survivors: tuple[Mutant, ...]
    seconds: float


def mutate(
    subject: Subject, directory: Path, sample: int, seed: int, is_explained: Callable[[Mutant], object]
) -> Outcome:
    """Run the tests of `subject` against `sample` mutants of a copy of the checkout in `directory`, 0 for all.

    Where `directory` has such a run, only files that have changed are mutated anew; of the others only what survived
    without an explanation, or was not reached, is run.
    """
    began = time.monotonic()
    copy = directory / "checkout"
    shutil.rmtree(copy, ignore_errors=True)
    generated = shutil.ignore_patterns(
        "__pycache__", ".git", ".venv*", ".*cache", ".coverage*", "node_modules"
    )
    shutil.copytree(CHECKOUT, copy, symlinks=True, ignore=generated)
    sources = (str(copy / "packager"), str(copy / "hatch_plugin"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sources)}
    # no plugin: to import them takes longer than most mutants live
    plugins = [f"-pno:{name}" for name in ("cacheprovider", "hypothesispytest", "xdist", "pytest_cov")]
    endless = ("-o", f"faulthandler_timeout={_ENDLESS_SECONDS}", "-o", "faulthandler_exit_on_timeout=true")
    command = (sys.executable, "-m", "pytest", "-qx", *plugins, *endless, "-m", "not slow", *subject.tests)
    run(*command, cwd=copy, env=environment)  # what fails without a mutant would kill every one
    # A mutant of the same size in the same second has the time stamp of what it was: its code is known by its hash
    by_hash = ("-m", "compileall", "-q", "-f", "--invalidation-mode", "checked-hash")
    run(sys.executable, *by_hash, *sources, cwd=copy, env=environment)
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    timeout = 30 + 3 * (time.monotonic() - began)
    config, session, kept = directory / "config.toml", directory / "session.sqlite", directory / "run.json"
    quoted = json.dumps(" ".join(f"'{word}'" for word in command))
    modules = json.dumps([f"packager/skillpack/{path}" for path in subject.paths])
    config.write_text(
        f"[cosmic-ray]\nmodule-path = {modules}\ntimeout = {timeout:.0f}\nexcluded-modules = []\n"
        f'test-command = {quoted}\n[cosmic-ray.distributor]\nname = "local"\n',
        encoding="utf-8",
    )
    cosmic_ray = (python_with("mutation", COSMIC_RAY), "-m", "cosmic_ray.cli")
    how = [COSMIC_RAY, sample, seed]
    before: dict[str, Any] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    if before.get("how") != how:
        before = {"files": {}, "seconds": 0.0}
    files = {path: sha256((copy / path).read_bytes()).hexdigest() for path in _files(copy, subject)}
    former = directory / "former.sqlite"
    if before["files"]:
        session.replace(former)
    session.unlink(missing_ok=True)
    run(*cosmic_ray, "init", config, session, cwd=copy, env=environment)
    possible = _choose(session, copy, sample, seed)
    unchanged = [path for path in files if before["files"].get(path) == files[path]]
    _carry(former, session, unchanged, is_explained)
    record = {"how": how, "files": files}
    kept.write_text(json.dumps({**record, "seconds": before["seconds"]}), encoding="utf-8")
    subprocess.run((*cosmic_ray, "exec", config, session), cwd=copy, env=environment, check=True)
    spent = before["seconds"] + time.monotonic() - began
    kept.write_text(json.dumps({**record, "seconds": spent}), encoding="utf-8")
    survivors = sorted(mutant for _, mutant in _survivors(session))
    with sqlite3.connect(session) as database:
        ((chosen,),) = database.execute("select count(*) from mutation_specs")
    database.close()
    return Outcome(possible=possible, run=chosen, survivors=tuple(survivors), seconds=spent)


def _files(copy: Path, subject: Subject) -> list[str]:
    """Return the paths of the modules of `subject` in `copy`, as cosmic-ray names them."""
    places = [copy / "packager" / "skillpack" / path for path in subject.paths]
    found = (sorted(place.rglob("*.py")) if place.is_dir() else [place] for place in places)
    return [file.relative_to(copy).as_posix() for files in found for file in files]


def _choose(session: Path, copy: Path, sample: int, seed: int) -> int:
    """Leave a sample of what cosmic-ray would do: one change of an operator in a place, none without behaviour.

    Return how many there are to choose from. What is chosen in a file does not depend on the others.
    """
    with sqlite3.connect(session) as database:
        specs = database.execute(
            "select job_id, module_path, operator_name, occurrence, operator_args, start_pos_row, start_pos_col "
            "from mutation_specs"
        ).fetchall()
        specs.sort(key=lambda spec: random.Random(f"{seed} {spec[1:5]}").random())
        files = {path: (copy / path).read_text(encoding="utf-8") for path in {spec[1] for spec in specs}}
        operations = {path: list(_operations(text)) for path, text in files.items()}
        chosen: dict[tuple[object, ...], str] = {}
        for job, path, operator, _, _, row, column in specs:
            idle = bool(_NO_BEHAVIOUR.match(files[path].splitlines()[row - 1])) or operator.endswith(
                _IDENTITY
            )
            if operator.startswith("core/ReplaceBinaryOperator"):
                idle = idle or not any(left <= (row, column) < right for left, right in operations[path])
            if not idle:
                one_of_many = re.match(r"core/Replace\w*Operator(?=_)", operator)
                key = (path, row, column, one_of_many[0] if one_of_many else job)
                chosen.setdefault(key, job)
        kept = set(list(chosen.values())[: sample or None])
        _drop(database, (job for job, *_ in specs if job not in kept), "mutation_specs", "work_items")
    database.close()
    return len(chosen)


def _carry(former: Path, session: Path, files: list[str], is_explained: Callable[[Mutant], object]) -> None:
    """Take over what a former session did with these files, but for survivors without an explanation."""
    if not files:
        return
    again = [job for job, mutant in _survivors(former) if not is_explained(mutant)]
    with sqlite3.connect(session) as database:
        database.execute("attach ? as former", (str(former),))
        for path in files:
            of_file = "select job_id from {}.mutation_specs where module_path = ?"
            jobs = [job for (job,) in database.execute(of_file.format("main"), (path,))]
            _drop(database, jobs, "mutation_specs", "work_items")
            for table in ("mutation_specs", "work_items", "work_results"):
                database.execute(
                    f"insert into main.{table} select * from former.{table} where job_id in "
                    f"({of_file.format('former')})",
                    (path,),
                )
        _drop(database, again, "work_results")
    database.close()


def _drop(database: sqlite3.Connection, jobs: Iterable[str], *tables: str) -> None:
    rows = [(job,) for job in jobs]
    for table in tables:
        database.executemany(f"delete from {table} where job_id = ?", rows)


def _operations(text: str) -> Iterator[tuple[tuple[int, int | None], tuple[int, int]]]:
    """Give where the signs of binary operations stand: not those of parameters, nor of types in annotations."""
    tree = ast.parse(text)
    notes = [getattr(node, name, None) for node in ast.walk(tree) for name in ("annotation", "returns")]
    in_notes = {part for note in notes if isinstance(note, ast.AST) for part in ast.walk(note)}
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and node not in in_notes:
            yield (
                (node.left.end_lineno or 0, node.left.end_col_offset),
                (node.right.lineno, node.right.col_offset),
            )


def _survivors(session: Path) -> Iterator[tuple[str, Mutant]]:
    with sqlite3.connect(session) as database:
        rows = database.execute(
            "select job_id, module_path, operator_name, diff from work_results natural join mutation_specs "
            "where test_outcome = 'SURVIVED'"
        ).fetchall()
    database.close()
    for job, path, operator, diff in rows:
        changed = [
            line for line in diff.splitlines() if line[:1] in "+-" and line[:4] not in ("--- ", "+++ ")
        ]
        mutant = Mutant(
            file=path.removeprefix("packager/skillpack/"),
            line=" ".join(line[1:].strip() for line in changed if line[0] == "-").strip(),
            becomes=" ".join(line[1:].strip() for line in changed if line[0] == "+").strip(),
            operator=operator.removeprefix("core/"),
        )
        yield job, mutant
