"""Whether the files of an emitted module are, byte for byte, what skillpack writes for what they hold."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, cast

from skillpack.emit.folder import folder
from skillpack.emit.layout import INIT, code_digest, sections
from skillpack.emit.module import parts
from skillpack.runtime import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from skillpack.emit.folder import FolderForm
    from skillpack.emit.layout import Sections
    from skillpack.emitted import Module
    from skillpack.findings import Report

    ContentAddress = Callable[[bytes], str]
    """Returns the `blake3:` address of a content."""

REBUILD = "build it again from its sources; if nobody edited it, do not trust it"


def check_source(
    module: Module, address: ContentAddress, known_runtimes: Collection[str], report: Report
) -> bool:
    """Write the module again and report where its bytes differ, code and data each by itself; return if the code is ours.

    `known_runtimes` holds the code digests of older releases. A content without its digest is not reported here, and
    then there is nothing to compare with.
    """
    try:
        if module.form == "module":
            expected, runtime = parts(module.bundle), dict[str, bytes]()
        else:
            expected, runtime = _check_parts(module, module.form, address, report)
    except IntegrityError:
        return False
    _check_data(module, expected, report)
    return _check_code(module, expected, runtime, known_runtimes, report)


def _check_parts(
    module: Module, form: FolderForm, address: ContentAddress, report: Report
) -> tuple[Sections, dict[str, bytes]]:
    """Compare the shards and pages of a folder form; return its `__init__.py` and its runtime as they should be."""
    runtime: dict[str, bytes] = {}
    names: set[str] = set()
    init = b""
    for path, data in folder(module.bundle, form, address, checked=False):
        names.add(path)
        found = module.files.get(path)
        if path == INIT:
            init = data
        elif "/" in path:
            runtime[path] = data
        elif found is None:
            _report_altered(report, module.place, f"its part {path} is not there")
        elif found != data:
            message = "this is not what skillpack writes for the contents of the module"
            _report_altered(report, module.place_of(path), message, first_difference(found, data))
    for path in sorted(module.files.keys() - names):
        if "/" not in path:
            _report_altered(report, module.place_of(path), "it is no part of what the module holds")
    return cast("Sections", sections(init)), runtime  # it has a data section, as it was just written


def _check_data(module: Module, expected: Sections, report: Report) -> None:
    found = module.parts
    if found.data != expected.data:
        line = found.head.count(b"\n") + first_difference(found.data, expected.data)
        message = "this line is not what skillpack writes for the contents of the module"
        _report_altered(report, module.place, message, line)


def _check_code(
    module: Module,
    expected: Sections,
    runtime: Mapping[str, bytes],
    known_runtimes: Collection[str],
    report: Report,
) -> bool:
    found = {path: data for path, data in module.files.items() if "/" in path}
    digest = code_digest(module.parts, found)
    if digest == code_digest(expected, runtime):
        return True
    if digest in known_runtimes:
        report.add(
            "runtime-older",
            module.place,
            "the contents are sound, and the code is that of an older skillpack",
            hint="build again to have the newest runtime",
        )
        return False
    place, line = module.place, 0
    before_data = module.parts.head.count(b"\n")
    if module.parts.head != expected.head:
        line = first_difference(module.parts.head, expected.head)
    elif module.parts.tail != expected.tail:
        before_tail = before_data + module.parts.data.count(b"\n")
        line = before_tail + first_difference(module.parts.tail, expected.tail)
    else:
        path = next(
            path for path in sorted(found.keys() | runtime.keys()) if found.get(path) != runtime.get(path)
        )
        place = module.place_of(path)
        line = first_difference(found.get(path, b""), runtime.get(path, b""))
    report.add(
        "runtime-unknown",
        place,
        "from this line on the code is not that of this skillpack or of an older one",
        line=line,
        hint="verify with the skillpack that wrote it, or build it again; if nobody edited it, do not trust it",
    )
    return False


def _report_altered(report: Report, place: str, message: str, line: int = 0) -> None:
    report.add("artifact-altered", place, message, line=line, hint=REBUILD)


def first_difference(found: bytes, expected: bytes) -> int:
    """Return the first line, counted from 1, in which two texts differ."""
    pairs = zip_longest(found.split(b"\n"), expected.split(b"\n"))
    return next(number for number, (one, other) in enumerate(pairs, 1) if one != other)
