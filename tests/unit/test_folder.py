"""The package and data forms: what is written, and how it is imported."""

from __future__ import annotations

import ast
import copy
import operator
import pickle
import subprocess
import sys
import zipapp
import zipfile
from collections.abc import Mapping
from importlib import import_module, invalidate_caches
from modulefinder import ModuleFinder
from typing import TYPE_CHECKING, Any

import pytest

from skillpack.digest import content_address
from skillpack.emit import check as checks
from skillpack.emit import folder as under_test
from skillpack.emit import literal, part, shard
from skillpack.emit.check import EmissionError
from skillpack.emit.folder import folder, runtime_folder
from skillpack.emit.layout import FIRST_LINE, INIT, PUBLIC_NAMES, sections
from skillpack.emit.runtime_source import FIRST, FOLDER_FILES, ONLY_IN_FOLDERS, RUNTIME_MODULES
from skillpack.emit.shard import SHARD_BYTES, DataForm, File, PackageForm, Shards
from skillpack.runtime import IntegrityError, SkillBundle
from skillpack.runtime.digest import canonical_json, index_digest
from support import forms
from support.authored import authored
from support.bundles import DEMO, SOLO, damaged_bundle, make_bundle, skill_md
from support.interpreters import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from skillpack.emit.folder import FolderForm

KINDS: tuple[FolderForm, ...] = ("package", "data")

BUNDLE = make_bundle({"demo": DEMO, "solo": SOLO}).overlay(
    authored(
        "full",
        "# Ünï\n",
        tools=["Read"],
        globs=["*.py"],
        files={"data.bin": bytes(range(256)), "note.txt": "é".encode(), "big.txt": b"line\n" * 70_000},
    )
)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> FolderForm:
    found: FolderForm = request.param
    return found


def emitted(bundle: SkillBundle, kind: FolderForm) -> dict[str, bytes]:
    return dict(folder(bundle, kind, content_address))


def imported(bundle: SkillBundle, kind: FolderForm, directory: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write a form as the package `stored` and import it anew."""
    forms.write(bundle, kind, directory / "stored")
    for name in [name for name in sys.modules if name.partition(".")[0] == "stored"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(directory))
    invalidate_caches()
    return import_module("stored")


class TestTheFiles:
    def test_the_last_is_the_one_that_is_imported(self, kind: FolderForm) -> None:
        assert list(emitted(BUNDLE, kind))[-1] == INIT

    def test_sources_are_ascii_and_begin_with_the_marker(self, kind: FolderForm) -> None:
        for path, data in emitted(BUNDLE, kind).items():
            if path.endswith(".py"):
                assert data.isascii()
                assert data.startswith(FIRST_LINE + b"\n# fmt: off\n")

    def test_parts_are_named_by_their_contents(self, kind: FolderForm) -> None:
        for path, data in emitted(BUNDLE, kind).items():
            address = content_address(data).removeprefix("blake3:")
            if path.startswith(("_s", "_m")):
                assert path[2:] == f"{address[:16]}.py"
            if path.endswith(".bin"):
                assert path == f"{address}.bin"

    def test_the_package_form_has_no_blobs_and_the_data_form_no_other_sources(self) -> None:
        own = {INIT, *runtime_folder(content_address)}
        assert {path.rpartition(".")[2] for path in emitted(BUNDLE, "package")} == {"py"}
        assert {path.rpartition(".")[2] for path in emitted(BUNDLE, "data").keys() - own} == {"bin"}

    def test_the_runtime_is_in_a_folder_that_is_named_by_it_and_does_not_depend_on_the_skills(self) -> None:
        first, second = emitted(BUNDLE, "package"), emitted(make_bundle({"solo": SOLO}), "data")
        runtime = {path: data for path, data in first.items() if "/" in path}
        assert runtime == {path: data for path, data in second.items() if "/" in path}
        assert {path.partition("/")[2] for path in runtime} == {f"{name}.py" for name in FOLDER_FILES}
        (name,) = {path.partition("/")[0] for path in runtime}
        assert len(name) == 18

    def test_every_file_of_the_runtime_is_in_one_of_the_two(self) -> None:
        names = [name for names in FOLDER_FILES.values() for name in names]
        assert sorted({*names, *FIRST}) == sorted([*RUNTIME_MODULES, *ONLY_IN_FOLDERS])

    def test_the_same_skills_give_the_same_bytes_in_any_order(self, kind: FolderForm) -> None:
        shuffled = make_bundle({"solo": SOLO, "demo": dict(reversed(DEMO.items()))})
        assert emitted(shuffled, kind) == emitted(make_bundle({"demo": DEMO, "solo": SOLO}), kind)

    def test_equal_contents_are_stored_once(self, kind: FolderForm) -> None:
        same = b"the same words in two skills\n"
        skills = {name: {"SKILL.md": skill_md(name), "a.txt": same} for name in ("a", "b")}
        assert sum(data.count(b"the same words") for data in emitted(make_bundle(skills), kind).values()) == 1

    def test_instructions_are_not_in_the_shards_of_resources(self, kind: FolderForm) -> None:
        bundle = make_bundle({"a": {"SKILL.md": skill_md("a", body="BODY\n"), "a.txt": b"RESOURCE\n"}})
        holding = {
            word: [path for path, data in emitted(bundle, kind).items() if word in data]
            for word in (b"BODY", b"RESOURCE")
        }
        assert len(holding[b"BODY"]) == len(holding[b"RESOURCE"]) == 1
        assert holding[b"BODY"] != holding[b"RESOURCE"]

    def test_no_identifier_comes_from_a_skill(self) -> None:
        loud = make_bundle(
            {
                "a": {
                    "SKILL.md": skill_md("a", body="import os\n)\ndef part_0() -> bytes:\n# ---- skillpack\n")
                }
            }
        )
        for path, data in emitted(loud, "package").items():
            if path.startswith("_s"):
                (statement,) = ast.parse(data).body[1:]
                assert isinstance(statement, ast.AnnAssign)

    def test_an_edit_leaves_most_shards_as_they_were(self, kind: FolderForm) -> None:
        def files(edited: str) -> dict[str, bytes]:
            skills = {
                f"s{number:03}": {
                    "SKILL.md": skill_md(f"s{number:03}"),
                    "text.txt": f"{number} {edited if number == 3 else ''}\n".encode() * 4_000,
                }
                for number in range(200)
            }
            return emitted(make_bundle(skills), kind)

        before, after = files(""), files("more")
        assert len(before) > 20
        assert len(after.keys() - before.keys()) <= 5

    def test_a_damaged_content_is_not_emitted(self, kind: FolderForm) -> None:
        with pytest.raises(IntegrityError):
            emitted(damaged_bundle(), kind)

    def test_files_are_made_when_they_are_asked_for(self, kind: FolderForm) -> None:
        files = folder(BUNDLE, kind, content_address)
        assert next(files)[0].startswith("_r")

    def test_the_index_has_pages_of_whole_skills(
        self, kind: FolderForm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(under_test, "PAGE_BYTES", 310)
        skills = {f"s{number}": {"SKILL.md": skill_md(f"s{number}"), "a.txt": b"a"} for number in range(5)}
        bundle = make_bundle(skills)
        init = sections(emitted(bundle, kind)[INIT])
        assert init is not None
        catalog = literal.parse(part.split(init.data)[0])["_CATALOG"]
        assert isinstance(catalog, bytes)
        *_, counts, digests = catalog.partition(b"\n")[0].split(b" ")
        assert counts == b"2,2,1"
        assert len(set(digests.split(b","))) == 3

    def test_a_page_of_the_index_is_no_longer_than_a_shard(self) -> None:
        files = {f"{'a' * 100}{number:03}": b"a" for number in range(400)}
        skills = {f"s{number}": {"SKILL.md": skill_md(f"s{number}"), **files} for number in range(8)}
        pages = [data for path, data in emitted(make_bundle(skills), "data").items() if data.count(b"{}\n")]
        assert len(pages) > 2
        assert max(map(len, pages)) < under_test.PAGE_BYTES + 2 * 2**17 == 2 * 2**18

    def test_the_address_of_its_sources_changes_with_whatever_is_in_the_files(self) -> None:
        bundles = [
            BUNDLE,
            make_bundle({"demo": DEMO, "solo": SOLO}),
            make_bundle({"demo": DEMO, "solo": SOLO}, executable=["scripts/x.py"]),
            make_bundle({"demo": {**DEMO, "scripts/x.py": b"print(2)\n"}, "solo": SOLO}),
            make_bundle({"demo": DEMO, "solo": {"SKILL.md": skill_md("solo", "Another file")}}),
            make_bundle({}),
        ]
        addresses = [
            under_test.source_address(made, form, content_address) for made in bundles for form in KINDS
        ]
        assert len(set(addresses)) == len(addresses)
        again = make_bundle({"solo": SOLO, "demo": DEMO})
        assert under_test.source_address(again, "package", content_address) == addresses[2]


class TestShards:
    def fill(self, *contents: bytes, is_body: bool = False) -> list[tuple[File, dict[str, shard.Place]]]:
        shards = Shards(PackageForm(content_address))
        made = [
            found
            for number, data in enumerate(contents)
            for found in shards.take(f"sha256:{number:063}f", data, is_body=is_body)
        ]
        return [*made, *shards.close()]

    def test_small_contents_share_one(self) -> None:
        ((file, places),) = self.fill(b"one\n", b"two\n")
        assert file.data.count(b'b"one\\ntwo\\n"') == 1
        assert [(place.start, place.length) for place in places.values()] == [(0, 4), (4, 4)]

    def test_each_way_of_writing_has_its_own(self) -> None:
        made = self.fill(b"one\n", "zwölf\n".encode(), b"\xff\xfe\x80" * 30)
        assert [next(iter(places.values())).encoding for _, places in made] == ["b", "s", "6"]
        assert [next(iter(places.values())).kind for _, places in made] == ["bytes", "str", "bytes"]

    def test_text_beyond_ascii_is_counted_in_characters(self) -> None:
        ((_, places),) = self.fill("ä\n".encode(), "öö\n".encode())
        assert [(place.start, place.length) for place in places.values()] == [(0, 2), (2, 3)]

    def test_one_is_full_at_256_kib(self) -> None:
        half = b"x" * (SHARD_BYTES // 2 + 1)
        assert len(self.fill(half, half)) == 2
        assert len(self.fill(b"x" * SHARD_BYTES, b"y")) == 2
        assert len(self.fill(b"x" * 3 * SHARD_BYTES)) == 1

    def test_a_digest_can_end_one_that_is_not_small(self) -> None:
        assert shard.is_cut(2**16, "sha256:f0")
        assert not shard.is_cut(2**16, "sha256:0f")
        assert not shard.is_cut(2**16 - 1, "sha256:f0")

    def test_pieces_are_of_about_4_kb(self) -> None:
        ((file, _),) = self.fill(b"A line of a text that is long.\n" * 1000)
        lines = [len(line) for line in file.data.splitlines() if line.startswith(b'    b"')]
        assert len(lines) == 8
        ((file, _),) = self.fill(b"\xff\xfe\x80" * 5000)
        assert max(map(len, file.data.splitlines())) < 4200


class TestTheSelfCheck:
    def test_a_shard_holds_just_what_it_is_for(self) -> None:
        for form in (PackageForm(content_address), DataForm(content_address)):
            shards = Shards(form)
            digest = BUNDLE["demo"].file("scripts/x.py").digest
            assert [*shards.take(digest, DEMO["scripts/x.py"], is_body=False)] == []
            ((file, places),) = shards.close()
            checks.shard(file, places)
            for data in (file.data.replace(b"print(1)", b"print(2)"), file.data.replace(b"print", b" print")):
                with pytest.raises(EmissionError, match="bug in skillpack"):
                    checks.shard(File(path=file.path, name=file.name, data=data), places)
            other = {digest: places[digest], "x": places[digest]}
            with pytest.raises(EmissionError, match="digest"):
                checks.shard(file, other)

    def test_a_shard_with_more_than_its_contents_is_a_bug(self) -> None:
        data = BUNDLE["demo"].file("scripts/x.py").bytes()
        file = DataForm(content_address).shard(data + b"more", "b")
        place = shard.Place(shard=file.name, kind="bytes", encoding="b", start=0, length=len(data))
        with pytest.raises(EmissionError, match="more than its contents"):
            checks.shard(file, {BUNDLE["demo"].file("scripts/x.py").digest: place})

    def test_a_part_of_another_shape_is_a_bug(self) -> None:
        file = PackageForm(content_address).page(b"index", [])
        checks.page(file, b"index", [])
        for old, new in (
            (b"_INDEX: bytes", b"_CATALOG: bytes"),
            (b"index", b"other"),
            (b"# ---- skillpack: the data begins", b"#"),
            (b"_INDEX: bytes = (", b"import os\n_INDEX: bytes = ("),
        ):
            altered = File(path=file.path, name=file.name, data=file.data.replace(old, new))
            with pytest.raises(EmissionError, match="bug in skillpack"):
                checks.page(altered, b"index", [])
        with pytest.raises(EmissionError, match="part of the index"):
            checks.page(DataForm(content_address).page(b"index", []), b"other", [])

    def test_a_page_names_the_shards_that_its_rows_count(self) -> None:
        name = "_s0123456789abcdef"
        for form, kind in ((PackageForm(content_address), "str"), (DataForm(content_address), "bytes")):
            file = form.page(b"index", [(name, kind)])
            checks.page(file, b"index", [(name, kind)])
            for others in ([], [(name[:-1] + "0", kind)], [(name, kind), (name, kind)], [(name, "other")]):
                with pytest.raises(EmissionError, match="names other shards"):
                    checks.page(file, b"index", others)

    def test_the_rows_of_skills_are_looked_at(self) -> None:
        for form in (PackageForm(content_address), DataForm(content_address)):
            file = form.table(b"rows")
            checks.table(file, b"rows")
            with pytest.raises(EmissionError, match="rows of the skills"):
                checks.table(file, b"other")
        source = PackageForm(content_address).table(b"rows").data.replace(b"_SKILLS: ", b"DATA: ")
        with pytest.raises(EmissionError, match="one literal"):
            checks.table(File(path="_m.py", name="_m", data=source), b"rows")

    def test_the_package_names_its_pages_and_holds_the_facts(self, kind: FolderForm) -> None:
        source = emitted(BUNDLE, kind)[INIT]
        seen: list[Any] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(checks, "package", lambda *given: seen.append(given))
            emitted(BUNDLE, kind)
        ((_, _, skills, index, pages),) = seen
        checks.package(source, BUNDLE, skills, index, pages)
        with pytest.raises(EmissionError, match="other pages"):
            checks.package(source, BUNDLE, skills, index, [*pages, "x"])
        with pytest.raises(EmissionError, match="other facts"):
            checks.package(source, make_bundle({"demo": DEMO}), skills, index, pages)
        with pytest.raises(EmissionError, match="no catalog"):
            checks.package(
                source.replace(b"_CATALOG: bytes", b"DATA: bytes", 1), BUNDLE, skills, index, pages
            )
        with pytest.raises(EmissionError, match="end with its bundle"):
            checks.package(
                source.replace(b"\n__all__", b"\nimport os\n__all__"), BUNDLE, skills, index, pages
            )

    def test_every_page_is_read_back_a_few_skills_at_a_time(
        self, kind: FolderForm, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(checks, "SKILLS_AT_A_TIME", 1)
        monkeypatch.setattr(under_test, "PAGE_BYTES", 0)
        seen: list[Any] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(checks, "package", lambda *given: seen.append(given))
            emitted(BUNDLE, kind)
        ((source, _, skills, index, pages),) = seen
        assert len(index) == len(BUNDLE) == 3
        checks.package(source, BUNDLE, skills, index, pages)
        for number, page in enumerate(index):
            other = [*index[:number], page.replace(b"text/", b"test/"), *index[number + 1 :]]
            with pytest.raises(EmissionError, match="cannot be read back"):
                checks.package(source, BUNDLE, skills, other, pages)

    def test_the_facts_of_every_skill_are_compared(self, kind: FolderForm) -> None:
        plain = make_bundle({"demo": DEMO, "solo": SOLO})
        runnable = make_bundle({"demo": DEMO, "solo": SOLO}, executable=["scripts/x.py"])
        for made, other in ((plain, runnable), (runnable, plain)):
            seen: list[Any] = []
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(checks, "package", lambda *given, seen=seen: seen.append(given))
                emitted(made, kind)
            ((source, _, *parts),) = seen
            checks.package(source, made, *parts)
            with pytest.raises(EmissionError, match="other facts"):
                checks.package(source, other, *parts)
            with pytest.raises(EmissionError, match="other facts"):
                checks.package(source, make_bundle({}), *parts)

    def test_a_skill_whose_digest_is_not_that_of_its_files_is_a_bug(self, kind: FolderForm) -> None:
        skill = BUNDLE["solo"]
        other = type(skill)(
            name="solo",
            description=skill.description,
            digest=BUNDLE["demo"].digest,
            index_digest=index_digest("solo", skill.description, canonical_json(skill.frontmatter)),
            hidden=False,
            load=lambda: (canonical_json(skill.frontmatter), "{}", tuple(skill.files.values())),
        )
        with pytest.raises(EmissionError, match="cannot be read back"):
            emitted(SkillBundle([other]), kind)

    @pytest.mark.parametrize("what", ["shard", "page", "table", "package"])
    def test_each_kind_of_file_is_looked_at_unless_nothing_is_read_back(
        self, kind: FolderForm, what: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class LookedAtError(Exception):
            pass

        def look(*_: object) -> None:
            raise LookedAtError

        monkeypatch.setattr(checks, what, look)
        with pytest.raises(LookedAtError):
            emitted(BUNDLE, kind)
        assert list(folder(BUNDLE, kind, content_address, checked=False))[-1][0] == INIT

    def test_contents_are_not_read_through_the_index(self) -> None:
        with pytest.raises(LookupError):
            checks._no_content("0")


class TestImporting:
    def test_all_facts_and_contents_come_back(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = imported(BUNDLE, kind, tmp_path, monkeypatch).bundle
        found.verify(BUNDLE.digest)
        assert found.to_json() == BUNDLE.to_json()
        assert found == BUNDLE

    def test_a_bundle_without_skills_is_one_too(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = imported(SkillBundle([]), kind, tmp_path, monkeypatch).bundle
        found.verify(SkillBundle([]).digest)
        found.preload()
        assert found.names == ()

    def test_it_exports_the_bundle_the_types_and_the_exceptions(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = imported(BUNDLE, kind, tmp_path, monkeypatch)
        assert tuple(module.__all__) == PUBLIC_NAMES
        assert module.SkillName is str
        classes = [name for name in PUBLIC_NAMES if name not in ("SkillName", "bundle")]
        assert [getattr(module, name).__name__ for name in classes] == classes
        assert isinstance(module.bundle.session(), module.SkillSession)
        with pytest.raises(AttributeError, match="module 'stored' has no attribute 'nothing'"):
            _ = module.nothing

    def test_the_bundle_pickles_by_reference_to_its_module_alone(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = imported(BUNDLE, kind, tmp_path, monkeypatch)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            data = pickle.dumps(module.bundle, protocol)
            assert pickle.loads(data) is module.bundle
            assert b"_r" not in data

    def test_importing_imports_what_every_interpreter_has(self, kind: FolderForm, tmp_path: Path) -> None:
        forms.write(BUNDLE, kind, tmp_path / "skills")
        code = (
            "import sys; sys.path.insert(0, '.'); before = set(sys.modules); import skills; "
            "print(*sorted(name for name in set(sys.modules) - before if not name.startswith('skills')))"
        )
        assert set(run(code, tmp_path, "-S").split()) <= {"__future__", "_collections_abc"}

    def test_nothing_but_the_catalog_is_loaded_before_it_is_needed(
        self, kind: FolderForm, tmp_path: Path
    ) -> None:
        forms.write(BUNDLE, kind, tmp_path / "skills")
        code = """
import sys
sys.path.insert(0, ".")
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
from skills import bundle
bundle.catalog()
print(*[name.rpartition("/")[2] for name in opened if "/skills/_m" in name or "/skills/_s" in name or ".bin" in name])
opened.clear()
bundle.load("demo")
print(len({name.rpartition("/")[2].partition(".")[0] for name in opened if "skills/_m" in name or "skills/_s" in name or ".bin" in name}))
"""
        # that of all skills, a page of the index, a shard of instructions
        assert run(code, tmp_path, "-B") == "\n3\n"

    def test_it_is_found_in_a_zip(self, kind: FolderForm, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
            archive.writestr("pkg/__init__.py", "")
            for path, data in emitted(BUNDLE, kind).items():
                archive.writestr(f"pkg/skills/{path}", data)
        code = (
            "import sys; sys.path.insert(0, 'app.zip'); from pkg.skills import bundle; "
            f"bundle.verify({BUNDLE.digest!r}); bundle.session(); print(*bundle)"
        )
        assert run(code, tmp_path, "-S") == "demo full solo\n"

    def test_freezers_see_every_part_of_the_package(self, tmp_path: Path) -> None:
        files = emitted(BUNDLE, "package")
        forms.write(BUNDLE, "package", tmp_path / "skills")
        (tmp_path / "main.py").write_text("from skills import bundle\n", encoding="utf-8")
        finder = ModuleFinder(path=[str(tmp_path)])
        finder.run_script(str(tmp_path / "main.py"))
        names = {
            f"skills/{path}".removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in files
        }
        assert names <= finder.modules.keys()

    def test_a_zipapp_runs(self, kind: FolderForm, tmp_path: Path) -> None:
        forms.write(BUNDLE, kind, tmp_path / "app" / "skills")
        (tmp_path / "app" / "__main__.py").write_text(
            "from skills import bundle\nprint(bundle.read('demo', 'scripts/x.py'))\n", encoding="utf-8"
        )
        zipapp.create_archive(tmp_path / "app", tmp_path / "app.pyz")
        done = subprocess.run(
            [sys.executable, "-I", str(tmp_path / "app.pyz")], capture_output=True, text=True, check=True
        )
        assert done.stdout == "print(1)\n\n"


class TestReadiness:
    """A bundle that has shown nothing but its catalog is what it is afterwards, by whatever it is asked first."""

    @pytest.mark.parametrize(
        "use",
        [
            len,
            list,
            hash,
            repr,
            dir,
            bool,
            lambda bundle: bundle["demo"],
            lambda bundle: "demo" in bundle,
            lambda bundle: bundle == BUNDLE,
            lambda bundle: operator.eq(BUNDLE, bundle),
            lambda bundle: bundle.digest,
            lambda bundle: bundle.get("demo"),
            lambda bundle: bundle.catalog("json"),
            lambda bundle: bundle.load("demo"),
            lambda bundle: bundle.session().catalog(),
            lambda bundle: make_bundle({}).overlay(bundle).names,
            lambda bundle: copy.copy(bundle) is copy.deepcopy(bundle) is bundle,
            lambda bundle: pickle.loads(pickle.dumps(bundle)) is bundle,
            lambda bundle: hasattr(bundle, "nothing"),
            lambda bundle: refusal(setattr, bundle, "digest", ""),
            lambda bundle: refusal(setattr, bundle, "_catalog", b""),
            lambda bundle: refusal(delattr, bundle, "digest"),
        ],
    )
    def test_every_use_gives_what_the_whole_bundle_does(
        self, use: Callable[[Any], object], kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = imported(BUNDLE, kind, tmp_path, monkeypatch)
        assert module.bundle.catalog() == BUNDLE.catalog()
        assert "SkillBundle" not in vars(module)
        assert type(module.bundle).__name__ == "_Ready"
        first = use(module.bundle)
        assert type(module.bundle) is module.SkillBundle
        assert use(module.bundle) == first
        module.bundle.verify(BUNDLE.digest)
        assert module.bundle.catalog() == BUNDLE.catalog()

    def test_it_is_a_mapping_from_the_beginning(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = imported(BUNDLE, kind, tmp_path, monkeypatch)
        assert isinstance(module.bundle, Mapping)
        match module.bundle:
            case {"demo": skill}:
                assert skill == BUNDLE["demo"]
            case _:
                pytest.fail("no mapping")

    def test_it_is_an_instance_of_the_class_that_the_module_exports(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = imported(BUNDLE, kind, tmp_path, monkeypatch)
        assert isinstance(module.bundle, module.SkillBundle)
        assert isinstance(module.bundle, Mapping)

    def test_it_becomes_whole_once(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = imported(BUNDLE, kind, tmp_path, monkeypatch)
        skill = module.bundle["demo"]
        assert module.whole(module.bundle) is module.bundle
        assert module.bundle["demo"] is skill


def refusal(function: Callable[..., object], *given: object) -> str:
    with pytest.raises((AttributeError, TypeError)) as caught:
        function(*given)
    return type(caught.value).__name__


class TestPreloading:
    def test_of_some_skills_loads_their_parts_alone(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = imported(BUNDLE, kind, tmp_path, monkeypatch)
        solo = module.bundle.select(["solo"])
        solo.preload()
        for path in (tmp_path / "stored").glob("*"):
            if path.name.startswith("_s") or path.suffix == ".bin":
                path.unlink()
        solo.verify()
        with pytest.raises(ValueError, match=r"packed: full/big\.txt$"):
            module.bundle["full"].file("big.txt").bytes()

    def test_a_missing_part_is_damage(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = imported(BUNDLE, kind, tmp_path, monkeypatch)
        assert module.bundle.names == ("demo", "full", "solo")
        for path in (tmp_path / "stored").glob("*"):
            if path.name.startswith("_m") or path.suffix == ".bin":
                path.unlink()
        with pytest.raises(ValueError, match=r"packed: demo$"):
            module.bundle.preload()
        with pytest.raises(ValueError, match=r"packed: demo, full, solo, \.$"):
            module.bundle.verify()
        answer = module.bundle.call("load_skill", {"name": "demo"})
        assert answer.is_error

    def test_a_missing_shard_is_damage_of_the_files_in_it(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = imported(BUNDLE, kind, tmp_path, monkeypatch)
        assert module.bundle["demo"].files
        holding = b"print(1)"
        (path,) = [path for path in (tmp_path / "stored").glob("*.*") if holding in path.read_bytes()]
        path.unlink()
        with pytest.raises(ValueError, match=r"packed: demo/(assets/b\.bin|scripts/x\.py)$"):
            module.bundle.preload()
        with pytest.raises(ValueError, match=r"demo/scripts/x\.py"):
            module.bundle.verify()

    def test_altered_contents_are_refused_and_others_are_served(
        self, kind: FolderForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        forms.write(BUNDLE, kind, tmp_path / "stored")
        (path,) = [path for path in (tmp_path / "stored").glob("*.*") if b"print(1)" in path.read_bytes()]
        module = imported(BUNDLE, kind, tmp_path, monkeypatch)
        path.write_bytes(path.read_bytes().replace(b"print(1)", b"print(2)"))
        answer = module.bundle.call("read_skill_resource", {"name": "demo", "path": "scripts/x.py"})
        assert answer == "damaged or altered since it was packed: demo/scripts/x.py"
        assert module.bundle["full"].file("note.txt").text() == "é"


@pytest.mark.slow
def test_linters_formatter_and_type_checker_accept_it(kind: FolderForm, tmp_path: Path) -> None:
    forms.write(BUNDLE, kind, tmp_path / "skills")
    use = """
from skills import IntegrityError, SkillBundle, SkillSession, bundle

found: SkillBundle = bundle.select(["demo"])
session: SkillSession = found.session()
try:
    text: str = session.load("demo")
except IntegrityError as error:
    print(error)
"""
    (tmp_path / "use.py").write_text(use.lstrip(), encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--isolated", "skills"], check=True, cwd=tmp_path)
    extended = "--extend-select=E501,I,D200,UP,B,N,PIE,SIM"
    subprocess.run([*ruff, "check", "--isolated", extended, "skills"], check=True, cwd=tmp_path)
    subprocess.run([*ruff, "format", "--isolated", "--check", "skills"], check=True, cwd=tmp_path)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", f"--cache-dir={tmp_path}"]
    subprocess.run([*mypy, "skills", "use.py"], check=True, cwd=tmp_path)


def sources(files: dict[str, bytes]) -> Iterator[bytes]:
    return (data for path, data in files.items() if path.endswith(".py"))


class TestTheFunctions:
    def test_they_come_back_by_their_names(self) -> None:
        text = b"".join(part.render_part(number, f"_s{number:016x}", "bytes") for number in range(3))
        assert part.parse_parts(text) == [(f"_s{number:016x}", "bytes") for number in range(3)]
        text = b"".join(part.render_page(number, f"_m{number:016x}") for number in range(3))
        text = part.render_skills("_mfedcba9876543210") + text
        assert part.parse_pages(text) == ["_mfedcba9876543210", *(f"_m{number:016x}" for number in range(3))]
        with pytest.raises(literal.GrammarError, match="imports the skills"):
            part.parse_pages(b"")
        for above in range(3):
            with pytest.raises(literal.GrammarError) as caught:
                part.parse_pages(b"", b"A = 1\n" * above)
            assert caught.value.line == above + 1

    def test_a_page_that_is_no_page_has_its_line(self) -> None:
        text = part.render_skills("_mfedcba9876543210") + part.render_page(0, "_m0123456789abcdef") + b"def x"
        for above in range(2):
            with pytest.raises(literal.GrammarError, match="no function of skillpack's") as caught:
                part.parse_pages(text, b"A = 1\n" * above)
            assert caught.value.line == 9 + above

    def test_they_are_told_from_the_literals_above_them(self) -> None:
        functions = part.render_part(0, "_s0123456789abcdef", "bytes").lstrip()
        for above in (b"", b"_A = 1\n\n"):
            literals, below = part.split(above + functions)
            assert literals + below == above + functions
            assert below == functions
            assert part.split(above) == (above, b"")

    @pytest.mark.parametrize(
        ("old", "new", "line"),
        [
            (b"part_1", b"part_2", 5),
            (b"    return DATA\n", b"    return other\n", 1),
            (b"import DATA", b"import os, DATA", 1),
            (b"from .", b"from ..", 1),
        ],
    )
    def test_any_other_text_is_refused_by_its_line(self, old: bytes, new: bytes, line: int) -> None:
        text = b"".join(part.render_part(number, f"_s{number:016x}", "str") for number in range(2)) + b"def x"
        with pytest.raises(literal.GrammarError) as caught:
            part.parse_parts(text.replace(old, new))
        assert caught.value.line == line
