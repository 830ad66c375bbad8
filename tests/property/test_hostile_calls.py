"""Hostile calls: whatever a model sends, the answer is bounded text, and holds nothing but what the skills hold."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillpack.runtime import ResourceNotFoundError, SkillBundle, SkillNotFoundError
from skillpack.runtime.answering import MAX_ANSWER_CHARS, MAX_ARGUMENT_BYTES
from skillpack.runtime.text import one_line
from support.authored import authored
from support.bundles import DEMO, make_bundle
from support.emitted import emitted, executed
from support.forged import forgeries

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "what no skill holds"
BUNDLE = make_bundle({"demo": DEMO}).overlay(
    authored("long", "A line of it.\n" * 20_000, files={"a/b.txt": "é\n".encode() * 90_000}),
    authored("ghost", "# Boo\n", hidden=True),
)
SOURCE = emitted(BUNDLE)
PACKED = executed(SOURCE)

NOT_THE_PATH = (
    *("..", "../demo/SKILL.md", "scripts/../SKILL.md", "../../../../etc/passwd", "a/../../x"),
    *("/etc/passwd", "//etc/passwd", "/SKILL.md", "file:///etc/passwd", "~/.netrc", "$HOME/.netrc"),
    *("C:SKILL.md", "C:\\SKILL.md", "c:/SKILL.md", "\\\\host\\share\\SKILL.md", "\\\\?\\C:\\SKILL.md"),
    *("%2e%2e/demo/SKILL.md", "%2e%2e%2fSKILL.md", "SKILL%2emd", "..%c0%afSKILL.md", "..%5cSKILL.md"),
    *("scripts\\x.py", "..\\SKILL.md", "SKILL.md\0", "SKILL.md\0.txt", "\0", "SKILL.md\n", "SKILL.md "),
    *(
        "SKILL.md/",
        "scripts/x.py/",
        "./SKILL.md",
        "scripts/./x.py",
        "scripts//x.py",
        "scripts",
        "scripts/",
        "",
    ),
    *("*", "scripts/*", "skill.md", "SKILL.MD", "SKILL.md::$DATA", "SKILL.md.", "demo/SKILL.md"),
    # full-width letters, a one-dot leader, a division slash, a fraction slash, what cannot be seen, half of a pair
    *(
        "\uff33\uff2b\uff29\uff2c\uff2c.md",
        "SKILL\u2024md",
        "SKILL\uff0emd",
        "scripts\u2215x.py",
        "scripts\u2044x.py",
    ),
    *(
        "SKILL\u200b.md",
        "\ufeffSKILL.md",
        "\u202eSKILL.md",
        "SKILL.md\ud800",
        "\u0405KILL.md",
        "/dev/stdin",
        ".",
    ),
)
NOT_THE_NAME = (
    *(
        "demo/",
        "./demo",
        "../demo",
        "demo/SKILL.md",
        "/demo",
        "demo\0",
        "demo\n",
        " demo",
        "Demo",
        "DEMO",
        "",
    ),
    *(
        "d\u0435mo",
        "\uff44emo",
        "demo\u200b",
        "de%6do",
        "demo\ud800",
        "C:demo",
        "dem\\o",
        "*",
        "de[m]o",
        "sha256:",
    ),
    *(f"sha256:{'0' * 64}", BUNDLE["demo"].digest[:30], BUNDLE["demo"].digest.upper(), BUNDLE.digest),
    *("__class__", "_load", "bundle", "{name}", "%s", "__proto__", "constructor"),
)

LARGE = ("x" * 70_000, "[" * 60_000, '{"name":' * 9_000, "9" * 5_000, "\U0001f600" * 30_000, "../" * 20_000)

anything: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.sampled_from(LARGE)
    | st.sampled_from([10**400, -(10**400), 2**53, float("nan"), float("inf")]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
    max_leaves=10,
)
nested = st.integers(1, 3_000).map(lambda depth: '{"name":' * depth + "1" + "}" * depth)
arguments = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from([*BUNDLE, *NOT_THE_NAME, BUNDLE["long"].digest]) | anything,
        "path": st.sampled_from(["SKILL.md", "a/b.txt", "assets/b.bin", *NOT_THE_PATH]) | anything,
        "offset": st.integers(-1, 300_000) | anything,
        "limit": st.integers(-1, 300_000) | anything,
        "directory": anything,
    },
)
sent = (
    arguments
    | anything
    | nested
    | (arguments | anything).map(lambda value: json.dumps(value, default=repr))
    | st.sampled_from(["{" * 70_000, " " * (MAX_ARGUMENT_BYTES + 1), '{"name": "demo"' + " " * 65_000 + "}"])
)
tools = st.sampled_from([*BUNDLE.tool_names, "load_skill ", "LOAD_SKILL", "../load_skill"]) | anything

FRAMES = {name: BUNDLE.load(name, max_chars=MAX_ANSWER_CHARS) for name in BUNDLE}
TEXTS = {
    (name, path): file.text()
    for name, skill in BUNDLE.items()
    for path, file in skill.files.items()
    if file.is_text
}


def is_of(skill: str | None, answer: str) -> bool:
    """Return whether an answer is the frame of a skill, a part of a file of it, or the line about a binary file."""
    part, _, _ = answer.rpartition("[characters ")
    return (
        answer
        in (FRAMES[str(skill)], "[application/octet-stream, 3 bytes: a binary file, not shown as text]")
        or answer.startswith(f"{skill} is already loaded; ")
        or any(
            name == skill and (answer in text or (part and (part in text or part[:-1] in text)))
            for (name, _), text in TEXTS.items()
        )
    )


@settings(deadline=None, max_examples=200)
@given(calls=st.lists(st.tuples(tools, sent), min_size=1, max_size=3), in_a_session=st.booleans())
def test_a_call_is_answered_in_bounded_text_out_of_the_skills_alone(
    calls: list[tuple[Any, Any]], *, in_a_session: bool
) -> None:
    offered = PACKED.session() if in_a_session else PACKED
    for tool, given_arguments in calls:
        answer = offered.call(tool, given_arguments)
        answer.encode("utf-8")
        assert len(answer) <= MAX_ANSWER_CHARS
        if answer.is_error:
            # what was sent comes back as short ASCII, and of the skills there are names and paths only
            assert answer.isascii()
            assert len(answer) < 600
            assert (answer.skill, answer.file) == (None, None)
        else:
            assert is_of(answer.skill, answer)


@pytest.mark.parametrize("path", NOT_THE_PATH)
def test_a_path_is_an_exact_key_and_nothing_else(path: str) -> None:
    for skill in (BUNDLE["demo"], PACKED["demo"]):
        assert path not in skill.files
        with pytest.raises(KeyError):
            skill.file(path)
    with pytest.raises(ResourceNotFoundError):
        BUNDLE.read("demo", path)
    with pytest.raises(ResourceNotFoundError):
        BUNDLE.read_bytes("demo", path)
    answer = PACKED.call("read_skill_resource", {"name": "demo", "path": path})
    assert answer.is_error
    assert answer.startswith("no file ")


@pytest.mark.parametrize("name", NOT_THE_NAME)
def test_a_name_is_an_exact_key_and_nothing_else(name: str) -> None:
    assert name not in BUNDLE
    with pytest.raises(SkillNotFoundError):
        BUNDLE[name]
    for tool in BUNDLE.tool_names:
        answer = PACKED.call(tool, {"name": name, "path": "SKILL.md"})
        assert answer.is_error
        assert answer.startswith("no skill ")


HOSTILE = """
import json, os, sys
sys.path.insert(0, ".")
from skills import bundle
bundle.preload()
session = bundle.session()
calls = json.load(sys.stdin)
seen = []
sys.addaudithook(lambda event, arguments: seen.append(event))
allowed = {"object.__getattr__", "object.__setattr__", "sys._getframe", "code.__new__"}
for tool, arguments in calls:
    for offered in (bundle, session):
        answer = offered.call(tool, arguments)
        if SECRET in answer:
            seen.append("SECRET")
print(sorted(set(seen) - allowed))
"""


def test_no_call_makes_the_interpreter_open_list_run_or_import_anything(tmp_path: Path) -> None:
    (tmp_path / "skills.py").write_bytes(SOURCE)
    (tmp_path / "SKILL.md").write_text(SECRET, encoding="utf-8")
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "secret.md").write_text(SECRET, encoding="utf-8")
    more = ("secret.md", "demo/secret.md", "../SKILL.md", str(tmp_path / "SKILL.md"), "$SECRET")
    named = [
        {"name": name, "path": path} for name in ("demo", *NOT_THE_NAME) for path in (*NOT_THE_PATH, *more)
    ]
    calls = [(tool, row) for tool in BUNDLE.tool_names for row in named]
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", HOSTILE.replace("SECRET in", f"{SECRET!r} in")],
        cwd=tmp_path,
        env={"SECRET": SECRET},
        input=json.dumps(calls),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "[]\n")


# ------------------------------------------------------------------ hostile bundles


@settings(
    deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(text=forgeries, calls=st.lists(st.tuples(tools, sent), max_size=2))
def test_what_a_forged_bundle_answers_is_bounded_and_keeps_its_lines(
    text: str, calls: list[tuple[Any, Any]]
) -> None:
    try:
        bundle = SkillBundle.from_json(text)
    except ValueError:
        return
    bundle.verify()
    (skill,) = bundle.values()
    own = [
        *(
            (tool, {"name": name})
            for tool in bundle.tool_names
            for name in (skill.name, skill.digest, "nobody")
        ),
        *((bundle.tool_names[-1], {"name": skill.name, "path": path}) for path in (*skill.files, "none")),
        ("none", {}),
    ]
    for offered in (bundle, bundle.session(host_tools=[])):
        for tool, given_arguments in [*own, *calls]:
            answer = offered.call(tool, given_arguments)
            assert len(answer) <= MAX_ANSWER_CHARS
            answer.encode("utf-8")
            if answer.is_error or answer.file:
                assert one_line(answer) == answer
                assert len(answer) < 4_000
            elif answer.startswith("<skill_content"):
                # the frame is whole, and what follows it is a line
                tag = answer[: answer.index(" ")].removeprefix("<")
                assert answer.count(f"\n</{tag}>") == 1
                assert len(answer.partition(f"\n</{tag}>")[2].strip("\n").splitlines()) <= 2


part = (
    st.none()
    | st.integers()
    | st.text(max_size=3)
    | st.binary(max_size=3)
    | st.lists(st.text(max_size=2) | st.none())
)
attributes = (
    "name",
    "description",
    "digest",
    "frontmatter",
    "license",
    "metadata",
    "allowed_tools",
    "globs",
    "files",
)
of_file = ("path", "size", "digest", "media_type", "is_text", "executable", "bytes")


@settings(deadline=None, max_examples=200)
@given(
    skill=st.sampled_from(sorted(BUNDLE)),
    changes=st.dictionaries(st.sampled_from(attributes), part, max_size=2),
    in_file=st.dictionaries(st.sampled_from(of_file), part, max_size=1),
)
def test_a_foreign_skill_is_served_or_refused_at_once(
    skill: str, changes: dict[str, Any], in_file: dict[str, Any]
) -> None:
    whole = {name: getattr(BUNDLE[skill], name) for name in attributes}
    files = {
        path: SimpleNamespace(**{name: getattr(file, name) for name in of_file} | in_file)
        for path, file in BUNDLE[skill].files.items()
    }
    try:
        bundle = BUNDLE.overlay(SimpleNamespace(**{**whole, "files": files, **changes}))
    except (TypeError, ValueError):
        return
    for offered in (bundle, bundle.session(host_tools=[])):
        for name in bundle:
            offered.call("load_skill", {"name": name}).encode("utf-8")
            offered.call("read_skill_resource", {"name": name, "path": "SKILL.md"}).encode("utf-8")
        offered.catalog().encode("utf-8")
