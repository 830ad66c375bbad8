"""The folder forms as `inspect` and `verify` read them: out of trees, wheels, zips and sdists, altered and not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from skillpack import artifact, digest, pipeline, verification
from skillpack.emit.folder import folder
from skillpack.emit.index import skills_bytes
from skillpack.emit.layout import FIRST_LINE, INIT, KNOWN_RUNTIMES, code_digest, sections
from skillpack.emit.literal import parse, render
from skillpack.emit.part import split
from skillpack.emit.stub import stub
from skillpack.errors import ArtifactError
from skillpack.rules import Level
from support import forms, projects
from support.archives import make_sdist, make_zip
from support.bundles import DEMO, SOLO, make_bundle, make_source, skill_md
from support.packing import skillpack

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from skillpack.emit.folder import FolderForm
    from skillpack.findings import Finding

KINDS: tuple[FolderForm, ...] = ("package", "data")
ADDRESSED = digest.address([make_source("demo", DEMO), make_source("solo", SOLO)])
BUNDLE = ADDRESSED.bundle
STUB = stub(BUNDLE)
MANIFEST = "x-1.dist-info/extra_metadata/skillpack.json"


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> FolderForm:
    found: FolderForm = request.param
    return found


def files(kind: FolderForm) -> dict[str, bytes]:
    return dict(folder(BUNDLE, kind, digest.content_address))


def put(directory: Path, contents: dict[str, bytes]) -> Path:
    return projects.write(directory / "skills", dict(contents))


def verify(path: Path, known: Collection[str] = KNOWN_RUNTIMES) -> list[Finding]:
    read = artifact.read(path)
    return list(
        verification.verify(
            read, reread=pipeline.reread, address=digest.content_address, known_runtimes=known
        )
    )


def altered(
    directory: Path,
    kind: FolderForm,
    change: Callable[[str, bytes], bytes],
    known: Collection[str] = KNOWN_RUNTIMES,
) -> list[tuple[str, str]]:
    """What is found in a tree whose files were changed: (code, path in the folder)."""
    path = put(directory, {name: change(name, data) for name, data in files(kind).items()})
    return [(finding.code, finding.path.removeprefix(f"{path}/")) for finding in verify(path, known)]


class TestReading:
    def test_a_tree(self, tmp_path: Path, kind: FolderForm) -> None:
        path = put(tmp_path, files(kind))
        for place in (tmp_path, path, path / INIT):
            read = artifact.read(place)
            (module,) = read.modules
            assert (module.place, module.form) == (f"{path}/{INIT}", kind)
            module.bundle.verify(BUNDLE.digest)
            assert module.bundle.to_json() == BUNDLE.to_json()
            assert verify(place) == []

    def test_windows_lines(self, tmp_path: Path) -> None:
        path = put(tmp_path, {name: data.replace(b"\n", b"\r\n") for name, data in files("package").items()})
        assert verify(path) == []

    @pytest.mark.parametrize("suffix", ["whl", "zip", "tar.gz"])
    def test_archives(self, tmp_path: Path, kind: FolderForm, suffix: str) -> None:
        contents = {f"pkg/skills/{name}": data for name, data in files(kind).items()}
        path = tmp_path / f"x-1.{suffix}"
        if suffix == "tar.gz":
            make_sdist(path, contents.items())
        else:
            if suffix == "whl":
                contents[MANIFEST] = ADDRESSED.manifest(module=f"pkg/skills/{INIT}")
            make_zip(path, contents)
        assert verify(path) == []
        (module,) = artifact.read(path).modules
        assert module.bundle == BUNDLE

    def test_a_manifest_that_names_another_place_is_an_error(self, tmp_path: Path, kind: FolderForm) -> None:
        contents = {f"pkg/skills/{name}": data for name, data in files(kind).items()}
        contents[MANIFEST] = ADDRESSED.manifest(module="pkg/skills.py")
        make_zip(tmp_path / "x.whl", contents)
        assert [finding.code for finding in verify(tmp_path / "x.whl")] == ["artifact-manifest"]

    def test_several_modules_in_one_artifact(self, tmp_path: Path) -> None:
        for name in KINDS:
            forms.write(make_bundle({name: {"SKILL.md": skill_md(name)}}), name, tmp_path / name)
        assert [module.bundle.names for module in artifact.read(tmp_path).modules] == [
            ("data",),
            ("package",),
        ]
        assert [module.bundle.names for module in artifact.read(tmp_path / "data" / INIT).modules] == [
            ("data",)
        ]

    def test_a_bundle_without_skills(self, tmp_path: Path, kind: FolderForm) -> None:
        forms.write(make_bundle({}), kind, tmp_path / "skills")
        assert verify(tmp_path) == []

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (b"# ---- skillpack: the data begins", b"#", "has no data section"),
            (b"_CATALOG: bytes", b"_INDEX: bytes", "no package with a catalog"),
            (b" 2 ", b" 1,1 ", "does not fit its pages"),
            (b" 2 ", b" 1 ", "does not hold each skill"),
            (b" 2 ", b" 2,0 ", "does not fit its pages"),
            (b" 2 ", b" two ", "catalog is malformed"),
            (b"skillpack 1 ", b"skillpack 2 ", "format 2"),
        ],
    )
    def test_a_broken_init_is_an_error_that_says_what(
        self, tmp_path: Path, kind: FolderForm, old: bytes, new: bytes, message: str
    ) -> None:
        contents = files(kind)
        assert old in contents[INIT]
        path = put(tmp_path, contents | {INIT: contents[INIT].replace(old, new, 1)})
        with pytest.raises(ArtifactError, match=message):
            artifact.read(path)

    def test_a_catalog_with_fewer_skills_than_there_are_is_an_error(
        self, tmp_path: Path, kind: FolderForm
    ) -> None:
        found = sections(files(kind)[INIT])
        assert found is not None
        catalog = parse(split(found.data)[0])["_CATALOG"]
        assert isinstance(catalog, bytes)
        shorter = catalog[: catalog.index(b"\n- **solo**") + 1]
        init = found.source.replace(
            render("_CATALOG", catalog, long=True), render("_CATALOG", shorter, long=True)
        )
        with pytest.raises(ArtifactError, match="does not show the skills"):
            artifact.read(put(tmp_path, files(kind) | {INIT: init}))

    def test_fewer_rows_of_skills_than_there_are_is_an_error(self, tmp_path: Path) -> None:
        contents = files("package")
        name = next(name for name, data in contents.items() if b"\n_SKILLS: " in data)
        rows = skills_bytes(BUNDLE)
        shorter = rows[: rows.index(b"\n") + 1]
        assert shorter != rows
        contents[name] = contents[name].replace(
            render("_SKILLS", rows, long=True), render("_SKILLS", shorter, long=True)
        )
        with pytest.raises(ArtifactError, match="does not hold each skill"):
            artifact.read(put(tmp_path, contents))

    def test_pages_that_are_text_are_an_error(self, tmp_path: Path) -> None:
        init = files("data")[INIT].replace(b"_PAGES: bytes", b"_PAGES: str").replace(b'    b"', b'    "')
        path = put(
            tmp_path,
            files("data") | {INIT: init.replace(b"_CATALOG: bytes = (\n    ", b"_CATALOG: bytes = (\n    b")},
        )
        with pytest.raises(ArtifactError):
            artifact.read(path)

    def test_a_function_that_is_not_ours_is_an_error_by_its_line(self, tmp_path: Path) -> None:
        init = files("package")[INIT].replace(b"    return _INDEX, part\n", b"    return other()\n")
        path = put(tmp_path, files("package") | {INIT: init})
        with pytest.raises(
            ArtifactError, match=rf"__init__\.py:{init[: init.index(b'def page_0')].count(10) + 1}: "
        ):
            artifact.read(path)

    @pytest.mark.parametrize("held", [b"_INDEX: ", b"_SKILLS: "])
    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (b"", b"", r": its part {name} is not there; the module is damaged or altered"),
            (b"the data begins", b"", r": its part {name} has no data section; the module is damaged"),
            (
                b'    b"',
                b'    b "',
                r"/{name}:{line}: no piece of a literal begins here; the module is damaged",
            ),
            (
                b": bytes = (\n    b",
                b": str = (\n    ",
                r"/{name}: its literal is malformed; the module is damaged",
            ),
        ],
    )
    def test_a_missing_or_broken_part_is_an_error_at_its_place(
        self, tmp_path: Path, held: bytes, old: bytes, new: bytes, message: str
    ) -> None:
        contents = files("package")
        name = next(name for name, data in contents.items() if b"\n" + held in data)
        assert old in contents[name]
        line = contents[name][: contents[name].index(b'    b"')].count(b"\n") + 1
        contents[name] = contents[name].replace(old, new) if old else b""
        with pytest.raises(ArtifactError, match=message.format(name=name, line=line)):
            artifact.read(put(tmp_path, contents))

    @pytest.mark.parametrize(("old", "new"), [(b"the data begins", b""), (b'    b"', b'    b "')])
    def test_an_edited_shard_is_damage_of_the_files_in_it_and_no_missing_content(
        self, tmp_path: Path, old: bytes, new: bytes
    ) -> None:
        found = altered(
            tmp_path, "package", lambda name, data: data.replace(old, new) if name.startswith("_s") else data
        )
        assert set(found) == {("artifact-damaged", INIT)}

    def test_a_missing_shard_is_an_error_that_names_a_file(self, tmp_path: Path, kind: FolderForm) -> None:
        contents = files(kind)
        name = next(name for name, data in contents.items() if b"print(1)" in data)
        del contents[name]
        with pytest.raises(ArtifactError, match=r"skill demo: the content of .* is missing"):
            artifact.read(put(tmp_path, contents))

    def test_a_part_without_its_package_is_damaged(self, tmp_path: Path) -> None:
        contents = files("package")
        name = next(name for name in contents if name.startswith("_s"))
        with pytest.raises(ArtifactError, match="no catalog, skills or index"):
            artifact.read(put(tmp_path, {name: contents[name]}))

    def test_a_package_catalog_in_a_single_module_is_damaged(self, tmp_path: Path) -> None:
        from support.emitted import emitted

        source = emitted(BUNDLE)
        head = b"sha256:067a65c97b61e96c609697840a73d5b957cd05bfbb0827aed0f7a4264b0d81b2"
        assert source.count(head) == 1
        (tmp_path / "skills.py").write_bytes(source.replace(head, head + b" 2 " + head[7:]))
        with pytest.raises(ArtifactError, match="that of a package"):
            artifact.read(tmp_path / "skills.py")

    def test_blobs_that_are_no_ones_are_passed_over(self, tmp_path: Path) -> None:
        put(tmp_path, files("data"))
        (tmp_path / f"{'0' * 64}.bin").write_bytes(b"x")
        assert verify(tmp_path) == []

    @pytest.mark.parametrize("limit", ["MAX_MODULES_BYTES", "MAX_PARTS_BYTES"])
    def test_all_modules_and_all_parts_together_have_a_limit(
        self, tmp_path: Path, kind: FolderForm, limit: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(artifact, limit, 100)
        with pytest.raises(ArtifactError, match="together"):
            artifact.read(put(tmp_path, files(kind)))


class TestVerifying:
    def test_a_changed_content_is_damage_that_names_its_file(self, tmp_path: Path, kind: FolderForm) -> None:
        found = altered(tmp_path, kind, lambda _, data: data.replace(b"print(1)", b"print(2)"))
        assert found == [("artifact-damaged", INIT)]

    def test_a_changed_description_is_seen(self, tmp_path: Path, kind: FolderForm) -> None:
        found = altered(
            tmp_path,
            kind,
            lambda name, data: data.replace(b": A demo skill", b": A damo skill") if name == INIT else data,
        )
        assert {code for code, _ in found} == {"artifact-damaged", "artifact-index", "artifact-altered"}

    def test_a_changed_field_is_seen_where_it_stands(self, tmp_path: Path) -> None:
        found = altered(
            tmp_path,
            "package",
            lambda _, data: data.replace(b"\\n{}\\n", b'\\n{\\"license\\":\\"MIT\\"}\\n', 1),
        )
        assert {code for code, _ in found} == {"artifact-damaged", "artifact-index", "artifact-altered"}

    def test_a_literal_cut_in_other_places_is_altered(self, tmp_path: Path) -> None:
        found = altered(
            tmp_path, "package", lambda _, data: data.replace(b'    b"print(1)', b'    b"print"\n    b"(1)')
        )
        ((code, path),) = found
        assert code == "artifact-altered"
        assert path.startswith("_s")

    def test_code_in_a_part_is_altered(self, tmp_path: Path) -> None:
        found = altered(
            tmp_path, "package", lambda name, data: data + b"import os\n" if name.startswith("_s") else data
        )
        assert {code for code, _ in found} == {"artifact-altered"}

    def test_code_in_the_init_is_unknown(self, tmp_path: Path, kind: FolderForm) -> None:
        for number, (old, new) in enumerate(
            (
                (b"TYPE_CHECKING = ", b"import socket\nTYPE_CHECKING = "),
                (b"\n__all__", b"\nimport socket\n__all__"),
            )
        ):
            contents = files(kind)
            path = put(tmp_path / str(number), contents | {INIT: contents[INIT].replace(old, new)})
            (finding,) = verify(path)
            assert (finding.code, finding.path) == ("runtime-unknown", f"{path}/{INIT}")

    def test_code_in_the_runtime_is_unknown_and_named_by_its_file(
        self, tmp_path: Path, kind: FolderForm
    ) -> None:
        found = altered(
            tmp_path, kind, lambda name, data: data.replace(b"MAX_ECHO_CHARS = 80", b"MAX_ECHO_CHARS = 81")
        )
        ((code, path),) = found
        assert (code, path.rpartition("/")[2]) == ("runtime-unknown", "text.py")

    def test_more_files_of_the_runtime_are_unknown(self, tmp_path: Path, kind: FolderForm) -> None:
        contents = files(kind)
        runtime = next(iter(contents)).partition("/")[0]
        path = put(tmp_path, contents | {f"{runtime}/more.py": FIRST_LINE + b"\nimport os\n"})
        (finding,) = verify(path)
        assert (finding.code, finding.path) == ("runtime-unknown", f"{path}/{runtime}/more.py")

    def test_a_missing_file_of_the_runtime_is_unknown(self, tmp_path: Path, kind: FolderForm) -> None:
        contents = {name: data for name, data in files(kind).items() if not name.endswith("session.py")}
        (finding,) = verify(put(tmp_path, contents))
        assert finding.code == "runtime-unknown"

    def test_the_code_of_an_older_release_is_good_and_said(self, tmp_path: Path, kind: FolderForm) -> None:
        contents = {
            name: data.replace(b"MAX_ECHO_CHARS = 80", b"MAX_ECHO_CHARS = 79")
            for name, data in files(kind).items()
        }
        init = sections(contents[INIT])
        assert init is not None
        known = {code_digest(init, {name: data for name, data in contents.items() if "/" in name})}
        (finding,) = verify(put(tmp_path, contents), known)
        assert (finding.code, finding.level) == ("runtime-older", Level.NOTE)

    def test_a_part_that_nothing_names_is_altered(self, tmp_path: Path, kind: FolderForm) -> None:
        name = "_s0123456789abcdef.py" if kind == "package" else f"{'0' * 64}.bin"
        path = put(tmp_path, files(kind) | {name: FIRST_LINE + b"\n"})
        (finding,) = verify(path)
        assert (finding.code, finding.path) == ("artifact-altered", f"{path}/{name}")

    def test_a_blob_of_another_name_is_altered(self, tmp_path: Path) -> None:
        contents = files("data")
        (init, old) = (
            contents[INIT],
            next(name for name in contents if name.endswith(".bin") and name.encode() in contents[INIT]),
        )
        contents["0" * 64 + ".bin"] = contents.pop(old)
        contents[INIT] = init.replace(old.encode(), b"0" * 64 + b".bin")
        codes = [finding.code for finding in verify(put(tmp_path, contents))]
        assert codes == ["artifact-altered"] * 3

    def test_data_of_the_init_that_is_not_ours_is_altered(self, tmp_path: Path, kind: FolderForm) -> None:
        found = altered(
            tmp_path,
            kind,
            lambda name, data: (
                data.replace(b'    b"skillpack 1', b'    b"skill"\n    b"pack 1') if name == INIT else data
            ),
        )
        assert found == [("artifact-altered", INIT)]

    def test_what_python_imports_instead_of_a_part_is_named(self, tmp_path: Path) -> None:
        name = next(name for name in files("package") if name.startswith("_s"))
        path = put(tmp_path, files("package") | {f"{name.removesuffix('.py')}/__init__.py": b"DATA = b''\n"})
        (finding,) = verify(tmp_path)
        assert (finding.code, finding.path) == ("artifact-shadowed", f"{path}/{name}")

    def test_execute_bits_are_taken_from_it(self, tmp_path: Path, kind: FolderForm) -> None:
        forms.write(make_bundle({"demo": DEMO}, executable={"scripts/x.py"}), kind, tmp_path / "skills")
        (recorded,) = artifact.read(tmp_path).modules
        bundle = artifact.with_execute_bits(BUNDLE, recorded.bundle)
        assert bundle["demo"].file("scripts/x.py").executable

    def test_an_edited_stub_is_altered_at_its_line(self, tmp_path: Path, kind: FolderForm) -> None:
        path = put(tmp_path, files(kind) | {"__init__.pyi": STUB.replace(b"\n", b"\r\n")})
        assert verify(tmp_path) == []
        put(tmp_path, {"__init__.pyi": STUB.replace(b'"demo"', b'"dame"')})
        (finding,) = verify(tmp_path)
        assert (finding.code, finding.path) == ("artifact-altered", f"{path}/__init__.pyi")
        assert finding.line == STUB[: STUB.index(b'"demo"')].count(b"\n") + 1
        assert verify(path / "__init__.py") == [finding]

    def test_a_stub_that_hides_a_part_is_altered(self, tmp_path: Path, kind: FolderForm) -> None:
        part = next(name for name in files(kind) if name.endswith("/session.py"))
        path = put(tmp_path, files(kind) | {f"{part}i": b"", "other.pyi": b""})
        (finding,) = verify(tmp_path)
        assert (finding.code, finding.path) == ("artifact-altered", f"{path}/{part}i")
        assert "hides a part" in finding.message
        assert verify(path / "__init__.py") == [finding]


class TestTheCommandLine:
    @pytest.fixture
    def project(self, tmp_path: Path) -> Path:
        return projects.write(tmp_path / "project", projects.agent())

    def test_bundle_writes_checks_and_names_the_folder(self, project: Path, kind: FolderForm) -> None:
        result = skillpack(project, "bundle", "--format", kind)
        assert result.exit_code == 0
        assert "wrote src/agent/skills/: packed 2 skills" in result.output
        assert "unchanged src/agent/skills/" in skillpack(project, "bundle", "--format", kind).output
        assert skillpack(project, "bundle", "--check", "--format", kind).exit_code == 0
        stale = skillpack(project, "bundle", "--check")
        assert stale.exit_code == 1
        projects.write(project, {"skills/dance/references/notes.md": "Other.\n"})
        stale = skillpack(project, "bundle", "--check", "--format", kind)
        assert stale.exit_code == 1
        assert "src/agent/skills/: error: output-stale: it is not what" in stale.stderr

    def test_check_emits_it_all_the_same(self, project: Path, kind: FolderForm) -> None:
        assert skillpack(project, "check", "--format", kind).exit_code == 0
        assert not (project / "src/agent/skills").exists()

    def test_the_stub_is_in_the_folder(self, project: Path, kind: FolderForm) -> None:
        place = "src/agent/skills/__init__.pyi"
        form = ("--format", kind)

        def check(*flags: str) -> str:
            result = skillpack(project, "bundle", "--check", *form, *flags)
            assert result.exit_code == bool("output-stale" in result.stderr)
            return result.stderr

        skillpack(project, "bundle", *form)
        assert f"{place}: error: output-stale: there is no such file\n" in check("--stub")
        assert "wrote" in skillpack(project, "bundle", "--stub", *form).stderr
        assert "unchanged" in skillpack(project, "bundle", "--stub", *form).stderr
        assert '    "dance",\n    "sing",\n' in (project / place).read_text(encoding="ascii")
        assert "up to date" in check("--stub")
        assert f"{place}: error: output-stale: `stub` is off, and this one is still there\n" in check()
        (project / place).write_bytes((project / place).read_bytes().replace(b'"dance"', b'"danse"'))
        assert f"{place}: error: output-stale: it is not what" in check("--stub")
        assert "wrote" in skillpack(project, "bundle", *form).stderr
        assert not (project / place).exists()

    @pytest.mark.parametrize(
        ("foreign", "place"),
        [
            ("src/agent/skills.py", "src/agent/skills.py"),
            ("src/agent/skills", "src/agent/skills/"),
            ("src/agent/skills/__init__.py", "src/agent/skills/__init__.py"),
            ("src/agent/skills/__init__.py/x", "src/agent/skills/__init__.py"),
            ("src/agent/skills/mine.txt", "src/agent/skills/"),
            ("src/agent/skills/__init__.abi3.so", "src/agent/skills/"),
            (f"src/agent/skills/{'0' * 64}.bin", "src/agent/skills/"),
        ],
    )
    def test_what_is_not_ours_is_found_with_all_else_that_is_wrong(
        self, project: Path, kind: FolderForm, foreign: str, place: str
    ) -> None:
        projects.write(project, {foreign: "mine = 1\n"})
        for arguments in (["check"], ["bundle"], ["bundle", "--check"]):
            result = skillpack(project, *arguments, "--format", kind)
            assert result.exit_code == (1 if arguments == ["check"] else 2)
            assert f"{place}: error: output-foreign: " in result.stderr
        projects.write(project, {"skills/sing/.env": "A=b\n"})
        result = skillpack(project, "bundle", "--format", kind)
        assert result.exit_code == 1
        assert "secret-name" in result.stderr
        assert f"{place}: error: output-foreign: " in result.stderr

    def test_a_foreign_stub_in_the_folder_is_found(self, project: Path, kind: FolderForm) -> None:
        place = "src/agent/skills/__init__.pyi"
        skillpack(project, "bundle", "--format", kind)
        projects.write(project, {place: "mine: int\n"})
        assert skillpack(project, "bundle", "--format", kind).exit_code == 0
        result = skillpack(project, "check", "--stub", "--format", kind)
        assert f"{place}: error: output-foreign: " in result.stderr
        assert (project / place).read_text(encoding="ascii") == "mine: int\n"
        assert skillpack(project, "bundle", "--stub", "--force", "--format", kind).exit_code == 0
        assert skillpack(project, "bundle", "--check", "--stub", "--format", kind).exit_code == 0

    def test_what_has_the_place_of_a_part_is_found_and_nothing_is_written(
        self, project: Path, kind: FolderForm
    ) -> None:
        skillpack(project, "bundle", "--format", kind)
        folder = project / "src/agent/skills"
        part = next(
            path for path in folder.glob("*.*") if b"SKILL.md\t" in path.read_bytes().replace(b"\\t", b"\t")
        )
        part.unlink()
        part.symlink_to(folder / INIT)
        projects.write(project, {"skills/dance/references/other.md": "Other.\n"})
        before = projects.tree(project)
        # the page of the index changes with the skills, and then the old one is in nobody's way
        assert skillpack(project, "check", "--format", kind).exit_code == 0
        (project / "skills/dance/references/other.md").unlink()
        result = skillpack(project, "bundle", "--format", kind, "--force")
        assert result.exit_code == 2
        assert f"{part.relative_to(project)}: error: output-foreign: is a link" in result.stderr
        assert projects.tree(project).keys() == before.keys() - {"skills/dance/references/other.md"}

    def test_auto_is_a_package(self, project: Path) -> None:
        skillpack(project, "bundle", "--format", "auto")
        assert list((project / "src/agent/skills").glob("_m*.py"))

    def test_inspect_and_verify_read_it(self, project: Path, kind: FolderForm) -> None:
        skillpack(project, "bundle", "--format", kind)
        for place in ("src/agent/skills", "src/agent/skills/__init__.py", "src"):
            shown = skillpack(project, "inspect", place)
            assert "src/agent/skills/__init__.py: 2 skills, 5 files" in shown.output
            result = skillpack(project, "verify", place, "--against", "skills")
            assert result.exit_code == 0, result.output
        core = next((project / "src/agent/skills").glob("_r*/__init__.py"))
        core.write_bytes(core.read_bytes() + b"import os\n")
        result = skillpack(project, "verify", "src/agent/skills")
        assert result.exit_code == 1
        assert f"/{core.name}:" in result.stderr
        assert "__init__.py: 2 skills, 5 files" in result.stdout
        assert ": damaged" in result.stdout

    def test_a_skills_root_in_the_place_of_the_folder_is_refused(
        self, project: Path, kind: FolderForm
    ) -> None:
        (project / "skills").rename(project / "src/agent/skills")
        result = skillpack(project, "bundle", "src/agent/skills", "--format", kind)
        assert result.exit_code == 1
        assert "output-inside-input" in result.stderr
