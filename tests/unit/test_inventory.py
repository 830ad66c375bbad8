"""`skillpack list`: the skills of a project, and the bundles that installed packages declare, of which no code runs."""

from __future__ import annotations

import json
import sys
import zipfile
from importlib.util import spec_from_file_location
from typing import TYPE_CHECKING

import pytest

from skillpack import SkillSourceError, digest, installed
from skillpack.emit.module import parts
from skillpack.inventory import inventory
from skillpack.model import Frontmatter
from support import projects, tokens
from support.bundles import SOLO, make_source
from support.distributions import install
from support.forms import write
from support.packing import skillpack
from support.projects import agent, below, skill

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from pathlib import Path

    from click.testing import Result

    from skillpack.emit.folder import FolderForm

QUIET = Frontmatter(name="quiet", description="Said by name", values={"hide": True}, hidden=True)
BUNDLE = digest.address(
    [make_source("solo", SOLO), make_source("quiet", {"SKILL.md": b"---\n"}, frontmatter=QUIET)]
).bundle


def declare(site: Path, name: str, *points: str, version: str = "1.2") -> Path:
    lines = "".join(f"{point}\n" for point in points)
    return install(site, name, version, entry_points=f"[skillpack.bundles]\n{lines}")


def module(site: Path, path: str) -> None:
    """Write the emitted module, in a package that must not be imported."""
    target = projects.write(site, {path: parts(BUNDLE).source}) / path
    if target.parent != site:
        projects.write(target.parent, {"__init__.py": "raise RuntimeError('ran')\n"})


def listed(site: Path, *arguments: str) -> Result:
    return skillpack(site, "list", "--installed", *arguments)


# ------------------------------------------------------------------ what is installed

SKILLS = "  quiet: Said by name (hidden)\n  solo: One file\n"


def test_skills_of_declared_bundles_are_listed_and_nothing_is_imported(site: Path) -> None:
    module(site, "desk/skills.py")
    declare(site, "desk-tools", "desk = desk.skills:bundle")
    result = listed(site)
    assert result.output == (
        f"desk (desk-tools 1.2, desk.skills:bundle): 2 skills, {BUNDLE.digest}\n{SKILLS}"
    )
    assert result.exit_code == 0
    assert not {"desk", "desk.skills"} & sys.modules.keys()


@pytest.mark.parametrize("form", ["package", "data"])
def test_folders_are_read_too(site: Path, form: FolderForm) -> None:
    write(BUNDLE, form, site / "desk/skills")
    declare(site, "desk-tools", "desk = desk.skills : bundle ")
    assert listed(site).output.endswith(f": 2 skills, {BUNDLE.digest}\n{SKILLS}")


def test_a_module_may_be_in_no_package_or_deep_in_a_namespace(site: Path) -> None:
    module(site, "desk_skills.py")
    projects.write(site, {"a/b/c/skills.py": parts(BUNDLE).source})
    declare(site, "desk-tools", "deep = a.b.c.skills:bundle", "flat = desk_skills:bundle")
    assert [line for line in listed(site).output.splitlines() if line[0] != " "] == [
        f"deep (desk-tools 1.2, a.b.c.skills:bundle): 2 skills, {BUNDLE.digest}",
        f"flat (desk-tools 1.2, desk_skills:bundle): 2 skills, {BUNDLE.digest}",
    ]


def test_two_distributions_may_declare_one_name(site: Path) -> None:
    module(site, "desk_skills.py")
    declare(site, "b-tools", "desk = desk_skills:bundle")
    declare(site, "a-tools", "desk = desk_skills:bundle")
    found = [bundle.declaration.distribution for bundle in inventory().bundles]
    assert found == ["a-tools", "b-tools"]


def test_a_bundle_that_code_makes_is_named_and_no_error(site: Path) -> None:
    projects.write(site, {"desk.py": "raise RuntimeError('ran')\n"})
    declare(site, "desk-tools", "desk = desk:bundle", "made = desk:deep.attribute", "built = math:pi")
    result = listed(site)
    assert (result.exit_code, result.output.count("made by code, which is not run")) == (0, 3)


def test_what_is_declared_is_printed_as_json(site: Path) -> None:
    module(site, "desk_skills.py")
    declare(site, "desk-tools", "code = json:dumps", "desk = desk_skills:bundle", "gone = nothing:bundle")
    result = listed(site, "--json")
    assert result.exit_code == 1
    facts = json.loads(result.stdout)
    code, desk, gone = facts["bundles"]
    assert (code["skills"], code["problem"]) == (None, None)
    assert desk == {
        "name": "desk",
        "distribution": "desk-tools",
        "version": "1.2",
        "target": "desk_skills:bundle",
        "digest": BUNDLE.digest,
        "problem": None,
        "skills": [
            {
                "name": name,
                "description": skill.description,
                "digest": skill.digest,
                "hidden": skill.hidden,
            }
            for name, skill in BUNDLE.items()
        ],
    }
    assert gone["problem"] == "there is no module nothing"
    assert facts["problems"] == []


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("nothing_here:bundle", "there is no module nothing_here"),
        ("nothing_here.skills:bundle", "there is no module nothing_here.skills"),
        ("desk_skills.inner:bundle", "there is no module desk_skills.inner"),
        ("ordinary.inner:bundle", "there is no module ordinary.inner"),
        ("namespace:bundle", "there is no module namespace"),
        ("desk_skills", "is not of the form module:bundle"),
        ("desk-skills:bundle", "is not of the form module:bundle"),
        ("desk_skills:skills", "an emitted module has no skills; it has to be desk_skills:bundle"),
    ],
)
def test_a_declaration_that_leads_nowhere_is_told_beside_the_others(
    site: Path, target: str, problem: str
) -> None:
    module(site, "desk_skills.py")
    projects.write(site, {"ordinary/__init__.py": "", "namespace/data.txt": ""})
    declare(site, "desk-tools", f"broken = {target}", "desk = desk_skills:bundle")
    result = listed(site)
    assert result.exit_code == 1
    assert result.stderr == f"error: broken (desk-tools 1.2, {target}): {problem}\n"
    assert result.stdout.startswith("desk (desk-tools 1.2, ")


def test_a_damaged_module_is_told(site: Path) -> None:
    module(site, "desk_skills.py")
    path = site / "desk_skills.py"
    path.write_bytes(path.read_bytes()[:-2_000])
    declare(site, "desk-tools", "desk = desk_skills:bundle")
    result = listed(site)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error: desk (desk-tools 1.2, desk_skills:bundle): {path}: ")


def test_a_module_whose_contents_were_changed_is_told(site: Path) -> None:
    """It would be listed with the digest that it had before."""
    module(site, "desk_skills.py")
    path = site / "desk_skills.py"
    path.write_bytes(path.read_bytes().replace(b"One file", b"Two file"))
    declare(site, "desk-tools", "desk = desk_skills:bundle")
    result = listed(site)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(
        f"error: desk (desk-tools 1.2, desk_skills:bundle): {path}: damaged or altered since it was packed: "
    )


def test_a_declaration_may_name_extras(site: Path) -> None:
    module(site, "desk_skills.py")
    declare(site, "desk-tools", "desk = desk_skills:bundle [fast, small]")
    assert listed(site).output.endswith(f": 2 skills, {BUNDLE.digest}\n{SKILLS}")


def test_a_package_is_found_where_the_finder_of_an_editable_install_has_it(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the build backend setuptools installs it; another's finder may fail, or know nothing of this protocol."""
    module(tmp_path / "elsewhere", "desk/skills.py")

    class Finder:
        def find_spec(self, name: str, path: object) -> ModuleSpec | None:
            init = tmp_path / "elsewhere/desk/__init__.py"
            return spec_from_file_location(name, init) if name == "desk" else None

    class Broken:
        def find_spec(self, name: str, path: object) -> ModuleSpec | None:
            raise RuntimeError(name)

    monkeypatch.setattr(sys, "meta_path", [Broken(), object(), *sys.meta_path, Finder()])
    declare(site, "desk-tools", "desk = desk.skills:bundle")
    result = listed(site)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.output.endswith(f": 2 skills, {BUNDLE.digest}\n{SKILLS}")
    assert "desk" not in sys.modules


def test_a_module_that_cannot_be_read_is_told(site: Path) -> None:
    (site / "desk").mkdir()
    (site / "desk/skills.py").symlink_to("skills.py")
    (site / "other.py").symlink_to("/dev/full/x")
    declare(site, "desk-tools", "desk = desk.skills:bundle", "other = other:bundle")
    assert [bundle.problem for bundle in inventory().bundles] == [
        "there is no module desk.skills",
        "there is no module other",
    ]


def test_entry_points_that_cannot_be_read_are_told_with_the_distribution(site: Path) -> None:
    module(site, "desk_skills.py")
    declare(site, "bad-tools", "desk")
    declare(site, "desk-tools", "desk = desk_skills:bundle")
    result = listed(site)
    assert (result.exit_code, result.stderr) == (1, "error: entry_points.txt of bad-tools 1.2 is malformed\n")
    assert result.stdout.startswith("desk (")
    with pytest.raises(SkillSourceError, match=r"entry_points\.txt of bad-tools 1\.2 is malformed"):
        installed()


def test_of_two_distributions_of_one_name_the_first_on_the_path_counts(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(site, "desk-tools", "old = math:pi")
    install(tmp_path / "first", "desk-tools", "2")
    declare(site, "more-tools", "more = math:pi")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.syspath_prepend(str(tmp_path / "first"))
    assert [bundle.name for bundle in installed()] == ["more"]


def test_a_distribution_may_lie_under_another_name(site: Path) -> None:
    info = declare(site, "desk-tools", "desk = math:pi")
    info.rename(site / "other-1.2.dist-info")
    assert [bundle.distribution for bundle in installed()] == ["desk-tools"]


def test_what_an_uninstallation_left_declares_nothing(site: Path) -> None:
    (declare(site, "desk-tools", "desk = math:pi") / "METADATA").unlink()
    (declare(site, "more-tools") / "entry_points.txt").write_bytes(b"[skillpack.bundles]\nx = \xff:bundle\n")
    assert installed() == ()


def test_one_without_a_name_in_its_metadata_declares_nothing(site: Path) -> None:
    declare(site, "desk-tools", "desk = math:pi")
    for name, text in (("odd", "\nName: odd\nVersion: 1\n"), ("odder", "Name: odder\n\nVersion: 1\n")):
        (declare(site, name, "desk = math:pi") / "METADATA").write_text(text, encoding="utf-8")
    assert [bundle.distribution for bundle in installed()] == ["desk-tools"]
    assert [found.declaration.distribution for found in inventory().bundles] == ["desk-tools"]


def test_a_module_in_a_zip_is_told(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "desk.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("desk_skills.py", parts(BUNDLE).source)
    declare(site, "desk-tools", "desk = desk_skills:bundle")
    monkeypatch.syspath_prepend(str(archive))
    (bundle,) = inventory().bundles
    assert "cannot be read: Not a directory" in bundle.problem


def test_when_nothing_is_declared_that_is_said(site: Path) -> None:
    result = listed(site)
    assert (result.exit_code, result.output) == (0, "no installed package declares a bundle\n")
    assert listed(site, "-q").output == ""


def test_text_of_others_is_printed_without_what_a_terminal_would_obey(site: Path) -> None:
    projects.write(site, {"desk_skills.py": parts(BUNDLE).source})
    declare(site, "desk-tools", "de\x1bsk = desk_skills:bundle")
    assert listed(site).output.startswith("de\\x1bsk (")


def test_a_secret_in_text_of_others_is_cut(site: Path) -> None:
    token = tokens.example("github-token").secret.decode()
    fields = Frontmatter(name="leak", description=f"Use {token} for it", values={})
    bundle = digest.address([make_source("leak", {"SKILL.md": b"---\n"}, frontmatter=fields)]).bundle
    projects.write(site, {"desk_skills.py": parts(bundle).source})
    declare(site, "desk-tools", "desk = desk_skills:bundle")
    for arguments in ([], ["--json"]):
        result = listed(site, *arguments)
        assert (result.exit_code, "leak" in result.output, token in result.output) == (0, True, False)


# ------------------------------------------------------------------ a project


def test_the_skills_of_a_project_are_listed_with_their_places(site: Path, tmp_path: Path) -> None:
    install(site, "desk-tools", "1.2", below("desk/skills", skill("call")))
    project = projects.write(tmp_path / "agent", agent())
    result = skillpack(project, "list", "skills", "package:desk-tools")
    assert result.output == (
        "call (package:desk-tools/call, desk-tools 1.2): Says how to call. Use when somebody asks for it.\n"
        "dance (skills/dance): Says how to dance. Use when somebody asks for it.\n"
        "sing (skills/sing): Says how to sing. Use when somebody asks for it.\n"
    )
    call, dance, _ = json.loads(skillpack(project, "list", "--json", "package:desk_tools", "skills").output)[
        "skills"
    ]
    assert (call["place"], call["package"]) == (
        "package:desk_tools/call",
        {"name": "desk-tools", "version": "1.2"},
    )
    assert (dance["place"], dance["package"], dance["hidden"]) == ("skills/dance", None, False)


def test_a_project_that_cannot_be_packed_is_refused(tmp_path: Path) -> None:
    project = projects.write(tmp_path / "agent", {**agent(), "skills/sing/.env": "A=b\n"})
    result = skillpack(project, "list")
    assert (result.exit_code, result.stdout, "secret-name" in result.stderr) == (1, "", True)


def test_findings_are_told_when_they_are_asked_for(tmp_path: Path) -> None:
    project = projects.write(tmp_path / "agent", {**agent(), "skills/sing/.DS_Store": "x"})
    assert skillpack(project, "list").stderr == ""
    assert "left-out" in skillpack(project, "list", "-v").stderr


def test_installed_packages_are_no_skills_of_a_project(tmp_path: Path) -> None:
    result = skillpack(tmp_path, "list", "--installed", "skills")
    assert (result.exit_code, "takes no SKILLS" in result.output) == (2, True)
