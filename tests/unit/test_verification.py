from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from blake3 import blake3

from skillpack import artifact, digest, verification
from skillpack.emit.layout import KNOWN_RUNTIMES, code_digest, sections
from skillpack.emit.literal import CATALOG, INDEX, parse, render
from skillpack.emit.module import parts
from skillpack.emit.stub import stub
from skillpack.model import Allowed, Frontmatter
from skillpack.rules import Level
from skillpack.runtime.digest import sha256_hex
from skillpack.verification import Difference, against
from support.archives import make_zip
from support.bundles import DEMO, SOLO, make_bundle, make_source, skill_md
from support.emitted import emitted

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from skillpack.findings import Finding

SOURCES = [make_source("demo", DEMO), make_source("solo", SOLO)]
ADDRESSED = digest.address(SOURCES)
MODULE = emitted(ADDRESSED.bundle)
STUB = stub(ADDRESSED.bundle)
MANIFEST = "x-1.dist-info/extra_metadata/skillpack.json"


def reread(data: bytes, name: str) -> Frontmatter | None:
    """Read SKILL.md as the bundles of these tests are made; one that begins otherwise cannot be read."""
    return make_source(name, {"SKILL.md": data})[1] if data.startswith(b"---\n") else None


def address(data: bytes) -> str:
    return f"blake3:{blake3(data).hexdigest()}"


def verify(path: Path, known: Collection[str] = KNOWN_RUNTIMES) -> tuple[Finding, ...]:
    return verification.verify(artifact.read(path), reread=reread, address=address, known_runtimes=known)


def verify_module(directory: Path, source: bytes, known: Collection[str] = KNOWN_RUNTIMES) -> list[Finding]:
    path = directory / "skills.py"
    path.write_bytes(source)
    findings = verify(path, known)
    assert {finding.path for finding in findings} <= {str(path)}
    return list(findings)


def codes(findings: Collection[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def line_of(source: bytes, text: bytes) -> int:
    return source[: source.index(text)].count(b"\n") + 1


def with_index(old: bytes, new: bytes) -> bytes:
    """The module with another index and its checksum, both written as skillpack writes them."""
    literals = parse(parts(ADDRESSED.bundle).data)
    catalog, index = literals[CATALOG], literals[INDEX]
    assert isinstance(catalog, bytes)
    assert isinstance(index, bytes)
    assert old in index
    changed = index.replace(old, new, 1)
    head, rows = catalog.split(b"\n", 1)
    checked = b"%b sha256:%b\n%b" % (head.rpartition(b" ")[0], sha256_hex(changed).encode(), rows)
    source = MODULE.replace(render(INDEX, index), render(INDEX, changed))
    return source.replace(render(CATALOG, catalog), render(CATALOG, checked))


class TestModules:
    def test_what_skillpack_wrote_is_good(self, tmp_path: Path) -> None:
        assert verify_module(tmp_path, MODULE) == []

    def test_so_it_is_with_windows_lines(self, tmp_path: Path) -> None:
        assert verify_module(tmp_path, MODULE.replace(b"\n", b"\r\n")) == []

    def test_a_changed_byte_in_a_content_names_the_file(self, tmp_path: Path) -> None:
        (finding,) = verify_module(tmp_path, MODULE.replace(b"print(1)", b"print(2)"))
        assert finding.code == "artifact-damaged"
        assert finding.message.startswith("demo/scripts/x.py does not have the digest")
        assert finding.level is Level.ERROR

    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            (
                b"**: A demo skill",
                b"**: A damo skill",
                ["artifact-altered", "artifact-damaged", "artifact-index"],
            ),
            (b"skillpack 1 sha256:d43", b"skillpack 1 sha256:d44", ["artifact-damaged"]),
            (b"demo\\t-\\tsha256:41c", b"demo\\t-\\tsha256:41d", ["artifact-damaged", "artifact-damaged"]),
        ],
    )
    def test_a_changed_catalog_is_seen(
        self, tmp_path: Path, old: bytes, new: bytes, expected: list[str]
    ) -> None:
        assert old in MODULE
        assert sorted(codes(verify_module(tmp_path, MODULE.replace(old, new)))) == expected

    def test_a_skill_that_was_hidden_is_seen(self, tmp_path: Path) -> None:
        source = MODULE.replace(b"- **demo**: A demo skill\\n", b"")
        source = source.replace(b"demo\\t-\\t", b"demo\\th\\t").replace(
            b"67cfd\\n", b"67cfd\\tA demo skill\\n"
        )
        assert sorted(codes(verify_module(tmp_path, source))) == ["artifact-damaged", "artifact-index"]

    def test_the_bundle_as_a_whole_is_named_so(self, tmp_path: Path) -> None:
        (finding,) = verify_module(
            tmp_path, MODULE.replace(b"skillpack 1 sha256:d43", b"skillpack 1 sha256:d44")
        )
        assert finding.message.startswith("the bundle as a whole does not have")

    def test_a_recorded_frontmatter_that_skill_md_does_not_hold(self, tmp_path: Path) -> None:
        found = verify_module(
            tmp_path, with_index(b'"description":"A demo skill"', b'"description":"Altered"')
        )
        assert sorted(codes(found)) == ["artifact-altered", "artifact-damaged", "artifact-index"]
        assert "skill demo: frontmatter not as in its files" in {finding.message for finding in found}

    def test_fields_that_no_digest_covers_are_read_again_from_skill_md(self, tmp_path: Path) -> None:
        fields = (
            b'{"allowed_tools":["Bash"],"compatibility":"c","globs":["*"],"license":"l","metadata":{"a":"b"}}'
        )
        (finding,) = verify_module(tmp_path, with_index(b"\n{}\n", b"\n%b\n" % fields))
        assert finding.code == "artifact-index"
        assert finding.message == (
            "skill demo: license, compatibility, allowed_tools, globs, metadata not as in its files"
        )

    def test_a_wrong_text_mark_is_seen(self, tmp_path: Path) -> None:
        (finding,) = verify_module(tmp_path, with_index(b"text/x-python\tt\t", b"text/x-python\t-\t"))
        assert finding.message == "skill demo: the kind of scripts/x.py not as in its files"

    def test_a_skill_md_that_cannot_be_read_is_no_source_of_an_index(self, tmp_path: Path) -> None:
        bare = make_source(
            "bare",
            {"SKILL.md": b"no frontmatter\n"},
            frontmatter=Frontmatter(name="bare", description="", values={}),
        )
        (finding,) = verify_module(tmp_path, emitted(digest.address([bare]).bundle))
        assert finding.message == "skill bare: the frontmatter not as in its files"

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (b'\n    b"/wAB"\n', b'\n    b"/wA"\n    b"B"\n'),
            (b'\n    b"---\\nname: solo\\n', b'\n    b"---\\n"\n    b"name: solo\\n'),
        ],
    )
    def test_a_literal_cut_in_other_places_is_altered(self, tmp_path: Path, old: bytes, new: bytes) -> None:
        (finding,) = verify_module(tmp_path, MODULE.replace(old, new))
        assert finding.code == "artifact-altered"
        assert finding.line == line_of(MODULE, old) + 1

    def test_data_that_the_index_does_not_use_is_altered(self, tmp_path: Path) -> None:
        more = render("_" + "0" * 64, b"smuggled") + b"# ---- skillpack: the data ends"
        source = MODULE.replace(b"# ---- skillpack: the data ends", more)
        (finding,) = verify_module(tmp_path, source)
        assert (finding.code, finding.line) == ("artifact-altered", line_of(source, b"_0000"))

    @pytest.mark.parametrize(
        ("old", "new", "more"),
        [
            (b"text/x-python", b"text/y-python", ["artifact-index"]),
            (b"text/x-python\\tt", b"text/x-python\\ttx", []),
        ],
    )
    def test_media_types_and_execute_bits_are_covered_by_the_checksum(
        self, tmp_path: Path, old: bytes, new: bytes, more: list[str]
    ) -> None:
        found = codes(verify_module(tmp_path, MODULE.replace(old, new)))
        assert found == ["artifact-damaged", *more, "artifact-altered"]

    @pytest.mark.parametrize("name", ["skills/__init__.py", "skills.cpython-311-x86_64-linux-gnu.so"])
    def test_what_python_imports_instead_is_named(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "skills").mkdir()
        (tmp_path / "skills" / "notes.txt").write_bytes(b"")
        assert verify_module(tmp_path, MODULE) == []
        (tmp_path / name).write_bytes(b"")
        (finding,) = verify_module(tmp_path, MODULE)
        assert finding.code == "artifact-shadowed"
        assert finding.message == f"Python imports {name} and not this module"

    def test_another_encoding_of_a_content_is_altered(self, tmp_path: Path) -> None:
        source = with_index(b"\tt\tb\n", b"\tt\ts\n")
        assert codes(verify_module(tmp_path, source)) == ["artifact-altered"]

    @pytest.mark.parametrize(
        ("old", "new", "line"),
        [
            (b"MAX_ECHO_CHARS = 80", b"MAX_ECHO_CHARS = 81", b"MAX_ECHO_CHARS = 80"),
            (b"\nimport sys\n", b"\nimport sys\nimport socket\n", b"from _collections_abc"),
            (b"\n__all__ = [", b"\nimport socket\n__all__ = [", b"__all__ = ["),
            (b"_INDEX, globals()", b"_CATALOG, globals()", b"bundle: SkillBundle ="),
        ],
    )
    def test_other_code_is_unknown_and_named_by_its_line(
        self, tmp_path: Path, old: bytes, new: bytes, line: bytes
    ) -> None:
        assert MODULE.count(old) == 1
        (finding,) = verify_module(tmp_path, MODULE.replace(old, new))
        assert (finding.code, finding.level) == ("runtime-unknown", Level.ERROR)
        assert finding.line == line_of(MODULE, line)

    def test_code_after_the_end_is_other_code(self, tmp_path: Path) -> None:
        (finding,) = verify_module(tmp_path, MODULE + b"import socket\n")
        assert (finding.code, finding.line) == ("runtime-unknown", MODULE.count(b"\n") + 1)

    def test_the_code_of_an_older_release_is_good_and_said(self, tmp_path: Path) -> None:
        older = MODULE.replace(b"MAX_ECHO_CHARS = 80", b"MAX_ECHO_CHARS = 79")
        found = sections(older)
        assert found is not None
        (finding,) = verify_module(tmp_path, older, {code_digest(found)})
        assert (finding.code, finding.level) == ("runtime-older", Level.NOTE)

    def test_an_older_release_with_altered_data_is_altered(self, tmp_path: Path) -> None:
        older = MODULE.replace(b"MAX_ECHO_CHARS = 80", b"MAX_ECHO_CHARS = 79")
        found = sections(older)
        assert found is not None
        altered = older.replace(b'\n    b"/wAB"\n', b'\n    b"/wA"\n    b"B"\n')
        assert codes(verify_module(tmp_path, altered, {code_digest(found)})) == [
            "runtime-older",
            "artifact-altered",
        ]


class TestWheels:
    def wheel(self, directory: Path, manifest: bytes | None, *modules: bytes) -> Path:
        files = {f"app/m{number}.py": source for number, source in enumerate(modules or (MODULE,))}
        if manifest is not None:
            files[MANIFEST] = manifest
        return make_zip(directory / "x.whl", files)

    def test_a_module_without_manifest_is_good(self, tmp_path: Path) -> None:
        assert verify(self.wheel(tmp_path, None)) == ()

    def test_a_manifest_that_agrees_with_one_of_the_modules_is_good(self, tmp_path: Path) -> None:
        other = emitted(make_bundle({"solo": SOLO}))
        assert verify(self.wheel(tmp_path, ADDRESSED.manifest(), other, MODULE)) == ()

    def test_what_a_manifest_tells_about_its_build_is_not_compared(self, tmp_path: Path) -> None:
        facts = {**json.loads(ADDRESSED.manifest()), "provenance": {"commit": "0" * 40}}
        assert verify(self.wheel(tmp_path, json.dumps(facts).encode())) == ()

    def test_the_exceptions_of_a_thousand_files_do_not_count_as_too_long(self, tmp_path: Path) -> None:
        allowed = Allowed(
            skill="demo", path="assets/b.bin", rule="secret-name", sha256="0" * 64, reason="x" * 500
        )
        assert verify(self.wheel(tmp_path, ADDRESSED.manifest([allowed] * 1_000))) == ()

    @pytest.mark.parametrize(
        "manifest",
        [
            ADDRESSED.manifest().replace(b'"size":9', b'"size":8'),
            ADDRESSED.manifest().replace(b"A demo skill", b"Another one"),
            ADDRESSED.manifest().replace(b'"blake3":"blake3:', b'"blake3":"blake3:0'),
            ADDRESSED.manifest().replace(b'"format":1', b'"format":1,"more":2'),
            digest.manifest_bytes(ADDRESSED.bundle),
            digest.address([]).manifest(),
            b"",
            b"[]",
            b"null",
            b"\xff",
            b'{"format":NaN}',
            b"[" * 5_000,
            ADDRESSED.manifest() + b" " * 1_200_000,
        ],
    )
    def test_any_other_manifest_is_an_error_at_its_place(self, tmp_path: Path, manifest: bytes) -> None:
        path = self.wheel(tmp_path, manifest)
        (finding,) = verify(path)
        assert (finding.code, finding.path) == ("artifact-manifest", f"{path}/{MANIFEST}")

    def test_a_manifest_beside_a_damaged_module_does_not_agree(self, tmp_path: Path) -> None:
        path = self.wheel(tmp_path, ADDRESSED.manifest(), MODULE.replace(b"print(1)", b"print(2)"))
        assert codes(verify(path)) == ["artifact-damaged", "artifact-manifest"]

    def test_modules_are_named_by_their_path_in_the_wheel(self, tmp_path: Path) -> None:
        path = self.wheel(tmp_path, None, MODULE, MODULE.replace(b"print(1)", b"print(2)"))
        assert [finding.path for finding in verify(path)] == [f"{path}/app/m1.py"]


class TestStubs:
    def findings(self, directory: Path, text: bytes, module: bytes = MODULE) -> tuple[Finding, ...]:
        path = make_zip(directory / "x.whl", {"app/skills.py": module, "app/skills.pyi": text})
        found = sections(module)
        assert found is not None
        return verify(path, {code_digest(found)})

    def test_what_skillpack_wrote_is_good(self, tmp_path: Path) -> None:
        assert self.findings(tmp_path, STUB) == ()
        assert self.findings(tmp_path, STUB.replace(b"\n", b"\r\n")) == ()

    def test_an_edited_one_is_altered_at_its_line(self, tmp_path: Path) -> None:
        (finding,) = self.findings(tmp_path, STUB.replace(b'"demo"', b'"dame"'))
        assert (finding.code, finding.path) == ("artifact-altered", f"{tmp_path}/x.whl/app/skills.pyi")
        assert finding.line == line_of(STUB, b'"demo"')

    @pytest.mark.parametrize("text", [b"bundle: object\n", b"", b"\xef\xbb\xbf" + STUB, b"#" + STUB])
    def test_one_that_is_not_ours_is_altered(self, tmp_path: Path, text: bytes) -> None:
        (finding,) = self.findings(tmp_path, text)
        assert (finding.code, finding.path) == ("artifact-altered", f"{tmp_path}/x.whl/app/skills.pyi")
        assert finding.message.startswith("skillpack did not write this stub")

    def test_that_of_another_file_is_none_of_ours(self, tmp_path: Path) -> None:
        assert (
            verify(make_zip(tmp_path / "x.whl", {"skills.py": MODULE, "app.pyi": b"", "notes.pyi": STUB}))
            == ()
        )

    def test_that_beside_a_module_by_itself_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "skills.py"
        path.write_bytes(MODULE)
        stub_file = tmp_path / "skills.pyi"
        stub_file.write_bytes(STUB.replace(b"\n", b"\r\n"))
        assert verify(path) == ()
        for text in (b"", STUB + b"more: int\n"):
            stub_file.write_bytes(text)
            (finding,) = verify(path)
            assert (finding.code, finding.path) == ("artifact-altered", stub_file.as_posix())
        stub_file.unlink()
        stub_file.mkdir()
        assert verify(path) == ()

    def test_that_of_an_older_release_is_not_known(self, tmp_path: Path) -> None:
        older = MODULE.replace(b"MAX_ECHO_CHARS = 80", b"MAX_ECHO_CHARS = 79")
        assert codes(self.findings(tmp_path, STUB + b"old: int\n", older)) == ["runtime-older"]


class TestAgainstSources:
    def test_the_same_is_no_difference(self) -> None:
        assert against(ADDRESSED.bundle, digest.address(SOURCES).bundle) == ()

    def test_skills_and_files_that_were_added_removed_or_changed(self) -> None:
        old = make_bundle(
            {
                "gone": {"SKILL.md": skill_md("gone")},
                "same": {"SKILL.md": skill_md("same"), "a": b"1", "b": b"2", "é": b""},
            }
        )
        new = make_bundle(
            {
                "new": {"SKILL.md": skill_md("new")},
                "same": {"SKILL.md": skill_md("same", "Other"), "b": b"2", "c": b"3"},
            }
        )
        assert against(old, new) == (
            Difference(kind="removed", skill="gone"),
            Difference(kind="added", skill="new"),
            Difference(kind="changed", skill="same", path="SKILL.md"),
            Difference(kind="removed", skill="same", path="a"),
            Difference(kind="added", skill="same", path="c"),
            Difference(kind="removed", skill="same", path="é"),
        )

    def test_execute_bits_are_not_compared(self) -> None:
        assert against(make_bundle({"demo": DEMO}), make_bundle({"demo": DEMO}, executable=set(DEMO))) == ()


def test_every_finding_says_what_to_do(tmp_path: Path) -> None:
    source = MODULE.replace(b"print(1)", b"print(2)").replace(b"MAX_ECHO_CHARS = 80", b"MAX_ECHO_CHARS = 81")
    findings = verify_module(tmp_path, source)
    assert findings
    assert all(finding.hint for finding in findings)
    assert all(replace(finding, message="").level is Level.ERROR for finding in findings)
