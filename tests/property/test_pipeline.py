"""Laws of the whole way from directories to an emitted module."""

from __future__ import annotations

import os
import tempfile
import unicodedata
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skillpack import config, pipeline
from skillpack.errors import RefusedError
from skillpack.runtime.paths import check_path
from skillpack.secrets.detection import scan
from support import tokens
from support.bundles import skill_md
from support.emitted import executed
from support.told import told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillpack.runtime import SkillBundle

Skills = dict[str, dict[str, bytes]]
"""By the name of a skill the contents of its files by path, SKILL.md included."""

names = st.from_regex(r"[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,4})?", fullmatch=True).filter(
    lambda name: name not in {"con", "prn", "aux", "nul", "venv"}
)
segments = st.from_regex(r"[a-z]{1,5}(\.(md|py|txt|bin))?", fullmatch=True).filter(
    lambda name: name.partition(".")[0] not in {"con", "prn", "aux", "nul", "venv", "secret", "cookies"}
)
paths = st.lists(segments, min_size=1, max_size=3).map("/".join)
contents = st.binary(max_size=80) | st.text(st.characters(codec="utf-8"), max_size=80).map(str.encode)


@st.composite
def trees(draw: st.DrawFn) -> Skills:
    """Skills with good names and files of any content."""
    skills: Skills = {}
    for name in draw(st.sets(names, min_size=1, max_size=3)):
        files = {"SKILL.md": skill_md(name, f"The skill {name}", draw(contents).hex() + "\n")}
        for path, data in draw(st.dictionaries(paths, contents, max_size=4)).items():
            if not any(path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in files):
                files[path] = data
        skills[name] = files
    return skills


def plant(root: Path, skills: Mapping[str, Mapping[str, bytes]], random: Random) -> None:
    """Write skills in an order, with times and modes, that `random` chooses."""
    files = [(f"skills/{name}/{path}", data) for name, tree in skills.items() for path, data in tree.items()]
    random.shuffle(files)
    for path, data in files:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(random.choice([0o600, 0o644, 0o664, 0o444]))
        os.utime(target, (random.randrange(2**31), random.randrange(2**31)))


def emitted(skills: Mapping[str, Mapping[str, bytes]], seed: int = 0) -> bytes:
    """Return the module that a project with these skills gives; `RefusedError` when it gives none."""
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory)
        plant(project, skills, Random(seed))
        with pipeline.pack(config.from_table({}, project, skills=["skills"])) as packed:
            ((_, source),) = pipeline.emit(packed, "skills.py")
        return source


def packable(skills: Mapping[str, Mapping[str, bytes]]) -> bytes:
    """Return the module of skills that nothing speaks against."""
    try:
        return emitted(skills)
    except RefusedError:  # a random content that is a secret, a random name that is a reserved one
        assume(False)
        raise


def served(bundle: SkillBundle) -> Skills:
    return {
        name: {path: file.bytes() for path, file in skill.files.items()} for name, skill in bundle.items()
    }


@settings(deadline=None, max_examples=25)
@given(trees())
def test_any_tree_comes_back_byte_for_byte(skills: Skills) -> None:
    bundle = executed(packable(skills))
    assert served(bundle) == skills
    bundle.verify()


@settings(deadline=None, max_examples=25)
@given(trees(), st.integers(), st.integers())
def test_order_times_and_permissions_change_no_byte(skills: Skills, one: int, other: int) -> None:
    packable(skills)
    assert emitted(skills, one) == emitted(skills, other)


@settings(deadline=None, max_examples=25)
@given(trees(), st.data())
def test_one_changed_byte_path_or_name_changes_the_digest(skills: Skills, data: st.DataObject) -> None:
    before = executed(packable(skills)).digest
    name = data.draw(st.sampled_from(sorted(skills)))
    path = data.draw(st.sampled_from(sorted(skills[name])))
    content = skills[name][path]
    change = data.draw(st.sampled_from(["byte", "path", "name"]))
    changed = {other: dict(files) for other, files in skills.items()}
    if change == "name":
        changed["renamed-skill"] = {
            **changed.pop(name),
            "SKILL.md": skill_md("renamed-skill", f"The skill {name}"),
        }
    elif change == "path" and path != "SKILL.md":
        changed[name][f"{path}.moved"] = changed[name].pop(path)
    else:
        changed[name][path] = content + b"\n"
    assert executed(packable(changed)).digest != before


hostile = st.one_of(
    segments,
    st.sampled_from(
        ["..", "...", ".. ", "a\\b", "C:x", "A.md", "a.md", "é.md", "e\u0301.md", "ﬁ.md", "fi.md", "nul"]
    ),
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=5),
)


@settings(deadline=None, max_examples=80)
@given(st.dictionaries(st.lists(hostile, min_size=1, max_size=2).map("/".join), st.just(b"x\n"), max_size=4))
def test_no_emitted_path_is_absolute_climbs_or_collides(files: dict[str, bytes]) -> None:
    assume(not any({"..", "."} & set(path.split("/")) for path in files))  # names that no directory can have
    assume(all(len(path.encode()) < 200 for path in files))
    try:
        source = emitted({"a": {"SKILL.md": skill_md("a"), **files}})
    except (RefusedError, FileExistsError, NotADirectoryError, IsADirectoryError):
        return  # refused, or no tree at all
    emitted_paths = list(executed(source)["a"].files)
    for path in emitted_paths:
        assert check_path(path) == path
        assert not path.startswith("/")
    folded = {
        unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
        for path in emitted_paths
    }
    assert len(folded) == len(emitted_paths)


@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from(
        ["github-fine-grained", "aws-access-key-id", "anthropic", "slack-token", "npm-token", "gcp-api-key"]
    ),
    st.integers(0, 1000),
    st.sampled_from(
        [
            "---\nname: a\ndescription: {}\n---\nbody\n",
            "---\nname: a\ndescription: x: {}\n---\nbody\n",
            "---\nname: {}\ndescription: x\n---\nbody\n",
            "---\nname: a\n{}: 1\ndescription: x\n---\nbody\n",
            "---\nname: a\ndescription: x\nallowed-tools: [{}]\n---\nbody\n",
            "---\nname: a\ndescription: x\nmetadata:\n  k: {}\n  k: 1\n---\nbody\n",
            "---\nname: a\ndescription: &a {}\n---\nbody\n",
            "---\nname: a\ndescription: x\n---\n{}\n",
            "{}\n",
        ]
    ),
    st.sampled_from(["lenient", "default", "strict"]),
)
def test_no_message_holds_a_secret(rule: str, seed: int, template: str, level: str) -> None:
    secret = tokens.example(rule, seed).secret.decode()
    assume(any(scan(secret.encode())))  # a random token may look like a placeholder
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory)
        plant(
            project,
            {"a": {"SKILL.md": template.replace("{}", secret).encode(), "notes.md": secret.encode()}},
            Random(0),
        )
        settings_ = config.from_table({"tool": {"skillpack": {"level": level}}}, project, skills=["skills"])
        try:
            with pipeline.pack(settings_):
                raise AssertionError("a secret was packed")
        except RefusedError as error:
            said = "\n".join(told(finding) for finding in error.findings) + str(error) + repr(error)
    assert "secret-content" in said
    assert not any(secret[start : start + 8] in said for start in range(4, len(secret) - 7))
