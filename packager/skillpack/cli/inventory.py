"""The command that lists skills by name: `list`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from skillpack import reporting
from skillpack.cli.arguments import SKILLS, read_settings
from skillpack.cli.outcome import command
from skillpack.findings import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillpack.cli.console import Console
    from skillpack.inventory import Declared, Inventory
    from skillpack.runtime import SkillBundle


@click.command(
    "list",
    epilog="""\b
Examples:
  skillpack list
  skillpack list package:fastapi
  skillpack list --installed
  skillpack list --installed --json | jq '.bundles[].skills[].name'
""",
)
@SKILLS
@click.option("--installed", is_flag=True, help="List what installed packages declare as bundles.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@command
def list_skills(console: Console, *, skills: tuple[str, ...], installed: bool, as_json: bool) -> bool:
    """List skills: names, where they are from, descriptions.

    SKILLS are skills roots, or single skills; without them those of the project are listed, as they would be packed.

    With --installed they are those of the bundles that packages beside skillpack declare, by entry points of the group
    skillpack.bundles. Emitted modules are read as data and no package is imported, so a bundle that other code makes is
    named without its skills. A declaration that leads nowhere, or to a damaged module, is an error.
    """
    if not installed:
        rows = list(_of_project(console, skills))
        if as_json:
            console.out(json.dumps({"skills": rows}, indent=2, sort_keys=True))
        for row in () if as_json else rows:
            console.out(_line(row, _origin(row)))
        return True
    if skills:
        raise click.UsageError("--installed lists what packages declare, and takes no SKILLS.")
    from skillpack.inventory import inventory

    known = inventory()
    if as_json:
        bundles = [_facts(bundle) for bundle in known.bundles]
        facts = {"bundles": bundles, "problems": known.problems}
        console.out(json.dumps(facts, indent=2, sort_keys=True))
    else:
        _print(console, known)
    problems = [
        *(f"{_title(bundle)}: {bundle.problem}" for bundle in known.bundles if bundle.problem),
        *known.problems,
    ]
    for problem in problems:
        console.error(problem)
    return not problems


def _of_project(console: Console, skills: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    from skillpack import pipeline

    with pipeline.pack(read_settings(skills=skills, flags={})) as packed:
        if console.verbose:
            console.findings(packed.findings)
        for row, source in zip(_rows(packed.bundle), packed.sources, strict=True):
            package = packed.package_of(source)
            known = {"name": package.name, "version": package.version} if package else None
            yield {**row, "place": source.place, "package": known}


def _rows(bundle: SkillBundle) -> Iterator[dict[str, Any]]:
    for name, skill in bundle.items():
        yield {
            "name": name,
            "description": skill.description,
            "digest": skill.digest,
            "hidden": skill.hidden,
        }


def _origin(row: Mapping[str, Any]) -> str:
    package = row["package"]
    return ", ".join([row["place"], *([f"{package['name']} {package['version']}"] if package else [])])


def _line(row: Mapping[str, Any], origin: str = "") -> str:
    name = f"{row['name']} ({origin})" if origin else row["name"]
    return f"{visible(name)}: {visible(' '.join(row['description'].split()))}{' (hidden)' if row['hidden'] else ''}"


def _title(bundle: Declared) -> str:
    declaration = bundle.declaration
    whose = f"{declaration.distribution} {declaration.version}"
    return f"{declaration.name} ({whose}, {declaration.target})"


def _facts(bundle: Declared) -> dict[str, Any]:
    declaration = bundle.declaration
    return {
        "name": declaration.name,
        "distribution": declaration.distribution,
        "version": declaration.version,
        "target": declaration.target,
        "digest": None if bundle.skills is None else bundle.skills.digest,
        "skills": None if bundle.skills is None else list(_rows(bundle.skills)),
        "problem": bundle.problem or None,
    }


def _print(console: Console, known: Inventory) -> None:
    for bundle in known.bundles:
        title = visible(_title(bundle))
        if bundle.skills is not None:
            console.out(f"{title}: {reporting.count(len(bundle.skills), 'skill')}, {bundle.skills.digest}")
            for row in _rows(bundle.skills):
                console.out(f"  {_line(row)}")
        elif not bundle.problem:
            console.out(f"{title}: made by code, which is not run; its load() has the skills")
    if not known.bundles:
        console.say("no installed package declares a bundle")
