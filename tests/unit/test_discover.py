"""Discovery: which directories are skills, what is said about the others, and what a whole run adds up to."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillpack.discover import Root
from skillpack.discover.reading import SYSTEM
from skillpack.discover.walk import Limits
from skillpack.findings import Policy
from skillpack.rules import Level
from support.discovery import SYSTEMS, counting, failing_list, failing_open, make, run

if TYPE_CHECKING:
    from skillpack.discover.reading import System
    from support.discovery import Run


@pytest.fixture(params=list(SYSTEMS))
def system(request: pytest.FixtureRequest) -> System:
    """Each of the two ways to read."""
    return SYSTEMS[request.param]


def test_each_directory_with_a_skill_md_is_a_skill(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/scripts/x.py", "skills/csv/SKILL.md"])
    found = run(tmp_path, system=system)
    assert found.findings == ()
    assert found.places == ["skills/csv", "skills/pdf"]
    assert found.skills[1].directory == "pdf"
    assert [file.path for file in found.skills[1].files] == ["SKILL.md", "scripts/x.py"]
    assert found.contents["skills/pdf/scripts/x.py"] == b"skills/pdf/scripts/x.py"


def test_a_root_with_a_skill_md_is_one_skill(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["agent/pdf/SKILL.md", "agent/pdf/a/b.md"])
    found = run(tmp_path, "agent/pdf", system=system)
    assert found.places == ["agent/pdf"]
    assert found.skills[0].directory == "pdf"


def test_the_project_itself_can_be_a_skills_root_or_a_skill(tmp_path: Path) -> None:
    make(tmp_path, ["roots/pdf/SKILL.md", "single/SKILL.md"])
    assert run(tmp_path / "roots", ".").places == ["./pdf"]
    found = run(tmp_path / "single", ".")
    assert found.places == ["."]
    assert found.skills[0].directory == "single"


def test_files_are_sorted_by_the_bytes_of_their_whole_paths(tmp_path: Path, system: System) -> None:
    names = ["a/b.md", "a-b.md", "a.md", "Z.md", "é.md", "\U0001f600.md", "\uffee.md", "SKILL.md"]
    make(tmp_path / "skills/s", names)
    (skill,) = run(tmp_path, system=system).skills
    assert [file.path for file in skill.files] == sorted(names, key=str.encode)


def test_roots_keep_the_order_in_which_they_were_given(tmp_path: Path) -> None:
    make(tmp_path, ["b/x/SKILL.md", "a/y/SKILL.md"])
    found = run(tmp_path, "b", "a")
    assert found.places == ["b/x", "a/y"]


def test_files_beside_the_skills_are_notes_and_never_opened(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["skills/README.md", "skills/.DS_Store", "skills/pdf/SKILL.md"])
    Path(os.fsdecode(bytes(tmp_path / "skills") + b"/caf\xe9.md")).touch()
    counted, counts = counting(system)
    found = run(tmp_path, system=counted)
    assert found.lines == [
        "skills/.DS_Store left-out",
        "skills/README.md beside-skills",
        r"skills/caf\xe9.md beside-skills",
    ]
    assert {finding.level for finding in found.findings} == {Level.NOTE}
    assert found.findings[1].message == "a file beside the skills belongs to none of them and is not packed"
    status = (tmp_path / "skills/README.md").stat()
    assert (status.st_dev, status.st_ino) not in counts.opened


@pytest.mark.parametrize(
    ("exclude", "line"), [([], "skills/.env beside-skills"), ([".env"], "skills/.env excluded")]
)
def test_the_note_about_a_file_beside_the_skills_says_when_it_is_named_like_a_secret(
    tmp_path: Path, exclude: list[str], line: str
) -> None:
    make(tmp_path, ["skills/.env", "skills/pdf/SKILL.md"])
    found = run(tmp_path, exclude=exclude)
    assert found.lines == [line]
    assert found.findings[0].message.endswith("; it is named like a secret and is in nothing that is built")
    assert found.findings[0].level is Level.NOTE


@pytest.mark.parametrize("name", [".hidden", "_template"])
def test_a_dotted_or_underscored_directory_is_a_skill_if_it_has_a_skill_md(tmp_path: Path, name: str) -> None:
    make(tmp_path, [f"skills/{name}/SKILL.md"])
    assert run(tmp_path).places == [f"skills/{name}"]


@pytest.mark.parametrize("name", [".hidden", "_shared"])
def test_a_dotted_or_underscored_directory_without_one_is_skipped_with_a_note(
    tmp_path: Path, name: str
) -> None:
    make(tmp_path, [f"skills/{name}/x.md"])
    found = run(tmp_path)
    assert found.lines == [f"skills/{name} beside-skills"]
    assert found.one("beside-skills").level is Level.NOTE
    assert found.one("beside-skills").message.startswith("skipped: it has no SKILL.md")
    assert found.skills == ()


def test_the_note_on_a_skipped_directory_names_the_root_of_the_skills_below_it(tmp_path: Path) -> None:
    make(tmp_path, ["skills/.system/pdf/SKILL.md"])
    finding = run(tmp_path).one("beside-skills")
    assert (finding.path, finding.level) == ("skills/.system", Level.NOTE)
    assert finding.hint == 'add "skills/.system" to `skills`'
    assert run(tmp_path, "skills", "skills/.system").findings == ()


# SKILL.md in other letters


@pytest.mark.parametrize("name", ["skill.md", "SKILL.MD", "Skill.md"])
def test_a_skill_md_in_other_letters_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    make(tmp_path, [f"skills/pdf/{name}", "skills/pdf/x.py"])
    found = run(tmp_path)
    finding = found.one("skill-md-case")
    assert finding.path == f"skills/pdf/{name}"
    assert finding.message == f"named {name} and not SKILL.md"
    assert finding.hint == "rename it to SKILL.md"
    assert found.skills == ()
    assert [skill.place for skill in found.discovery.headless] == ["skills/pdf"]


def test_both_spellings_in_one_directory_are_an_error_that_names_both(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/skill.md"])
    found = run(tmp_path)
    assert found.one("skill-md-case").message.startswith("SKILL.md and skill.md are both here")
    assert found.places == ["skills/pdf"]


def test_45_lower_case_files_are_45_findings(tmp_path: Path) -> None:
    make(tmp_path, [f"skills/s{index}/skill.md" for index in range(45)] + ["skills/good/SKILL.md"])
    assert run(tmp_path).codes == ["skill-md-case"] * 45


def test_an_excluded_spelling_does_not_count(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/skill.md"])
    assert run(tmp_path, exclude=["skills/pdf/skill.md"]).codes == ["excluded"]


# directories that are not taken


def test_a_directory_of_the_root_that_is_left_out_is_listed(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/__pycache__/x.pyc", "skills/venv/pyvenv.cfg"])
    found = run(tmp_path, system=system)
    assert found.lines == ["skills/__pycache__ left-out", "skills/venv left-out"]


def test_what_pip_left_behind_is_a_warning_and_not_packed(tmp_path: Path) -> None:
    make(tmp_path, ["skills/~df/SKILL.md", "skills/pdf/SKILL.md"])
    found = run(tmp_path)
    assert found.places == ["skills/pdf"]
    assert found.one("left-out").level is Level.WARNING
    assert run(tmp_path, policy=Policy(setting="strict")).one("left-out").level is Level.ERROR


def test_an_excluded_skill_is_a_note_and_is_listed(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/old/SKILL.md"])
    found = run(tmp_path, exclude=["/skills/old/"])
    assert found.places == ["skills/pdf"]
    assert found.one("excluded").path == "skills/old"


def test_a_pattern_that_matches_nothing_is_a_warning(tmp_path: Path) -> None:
    make(tmp_path, ["skills/README.md", "skills/pdf/SKILL.md", "skills/pdf/a.tmp"])
    found = run(tmp_path, exclude=["*.bak", "*.tmp", "README.md"])
    assert found.lines == [
        "pyproject.toml exclude-unused",
        "skills/README.md excluded",
        "skills/pdf/a.tmp excluded",
    ]
    assert found.one("exclude-unused").path == "pyproject.toml"
    assert found.one("exclude-unused").message == "the exclude pattern `*.bak` matches nothing"


def test_nothing_is_said_about_unused_patterns_when_not_all_was_seen(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/x.md"])
    assert run(tmp_path, "skills", "missing", exclude=["*.bak"]).codes == ["root-missing"]
    assert run(tmp_path, limits=Limits(max_skill_files=1), exclude=["*.bak"]).codes == ["limit-files"]
    assert run(tmp_path, limits=Limits(max_files=1), exclude=["*.bak"]).codes == ["limit-run"]


def test_excluding_the_skill_md_of_a_skill_that_stays_is_an_error(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/x.md"])
    finding = run(tmp_path, exclude=["SKILL.md"]).one("exclude-skill-md")
    assert finding.path == "skills/pdf/SKILL.md"
    assert (
        finding.hint
        == "exclude the directory skills/pdf/ to leave the whole skill out, or change the pattern"
    )


@pytest.mark.parametrize(
    "pattern", ["skills/pdf/SKILL.md", "SKILL.md", "*.md", "skills/*/*.md", "**/SKILL.md"]
)
def test_a_pattern_about_files_that_takes_a_whole_skill_is_an_error(tmp_path: Path, pattern: str) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md"])
    finding = run(tmp_path, exclude=[pattern]).one("exclude-skill-md")
    assert finding.message == f"`{pattern}` in `exclude` drops the SKILL.md of a skill"


@pytest.mark.parametrize(
    "pattern",
    ["skills/pdf/", "skills/pdf", "pdf", "/skills/p*/", "skills/pdf/*", "skills/pdf/**", "skills/*/*"],
)
def test_a_pattern_about_its_directory_leaves_a_whole_skill_out(tmp_path: Path, pattern: str) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/x.md"])
    assert {line.split()[1] for line in run(tmp_path, exclude=[pattern]).lines} == {"excluded"}


def test_a_root_that_is_a_skill_is_left_out_by_its_directory_too(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md"])
    assert run(tmp_path, "skills/pdf", exclude=["skills/pdf/"]).lines == ["skills/pdf/SKILL.md excluded"]
    assert run(tmp_path, "skills/pdf", exclude=["*.md"]).codes == ["exclude-skill-md"]


def test_of_all_files_of_a_skill_none_may_be_taken_back_without_its_skill_md(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/x.md"])
    assert run(tmp_path, exclude=["skills/pdf/*", "!skills/pdf/x.md"]).codes == ["exclude-skill-md"]


def test_excluding_all_files_of_a_skill_excludes_the_skill(tmp_path: Path) -> None:
    make(tmp_path, ["skills/old/SKILL.md", "skills/old/x.md", "skills/pdf/SKILL.md"])
    found = run(tmp_path, exclude=["skills/old/**"])
    assert found.lines == ["skills/old/SKILL.md excluded", "skills/old/x.md excluded"]


def test_links_and_special_files_beside_the_skills_are_errors(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "shared/csv/SKILL.md"])
    (tmp_path / "skills/csv").symlink_to("../shared/csv")
    (tmp_path / "skills/README.md").symlink_to("pdf/SKILL.md")
    (tmp_path / "skills/node_modules").symlink_to("../shared")
    os.mkfifo(tmp_path / "skills/pipe")
    found = run(tmp_path, system=system)
    assert found.lines == [
        "skills/README.md symlink",
        "skills/csv symlink",
        "skills/node_modules left-out",
        "skills/pipe special-file",
    ]
    assert found.findings[1].hint == "replace the link with a copy of shared/csv"
    assert found.places == ["skills/pdf"]


def test_a_directory_whose_name_is_not_utf_8_is_an_error_with_the_name_escaped(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md"])
    Path(os.fsdecode(bytes(tmp_path / "skills") + b"/caf\xe9")).mkdir()
    finding = run(tmp_path).one("path-encoding")
    assert finding.path == r"skills/caf\xe9"


def test_a_root_that_cannot_be_listed_is_a_finding(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md"])
    finding = run(tmp_path, system=failing_list(system, tmp_path / "skills", errno.EIO)).one("unreadable")
    assert finding.path == "skills"
    assert finding.message == "cannot be read: input/output error"


def test_a_directory_of_the_root_that_cannot_be_opened_or_listed_is_a_finding(
    tmp_path: Path, system: System
) -> None:
    make(tmp_path, ["skills/csv/SKILL.md", "skills/pdf/SKILL.md"])
    found = run(tmp_path, system=failing_list(system, tmp_path / "skills/pdf", errno.EACCES))
    assert found.places == ["skills/csv"]
    assert found.one("unreadable").path == "skills/pdf"
    assert found.one("unreadable").message == "cannot be read: permission denied"
    found = run(tmp_path, system=failing_open(SYSTEM, "pdf", errno.EACCES))
    assert found.lines == ["skills/pdf unreadable"]


# roots


def test_the_same_directory_through_two_roots_counts_once(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md"])
    roots = [
        Root(written="skills", directory=Path("skills")),
        Root(written="other/../skills", directory=tmp_path / "skills"),
    ]
    found = run(tmp_path, roots=roots, system=system)
    assert found.places == ["skills/pdf"]
    assert found.lines == ["other/../skills root-repeated"]


@pytest.mark.parametrize("written", [("skills", "skills/pdf"), ("skills/pdf", "skills")])
def test_a_skill_that_is_also_a_root_counts_once(
    tmp_path: Path, system: System, written: tuple[str, str]
) -> None:
    make(tmp_path, ["skills/csv/SKILL.md", "skills/pdf/SKILL.md"])
    found = run(tmp_path, *written, system=system)
    assert sorted(found.places) == ["skills/csv", "skills/pdf"]
    assert found.lines == ["skills/pdf root-repeated"]


def test_a_group_of_skills_that_is_also_a_root_needs_no_word(tmp_path: Path) -> None:
    make(tmp_path, ["skills/csv/SKILL.md", "skills/office/pdf/SKILL.md"])
    found = run(tmp_path, "skills", "skills/office")
    assert found.findings == ()
    assert found.places == ["skills/csv", "skills/office/pdf"]


def test_a_root_outside_the_project_is_a_note(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["shared/pdf/SKILL.md", "project/skills/csv/SKILL.md"])
    found = run(tmp_path / "project", "skills", "../shared", system=system)
    assert found.lines == ["../shared root-outside"]
    assert found.places == ["skills/csv", "../shared/pdf"]


@pytest.mark.parametrize("output", ["skills/x.py", "skills", "skills/new/x.py", "alias/x.py"])
def test_an_output_in_a_skills_root_is_an_error(tmp_path: Path, output: str) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "src/x.py"])
    (tmp_path / "alias").symlink_to("skills")
    found = run(tmp_path, outputs=[Path(output), tmp_path / "src/x.py"])
    assert found.lines == [f"{output} output-inside-input"]


def test_an_output_outside_the_project_in_a_root_outside_the_project_is_an_error_too(tmp_path: Path) -> None:
    make(tmp_path, ["shared/pdf/SKILL.md", "project/x"])
    output = tmp_path / "shared/x.py"
    found = run(tmp_path / "project", "../shared", outputs=[output])
    assert found.one("output-inside-input").path == output.as_posix()


# the skill as a whole


def test_a_skill_md_below_a_skill_is_packed_with_it_and_reported(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/sub/SKILL.md"])
    found = run(tmp_path)
    assert found.one("nested-skill").path == "skills/pdf/sub/SKILL.md"
    assert "skills/pdf/sub/SKILL.md" in found.contents


def test_the_hint_for_a_nested_skill_names_every_way_out(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", "skills/pdf/sub/SKILL.md"])
    assert run(tmp_path).one("nested-skill").hint == (
        'move its directory out of skills/pdf, exclude skills/pdf/sub/SKILL.md, or set nested = "split" to pack it as '
        "a skill of its own"
    )


# skills inside skills that are split off


def parts(found: Run) -> dict[str, list[str]]:
    """Return the paths of the files of each skill, by its place."""
    return {skill.place: [file.path for file in skill.files] for skill in found.skills}


def test_split_skills_have_their_own_files_and_the_outer_one_has_the_rest(
    tmp_path: Path, system: System
) -> None:
    make(
        tmp_path,
        [
            "skills/pdf/SKILL.md",
            "skills/pdf/a/x.md",
            "skills/pdf/a/forms/SKILL.md",
            "skills/pdf/a/forms/b/y.md",
            "skills/pdf/a/forms/b/deep/SKILL.md",
            "skills/pdf/a/forms/b/deep/z.md",
            "skills/pdf/a/z.md",
            "skills/pdf-2/SKILL.md",
        ],
    )
    found = run(tmp_path, splits=True, system=system)
    assert found.findings == ()
    assert parts(found) == {
        "skills/pdf": ["SKILL.md", "a/x.md", "a/z.md"],
        "skills/pdf-2": ["SKILL.md"],
        "skills/pdf/a/forms": ["SKILL.md", "b/y.md"],
        "skills/pdf/a/forms/b/deep": ["SKILL.md", "z.md"],
    }
    assert [skill.directory for skill in found.skills] == ["pdf", "pdf-2", "forms", "deep"]
    assert found.contents["skills/pdf/a/forms/b/y.md"] == b"skills/pdf/a/forms/b/y.md"


def test_a_root_that_is_a_skill_is_split_too(tmp_path: Path) -> None:
    make(tmp_path, ["SKILL.md", "x.md", "inner/SKILL.md"])
    found = run(tmp_path, ".", splits=True)
    assert parts(found) == {".": ["SKILL.md", "x.md"], "./inner": ["SKILL.md"]}
    assert [skill.directory for skill in found.skills] == [tmp_path.name, "inner"]


def test_what_is_left_out_belongs_to_the_skill_it_lies_in(tmp_path: Path) -> None:
    make(
        tmp_path, ["skills/a/SKILL.md", "skills/a/.DS_Store", "skills/a/b/SKILL.md", "skills/a/b/c/.DS_Store"]
    )
    make(tmp_path, ["skills/a/b/env/pyvenv.cfg", "skills/a/b/x.md"])
    found = run(tmp_path, splits=True, exclude=["x.md"])
    assert [skill.left_out for skill in found.skills] == [
        (".DS_Store",),
        ("c/.DS_Store", "env/", "x.md"),
    ]


def test_a_split_skill_md_has_its_name_in_the_right_letters(tmp_path: Path) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/a/b/skill.md", "skills/a/b/x.md"])
    found = run(tmp_path, splits=True)
    assert found.one("skill-md-case").path == "skills/a/b/skill.md"
    assert parts(found) == {"skills/a": ["SKILL.md"]}
    assert [skill.place for skill in found.discovery.headless] == ["skills/a/b"]
    assert run(tmp_path).findings == ()


@pytest.mark.parametrize(
    ("pattern", "code"), [("skills/a/b/*", "excluded"), ("skills/a/b/SKILL.md", "exclude-skill-md")]
)
def test_a_split_skill_without_its_excluded_skill_md_is_none(tmp_path: Path, pattern: str, code: str) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/a/b/SKILL.md"])
    found = run(tmp_path, splits=True, exclude=[pattern])
    assert found.lines == [f"skills/a/b/SKILL.md {code}"]
    assert parts(found) == {"skills/a": ["SKILL.md"]}


def test_an_excluded_outer_skill_leaves_those_inside_it(tmp_path: Path) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/a/b/SKILL.md"])
    found = run(tmp_path, splits=True, exclude=["skills/a/*", "!skills/a/b/"])
    assert found.lines == ["skills/a/SKILL.md excluded"]
    assert found.places == ["skills/a/b"]


def test_a_skill_md_in_a_directory_of_secrets_makes_no_skill_of_its_own(tmp_path: Path) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/a/.env/SKILL.md"])
    found = run(tmp_path, splits=True)
    assert parts(found) == {"skills/a": [".env/SKILL.md", "SKILL.md"]}


def test_a_directory_called_skill_md_makes_no_skill(tmp_path: Path) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/a/b/SKILL.md/x"])
    assert parts(run(tmp_path, splits=True)) == {"skills/a": ["SKILL.md", "b/SKILL.md/x"]}


def test_limits_hold_for_each_split_skill(tmp_path: Path) -> None:
    files = [f"skills/{place}/{name}" for place in ("a", "a/b", "a/b/c") for name in ("SKILL.md", "x", "d/y")]
    make(tmp_path, files)
    assert run(tmp_path, splits=True, limits=Limits(max_skill_files=3)).findings == ()
    finding = run(tmp_path, splits=True, limits=Limits(max_skill_files=2)).one("limit-files")
    assert (finding.path, finding.message) == ("skills/a/b/c", "the skill is over 2 files")
    make(tmp_path, {"skills/a/b/d/large": bytes(200)})
    found = run(tmp_path, splits=True, limits=Limits(max_skill_files=3))
    assert found.one("limit-files").path == "skills/a/b"
    assert found.one("limit-files").hint == (
        "exclude what it does not need, such as skills/a/b/d/, or raise max-skill-files"
    )
    over = run(tmp_path, splits=True, limits=Limits(max_skill_bytes=150))
    assert over.lines == ["skills/a/b/d/large limit-skill-bytes"]
    assert not found.discovery.is_whole


def test_split_skills_nest_as_deep_as_directories_may(tmp_path: Path) -> None:
    deep = "/".join(["skills/a", *"b" * 16])
    make(tmp_path, [f"{'/'.join(deep.split('/')[:depth])}/SKILL.md" for depth in range(2, 19)])
    found = run(tmp_path, splits=True)
    assert (len(found.skills), found.findings) == (17, ())
    make(tmp_path, [f"{deep}/b/SKILL.md"])
    assert run(tmp_path, splits=True).codes == ["limit-depth"]


def test_a_skill_without_a_readable_skill_md_is_kept_apart_with_its_other_files(
    tmp_path: Path, system: System
) -> None:
    make(tmp_path, ["skills/pdf/x.md", "skills/csv/SKILL.md"])
    (tmp_path / "skills/pdf/SKILL.md").symlink_to("x.md")
    found = run(tmp_path, system=system)
    assert found.lines == ["skills/pdf/SKILL.md symlink"]
    assert found.places == ["skills/csv"]
    assert [file.path for skill in found.discovery.headless for file in skill.files] == ["x.md"]


def test_a_skill_with_nothing_to_pack_is_none(tmp_path: Path) -> None:
    make(tmp_path, ["skills/pdf/__pycache__/x.pyc"])
    (tmp_path / "skills/pdf/SKILL.md").symlink_to("missing")
    found = run(tmp_path)
    assert (found.skills, found.discovery.headless) == ((), ())


@pytest.mark.parametrize(("count", "codes"), [(512, []), (513, ["large-skill"])])
def test_a_skill_of_more_files_than_hosts_take_is_a_warning(
    tmp_path: Path, count: int, codes: list[str]
) -> None:
    make(tmp_path, ["skills/pdf/SKILL.md", *(f"skills/pdf/{index}" for index in range(1, count))])
    assert run(tmp_path).codes == codes


def test_the_hint_for_a_large_skill_names_the_first_entry_that_would_do(tmp_path: Path) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/a/b/x", *(f"skills/a/c/{index}" for index in range(600))])
    assert run(tmp_path).one("large-skill").hint == "exclude what the skill does not need, such as skills/a/c"
    make(tmp_path, [f"skills/a/d/{index}" for index in range(600)])
    assert run(tmp_path).one("large-skill").hint == "exclude what the skill does not need"


def test_a_skill_of_more_bytes_than_hosts_take_is_a_warning(tmp_path: Path) -> None:
    make(tmp_path, {"skills/pdf/SKILL.md": b"", "skills/pdf/x.bin": bytes(16 * 2**20 + 1)})
    found = run(tmp_path)
    assert (
        found.one("large-skill").message == "2 files, 16.0 MiB: some hosts take at most 512 files or 16.0 MiB"
    )
    assert found.one("large-skill").hint.endswith(", such as skills/pdf/x.bin")
    assert found.one("large-file").path == "skills/pdf/x.bin"


# the run as a whole


def test_everything_wrong_comes_in_one_run_and_the_rest_is_captured(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/b/skill.md", "skills/c/SKILL.md", "skills/d/x.md"])
    (tmp_path / "skills/a/link").symlink_to("/etc/hostname")
    (tmp_path / "skills/c/.git").mkdir()
    os.mkfifo(tmp_path / "skills/c/pipe")
    found = run(tmp_path, "missing", "skills", system=system)
    assert found.lines == [
        "missing root-missing",
        "skills/a/link symlink",
        "skills/b/skill.md skill-md-case",
        "skills/c/.git vcs-entry",
        "skills/c/pipe special-file",
        "skills/d skill-md-missing",
    ]
    assert sorted(found.contents) == ["skills/a/SKILL.md", "skills/b/skill.md", "skills/c/SKILL.md"]


def test_each_file_is_opened_once_and_each_directory_listed_once(tmp_path: Path, system: System) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/a/x/y.md", "skills/group/b/SKILL.md", "more/c/SKILL.md"])
    counted, counts = counting(system)
    run(tmp_path, "skills", "more", "skills/group", system=counted)
    files = {(path.stat().st_dev, path.stat().st_ino) for path in tmp_path.rglob("*") if path.is_file()}
    assert {identity for identity in counts.opened if identity in files} == files
    assert {counts.opened[identity] for identity in files} == {1}
    assert set(counts.listed.values()) == {1}
    assert len(counts.listed) == 7
    assert counts.live == 0


def test_nothing_but_the_walk_opens_a_file(tmp_path: Path) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/a/one.md", "skills/a/sub/two.md"])
    code = """
import sys
from pathlib import Path
from support.discovery import run
opened = []
sys.addaudithook(lambda event, args: opened.append(Path(str(args[0])).name) if event == "open" else None)
found = run(Path(sys.argv[1]))
print(*sorted(name for name in opened if name.endswith(".md")))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["SKILL.md", "one.md", "two.md"]


def test_the_locale_changes_nothing(tmp_path: Path) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/a/é/\U0001f600.md", "skills/é/SKILL.md"])
    (tmp_path / "skills/a/link").symlink_to("é/\U0001f600.md")
    code = """
import sys
from pathlib import Path
from support.discovery import run
found = run(Path(sys.argv[1]))
print(ascii([found.lines, sorted(found.contents), [finding.hint for finding in found.findings]]))
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-X", f"utf8={utf8}", "-c", code, tmp_path],
            env={
                "PYTHONPATH": str(Path(__file__).parents[1]),
                "PYTHONCOERCECLOCALE": "0",
                "LC_ALL": "C",
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for utf8 in (0, 1)
    }
    assert len(outputs) == 1
    assert "copy of skills/a/\\xe9/\\U0001f600.md" in outputs.pop()


def test_modes_and_times_change_nothing_but_the_execute_bit(tmp_path: Path) -> None:
    make(tmp_path, ["skills/a/SKILL.md", "skills/a/run.sh"])
    (before,) = run(tmp_path).skills
    (tmp_path / "skills/a/SKILL.md").chmod(0o600)
    (tmp_path / "skills/a/run.sh").chmod(0o654)
    os.utime(tmp_path / "skills/a/SKILL.md", (1, 1))
    (after,) = run(tmp_path).skills
    assert [file.executable for file in before.files] == [False, False]
    assert [file.executable for file in after.files] == [False, True]
