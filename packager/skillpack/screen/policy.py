"""What a skill may not ship, may ship with a warning, or leaves out: names, secrets, programs, text that hides.

The rules are those of the design page "Screening". `screen` looks at a skill that was read and only says what it
sees: the levels are the policy's.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from skillpack.gitignore import pattern_of
from skillpack.model import SKILL_MD
from skillpack.paths import collisions, entry_faults, folded, parents
from skillpack.runtime.digest import skill_digest
from skillpack.screen import concealment, secret_names
from skillpack.screen.judgement import exclusion
from skillpack.secrets import detection
from skillpack.secrets.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from skillpack.findings import Report
    from skillpack.model import SkillSource, SourceFile
    from skillpack.paths import PathFault


def screen(skill: SkillSource, report: Report, clean: set[bytes] | None = None) -> None:
    """Add every finding about the names and the contents of a skill's files to `report`.

    `clean` are the keys of contents in which nothing is known to be found: they are not looked into, and those of
    contents in which nothing is found now are added. No policy plays a part in that.
    """
    clean = set() if clean is None else clean
    paths = [file.path for file in skill.files]
    directories = list(dict.fromkeys(parent for path in paths for parent in parents(path)))
    _screen_secrets_in_paths(skill, (*directories, *paths), report)
    for entry in (*directories, *paths):
        place = skill.place_of(entry)
        # a command with a cut path would not be one
        _add(entry_faults(entry, place=place if redacted(place) == place else ""), skill, report)
    _add(collisions(paths, place_of=skill.place_of), skill, report)
    for directory in directories:
        _screen_directory_name(skill, directory, report)
    texts = concealment.OtherTexts()
    for file in skill.files:
        place = skill.place_of(file.path)
        _screen_file_name(place, file, report)
        blake3 = file.content.fingerprint.blake3
        key = instructions_key(blake3) if file.path == SKILL_MD else b"r" + bytes.fromhex(blake3)
        if key not in clean and not _screen_contents(place, file, texts, report):
            clean.add(key)
    texts.report(report)


def instructions_key(blake3: str) -> bytes:
    """Return the key, for `clean`, of contents as a SKILL.md, of which more is asked than of other files."""
    return b"i" + bytes.fromhex(blake3)


def _screen_contents(place: str, file: SourceFile, texts: concealment.OtherTexts, report: Report) -> bool:
    """Return whether there was anything to find, on whatever level."""
    data, told = file.content.read(), report.told
    _screen_secrets(place, file, data, report)
    if kind := _program(data):
        report.add(
            "executable-content",
            place,
            f"a compiled program ({kind}), which nobody can review",
            hint=f"ship its source, or leave it out: {exclusion(pattern_of(place))}",
        )
    hides = False
    if file.path == SKILL_MD:
        concealment.screen_instructions(place, data, file.content.fingerprint.sha256, report)
    else:
        hides = texts.look(place, data)
    return hides or report.told > told


# Names.


def _add(faults: Iterable[PathFault], skill: SkillSource, report: Report) -> None:
    for fault in faults:
        report.add(fault.code, skill.place_of(fault.path), fault.message, hint=fault.hint)


def _screen_directory_name(skill: SkillSource, path: str, report: Report) -> None:
    rule, place = secret_names.of_directory(path.rpartition("/")[2]), skill.place_of(path)
    if rule and rule.is_secret:
        report.add(
            "secret-dir",
            place,
            f"a directory of this name usually holds {rule.holds}",
            hint=f"take it out of the skill, or leave it out of the bundle: {exclusion(pattern_of(place) + '/')}",
            sha256=_directory_digest(skill, f"{path}/"),
        )
    elif rule:
        report.add(
            "sensitive-name",
            place,
            f"a directory of this name may hold {rule.holds}{rule.remark}",
            hint=f"leave it out if it is no part of the skill: {exclusion(pattern_of(place) + '/')}",
            levels=rule.levels,
        )


def _directory_digest(skill: SkillSource, prefix: str) -> str:
    """Return the `Finding.sha256` of a directory: a file that is added, removed, renamed or edited changes it."""
    files = (
        (file.path.removeprefix(prefix), file.content.fingerprint.sha256)
        for file in skill.files
        if file.path.startswith(prefix)
    )
    return skill_digest(files).removeprefix("sha256:")


def _screen_file_name(place: str, file: SourceFile, report: Report) -> None:
    path = file.path
    rule = secret_names.of_file(path)
    if rule:
        rule = secret_names.settled(rule, file.content.read())
    if rule and rule.is_secret:
        report.add(
            "secret-name",
            place,
            f"a file of this name usually holds {rule.holds}",
            hint=f"take it out of the skill, or leave it out of the bundle: {exclusion(pattern_of(place))}",
            sha256=file.content.fingerprint.sha256,
        )
        return
    if rule:
        report.add(
            "sensitive-name",
            place,
            f"a file of this name may hold {rule.holds}{rule.remark}",
            hint=f"leave it out if it is no part of the skill: {exclusion(pattern_of(place))}",
            levels=rule.levels,
        )
    if ".local." in folded(path.rpartition("/")[2]) and not (rule and rule.is_example):
        report.add(
            "local-file",
            place,
            "its name says that it is for one machine, and it is packed",
            hint=f"rename it, or leave it out: {exclusion(pattern_of(place))}",
        )


# Contents.


MAX_TOLD_IN_FILE = 20
"""How many secrets of a file are findings of their own: a dump of 20,000 tokens is one thing to mend."""


def _screen_secrets(place: str, file: SourceFile, data: bytes, report: Report) -> None:
    sha256 = file.content.fingerprint.sha256
    numbers: Counter[str] = Counter()
    for match in detection.scan(data):
        report.conceal(place, match.body)
        code = match.code
        numbers[code] += 1
        if numbers[code] <= MAX_TOLD_IN_FILE:
            place_in_file = "" if match.line else f", at byte {match.offset:,}"
            report.add(
                code,
                place,
                f"{match.told}{place_in_file}{match.ending}",
                hint=_way_out(code, place, file.path),
                line=match.line,
                column=match.column,
                sha256=sha256,
            )
    for code, number in numbers.items():
        if number > MAX_TOLD_IN_FILE:
            message = f"and {number - MAX_TOLD_IN_FILE:,} more in this file"
            report.add(code, place, message, hint=_way_out(code, place, file.path), sha256=sha256)


def _way_out(code: str, place: str, path: str) -> str:
    if code == "secret-like":
        hint = "put a placeholder such as <token> in its place"
    else:
        hint = "revoke it where it was issued and take it out of the file"
    return hint if path == SKILL_MD else f"{hint}, or leave the file out: {exclusion(pattern_of(place))}"


def _screen_secrets_in_paths(skill: SkillSource, entries: Iterable[str], report: Report) -> None:
    """Look for secrets in names, and in paths, since some have slashes; an entry cannot allow what is found.

    It is told once, where it ends, and not with each file below.
    """
    told = set()
    for entry in ("", *entries):
        path = f"{skill.directory}/{entry}" if entry else skill.directory
        above, slash, name = path.rpartition("/")
        where, matches = "name", list(_secrets_of_name(name))
        if slash and not matches and above not in told:
            begin = len(f"{above}/".encode("utf-8", "surrogatepass"))
            where = "path"
            matches = [match for match in _secrets_of_name(path) if match.offset + match.length > begin]
        if matches or above in told:
            told.add(path)
        place = skill.place_of(entry) if entry else skill.place
        for match in matches:
            report.conceal(place, match.body)
            report.add(
                match.code,
                place,
                f"{match.told}, in the {where}{match.ending}",
                hint="revoke it where it was issued and rename it"
                + (f", or leave it out: {exclusion(pattern_of(place))}" if entry else ""),
            )


def _secrets_of_name(name: str) -> Iterator[detection.Match]:
    return detection.scan_words(name.encode("utf-8", "surrogatepass"))


_MACH_O = (b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe")


def _program(data: bytes) -> str:
    """Return the format of a compiled program by its magic, whatever the file is called."""
    if data.startswith(b"\x7fELF"):
        return "ELF"
    if data.startswith(_MACH_O):
        return "Mach-O"
    # Java's classes have the magic of Mach-O's fat files, then a version of 45 or more instead of a short count.
    if (
        data.startswith((b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"))
        and 0 < int.from_bytes(data[4:8], "big") < 45
    ):
        return "Mach-O"
    header = int.from_bytes(data[60:64], "little")
    return "PE" if data.startswith(b"MZ") and data[header : header + 4] == b"PE\0\0" else ""
