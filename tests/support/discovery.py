"""Small trees on disk, a judge of names, and platforms that can do less or fail: what the walk's tests share."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillpack import fingerprint
from skillpack.discover import Discovery, Root, discover
from skillpack.discover.reading import SYSTEM, System
from skillpack.discover.store import ContentStore
from skillpack.findings import Policy, Report
from skillpack.model import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from skillpack.discover.walk import Limits
    from skillpack.findings import Finding
    from skillpack.model import SkillSource

FALLBACK = dataclasses.replace(SYSTEM, relative=False)
SYSTEMS = {"descriptors": SYSTEM, "paths": FALLBACK}
"""Both ways to read: relative to descriptors, and by paths where the platform has no such descriptors."""

TAKE = Verdict(action="take")
LEAVE_OUT = Verdict(action="leave-out")


def judge(path: str, *, is_directory: bool, entries: Sequence[str] = ()) -> Verdict:
    """Judge like the screen, by a few names."""
    name = path.rpartition("/")[2]
    if name == ".git":
        return Verdict(action="refuse", code="vcs-entry", message="a repository", hint="remove it")
    if is_directory and (name in {"__pycache__", "node_modules"} or "pyvenv.cfg" in entries):
        return LEAVE_OUT
    if not is_directory and (name == ".DS_Store" or name.startswith(".#")):
        return LEAVE_OUT
    if is_directory and "credentials" in entries:
        return Verdict(action="refuse", code="secret-dir", message="holds credentials", hint="remove it")
    return TAKE


def is_secret_name(path: str) -> bool:
    return ".env" in path.split("/")


def make(top: Path, files: Mapping[str, bytes | str | None] | Iterable[str]) -> Path:
    """Write files below `top`; without contents each holds its own path, and None makes a directory."""
    contents = files if isinstance(files, Mapping) else dict.fromkeys(files, "")
    for path, content in contents.items():
        target = top / path
        if content is None:
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else (content or path).encode())
    return top


@contextlib.contextmanager
def chain(top: Path, depth: int) -> Iterator[None]:
    """Keep a file `x` below so many directories `d`, whose whole path the system may not take in one piece."""
    with contextlib.chdir(top):
        for _ in range(depth):
            Path("d").mkdir()
            os.chdir("d")
        Path("x").touch()
    yield
    # Not left to pytest, whose removal of old directories is recursive.
    with contextlib.chdir(top):
        for _ in range(depth):
            os.chdir("d")
        Path("x").unlink()
        for _ in range(depth):
            os.chdir("..")
            Path("d").rmdir()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one discovery gave: the contents are read while the store is open."""

    discovery: Discovery
    findings: tuple[Finding, ...]
    contents: dict[str, bytes]

    @property
    def skills(self) -> tuple[SkillSource, ...]:
        return self.discovery.skills

    @property
    def places(self) -> list[str]:
        """The places of the skills."""
        return [skill.place for skill in self.skills]

    @property
    def lines(self) -> list[str]:
        """Every finding as `place code`."""
        return [f"{finding.path} {finding.code}" for finding in self.findings]

    def one(self, code: str) -> Finding:
        """The only finding with this code."""
        (finding,) = [finding for finding in self.findings if finding.code == code]
        return finding

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]


def run(
    project: Path,
    *written: str,
    system: System = SYSTEM,
    policy: Policy | None = None,
    limits: Limits | None = None,
    exclude: Sequence[str] = (),
    outputs: Sequence[Path] = (),
    splits: bool = False,
    roots: Sequence[Root] = (),
) -> Run:
    """Discover the roots as written (`skills` if none), relative to the project."""
    report = Report(policy)
    roots = roots or [Root(written=text, directory=project / text) for text in written or ("skills",)]
    options: dict[str, Any] = {} if limits is None else {"limits": limits}
    with ContentStore(identity=fingerprint.identity, fingerprint=fingerprint.fingerprint) as store:
        found = discover(
            roots,
            project=project,
            judge=judge,
            is_secret_name=is_secret_name,
            store=store,
            report=report,
            exclude=exclude,
            outputs=outputs,
            splits=splits,
            system=system,
            **options,
        )
        contents = {
            skill.place_of(file.path): file.content.read()
            for skill in (*found.skills, *found.headless)
            for file in skill.files
        }
    return Run(discovery=found, findings=report.findings, contents=contents)


def failing_open(system: System, name: str, error: int) -> System:
    """Return a platform on which opening the entry called `name` fails with `error`."""

    def open_(path: str, *args: int, **options: int) -> int:
        if Path(path).name == name:
            raise OSError(error, os.strerror(error))
        return system.open(path, *args, **options)

    return dataclasses.replace(system, open=open_)


def meddling(system: System, name: str, meddle: Callable[[], object]) -> System:
    """Return a platform on which `meddle` happens just before the entry called `name` is opened."""

    def open_(path: str, *args: int, **options: int) -> int:
        if Path(path).name == name:
            meddle()
        return system.open(path, *args, **options)

    return dataclasses.replace(system, open=open_)


def failing_list(system: System, directory: Path, error: int) -> System:
    """Return a platform on which listing one directory fails with `error`."""

    def scandir(path: int | str) -> Any:
        if os.path.samestat(_status(path), directory.stat()):
            raise OSError(error, os.strerror(error))
        return system.scandir(path)

    return dataclasses.replace(system, scandir=scandir)


def _status(path: int | str) -> os.stat_result:
    return os.fstat(path) if isinstance(path, int) else Path(path).stat()


@dataclass(slots=True)
class Counts:
    """What a counting platform was asked for, by device and inode, and how many descriptors it has out."""

    opened: Counter[tuple[int, int]] = field(default_factory=Counter)
    listed: Counter[tuple[int, int]] = field(default_factory=Counter)
    read: int = 0
    live: int = 0
    most: int = 0


def counting(system: System) -> tuple[System, Counts]:
    """Return a platform that counts."""
    counts = Counts()

    def open_(path: str, *args: int, **options: int) -> int:
        descriptor = system.open(path, *args, **options)
        status = os.fstat(descriptor)
        counts.opened[status.st_dev, status.st_ino] += 1
        counts.live += 1
        counts.most = max(counts.most, counts.live)
        return descriptor

    def close(descriptor: int) -> None:
        system.close(descriptor)
        counts.live -= 1

    def scandir(path: int | str) -> Any:
        status = _status(path)
        counts.listed[status.st_dev, status.st_ino] += 1
        return system.scandir(path)

    def read(descriptor: int, size: int) -> bytes:
        counts.read += 1
        return system.read(descriptor, size)

    return dataclasses.replace(system, open=open_, close=close, scandir=scandir, read=read), counts
