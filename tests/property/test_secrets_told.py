"""No secret is told: tokens of every rule, in every place of a project, in every form of what a run says."""

from __future__ import annotations

import contextlib
import re
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from skillpack import config, pipeline
from skillpack.digest import address
from skillpack.discover.exclusion import Exclusions
from skillpack.emit.module import module
from skillpack.errors import SkillpackError
from skillpack.findings import Report
from skillpack.gitignore import pattern_of
from skillpack.reports.sarif import sarif
from skillpack.secrets.detection import scan, scan_words
from skillpack.secrets.redaction import redacted
from skillpack.secrets.tokens import RULES
from support import projects, screening, tokens
from support.bundles import skill_md
from support.packing import skillpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

Files = dict[str, bytes | str]
PIECE_CHARS = 5

EXAMPLES = {rule.name: tokens.example(rule.name) for rule in RULES}
TEXT_OF = {name: example.text.decode().strip() for name, example in EXAMPLES.items()}
TEXTS = [example.text.decode() for example in EXAMPLES.values()]
WORDS = [
    secret
    for example in EXAMPLES.values()
    if len(secret := example.secret.decode()) < 200
    and "/" not in secret
    and any(scan_words(f"notes-{secret}.md".encode()))
]
"""The secrets that are found in a name."""
SEGMENTS = {
    rule.name: text
    for rule in RULES
    for seed in range(60, -1, -1)
    if "/" not in (text := tokens.example(rule.name, seed).text.decode().strip())
    and "\n" not in text
    and len(text) < 200
    and any(scan_words(text.encode()))
}
"""A name with a secret in it, with what tells the secret, for each rule that can have one."""
LINES = [text for text in TEXTS if "\n" not in text.strip() and any(scan(f"Use {text.strip()}: it".encode()))]
"""The texts that can stand in a line of a frontmatter, and hold a secret there."""


def pieces(bodies: Iterable[str]) -> set[str]:
    return {body[at : at + PIECE_CHARS] for body in bodies for at in range(len(body) - PIECE_CHARS + 1)}


@cache
def forbidden() -> set[str]:
    """All pieces of all secrets, less what stands in reports anyway and what formats begin with."""
    found = [match for text in TEXTS for match in scan(text.encode())]
    assert {match.rule.name for match in found} == EXAMPLES.keys()
    names = [*(f"notes-{word}.md" for word in WORDS), *SEGMENTS.values()]
    named = [match for name in names for match in scan_words(name.encode())]
    return pieces(match.body for match in (*found, *named)) - pieces([sarif((), version="1")])


def options(*lines: str) -> Files:
    return {"pyproject.toml": "\n".join(("[tool.skillpack]", 'module = "skills.py"', *lines))}


def skills(template: str, texts: Iterable[str]) -> Files:
    """A skill for each text, which stands in its SKILL.md."""
    return {
        f"skills/s{index}/SKILL.md": template.replace("{name}", f"s{index}").replace("{}", text.strip())
        for index, text in enumerate(texts)
    }


def demo(paths: Iterable[str]) -> Files:
    return {"skills/demo/SKILL.md": skill_md("demo"), **{f"skills/demo/{path}": "x\n" for path in paths}}


def escaped(words: Iterable[str]) -> list[str]:
    """Each word as YAML may spell it: all of it as escapes, its head alone, and broken over two lines."""
    return [
        spelling
        for word in words
        for spelling in (
            "".join(f"\\u{ord(char):04x}" for char in word),
            f"\\x{ord(word[0]):02x}{word[1:]}",
            f"{word[:9]}\\\n  {word[9:]}",
        )
    ]


HEAD = "---\nname: {name}\ndescription: A skill\n"
PLACES: Mapping[str, Callable[[], Files]] = {
    "file": lambda: {
        **demo([]),
        **{f"skills/demo/f{index}.txt": text for index, text in enumerate(TEXTS)},
    },
    "UTF-16 file": lambda: {
        **demo([]),
        **{f"skills/demo/f{index}.txt": text.encode("utf-16") for index, text in enumerate(TEXTS)},
    },
    "body": lambda: skills(HEAD + "---\n{}\n", TEXTS),
    "value": lambda: skills("---\nname: {name}\ndescription: Use {}: it works\n---\n", LINES),
    "long value": lambda: skills(f"---\nname: {{name}}\ndescription: d\nallowed-tools: {'x' * 60} {{}}\n---\n", LINES),
    "name": lambda: skills("---\nname: {}\ndescription: A skill\n---\n", LINES),
    "key": lambda: skills(HEAD + "{}: 1\n{}: 2\n---\n", LINES),
    "long key": lambda: skills(HEAD + f"{'x' * 60} {{}}: 1\n---\n", LINES),
    "metadata key": lambda: skills(HEAD + "metadata:\n  {}: [1]\n---\n", LINES),
    "anchor": lambda: skills(HEAD + "license: *{}\n---\n", LINES),
    "tag": lambda: skills(HEAD + "license: !{} x\n---\n", LINES),
    "flow": lambda: skills(HEAD + 'license: {a: "{}", b\n---\n', LINES),
    "file name": lambda: demo(f"notes-{word}.md" for word in WORDS),
    "directory name": lambda: demo(f"assets/{word}/x.txt" for word in WORDS),
    "directory names": lambda: demo(
        f"a/{segment}/{below}"
        for segment in SEGMENTS.values()
        for below in (".env", "b/.npmrc", "b/c/id_rsa", "x.pyc", "\u200b.md", "con", "SKILL.md")
    ),
    "directory names below a group": lambda: {
        **demo([]),
        **{f"skills/x/{segment}/SKILL.md": "" for segment in SEGMENTS.values()},
    },
    "skill directories": lambda: {
        f"skills/{segment}/{path}": "---\nname: 1\n" for segment in SEGMENTS.values() for path in ("SKILL.md", ".env")
    },
    "roots": lambda: {
        **options("skills = [", *(f"'{segment}/b'," for segment in SEGMENTS.values()), "]"),
        **{f"{segment}/b/c/SKILL.md": "---\nname: 1\n" for segment in SEGMENTS.values()},
    },
    "path over directories": lambda: demo(
        f"{name}/x.txt"
        for name in (
            EXAMPLES["slack-webhook"].text.decode().strip().partition("://")[2],
            EXAMPLES["discord-webhook"].text.decode().strip().partition("://")[2],
        )
    ),
    "escaped name": lambda: skills('---\nname: "{}"\ndescription: A skill\n---\n', escaped(WORDS)),
    "escaped value": lambda: skills(HEAD + 'license: "{}"\n---\n', escaped(WORDS)),
    "escaped key": lambda: skills(HEAD + '? "{}"\n: 1\n---\n', escaped(WORDS)),
    "escaped metadata": lambda: skills(HEAD + 'metadata:\n  a: [b, "{}"]\n---\n', escaped(WORDS)),
    "escapes that are broken": lambda: skills(HEAD + 'license: "{}" x\n---\n', escaped(WORDS)),
    "directory without files": lambda: {**demo([]), **{f"skills/x/{word}/SKILL.md": "" for word in WORDS}},
    "left-out name": lambda: demo(f"{word}.pyc" for word in WORDS),
    "secret name": lambda: demo(f".env.{word}" for word in WORDS),
    "skill directory": lambda: {f"skills/{word}/SKILL.md": skill_md("demo") for word in WORDS},
    "root": lambda: {
        **options("skills = [", *(f'"{word}",' for word in WORDS), "]"),
        **{f"{word}/a/SKILL.md": "---\nname: 1\n" for word in WORDS},
    },
    "excluded name": lambda: {
        **options('exclude = ["*.x"]'),
        **demo(f"{word}.x" for word in WORDS),
    },
    "exclude": lambda: {**options("exclude = [", *(f'"{word}",' for word in WORDS), "]"), **demo([])},
    "wrong exclude": lambda: {**options("exclude = [", *(f'"./{word}",' for word in WORDS), "]"), **demo([])},
    "select": lambda: {**options("select = [", *(f'"{word}",' for word in WORDS), "]"), **demo([])},
    "expect": lambda: {**options("expect = [", *(f'"{word}",' for word in WORDS), "]"), **demo([])},
    "allow": lambda: {
        **options(
            *(
                f'[[tool.skillpack.allow]]\npath = "{word}"\nrule = "secret-name"\nsha256 = "{"0" * 64}"\nreason = "x"'
                for word in WORDS
            )
        ),
        **demo([]),
    },
    "option": lambda: {**options(*(f'"{word}" = 1' for word in WORDS)), **demo([])},
    "long option": lambda: {**options(*(f'"{"x" * 60} {word}" = 1' for word in WORDS)), **demo([])},
    "level": lambda: {**options(f'level = "{WORDS[0]}"', "[tool.skillpack.rules]", *(f'"{word}" = "{word}"' for word in WORDS)), **demo([])},
    "broken configuration": lambda: {**options(f'"{WORDS[0]}" = 1\n"{WORDS[0]}" = 2'), **demo([])},
    "hook": lambda: {
        "pyproject.toml": "[tool.hatch.build.hooks.skillpack]\n" + "\n".join(f'"{word}" = 1' for word in WORDS),
        **demo([]),
    },
}  # fmt: skip

RUNS = (
    ("check",),
    ("check", "-v", "--strict", "--report-format", "sarif", "--report-file", "report"),
    ("check", "-v", "--lenient", "--report-format", "text", "--report-file", "report"),
    ("check", "-v", "--report-format", "json"),
    ("check", "-v", "--report-format", "github"),
    ("bundle", "--check"),
    ("export", "directory", "-o", "exported"),
    ("verify", "skills.py", "--against", "skills"),
    ("init", "--dry-run"),
)


def told(said: str) -> set[str]:
    """The pieces of secrets in a text; digests are no secrets."""
    said = re.sub(r"sha256:[0-9a-f]+|\b[0-9a-f]{64}\b", "", said)
    return (pieces([said]) | pieces([unquote(said)])) & forbidden()


@pytest.mark.parametrize("place", PLACES)
def test_no_run_tells_more_of_a_secret_than_four_characters(tmp_path: Path, place: str) -> None:
    projects.write(tmp_path, {**options(), **PLACES[place]()})
    for arguments in RUNS:
        result = skillpack(tmp_path, *arguments)
        report = tmp_path / "report"
        said = result.output + (report.read_text(encoding="utf-8") if report.exists() else "")
        assert said
        assert told(said) == set(), arguments
        report.unlink(missing_ok=True)
    with contextlib.suppress(SkillpackError):
        load_and_pack(tmp_path)


def load_and_pack(project: Path) -> None:
    """Pack by the functions that the edges call; what they raise and give tells no secret either."""
    try:
        with pipeline.pack(config.load(project)) as packed:
            assert told(repr(packed.findings)) == set()
    except SkillpackError as error:
        said = f"{error}{error!r}{vars(error)}"
        assert told(said) == set()
        raise


@pytest.mark.parametrize("word", WORDS)
def test_a_secret_in_a_name_stops_the_build_and_its_refusal_is_pinned(word: str) -> None:
    like = any(match.rule.like for match in scan_words(word.encode()))
    for path in (f"notes-{word}.md", f"{word}.md", f"a/{word}/b.txt"):
        codes = {finding.code for finding in screening.findings({path: b"x\n"})}
        assert ("secret-like" if like else "secret-content") in codes


def test_every_rule_is_proved_on_a_name_or_cannot_stand_in_one() -> None:
    beyond = EXAMPLES.keys() - SEGMENTS.keys()
    assert beyond <= {
        name
        for name in EXAMPLES
        if "\n" in TEXT_OF[name] or "/" in TEXT_OF[name] or len(TEXT_OF[name]) >= 200
    }


@pytest.mark.parametrize("rule", SEGMENTS)
@pytest.mark.parametrize("below", ["", "/x.txt", "/.env/y", "/b/c.md"])
def test_a_path_is_told_without_a_secret_whatever_comes_behind_it(rule: str, below: str) -> None:
    path = f"skills/demo/{SEGMENTS[rule]}{below}"
    assert told(redacted(path)) == set()
    assert told(pattern_of(path)) == set()
    assert Exclusions([pattern_of(path)]).match(path) == pattern_of(path)


@pytest.mark.parametrize(
    "arguments",
    [
        ("{}",),
        ("check", "{}"),
        ("check", "--{}"),
        ("check", "--{}=1"),
        ("check", "--rule", "{}"),
        ("check", "--rule", "{}=off"),
        ("check", "--rule", "bom={}"),
        ("check", "--nested", "{}"),
        ("check", "--max-depth", "{}"),
        ("check", "--exclude", "./{}"),
        ("check", "--select", "{}"),
        ("check", "--expect", "{}"),
        ("check", "--report-format", "{}"),
        ("check", "--report-file", "{}/{}"),
        ("bundle", "-o", "{}"),
        ("bundle", "-o", "a/{}.py"),
        ("bundle", "--check", "-o", "a/skills-{}.py"),
        ("export", "{}"),
        ("export", "mcp", "{}"),
        ("export", "mcp", "{}.whl"),
        ("export", "mcp", "-o", "{}/{}"),
        ("export", "zip", "-o", "{}"),
        ("export", "zip", "-o", "skills/{}"),
        ("explain", "{}"),
        ("explain", "{}", "{}"),
        ("inspect", "{}.whl"),
        ("verify", "{}.whl"),
        ("verify", "{}", "--against", "{}"),
        ("init", "{}"),
        ("schema", "{}"),
    ],
)
def test_no_argument_is_told_with_a_secret(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    projects.write(tmp_path, {**options(), **demo([])})
    for word in WORDS:
        result = skillpack(tmp_path, *(argument.replace("{}", word) for argument in arguments))
        assert told(result.output) == set(), word


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect",),
        ("inspect", "-v"),
        ("inspect", "--json"),
        ("verify",),
        ("export", "assets", "-o", "exported"),
    ],
)
def test_an_artifact_with_secrets_in_its_names_is_shown_without_them(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    source = screening.skill(
        {"SKILL.md": skill_md("demo"), **{f"notes-{word}.md": "x" for word in sorted(WORDS)}}
    )
    fields = pipeline.reread(skill_md("demo"), "demo")
    assert fields is not None
    ((_, data),) = module(address([(source, fields)]).bundle, place="skills.py", report=Report())
    (tmp_path / "skills.py").write_bytes(data)
    result = skillpack(tmp_path, *arguments, "skills.py")
    assert result.exit_code == 0
    assert told(result.output) == set()
    assert told(data.decode("ascii"))
