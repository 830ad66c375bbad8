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
from skillpack.screen import concealment, secret_names
from skillpack.screen.secret_names import folded
from skillpack.secrets import detection
from skillpack.secrets.redaction import starred

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from skillpack.findings import Report
    from skillpack.model import SkillSource

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


def screen(skill: SkillSource, report: Report) -> None:
    """Add every finding about the names and the contents of a skill's files to `report`."""
    paths = [file.path for file in skill.files]
    directories = list(dict.fromkeys(parent for path in paths for parent in _parents(path)))
    _screen_secret_in_name(skill.place, skill.directory, report)
    for entry in (*directories, *paths):
        place = skill.place_of(entry)
        _screen_entry(place, entry, report)
        _screen_secret_in_name(
            place, entry.rpartition("/")[2], report, f", or leave it out: {_exclude(place)}"
        )
    _screen_collisions(skill, paths, report)
    for directory in directories:
        _screen_directory_name(skill, directory, report)
    texts = concealment.OtherTexts()
    for file in skill.files:
        data = file.content.read()
        place = skill.place_of(file.path)
        _screen_file_name(place, file.path, data, report)
        _screen_secrets(place, file.path, data, report)
        if kind := _program(data):
            report.add(
                "executable-content",
                place,
                f"a compiled program ({kind}), which nobody can review",
                hint=f"ship its source, or leave it out: {_exclude(place)}",
            )
        if file.path == SKILL_MD:
            concealment.screen_instructions(place, data, report)
        else:
            texts.look(place, data)
    texts.report(report)


def _parents(path: str) -> Iterator[str]:
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


def _exclude(place: str) -> str:
    """Return the configuration that leaves out what is at `place` (directories end in a slash).

    The patterns of `exclude` are gitignore's and are matched against places. A secret in the name is not told: a
    star stands for it.
    """
    pattern = re.sub(r"[\\*?\[]|^[#!]| $", r"\\\g<0>", place.removeprefix("./").lstrip("/"))
    return f"[tool.skillpack] exclude = [{toml_text(starred(pattern))}]"


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
        (file.path.removeprefix(prefix), sha256_hex(file.content.read()))
        for file in skill.files
        if file.path.startswith(prefix)
    )
    return skill_digest(files).removeprefix("sha256:")


def _screen_file_name(place: str, path: str, data: bytes, report: Report) -> None:
    rule = secret_names.of_file(path)
    if rule:
        rule = secret_names.settled(rule, data)
    if rule and rule.is_secret:
        report.add(
            "secret-name",
            place,
            f"a file of this name usually holds {rule.holds}",
            hint=f"take it out of the skill, or leave it out of the bundle: {_exclude(place)}",
            sha256=sha256_hex(data),
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
    for match in detection.scan(data):
        report.conceal(place, match.body)
        sha256 = sha256 or sha256_hex(data)
        place_in_file = "" if match.line else f", at byte {match.offset:,}"
        way_out = "" if path == SKILL_MD else f", or leave the file out: {_exclude(place)}"
        if match.rule.like:
            code, hint = "secret-like", "put a placeholder such as <token> in its place"
        else:
            code, hint = "secret-content", "revoke it where it was issued and take it out of the file"
        report.add(
            code,
            place,
            f"{_secret(match)}{place_in_file}{_remark(match)}",
            hint=hint + way_out,
            line=match.line,
            column=match.column,
            sha256=sha256,
        )


def _screen_secret_in_name(place: str, name: str, report: Report, way_out: str = "") -> None:
    """Look for secrets in a segment of a path, which is told without them; an entry cannot allow it."""
    for match in detection.scan_words(name.encode("utf-8", "surrogatepass")):
        code = "secret-like" if match.rule.like else "secret-content"
        report.conceal(place, match.body)
        report.add(
            code,
            place,
            f"{_secret(match)}, in the name{_remark(match)}",
            hint=f"revoke it where it was issued and rename it{way_out}",
        )


def _secret(match: detection.Match) -> str:
    return f"{match.rule.title} {match.head}…, {match.length:,} characters"


def _remark(match: detection.Match) -> str:
    return f"; {match.remark}" if match.remark else ""


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
