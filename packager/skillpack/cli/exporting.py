"""The command that gives skills in the formats of others: `export`."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillpack import reporting
from skillpack.cli.arguments import CACHE, level_options, read_settings, table_options
from skillpack.cli.outcome import EXIT_FOUND, ToldError, command
from skillpack.cli.packing import packing
from skillpack.config.table import near, quoted
from skillpack.errors import MissingArtifactError, SkillpackError
from skillpack.export.formats import FORMATS
from skillpack.findings import visible
from skillpack.loading import is_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from click.shell_completion import CompletionItem

    from skillpack.cli.console import Console
    from skillpack.config import Config
    from skillpack.rules import Setting
    from skillpack.runtime import SkillBundle

STANDARD_OUTPUT = "-"


def _complete(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(name, help=form.about) for name, form in FORMATS.items() if name.startswith(incomplete)
    ]


_WIDTH = max(map(len, FORMATS))
_EPILOG = "\n".join(
    (
        "\b",
        "Formats, those with a * are directories:",
        *(
            f"  {name:{_WIDTH}} {'*' if form.is_directory else ' '} {form.about}"
            for name, form in FORMATS.items()
        ),
        "",
        "\b",
        "Examples:",
        "  skillpack export mcp",
        "  skillpack export well-known -o site/.well-known/agent-skills",
        "  skillpack export zip dist/myagent-1.0-py3-none-any.whl -o uploads",
        "  skillpack export directory src/myagent/skills.py -o restored --select 'pdf-*'",
        "  skillpack export sha256sums skills | (cd skills && sha256sum -c)",
    )
)


@click.command(epilog=_EPILOG)
@click.argument("form", metavar="FORMAT", shell_complete=_complete)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option(
    "-o",
    "--output",
    metavar="PLACE",
    help="The file or directory to write, which must be new or an empty directory. A document goes to standard "
    "output without it, and with -.",
)
@click.option(
    "--hidden",
    is_flag=True,
    help="Take hidden skills into well-known, packaged-json and assets, too, which offer all that they hold.",
)
@click.option(
    "--module",
    metavar="PATH",
    default="",
    help="The module to take, by its path in an artifact with several.",
)
@CACHE
@level_options
@table_options(without=("format", "stub"))
@command
def export(
    console: Console,
    *,
    form: str,
    sources: tuple[str, ...],
    output: str | None,
    hidden: bool,
    module: str,
    no_cache: bool,
    level: Setting | None,
    rules: tuple[str, ...],
    **flags: Any,
) -> bool:
    """Give skills in a format that others read.

    SOURCE is skills roots, or single skills, which are checked as by bundle; or one artifact: a wheel, sdist, zip or
    module, which has to be what verify finds good, and is read as data: nothing in it is imported or run. Without it
    the configured skills are taken. Nothing is overwritten, and nothing is written when there is an error.
    """
    from skillpack import archive, write
    from skillpack.export import formats
    from skillpack.export.adoption import ExportError

    if form not in FORMATS:
        way_out = near(form, FORMATS) or f"; there are {', '.join(FORMATS)}"
        raise click.UsageError(f"no such format {quoted(form)}{way_out}")
    place = None if output in (None, STANDARD_OUTPUT) else Path(str(output))
    if FORMATS[form].is_directory and place is None:
        raise click.UsageError(f"{form} is a directory: say which with -o, one that is new or empty.")
    if place is not None:
        write.check_new(place, is_directory=FORMATS[form].is_directory)
    if any(archive.is_artifact(Path(source)) for source in sources):
        taking = _from_artifact(sources, module, flags, is_judged=bool(level or rules))
    elif module:
        raise click.UsageError("--module is for artifacts, and these are skills.")
    elif named := [
        source for source in sources if "." in source and is_name(source) and not Path(source).exists()
    ]:
        raise MissingArtifactError(
            f"{named[0]}: there is no such file or directory; name a module by its path, not as it is imported"
        )
    else:
        settings = read_settings(skills=sources, level=level, rules=rules, flags=flags)
        if place is not None and (root := settings.root_around(place)):
            raise SkillpackError(
                f"{place}: lies in the skills root {root}, and would be packed from there; name another place"
            )
        taking = _from_skills(console, settings, no_cache=no_cache)
    try:
        with taking as bundle:
            omissions = list(formats.omissions(form, bundle, hidden=hidden))
            if FORMATS[form].is_directory and place is not None:
                write.write_new_tree(place, formats.files(form, bundle, hidden=hidden))
            elif place is not None:
                write.write_new_file(place, formats.document(form, bundle, hidden=hidden))
            else:
                console.document(formats.document(form, bundle, hidden=hidden))
    except ExportError as error:
        for problem in error.problems:
            console.error(f"{form}: {problem}")
        raise ToldError(EXIT_FOUND) from error
    for line in omissions:
        console.note(line)
    console.say(f"exported {form}{f' to {visible(str(place))}' if place else ''}, from {_summary(bundle)}")
    return True


@contextmanager
def _from_artifact(
    sources: Sequence[str], module: str, flags: Mapping[str, Any], *, is_judged: bool
) -> Iterator[SkillBundle]:
    from skillpack import acceptance

    if len(sources) > 1:
        raise click.UsageError("an artifact is exported by itself: give one SOURCE.")
    select, *others = (value for key, value in sorted(flags.items(), key=lambda item: item[0] != "select"))
    if is_judged or any(others):
        raise click.UsageError(
            "an artifact is exported as it is: of the options for skills only --select goes with it."
        )
    yield acceptance.taken(Path(sources[0]), module=module, select=select)


@contextmanager
def _from_skills(console: Console, settings: Config, *, no_cache: bool) -> Iterator[SkillBundle]:
    with packing(console, settings, "unused", no_cache=no_cache) as (packed, progress):
        progress.clear()
        console.findings(packed.findings)
        yield packed.bundle


def _summary(bundle: SkillBundle) -> str:
    files = sum(len(skill.files) for skill in bundle.values())
    return f"{reporting.count(len(bundle), 'skill')}, {reporting.count(files, 'file')}, {bundle.digest[:19]}"
