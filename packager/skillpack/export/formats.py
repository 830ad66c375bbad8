"""The formats of `skillpack export`, by name: what each is, and what there is to say of what it does not hold.

Importing this costs nothing: the module of a format is imported when it is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.export.structure import AnyBundle


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format. `is_directory` says that it is several files, else it is one document.

    `offers` says that its readers offer each skill to a model and know no field that hides one: hidden skills are left
    out of it. `about` and `holds` are for people: what it is, in a line, and what is written.
    """

    about: str
    holds: str
    is_directory: bool = False
    offers: bool = False


FORMATS: dict[str, Format] = {
    "mcp": Format(
        about="the entries of skills/list, for hosts over MCP",
        holds="a JSON array of `{uri, frontmatter, resources: [{uri, digest, size}]}`; refused when a host would refuse a skill",
    ),
    "well-known": Format(
        about="a directory to serve as /.well-known/agent-skills/",
        holds="`index.json` of Agent Skills Discovery 0.2.0; `<name>/SKILL.md`, or `<name>.zip` for a skill with other files; all "
        "files and their list `files` for readers of 0.1, who look at `/.well-known/skills/`",
        is_directory=True,
        offers=True,
    ),
    "zip": Format(
        about="one zip a skill, with one top-level folder, for uploads",
        holds="`<name>.zip` with `<name>/SKILL.md` and the other files, stored, execute bits included",
        is_directory=True,
    ),
    "packaged-json": Format(
        about="what JavaScript packagers make of skills",
        holds='a JSON array of `{kind: "packaged-skill", id, name, description, allowedTools, files}`, contents in base64, with '
        "the id that these packagers compute",
        offers=True,
    ),
    "assets": Format(
        about="asset metadata and contents by their hashes, for a grid",
        holds="`assets/<name>.json` with the facet out of `metadata` (`skill.tools`, `skill.context`, `skill.budget`), and each "
        "SKILL.md as `content/<sha256>`",
        is_directory=True,
        offers=True,
    ),
    "directory": Format(
        about="the skills as directories again",
        holds="`<name>/SKILL.md` and the other files, byte for byte, execute bits included",
        is_directory=True,
    ),
    "manifest": Format(
        about="names, digests, frontmatter and files",
        holds="the JSON of `bundle.manifest`",
    ),
    "sha256sums": Format(
        about="SHA-256 sums for sha256sum -c",
        holds="a line a file, `<sha256>  <name>/<path>`",
    ),
}


def document(form: str, bundle: AnyBundle, *, hidden: bool = False) -> bytes:
    """Return the document of a format that is not a directory; `hidden` takes hidden skills into what offers skills.

    Raises `skillpack.export.adoption.ExportError` for a bundle that is not safe or that the format's readers would
    refuse, `skillpack.runtime.IntegrityError` for a damaged content, and `KeyError` for another format.
    """
    from skillpack.export import adoption, checksums, manifest, mcp, packaged
    from skillpack.runtime.digest import canonical_json

    match form:
        case "mcp":
            held = adoption.adopt(bundle)
            if problems := mcp.faults(held):
                raise adoption.ExportError(problems)
            return f"{canonical_json(mcp.entries(held))}\n".encode()
        case "packaged-json":
            return packaged.document(bundle, hidden=hidden)
        case "manifest":
            return manifest.document(bundle)
        case "sha256sums":
            return checksums.document(bundle)
    raise KeyError(form)


def files(form: str, bundle: AnyBundle, *, hidden: bool = False) -> Iterator[tuple[str, bytes, bool]]:
    """Give the POSIX path, the bytes and the execute bit of each file of a format that is a directory.

    They are made as they are asked for. `hidden` and what is raised are as `document` has them.
    """
    from skillpack.export import assets, directory, well_known, zips

    match form:
        case "directory":
            yield from directory.files(bundle)
            return
        case "well-known":
            pairs = well_known.files(bundle, hidden=hidden)
        case "zip":
            pairs = zips.files(bundle)
        case "assets":
            pairs = assets.files(bundle, hidden=hidden)
        case _:
            raise KeyError(form)
    for path, data in pairs:
        yield path, data, False


def omissions(form: str, bundle: AnyBundle, *, hidden: bool = False) -> Iterator[str]:
    """Give a line for each kind of thing that a format leaves out of a bundle, with the names of the skills.

    Raises `skillpack.export.adoption.ExportError`.
    """
    from skillpack.export.adoption import adopt, offered
    from skillpack.runtime.text import listed

    held = adopt(bundle)
    taken = offered(held, hidden=hidden)
    if FORMATS[form].offers and len(taken) < len(held):
        names = [name for name, skill in held.items() if skill.hidden]
        yield (
            f"these skills are hidden and left out, since readers of {form} offer all that it holds (--hidden takes them "
            f"in): {listed(names)}"
        )
    if form == "assets":
        names = [skill.name for skill in taken if skill.resources]
        if names:
            yield f"an asset is a SKILL.md alone, so the other files of these skills are left out: {listed(names)}"


def formats_table() -> str:
    """Return the README's table of formats."""
    rows = ["| format | for | what is written |", "|---|---|---|"]
    for name, form in FORMATS.items():
        kind = "directory" if form.is_directory else "document"
        rows.append(f"| `{name}` | {form.about} | {kind}: {form.holds} |")
    return "\n".join(rows)
