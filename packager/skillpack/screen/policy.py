"""What a skill may not ship, may ship with a warning, or leaves out: names, secrets, programs, text that hides.

The rules are those of the design page "Screening". `judge` decides by name while a skill is walked; `screen` looks
at a skill that was read. Both only say what they see: the levels are the policy's.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from typing import TYPE_CHECKING

from skillpack.findings import toml_text
from skillpack.model import SKILL_MD, Verdict
from skillpack.runtime.digest import sha256_hex, skill_digest
from skillpack.screen import concealment, secret_names, secrets
from skillpack.screen.secret_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from skillpack.findings import Report
    from skillpack.model import SkillSource, SourceFile

MAX_SEGMENT_BYTES = 255
MAX_PATH_BYTES = 1024

_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj"})
_CVS_FILES = frozenset({"entries", "repository", "root"})
_LEFT_OUT = frozenset({
    "__pycache__", ".venv", "node_modules", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox", ".cache",
    ".turbo", ".ipynb_checkpoints", ".idea", ".ds_store", "__macosx", "thumbs.db", "desktop.ini", ".in_use",
})  # fmt: skip
_LEFT_OUT_FILE = re.compile(r"\._.*|.*\.(?:py[co]|sw[po]|orig|rej)|.*~|\.#.*|#.*#", re.DOTALL)

_TAKE = Verdict(action="take")
_LEAVE_OUT = Verdict(
    action="leave-out", code="left-out", message="left out: tools and editors make it, and no skill needs it"
)


def judge(path: str, *, is_directory: bool, entries: Sequence[str] = ()) -> Verdict:
    """Judge the entry at `path` by its name: `skillpack.model.NameJudge`.

    Names that are left out are so for files, directories and links alike; patterns are for files, since a directory
    `data.orig` is more likely a content than a leftover. A file with the name of a secret is never left out: what
    an editor left of a `.env` has to be seen. A directory with such a name is taken: `screen` refuses it with the
    digest of what is in it, by which it can be allowed.
    """
    written = path.rpartition("/")[2]
    name = folded(written)
    if _is_version_control(written, is_directory=is_directory, entries=entries):
        return Verdict(
            action="refuse",
            code="vcs-entry",
            message="version control data inside a skill",
            hint=f"delete it, or leave it out: {_exclude(written + '/' * is_directory)}",
        )
    if name in _LEFT_OUT or (name == "venv" and "pyvenv.cfg" in map(folded, entries)):
        return _LEAVE_OUT
    if not is_directory and _LEFT_OUT_FILE.fullmatch(name) and not is_secret_name(path):
        return _LEAVE_OUT
    return _TAKE


def is_secret_name(path: str) -> bool:
    """Whether the name or the place of a file says that it holds a secret, whatever is in it.

    `path` is a POSIX path relative to the skill directory.
    """
    rules = [secret_names.of_file(path), *map(secret_names.of_directory, path.split("/")[:-1])]
    return any(rule is not None and rule.is_secret for rule in rules)


def screen(skill: SkillSource, report: Report, clean: set[bytes] | None = None) -> None:
    """Add every finding about the names and the contents of a skill's files to `report`.

    `clean` are the keys of contents in which nothing is known to be found: they are not looked into, and those of
    contents in which nothing is found now are added. No policy plays a part in that.
    """
    clean = set() if clean is None else clean
    paths = [file.path for file in skill.files]
    directories = list(dict.fromkeys(parent for path in paths for parent in _parents(path)))
    for entry in (*directories, *paths):
        _screen_entry(skill.place_of(entry), entry, report)
    _screen_collisions(skill, paths, report)
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


def is_clean(data: bytes) -> bool:
    """Return whether no secret is in `data`."""
    return not any(secrets.scan(data))


def _screen_contents(place: str, file: SourceFile, texts: concealment.OtherTexts, report: Report) -> bool:
    """Return whether there was anything to find, on whatever level."""
    data, told = file.content.read(), report.told
    _screen_secrets(place, file.path, data, report)
    if kind := _program(data):
        report.add(
            "executable-content",
            place,
            f"a compiled program ({kind}), which nobody can review",
            hint=f"ship its source, or leave it out: {_exclude(place)}",
        )
    hides = False
    if file.path == SKILL_MD:
        concealment.screen_instructions(place, data, report)
    else:
        hides = texts.look(place, data)
    return hides or report.told > told


def _parents(path: str) -> Iterator[str]:
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


def _exclude(place: str) -> str:
    """Return the configuration that leaves out what is at `place` (directories end in a slash).

    The patterns of `exclude` are gitignore's and are matched against places.
    """
    pattern = re.sub(r"[\\*?\[]|^[#!]| $", r"\\\g<0>", place.removeprefix("./").lstrip("/"))
    return f"[tool.skillpack] exclude = [{toml_text(pattern)}]"


def _is_version_control(written: str, *, is_directory: bool, entries: Iterable[str]) -> bool:
    name = folded(written)
    if not is_directory:
        return name == ".git"
    # In other letters `cvs` is also a directory with curricula vitae.
    is_cvs = written == "CVS" or (name == "cvs" and set(map(folded, entries)) >= _CVS_FILES)
    return is_cvs or name in _VERSION_CONTROL


# Names.

_INVISIBLE_IN_NAME = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Controls, line separators and what Unicode calls default ignorable, fixed here so that no Python differs."""

_WINDOWS_DEVICE = re.compile(
    r"(?i)(con|prn|aux|nul|com[1-9\u00b9\u00b2\u00b3]|lpt[1-9\u00b9\u00b2\u00b3]|conin\$|conout\$) *(?:\..*)?",
    re.DOTALL,
)
_WINDOWS_CHARACTER = re.compile(r'[<>:"|?*\\]')


def _screen_entry(place: str, path: str, report: Report) -> None:
    """Screen the last segment of `path`, so that a directory is reported once and not with each of its files."""
    name = path.rpartition("/")[2]
    if invisible := _INVISIBLE_IN_NAME.search(name):
        report.add(
            "path-control",
            place,
            f"{concealment.name_of(invisible[0])} in the name cannot be seen",
            hint=f"rename it without U+{ord(invisible[0]):04X}",
        )
    if not name.isascii() and unicodedata.normalize("NFC", name) != name:
        report.add(
            "path-normal-form",
            place,
            "the name is not in Unicode normal form C, so other systems may not find it",
            hint=f"compose its accents: convmv -f utf8 -t utf8 --nfc --notest {shlex.quote(place)}",
        )
    if fault := _windows_fault(name):
        report.add("path-windows", place, fault, hint="rename it, so that a checkout on Windows has it too")
    size = len(path.encode("utf-8", "surrogatepass"))
    if size > MAX_PATH_BYTES:
        report.add(
            "path-length",
            place,
            f"the path has {size:,} bytes; file systems and archives take {MAX_PATH_BYTES:,}",
            hint="shorten the names of its directories",
        )
    size = len(name.encode("utf-8", "surrogatepass"))
    if size > MAX_SEGMENT_BYTES:
        report.add(
            "path-length",
            place,
            f"the name has {size:,} bytes; file systems take {MAX_SEGMENT_BYTES}",
            hint="shorten the name",
        )


def _windows_fault(name: str) -> str:
    if device := _WINDOWS_DEVICE.fullmatch(name):
        return f"Windows keeps the name {device[1]} for a device"
    if character := _WINDOWS_CHARACTER.search(name):
        return f"Windows does not allow {character[0]} in a name"
    return "Windows drops the dot or blank at the end of a name" if name.endswith((".", " ")) else ""


def _screen_collisions(skill: SkillSource, paths: Iterable[str], report: Report) -> None:
    """Report paths that are one where case or compatibility characters do not count, and files in files."""
    files: dict[str, str] = {}
    for path in paths:
        first = files.setdefault(_one_name(path), path)
        if first != path:
            report.add(
                "path-collision",
                skill.place_of(path),
                f"some file systems cannot tell it from {first}",
                hint="rename one of the two",
            )
    for key, path in files.items():
        for parent in _parents(key):
            if parent in files:
                directory = "/".join(path.split("/")[: parent.count("/") + 1])
                report.add(
                    "path-collision",
                    skill.place_of(path),
                    f"it lies in a directory that some file systems cannot tell from the file {files[parent]}",
                    hint=f"rename {skill.place_of(files[parent])}, or the directory {skill.place_of(directory)}",
                )


def _one_name(path: str) -> str:
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())


def _screen_directory_name(skill: SkillSource, path: str, report: Report) -> None:
    rule, place = secret_names.of_directory(path.rpartition("/")[2]), skill.place_of(path)
    if rule and rule.is_secret:
        report.add(
            "secret-dir",
            place,
            f"a directory of this name usually holds {rule.holds}",
            hint=f"take it out of the skill, or leave it out of the bundle: {_exclude(place + '/')}",
            sha256=_directory_digest(skill, f"{path}/"),
        )
    elif rule:
        report.add(
            "sensitive-name",
            place,
            f"a directory of this name may hold {rule.holds}{rule.remark}",
            hint=f"leave it out if it is no part of the skill: {_exclude(place + '/')}",
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
            hint=f"take it out of the skill, or leave it out of the bundle: {_exclude(place)}",
            sha256=file.content.fingerprint.sha256,
        )
        return
    if rule:
        report.add(
            "sensitive-name",
            place,
            f"a file of this name may hold {rule.holds}{rule.remark}",
            hint=f"leave it out if it is no part of the skill: {_exclude(place)}",
            levels=rule.levels,
        )
    if ".local." in folded(path.rpartition("/")[2]) and not (rule and rule.is_example):
        report.add(
            "local-file",
            place,
            "its name says that it is for one machine, and it is packed",
            hint=f"rename it, or leave it out: {_exclude(place)}",
        )


# Contents.


def _screen_secrets(place: str, path: str, data: bytes, report: Report) -> None:
    sha256 = ""
    for match in secrets.scan(data):
        sha256 = sha256 or sha256_hex(data)
        place_in_file = "" if match.line else f", at byte {match.offset:,}"
        remark = f"; {match.remark}" if match.remark else ""
        way_out = "" if path == SKILL_MD else f", or leave the file out: {_exclude(place)}"
        if match.rule.like:
            code, hint = "secret-like", "put a placeholder such as <token> in its place"
        else:
            code, hint = "secret-content", "revoke it where it was issued and take it out of the file"
        report.add(
            code,
            place,
            f"{match.rule.title} {match.head}…, {match.length:,} characters{place_in_file}{remark}",
            hint=hint + way_out,
            line=match.line,
            column=match.column,
            sha256=sha256,
        )


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
