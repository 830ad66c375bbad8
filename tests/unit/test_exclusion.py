"""Exclusion: gitignore patterns mean here what they mean to git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from skillpack.discover.exclusion import Exclusions
from skillpack.discover.walk import Limits
from skillpack.gitignore import pattern_of
from support.discovery import make, run

FILES = (
    "skills/pdf/SKILL.md",
    "skills/pdf/keep.md",
    "skills/pdf/.env",
    "skills/pdf/docs/a.md",
    "skills/pdf/docs/a.txt",
    "skills/pdf/docs/build/a.md",
    "skills/pdf/build/keep.md",
    "skills/pdf/#notes#.md",
    "skills/csv/SKILL.md",
    "skills/csv/docs/keep.md",
)

PATTERNS = (
    ["docs/"],
    ["docs"],
    ["/docs/"],
    ["*.md", "!keep.md"],
    ["skills/pdf/docs/*", "!skills/pdf/docs/a.md"],
    ["skills/pdf/docs/", "!skills/pdf/docs/a.md"],
    ["skills/pdf/docs/**", "!skills/pdf/docs/a.md"],
    ["skills/pdf/docs/**", "!skills/pdf/docs/build/"],
    ["skills/pdf/**/a.md"],
    ["**/build", "!build/keep.md"],
    ["skills/*/docs"],
    ["/skills/*", "!/skills/csv/"],
    ["/skills/*", "!/skills/csv/", "/skills/csv/*", "!SKILL.md"],
    [".env"],
    [r"\#notes#.md"],
    ["a.[mt]*"],
    ["a.???"],
    ["KEEP.md"],
    ["!keep.md"],
    ["docs/", "!docs/"],
    ["*"],
)


@pytest.mark.parametrize("patterns", PATTERNS, ids=" ".join)
def test_patterns_exclude_what_git_ignores(tmp_path: Path, patterns: list[str]) -> None:
    make(tmp_path, FILES)
    (tmp_path / "ignore").write_text("".join(f"{pattern}\n" for pattern in patterns), encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-from=ignore", "--", "skills"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(run(tmp_path, exclude=patterns).contents) == sorted(filter(None, listed.stdout.split("\0")))


def test_the_pattern_that_decides_is_named() -> None:
    assert Exclusions(["*.md", "a.*", "!b.md"]).match("skills/a.md") == "a.*"
    assert Exclusions(["*.md", "a.*", "!b.md"]).match("skills/b.md") is None
    assert Exclusions(["skills/a/"]).match("skills/a", is_directory=True) == "skills/a/"
    assert Exclusions(["skills/a/"]).match("skills/a") is None


def test_no_patterns_exclude_nothing() -> None:
    assert not Exclusions()
    assert Exclusions().match("skills/a") is None


def test_a_pattern_that_another_one_overrules_is_used() -> None:
    exclusions = Exclusions(["*.md", "a.*", "!a.md", "b.*"])
    assert bool(exclusions)
    exclusions.match("skills/a.md")
    assert list(exclusions.unused) == ["b.*"]
    exclusions.match("skills/b.md")
    assert list(exclusions.unused) == []


@pytest.mark.parametrize("root", ["skills", ".", "../shared", "/abs/skills"])
def test_paths_are_matched_as_findings_show_them(root: str) -> None:
    pattern = f"{root}/pdf/x.md".removeprefix("./")
    assert Exclusions([pattern]).match(f"{root}/pdf/x.md") == pattern
    assert Exclusions(["x.md"]).match(f"{root}/pdf/x.md") == "x.md"


def test_what_an_excluded_directory_holds_is_not_even_opened(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/old/x.md"])
    Path(tmp_path / "skills/pdf/old/link").symlink_to("/etc/hostname")
    found = run(tmp_path, exclude=["old/", "!x.md"])
    assert found.lines == ["pyproject.toml exclude-unused", "skills/pdf/old excluded"]
    assert found.skills[0].left_out == ("old/",)


def test_an_excluded_file_is_a_note_that_names_the_pattern(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/x.md"])
    finding = run(tmp_path, exclude=["x.*"]).one("excluded")
    assert (finding.path, finding.message) == ("skills/pdf/x.md", "excluded by `x.*`")


def test_the_note_says_when_an_excluded_file_is_named_like_a_secret(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/.env"])
    found = run(tmp_path, exclude=[".env"])
    assert found.one("excluded").message == (
        "excluded by `.env`; it is named like a secret and is in nothing that is built"
    )
    assert list(found.contents) == ["skills/pdf/SKILL.md"]


def test_excluded_links_and_special_files_are_no_errors(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md"])
    (tmp_path / "skills/pdf/link").symlink_to("/etc/hostname")
    assert run(tmp_path, exclude=["link"]).codes == ["excluded"]


def test_a_root_as_the_project_is_matched_without_a_dot(tmp_path: Path) -> None:
    make(tmp_path, ["pdf/SKILL.md", "pdf/x.md"])
    assert run(tmp_path, ".", exclude=["/pdf/x.md"]).lines == ["./pdf/x.md excluded"]


@pytest.mark.parametrize(
    ("place", "pattern"),
    [
        ("skills/pdf/x.md", "skills/pdf/x.md"),
        ("./venv", "/venv"),
        ("./pdf/x.md", "pdf/x.md"),
        ("../shared/x", "../shared/x"),
        ("#s/[a]*?", r"\#s/\[a]\*\?"),
        ("!x", r"/\!x"),
        ("s/back\\slash ", "s/back\\\\slash\\ "),
    ],
)
def test_the_pattern_that_a_hint_names_excludes_the_place_and_no_other(place: str, pattern: str) -> None:
    assert pattern_of(place) == pattern
    assert Exclusions([pattern]).match(place) == pattern
    assert Exclusions([pattern]).match(f"other/{place.removeprefix('./')}") is None


@pytest.mark.parametrize("root", ["skills", "."])
def test_a_hint_to_exclude_can_be_followed_to_the_letter(tmp_path: Path, root: str) -> None:
    make(tmp_path / root, ["pdf/SKILL.md", "pdf/[draft] *.md"])
    hard = Limits(max_file_bytes=0)
    hint = run(tmp_path, root, limits=hard).findings[1].hint
    exclude = hint.removeprefix("exclude ").removesuffix(", or raise max-file-bytes")
    found = run(tmp_path, root, limits=Limits(), exclude=[exclude])
    assert found.codes == ["excluded"]
