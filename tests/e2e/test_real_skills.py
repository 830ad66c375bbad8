"""The skills inside public wheels: each root packs, and comes back byte for byte from a module that opens nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from skillpack import config, pipeline
from skillpack.errors import RefusedError
from skillpack.runtime.digest import sha256_hex
from support.wheelhouse import WHEELS_WITH_SKILLS

ROOTS = {
    "fastapi": {"fastapi/.agents/skills": 1},
    "google-adk": {"google/adk/integrations/bigquery/skills": 2},
    "pydantic-ai-slim": {"pydantic_ai/.agents/skills": 9},
    "sqlmodel": {"sqlmodel/.agents/skills": 1},
    "streamlit": {"streamlit/.agents/meta-skill": 1, "streamlit/.agents/skills": 1},
    "trulens-core": {"trulens/.agents/skills": 8},
    "typer": {"typer/.agents/skills": 1},
}
"""The skills roots in each wheel and the number of their skills, as counted by hand."""

READ_EVERYTHING = """
import sys
sys.path.insert(0, sys.argv[1])
from emitted import bundle
bundle.preload()
def refuse(event, arguments):
    if event in ("open", "os.listdir", "os.scandir"):
        sys.stderr.write(f"{event} {arguments!r}\\n")
        raise SystemExit(3)
sys.addaudithook(refuse)
bundle.verify()
catalog = bundle.catalog()
answers = {
    name: {
        "body": skill.body,
        "loaded": str(bundle.call("load_skill", {"name": name})),
        "read": [bundle.call("read_skill_resource", {"name": name, "path": path}).is_error for path in skill.files],
        "files": {path: file.bytes().hex() for path, file in skill.files.items()},
    }
    for name, skill in bundle.items()
}
import json
sys.stdout.write(json.dumps({"catalog": catalog, "answers": answers}))
"""


def test_every_skills_folder_the_wheels_is_in_the_list(unpacked: Path) -> None:
    for name, roots in ROOTS.items():
        top = unpacked / name
        counted: dict[str, int] = {}
        for path in top.rglob("SKILL.md"):
            root = PurePosixPath(path.relative_to(top).parent.parent).as_posix()
            counted[root] = counted.get(root, 0) + 1
        assert counted == roots


@pytest.mark.parametrize(
    ("wheel", "root"), [(wheel, root) for wheel, roots in ROOTS.items() for root in roots]
)
def test_the_skills_of_a_wheel_come_back_byte_for_byte(
    unpacked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], wheel: str, root: str
) -> None:
    settings = config.load(unpacked / wheel, skills=[root])
    with pipeline.pack(settings) as packed:
        ((_, source),) = pipeline.emit(packed, "emitted.py")
        summary = packed.summary()
        directories = dict(zip(packed.bundle, (source.directory for source in packed.sources), strict=True))
        findings = [finding.line_text() for finding in packed.findings]
    (tmp_path / "emitted.py").write_bytes(source)
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-B", "-c", READ_EVERYTHING, str(tmp_path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    served = json.loads(done.stdout)["answers"]
    folder = unpacked / wheel / root
    on_disk = {
        name: {
            path.relative_to(skill).as_posix(): path.read_bytes().hex()
            for path in skill.rglob("*")
            if path.is_file()
        }
        for name, directory in directories.items()
        for skill in [folder / directory]
    }
    assert len(served) == ROOTS[wheel][root]
    assert sorted(directories.values()) == sorted(path.parent.name for path in folder.glob("*/SKILL.md"))
    assert {name: answer["files"] for name, answer in served.items()} == on_disk
    for answer in served.values():
        assert answer["body"].strip()
        assert answer["loaded"].startswith("<skill_content")
        assert not any(answer["read"])
    with capsys.disabled():
        print(
            f"\n{wheel} {WHEELS_WITH_SKILLS[wheel]} {root}: {summary}, module {len(source):,} bytes {sha256_hex(source)[:12]}"
        )
        for line in findings:
            print(f"  {line}")


def test_the_two_trees_of_streamlit_share_a_name_and_are_refused_together(unpacked: Path) -> None:
    settings = config.load(unpacked / "streamlit", skills=list(ROOTS["streamlit"]))
    with pytest.raises(RefusedError) as caught, pipeline.pack(settings):
        pass
    (error,) = [finding for finding in caught.value.findings if finding.level.label == "error"]
    assert error.code == "name-duplicate"
    assert "streamlit/.agents/meta-skill/developing-with-streamlit" in error.message
    assert "streamlit/.agents/skills/developing-with-streamlit" in error.message


def test_a_skill_without_frontmatter_is_refused_by_name(unpacked: Path) -> None:
    root = "pydantic_settings_aws/.agents/skills"
    settings = config.load(unpacked / "pydantic-settings-aws", skills=[root])
    with pytest.raises(RefusedError) as caught, pipeline.pack(settings):
        pass
    (error,) = [finding for finding in caught.value.findings if finding.level.label == "error"]
    assert (error.code, error.path) == ("frontmatter-missing", f"{root}/SKILL.md")
