"""Every hint, followed to the letter, makes its finding go away and brings no other error.

The inputs are the examples of the registry, and more where a code has several hints. What a hint asks for is read from
its printed text by `support.hints`, which knows forms of words and no codes. A hint with several ways out is followed
in each of them, in a project of its own.
"""

from __future__ import annotations

import dataclasses
import errno
import functools
import itertools
import os
import random
import re
import stat
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from skillpack import artifact, config, digest, discover, pipeline, verification
from skillpack.discover.reading import SYSTEM
from skillpack.errors import RefusedError
from skillpack.rules import RULES, Level
from skillpack.rules.rule import FILES, PYPROJECT, SHELL, frontmatter
from support import hatch_builds, hints, projects, rule_examples, tokens
from support.archives import make_zip
from support.discovery import meddling
from support.told import told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from skillpack.discover.reading import System
    from skillpack.findings import Finding
    from skillpack.rules import Setting
    from support.hints import Printed

PDF = "skills/pdf/SKILL.md"

NOT_FOLLOWED = {
    "expected-skills": "about the set of skills, no file: which there should be, its author knows",
    "configuration": "about an option, which its message says how to write",
    "package-altered": "about an installed distribution, which is no part of the project",
    "catalog-budget": "about the set of skills, no file: what may be shorter, their authors know",
}
"""The codes that are errors and about nothing that could be mended at its place."""

FOR_PEOPLE = {
    "a skill is a directory with a SKILL.md, one level below a skills root": "asks for nothing",
    "a host's own field": "asks for nothing",
    "as several keys": "which, its author knows",
    "change the pattern": "to which, its author knows",
    "correct it": "what was meant, its author knows",
    "correct its path": "what was meant, its author knows",
    "correct its paths": "what was meant, its author knows",
    "do not trust it": "asks for nothing to be done",
    "exclude what it does not need": "no single entry would do",
    "exclude what the skills do not need": "no single entry would do",
    "if it is no part of the skill": "a condition of what is followed",
    "if nobody edited it": "a condition of what is not done",
    "if nobody put it there": "a condition of what is not done",
    "indent one `key: value` a line below it": "which, its author knows",
    "move data into a file of the skill": "which of a thousand keys, its author knows",
    "move text below the frontmatter or into files": "which of 64 KiB, its author knows",
    "name another one in `skills`": "which, its author knows",
    "name smaller skills roots": "which, its author knows",
    "name the directory itself in `skills`": "a link that leaves the project does not tell which",
    "name the tools with spaces between them": "which, its author knows",
    "packed skills go by their name": "asks for nothing",
    "put the directory in the place of the link": "which, a link that leads nowhere does not tell",
    "resolve the conflict": "which side is right, its author knows",
    "revoke it where it was issued": "nothing in the project can do that",
    "ship its source": "a program does not tell its source",
    "unmount": "takes a privilege that tests do not have",
    "verify with the skillpack that wrote it": "there is no other release",
    "write a list of texts, or one text with commas": "which, its author knows",
    "write compatibility as text": "which, its author knows",
    "write it as an escape": "how an escape is written depends on the language of the text",
    "write it flatter": "how, its author knows",
    "write license as text": "which, its author knows",
    "write one field a line": "which, its author knows",
    "write out what it stands for": "that may be anywhere, or nowhere",
    "write the character itself, or its \\U escape": "half a character does not tell which",
    "write the key as text": "which, its author knows",
    "write the tools with spaces between them": "which, its author knows",
}
"""The words of hints that no program can follow: why not."""


# ------------------------------------------------------------------ inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An input that gives an error of a code: what is done to the project of the registry's examples.

    `where` and `what` are those of `skillpack.rules.rule.Example`; a function for `what` is given the project.
    """

    code: str
    where: str = ""
    what: str | Callable[[Path], object]
    strict: bool = False

    @property
    def setting(self) -> Setting:
        return "strict" if self.strict else "default"

    def plant(self, project: Path) -> None:
        if callable(self.what):
            self.what(project)
        else:
            rule_examples.do(project, self.where, self.what)


def examples(code: str) -> Iterator[Case]:
    """Yield the example of the registry at the default and at strict, where it is an error."""
    rule = RULES[code]
    what = OTHERWISE.get(code, rule.example.bad)
    for strict, level in zip((False, True), rule.levels[1:], strict=True):
        if level is Level.ERROR:
            yield Case(code=code, where=rule.example.where, what=what, strict=strict)


def lines(*more: str) -> str:
    """Return a SKILL.md that is good but for further lines of its frontmatter."""
    return frontmatter("name: pdf", "description: Fills in PDF forms.", *more, body="Fill in the form.\n")


def in_pdf(code: str, *more: str, strict: bool = False) -> Case:
    return Case(code=code, where=PDF, what=lines(*more), strict=strict)


def as_pdf(code: str, text: str, *, strict: bool = False) -> Case:
    return Case(code=code, where=PDF, what=text, strict=strict)


def encoded(codec: str) -> Callable[[Path], object]:
    text = lines().replace("Fills", "Füllt")
    return lambda project: (project / PDF).write_bytes(text.encode(codec))


def link(path: str, target: str) -> Callable[[Path], object]:
    return lambda project: rule_examples.do(project, FILES, f"{path} -> {target}")


def linked_root(target: str) -> Callable[[Path], object]:
    """Have a second skills root that is a link."""

    def plant(project: Path) -> None:
        (project / "more").symlink_to(target)
        rule_examples.do(project, PYPROJECT, '[tool.skillpack]\nskills = ["skills", "more"]\n')

    return plant


def altered_manifest(project: Path) -> None:
    wheel = hatch_builds.build(project).artifact()
    with zipfile.ZipFile(wheel) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = next(name for name in members if name.endswith("/skillpack.json"))
    make_zip(wheel, members | {manifest: members[manifest].replace(b"Fills", b"Signs")})


def planted(path: str, data: bytes | str) -> Callable[[Path], object]:
    return lambda project: projects.write(project, {path: data})


OTHERWISE: dict[str, str | Callable[[Path], object]] = {
    "other-device": planted("skills/pdf/fonts/a.ttf", b"\0\1\0\0"),
    "file-changed": planted("skills/pdf/now.txt", "now\n"),
    "artifact-manifest": altered_manifest,
    # In the registry the one root of the project is missing: there is nothing to pack once it is there, either.
    "root-missing": '[tool.skillpack]\nskills = ["skills", "skils"]\n',
    # In the registry no single entry would do.
    "large-skill": lambda project: projects.write(
        project, {f"skills/pdf/all/{n}.txt": "" for n in range(600)}
    ),
    "limit-files": "[tool.skillpack]\nmax-skill-files = 2\n",
}
"""Other inputs than the registry's, where that cannot be run here or is not mended at its place."""

ERRORS = [code for code, rule in RULES.items() if Level.ERROR in rule.levels[1:] and code not in NOT_FOLLOWED]

TOKEN = tokens.example("github-token").secret.decode()
CUT = "skills/pdf/aws_secret" + "_access_key=" + tokens.text_of(random.Random(3), (tokens.ALNUM, 40))
"""A directory whose name is not told, and with it no path below."""

CASES = [
    *itertools.chain.from_iterable(map(examples, ERRORS)),
    # SKILL.md, the file
    Case(code="skill-md-case", where=FILES, what="skills/pdf/skill.md"),
    Case(code="skill-md-missing", where=FILES, what="skills/group/one/SKILL.md", strict=True),
    Case(code="skill-md-encoding", what=encoded("cp1252")),
    Case(code="skill-md-encoding", what=encoded("utf-16")),
    as_pdf("frontmatter-missing", "---\nname: pdf\ndescription: Fills in PDF forms.\n\n# PDF\n"),
    as_pdf("frontmatter-missing", "\n \n---\nname: pdf\ndescription: Fills in PDF forms.\n---\nBody\n"),
    as_pdf("line-ending", "---\nname: pdf\rdescription: Fills in PDF forms.\n---\nBody\n"),
    # YAML
    in_pdf("yaml-invalid", "license: [text](url)"),
    in_pdf("yaml-invalid", "license:\tMIT"),
    in_pdf("yaml-invalid", 'license: "MIT'),
    in_pdf("yaml-invalid", 'license: "C:\\dir"'),
    in_pdf("yaml-invalid", "license: | a"),
    in_pdf("yaml-invalid", "license: [a, b"),
    in_pdf("yaml-invalid", "license: Free", "  for all: x"),
    in_pdf("yaml-invalid", "license: a\u2028"),
    in_pdf("yaml-invalid", "license: a\x1b"),
    in_pdf("yaml-invalid", "metadata:", "  a: b", " c: d"),
    in_pdf("yaml-invalid", "just text"),
    in_pdf("yaml-invalid", 'license: "\\ud800"'),
    in_pdf("yaml-invalid", "<<<<<<< HEAD", "license: a", ">>>>>>> x"),
    in_pdf("yaml-invalid", "? [a]", ": b"),
    as_pdf("yaml-invalid", "---\nname: pdf\n description: d\n---\nBody\n"),
    as_pdf("yaml-invalid", "---\n---\nBody\n"),
    in_pdf("yaml-duplicate-key", "metadata:", "  a: b", "  c:", "    d", "  a: e"),
    in_pdf("yaml-alias", "metadata: &a", "  b: c"),
    in_pdf("yaml-alias", "metadata: !!map", "  b: c"),
    in_pdf("yaml-alias", "license: !x"),
    in_pdf("yaml-alias", "%YAML 1.2"),
    in_pdf("yaml-alias", "..."),
    in_pdf("yaml-alias", "<<: x"),
    in_pdf("yaml-limits", f"big: {'1' * 5000}"),
    in_pdf("yaml-limits", *(f"k{number}: v" for number in range(600))),
    in_pdf("yaml-limits", f"big: {'x' * 70_000}"),
    in_pdf("yaml-flow", "allowed-tools: [Read, Write]", strict=True),
    in_pdf("yaml-comment", "license: # why", "  MIT", strict=True),
    in_pdf("ambiguous-scalar", "metadata:", "  since: 2024-01-01", strict=True),
    # fields
    as_pdf("name-missing", "---\nname:\ndescription: Fills in PDF forms.\n---\nBody\n"),
    as_pdf("name-format", f"---\nname: {'pdf-' * 20}\ndescription: Fills in PDF forms.\n---\nBody\n"),
    as_pdf("description-missing", "---\nname: pdf\ndescription: |\n\nlicense: MIT\n---\nBody\n"),
    as_pdf(
        "description-edges", '---\nname: pdf\ndescription: "Fills in PDF forms. "\n---\nBody\n', strict=True
    ),
    as_pdf("description-edges", "---\nname: pdf\ndescription: >2+\n   Fills in.\n\n---\nBody\n", strict=True),
    as_pdf(
        "description-edges", "---\nname: pdf\ndescription: |2+ # c\n  Fills in.\n\n---\nBody\n", strict=True
    ),
    as_pdf("description-markup", "---\nname: pdf\ndescription: Fills in if a < b.\n---\nBody\n", strict=True),
    in_pdf("compatibility-type", f"compatibility: {'x' * 600}"),
    in_pdf("metadata-type", "metadata: text", strict=True),
    in_pdf("metadata-type", "metadata:", '  adk_inject_state: "true"', strict=True),
    in_pdf("metadata-type", "metadata:", "  tags: [a, b]", strict=True),
    in_pdf("allowed-tools-form", "allowed-tools:", strict=True),
    in_pdf("allowed-tools-syntax", "allowed-tools: Read) Write"),
    in_pdf("allowed-tools-syntax", "allowed-tools: []"),
    in_pdf("globs-form", "globs:", '  - "**/*.pdf"', '  - ""', strict=True),
    in_pdf("field-unknown", "allowedTools: Read", strict=True),
    in_pdf("field-unknown", "hide: true", strict=True),
    in_pdf("field-unknown", "author: Docs team", "tags:", "  - forms", strict=True),
    # reading
    Case(code="symlink", what=link("skills/pdf/all", "../../docs")),
    Case(code="symlink", what=link("skills/pdf/up", "..")),
    Case(code="symlink", what=link("skills/pdf/gone", "nowhere")),
    Case(code="symlink", what=link("skills/pdf/loop", "loop")),
    Case(code="symlink", what=link("skills/pdf/out", "../../../shared/skills/letters")),
    Case(code="symlink", what=linked_root("src/myagent/bundled")),
    Case(code="symlink", what=linked_root("../shared/skills")),
    Case(code="symlink", what=linked_root("nowhere")),
    Case(code="special-file", where=SHELL, what="mkfifo skills/answers"),
    Case(code="unreadable", what=planted("skills/pdf/fleeting.txt", "soon gone\n")),
    Case(code="vcs-entry", where=FILES, what="skills/pdf/.git"),
    Case(
        code="root-missing", where=PYPROJECT, what=f'[tool.skillpack]\nskills = ["skills/notes", "{PDF}"]\n'
    ),
    Case(code="output-foreign", where=FILES, what=rule_examples.MODULE),
    Case(code="output-foreign", where=FILES, what=f"{rule_examples.MODULE}/"),
    Case(code="output-foreign", what=link(rule_examples.MODULE, "../../docs/forms.md")),
    Case(code="left-out", where=FILES, what="skills/~df/SKILL.md", strict=True),
    Case(code="limit-run", where=PYPROJECT, what='[tool.skillpack]\nmax-bytes = "80 B"\n'),
    Case(code="limit-files", where=PYPROJECT, what="[tool.skillpack]\nmax-skill-files = 1\n"),
    # names
    Case(code="path-control", where=FILES, what="skills/pdf/for\u200bms.md"),
    Case(code="path-windows", where=FILES, what="skills/pdf/a:b/c.md"),
    Case(code="path-collision", where=FILES, what="skills/pdf/A\nskills/pdf/a/b.md"),
    # contents
    Case(code="secret-content", where=PDF, what=lines() + TOKEN),
    in_pdf("secret-content", f'license: "\\x{ord(TOKEN[0]):02x}{TOKEN[1:]}"'),
    in_pdf("secret-content", "metadata:", f'  a: "{TOKEN[:9]}\\', f'    {TOKEN[9:]}"'),
    # paths that are cut
    Case(code="secret-name", what=planted(f"{CUT}/.env", "A=b\n")),
    Case(code="secret-dir", what=planted(f"{CUT}/.aws/config", "x\n")),
    Case(code="secret-content", what=planted(f"{CUT}/a.txt", "x\n")),
    Case(code="vcs-entry", what=planted(f"{CUT}/.git", "x\n")),
    Case(code="special-file", where=SHELL, what=f"mkdir '{CUT}' && mkfifo '{CUT}/answers'"),
    Case(code="sensitive-name", what=planted(f"{CUT}/a.log", "x\n"), strict=True),
    Case(code="exclude-skill-md", where=PYPROJECT, what='[tool.skillpack]\nexclude = ["*.md"]\n'),
    Case(code="invisible-characters", what=planted("skills/pdf/style.md", "Short\u200b\n"), strict=True),
]


# ------------------------------------------------------------------ runs


@dataclass(slots=True, kw_only=True)
class Scene:
    """A project with the input of a case, and what there is around it while it runs, until that is settled."""

    case: Case
    root: Path
    settled: bool = False

    def run(self) -> list[Printed]:
        """Run what finds the code; return what is printed."""
        if self.case.code == "ships-unpacked":
            errors = hatch_builds.build(self.root).app.errors
            return [hints.printed(text) for text in errors if not text.startswith("refused: ")]
        system = SYSTEM if self.settled else self._surroundings()
        with mock.patch.object(discover, "discover", functools.partial(discover.discover, system=system)):
            return [hints.printed(told(finding)) for finding in self._findings()]

    def _findings(self) -> Iterable[Finding]:
        if not RULES[self.case.code].configurable:
            return verification.verify(
                artifact.read(self._artifact()), reread=pipeline.reread, address=digest.content_address
            )
        if self.case.code == "output-stale":
            return rule_examples.bundle_check(self.root, self.case.setting)
        try:
            with pipeline.pack(config.load(self.root, level=self.case.setting), output="kept") as packed:
                pipeline.emit(packed, rule_examples.MODULE)
                return packed.findings
        except RefusedError as error:
            return error.findings

    def _artifact(self) -> Path:
        wheels = list(self.root.parent.glob("*-wheel-dist/*.whl"))
        return wheels[0] if wheels else self.root / rule_examples.MODULE

    def build_again(self) -> None:
        if self._artifact().suffix == ".whl":
            hatch_builds.build(self.root).artifact()
        else:
            rule_examples.bundle(self.root)

    def settle(self) -> None:
        self.settled = True

    def _surroundings(self) -> System:
        """Return a platform on which what a case is about happens, where no input can bring it about."""
        match self.case.code:
            case "other-device":
                mounted = (self.root / "skills/pdf/fonts").stat().st_ino

                def fstat(descriptor: int) -> os.stat_result:
                    status = os.fstat(descriptor)
                    elsewhere = (*status[:2], status.st_dev + 1, *status[3:])
                    return os.stat_result(elsewhere) if status.st_ino == mounted else status

                return dataclasses.replace(SYSTEM, fstat=fstat)
            case "file-changed":
                return dataclasses.replace(SYSTEM, read=self._append_and_read)
            case "unreadable":
                fleeting = self.root / "skills/pdf/fleeting.txt"
                system = meddling(SYSTEM, fleeting.name, lambda: fleeting.unlink(missing_ok=True))
                return dataclasses.replace(system, open=functools.partial(open_as_owner, system))
        return SYSTEM

    def _append_and_read(self, descriptor: int, size: int) -> bytes:
        with (self.root / "skills/pdf/now.txt").open("a", encoding="utf-8") as file:
            file.write("later\n")
        return os.read(descriptor, size)


def open_as_owner(system: System, path: str, flags: int, **options: int) -> int:
    """Open a file as one who has no other right than its owner's: tests may run as root, who has all."""
    descriptor = system.open(path, flags, **options)
    if not os.fstat(descriptor).st_mode & stat.S_IRUSR:
        system.close(descriptor)
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return descriptor


def scene(case: Case, directory: Path) -> Scene:
    root = rule_examples.make_project(directory)
    if not RULES[case.code].configurable:
        rule_examples.bundle(root)
    case.plant(root)
    return Scene(case=case, root=root)


def errors(found: list[Printed]) -> list[Printed]:
    return [finding for finding in found if finding.level == "error"]


def first(found: list[Printed], code: str) -> Printed:
    """Return the first error with a code; there has to be one."""
    return next(finding for finding in errors(found) if finding.code == code)


# ------------------------------------------------------------------ tests


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[Printed]]:
    """What is printed for each case, by its number."""
    top = tmp_path_factory.mktemp("said")
    return {number: scene(case, top / str(number)).run() for number, case in enumerate(CASES)}


def test_every_code_that_can_be_an_error_has_an_input_or_a_reason_to_have_none() -> None:
    codes = {code for code, rule in RULES.items() if Level.ERROR in rule.levels[1:]}
    # One code is an error at strict for a single sort of what it finds.
    assert {case.code for case in CASES} == (codes - NOT_FOLLOWED.keys()) | {"left-out"}
    assert codes >= NOT_FOLLOWED.keys()


@pytest.mark.parametrize(
    "number",
    range(len(CASES)),
    ids=lambda number: f"{number} {CASES[number].code} at {CASES[number].setting}",
)
def test_a_hint_followed_to_the_letter_makes_its_finding_go_away(
    number: int, said: dict[int, list[Printed]], tmp_path: Path
) -> None:
    case, before = CASES[number], {(error.code, error.path) for error in errors(said[number])}
    for index, way in enumerate(hints.ways(first(said[number], case.code))):
        mended = scene(case, tmp_path / str(index))
        finding = first(mended.run(), case.code)
        place = hints.Place(
            root=mended.root, finding=finding, build_again=mended.build_again, settle=mended.settle
        )
        way.follow(place)
        after = errors(mended.run())
        same = (finding.code, finding.path, finding.message)
        assert same not in [(error.code, error.path, error.message) for error in after], way.words
        assert {(error.code, error.path) for error in after} <= before, way.words


def test_every_code_has_a_hint_that_can_be_followed(said: dict[int, list[Printed]]) -> None:
    followed = {
        case.code for number, case in enumerate(CASES) if any(hints.ways(first(said[number], case.code)))
    }
    assert followed == {case.code for case in CASES}


def test_every_word_of_every_hint_is_followed_or_listed_as_for_people(said: dict[int, list[Printed]]) -> None:
    listed = dict.fromkeys(FOR_PEOPLE, False)
    for number, case in enumerate(CASES):
        finding = first(said[number], case.code)
        assert finding.hint
        words = hints.unread(finding)
        for phrase in sorted(FOR_PEOPLE, key=len, reverse=True):
            listed[phrase] |= phrase in words
            words = words.replace(phrase, "")
        assert re.sub(r"[,; ]|\bor\b|\band\b", "", words) == "", finding.hint
    assert [phrase for phrase, is_said in listed.items() if not is_said] == []


def test_every_form_of_words_is_in_some_hint(said: dict[int, list[Printed]]) -> None:
    used = {
        way.form for number, case in enumerate(CASES) for way in hints.ways(first(said[number], case.code))
    }
    assert [pattern for pattern, _ in hints.FORMS if pattern not in used] == []
