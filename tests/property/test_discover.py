"""Laws of discovery: any tree comes back byte for byte, and nothing of the disk but names and bytes shows."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from skillpack import fingerprint
from skillpack.discover.exclusion import Exclusions
from skillpack.discover.store import ContentStore
from support.discovery import SYSTEMS, judge, run

# Lone surrogates are no names. A case of its own: names that the judge of the tests decides on.
NAMES = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=20
).filter(
    lambda name: (
        name not in {".", "..", ".git", ".DS_Store", "pyvenv.cfg", "credentials"} and name[:2] != ".#"
    )
)
SKILL = {"SKILL.md": b"---\n"}
Files = dict[str, bytes]


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> Files:
    """A directory's files by path; a name is a file or a directory, never both."""
    files: Files = {}
    for name in draw(st.lists(NAMES, max_size=4, unique=True)):
        if depth and draw(st.booleans()):
            files.update({f"{name}/{path}": data for path, data in draw(trees(depth=depth - 1)).items()})
        else:
            files[name] = draw(st.binary(max_size=40))
    return files


def write(top: Path, files: Files, order: random.Random) -> None:
    """Write the files in some order, some with other modes and times."""
    paths = list(files)
    order.shuffle(paths)
    for path in paths:
        target = top / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(files[path])
        target.chmod(order.choice([0o600, 0o640, 0o644]))
        os.utime(target, ns=(order.randrange(10**18), order.randrange(10**18)))


@settings(deadline=None, max_examples=60)
@given(files=trees(), first=st.integers(), second=st.integers())
def test_any_tree_is_captured_byte_for_byte_whatever_the_order_on_disk(
    files: Files, first: int, second: int
) -> None:
    files = {path: data for path, data in files.items() if path.casefold() != "skill.md"} | SKILL
    captured = []
    for seed in (first, second):
        with tempfile.TemporaryDirectory() as directory:
            project = Path(directory)
            write(project / "skills/demo", files, random.Random(seed))
            for system in SYSTEMS.values():
                found = run(project, system=system)
                (skill,) = found.skills
                paths = [file.path for file in skill.files]
                assert paths == sorted(files, key=str.encode)
                assert found.contents == {f"skills/demo/{path}": data for path, data in files.items()}
                assert [file.size for file in skill.files] == [len(files[path]) for path in paths]
                assert {finding.code for finding in found.findings} <= {"nested-skill"}
                captured.append([(file.path, file.size, file.executable) for file in skill.files])
    assert captured[1:] == captured[:-1]


@settings(deadline=None, max_examples=40)
@given(names=st.lists(NAMES.filter(lambda name: name[0] != "~"), min_size=1, max_size=5, unique=True))
def test_skills_are_sorted_by_the_bytes_of_their_names(names: list[str]) -> None:
    names = [
        name
        for name in names
        if name.casefold() != "skill.md" and judge(name, is_directory=True).action == "take"
    ]
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory)
        write(project / "skills", {f"{name}/SKILL.md": b"" for name in names} | {"~": b""}, random.Random(0))
        assert run(project).places == [f"skills/{name}" for name in sorted(names, key=str.encode)]


@settings(deadline=None, max_examples=60)
@given(data=st.lists(st.binary(max_size=30), max_size=12), memory=st.integers(0, 120), seed=st.integers())
def test_a_store_gives_back_what_was_put_whatever_fits_in_memory(
    data: list[bytes], memory: int, seed: int
) -> None:
    with ContentStore(
        identity=fingerprint.identity, fingerprint=fingerprint.fingerprint, memory_bytes=memory
    ) as store:
        contents = [(store.put(each), each) for each in data]
        random.Random(seed).shuffle(contents)
        assert all(content.read() == each for content, each in contents)


@settings(deadline=None, max_examples=100)
@given(path=st.lists(NAMES, min_size=1, max_size=4).map("/".join), data=st.data())
def test_a_path_is_excluded_by_its_own_name_and_included_again_by_its_negation(
    path: str, data: st.DataObject
) -> None:
    pattern = "/" + "".join(f"\\{char}" if char in "\\*?[]! #" else char for char in path)
    is_directory = data.draw(st.booleans())
    # git strips what it takes for white space at the end of a line, and has no way to write a line break.
    if pattern.rstrip() == pattern and path.isprintable():
        assert Exclusions([pattern]).match(path, is_directory=is_directory) == pattern
        assert Exclusions([pattern, f"!{pattern}"]).match(path, is_directory=is_directory) is None
        assert Exclusions([pattern, f"!{pattern}"]).match(f"x{path}") is None
