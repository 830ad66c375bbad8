"""The reading of a SKILL.md: file, nodes, notation and fields, in this order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from skillpack.fields import faults, name_faults
from skillpack.frontmatter import envelope, notation
from skillpack.frontmatter.document import FASTEST, compose
from skillpack.frontmatter.node import Mapping, Scalar
from skillpack.frontmatter.quoting import quoted, with_line
from skillpack.frontmatter.refusal import RefusedError
from skillpack.frontmatter.repair import broken_lines, with_lines_quoted
from skillpack.frontmatter.secrecy import conceal_escaped, holds_none, report_secrets
from skillpack.frontmatter.values import as_text, as_value
from skillpack.model import Frontmatter
from skillpack.rules import Level
from skillpack.runtime.digest import sha256_hex
from skillpack.runtime.matching import globs_of, tools_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillpack.fields import Fault
    from skillpack.findings import Report
    from skillpack.frontmatter.document import Document, Loader
    from skillpack.frontmatter.known import Known
    from skillpack.frontmatter.node import Node
    from skillpack.frontmatter.notes import Notes
    from skillpack.model import Json
    from skillpack.rules import Levels

_ALWAYS_ERROR: Levels = (Level.ERROR, Level.ERROR, Level.ERROR)
_KEY_CODES = frozenset({"field-case", "field-unknown"})


def read(
    data: bytes,
    *,
    place: str,
    directory: str,
    report: Report,
    loader: Loader = FASTEST,
    known: Known | None = None,
    sha256: str = "",
    thorough: bool = True,
) -> Frontmatter | None:
    """Read the bytes of a SKILL.md; everything there is to say about them goes to `report`.

    `place` is the file's path as findings show it (`skills/pdf/SKILL.md`), `directory` the name of the
    skill's directory, `loader` one of PyYAML's two base loaders: it changes the speed and nothing else. So does
    `known`, which has what an earlier run has read of the same file, or gets what this one reads, unless a secret is
    in it. `sha256` is that of the bytes, if it is at hand. Of a text that is no YAML, and is not repaired, all lines
    at fault are told if the reading is `thorough`, and else the first.

    Returns None when an error leaves the fields without a meaning. With other errors the fields are still
    returned, so that later stages can add their findings in the same run.
    """
    notes = envelope.opened(data, place=place, directory=directory, report=report)
    if notes is None:
        return None
    conceal_escaped(notes)
    document = _document(notes, loader, known, thorough=thorough)
    if document is None:
        return None
    is_repaired = notes.text != document.text
    notes = replace(notes, text=document.text)
    if not holds_none(document.text, document.root):
        secrets = report_secrets(notes, document.root, data, sha256 or sha256_hex(data))
        notes = replace(notes, secrets=secrets)
    elif known and not is_repaired:
        known.note(document)
    notation.check(notes, document)
    if document.references.keys() & {"alias", "merge", "document"}:
        return None
    return _fields(notes, document.root, directory)


def _document(notes: Notes, loader: Loader, known: Known | None, *, thorough: bool) -> Document | None:
    """Return the frontmatter as nodes, repaired where the level of `yaml-invalid` allows, or None."""
    if known and (document := known.recall(notes.text)):
        return document
    try:
        return compose(notes.text, loader)
    except RefusedError as error:
        is_lost = notes.report.level("yaml-invalid", notes.place) is Level.ERROR
        if error.code != "yaml-invalid" or (is_lost and not thorough):
            notes.refuse(error)
            return None
        refused: RefusedError | None = error
    document = None
    broken = broken_lines(notes.text, loader)
    repaired = with_lines_quoted(notes.text, broken)
    if broken:
        try:
            document, refused = compose(repaired, loader), None
        except RefusedError as error:
            refused = error
    for fault in broken:
        notes.refuse(fault)
    notes = replace(notes, text=repaired)
    if refused:
        # What no repair can cure is lost to every host: no level makes that a warning.
        level = notes.refuse(refused, levels=_ALWAYS_ERROR)
        if level < Level.ERROR:
            message = "no field can be read from this frontmatter"
            notes.add("description-missing", refused.index, message, hint=refused.hint)
        return None
    return document if notes.report.level("yaml-invalid", notes.place) < Level.ERROR else None


def _fields(notes: Notes, root: Mapping, directory: str) -> Frontmatter | None:
    texts = {key.text: as_text(value) for key, value in root.items}
    values = {key.text: as_value(value) for key, value in root.items}
    levels = _add_faults(notes, root, faults(texts, directory=directory))
    if "description-missing" in levels or levels.get("name-missing") is Level.ERROR:
        return None
    if "name-missing" in levels:
        texts["name"] = directory
        _add_faults(notes, root, name_faults(directory))
    metadata = texts.get("metadata")
    entries = metadata.items() if isinstance(metadata, dict) else ()
    return Frontmatter(
        name=str(texts["name"]),
        description=str(texts["description"]),
        values=values,
        license=_text(texts.get("license")),
        compatibility=_text(texts.get("compatibility")),
        metadata={key: value for key, value in entries if isinstance(value, str)},
        allowed_tools=tools_of(texts.get("allowed-tools")),
        globs=globs_of(texts.get("globs")),
        hidden=values.get("hide") is True or values.get("disable-model-invocation") is True,
    )


def _add_faults(notes: Notes, root: Mapping, found: Iterable[Fault]) -> dict[str, Level]:
    """Report faults and return the level of each code among them."""
    levels = {}
    for fault in found:
        if notes.report.policy.setting == "strict" or not fault.strict_only:
            levels[fault.code] = _add_fault(notes, root, fault)
    return levels


def _add_fault(notes: Notes, root: Mapping, fault: Fault) -> Level:
    """Report a fault at its value, or at its key, or at the opening fence where there is neither."""
    line, column = 1, 1
    node: Node = root
    for step in fault.path:
        # of a key that stands twice the last value is the one that was read
        for key, value in reversed(node.items) if isinstance(node, Mapping) else ():
            if key.text == step:
                line, column = notes.at(key.start if fault.code in _KEY_CODES else value.start)
                node = value
                break
    message, cure = fault.message, fault.cure
    if node.start in notes.secrets:
        # a list of its characters, or the name that can be made of it, would tell of the secret
        message, cure = message.partition(":")[0], ""
    hint = with_line(fault.hint, f"{fault.path[0]}: {quoted(cure)}") if cure else fault.hint
    if fault.code == "description-edges" and isinstance(node, Scalar):
        hint = notation.strip_hint(notes, node) or hint
    return notes.add_line(line, fault.code, message, hint=hint, column=column)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
