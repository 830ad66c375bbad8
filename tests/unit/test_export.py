"""The formats that others read: their bytes, what they refuse, and what hidden skills become in each."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from skillpack import digest
from skillpack.export import (
    adoption,
    assets,
    checksums,
    directory,
    formats,
    manifest,
    packaged,
    well_known,
    zips,
)
from skillpack.export.adoption import ExportError
from skillpack.export.structure import AnyFile, AnySkill
from skillpack.model import Frontmatter
from skillpack.runtime import IntegrityError, Skill, SkillBundle, SkillFile
from skillpack.runtime.digest import sha256_hex
from support.bundles import DEMO, SOLO, damaged_bundle, make_bundle, make_source, skill_md, structural_files
from support.emitted import emitted, executed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillpack.export.structure import AnyBundle

HIDDEN = {"SKILL.md": b"---\nname: quiet\ndescription: Not offered\n---\n# Hush\n"}
DOCUMENTS = [name for name, form in formats.FORMATS.items() if not form.is_directory]
DIRECTORIES = [name for name, form in formats.FORMATS.items() if form.is_directory]


@pytest.fixture
def bundle() -> SkillBundle:
    return make_bundle({"demo": DEMO, "solo": SOLO}, executable={"scripts/x.py"})


@pytest.fixture
def with_hidden() -> SkillBundle:
    quiet = Frontmatter(
        name="quiet",
        description="Not offered",
        values={"name": "quiet", "description": "Not offered", "hide": True},
        hidden=True,
    )
    return digest.address([make_source("solo", SOLO), make_source("quiet", HIDDEN, frontmatter=quiet)]).bundle


def with_metadata(metadata: Mapping[str, str], body: str = "# Hi\n", **fields: Any) -> SkillBundle:
    """Return a bundle of the skill `pdf` with these metadata."""
    made = Frontmatter(
        name="pdf",
        description="Reads PDFs",
        values={"name": "pdf", "description": "Reads PDFs", "metadata": dict(metadata)},
        metadata=metadata,
        **fields,
    )
    return digest.address(
        [make_source("pdf", {"SKILL.md": skill_md("pdf", body=body)}, frontmatter=made)]
    ).bundle


def exported(form: str, bundle: AnyBundle, *, hidden: bool = False) -> list[tuple[str, bytes, bool]]:
    """Return the files of a directory, or a document as a single one."""
    if formats.FORMATS[form].is_directory:
        return list(formats.files(form, bundle, hidden=hidden))
    return [("", formats.document(form, bundle, hidden=hidden), False)]


def opened(data: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(data))


# ------------------------------------------------------------------ zip


def test_the_zips_of_the_skill_demo_are_the_vectors() -> None:
    demo = make_bundle({"demo": DEMO})["demo"]
    at_root = zips.archive(demo)
    assert (sha256_hex(at_root), len(at_root)) == (
        "7a5b105e418ef38cd0180242c1173b89d919bc5b4b832be3ff5bfdd15e66c678",
        376,
    )
    in_folder = zips.archive(demo, folder="demo")
    assert sha256_hex(in_folder) == "37d06d6e2d2d31c4125dd15866e2a519202ea79d072bc913e79d53f4ef658e56"
    assert dict(zips.files(make_bundle({"demo": DEMO}))) == {"demo.zip": in_folder}


def test_a_zip_is_stored_dated_fixed_and_sorted_by_the_bytes_of_its_paths(bundle: SkillBundle) -> None:
    ((name, data), _) = zips.files(bundle)
    assert name == "demo.zip"
    with opened(data) as archive:
        assert archive.testzip() is None
        infos = archive.infolist()
        contents = {info.filename: archive.read(info) for info in infos}
    assert contents == {f"demo/{path}": DEMO[path] for path in DEMO}
    assert [info.filename for info in infos] == sorted(contents)
    assert {(info.compress_type, info.date_time, info.create_system) for info in infos} == {
        (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0), 3)
    }


def test_a_zip_keeps_the_execute_bit_of_each_file_whatever_the_umask(bundle: SkillBundle) -> None:
    with opened(dict(zips.files(bundle))["demo.zip"]) as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    assert modes == {
        "demo/SKILL.md": 0o100644,
        "demo/assets/b.bin": 0o100644,
        "demo/scripts/x.py": 0o100755,
    }


def test_paths_beyond_ascii_are_utf_8_in_a_zip_and_sorted_by_that() -> None:
    paths = {"\ufffd.txt": b"2", "😀.txt": b"1", "a b/ö.md": b"3"}
    data = dict(zips.files(make_bundle({"x": {"SKILL.md": skill_md("x"), **paths}})))["x.zip"]
    with opened(data) as archive:
        assert archive.namelist() == ["x/SKILL.md", "x/a b/ö.md", "x/\ufffd.txt", "x/😀.txt"]
        assert all(info.flag_bits & 0x800 for info in archive.infolist()[1:])


# ------------------------------------------------------------------ well-known


def test_a_lone_skill_md_is_served_as_it_is_and_every_other_skill_as_an_archive(bundle: SkillBundle) -> None:
    served = dict(well_known.files(bundle))
    assert list(served)[-1] == "index.json"
    index = json.loads(served["index.json"])
    assert index["$schema"] == "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
    assert index["skills"] == [
        {
            "name": "demo",
            "type": "archive",
            "description": "A demo skill",
            "url": "demo.zip",
            "digest": f"sha256:{hashlib.sha256(served['demo.zip']).hexdigest()}",
            "files": ["SKILL.md", "assets/b.bin", "scripts/x.py"],
        },
        {
            "name": "solo",
            "type": "skill-md",
            "description": "One file",
            "url": "solo/SKILL.md",
            "digest": f"sha256:{hashlib.sha256(SOLO['SKILL.md']).hexdigest()}",
            "files": ["SKILL.md"],
        },
    ]
    with opened(served["demo.zip"]) as archive:
        assert "SKILL.md" in archive.namelist()


def test_the_files_that_older_readers_fetch_one_by_one_are_there(bundle: SkillBundle) -> None:
    served = dict(well_known.files(bundle))
    for entry in json.loads(served["index.json"])["skills"]:
        for path in entry["files"]:
            assert served[f"{entry['name']}/{path}"] == bundle[entry["name"]].file(path).bytes()


def test_every_skill_that_readers_would_drop_is_named_and_nothing_is_made() -> None:
    made = make_bundle(
        {
            "Loud": {"SKILL.md": skill_md("Loud")},
            "emoji": {"SKILL.md": skill_md("emoji", "😀" * 513)},
            "long": {"SKILL.md": skill_md("long", "x" * 1025)},
            "right": {"SKILL.md": skill_md("right", "x" * 1024)},
            "void": {"SKILL.md": skill_md("void", " ")},
            "x" * 65: {"SKILL.md": skill_md("x" * 65)},
        }
    )
    with pytest.raises(ExportError) as raised:
        next(well_known.files(made))
    assert [problem.partition(": ")[0] for problem in raised.value.problems] == [
        "skill 'Loud'",
        "skill 'emoji'",
        "skill 'long'",
        "skill 'void'",
        f"skill '{'x' * 65}'",
    ]
    assert "1,026 UTF-16 code units" in raised.value.problems[1]


# ------------------------------------------------------------------ packaged-json

PROBE = b"---\nname: probe\ndescription: Probe.\n---\n\nBody.\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"data.txt": b"content-a"}, "skill:probe:eefcd5725b26668f"),
        ({"data.txt": b"content-b"}, "skill:probe:dbda4eb562306d26"),
        ({"\ufffd.txt": b"2", "😀.txt": b"1"}, "skill:probe:c50472e718377ad8"),
    ],
)
def test_the_compatibility_ids_are_the_published_ones(files: dict[str, bytes], expected: str) -> None:
    made = make_bundle({"probe": {"SKILL.md": PROBE, **files}})
    assert packaged.compatibility_id(made["probe"]) == expected
    (skill,) = json.loads(packaged.document(made))
    assert skill["id"] == expected


def test_a_packaged_skill_holds_every_file_in_base64_with_its_kind() -> None:
    made = make_bundle({"demo": {**DEMO, "empty.txt": b"", "nul.txt": b"a\0b"}})
    (skill,) = json.loads(packaged.document(made))
    assert {key: skill[key] for key in ("kind", "name", "description")} == {
        "kind": "packaged-skill",
        "name": "demo",
        "description": "A demo skill",
    }
    assert "allowedTools" not in skill
    for path, file in skill["files"].items():
        assert set(file) == {"path", "encoding", "kind", "content"}
        assert (file["path"], file["encoding"]) == (path, "base64")
        assert base64.b64decode(file["content"]) == made["demo"].file(path).bytes()
    assert {path: file["kind"] for path, file in skill["files"].items()} == {
        "SKILL.md": "text",
        "assets/b.bin": "binary",
        "empty.txt": "text",
        "nul.txt": "binary",
        "scripts/x.py": "text",
    }


def test_allowed_tools_are_there_when_the_skill_has_the_field() -> None:
    (skill,) = json.loads(packaged.document(with_metadata({}, allowed_tools=("Read", "Bash(git:*)"))))
    assert skill["allowedTools"] == ["Read", "Bash(git:*)"]


# ------------------------------------------------------------------ assets

TOOLS = '["v/ops/file/read", "v/ops/pdf/tables"]'
CONTEXT = '[{"ref": "w/docs/pdf-rules", "label": "PDF handling rules"}, {"ref": "w/docs/more"}]'


def test_an_asset_has_the_facet_of_its_metadata_and_the_hash_of_its_skill_md() -> None:
    made = with_metadata(
        {"skill.tools": TOOLS, "skill.context": CONTEXT, "skill.budget": "2000", "other": "x"},
        allowed_tools=("Read",),
    )
    content = made["pdf"].file("SKILL.md").bytes()
    hexed = hashlib.sha256(content).hexdigest()
    found = dict(assets.files(made))
    assert list(found) == ["assets/pdf.json", f"content/{hexed}"]
    assert json.loads(found["assets/pdf.json"]) == {
        "name": "pdf",
        "description": "Reads PDFs",
        "content": {"contentType": "text/markdown", "sha256": hexed},
        "skill": {"tools": json.loads(TOOLS), "context": json.loads(CONTEXT), "budget": 2000},
    }
    assert found[f"content/{hexed}"] == content


def test_a_facet_never_comes_from_allowed_tools() -> None:
    made = with_metadata({}, allowed_tools=("Read",))
    assert assets.asset(made["pdf"])["skill"] == {}


@pytest.mark.parametrize("body", ["", "\n \n"])
def test_a_skill_without_instructions_is_a_toolset_without_content(body: str) -> None:
    ((path, data),) = assets.files(with_metadata({"skill.tools": TOOLS}, body=body))
    assert path == "assets/pdf.json"
    assert "content" not in json.loads(data)


def test_equal_contents_are_written_once() -> None:
    twin = {"SKILL.md": skill_md("a")}
    found = [path for path, _ in assets.files(make_bundle({"a": twin, "b": twin}))]
    assert [path.partition("/")[0] for path in found] == ["assets", "content", "assets"]


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("tools", "v/ops/read", "it cannot be read as JSON"),
        ("tools", '["a"', "it cannot be read as JSON"),
        ("tools", "[" * 60_000, "it cannot be read as JSON"),
        ("tools", f'["{"x" * 65_536}"]', "it has over 65,536 characters"),
        ("tools", '"a"', "it has to be a JSON array"),
        ("tools", '{"a": 1}', "it has to be a JSON array"),
        ("tools", "null", "it has to be a JSON array"),
        ("tools", '["a", 1]', "it has to be a JSON array of addresses"),
        ("tools", '[""]', "it has to be a JSON array of addresses"),
        ("tools", r'["\ud800"]', "it cannot be read as JSON"),
        ("context", '["w/docs"]', "it has to be a JSON array of objects with a ref"),
        ("context", '[{"label": "a"}]', "it has to be a JSON array of objects with a ref"),
        ("context", '[{"ref": ""}]', "it has to be a JSON array of objects with a ref"),
        ("context", '[{"ref": 1}]', "it has to be a JSON array of objects with a ref"),
        ("context", '[{"ref": "a", "label": 1}]', "it has to be a JSON array of objects with a ref"),
        ("context", '[{"ref": "a", "n": NaN}]', "NaN is no JSON"),
        ("context", '[{"ref": "a", "n": 1e999}]', "it cannot be read as JSON"),
        ("context", f'[{{"ref": "a", "n": {"9" * 5000}}}]', "it cannot be read as JSON"),
        ("budget", "", "it has to be a whole number above 0, in digits"),
        ("budget", "0", "it has to be a whole number above 0, in digits"),
        ("budget", "-5", "it has to be a whole number above 0, in digits"),
        ("budget", "2_000", "it has to be a whole number above 0, in digits"),
        ("budget", "²", "it has to be a whole number above 0, in digits"),
        ("budget", "9" * 19, "it has to be a whole number above 0, in digits"),
    ],
)
def test_a_malformed_facet_is_refused_with_its_place_and_the_reason(key: str, value: str, fault: str) -> None:
    with pytest.raises(ExportError) as raised:
        assets.asset(with_metadata({f"skill.{key}": value})["pdf"])
    (problem,) = raised.value.problems
    assert problem.startswith(f"skill 'pdf': metadata skill.{key}: {fault}")


def test_a_skill_md_that_is_no_text_is_no_asset() -> None:
    made = hostile()
    binary = dict(made["x"].files)
    data = b"---\nname: x\n---\n\xff"
    binary["SKILL.md"].bytes = lambda: data
    binary["SKILL.md"].size, binary["SKILL.md"].digest = len(data), f"sha256:{sha256_hex(data)}"
    made["x"].digest = digest_of(binary)
    with pytest.raises(ExportError, match=r"skill 'x': its SKILL\.md is no text"):
        exported("assets", made)


def test_all_malformed_facets_are_told_at_once_before_anything_is_made() -> None:
    made = with_metadata({"skill.tools": "a", "skill.budget": "b"})
    nameless = make_bundle({"void": {"SKILL.md": skill_md("void", " ")}, "solo": SOLO})
    with pytest.raises(ExportError) as raised:
        next(assets.files(made.overlay(nameless)))
    assert [problem.split(":")[0] for problem in raised.value.problems] == ["skill 'pdf'"] * 2 + [
        "skill 'void'"
    ]
    assert str(raised.value) == "\n".join(raised.value.problems)


# ------------------------------------------------------------------ directory, manifest, sha256sums


def test_a_directory_holds_every_byte_and_execute_bit(bundle: SkillBundle) -> None:
    assert list(directory.files(bundle)) == [
        ("demo/SKILL.md", DEMO["SKILL.md"], False),
        ("demo/assets/b.bin", DEMO["assets/b.bin"], False),
        ("demo/scripts/x.py", DEMO["scripts/x.py"], True),
        ("solo/SKILL.md", SOLO["SKILL.md"], False),
    ]


def test_the_manifest_is_that_of_the_bundle_and_of_a_wheel_without_blake3(bundle: SkillBundle) -> None:
    data = manifest.document(bundle)
    assert data == digest.manifest_bytes(bundle)
    assert json.loads(data) == bundle.manifest
    assert json.loads(data)["digest"] == (
        "sha256:d43ac7d9a573e6f6078fcc5bc1c5b7205344c0aa609e78790780d4227ceb3cba"
    )


def test_the_sums_of_a_skill_in_its_directory_are_what_its_digest_is_taken_over(bundle: SkillBundle) -> None:
    text = checksums.document(bundle.select(["demo"])).decode()
    assert text == (
        "f3e05ec42354282b84dc174c4a9a84efedcb3c6a26445e3a0e482d5423dafb97  demo/SKILL.md\n"
        "942e1e2a66a427b6551732f758bc314f22b9cdec9365a3425c9184de299392b5  demo/assets/b.bin\n"
        "cc42155088fca5730758db72b2a5bca33112a941dfaa2d43098ec422ce4ea213  demo/scripts/x.py\n"
    )
    below = text.replace("  demo/", "  ").encode()
    assert f"sha256:{sha256_hex(below)}" == bundle["demo"].digest


def test_the_sums_of_a_bundle_are_sorted_by_the_bytes_of_the_whole_path() -> None:
    made = make_bundle({"a": {"SKILL.md": skill_md("a")}, "a-b": {"SKILL.md": skill_md("a-b")}})
    paths = [line.split("  ")[1] for line in checksums.document(made).decode().splitlines()]
    assert paths == ["a-b/SKILL.md", "a/SKILL.md"]


# ------------------------------------------------------------------ any bundle, and what is refused


@pytest.mark.parametrize(("protocol", "kind"), [(AnyFile, SkillFile), (AnySkill, Skill)])
def test_what_exports_read_of_any_bundle_is_what_the_runtime_offers(protocol: type, kind: type) -> None:
    members = {name for name in vars(protocol) if not name.startswith("_")}
    assert members > {"digest"}
    assert members <= set(dir(kind))


def test_every_format_is_a_document_or_a_directory_and_no_other_is_known(bundle: SkillBundle) -> None:
    for form in DOCUMENTS:
        assert formats.document(form, bundle).endswith(b"\n")
        with pytest.raises(KeyError):
            next(formats.files(form, bundle))
    for form in DIRECTORIES:
        assert next(formats.files(form, bundle))
        with pytest.raises(KeyError):
            formats.document(form, bundle)


def test_the_bundle_of_an_emitted_module_gives_the_same_bytes(bundle: SkillBundle) -> None:
    foreign = cast("AnyBundle", executed(emitted(bundle)))
    assert not isinstance(foreign, SkillBundle)
    for form in formats.FORMATS:
        assert exported(form, foreign) == exported(form, bundle)


def digest_of(files: Mapping[str, Any]) -> str:
    """Return the digest of a skill of these files, whatever their paths are."""
    rows = {path.encode("utf-8", "surrogatepass"): file.digest[7:].encode() for path, file in files.items()}
    text = b"".join(b"%b  %b\n" % (rows[path], path) for path in sorted(rows))
    return f"sha256:{sha256_hex(text)}"


def hostile(name: str = "x", path: str = "a.txt", **changed: Any) -> dict[str, Any]:
    """Return a bundle by structure alone, whose digests are right and whose name or path is not."""
    contents = {"SKILL.md": b"---\nname: x\n---\n", path: b"!"}
    files = structural_files(contents)
    values = {
        "name": name,
        "description": "d",
        "digest": digest_of(files),
        "frontmatter": {"name": name, "description": "d"},
        "files": files,
        **changed,
    }
    return {name: SimpleNamespace(**values)}


@pytest.mark.parametrize("form", formats.FORMATS)
@pytest.mark.parametrize(
    "made",
    [
        hostile(path="../escape"),
        hostile(path="/etc/passwd"),
        hostile(path="a//b"),
        hostile(path="a\\..\\b"),
        hostile(path="C:evil"),
        hostile(path="a\nb"),
        hostile(path="\ud800"),
        hostile(path="skill.MD"),
        hostile(path="SKILL.md/x"),
        hostile(path="x" * 256),
        hostile(name="../x"),
        hostile(name="a/b"),
        hostile(name=".."),
        hostile(name="a\u202eb"),
        hostile(digest=f"sha256:{'0' * 64}"),
        hostile(files={}),
        hostile(description=None),
        hostile(frontmatter=[]),
        hostile(allowed_tools=("\ud800",)),
        hostile(metadata={"a": 1}),
        {"x": None},
        {1: hostile()["x"]},
    ],
)
def test_a_hostile_bundle_is_refused_by_every_format_and_named_in_one_line(form: str, made: Any) -> None:
    with pytest.raises(ExportError) as raised:
        exported(form, made)
    (problem,) = raised.value.problems
    assert problem.startswith("skill ")
    assert problem.isprintable()


def test_the_key_of_a_mapping_is_the_name() -> None:
    assert adoption.adopt(cast("AnyBundle", {"other": hostile()["x"]})).names == ("other",)


@pytest.mark.parametrize("made", [None, 7, "demo", ["demo"]])
def test_what_is_no_bundle_is_refused(made: Any) -> None:
    with pytest.raises(ExportError, match="a bundle is needed"):
        adoption.adopt(made)


def test_a_bundle_with_another_digest_than_its_skills_give_is_refused(bundle: SkillBundle) -> None:
    forged = SkillBundle(bundle.values(), digest=f"sha256:{'0' * 64}")
    with pytest.raises(ExportError, match="does not have the digest that was recorded"):
        adoption.adopt(forged)


@pytest.mark.parametrize("form", ["well-known", "zip", "directory", "packaged-json", "assets"])
def test_a_damaged_content_is_never_exported(form: str) -> None:
    with pytest.raises((ExportError, IntegrityError), match="damaged or altered"):
        exported(form, damaged_bundle())


@pytest.mark.parametrize("form", ["zip", "assets", "directory"])
def test_names_that_differ_in_case_alone_are_no_two_directories(form: str, bundle: SkillBundle) -> None:
    both = bundle.overlay(bundle.rename({"demo": "DEMO"}))
    with pytest.raises(ExportError) as raised:
        next(formats.files(form, both))
    (problem,) = raised.value.problems
    assert problem.startswith("skill 'demo': some file systems cannot tell its name from 'DEMO'")
    assert len(json.loads(formats.document("manifest", both))["skills"]) == 3


def test_what_a_host_over_mcp_would_refuse_is_refused() -> None:
    with pytest.raises(ExportError) as raised:
        formats.document("mcp", make_bundle({"Loud": {"SKILL.md": skill_md("Loud")}}))
    assert raised.value.problems[0].startswith("skill 'Loud': ")


# ------------------------------------------------------------------ hidden skills


@pytest.mark.parametrize("form", formats.FORMATS)
def test_hidden_skills_are_in_what_is_read_by_its_frontmatter_and_not_in_what_offers_all(
    form: str, with_hidden: SkillBundle
) -> None:
    def holds(*, hidden: bool) -> bool:
        made = exported(form, with_hidden, hidden=hidden)
        return any("quiet" in path or b"quiet" in data for path, data, _ in made)

    assert holds(hidden=True)
    assert holds(hidden=False) == (form not in ("well-known", "packaged-json", "assets"))
    told = " ".join(formats.omissions(form, with_hidden))
    assert ("hidden" in told) != holds(hidden=False)
    assert ("quiet" in told) != holds(hidden=False)
    assert not list(formats.omissions(form, with_hidden, hidden=True))


def test_assets_say_which_skills_have_files_that_are_left_out(bundle: SkillBundle) -> None:
    (line,) = formats.omissions("assets", bundle)
    assert line.endswith("the other files of these skills are left out: demo")
    assert not list(formats.omissions("zip", bundle))


@pytest.mark.parametrize("form", formats.FORMATS)
def test_an_empty_bundle_is_exported_as_nothing(form: str) -> None:
    made = exported(form, make_bundle({}))
    paths = [path for path, _, _ in made]
    assert paths == {"zip": [], "assets": [], "directory": [], "well-known": ["index.json"]}.get(form, [""])
    assert sum(len(data) for _, data, _ in made) < 120


def test_the_table_has_a_row_for_each_format() -> None:
    rows = formats.formats_table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(formats.FORMATS)
