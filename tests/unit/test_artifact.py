from __future__ import annotations

import ast
import builtins
import json
import sys
import tracemalloc
from typing import TYPE_CHECKING, NoReturn

import pytest

from skillpack import artifact as under_test
from skillpack import digest
from skillpack.artifact import read, summary, with_execute_bits
from skillpack.emit.literal import CATALOG, INDEX, SKILLS, parse, render
from skillpack.emit.module import parts
from skillpack.errors import ArtifactError, MissingArtifactError
from skillpack.model import Frontmatter
from support.archives import make_sdist, make_zip
from support.bundles import DEMO, SOLO, make_bundle, make_source, skill_md
from support.emitted import emitted

if TYPE_CHECKING:
    from pathlib import Path

    from skillpack.runtime import SkillBundle

VECTORS = make_bundle({"demo": DEMO, "solo": SOLO})
MODULE = emitted(VECTORS)
MANIFEST = "x-1.dist-info/extra_metadata/skillpack.json"


def put(directory: Path, source: bytes, name: str = "skills.py") -> Path:
    path = directory / name
    path.write_bytes(source)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(ArtifactError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert message.isprintable()
    return message.removeprefix(str(path))


def contents(bundle: SkillBundle) -> dict[str, dict[str, bytes]]:
    return {
        name: {path: file.bytes() for path, file in skill.files.items()} for name, skill in bundle.items()
    }


class TestReading:
    def test_a_module(self, tmp_path: Path) -> None:
        found = read(put(tmp_path, MODULE))
        assert (found.kind, found.place) == ("module", f"{tmp_path}/skills.py")
        (module,) = found.modules
        assert module.place == found.place
        assert module.bundle == VECTORS
        assert module.bundle.manifest == VECTORS.manifest
        assert contents(module.bundle) == {"demo": DEMO, "solo": SOLO}

    def test_a_module_that_a_checkout_on_windows_gave_other_line_ends(self, tmp_path: Path) -> None:
        (module,) = read(put(tmp_path, MODULE.replace(b"\n", b"\r\n"))).modules
        assert module.parts.source == MODULE
        assert contents(module.bundle) == {"demo": DEMO, "solo": SOLO}

    def test_a_wheel_with_its_manifest(self, tmp_path: Path) -> None:
        files = {"app/__init__.py": b"", "app/skills.py": MODULE, "app/x.txt": MODULE, MANIFEST: b"{}\n"}
        found = read(make_zip(tmp_path / "x.whl", files))
        assert found.kind == "wheel"
        assert [module.place for module in found.modules] == [f"{tmp_path}/x.whl/app/skills.py"]
        assert found.manifests == ((f"{tmp_path}/x.whl/{MANIFEST}", b"{}\n"),)

    def test_an_sdist_a_zip_and_a_directory(self, tmp_path: Path) -> None:
        put(tmp_path, MODULE)
        put(tmp_path, b"print('mine')\n", "other.py")
        sdist = make_sdist(tmp_path / "x.tar.gz", [("x-1/src/a.py", MODULE), ("x-1/PKG-INFO", b"")])
        assert [module.place for module in read(sdist).modules] == [f"{sdist}/x-1/src/a.py"]
        zipped = make_zip(tmp_path / "x.zip", {"a.py": MODULE, MANIFEST: b"{}"})
        assert read(zipped).manifests == ()
        assert [module.place for module in read(tmp_path).modules] == [f"{tmp_path}/skills.py"]

    def test_all_modules_of_an_artifact(self, tmp_path: Path) -> None:
        other = emitted(make_bundle({"solo": SOLO}))
        found = read(make_zip(tmp_path / "x.whl", {"a.py": MODULE, "b.py": other}))
        assert [len(module.bundle) for module in found.modules] == [2, 1]

    def test_nothing_there(self, tmp_path: Path) -> None:
        with pytest.raises(MissingArtifactError):
            read(tmp_path / "x.whl")

    @pytest.mark.parametrize(
        ("name", "files", "message"),
        [
            ("x.whl", {"a.py": b"1\n"}, "holds no skillpack module: was it built with HATCH_BUILD_NO_HOOKS?"),
            (
                "x.zip",
                {"a.py": b"1\n"},
                "holds no skillpack module; name what skillpack wrote, or the directory it lies in",
            ),
            ("x.whl", {MANIFEST: b"{}"}, "holds the manifest of skillpack but no skillpack module"),
        ],
    )
    def test_no_module_is_an_error_that_says_what_may_have_happened(
        self, tmp_path: Path, name: str, files: dict[str, bytes], message: str
    ) -> None:
        assert refusal(make_zip(tmp_path / name, files)).startswith(f": {message}")

    def test_an_sdist_of_the_hook_holds_skills_and_no_module(self, tmp_path: Path) -> None:
        assert "verify the wheel" in refusal(
            make_sdist(tmp_path / "x.tar.gz", [("x-1/skills/a/SKILL.md", b"")])
        )
        (tmp_path / "empty").mkdir()
        assert (
            refusal(tmp_path / "empty")
            == ": holds no skillpack module; name what skillpack wrote, or the directory it lies in"
        )

    def test_bounds_on_a_module_on_all_modules_and_on_a_manifest(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        wheel = make_zip(tmp_path / "x.whl", {"a.py": MODULE, "b.py": MODULE, MANIFEST: b"x" * 100})
        monkeypatch.setattr(under_test, "MAX_MANIFEST_BYTES", 99)
        assert f"/{MANIFEST}: is over 0 MiB" in refusal(wheel)
        monkeypatch.setattr(under_test, "MAX_MANIFEST_BYTES", 100)
        monkeypatch.setattr(under_test, "MAX_MODULES_BYTES", 2 * len(MODULE) - 1)
        assert "hold more than" in refusal(wheel)
        monkeypatch.setattr(under_test, "MAX_MODULES_BYTES", 2 * len(MODULE))
        monkeypatch.setattr(under_test, "MAX_MODULE_BYTES", len(MODULE))
        assert len(read(wheel).modules) == 2
        monkeypatch.setattr(under_test, "MAX_MODULE_BYTES", len(MODULE) - 1)
        assert "/a.py: is over" in refusal(wheel)

    def test_nothing_of_the_artifact_is_parsed_compiled_or_imported(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def blocked(*_: object, **__: object) -> NoReturn:
            raise AssertionError("an artifact reached a Python parser")

        path = put(tmp_path, MODULE)
        for name in ("eval", "exec", "compile"):
            monkeypatch.setattr(builtins, name, blocked)
        for name in ("parse", "literal_eval"):
            monkeypatch.setattr(ast, name, blocked)
        before = set(sys.modules)
        try:
            found = read(path).modules[0].bundle
            found.verify(VECTORS.digest)
            assert parts(found).source == MODULE
        finally:
            monkeypatch.undo()
        assert {name for name in set(sys.modules) - before if "skills" in name} == set()


def altered(replacements: dict[str, bytes]) -> bytes:
    """The module of the vectors with other bytes in some of its literals."""
    written = parts(VECTORS)
    literals = {name: data for name, data in parse(written.data).items() if isinstance(data, bytes)}
    data = b"".join(render(name, replacements.get(name, data)) for name, data in literals.items())
    return written.head + data + written.tail


def index(old: bytes, new: bytes) -> bytes:
    data = parse(parts(VECTORS).data)[INDEX]
    assert isinstance(data, bytes)
    assert old in data
    return altered({INDEX: data.replace(old, new, 1)})


def rows(old: bytes, new: bytes) -> bytes:
    data = parse(parts(VECTORS).data)[SKILLS]
    assert isinstance(data, bytes)
    assert old in data
    return altered({SKILLS: data.replace(old, new, 1)})


def catalog(old: bytes, new: bytes) -> bytes:
    data = parse(parts(VECTORS).data)[CATALOG]
    assert isinstance(data, bytes)
    assert old in data
    return altered({CATALOG: data.replace(old, new, 1)})


class TestDamagedModules:
    @pytest.mark.parametrize("share", [0.05, 0.5, 0.95, 0.99])
    def test_a_truncated_module(self, tmp_path: Path, share: float) -> None:
        assert "cut short or altered" in refusal(put(tmp_path, MODULE[: int(len(MODULE) * share)]))

    def test_a_malformed_literal_is_named_by_its_line(self, tmp_path: Path) -> None:
        source = MODULE.replace(b'    b"print(1)', b"    b'print(1)")
        line = source[: source.index(b"b'print")].count(b"\n") + 1
        assert refusal(put(tmp_path, source)).startswith(f":{line}: no piece of a literal begins here")

    def test_code_among_the_data(self, tmp_path: Path) -> None:
        source = MODULE.replace(b"\n_INDEX:", b"\nimport os\n_INDEX:")
        assert "no literal of skillpack's begins here" in refusal(put(tmp_path, source))

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            (MODULE.replace(b"_INDEX: bytes", b"_%064d: bytes" % 0), "no catalog, skills or index"),
            (catalog(b"skillpack 1 ", b"skillpack x "), "the catalog is malformed"),
            (altered({CATALOG: b""}), "the catalog is malformed"),
            (catalog(b"One file\n", b"One file"), "the catalog is malformed"),
            (catalog(b"skillpack 1 sha256:", b"skillpack 1 sha512:"), "the catalog is malformed"),
            (rows(b"\t-\t", b"\t?\t"), "row 1 of the skills is malformed"),
            (rows(b"solo\t-\t", b"solo\t-\t-\t"), "row 2 of the skills is malformed"),
            (rows(b"demo\t", b"d\xffmo\t"), "codec can't decode"),
            (rows(b"demo\t", b"zzzz\t"), "not sorted by name"),
            (rows(b"demo\t", b"solo\t"), "not sorted by name"),
            (rows(b"demo\t", b"dema\t"), "does not show the skills"),
            (rows(b"demo\t-", b"demo\th"), "does not show the skills"),
            (catalog(b"- **demo**", b"- **dema**"), "does not show the skills"),
            (catalog(b"- **demo**", b"- **d\xffmo**"), "does not show the skills"),
            (catalog(b"\n- **demo**", b"\n\n- **demo**"), "does not show the skills"),
            (altered({INDEX: b""}), "each skill of the catalog"),
            (index(b"\n\n{", b"\n{"), "each skill of the catalog"),
            (index(b"{}\n", b"{} \n"), "skill demo: its JSON is not what skillpack writes"),
            (index(b"{}\n", b"[]\n"), "skill demo: its JSON"),
            (index(b"{}\n", b"{\n"), "skill demo: "),
            (index(b"{}\n", b'{"a":NaN}\n'), "skill demo: "),
            (index(b"{}\n", b'{"a":1,"a":1}\n'), "skill demo: its JSON"),
            (index(b"{}\n", b'{"a":' * 100_000 + b"\n"), "skill demo: "),
            (index(b"{}\n", b'{"a":"' + b"x" * 2**20 + b'"}\n'), "skill demo: its JSON"),
            (index(b"{}\n", b'{"more":"x"}\n'), "skill demo: its fields are malformed"),
            (index(b"{}\n", b'{"license":1}\n'), "fields are malformed"),
            (index(b"{}\n", b'{"metadata":{"a":1}}\n'), "fields are malformed"),
            (index(b"{}\n", b'{"globs":["a",1]}\n'), "fields are malformed"),
            (index(b"{}\n", b'{"allowed_tools":"Read"}\n'), "fields are malformed"),
            (index(b"\t50\t", b"\t-1\t"), "a row of its files is malformed"),
            (index(b"\t50\t", b"\t" + b"9" * 5000 + b"\t"), "a row of its files is malformed"),
            (index(b"\tt\tb\n", b"\tq\tb\n"), "a row of its files is malformed"),
            (index(b"\tt\tb\n", b"\tt\tz\n"), "a row of its files is malformed"),
            (index(b"scripts/x.py", b"../../x.py"), "a path leaves the skill: ../../x.py"),
            (index(b"scripts/x.py", b"/etc/passwd"), "a path leaves the skill"),
            (index(b"cc42155", b"cc42150"), "the content of scripts/x.py is missing"),
            (index(b"scripts/x.py", b"assets/b.bin"), "not sorted by path, each once"),
            (index(b"scripts/x.py", b"aaa/x.py"), "not sorted by path, each once"),
            (index(b"SKILL.md", b"SKILL.MD"), "it has no SKILL.md"),
            (index(b"assets/b.bin", b"assets/\xff.bin"), "skill demo: 'utf-8' codec"),
        ],
    )
    def test_malformed_data_is_named(self, tmp_path: Path, source: bytes, message: str) -> None:
        found = refusal(put(tmp_path, source))
        assert message in found
        assert found.endswith("damaged or altered")

    def test_another_format_asks_for_another_release(self, tmp_path: Path) -> None:
        source = catalog(b"skillpack 1 ", b"skillpack 22 ")
        assert refusal(put(tmp_path, source)).startswith(
            ": holds data of format 22, and this skillpack reads format 1"
        )

    def test_a_block_of_one_line_has_no_fields(self, tmp_path: Path) -> None:
        data = parse(parts(VECTORS).data)[INDEX]
        assert isinstance(data, bytes)
        source = altered({INDEX: b"{}\n\n" + data.split(b"\n\n", 1)[1]})
        assert "skill demo" in refusal(put(tmp_path, source))

    def test_text_fields_of_the_right_types_are_read(self, tmp_path: Path) -> None:
        made = Frontmatter(
            name="x",
            description="",
            values={},
            license="MIT",
            metadata={"a": "b"},
            allowed_tools=("Read",),
            globs=("*.py",),
        )
        bundle = digest.address([make_source("x", {"SKILL.md": skill_md("x")}, frontmatter=made)]).bundle
        found = read(put(tmp_path, emitted(bundle))).modules[0].bundle["x"]
        assert (found.license, found.metadata) == ("MIT", {"a": "b"})
        assert (found.allowed_tools, found.globs) == (("Read",), ("*.py",))

    def test_a_message_cannot_move_the_cursor(self, tmp_path: Path) -> None:
        source = altered({INDEX: b"{}\n\n{}\n\n", CATALOG: parts(VECTORS).data[:0]})
        assert refusal(put(tmp_path, source))
        named = rows(b"demo\t", b"\x1b[2J\t").replace(b"{}\\n", b"{]\\n")
        assert "\x1b" not in refusal(put(tmp_path, named))


class TestHostileModules:
    @pytest.mark.parametrize(
        "source",
        [
            MODULE.replace(b"_CATALOG: bytes = (", b"_CATALOG: bytes = [" + b"0," * 2_000_000 + b"]"),
            MODULE.replace(b"\n_INDEX:", b'\n_INDEX: bytes = (\n    b"' * 100_000 + b"_INDEX:"),
            altered({CATALOG: b"\n" * 2_000_000}),
            altered(
                {
                    CATALOG: b"skillpack 1 sha256:%064d sha256:%064d\n" % (0, 0) + b"a\t-\t\t\t\n" * 200_000,
                    INDEX: b"{}\n\n" * 200_000,
                }
            ),
            index(b"{}\n", b"[" * 1_000_000 + b"\n"),
            index(b"{}\n", b'{"a":[' + b"{}," * 1_000_000 + b"{}]}\n"),
            index(b"{}\n", b"{}\n" + b"a\t1\t\t\t\t\n" * 200_000),
        ],
        ids=["list", "unclosed", "rows", "skills", "depth", "objects", "files"],
    )
    def test_megabytes_end_in_one_message_within_memory(self, tmp_path: Path, source: bytes) -> None:
        path = put(tmp_path, source)
        tracemalloc.start()
        try:
            refusal(path)
            assert tracemalloc.get_traced_memory()[1] < 30 * 2**20 + 15 * len(source)
        finally:
            tracemalloc.stop()


class TestSummary:
    def test_it_holds_what_inspect_shows_in_json_types(self) -> None:
        made = Frontmatter(name="h", description="Hidden one", values={"hide": True}, hidden=True)
        hidden = make_source("h", {"SKILL.md": skill_md("h", body="12345"), "x.bin": b"\0"}, frontmatter=made)
        bundle = digest.address([hidden, make_source("solo", SOLO)]).bundle
        facts = json.loads(json.dumps(summary(bundle)))
        assert facts["digest"] == bundle.digest
        assert facts["totals"] == {
            "skills": 2,
            "files": 3,
            "size": sum(row["size"] for row in facts["skills"]),
            "catalog_tokens": -(-len(bundle.catalog()) // 4),
        }
        first, second = facts["skills"]
        assert (first["name"], first["description"], first["hidden"]) == ("h", "Hidden one", True)
        assert (first["body_tokens"], second["body_tokens"]) == (2, 0)
        assert first["size"] == bundle["h"].file("SKILL.md").size + 1
        assert [file["path"] for file in first["files"]] == ["SKILL.md", "x.bin"]
        assert first["digest"] == bundle["h"].digest

    def test_a_damaged_skill_md_leaves_its_tokens_unknown(self, tmp_path: Path) -> None:
        damaged = MODULE.replace(b"# Hi", b"# Ho")
        facts = summary(read(put(tmp_path, damaged)).modules[0].bundle)
        assert [row["body_tokens"] for row in facts["skills"]] == [None, 0]


class TestExecuteBits:
    def test_bits_come_from_the_recorded_bundle_where_it_has_the_file(self) -> None:
        files = {"SKILL.md": skill_md("a"), "new": b"", "run": b"1", "was": b"2"}
        recorded = make_bundle({"a": {**files, "run": b"older"}}, executable={"run"})
        plain = make_bundle({"a": files, "b": {"SKILL.md": skill_md("b")}}, executable={"new", "was"})
        found = with_execute_bits(plain, recorded)
        assert {path for path, file in found["a"].files.items() if file.executable} == {"run"}
        assert found.digest == plain.digest
        found.verify()

    def test_a_file_or_skill_that_is_new_keeps_its_own(self) -> None:
        plain = make_bundle({"a": {"SKILL.md": skill_md("a"), "run": b"1"}}, executable={"run"})
        for recorded in (make_bundle({}), make_bundle({"a": {"SKILL.md": skill_md("a")}})):
            found = with_execute_bits(plain, recorded)
            assert parts(found) == parts(plain)

    def test_nothing_else_changes(self) -> None:
        assert parts(with_execute_bits(VECTORS, VECTORS)) == parts(VECTORS)
