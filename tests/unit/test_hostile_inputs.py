"""Hostile and unlucky inputs through the whole way: each ends soon, with a finding that says where and what to do."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from skillpack import discover
from skillpack.discover.reading import SYSTEM
from skillpack.rules import RULES, SETTINGS, Level, Setting
from support import projects, tokens
from support.bundles import skill_md
from support.discovery import chain, meddling
from support.packing import Outcome, pack, skillpack, within
from support.told import told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SECONDS = 20
"""No input may take longer; all of them take far less, but a busy machine takes its time."""

SECRET = b"what lies outside\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one good skill, and what its links may lead to."""
    outside = {"outside/SKILL.md": skill_md("outside"), "outside/secret": SECRET}
    projects.write(tmp_path, outside)
    files = {"skills/demo/SKILL.md": skill_md("demo"), "other/skills/linked/SKILL.md": skill_md("linked")}
    return projects.write(tmp_path / "project", {**files, "other.md": SECRET})


def refused(project: Path, code: str, place: str, *roots: str) -> None:
    """Bundle on the command line: it ends soon with this error and its way out, and nothing is written."""
    with within(SECONDS):
        result = skillpack(project, "bundle", *(roots or ["skills"]), "-o", "m.py")
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    # The place may go on with a line and a column.
    error = rf"^{re.escape(place)}(:\d+)*: error: {code}: .+\n  hint: .+"
    assert re.search(error, result.stderr, re.MULTILINE), result.stderr
    assert SECRET.decode().strip() not in result.output
    assert not (project / "m.py").exists()


# ------------------------------------------------------------------ links and special files


@pytest.mark.parametrize(
    ("link", "target", "root", "place"),
    [
        pytest.param("skills/demo/a.md", "../../other.md", "skills", "skills/demo/a.md", id="file"),
        pytest.param("skills/demo/refs", "../../other", "skills", "skills/demo/refs", id="directory"),
        pytest.param("skills/x/SKILL.md", "../../other.md", "skills", "skills/x/SKILL.md", id="SKILL.md"),
        pytest.param("skills/linked", "../other/skills/linked", "skills", "skills/linked", id="skill directory"),
        pytest.param("more", "other/skills", "more", "more", id="root"),
        pytest.param("more", "other", "more/skills", "more/skills", id="root behind a link"),
        pytest.param("skills/demo/gone", "nowhere", "skills", "skills/demo/gone", id="dangling"),
        pytest.param("skills/demo/loop", "loop", "skills", "skills/demo/loop", id="looping"),
        pytest.param("skills/demo/up", "..", "skills", "skills/demo/up", id="through a parent"),
        pytest.param("skills/demo/a/b/top", "../../../../..", "skills", "skills/demo/a/b/top", id="to above the project"),
        pytest.param("skills/demo/out", "../../../outside/secret", "skills", "skills/demo/out", id="outside"),
    ],
)  # fmt: skip
def test_a_link_is_refused_wherever_it_leads(
    project: Path, link: str, target: str, root: str, place: str
) -> None:
    (project / link).parent.mkdir(parents=True, exist_ok=True)
    (project / link).symlink_to(target)
    refused(project, "symlink", place, root)


def test_a_project_with_nothing_but_dead_links_is_refused_link_by_link(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    for number in range(213):
        (tmp_path / f"skills/s{number}").symlink_to(f"../gone/s{number}")
    assert [error.code for error in pack(tmp_path).errors] == ["symlink"] * 213


def make_socket(path: Path) -> None:
    # A path of a socket has about 100 bytes at most, and those of tests are longer.
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


def make_device(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))


SPECIAL = [os.mkfifo, make_socket]
if os.geteuid() == 0:  # as in CI: nobody else may make a device, and unit/test_tree.py has a stand-in for one
    SPECIAL.append(make_device)


@pytest.mark.parametrize("make", SPECIAL)
@pytest.mark.parametrize("place", ["skills/demo/special", "skills/special"])
def test_a_special_file_is_refused_and_not_waited_for(
    project: Path, make: Callable[[Path], None], place: str
) -> None:
    make(project / place)
    refused(project, "special-file", place)


@contextlib.contextmanager
def unprivileged() -> Iterator[None]:
    """Run as a user who cannot read everything, where the tests run as root, who can."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@pytest.mark.parametrize("name", ["notes.md", "SKILL.md", "."])
def test_what_cannot_be_read_is_refused(name: str) -> None:
    # Not in pytest's own directory, which only its owner can enter.
    directory = Path(tempfile.mkdtemp(prefix="unreadable-"))
    directory.chmod(0o777)
    try:
        projects.write(directory, {"skills/demo/SKILL.md": skill_md("demo"), "skills/demo/notes.md": "x\n"})
        assert pack(directory).packed  # so that nothing has to be imported below
        target = directory / "skills/demo" / name
        target.chmod(0)
        # Where the tests were started may be closed to that user, who could not return.
        with contextlib.chdir(directory), unprivileged():
            refused(directory, "unreadable", f"skills/demo/{name}".removesuffix("/."))
        target.chmod(0o755)
    finally:
        shutil.rmtree(directory)


# ------------------------------------------------------------------ what changes while it is read


def meddled(monkeypatch: pytest.MonkeyPatch, name: str, meddle: Callable[[], object]) -> None:
    """Have `meddle` called just before the entry called `name` is opened."""
    system = meddling(SYSTEM, name, meddle)
    monkeypatch.setattr(discover, "discover", functools.partial(discover.discover, system=system))


def test_a_file_that_vanishes_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = project / "skills/demo/notes.md"
    notes.write_bytes(b"here\n")
    meddled(monkeypatch, "notes.md", lambda: notes.unlink(missing_ok=True))
    refused(project, "unreadable", "skills/demo/notes.md")


def test_a_file_that_grows_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "skills/demo/notes.md").write_bytes(b"here\n")

    def append(descriptor: int, size: int) -> bytes:
        with (project / "skills/demo/notes.md").open("ab") as file:
            file.write(b"and more\n")
        return os.read(descriptor, size)

    system = discover.reading.System(relative=True, mode_bits=True, read=append)
    monkeypatch.setattr(discover, "discover", functools.partial(discover.discover, system=system))
    refused(project, "file-changed", "skills/demo/notes.md")


SWAPPER = """
import os
swaps = 0
while not os.path.exists("done"):
    os.symlink("../../../outside/secret", "link")
    os.replace("link", "skills/demo/notes.md")
    os.link("kept", "file")
    os.replace("file", "skills/demo/notes.md")
    swaps += 1
    if swaps == 3000:
        os.rename("kept", "enough")
        os.link("enough", "kept")
"""
"""Swaps a file for a link to what lies outside and back: as a process, since a thread would wait for the reader."""


def test_a_file_that_is_swapped_for_a_link_thousands_of_times_never_leaks(project: Path) -> None:
    projects.write(project, {"skills/demo/notes.md": b"innocent\n", "kept": b"innocent\n"})
    seen: set[str] = set()
    with within(10 * SECONDS), subprocess.Popen([sys.executable, "-c", SWAPPER], cwd=project) as swapper:
        try:
            # On a busy machine it takes longer until swaps and reads have met.
            while not (project / "enough").exists() or not {"packed", "symlink"} <= seen:
                outcome = pack(project)
                assert SECRET not in outcome.module
                if outcome.bundle is None:
                    seen.update(error.code for error in outcome.errors)
                else:
                    assert outcome.bundle["demo"].file("notes.md").bytes() == b"innocent\n"
                    seen.add("packed")
        finally:
            (project / "done").touch()
    assert swapper.returncode == 0
    assert seen <= {"packed", "symlink", "unreadable", "file-changed"}


# ------------------------------------------------------------------ size


@pytest.mark.slow
@pytest.mark.parametrize("is_one", [True, False], ids=["with pyvenv.cfg", "without"])
def test_a_venv_of_36_000_files_is_not_read(project: Path, is_one: bool) -> None:
    venv = project / "skills/demo/venv"
    # All of them are one file: that is made sooner, and none is opened.
    one = projects.write(project, {"one.py": ""}) / "one.py"
    for directory in range(36):
        (venv / f"lib/{directory}").mkdir(parents=True)
        for number in range(1000):
            os.link(one, venv / f"lib/{directory}/{number}.py")
    if is_one:
        (venv / "pyvenv.cfg").touch()
        with within(SECONDS):
            outcome = pack(project)
        assert outcome.lines == ["skills/demo/venv: note: left-out"]
        assert [*outcome.packed["demo"].files] == ["SKILL.md"]
    else:
        refused(project, "limit-files", "skills/demo")


def test_a_sparse_file_of_1_gb_is_not_read(project: Path) -> None:
    with (project / "skills/demo/model.bin").open("wb") as file:
        file.truncate(10**9)
    refused(project, "limit-file-bytes", "skills/demo/model.bin")


@pytest.mark.parametrize("depth", [pytest.param(1_000, marks=pytest.mark.slow), 100])
def test_a_deep_tree_is_not_followed_down(project: Path, depth: int) -> None:
    with chain(project / "skills/demo", depth):
        refused(project, "limit-depth", "skills/demo" + 17 * "/d")


# ------------------------------------------------------------------ YAML


class Yaml(NamedTuple):
    """Lines of a frontmatter, of which the first is line 4, and where its error is."""

    lines: str
    code: str
    place: str


YAML = {
    "alias bomb": Yaml(
        "a: &a [x,x,x,x]\n" + "".join(f"k{i}: &a [*a,*a,*a,*a]\n" for i in range(40)), "yaml-alias", "4:4"
    ),
    "100,000 keys": Yaml("".join(f"k{i}: v\n" for i in range(100_000)), "yaml-limits", "2:1"),
    "1,000 keys": Yaml("".join(f"k{i}: v\n" for i in range(1_000)), "yaml-limits", "501:7"),
    "depth 20,000, lists": Yaml("x: " + "[" * 20_000, "yaml-limits", "4:12"),
    "depth 20,000, mappings": Yaml("x: " + "{a: " * 15_000, "yaml-limits", "4:32"),
    "depth 20,000, blocks": Yaml("x:\n  " + "- " * 20_000, "yaml-limits", "5:17"),
    "5,000-digit integer": Yaml("x: " + "1" * 5_000, "yaml-limits", "4:4"),
    "lone surrogate": Yaml('x: "\\ud800"', "yaml-invalid", "4:4"),
    "NUL": Yaml("x: a\0b", "skill-md-encoding", "4:5"),
    "duplicate key": Yaml("metadata:\n  a: 1\n  a: 2", "yaml-duplicate-key", "6:3"),
    "duplicate field": Yaml("name: other", "yaml-duplicate-key", "4:1"),
    "tag": Yaml("x: !!python/object/apply:os.system [id]", "yaml-alias", "4:4"),
    "merge key": Yaml("x: &x {a: b}\ny:\n  <<: *x", "yaml-alias", "6:3"),
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", YAML)
def test_hostile_yaml_is_refused_at_its_place_in_a_fifth_of_a_second(
    project: Path, name: str, setting: Setting
) -> None:
    case = YAML[name]
    text = f"---\nname: demo\ndescription: A demo\n{case.lines}\n---\nBody\n"
    projects.write(project, {"skills/demo/SKILL.md": text})

    def run() -> tuple[float, Outcome]:
        start = time.process_time()
        outcome = pack(project, level=setting)
        return time.process_time() - start, outcome

    with within(SECONDS):
        # Three tries, since the machine may be busy with something else.
        tries = [run() for _ in range(3)]
    assert min(seconds for seconds, _ in tries) < 0.2
    found = [error for error in tries[0][1].findings if error.code == case.code]
    assert f"skills/demo/SKILL.md:{case.place}" in [finding.place() for finding in found]
    assert all(finding.hint for finding in found)
    assert {finding.level for finding in found} == {RULES[case.code].levels[SETTINGS.index(setting)]}


# ------------------------------------------------------------------ names and contents


def refusals(project: Path, files: Mapping[str, bytes | str], **options: str) -> list[str]:
    """Pack the demo skill with more files; return `path: code` of each error."""
    projects.write(project / "skills/demo", files)
    outcome = pack(project, **options)
    assert (outcome.bundle is None) == bool(outcome.errors)
    return [f"{error.path.removeprefix('skills/demo/')}: {error.code}" for error in outcome.errors]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(
    "name",
    [
        ".ENV", ".Env.Production", "Credentials.json", "ID_RSA", "Secrets.YAML", ".NPMRC", "Service-Account.json",
        ".dev.varsbackup", "production.env", "id_rsa", "terraform.tfstate",
    ],
)  # fmt: skip
def test_a_name_of_a_secret_is_refused_whatever_its_case_and_the_level(
    project: Path, name: str, setting: Setting
) -> None:
    assert RULES["secret-name"].pinned
    assert f"config/{name}: secret-name" in refusals(project, {f"config/{name}": "x=1\n"}, level=setting)


def test_a_directory_called_env_is_refused(project: Path) -> None:
    assert ".env: secret-dir" in refusals(project, {".env/notes.md": "harmless\n"})


@pytest.mark.parametrize(
    "name", [".envbackup", "__proto__", "__init__.py", "constructor", "a/__proto__/__init__.py"]
)
def test_a_harmless_name_is_packed_and_counts_in_the_digest(project: Path, name: str) -> None:
    before = pack(project).packed["demo"].digest
    projects.write(project / "skills/demo", {name: b"x = 1\n"})
    outcome = pack(project)
    assert outcome.findings == ()
    skill = outcome.packed["demo"]
    assert skill.files[name].bytes() == b"x = 1\n"
    assert skill.digest != before
    lines = [f"{hashlib.sha256(file.bytes()).hexdigest()}  {path}\n" for path, file in skill.files.items()]
    assert skill.digest == f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"


def test_a_directory_that_a_tool_makes_is_left_out_whatever_its_case(project: Path) -> None:
    projects.write(project / "skills/demo", {"Node_Modules/a/index.js": "1\n"})
    outcome = pack(project)
    assert outcome.lines == ["skills/demo/Node_Modules: note: left-out"]
    assert [*outcome.packed["demo"].files] == ["SKILL.md"]


CERTIFICATE = tokens.armoured("CERTIFICATE", tokens.der(Random(1)))


@pytest.mark.parametrize(
    ("name", "data", "level"),
    [
        ("deck.key", b"PK\x03\x04" + bytes(60), Level.NOTE),
        ("ca.pem", f"{CERTIFICATE}\n{CERTIFICATE}\n", Level.NOTE),
    ],
)
def test_a_name_of_a_key_passes_by_what_it_holds(
    project: Path, name: str, data: bytes | str, level: Level
) -> None:
    assert refusals(project, {name: data}) == []
    assert pack(project).one("sensitive-name").level is level
    assert refusals(project, {}, level="strict") == [f"{name}: sensitive-name"]


def test_a_key_behind_a_certificate_is_refused(project: Path) -> None:
    key = tokens.private_key(Random(2), "RSA")
    assert refusals(project, {"ca.pem": f"{CERTIFICATE}\n{key}\n"}) == [
        "ca.pem: secret-name",
        "ca.pem: secret-content",
    ]


@pytest.mark.parametrize("name", ["notes.json", "README", "data.csv", "images/logo.png", "settings.md"])
def test_a_service_account_is_refused_under_any_name(project: Path, name: str) -> None:
    data = tokens.example("gcp-service-account").text
    assert refusals(project, {name: data}) == [f"{name}: secret-content"]


TOKEN = tokens.example("github-token")


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        pytest.param("notes.md", b"# Use it\n\nWith " + TOKEN.text, ":3:15", id="md"),
        pytest.param("logo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0" + TOKEN.text + b"\0IEND", "", id="PNG"),
        pytest.param("notes.txt", TOKEN.text.decode().encode("utf-16"), ":1:10", id="UTF-16"),
        pytest.param("notes.txt", TOKEN.text.decode().encode("utf-16-be"), ":1:10", id="UTF-16, no mark"),
        pytest.param("big.log.md", b"harmless line\n" * 357_143 + TOKEN.text, ":357144:10", id="at byte 5,000,000"),
    ],
)  # fmt: skip
def test_a_token_is_found_in_any_file_and_never_shown(
    project: Path, name: str, data: bytes, place: str
) -> None:
    projects.write(project / "skills/demo", {name: data})
    secret = TOKEN.secret.decode()
    refused(project, "secret-content", f"skills/demo/{name}")
    outcome = pack(project)
    assert outcome.one("secret-content").place() == f"skills/demo/{name}{place}"
    assert f"{secret[:4]}…, 40 characters" in outcome.one("secret-content").message
    assert not any(secret[4:12] in told(finding) for finding in outcome.findings)
