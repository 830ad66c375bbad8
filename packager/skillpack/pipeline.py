"""The order of the stages: discover, read, frontmatter, screen, address; then emit.

The command line and the hatch hook call `pack` and `emit`. Both raise one error that carries all findings.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from skillpack import digest, discover, frontmatter, roots, screen
from skillpack.cache import Cache
from skillpack.capture import captured, no_progress
from skillpack.emit.folder import folder, source_address
from skillpack.emit.layout import folder_of
from skillpack.emit.module import module, small
from skillpack.emit.stub import stub as render_stub
from skillpack.errors import RefusedError, SkillpackError
from skillpack.fields import excerpt
from skillpack.findings import Policy, Report, subject
from skillpack.model import SKILL_MD, Allowed
from skillpack.reporting import count
from skillpack.rules import Level
from skillpack.runtime.text import chosen
from skillpack.write import obstacles, part_obstacles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from skillpack.capture import Capture, Progress
    from skillpack.config import Config
    from skillpack.emit.folder import FolderForm
    from skillpack.findings import Allowance, Finding
    from skillpack.model import Frontmatter, Package, SkillSource
    from skillpack.runtime import SkillBundle
    from skillpack.write import Obstacle

    Output = Literal["unused", "kept", "replaced"]
    """What a run is to do with a file in the place of the output that skillpack did not write."""


MAX_THOROUGH = 100
"""In so many SKILL.md that are no YAML all lines at fault are looked for, and in the others the first: it takes thrice as long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """Skills that passed every check, in the order of their names.

    `allowed` are the reviewed exceptions without which they would not have passed.

    It serves as long as the `pack` that made it is open: large contents are in a spool that goes with it.
    """

    config: Config
    report: Report
    sources: tuple[SkillSource, ...]
    addressed: digest.Addressed
    allowed: tuple[Allowed, ...]
    cache: Cache

    @property
    def bundle(self) -> SkillBundle:
        """The bundle, of the runtime's own classes."""
        return self.addressed.bundle

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found on the way: warnings and notes, sorted."""
        return self.report.findings

    def manifest(self, module: str = "", files: str = "") -> bytes:
        """Return the packed manifest for a wheel's metadata.

        `module` is the POSIX path of the module there, `files` that of the directory with the files of the skills.
        """
        return self.addressed.manifest(self.allowed, module, files=files, packages=self._packages())

    def package_of(self, source: SkillSource) -> Package | None:
        """Return the installed distribution that a skill is from, None when it is the project's own."""
        packages = self.config.packages.items()
        return next(
            (package for root, package in packages if f"{source.place}/".startswith(f"{root}/")), None
        )

    def _packages(self) -> list[dict[str, object]]:
        """Return the installed distributions that skills are from, and which are from which."""
        skills: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for name, source in zip(self.bundle, self.sources, strict=True):
            if package := self.package_of(source):
                skills[package.name, package.version].append(name)
        return [
            {"name": name, "version": version, "skills": names}
            for (name, version), names in sorted(skills.items())
        ]

    def summary(self) -> str:
        """Return one line for a person: `packed 12 skills, 48 files, 213 KiB, sha256:ab12cd34ef56`."""
        sizes = [file.size for source in self.sources for file in source.files]
        total = sum(sizes)
        amount = f"{total} bytes" if total < 1024 else f"{total / 1024:,.0f} KiB"
        return (
            f"packed {count(len(self.sources), 'skill')}, {count(len(sizes), 'file')}, {amount}, "
            f"{self.bundle.digest[:19]}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Skill:
    """A skill and what its SKILL.md says."""

    source: SkillSource
    fields: Frontmatter


@contextmanager
def pack(
    config: Config,
    *,
    output: Output = "unused",
    keep_sound: bool = False,
    mode_bits: bool = discover.SYSTEM.mode_bits,
    cache: Cache | None = None,
    progress: Progress = no_progress,
    taken: Capture | None = None,
) -> Iterator[Packed]:
    """Read, check and address the configured skills; the captured contents are dropped at the end.

    `taken` is what was captured for `config` already, and is not let go here.

    `output` says what the run is to do with a file in the place of the module that skillpack did not write; unless
    the module is not used at all, what cannot be replaced is a finding.

    Raises `RefusedError` with every finding of the run when one of them is an error. With `keep_sound` that holds
    for errors about a root as a whole only: skills with errors are left out, and `Packed.findings` has the errors.
    Where files have no execute bits (`mode_bits`), those of the module that is there already stand in for them.
    What `cache` knows is not found out again; `progress` is told how far the run is.
    """
    cache = cache or Cache()
    with ExitStack() as at_end:
        at_end.callback(cache.save)  # what a refused run has found out is good too
        capture = taken or at_end.enter_context(captured(config, progress))
        config, report, found = capture.config, capture.report, capture.found
        _check_output(config, report, output)
        read = list(_selected(config, found.skills, report, cache, progress))
        sources = (*(source for source, _ in read), *found.headless)
        roots.compare(config, sources, report)
        for done, source in enumerate(sources):
            progress("checking", done, len(sources))
            screen.screen(source, report, cache.clean)
        skills: Sequence[_Skill] = [_Skill(source=source, fields=fields) for source, fields in read if fields]
        if keep_sound:
            skills = _unique(_sound(skills, report), report)
            for skill in skills:
                _compare_directories([skill], report)
            skills = _sound(skills, report)
        else:
            skills = _unique(skills, report)
            _compare_directories(skills, report)
        addressed = digest.address((skill.source, skill.fields) for skill in skills)
        if not mode_bits:
            addressed = replace(addressed, bundle=_with_recorded_bits(addressed.bundle, config.module))
        _expect(config, addressed.bundle, report)
        if found.is_whole:
            places = {source.place for source, _ in read}
            passed_over = [source for source in found.skills if source.place not in places]
            _report_unused(config, passed_over, report)
            _report_unused_overrides(config, (*found.skills, *found.headless), report)
        if not report.has_errors:
            _check_parts(config, addressed.bundle, report, output)
        fatal = _error_paths(report)
        if fatal and not (keep_sound and fatal.isdisjoint(config.skills)):
            raise RefusedError(report.findings)
        by_name = sorted(skills, key=lambda skill: skill.fields.name)
        needed = _needed(report)
        in_force = [entry for entry in config.allow if (entry.rule, entry.path, entry.sha256) in needed]
        yield Packed(
            config=config,
            report=report,
            sources=tuple(skill.source for skill in by_name),
            addressed=addressed,
            allowed=tuple(row for skill in by_name for row in _allowed(skill, in_force)),
            cache=cache,
        )


def emit(
    packed: Packed, place: str, *, in_tree: bool = True, standing: Path | None = None
) -> Iterator[tuple[str, bytes]]:
    """Return what to write as (relative path, bytes); the one-file form is one pair whose path is empty.

    Of a folder form the paths are relative to the folder, and the files are made as they are asked for, so that
    little is in memory; the last is its `__init__.py`. The format `auto` is a package `in_tree`, as a file that turned
    into a folder by itself would break other back ends, and elsewhere, in a wheel, one file while that is small.
    `place` is the output as findings show it. `standing` is the folder where an output may stand: its files are taken
    if the cache says that they are what would be emitted, which is for those who write them there. Raises
    `RefusedError` when the output is over its limit.
    """
    form = _folder_form(packed.config)
    source = small(packed.bundle) if packed.config.format == "auto" and not in_tree else None
    if form is not None and source is None:
        render = partial(folder, packed.bundle, form, digest.content_address)
        if standing is None:
            return render()
        key = source_address(packed.bundle, form, digest.content_address)
        return packed.cache.emitted(key, standing, digest.content_address, render)
    files = list(module(packed.bundle, place=place, report=packed.report, source=source))
    if packed.report.has_errors:
        raise RefusedError(packed.report.findings)
    return iter(files)


def stub(packed: Packed) -> bytes | None:
    """Return what to write beside the file that is imported, under its name with an `i`; None if there is to be none."""
    return render_stub(packed.bundle) if packed.config.stub else None


def reread(data: bytes, name: str) -> Frontmatter | None:
    """Return what the bytes of a packed SKILL.md say, or None; `name` serves where they have none.

    They are read at lenient: what could be packed under any configuration has to be read.
    """
    return frontmatter.read(data, place=SKILL_MD, directory=name, report=Report(Policy(setting="lenient")))


def _check_output(config: Config, report: Report, output: Output) -> None:
    """Report what is in the way of the output, if there is to be one, and of its stub."""
    if output == "unused" or config.module is None:
        return
    found = obstacles(
        config.module,
        is_folder=config.emits_folder,
        has_stub=config.stub,
        root=config.project,
        force=output == "replaced",
    )
    _report_obstacles(config, found, report)


def _check_parts(config: Config, bundle: SkillBundle, report: Report, output: Output) -> None:
    """Report what is in the way of the parts of a folder form: their names are known by what they hold."""
    form = _folder_form(config)
    if output == "unused" or config.module is None or form is None:
        return
    paths = (path for path, _ in folder(bundle, form, digest.content_address, checked=False))
    _report_obstacles(config, part_obstacles(config.module, paths, force=output == "replaced"), report)


def _report_obstacles(config: Config, found: Iterable[Obstacle], report: Report) -> None:
    for obstacle in found:
        report.add("output-foreign", config.written(obstacle.path), obstacle.message, hint=obstacle.hint)


def _folder_form(config: Config) -> FolderForm | None:
    """Return the form of the output in a source tree, None for the one-file form."""
    match config.format:
        case "module":
            return None
        case "auto":
            return "package"
        case form:
            return form


def _selected(
    config: Config, sources: Sequence[SkillSource], report: Report, cache: Cache, progress: Progress
) -> Iterator[tuple[SkillSource, Frontmatter | None]]:
    """Read every SKILL.md and give the skills whose name `select` takes; without fields those that are refused."""
    read: list[tuple[SkillSource, Frontmatter | None, str, Report]] = []
    broken = 0
    for done, source in enumerate(sources):
        progress("reading instructions", done, len(sources))
        read.append((source, *_read(config, source, cache, thorough=broken < MAX_THOROUGH)))
        broken += read[-1][1] is None
    names, idle = chosen([name for _, _, name, _ in read], config.select)
    for pattern in idle:
        report.add(
            "select-unused",
            discover.CONFIGURATION,
            f"the select pattern `{pattern}` matches no skill",
            hint="remove it, or correct it",
        )
    for source, fields, name, own in read:
        if not config.select or name in names:
            report.extend(own)
            yield source, fields
        else:
            # without the name, since nothing of this skill was screened for secrets
            message = "the skill's name is not among those that `select` takes"
            report.add("excluded", source.place_of(SKILL_MD), message)


def _read(
    config: Config, source: SkillSource, cache: Cache, *, thorough: bool
) -> tuple[Frontmatter | None, str, Report]:
    """Return what a SKILL.md says, if it can be read, the skill's name as far as it can be told, and the findings."""
    own = Report(config.policy)
    content = next(file.content for file in source.files if file.path == SKILL_MD)
    data = content.read()
    fields = frontmatter.read(
        data,
        place=source.place_of(SKILL_MD),
        directory=source.directory,
        report=own,
        known=frontmatter.Known(documents=cache.documents, key=content.identity),
        sha256=content.fingerprint.sha256,
        thorough=thorough,
    )
    # a skill that is refused has to be known by its name too, or `select` would drop it in silence
    told = fields or (reread(data, source.directory) if config.select else None)
    return fields, told.name if told else source.directory, own


def _unique(skills: Sequence[_Skill], report: Report) -> Sequence[_Skill]:
    """Refuse two skills of one name, whatever the case of its letters; copies of one skill count once."""
    by_name: defaultdict[str, list[_Skill]] = defaultdict(list)
    for skill in skills:
        by_name[skill.fields.name.casefold()].append(skill)
    for same in by_name.values():
        first, *others = same
        for other in others:
            places = f"{first.source.place} and {other.source.place}"
            place = other.source.place_of(SKILL_MD)
            if _contents(other.source) == _contents(first.source):
                report.add("skill-repeated", place, f"{places} are the same skill; the first is packed")
            else:
                report.add(
                    "name-duplicate",
                    place,
                    f"{places} both have the name {excerpt(other.fields.name)}",
                    hint="rename one of them, or leave one out with `exclude`",
                )
    return [same[0] for same in by_name.values()]


def _sound(skills: Sequence[_Skill], report: Report) -> Sequence[_Skill]:
    """Return the skills about which, and about whose files, there is no error."""
    errors = _error_paths(report)
    return [
        skill
        for skill in skills
        if not any(f"{path}/".startswith(f"{skill.source.place}/") for path in errors)
    ]


def _error_paths(report: Report) -> set[str]:
    return {finding.path for finding in report.found if finding.level is Level.ERROR}


def _contents(source: SkillSource) -> dict[str, str]:
    return {file.path: file.content.fingerprint.sha256 for file in source.files}


def _compare_directories(skills: Iterable[_Skill], report: Report) -> None:
    """Report the skills of each root whose name is not that of their directory, all of one level in one finding."""
    by_root: defaultdict[tuple[str, Level], list[_Skill]] = defaultdict(list)
    for skill in skills:
        if skill.fields.name != skill.source.directory:
            root = skill.source.place.rpartition("/")[0]
            by_root[root, report.level("name-mismatch", skill.source.place_of(SKILL_MD))].append(skill)
    for differing in by_root.values():
        pairs = ", ".join(
            f"{skill.source.directory} is named {excerpt(skill.fields.name)}" for skill in differing
        )
        report.add(
            "name-mismatch",
            differing[0].source.place_of(SKILL_MD),
            f"name and directory differ: {pairs}",
            hint="rename the directory, or set the name to the directory's; packed skills go by their name",
        )


def _with_recorded_bits(bundle: SkillBundle, module: Path | None) -> SkillBundle:
    """Return the bundle with the execute bits that the emitted module has, if there is a sound one."""
    from skillpack import artifact

    for output in (module, folder_of(module)) if module else ():
        try:
            recorded = artifact.read(output).modules
        except SkillpackError:
            continue
        return artifact.with_execute_bits(bundle, recorded[0].bundle)
    return bundle


def _expect(config: Config, bundle: SkillBundle, report: Report) -> None:
    """Check what the configuration says about the set of skills as a whole."""
    place = config.skills[0]
    if not bundle and not config.allow_empty and not report.has_errors:
        report.add(
            "no-skills",
            place,
            f"nothing to pack in {', '.join(config.skills)}",
            hint="a skill is a directory with a SKILL.md, one level below a skills root; "
            "set allow-empty = true if this is right",
        )
    missing = [name for name in config.expect if name not in bundle]
    if missing:
        report.add(
            "expected-skills",
            place,
            f"expected but not packed: {', '.join(missing)}",
            hint=f"add them, or take {', '.join(missing)} out of `expect`",
        )
    if config.expect_count is not None and config.expect_count != len(bundle):
        report.add(
            "expected-skills",
            place,
            f"{count(len(bundle), 'skill')} packed, expect-count is {config.expect_count}",
            hint=f"set expect-count = {len(bundle)} if this is right",
        )
    cost = bundle.catalog_cost() if config.max_catalog_chars is not None else None
    if cost is not None and cost["catalog"]["chars"] > (config.max_catalog_chars or 0):
        lines = sorted(((skill["line_chars"], name) for name, skill in cost["skills"].items()), reverse=True)
        report.add(
            "catalog-budget",
            place,
            f"the catalog has {cost['catalog']['chars']:,} characters, max-catalog-chars is "
            f"{config.max_catalog_chars:,}: {', '.join(f'{name} {chars}' for chars, name in lines)}",
            hint="shorten the longest descriptions, or take skills out with `select`",
        )


def _needed(report: Report) -> set[tuple[str, str, str]]:
    """Return what findings are about, as an `allow` entry says it."""
    return {(*subject(finding.code, finding.path), finding.sha256) for finding in report.found}


def _report_unused(config: Config, passed_over: Collection[SkillSource], report: Report) -> None:
    """Report the entries that allow nothing; nobody has looked whether those about skills passed over do."""
    needed = _needed(report)
    # The refusal of what was edited says so itself.
    edited = {subject(finding.code, finding.path) for finding in report.found if finding.level is Level.ERROR}
    beyond = tuple(source.place_of("").removeprefix("./") for source in passed_over)
    for entry in config.allow:
        is_used = (entry.rule, entry.path, entry.sha256) in needed or (entry.rule, entry.path) in edited
        if not is_used and not entry.path.startswith(beyond):
            report.add(
                "allow-unused",
                discover.CONFIGURATION,
                f"the allow entry for {entry.path}, {entry.rule}, allows nothing",
                hint="remove it, or correct its path",
            )


def _report_unused_overrides(config: Config, sources: Iterable[SkillSource], report: Report) -> None:
    """Report the overrides for paths that are neither a skill's, nor those of anything that was found."""
    places = {finding.path for finding in report.found} | {discover.CONFIGURATION, config.module_written}
    for source in sources:
        places.add(source.place)
        for path in (*source.left_out, *(file.path for file in source.files)):
            places.add(source.place_of(path))
    for override in config.overrides:
        if not any(map(override.matches, places)):
            patterns = ", ".join(f"`{pattern}`" for pattern in override.paths)
            report.add(
                "override-unused",
                discover.CONFIGURATION,
                f"the override for {patterns} matches nothing",
                hint="remove it, or correct its paths",
            )


def _allowed(skill: _Skill, in_force: Iterable[Allowance]) -> Iterator[Allowed]:
    """Give the exceptions that are about the files of a skill, in the order of their paths."""
    prefix = skill.source.place_of("").removeprefix("./")
    for entry in sorted(in_force, key=lambda entry: (entry.path, entry.rule)):
        path = entry.path.removeprefix(prefix)
        if entry.path == prefix + path and any(
            f"{file.path}/".startswith(f"{path}/") for file in skill.source.files
        ):
            yield Allowed(
                skill=skill.fields.name,
                path=path,
                rule=entry.rule,
                sha256=entry.sha256,
                reason=entry.reason,
            )
