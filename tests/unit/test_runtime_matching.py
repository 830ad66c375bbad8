"""Entries of `allowed-tools` against calls, `globs` against paths: the design page "The runtime", "A session"."""

from __future__ import annotations

import time

import pytest

from skillpack.runtime.matching import SHELL_SIGNS, allows, lacking, matches_glob
from support.authored import authored


@pytest.mark.parametrize(
    ("entry", "tool", "argument", "allowed"),
    [
        ("Read", "Read", None, True),
        ("Read", "Read", "anything; at all", True),
        ("Read", "read", None, False),
        ("Read", "Reader", None, False),
        ("Bash(git status)", "Bash", None, True),
        ("Bash(git status)", "Bash", "git status", True),
        ("Bash(git status)", "Bash", "git status -s", False),
        ("Bash(git status)", "Bash", "git", False),
        ("Bash(git status)", "Read", "git status", False),
        ("Bash(git:*)", "Bash", None, True),
        ("Bash(git:*)", "Bash", "git", True),
        ("Bash(git:*)", "Bash", "git log -1", True),
        ("Bash(git:*)", "Bash", "gitk", False),
        ("Bash(git:*)", "Bash", "git:*", False),
        ("Bash(git:*)", "Bash", "", False),
        ("Bash(git log:*)", "Bash", "git log -1", True),
        ("Bash(git log:*)", "Bash", "git push", False),
        ("Bash(a;b)", "Bash", "a;b", True),
        ("Bash(a;b:*)", "Bash", "a;b", True),
        ("Bash(a;b:*)", "Bash", "a;b c", False),
        ("Bash(*)", "Bash", None, True),
        ("Bash(*)", "Bash", "", True),
        ("Bash(*)", "Bash", "git log; rm -rf x\n$(y)", True),
        ("Bash(*)", "Read", "x", False),
        ("Bash(* )", "Bash", "x", False),
        ("Bash(git *)", "Bash", "git log", False),
        ("Bash(git *)", "Bash", "git *", True),
        ("mcp__*(*)", "mcp__x", "y", True),
        ("Bash()", "Bash", "", True),
        ("Bash()", "Bash", "x", False),
        ("Bash(f(x))", "Bash", "f(x)", True),
        ("mcp__github__*", "mcp__github__search", None, True),
        ("mcp__github__*", "mcp__gitlab__search", None, False),
        ("mcp__*(read:*)", "mcp__x", "read me", True),
        ("mcp__*(read:*)", "mcp__x", "write me", False),
        ("*", "Anything", "x; y", True),
        ("Rea?", "Read", None, False),
        ("Rea[d]", "Rea[d]", None, True),
        ("Bash(git", "Bash(git", None, True),
        ("Bash(git", "Bash", None, False),
        ("", "Read", None, False),
    ],
)
def test_an_entry_allows_a_call(entry: str, tool: str, argument: str | None, *, allowed: bool) -> None:
    assert allows(entry, tool, argument) is allowed


@pytest.mark.parametrize("sign", SHELL_SIGNS)
def test_a_longer_argument_holds_no_sign_of_a_shell(sign: str) -> None:
    assert not allows("Bash(git:*)", "Bash", f"git log{sign}x")


def test_the_signs_are_those_of_the_design_page() -> None:
    ends = {chr(code) for code in range(0x3000) if len(f"a{chr(code)}b".splitlines()) > 1}
    assert set(SHELL_SIGNS) == {*ends, ";", "|", "&", "`", "$", "<", ">", "(", ")"}
    assert ends >= set("\n\r\v\f\x85\u2028\u2029")


def test_missing_tools_are_named_once_in_their_order() -> None:
    skill = authored("a", tools=["Write", "Bash(git:*)", "Read", "Bash(ls)", "mcp__*"])
    assert lacking(skill, ["Read"]) == ["Write", "Bash", "mcp__*"]
    assert lacking(skill, ["Bash", "Write", "Read", "mcp__x"]) == []
    assert lacking(authored("a"), []) == []


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("**/*.ts", "a.ts", True),
        ("**/*.ts", "src/a.ts", True),
        ("**/*.ts", "src/deep/a.ts", True),
        ("**/*.ts", "src/a.tsx", False),
        ("**/*.ts", "/work/src/a.ts", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/*.py", "other/src/a.py", False),
        ("src/?.py", "src/a.py", True),
        ("src/?.py", "src/ab.py", False),
        ("src?a.py", "src/a.py", False),
        ("*.py", "src/deep/a.py", True),
        ("*.py", "a.pyc", False),
        ("Makefile", "tools/Makefile", True),
        ("src/**", "src/a", True),
        ("src/**", "src/a/b", True),
        ("src/**", "src", False),
        ("src/**/b.py", "src/b.py", True),
        ("src/**/b.py", "src/x/y/b.py", True),
        ("**/test/**/*.py", "a/test/b.py", True),
        ("**/test/**/*.py", "test/x/b.py", True),
        ("**/test/**/*.py", "best/x/b.py", False),
        ("**", "a/b", True),
        ("none/**", "src/a", False),
        ("none/**/a", "src/a", False),
        ("src\\*.py", "src/a.py", True),
        ("src/*.py", "src\\a.py", True),
        ("./src/*.py", "src/a.py", True),
        ("src/*.py", "./src/a.py", True),
        ("*.{ts,tsx}", "a.ts", False),
        ("*.{ts,tsx}", "a.{ts,tsx}", True),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/page.tsx", "app/i/page.tsx", False),
        ("*.PY", "a.py", False),
        ("src/a.py/", "src/a.py", False),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_a_pattern_matches_a_path(pattern: str, path: str, *, matches: bool) -> None:
    assert matches_glob(path, pattern) is matches


def test_no_pattern_is_slow() -> None:
    begin = time.perf_counter()
    assert not matches_glob("a/" * 400 + "b", "**/" * 200 + "c")
    assert not matches_glob("a" * 2000, "*a" * 30 + "b")
    assert time.perf_counter() - begin < 2


@pytest.mark.parametrize("sign", ["\v", "\f", "\x85", "\u2028", "\u2029"])
def test_every_end_of_a_line_may_begin_another_command(sign: str) -> None:
    assert not allows("Bash(git:*)", "Bash", f"git status{sign}rm -r x")
