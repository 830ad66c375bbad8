"""Skills of installed distributions: how they are found, and that they are packed as they were installed."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from skillpack import from_directory, pipeline
from skillpack.rules import Level
from support import distributions, projects
from support.distributions import install
from support.packing import pack, settings, skillpack
from support.projects import below, skill

if TYPE_CHECKING:
    from pathlib import Path

    from skillpack.findings import Finding
    from support.packing import Outcome

HOME = "desk/.agents/skills"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return projects.write(tmp_path / "project", below("skills", skill("own")))


def desk(site: Path, *names: str, home: str = HOME, **options: Any) -> Path:
    """Install the distribution desk-tools, with a skill for each name."""
    files = {"desk/__init__.py": ""}
    for name in names:
        files |= below(home, skill(name))
    return install(site, "desk-tools", "1.2", files, **options)


def refusal(project: Path, *roots: str) -> Finding:
    """Pack what cannot be packed, and return the one finding about it."""
    (finding,) = pack(project, skills=list(roots)).errors
    assert finding.code == "root-missing"
    assert finding.path == roots[0]
    return finding


# ------------------------------------------------------------------ what is packed


@pytest.mark.parametrize("home", ["desk/.agents/skills", "desk/skills", "desk/deep/er/skills"])
def test_the_skills_of_a_distribution_are_packed(site: Path, project: Path, home: str) -> None:
    desk(site, "call", "write", home=home)
    outcome = pack(project, skills=["package:desk-tools", "skills"])
    assert list(outcome.packed) == ["call", "own", "write"]
    assert outcome.packed.read("call", "references/notes.md") == "Take your time.\n"
    assert outcome.lines == []


def test_the_name_is_taken_in_any_spelling(site: Path, project: Path) -> None:
    desk(site, "call")
    for name in ("desk-tools", "Desk_Tools", "DESK.tools"):
        assert list(pack(project, skills=[f"package:{name}"]).packed) == ["call"]


def test_one_skill_is_named_behind_the_distribution(site: Path, project: Path) -> None:
    desk(site, "call", "write")
    assert list(pack(project, skills=["package:desk-tools/write"]).packed) == ["write"]
    both = pack(project, skills=["package:desk-tools", "package:desk-tools/write"])
    assert list(both.packed) == ["call", "write"]
    assert both.lines == ["package:desk-tools/write: note: root-repeated"]


def test_the_command_line_takes_it_too(site: Path, project: Path) -> None:
    desk(site, "call")
    result = skillpack(project, "check", "package:desk-tools")
    assert (result.exit_code, result.output.startswith("good: 1 skill, 2 files")) == (0, True)


def test_it_is_read_when_an_agent_starts_too(site: Path) -> None:
    desk(site, "call")
    assert list(from_directory("package:desk-tools")) == ["call"]


def test_digests_do_not_depend_on_where_a_skill_is_from(site: Path, project: Path) -> None:
    desk(site, "own")
    assert pack(project).packed.digest == pack(project, skills=["package:desk-tools"]).packed.digest


def test_a_skill_of_several_directories_of_a_distribution_is_packed_once_each(
    site: Path, project: Path
) -> None:
    install(
        site,
        "desk-tools",
        "1.2",
        {**below("desk/.agents/skills", skill("call")), **below("desk/deep/skills", skill("write"))},
    )
    assert list(pack(project, skills=["package:desk-tools"]).packed) == ["call", "write"]


def test_what_lies_beside_the_skills_is_not_the_distributions(site: Path, project: Path) -> None:
    """A namespace package has a directory with other distributions, and installers leave things lying about."""
    desk(site, "call")
    install(site, "other-tools", "3", below(HOME, skill("others")))
    projects.write(site / HOME, {"stray/SKILL.md": "no frontmatter\n", "README.md": "\n", "SKILL.md": "x\n"})
    outcome = pack(project, skills=["package:desk-tools"])
    assert (list(outcome.packed), outcome.lines) == (["call"], [])


def test_distributions_that_share_a_directory_are_packed_beside_each_other(site: Path, project: Path) -> None:
    desk(site, "call", "write")
    install(site, "other-tools", "3", below(HOME, skill("walk")))
    outcome = pack(project, skills=["package:desk-tools", "package:other-tools", "package:Desk-Tools"])
    assert list(outcome.packed) == ["call", "walk", "write"]
    assert outcome.lines == ["package:Desk-Tools: note: root-repeated"]


def test_the_directory_itself_is_searched_besides_the_distribution(site: Path, project: Path) -> None:
    desk(site, "call")
    install(site, "other-tools", "3", below(HOME, skill("walk")))
    (site / "desk/__init__.py").unlink()
    both = ["package:desk-tools", os.path.relpath(site / HOME, project)]
    found = pack(project, skills=both)
    assert list(found.packed) == ["call", "walk"]
    assert [line.rpartition(" ")[2] for line in found.lines] == ["root-outside", "skill-repeated"]
    turned = pack(project, skills=both[::-1])
    assert list(turned.packed) == ["call", "walk"]
    assert [line.rpartition(" ")[2] for line in turned.lines] == ["root-outside", "root-repeated"]


def test_a_skill_whose_name_begins_like_anothers_is_not_inside_it(site: Path, project: Path) -> None:
    files = {**skill("a"), **skill("a-b"), **skill("ab"), **below("a/skills", skill("inner"))}
    install(site, "desk-tools", "1.2", below("desk/skills", files))
    assert list(pack(project, skills=["package:desk-tools"]).packed) == ["a", "a-b", "ab"]
    assert "has no skill" in refusal(project, "package:desk-tools/inner").message


def test_a_skill_inside_a_skill_is_one_of_its_files_or_split_off(site: Path, project: Path) -> None:
    nested = below(HOME, {**skill("call"), **below("call/.agents/skills", skill("inner"))})
    install(site, "desk-tools", "1.2", nested)
    assert list(pack(project, skills=["package:desk-tools"]).packed) == ["call"]
    assert list(pack(project, skills=["package:desk-tools"], nested="split").packed) == ["call", "inner"]


def test_findings_and_patterns_have_the_root_as_it_was_written(site: Path, project: Path) -> None:
    files = below(HOME, {**skill("call"), "call/.env": "A=b\n", "call/notes.local.md": "x\n"})
    install(site, "desk-tools", "1.2", files)
    refused = pack(project, skills=["package:desk-tools"])
    assert refused.lines == [
        "package:desk-tools/call/.env: error: secret-name",
        "package:desk-tools/call/notes.local.md: warning: local-file",
    ]
    exclude = ["package:desk-tools/call/.env", "package:desk-tools/call/*.local.md"]
    good = pack(project, skills=["package:desk-tools"], exclude=exclude)
    assert good.packed["call"].files.keys() == {"SKILL.md", "references/notes.md"}


@pytest.mark.parametrize("link", ["desk", "desk/.agents", "desk/.agents/skills", f"{HOME}/call"])
def test_no_link_is_followed_on_the_way_to_a_skill(
    site: Path, project: Path, tmp_path: Path, link: str
) -> None:
    desk(site, "call")
    (site / link).rename(tmp_path / "elsewhere")
    (site / link).symlink_to(tmp_path / "elsewhere")
    assert "symlink" in {finding.code for finding in pack(project, skills=["package:desk-tools"]).errors}


def test_a_link_to_the_directory_of_all_distributions_is_followed(
    site: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A virtual environment may be one, inside of the project too."""
    desk(site, "call")
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(site)])
    site.rename(tmp_path / "store")
    (project / ".venv").symlink_to(tmp_path / "store")
    monkeypatch.syspath_prepend(str(project / ".venv"))
    outcome = pack(project, skills=["package:desk-tools"])
    assert (list(outcome.packed), outcome.lines) == (["call"], [])


# ------------------------------------------------------------------ what cannot be packed


def test_one_that_is_not_installed_is_told_with_what_a_build_needs(site: Path, project: Path) -> None:
    finding = refusal(project, "package:no-such-thing")
    assert finding.message == "no distribution of this name is installed beside skillpack"
    assert finding.hint == (
        'install it there; for builds in an environment of their own write "no-such-thing" into '
        "build-system.requires of the pyproject.toml"
    )


def test_the_name_of_a_package_is_answered_with_that_of_its_distribution(site: Path, project: Path) -> None:
    desk(site, "call")
    finding = refusal(project, "package:desk")
    assert finding.message.endswith("; the package that is imported as desk is part of desk-tools")
    assert finding.hint == "write package:desk-tools"
    install(site, "desk-more", "1", {"desk/more.py": ""})
    assert refusal(project, "package:desk").hint == "write package:desk-more or package:desk-tools"


def test_a_misspelt_name_is_answered_with_the_nearest(site: Path, project: Path) -> None:
    desk(site, "call")
    finding = refusal(project, "package:desktools")
    assert finding.message.endswith("; there is desk-tools")
    assert finding.hint.startswith("write package:desk-tools if that is meant; else install it there; ")


def test_what_an_interrupted_uninstallation_left_is_no_distribution(site: Path, project: Path) -> None:
    info = desk(site, "call")
    (info / "METADATA").unlink()
    assert refusal(project, "package:desk-tools").message.startswith("no distribution of this name")


ODD_METADATA = (
    b"",
    b"Metadata-Version: 2.1\n\nName: desk-tools\nVersion: 1.2\n",
    b"Metadata-Version: 2.1\nVersion: 1.2\n",
    b"Name: desk-tools\nVersion: \n",
    b"Name:\t\nVersion: 1.2\n",
    b"Name: desk-tools\nVersion: 1.2\nSummary: \xff\n",
)


@pytest.mark.parametrize("data", ODD_METADATA)
@pytest.mark.parametrize("name", ["desk-tools", "elsewhere"])
def test_one_that_does_not_say_what_it_is_is_none_and_hides_no_other(
    site: Path, project: Path, name: str, data: bytes
) -> None:
    info = desk(site, "call")
    (info / "METADATA").write_bytes(data)
    (info / "PKG-INFO").write_bytes(b"Name: desk-tools\nVersion: 1.2\n" if data else b"")
    assert refusal(project, f"package:{name}").message == (
        "no distribution of this name is installed beside skillpack"
    )


def test_what_is_imported_from_a_zip_is_no_directory_of_skills(
    site: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk(site, "call")
    archive = tmp_path / "site.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for path in site.rglob("*"):
            made.write(path, path.relative_to(site))
    monkeypatch.setattr(sys, "path", [str(archive), *(path for path in sys.path if path != str(site))])
    assert refusal(project, "package:desk-tools").message.startswith("no distribution of this name")


def test_two_versions_at_one_place_are_refused(site: Path, project: Path) -> None:
    desk(site, "call")
    install(site, "desk-tools", "1.3")
    finding = refusal(project, "package:desk-tools")
    assert finding.message == "desk-tools is installed in several versions at one place, 1.2 and 1.3"


def test_the_first_on_the_path_is_taken_as_by_an_import(
    site: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk(site, "call")
    install(tmp_path / "before", "desk-tools", "2", below(HOME, skill("newer")))
    monkeypatch.syspath_prepend(str(tmp_path / "before"))
    monkeypatch.syspath_prepend(str(tmp_path / "before"))
    assert list(pack(project, skills=["package:desk-tools"]).packed) == ["newer"]


@pytest.mark.parametrize("data", [None, b"\xff"])
def test_one_without_a_record_is_refused(site: Path, project: Path, data: bytes | None) -> None:
    info = desk(site, "call", record=None)
    if data:
        (info / "RECORD").write_bytes(data)
    finding = refusal(project, "package:desk-tools")
    assert finding.message.startswith("desk-tools 1.2 has no RECORD, the list of its files")
    assert "name the directory of its skills in `skills`" in finding.hint


def test_one_with_a_malformed_record_is_refused(site: Path, project: Path) -> None:
    desk(site, "call", record="a" * 200_000)
    finding = refusal(project, "package:desk-tools")
    assert finding.message.startswith("desk-tools 1.2 has a malformed RECORD (field larger than ")
    assert finding.hint == "install desk-tools again, or name the directory of its skills in `skills`"


def test_an_editable_install_is_refused(site: Path, project: Path) -> None:
    desk(site, editable=True)
    finding = refusal(project, "package:desk-tools")
    assert finding.message == "desk-tools 1.2 is an editable install, whose record lists none of its skills"
    assert finding.hint == "name the directory of its skills in `skills`, or install it without --editable"


@pytest.mark.parametrize("text", ["{", "[]", '{"dir_info": {}}', '{"dir_info": 1}', '{"url": "x"}'])
def test_one_without_skills_is_refused(site: Path, project: Path, text: str) -> None:
    projects.write(desk(site), {"direct_url.json": text})
    finding = refusal(project, "package:desk-tools")
    assert finding.message == (
        "desk-tools 1.2 ships no skills: none of its packages has skills/NAME/SKILL.md or .agents/skills/NAME/SKILL.md"
    )


@pytest.mark.parametrize(
    "path",
    [
        "skills/call/SKILL.md",
        ".agents/skills/call/SKILL.md",
        "desk-tools.data/skills/call/SKILL.md",
        "../desk/skills/call/SKILL.md",
        "/desk/skills/call/SKILL.md",
        "desk/./skills/call/SKILL.md",
        "c:/desk/skills/call/SKILL.md",
        "desk\\skills\\call\\SKILL.md",
        "desk/skills/call/deep/SKILL.md",
        "desk/skill/call/SKILL.md",
    ],
)
def test_no_other_recorded_path_is_a_skill(site: Path, project: Path, path: str) -> None:
    desk(site, record=f"{path},,")
    assert "ships no skills" in refusal(project, "package:desk-tools").message


def test_a_skill_without_a_directory_of_its_own_is_told(site: Path, project: Path) -> None:
    install(site, "desk-tools", "1.2", {f"{HOME}/SKILL.md": "x\n"})
    finding = refusal(project, "package:desk-tools")
    assert f"{HOME}/SKILL.md lies in the skills directory itself" in finding.message


def test_a_skill_that_it_does_not_have_is_answered_with_those_that_it_has(site: Path, project: Path) -> None:
    desk(site, "call", "write")
    finding = refusal(project, "package:desk-tools/cal")
    assert finding.message == "desk-tools 1.2 has no skill in a directory of this name; it has call, write"
    assert finding.hint == "name one of these, or write package:desk-tools for all of them"


def test_two_directories_of_one_name_are_refused(site: Path, project: Path) -> None:
    install(
        site, "desk-tools", "1.2", {**below("a/skills", skill("call")), **below("b/skills", skill("call"))}
    )
    for root in ("package:desk-tools", "package:desk-tools/call"):
        finding = refusal(project, root)
        assert "two skills in directories of one name, a/skills/call and b/skills/call" in finding.message


def test_all_that_is_wrong_is_told_at_once_and_nothing_that_follows_from_it(
    site: Path, project: Path
) -> None:
    projects.write(project, {"skills/own/.env": "A=b\n"})
    outcome = pack(project, skills=["package:no-a", "package:no-b", "skills"], exclude=["package:no-a/x/"])
    assert outcome.lines == [
        "package:no-a: error: root-missing",
        "package:no-b: error: root-missing",
        "skills/own/.env: error: secret-name",
    ]


# ------------------------------------------------------------------ as it was installed


def altered(project: Path, **options: Any) -> list[tuple[str, str]]:
    outcome = pack(project, skills=["package:desk-tools"], **options)
    return [
        (finding.path, finding.message) for finding in outcome.findings if finding.code == "package-altered"
    ]


def test_a_file_that_is_not_as_installed_is_refused(site: Path, project: Path) -> None:
    desk(site, "call", "write")
    projects.write(site / HOME, {"call/references/notes.md": "Hurry.\n", "write/more.md": "x\n"})
    (site / HOME / "write/references/notes.md").unlink()
    assert altered(project) == [
        (
            "package:desk-tools/call/references/notes.md",
            "the file is not the one in the record of desk-tools 1.2",
        ),
        ("package:desk-tools/write/more.md", "the file is not in the record of desk-tools 1.2"),
        (
            "package:desk-tools/write/references/notes.md",
            "there is no such file, but it is in the record of desk-tools 1.2",
        ),
    ]
    finding = pack(project, skills=["package:desk-tools"]).errors[0]
    assert (finding.level, finding.hint) == (
        Level.ERROR,
        "install desk-tools again, or put a copy of the skill into a skills root of the project",
    )
    assert pack(project, skills=["package:desk-tools"], level="lenient").bundle is not None


def test_a_skill_that_is_gone_is_refused(site: Path, project: Path) -> None:
    desk(site, "call", "write")
    for path in ("SKILL.md", "references/notes.md"):
        (site / HOME / "call" / path).unlink()
    (site / HOME / "call/references").rmdir()
    (site / HOME / "call").rmdir()
    assert altered(project, select=["write"]) == [
        (
            "package:desk-tools/call/SKILL.md",
            "there is no such file (2 files), but it is in the record of desk-tools 1.2",
        )
    ]


def test_of_a_skill_that_is_not_packed_nothing_but_its_being_there_counts(site: Path, project: Path) -> None:
    desk(site, "call", "write")
    projects.write(site / HOME, {"call/more.md": "x\n"})
    (site / HOME / "call/references/notes.md").unlink()
    assert altered(project, select=["write"]) == []


def test_what_is_left_out_or_excluded_is_not_missing(site: Path, project: Path) -> None:
    files = below(HOME, {**skill("call"), "call/.DS_Store": "x", "call/a.py": "", "call/big.bin": "x"})
    compiled = f"{HOME}/call/__pycache__/a.cpython-311.pyc"
    install(site, "desk-tools", "1.2", files, record=f"{compiled},,")
    assert altered(project, exclude=["package:desk-tools/call/big.bin"]) == []
    projects.write(site, {compiled: "x"})
    assert altered(project) == []


@pytest.mark.parametrize("recorded", ["", "md5=x", "sha256=x", "sha256=" + 43 * "*"])
def test_a_digest_that_is_none_is_not_compared(site: Path, project: Path, recorded: str) -> None:
    desk(site, "call", record=f"{HOME}/call/more.md,{recorded},")
    projects.write(site, {f"{HOME}/call/more.md": "x\n"})
    assert altered(project) == []


def test_a_row_of_a_record_may_be_short_or_quoted_or_hold_odd_spaces(site: Path, project: Path) -> None:
    names = ("a,b.md", "a\u2028b.md")
    rows = [f'"{HOME}/call/{name}",sha256={distributions.digest("x")},1' for name in names]
    desk(site, "call", record="\n".join([f"{HOME}/call/more.md", *rows, "", ""]))
    projects.write(site, below(f"{HOME}/call", {"more.md": "x", **dict.fromkeys(names, "x")}))
    assert altered(project) == []


# ------------------------------------------------------------------ provenance


def test_the_manifest_tells_which_skills_are_from_which_distribution(site: Path, project: Path) -> None:
    desk(site, "call", "write")
    install(site, "other", "0.1", below("other/skills", skill("walk")))
    roots = ["package:desk_tools/write", "skills", "package:other", "package:desk-tools/call"]
    with pipeline.pack(settings(project, {"skills": roots})) as packed:
        manifest = json.loads(packed.manifest())
    assert manifest["provenance"] == {
        "packages": [
            {"name": "desk-tools", "skills": ["call", "write"], "version": "1.2"},
            {"name": "other", "skills": ["walk"], "version": "0.1"},
        ]
    }


def test_a_skill_that_the_project_has_itself_is_not_told_as_anothers(site: Path, project: Path) -> None:
    desk(site, "own")
    with pipeline.pack(settings(project, {"skills": ["skills", "package:desk-tools"]})) as packed:
        assert "provenance" not in json.loads(packed.manifest())


def test_nothing_of_a_distribution_is_imported(site: Path, project: Path) -> None:
    desk(site, "call")
    projects.write(site, {"desk/__init__.py": "raise RuntimeError('ran')\n"})
    outcome: Outcome = pack(project, skills=["package:desk-tools"])
    assert list(outcome.packed) == ["call"]
    assert "desk" not in sys.modules
    assert os.fspath(site) in sys.path
