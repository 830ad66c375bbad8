"""Whether an artifact is what skillpack would write for its contents, and how it differs from its sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from skillpack import copies, provenance
from skillpack.artifact import parsed_manifest
from skillpack.emit.layout import INIT, KNOWN_RUNTIMES, is_emitted
from skillpack.emit.stub import stub
from skillpack.findings import Report
from skillpack.media_type import media_type
from skillpack.model import SKILL_MD
from skillpack.reemission import REBUILD, check_source, first_difference
from skillpack.runtime import IntegrityError
from skillpack.runtime.digest import canonical_json
from skillpack.runtime.text import plain_text
from skillpack.shadow import installed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from skillpack.artifact import Artifact
    from skillpack.emitted import Module
    from skillpack.findings import Finding
    from skillpack.model import Frontmatter
    from skillpack.reemission import ContentAddress
    from skillpack.runtime import Skill, SkillBundle

    Reread = Callable[[bytes, str], Frontmatter | None]
    """Reads the bytes of a SKILL.md at the lenient level; the text is the name to take where it has none."""


def verify(
    artifact: Artifact,
    *,
    reread: Reread,
    address: ContentAddress,
    known_runtimes: Collection[str] = KNOWN_RUNTIMES,
) -> tuple[Finding, ...]:
    """Return what is wrong with an artifact, sorted by place; it is good when no finding is an error.

    Every digest is computed anew, name, description and fields are read again from each SKILL.md, the module is
    written again and compared byte by byte as its stub is, and a wheel's manifest has to agree with a module of the wheel,
    and files beside the module with those that it holds: all of them where the manifest tells of such files, else those
    that lie where a file of the module would.
    `known_runtimes` holds the code digests of older releases.
    """
    report = Report()
    stubs = dict(artifact.stubs)
    for module in artifact.modules:
        _check_digests(module, report)
        _check_index(module, reread, report)
        is_newest = check_source(module, address, known_runtimes, report)
        _check_hidden(module, stubs, report)
        if is_newest:
            _check_stub(module, stubs, report)
    for place, name in artifact.shadows:
        report.add(
            "artifact-shadowed",
            place,
            f"Python imports {name} and not this module",
            hint=f"take {name} out of what is built, and build again; if nobody put it there, do not trust it",
        )
    for place, manifest in artifact.manifests:
        if not any(
            _agrees(manifest, module, module.place.removeprefix(f"{artifact.place}/"), address)
            for module in artifact.modules
        ):
            report.add(
                "artifact-manifest",
                place,
                "the manifest does not say what the module holds, and where it is",
                hint=REBUILD,
            )
    _check_copies(artifact, report)
    return report.findings


def _check_copies(artifact: Artifact, report: Report) -> None:
    for module, directory in _told(artifact):
        for path, what in copies.differences(module.bundle, directory, artifact.copies):
            report.add("artifact-altered", f"{artifact.place}/{path}", what, hint=REBUILD)
    for path in copies.altered(_beside(artifact), artifact.copies):
        report.add(
            "artifact-altered",
            f"{artifact.place}/{path}",
            "this file is not the one that the module holds",
            hint=f"{REBUILD}; if it is of another skill, give that another name",
        )


def homes(artifact: Artifact) -> tuple[str, ...]:
    """Return the directories of a wheel where files of its modules' skills lie beside these, sorted.

    They are those that a manifest tells of, and those with a file that a module has at this place, altered or not.
    """
    told = {directory for _, directory in _told(artifact)}
    return tuple(sorted(told | copies.present(_beside(artifact), artifact.copies)))


def unjudged(artifact: Artifact) -> tuple[str, ...]:
    """Return the directories in `.agents/skills` of a wheel's packages with files that no module holds, sorted.

    They may be the package's own skills: nothing is known of them.
    """
    told = tuple(f"{directory}/" for _, directory in _told(artifact))
    found = [name for name, _ in artifact.copies if not installed(name).startswith(told)]
    return copies.others(_beside(artifact), found)


def _told(artifact: Artifact) -> Iterator[tuple[Module, str]]:
    """Give the modules that have their files beside them as a manifest tells, and where these are."""
    modules = {module.place: module for module in artifact.modules}
    for name, directory in provenance.files(artifact):
        module = modules.get(f"{artifact.place}/{name}")  # a manifest without its module is reported as that
        if module is not None:
            yield module, directory


def _beside(artifact: Artifact) -> Sequence[tuple[str, SkillBundle]]:
    """Return where the files of each module would be, and its bundle, where no manifest tells of any.

    The manifest is under no digest: what it does not tell of may have been there when the wheel was built.
    """
    told = {directory for _, directory in _told(artifact)}
    found = []
    for module in artifact.modules:
        name = module.place.removeprefix(f"{artifact.place}/")
        home = copies.home(installed(name if module.form == "module" else name.removesuffix(f"/{INIT}")))
        if home and home not in told:
            found.append((home, module.bundle))
    return found


def _check_digests(module: Module, report: Report) -> None:
    try:
        module.bundle.verify()
    except IntegrityError as error:
        for path in error.paths:
            what = "the bundle as a whole" if path == "." else path
            report.add(
                "artifact-damaged",
                module.place,
                f"{what} does not have the digest that was recorded when it was packed",
                hint=REBUILD,
            )


def _check_index(module: Module, reread: Reread, report: Report) -> None:
    """Report skills whose index differs from their own SKILL.md: the index is what reaches a prompt."""
    for name, skill in module.bundle.items():
        try:
            differing = list(_differing_fields(skill, reread))
        except IntegrityError:
            continue  # reported with the digests
        if differing:
            report.add(
                "artifact-index",
                module.place,
                f"skill {name}: {', '.join(differing)} not as in its files",
                hint=REBUILD,
            )


def _differing_fields(skill: Skill, reread: Reread) -> Iterator[str]:
    """Give the names of what the index says and the contents do not."""
    wrong = [
        path
        for path, file in skill.files.items()
        if (file.is_text, file.media_type)
        != (is_text := plain_text(file.bytes()), media_type(path, is_text=is_text))
    ]
    if wrong:
        yield f"the kind of {', '.join(wrong)}"
    fields = reread(skill.file(SKILL_MD).bytes(), skill.name)
    if fields is None:
        yield "the frontmatter"
        return
    for key in ("name", "description", "hidden", "license", "compatibility", "allowed_tools", "globs"):
        if getattr(fields, key) != getattr(skill, key):
            yield key
    if dict(fields.metadata) != skill.metadata:
        yield "metadata"
    if canonical_json(dict(fields.values)) != canonical_json(skill.frontmatter):
        yield "frontmatter"


def _check_stub(module: Module, stubs: Mapping[str, bytes], report: Report) -> None:
    """Write the stub of a module again and compare; what other releases wrote beside their modules is not known."""
    place, expected = f"{module.place}i", stub(module.bundle)
    found = stubs.get(place, expected)
    if found == expected:
        return
    if is_emitted(found):
        report.add(
            "artifact-altered",
            place,
            "this line is not what skillpack writes for the skills of the module",
            line=first_difference(found, expected),
            hint=REBUILD,
        )
    else:
        _report_foreign(report, place, "type checkers read for the module")


def _check_hidden(module: Module, stubs: Mapping[str, bytes], report: Report) -> None:
    """Report the stubs of parts: skillpack writes none, and type checkers read them and not the part."""
    for path in sorted(module.files):
        place = f"{module.place_of(path)}i"
        if place in stubs:
            _report_foreign(report, place, "hides a part of the module from type checkers")


def _report_foreign(report: Report, place: str, effect: str) -> None:
    report.add(
        "artifact-altered",
        place,
        f"skillpack did not write this stub, which {effect}",
        hint="take it out of what is built, and build again; if nobody put it there, do not trust it",
    )


def _agrees(manifest: bytes, module: Module, name: str, address: ContentAddress) -> bool:
    """Return whether a packed manifest says what a module at the path `name` does, whatever else it tells."""
    bundle = module.bundle
    try:
        expected = bundle.manifest
        for row, skill in zip(expected["skills"], bundle.values(), strict=True):
            for file_row in row["files"]:
                file_row["blake3"] = address(skill.file(file_row["path"]).bytes())
        text = canonical_json(expected)
        found = parsed_manifest(manifest, text)
        provenance = found.pop("provenance", None) if isinstance(found, dict) else None
        recorded = provenance.get("module", name) if isinstance(provenance, dict) else name
        return canonical_json(found) == text and recorded == name
    except (ValueError, RecursionError):
        return False


# ------------------------------------------------------------------ an artifact and its sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A way in which an artifact is not its sources: a skill (`path` is empty) or one file of it.

    `added` is in the sources only, `removed` in the artifact only, `changed` in both with other bytes.
    """

    kind: Literal["added", "removed", "changed"]
    skill: str
    path: str = ""


def against(bundle: SkillBundle, sources: SkillBundle) -> tuple[Difference, ...]:
    """Return how the bundle of an artifact differs from that of its `sources`, in the order of skills and paths.

    Files are compared by their digests. Execute bits are not compared, as checkouts and installers lose them.
    """
    return tuple(_differences(bundle, sources))


def _differences(bundle: SkillBundle, sources: SkillBundle) -> Iterator[Difference]:
    for name in sorted({*bundle, *sources}):
        if name not in bundle:
            yield Difference(kind="added", skill=name)
        elif name not in sources:
            yield Difference(kind="removed", skill=name)
        else:
            old, new = bundle[name].files, sources[name].files
            for path in sorted({*old, *new}, key=lambda path: path.encode("utf-8")):
                if path not in old:
                    yield Difference(kind="added", skill=name, path=path)
                elif path not in new:
                    yield Difference(kind="removed", skill=name, path=path)
                elif old[path].digest != new[path].digest:
                    yield Difference(kind="changed", skill=name, path=path)
