"""The frozen model: the rows of the design page "The runtime", section Data."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from skillpack import digest
from skillpack.emit.runtime_source import RUNTIME_MODULES, source_of
from skillpack.model import Frontmatter
from skillpack.runtime import (
    IntegrityError,
    ResourceNotFoundError,
    Skill,
    SkillBundle,
    SkillFile,
    SkillNotFoundError,
)
from skillpack.runtime import digest as digest_module
from skillpack.runtime.digest import sha256_hex, skill_digest
from skillpack.runtime.model import body_start
from skillpack.runtime.whole import MODULES
from support.bundles import DEMO, SOLO, make_bundle, make_source, skill_md

if TYPE_CHECKING:
    from collections.abc import Iterator

FULL = Frontmatter(
    name="full",
    description="All fields",
    values={
        "name": "full",
        "description": "All fields",
        "version": 1.1,
        "metadata": {"a.b": "1", "a.c": "2"},
    },
    license="MIT",
    compatibility="Python 3",
    metadata={"a.b": "1", "a.c": " x, y ,,z ", "ab": "3"},
    allowed_tools=("Read", "Bash(git:*)"),
    globs=("**/*.py",),
)


@pytest.fixture
def bundle() -> SkillBundle:
    return make_bundle({"solo": SOLO, "demo": DEMO})


@pytest.fixture
def full() -> Skill:
    source = make_source("full", {"SKILL.md": skill_md("full")}, frontmatter=FULL)
    return digest.address([source]).bundle["full"]


def hidden_bundle() -> SkillBundle:
    shown = make_source("shown", {"SKILL.md": skill_md("shown")})
    hidden = make_source(
        "ghost",
        {"SKILL.md": skill_md("ghost")},
        frontmatter=Frontmatter(name="ghost", description="A skill", values={"hide": True}, hidden=True),
    )
    return digest.address([shown, hidden]).bundle


def altered(file: SkillFile, data: bytes) -> SkillFile:
    return SkillFile(
        path=file.path,
        size=file.size,
        digest=file.digest,
        media_type=file.media_type,
        is_text=file.is_text,
        executable=file.executable,
        load=lambda: data,
        owner="demo",
    )


def with_file(bundle: SkillBundle, path: str, data: bytes) -> SkillBundle:
    """Return the bundle with other bytes behind one file of `demo`, its recorded digests unchanged."""
    skill = bundle["demo"]
    files = tuple(altered(file, data) if file.path == path else file for file in skill.files.values())
    frontmatter = json.dumps(skill.frontmatter, sort_keys=True, separators=(",", ":"))
    damaged = Skill(
        name=skill.name,
        description=skill.description,
        digest=skill.digest,
        index_digest=skill._index_digest,
        hidden=False,
        load=lambda: (frontmatter, "{}", files),
    )
    return SkillBundle([damaged, bundle["solo"]])


# ------------------------------------------------------------------ the mapping


def test_a_bundle_is_a_mapping_in_the_order_of_names(bundle: SkillBundle) -> None:
    assert list(bundle) == ["demo", "solo"]
    assert bundle.names == ("demo", "solo")
    assert len(bundle) == 2
    assert "demo" in bundle
    assert "other" not in bundle
    assert bundle.get("other") is None
    assert [skill.name for skill in bundle.values()] == ["demo", "solo"]
    assert bundle.problems == ()


def test_names_are_ordered_by_code_points_not_by_locale() -> None:
    names = ["zoo", "a-b", "a1", "ab"]
    assert make_bundle({name: {"SKILL.md": skill_md(name)} for name in names}).names == (
        "a-b",
        "a1",
        "ab",
        "zoo",
    )


def test_an_unknown_skill_is_a_key_error_with_a_near_match_and_the_names(bundle: SkillBundle) -> None:
    with pytest.raises(KeyError) as caught:
        bundle["dmeo"]
    assert isinstance(caught.value, SkillNotFoundError)
    assert str(caught.value) == "no skill 'dmeo'; did you mean demo? There are: demo, solo"


def test_a_not_found_lists_twenty_names_and_the_count() -> None:
    names = [f"skill-{number:02}" for number in range(25)]
    bundle = make_bundle({name: {"SKILL.md": skill_md(name)} for name in names})
    with pytest.raises(SkillNotFoundError) as caught:
        bundle["qqq"]
    assert str(caught.value) == f"no skill 'qqq'. There are: {', '.join(names[:20])}, … (25 in all)"


def test_an_empty_bundle_says_that_there_are_no_skills() -> None:
    with pytest.raises(SkillNotFoundError, match=r"no skill 'x' \(there are none\)"):
        SkillBundle([])["x"]


def test_hidden_skills_are_loadable_by_name_but_not_listed() -> None:
    bundle = hidden_bundle()
    assert bundle["ghost"].hidden
    assert bundle.names == ("ghost", "shown")
    with pytest.raises(SkillNotFoundError) as caught:
        bundle["gost"]
    assert "ghost" not in str(caught.value)


# ------------------------------------------------------------------ skills and files


def test_a_skill_gives_its_fields_as_written(full: Skill) -> None:
    assert (full.name, full.description, full.license, full.compatibility) == (
        "full",
        "All fields",
        "MIT",
        "Python 3",
    )
    assert full.allowed_tools == ("Read", "Bash(git:*)")
    assert full.globs == ("**/*.py",)
    assert full.metadata == {"a.b": "1", "a.c": " x, y ,,z ", "ab": "3"}
    assert full.frontmatter["version"] == 1.1
    assert not full.hidden


def test_absent_fields_are_none_or_empty(bundle: SkillBundle) -> None:
    demo = bundle["demo"]
    assert (demo.license, demo.compatibility, demo.allowed_tools) == (None, None, None)
    assert (demo.globs, demo.metadata) == ((), {})


def test_metadata_is_read_by_prefix_and_as_a_list(full: Skill) -> None:
    assert full.metadata_for("a") == {"b": "1", "c": " x, y ,,z "}
    assert full.metadata_for("b") == {}
    assert full.metadata_list("a.c") == ("x", "y", "z")
    assert full.metadata_list("absent") == ()


def test_dicts_are_fresh_at_each_access(full: Skill, bundle: SkillBundle) -> None:
    full.frontmatter["name"] = "changed"
    full.metadata["a.b"] = "changed"
    bundle.manifest["skills"].clear()
    assert full.frontmatter["name"] == "full"
    assert full.metadata["a.b"] == "1"
    assert len(bundle.manifest["skills"]) == 2


def test_files_hold_every_file_and_resources_all_but_skill_md(bundle: SkillBundle) -> None:
    demo = bundle["demo"]
    assert list(demo.files) == ["SKILL.md", "assets/b.bin", "scripts/x.py"]
    assert list(demo.resources) == ["assets/b.bin", "scripts/x.py"]
    assert {path: file.bytes() for path, file in demo.files.items()} == DEMO


def test_files_cannot_be_changed(bundle: SkillBundle) -> None:
    files: Any = bundle["demo"].files
    with pytest.raises(TypeError):
        files["x"] = 1


def test_a_file_has_its_facts(bundle: SkillBundle) -> None:
    script = make_bundle({"demo": DEMO}, executable=["scripts/x.py"])["demo"].file("scripts/x.py")
    assert (script.path, script.size, script.media_type, script.is_text, script.executable) == (
        "scripts/x.py",
        9,
        "text/x-python",
        True,
        True,
    )
    assert script.text() == "print(1)\n"
    assert not bundle["demo"].file("assets/b.bin").is_text


def test_text_of_a_binary_file_is_refused_with_the_way_out(bundle: SkillBundle) -> None:
    with pytest.raises(
        ValueError, match=r"assets/b\.bin is binary \(application/octet-stream\): use bytes\(\)"
    ):
        bundle["demo"].file("assets/b.bin").text()


def test_an_unknown_file_is_a_key_error_with_a_near_match(bundle: SkillBundle) -> None:
    with pytest.raises(ResourceNotFoundError) as caught:
        bundle["demo"].file("script/x.py")
    assert str(caught.value) == (
        "no file 'script/x.py'; did you mean scripts/x.py? There are: SKILL.md, assets/b.bin, scripts/x.py"
    )
    with pytest.raises(ResourceNotFoundError, match=r"did you mean SKILL\.md\?"):
        bundle["demo"].file("skill.MD")
    with pytest.raises(KeyError) as plain:
        bundle["demo"].files["script/x.py"]
    assert type(plain.value) is KeyError


@pytest.mark.parametrize(
    "path",
    [
        "../demo/SKILL.md",
        "/etc/passwd",
        "%2e%2e/SKILL.md",
        "scripts\\x.py",
        "./SKILL.md",
        "scripts/x.py/",
        "",
        "\0",
    ],
)
def test_paths_are_exact_keys(bundle: SkillBundle, path: str) -> None:
    with pytest.raises(ResourceNotFoundError):
        bundle["demo"].file(path)


# ------------------------------------------------------------------ the body


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\nname: x\n---\n# Hi\n", "# Hi\n"),
        ("---\nname: x\n---\n\n# Hi\n", "# Hi\n"),
        ("---\nname: x\n---\n\n\n# Hi\n", "\n# Hi\n"),
        ("---\nname: x\n---\n  \n# Hi", "# Hi"),
        ("---\r\nname: x\r\n---\r\n\r\n# Hi\r\n", "# Hi\r\n"),
        ("\ufeff---\nname: x\n---\nHi", "Hi"),
        ("--- \nname: x\n---\t\nHi", "Hi"),
        ("---\nname: x\n---", ""),
        ("---\nname: x\n---\n", ""),
        ("---\nname: x\n---\n\n", ""),
        ("---\nname: x\n---\n   ", "   "),
        ("---\na: '---'\n ---\n---\nHi\n---\nmore", "Hi\n---\nmore"),
        ("no frontmatter\n---\n", "no frontmatter\n---\n"),
        ("---\nnever closed\n", "---\nnever closed\n"),
        ("---", "---"),
        ("", ""),
    ],
)
def test_the_body_is_what_follows_the_frontmatter(text: str, body: str) -> None:
    assert text[body_start(text) :] == body


def test_a_skill_serves_its_body_as_written(bundle: SkillBundle) -> None:
    assert bundle["demo"].body == "# Hi\n"
    assert bundle["solo"].body == ""


# ------------------------------------------------------------------ frozen


def test_nothing_can_be_set_or_deleted(bundle: SkillBundle) -> None:
    for thing in (bundle, bundle["demo"], bundle["demo"].file("SKILL.md")):
        target: Any = thing
        with pytest.raises(AttributeError, match="frozen: digest cannot be set"):
            target.digest = "x"
        with pytest.raises(AttributeError, match="frozen: digest cannot be deleted"):
            del target.digest
        with pytest.raises(AttributeError):
            target.anything = 1


def test_copies_are_the_object_itself(bundle: SkillBundle) -> None:
    for thing in (bundle, bundle["demo"], bundle["demo"].file("SKILL.md")):
        assert copy.copy(thing) is thing
        assert copy.deepcopy(thing) is thing


def test_equality_and_hash_are_by_digest(bundle: SkillBundle) -> None:
    again = make_bundle({"demo": DEMO, "solo": SOLO})
    assert bundle == again
    assert hash(bundle) == hash(again)
    assert bundle["demo"] == again["demo"]
    assert bundle["demo"] != bundle["solo"]
    assert bundle["demo"].file("SKILL.md") == again["demo"].file("SKILL.md")
    assert bundle != "text"
    assert bundle != make_bundle({"demo": DEMO})


def test_what_is_made_at_run_time_is_not_pickled(bundle: SkillBundle) -> None:
    answer = bundle.call("read_skill_resource", {"name": "demo", "path": "assets/b.bin"})
    for thing in (bundle, bundle["demo"], bundle["demo"].file("SKILL.md"), answer):
        with pytest.raises(TypeError, match="pickle the bundle of an emitted module"):
            pickle.dumps(thing)


def test_a_packed_bundle_pickles_by_reference_to_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("emitted_for_pickle")
    head = f"skillpack 1 {SkillBundle([]).digest} sha256:{sha256_hex(b'')}\n".encode()
    module.bundle = SkillBundle.packed(head, b"", b"", lambda _: b"", "emitted_for_pickle")
    monkeypatch.setitem(sys.modules, "emitted_for_pickle", module)
    assert pickle.loads(pickle.dumps(module.bundle)) is module.bundle
    with pytest.raises(TypeError, match="made at run time"):
        pickle.dumps(module.bundle.select([]))


@pytest.mark.parametrize(
    ("head", "found"),
    [(b"skillpack 2 sha256:00 sha256:00\n", "skillpack 2"), (b"skillpack 1 sha256:00\n", "skillpack 1")],
)
def test_data_of_another_format_is_refused(head: bytes, found: str) -> None:
    with pytest.raises(ValueError, match=f"this runtime reads format 1, the data is '{found}'"):
        SkillBundle.packed(head, b"", b"", lambda _: b"")


def test_representations_are_short(bundle: SkillBundle, full: Skill) -> None:
    assert repr(bundle) == f"<SkillBundle 2 skills {bundle.digest[:19]}>"
    assert repr(bundle.select(["demo"])).startswith("<SkillBundle 1 skill sha256:")
    assert repr(full) == f"<Skill 'full' {full.digest[:19]}>"
    file = bundle["demo"].file("scripts/x.py")
    assert repr(file) == f"<SkillFile 'scripts/x.py' 9 bytes {file.digest[:19]}>"
    long = make_bundle({"demo": {**DEMO, "d/" * 120 + "x": b""}})["demo"]
    assert all(len(repr(thing)) <= 200 for thing in long.files.values())


# ------------------------------------------------------------------ integrity


def test_a_damaged_file_is_refused_by_name_and_the_others_serve(bundle: SkillBundle) -> None:
    damaged = with_file(bundle, "scripts/x.py", b"print(2)\n")
    for _ in range(2):
        with pytest.raises(IntegrityError) as caught:
            damaged["demo"].file("scripts/x.py").bytes()
        assert caught.value.paths == ("demo/scripts/x.py",)
        assert str(caught.value) == "damaged or altered since it was packed: demo/scripts/x.py"
    assert damaged["demo"].file("assets/b.bin").bytes() == b"\xff\x00\x01"


def test_a_file_of_another_size_is_refused(bundle: SkillBundle) -> None:
    with pytest.raises(IntegrityError):
        with_file(bundle, "scripts/x.py", b"print(1)\n ")["demo"].file("scripts/x.py").text()


@pytest.mark.parametrize("error", [KeyError("_00"), ValueError("bad base64")])
def test_contents_that_cannot_be_decoded_are_damaged(error: Exception) -> None:
    def load() -> bytes:
        raise error

    file = SkillFile(
        path="a", size=1, digest="", media_type="", is_text=True, executable=False, load=load, owner="demo"
    )
    with pytest.raises(IntegrityError) as caught:
        file.bytes()
    assert caught.value.paths == ("demo/a",)


def test_a_file_is_hashed_once(bundle: SkillBundle, monkeypatch: pytest.MonkeyPatch) -> None:
    file = bundle["demo"].file("SKILL.md")
    file.bytes()
    monkeypatch.setattr("skillpack.runtime.model.sha256_hex", lambda _: "hashed again")
    assert file.bytes() == DEMO["SKILL.md"]


def test_verify_accepts_what_was_packed(bundle: SkillBundle) -> None:
    bundle.verify()
    bundle.verify(bundle.digest)
    SkillBundle([]).verify()


def test_verify_refuses_another_digest(bundle: SkillBundle) -> None:
    with pytest.raises(IntegrityError) as caught:
        bundle.verify("sha256:" + "0" * 64)
    assert caught.value.paths == (".",)


def test_verify_names_everything_that_is_damaged(bundle: SkillBundle) -> None:
    with pytest.raises(IntegrityError) as caught:
        with_file(bundle, "assets/b.bin", b"").verify()
    assert caught.value.paths == ("demo/assets/b.bin",)


@pytest.mark.parametrize(
    "change",
    [
        {"description": "edited"},
        {"digest": skill_digest([])},
        {"index_digest": "sha256:00"},
        {"hidden": True},
        {"name": "renamed"},
    ],
)
def test_verify_covers_what_reaches_the_prompt(bundle: SkillBundle, change: dict[str, Any]) -> None:
    solo = bundle["solo"]
    facts: dict[str, Any] = {
        "name": solo.name,
        "description": solo.description,
        "digest": solo.digest,
        "index_digest": solo._index_digest,
        "hidden": solo.hidden,
        "load": solo._load,
    }
    edited = SkillBundle([Skill(**{**facts, **change})])
    with pytest.raises(IntegrityError) as caught:
        edited.verify()
    assert caught.value.paths == (change.get("name", "solo"),)


def test_verify_recomputes_the_bundle_digest(bundle: SkillBundle) -> None:
    with pytest.raises(IntegrityError) as caught:
        SkillBundle([bundle["solo"]], digest=bundle.digest).verify()
    assert caught.value.paths == (".",)


def test_hashing_works_without_the_small_c_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest_module, "_hashers", {})
    for name in ("_sha2", "_sha256"):
        monkeypatch.setitem(sys.modules, name, None)
    assert digest_module.sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


# ------------------------------------------------------------------ select, preload, extract


@pytest.fixture
def many() -> SkillBundle:
    names = ["code-review", "deploy-prod", "deploy-test", "docs"]
    return make_bundle({name: {"SKILL.md": skill_md(name)} for name in names})


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        (["*"], ["code-review", "deploy-prod", "deploy-test", "docs"]),
        (["code-review", "deploy-*"], ["code-review", "deploy-prod", "deploy-test"]),
        (["deploy-*", "!deploy-prod"], ["deploy-test"]),
        (["!deploy-*"], ["code-review", "docs"]),
        (["!deploy-*", "deploy-prod"], ["deploy-prod"]),
        (["*", "!*", "docs"], ["docs"]),
        (["d?cs", "[c]ode-*"], ["code-review", "docs"]),
        (["none-*"], []),
        ([], []),
    ],
)
def test_select_takes_shell_patterns_left_to_right(
    many: SkillBundle, patterns: list[str], names: list[str]
) -> None:
    assert list(many.select(iter(patterns))) == names


def test_select_is_case_sensitive(many: SkillBundle) -> None:
    assert list(many.select(["DEPLOY-*"])) == []


@pytest.mark.parametrize("pattern", ["deploy", "!deploy"])
def test_an_exact_name_that_nothing_has_is_refused(many: SkillBundle, pattern: str) -> None:
    with pytest.raises(SkillNotFoundError, match="did you mean deploy-"):
        many.select([pattern])


def test_select_refuses_a_text_in_place_of_a_list(many: SkillBundle) -> None:
    with pytest.raises(TypeError, match=r"select takes a list of texts, not a text: \['docs'\]"):
        many.select("docs")


def test_a_selection_has_the_digest_of_what_it_holds(many: SkillBundle) -> None:
    docs = many.select(["docs"])
    assert docs == make_bundle({"docs": {"SKILL.md": skill_md("docs")}})
    docs.verify()


def module_names() -> Iterator[str]:
    for module in RUNTIME_MODULES:
        for function in ast.walk(ast.parse(source_of(module))):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.Import):
                        yield from (name.name for name in node.names)
                    elif isinstance(node, ast.ImportFrom):
                        yield node.module or ""
                    elif (
                        isinstance(node, ast.Call)
                        and isinstance(node.func, ast.Name)
                        and node.func.id == "__import__"
                        and isinstance(node.args[0], ast.Constant)
                    ):
                        yield str(node.args[0].value)


def test_preload_imports_every_module_that_a_function_imports(bundle: SkillBundle) -> None:
    names = set(module_names())
    assert {name for name in names if not name.startswith("skillpack.")} == set(MODULES)
    bundle.preload()
    assert set(MODULES) <= set(sys.modules)


def test_extract_writes_a_skill_with_its_execute_bits(tmp_path: Path) -> None:
    bundle = make_bundle({"demo": DEMO}, executable=["scripts/x.py"])
    target = Path(bundle.extract("demo", str(tmp_path / "new")))
    assert target == tmp_path / "new" / "demo"
    written = {path.relative_to(target).as_posix(): path for path in target.rglob("*") if path.is_file()}
    assert {path: file.read_bytes() for path, file in written.items()} == DEMO
    assert {path for path, file in written.items() if file.stat().st_mode & 0o111} == {"scripts/x.py"}
    assert list((tmp_path / "new").iterdir()) == [target]


def test_extract_writes_to_a_new_place_only(bundle: SkillBundle, tmp_path: Path) -> None:
    (tmp_path / "demo").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError, match="extract writes to a new place only"):
        bundle.extract("demo", str(tmp_path))
    (tmp_path / "solo").mkdir()
    with pytest.raises(FileExistsError):
        bundle.extract("solo", str(tmp_path))


@pytest.mark.parametrize("path", ["../x", "/x", "a//b", "a/./b", "a\\b", "C:x", "a\0b", "a\u202eb", ""])
def test_extract_of_a_path_that_climbs_writes_nothing(path: str, tmp_path: Path) -> None:
    bundle = make_bundle({"demo": {**DEMO, path: b"x"}})
    with pytest.raises(ValueError, match="not a relative POSIX path"):
        bundle.extract("demo", str(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []


def test_extract_leaves_nothing_when_it_cannot_write(
    bundle: SkillBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(OSError, match="No space left"):
        bundle.extract("demo", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_of_many_that_extract_at_once_one_does(bundle: SkillBundle, tmp_path: Path) -> None:
    bundle.preload()

    def extract(_: int) -> bool:
        try:
            bundle.extract("demo", str(tmp_path))
        except FileExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(extract, range(8))) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_extract_to_a_place_that_appears_meanwhile_is_refused(
    bundle: SkillBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.rename

    def late(path: Path, target: Path) -> Path:
        (target / "other").mkdir(parents=True)
        return real(path, target)

    monkeypatch.setattr(Path, "rename", late)
    with pytest.raises(FileExistsError, match="extract writes to a new place only"):
        bundle.extract("demo", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_extract_of_a_damaged_skill_writes_nothing(bundle: SkillBundle, tmp_path: Path) -> None:
    with pytest.raises(IntegrityError):
        with_file(bundle, "assets/b.bin", b"").extract("demo", str(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []
