"""Laws of the exports: what comes out is what went in, and nothing of a bundle gets out of its place."""

from __future__ import annotations

import base64
import io
import json
import tempfile
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillpack.errors import OutputError
from skillpack.export import formats
from skillpack.export.adoption import ExportError
from skillpack.export.formats import FORMATS
from skillpack.runtime.digest import sha256_hex, skill_digest
from skillpack.write import write_new_tree
from support.bundles import make_bundle, skill_md, structural_files
from support.packing import pack

Skills = dict[str, dict[str, bytes]]

names = st.from_regex(r"[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,4})?", fullmatch=True).filter(
    # what is no directory's name, and what YAML reads as another value
    lambda name: (
        name not in {"con", "prn", "aux", "nul", "venv", "on", "off", "yes", "no", "true", "false", "null"}
    )
)
segments = st.from_regex(r"(n|ö|日)[a-z +,@éß]{0,5}z(\.(md|py|txt|bin))?", fullmatch=True)
paths = st.lists(segments, min_size=1, max_size=3).map("/".join)
contents = st.binary(max_size=80) | st.text(st.characters(codec="utf-8"), max_size=80).map(str.encode)


@st.composite
def trees(draw: st.DrawFn) -> Skills:
    """Skills with good names, and files of any content that do not collide."""
    skills: Skills = {}
    for name in draw(st.sets(names, max_size=3)):
        files = {"SKILL.md": skill_md(name, body=f"{draw(contents).hex()}\n")}
        for path, data in draw(st.dictionaries(paths, contents, max_size=4)).items():
            folded = {other.casefold() for other in files}
            if not any(
                f"{path.casefold()}/".startswith(f"{other}/") or other.startswith(f"{path.casefold()}/")
                for other in folded
            ):
                files[path] = data
        skills[name] = files
    return skills


@settings(deadline=None, max_examples=60)
@given(trees().filter(bool), st.data())
def test_what_is_exported_as_a_directory_packs_to_the_same_bundle(
    skills: Skills, data: st.DataObject
) -> None:
    every = sorted({path for files in skills.values() for path in files})
    executable = data.draw(st.sets(st.sampled_from(every)))
    bundle = make_bundle(skills, executable=executable)
    with tempfile.TemporaryDirectory() as directory:
        write_new_tree(Path(directory, "skills"), formats.files("directory", bundle))
        again = pack(Path(directory), level="lenient").packed
    assert again.digest == bundle.digest
    assert again.manifest == bundle.manifest
    for name, files in skills.items():
        for path, contained in files.items():
            assert again[name].file(path).bytes() == contained
            assert again[name].file(path).executable == (path in executable)


@settings(deadline=None, max_examples=60)
@given(trees(), st.randoms(use_true_random=False))
def test_every_format_holds_the_bytes_of_the_bundle_in_whatever_order_it_was_made(
    skills: Skills, random: Any
) -> None:
    bundle = make_bundle(skills)
    shuffled = [(name, list(files.items())) for name, files in skills.items()]
    random.shuffle(shuffled)
    for _, rows in shuffled:
        random.shuffle(rows)
    other = make_bundle({name: dict(rows) for name, rows in shuffled})
    for form in FORMATS:
        if FORMATS[form].is_directory:
            assert list(formats.files(form, bundle)) == list(formats.files(form, other))
        else:
            assert formats.document(form, bundle) == formats.document(form, other)
    served = {path: data for path, data, _ in formats.files("well-known", bundle)}
    index = json.loads(served["index.json"])["skills"]
    assert [entry["name"] for entry in index] == sorted(skills)
    for entry in index:
        artifact = served[entry["url"]]
        assert entry["digest"] == f"sha256:{sha256_hex(artifact)}"
        assert unpacked(entry, artifact) == skills[entry["name"]]
    for packaged in json.loads(formats.document("packaged-json", bundle)):
        held = {path: base64.b64decode(file["content"]) for path, file in packaged["files"].items()}
        assert held == skills[packaged["name"]]
    zips = {path: unpacked({"type": "archive"}, data) for path, data, _ in formats.files("zip", bundle)}
    assert zips == {
        f"{name}.zip": {f"{name}/{path}": data for path, data in files.items()}
        for name, files in skills.items()
    }


def unpacked(entry: dict[str, Any], artifact: bytes) -> dict[str, bytes]:
    if entry["type"] == "skill-md":
        return {"SKILL.md": artifact}
    with zipfile.ZipFile(io.BytesIO(artifact)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


odd = st.lists(
    st.sampled_from(
        [
            "..",
            ".",
            "/",
            "\\",
            "a",
            "A",
            "ß",
            "SS",
            "SKILL.md",
            "skill.md",
            "C:",
            "\0",
            "\n",
            "\u202e",
            "é",
            "e\u0301",
            " ",
        ]
    )
    | st.text(max_size=4),
    max_size=5,
).map("".join)


def structural(name: str, contained: dict[str, bytes]) -> SimpleNamespace:
    """Return what has the structure of a skill, with digests that hold, whatever its names are."""
    files = structural_files(contained)
    try:
        digest = skill_digest((path, file.digest[7:]) for path, file in files.items())
    except UnicodeEncodeError:
        digest = f"sha256:{'0' * 64}"
    return SimpleNamespace(
        name=name, description="d", digest=digest, frontmatter={"name": name, "description": "d"}, files=files
    )


@settings(deadline=None, max_examples=400)
@given(
    st.dictionaries(odd, st.dictionaries(odd, contents, max_size=3), min_size=1, max_size=3),
    st.sampled_from([name for name, form in FORMATS.items() if form.is_directory]),
    st.booleans(),
)
@example({"a": {}, "A": {}}, "directory", False)
@example({"..": {}}, "zip", False)
@example({"a": {"../../x": b""}}, "directory", False)
@example({"a": {"b:c": b""}}, "directory", True)
def test_nothing_of_any_bundle_is_written_outside_of_its_directory(
    skills: Skills, form: str, windows: bool
) -> None:
    bundle: Any = {
        name: structural(name, {"SKILL.md": b"---\nname: a\n---\n", **files})
        for name, files in skills.items()
    }
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory, "inside", "out")
        place.parent.mkdir()
        try:
            write_new_tree(place, formats.files(form, bundle), windows=windows)
        except (ExportError, OutputError):
            assert not list(Path(directory, "inside").iterdir())
        else:
            assert list(Path(directory, "inside").iterdir()) == [place]
            assert all(not path.is_symlink() for path in place.rglob("*"))
        assert list(Path(directory).iterdir()) == [place.parent]
