"""What is fuzzed: functions of bytes that raise when skillpack breaks a promise about them.

Each has seeds, inputs that get far, and may be run by any driver: the mutations of `fuzz.mutation`, and atheris.
"""

from __future__ import annotations

import io
import json
import tempfile
import time
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from skillpack import artifact, digest, emitted, paths, pipeline, verification
from skillpack.emit.folder import folder
from skillpack.emit.layout import INIT
from skillpack.emit.module import module
from skillpack.errors import ArtifactError
from skillpack.findings import Report
from skillpack.frontmatter import FASTEST, read
from skillpack.model import Frontmatter, SkillSource, SourceFile
from skillpack.rules import Level
from skillpack.runtime.digest import canonical_json
from skillpack.screen import judge, screen
from skillpack.secrets.detection import scan, scan_words
from skillpack.secrets.redaction import redacted
from support.bundles import DEMO, SOLO, Captured, make_bundle, make_source, skill_md
from support.emitted import executed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from skillpack.findings import Finding
    from skillpack.runtime import SkillBundle

SECONDS = 5.0
"""Of processor time for one input; the inputs are at most some 200 KiB long."""
MAX_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzed:
    """A target, its seeds, and words that its inputs are made of."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    words: tuple[bytes, ...] = ()

    def __call__(self, data: bytes) -> None:
        """Run the target; raises whatever it raises, and `AssertionError` when it takes too long."""
        before = time.process_time()
        self.run(data[:MAX_BYTES])
        took = time.process_time() - before
        assert took < SECONDS, f"{len(data)} bytes took {took:.1f} s"


def _told(findings: Iterable[Finding]) -> list[str]:
    """Return findings as they are printed; what is printed is lines of printable text."""
    told: list[str] = []
    for finding in findings:
        lines = (finding.line_text(), *finding.advice_text().split("\n"))
        assert all(line.isprintable() for line in lines), finding
        assert finding.message
        told.extend(lines)
    return told


def frontmatter(data: bytes) -> None:
    """Both parsers say the same of a SKILL.md, and never fail."""
    found = []
    for loader in (FASTEST, yaml.BaseLoader):
        report = Report()
        fields = read(data, place="skills/x/SKILL.md", directory="x", report=report, loader=loader)
        found.append(
            (fields and (fields.name, fields.description, canonical(fields.values)), _told(report.findings))
        )
    assert found[0] == found[1]


def canonical(values: object) -> bytes:
    """Return values to compare: JSON of them, which frontmatter always is."""
    return canonical_json(values).encode("utf-8", "surrogatepass")


def path(data: bytes) -> None:
    """Whatever the names are, they are judged without failing, alike each time, and told in printable text."""
    names = data.decode("utf-8", "surrogateescape").split("\n")
    for name in names:
        for is_directory in (True, False):
            verdict = judge(name, is_directory=is_directory, entries=names)
            assert verdict == judge(name, is_directory=is_directory, entries=list(reversed(names)))
    assert list(paths.faults(names)) == list(paths.faults(names))
    content = Captured(b"text\n")
    files = tuple(
        SourceFile(path=name, size=5, executable=False, content=content)
        for name in names
        if not any("\ud800" <= char <= "\udfff" for char in name)  # discovery refuses these
    )
    report = Report()
    screen(SkillSource(directory="x", place="skills/x", files=files), report)
    _told(report.findings)


def secrets(data: bytes) -> None:
    """A secret is found whatever stands around it on other lines, and none is told."""
    found = list(scan(data))
    for match in found:
        assert len(match.head) <= 4
        assert match.rule.title
        assert 0 <= match.offset <= 2 * len(data)
    if b"\0" not in data and found:
        around = b"plain text\n" * 40
        moved = {match.rule.name for match in scan(around + b"\n" + data + b"\n" + around)}
        assert {match.rule.name for match in found} <= moved
    text = data.decode("utf-8", "replace")
    told = redacted(text)
    for match in scan_words(text.encode()):
        for part in match.body.split("\n"):
            assert len(part) <= 4 or told.count(part) < text.count(part)


_WHEEL = {"agent/__init__.py": b"", "agent-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: agent\n"}


@cache
def _bundle() -> SkillBundle:
    return make_bundle(
        {"demo": DEMO, "solo": SOLO, "text": {"SKILL.md": skill_md("text"), "a.md": "é\n".encode()}}
    )


@cache
def _module() -> bytes:
    ((_, source),) = module(_bundle(), place="skills.py", report=Report())
    return source


@cache
def _manifest() -> bytes:
    return digest.manifest_bytes(_bundle(), provenance={"module": "agent/skills.py"})


def _zip(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in sorted(files.items()):
            wheel.writestr(zipfile.ZipInfo(name), data)
    return stream.getvalue()


def _verified(name: str, data: bytes) -> artifact.Artifact | None:
    """Return an artifact that `verify` finds nothing wrong with."""
    with tempfile.TemporaryDirectory(prefix="skillpack-fuzz-") as directory:
        place = Path(directory) / name
        place.write_bytes(data)
        try:
            read_back = artifact.read(place)
        except ArtifactError as error:
            assert str(error).startswith(str(place))  # noqa: PT017 - any input may raise it, or none
            return None
        findings = verification.verify(read_back, reread=pipeline.reread, address=digest.content_address)
    _told(findings)
    return None if any(finding.level is Level.ERROR for finding in findings) else read_back


def _assert_served(bundle: SkillBundle, source: bytes) -> None:
    """What was read as data is what Python would serve. Only source that `verify` found to be ours is run."""
    told, ran = (
        [(name, skill.digest, list(skill.files)) for name, skill in one.items()]
        for one in (bundle, executed(source))
    )
    assert told == ran


def emitted_module(data: bytes) -> None:
    """A damaged module is refused or told; one that is good serves, when it runs, what was read of it."""
    good = _verified("skills.py", data)
    if good is not None:
        for one in good.modules:
            _assert_served(one.bundle, data)


def wheel(data: bytes) -> None:
    """A damaged wheel is refused or told; the contents of one that is good have their digests."""
    good = _verified("agent-1.0-py3-none-any.whl", data)
    if good is not None:
        for one in good.modules:
            one.bundle.verify()


def manifest(data: bytes) -> None:
    """Whatever stands in a wheel's manifest, it is compared and not trusted."""
    files = {
        **_WHEEL,
        "agent/skills.py": _module(),
        "agent-1.0.dist-info/extra_metadata/skillpack.json": data,
    }
    if _verified("agent-1.0-py3-none-any.whl", _zip(files)) is not None:
        assert json.loads(data)["skills"] == json.loads(_manifest())["skills"]


def round_trip(data: bytes) -> None:
    """Any contents, paths and descriptions come back from each form as they were."""
    head, _, rest = data.partition(b"\0")
    description = " ".join(head.decode("utf-8", "replace").split()) or "d"
    body = rest.decode("utf-8", "ignore").encode()
    files = {"SKILL.md": b"---\nname: x\ndescription: d\n---\n" + body}
    for number, content in enumerate(rest.split(b"\0\0")[:20]):
        files[f"references/{number}"] = content
    fields = Frontmatter(name="x", description=description, values={"name": "x", "description": description})
    bundle = digest.address([make_source("x", files, frontmatter=fields)]).bundle
    ((_, source),) = module(bundle, place="skills.py", report=Report())
    forms = [emitted.module("skills.py", source).bundle]
    for form in ("package", "data"):
        parts = dict(folder(bundle, form, digest.content_address))
        init = parts.pop(INIT)
        forms.append(emitted.package(INIT, init, parts).bundle)
    for one in forms:
        assert one.digest == bundle.digest
        assert one["x"].description == description
        assert {name: file.bytes() for name, file in one["x"].files.items()} == files


YAML_WORDS = tuple(
    word.encode()
    for word in (
        "---\n", "name: ", "description: ", "metadata:\n", "  a: ", "allowed-tools: ", "|-\n", ">\n", "&a ", "*a", "<<: ", "!!str ", "? ",
        "[", "]", "{", "}", "'", '"', "\\u202e", "\\x00", "\ufeff", "\r\n", "\t", "#", "%YAML 1.1\n", "...", "0x", "1_000:59", "é", "\u2028", "~",
    )
)  # fmt: skip
SECRET_WORDS = (
    b"AKIA", b"ghp_", b"-----BEGIN PRIVATE KEY-----\n", b"-----END PRIVATE KEY-----", b"sk-ant-api03-", b"xoxb-", b"https://user:",
    b"@example.com/", b"password=", b"postgres://", b"eyJhbGciOi", b"AIza", b"\xff\xfe", b"\0", b"MII", b"\n", b"glpat-", b"//registry/:_authToken=",
    b"0123456789abcdef", b"aB3dE5gH7jK9mN1pQ3sT5vW7xY9z",
)  # fmt: skip
PATH_WORDS = tuple(
    word.encode("utf-8", "surrogateescape")
    for word in (
        "..", "/", "\\", ".env", ".git", "CON", "aux.txt", "id_rsa", "SKILL.md", "\u202e", "e\u0301", "é", "\udcff", " ", ".", ":", "~", "*", ".pyc", "\x7f",
        "node_modules", ".ssh/", "secret", "\n", "K", "ß", "\u00ad", "COM¹",
    )
)  # fmt: skip
PYTHON_WORDS = (
    b"_CATALOG", b"_INDEX", b": bytes = (\n", b'    b"', b"\\x", b"\\n", b"\\N{DIGIT ONE}", b"import os\n", b"((((", b"9" * 40, b"\n# end", b"h\t", b"-\t",
    b"sha256:", b"\\\n", b'"""', b"\x0c", b"\xef\xbb\xbf", b"# coding: latin-1\n", b"skillpack",
)  # fmt: skip
JSON_WORDS = (
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b"null",
    b"NaN",
    b"1e999",
    b"9" * 5000,
    b"\\ud800",
    b'"skills"',
    b'"digest"',
    b",",
    b":",
    b"[" * 2000,
)

_SKILL = b"""---
name: pdf
description: "Read: PDF files"
metadata: {a: '1', b: [x, "y"]}
allowed-tools: Read Bash(git:*)
---
# Body

text
"""

TARGETS = {
    "frontmatter": Fuzzed(
        run=frontmatter, seeds=lambda: [_SKILL, *(one["SKILL.md"] for one in (DEMO, SOLO))], words=YAML_WORDS
    ),
    "path": Fuzzed(
        run=path,
        seeds=lambda: [b"SKILL.md\nscripts/x.py\nassets/b.bin", b".env\nid_rsa\n.git/config"],
        words=PATH_WORDS,
    ),
    "secrets": Fuzzed(run=secrets, seeds=lambda: [b"\n".join(SECRET_WORDS), _SKILL], words=SECRET_WORDS),
    "module": Fuzzed(run=emitted_module, seeds=lambda: [_module()], words=PYTHON_WORDS),
    "wheel": Fuzzed(
        run=wheel,
        seeds=lambda: [
            _zip(
                {
                    **_WHEEL,
                    "agent/skills.py": _module(),
                    "agent-1.0.dist-info/extra_metadata/skillpack.json": _manifest(),
                }
            )
        ],
        words=(
            b"PK\x03\x04",
            b"PK\x01\x02",
            b"PK\x05\x06",
            b"\xff\xff\xff\xff",
            b"../",
            b"agent/skills.py",
            b"\0\0\0\0",
        ),
    ),
    "manifest": Fuzzed(run=manifest, seeds=lambda: [_manifest()], words=JSON_WORDS),
    "round-trip": Fuzzed(
        run=round_trip,
        seeds=lambda: [b"A skill\0text\n\0\0\xff\xfe\0\0", b"\0" * 9],
        words=(b"\0\0", b"\r\n", b'"', b"\\", b"'''", b"\xf0\x9f\x98\x80"),
    ),
}
"""By the name that the command line and the corpus have for them."""
