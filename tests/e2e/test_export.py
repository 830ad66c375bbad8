"""Exports of a real wheel: the same as of its sources and of the runtime alone, and installed by a real client."""

from __future__ import annotations

import functools
import json
import subprocess
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from skillpack.export.formats import FORMATS
from support import environments, examples, packing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.front_ends import Workshop

EXAMPLE = "quickstart"
CLIENTS = {"skills@1.5.26": ".well-known/agent-skills", "skills@1.3.1": ".well-known/skills"}
"""Releases of the npm client that run on Node 20, and where each looks: the older one knows version 0.1 alone."""

RUNTIME_ALONE = """
import json, sys
from pathlib import Path
from quickstart.skills import bundle
from skillpack.export import formats

for name, form in formats.FORMATS.items():
    place = Path(sys.argv[1], name)
    files = formats.files(name, bundle) if form.is_directory else [("document", formats.document(name, bundle), False)]
    for path, data, executable in files:
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(0o755 if executable else 0o644)
print(json.dumps(sorted({"yaml", "blake3", "click", "pathspec"} & set(sys.modules))))
"""


def found(place: Path) -> dict[str, tuple[bytes, bool]]:
    return {
        path.relative_to(place).as_posix(): (path.read_bytes(), bool(path.stat().st_mode & 0o111))
        for path in place.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def wheel(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return examples.wheel(EXAMPLE, workshop, tmp_path_factory.mktemp(EXAMPLE))


def test_wheel_sources_and_the_runtime_alone_give_the_same_bytes_in_every_format(
    workshop: Workshop, wheel: Path, tmp_path: Path
) -> None:
    project = examples.copied(EXAMPLE, tmp_path)
    sources: list[list[str | Path]] = [[wheel], []]
    for number, source in enumerate(sources):
        for name, form in FORMATS.items():
            place = tmp_path / str(number) / name
            place.parent.mkdir(exist_ok=True)
            if not form.is_directory:
                place.mkdir()
                place /= "document"
            done = workshop.skillpack("export", name, *source, "-o", place, cwd=project)
            assert done.code == 0, done.output
    python = examples.installed(workshop, tmp_path / "venv", wheel, "skillpack")
    alone = workshop.run(python, "-I", "-c", RUNTIME_ALONE, tmp_path / "alone", cwd=tmp_path)
    assert (alone.code, alone.output) == (0, "[]\n")
    assert len(found(tmp_path / "0")) > len(FORMATS)
    assert found(tmp_path / "0") == found(tmp_path / "1") == found(tmp_path / "alone")


def test_what_is_restored_of_a_wheel_packs_to_its_digest(
    workshop: Workshop, wheel: Path, tmp_path: Path
) -> None:
    restored = tmp_path / "skills"
    done = workshop.skillpack("export", "directory", wheel, "-o", restored, cwd=tmp_path)
    assert done.code == 0, done.output
    again = workshop.skillpack("verify", wheel, "--against", restored, cwd=tmp_path)
    assert (again.code, ": the same" in again.output) == (0, True)
    manifest = workshop.skillpack("export", "manifest", restored, "-q", cwd=tmp_path)
    of_wheel = workshop.skillpack("export", "manifest", wheel, "-q", cwd=tmp_path)
    assert manifest.output == of_wheel.output
    assert json.loads(manifest.output)["digest"] == packing.pack(tmp_path).packed.digest


# ------------------------------------------------------------------ a client of well-known directories


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


@contextmanager
def served(directory: Path) -> Iterator[str]:
    """Serve a directory on this machine alone, and give its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=directory)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_installs_every_file_of_what_is_served(
    workshop: Workshop, wheel: Path, tmp_path: Path, client: str
) -> None:
    place = tmp_path / "site" / CLIENTS[client]
    place.parent.mkdir(parents=True)
    done = workshop.skillpack("export", "well-known", wheel, "-o", place, cwd=tmp_path)
    assert done.code == 0, done.output
    expected = tmp_path / "expected"
    assert workshop.skillpack("export", "directory", wheel, "-o", expected, cwd=tmp_path).code == 0
    modules = environments.node_with("skills-client", client)
    home, project = tmp_path / "home", tmp_path / "project"
    for directory in (home, project):
        directory.mkdir()
    with served(tmp_path / "site") as url:
        run = subprocess.run(
            [
                environments.program("node"),
                modules / "skills" / "bin" / "cli.mjs",
                "add",
                url,
                *("--agent", "claude-code", "--skill", "*", "--copy", "--yes"),
            ],
            cwd=project,
            env={"HOME": str(home), "PATH": "/usr/bin:/bin", "DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
    assert run.returncode == 0, run.stdout + run.stderr
    # the older release puts them into .agents/skills and links
    (installed,) = filter(
        None,
        ({path: data for path, (data, _) in found(skills).items()} for skills in project.glob(".*/skills")),
    )
    wanted = {path: data for path, (data, _) in found(expected).items()}
    assert installed.keys() == wanted.keys()
    differing = [path for path in wanted if installed[path] != wanted[path]]
    # the older release reads every file as text, which a picture does not survive
    assert differing == (["status-page/assets/degraded.png"] if client == "skills@1.3.1" else [])
