"""The commands that read artifacts as data: `inspect` and `verify`."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillpack import config, reporting
from skillpack.cli.arguments import current_directory, read_settings, table_options
from skillpack.cli.outcome import command
from skillpack.cli.sizes import lines as size_lines
from skillpack.errors import SkillpackError
from skillpack.findings import visible
from skillpack.rules import Level
from skillpack.secrets.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from skillpack.artifact import Artifact
    from skillpack.cli.console import Console
    from skillpack.emitted import Module
    from skillpack.model import Allowed
    from skillpack.runtime import SkillBundle
    from skillpack.verification import Difference


@click.command(
    epilog="""\b
Examples:
  skillpack inspect dist/myagent-1.0-py3-none-any.whl
  skillpack inspect src/myagent/skills.py --sizes
  skillpack inspect src/myagent/skills.py --json | jq '.modules[].totals'
""",
)
@click.argument("artifact", metavar="ARTIFACT")
@click.option("--sizes", "with_sizes", is_flag=True, help="Tell what is large, and why, too.")
@click.option("--json", "as_json", is_flag=True, help="Print all there is as JSON.")
@command
def inspect(console: Console, *, artifact: str, with_sizes: bool, as_json: bool) -> bool:
    """Show the skills, files and digests of an artifact.

    ARTIFACT is a wheel, sdist, zip, module or directory. It is read as data: nothing in it is imported or run.
    Sizes are in bytes, tokens are estimated from characters. With -v digests are printed in full.

    The reviewed exceptions are those that a wheel tells of. For what has no manifest they are those of the current
    directory's pyproject.toml whose contents are in the artifact.
    """
    from skillpack import artifact as artifacts
    from skillpack import provenance
    from skillpack.sizes import sizes

    read = artifacts.read(Path(artifact))
    summaries = [(module.place, artifacts.summary(module.bundle)) for module in read.modules]
    if with_sizes:  # to compress what is emitted takes its time
        for module, (_, summary) in zip(read.modules, summaries, strict=True):
            summary["sizes"] = sizes(module.bundle, [module.parts.source, *module.files.values()])
    source, exceptions = _exceptions(console, read)
    packages = provenance.packages(read)
    if as_json:
        import json

        modules = [{"place": place, **summary} for place, summary in summaries]
        # ASCII, so that no console encoding can spoil it
        facts = {
            "artifact": read.place,
            "kind": read.kind,
            "modules": modules,
            "exceptions": [dataclasses.asdict(exception) for exception in exceptions],
            "packages": [
                {"name": package.name, "version": package.version, "skills": skills}
                for package, skills in packages
            ],
        }
        console.out(json.dumps(facts, indent=2, sort_keys=True))
        return True
    for place, summary in summaries:
        for line in _inspection(place, summary, verbose=console.verbose):
            console.out(line)
        if with_sizes:
            console.out()
            for line in size_lines(summary["sizes"]):
                console.out(line)
    if packages:
        console.out()
        console.out("from other packages, as the manifest has it:")
    for package, skills in packages:
        console.out(f"  {visible(package.name)} {visible(package.version)}: {visible(', '.join(skills))}")
    if exceptions:
        console.out()
        console.out(f"exceptions, as {source} has them:")
    for exception in exceptions:
        digest = exception.sha256 if console.verbose else exception.sha256[:12]
        what = f"{exception.skill}/{exception.path}: {exception.rule}: {exception.reason}"
        console.out(f"  sha256:{visible(digest)}  {visible(what)}")
    return True


def _exceptions(console: Console, artifact: Artifact) -> tuple[str, Sequence[Allowed]]:
    """Return the reviewed exceptions of an artifact, and what told of them."""
    from skillpack import allowance

    if artifact.manifests:
        return "the manifest", allowance.recorded(artifact)
    try:
        allow = config.load_allow(current_directory())
    except SkillpackError as error:
        for problem in str(error).splitlines():
            console.warning(f"no exceptions are shown: {problem}")
        return "", ()
    known = [allowance.known(module.bundle, allow) for module in artifact.modules]
    return config.PYPROJECT, list(itertools.chain.from_iterable(known))


def _inspection(place: str, summary: Mapping[str, Any], *, verbose: bool) -> Iterable[str]:
    totals = summary["totals"]
    yield (
        f"module {visible(place)}: {reporting.count(totals['skills'], 'skill')}, "
        f"{reporting.count(totals['files'], 'file')}, {totals['size']:,} bytes, "
        f"catalog about {reporting.count(totals['catalog_tokens'], 'token')}"
    )
    yield f"  {summary['digest']}"
    for skill in summary["skills"]:
        tokens = skill["body_tokens"]
        body = "damaged" if tokens is None else f"about {reporting.count(tokens, 'token')}"
        hidden = ", hidden" if skill["hidden"] else ""
        yield ""
        yield (
            f"  {visible(skill['name'])}: {reporting.count(len(skill['files']), 'file')}, {skill['size']:,} bytes, "
            f"instructions {body}{hidden}"
        )
        yield f"    {skill['digest']}"
        width = max(len(f"{file['size']:,}") for file in skill["files"])
        for file in skill["files"]:
            digest = file["digest"] if verbose else file["digest"][:19]
            executable = " (executable)" if file["executable"] else ""
            yield f"    {digest}  {file['size']:>{width},}  {visible(file['path'])}{executable}"


@click.command(
    epilog="""\b
Examples:
  skillpack verify dist/myagent-1.0-py3-none-any.whl
  skillpack verify dist/myagent-1.0-py3-none-any.whl --against skills
""",
)
@click.argument("artifact", metavar="ARTIFACT")
@click.option(
    "--against",
    multiple=True,
    metavar="SKILLS",
    help="Compare with these skills roots, or single skills. Repeatable.",
)
@table_options(without=("format", "stub", "expect", "expect-count", "allow-empty", "max-catalog-chars"))
@command
def verify(console: Console, *, artifact: str, against: tuple[str, ...], **flags: Any) -> bool:
    """Check an artifact against itself and its sources.

    ARTIFACT is a wheel, sdist, zip, module or directory. It is read as data: nothing in it is imported or run.
    Every digest is computed anew, and the module is written again and compared. The sources are read at
    --lenient; what to leave out of them comes from the configuration.
    """
    from skillpack import artifact as artifacts
    from skillpack import digest, pipeline, verification
    from skillpack.shadow import installed

    read = artifacts.read(Path(artifact))
    findings = verification.verify(read, reread=pipeline.reread, address=digest.content_address)
    console.findings(findings)
    damaged = {finding.path for finding in findings if finding.level is Level.ERROR}
    good = not damaged
    for module in read.modules:
        files = sum(len(skill.files) for skill in module.bundle.values())
        facts = f"{reporting.count(len(module.bundle), 'skill')}, {reporting.count(files, 'file')}, {module.bundle.digest}"
        _verdict(console, f"module {visible(module.place)}: {facts}", good=_is_whole(module, damaged))
    for place, _ in read.manifests:
        _verdict(console, f"manifest {visible(place)}", good=redacted(place) not in damaged)
    below = {installed(path.removeprefix(redacted(f"{read.place}/"))) for path in damaged}
    for directory in verification.homes(read):
        is_good = not any(path.startswith(redacted(f"{directory}/")) for path in below)
        _verdict(console, f"files of the skills in {visible(f'{read.place}/{directory}/')}", good=is_good)
    for directory in verification.unjudged(read):
        console.say(f"files in {visible(f'{read.place}/{directory}/')}: in no module, and not looked into")
    if against:
        sources = _sources(console, against, flags)
        for module in read.modules:
            good &= _compare(console, module.place, verification.against(module.bundle, sources))
    if findings:
        console.say(f"{visible(read.place)}: {console.tally(findings)}")
    return good


def _is_whole(module: Module, damaged: Iterable[str]) -> bool:
    """Return whether none of the damaged places, as findings show them, is the module or in its folder."""
    own, below = redacted(module.place), redacted(module.place_of(""))
    return not any(place == own or (module.form != "module" and place.startswith(below)) for place in damaged)


def _verdict(
    console: Console, line: str, *, good: bool, words: tuple[str, str] = ("good", "damaged")
) -> None:
    """Print a line of `verify`; when it is to be quiet, what is good is not worth one."""
    if not good:
        console.out(f"{line}: ", "error", words[1])
    elif not console.quiet:
        console.out(f"{line}: ", "good", words[0])


def _sources(console: Console, skills: Sequence[str], flags: Mapping[str, Any]) -> SkillBundle:
    """Return the bundle of the sources, read as far as they can be read: to judge them is what `check` does."""
    from skillpack import pipeline

    settings = read_settings(skills=skills, flags=flags)
    with pipeline.pack(settings.for_comparison()) as packed:
        if console.verbose:
            console.findings(packed.findings)
        # digests alone are compared, and they outlive the contents
        return packed.bundle


def _compare(console: Console, place: str, differences: Sequence[Difference]) -> bool:
    kinds = Counter(difference.kind for difference in differences)
    counted = ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items()))
    same = not differences
    _verdict(console, f"sources of {visible(place)}", good=same, words=("the same", f"differ ({counted})"))
    for difference in differences:
        path = f"{difference.skill}/{difference.path}"
        console.out(f"  {_KINDS_OF_DIFFERENCE[difference.kind]}: {visible(path)}")
    return same


_KINDS_OF_DIFFERENCE = {
    "added": "added, in the sources only",
    "removed": "removed, in the artifact only",
    "changed": "changed",
}
