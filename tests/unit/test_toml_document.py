"""Editing a TOML text: what is added, and that nothing else changes."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
import tomlkit

from skillpack.errors import ConfigError
from skillpack.toml_document import TomlDocument, dotted, literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def added(text: str, path: Sequence[str], values: Mapping[str, object]) -> str:
    document = TomlDocument(text, "x.toml")
    document.add(path, values)
    return document.text


def extended(text: str, path: Sequence[str], *items: object) -> str:
    document = TomlDocument(text, "x.toml")
    document.extend(path, items)
    return document.text


def problem(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        TomlDocument(text, "x.toml")
    (only,) = caught.value.problems
    return only


# ------------------------------------------------------------------ reading


def test_a_value_is_found_by_its_path() -> None:
    document = TomlDocument("a.b = 'c'\na.d = [1]\n", "x.toml")
    assert document.value("a") == {"b": "c", "d": [1]}
    assert document.value("a", "x", default=7) == 7
    assert document.has("a", "b")
    assert not document.has("x", "y")
    assert (document.text_at("a", "b"), document.text_at("a", "x")) == ("c", "")
    assert (document.array("a", "d"), document.array("a", "x")) == ([1], None)


def test_something_else_than_was_asked_for_is_refused_with_its_path() -> None:
    document = TomlDocument("a.b = 1\n", "x.toml", place="x.toml: ")
    for read, message in (
        (document.value, "x.toml: a.b: must be a table"),
        (lambda *path: document.text_at(*path[:2]), "x.toml: a.b: must be a string"),
        (lambda *path: document.array(*path[:2]), "x.toml: a.b: must be an array"),
    ):
        with pytest.raises(ConfigError) as caught:
            read("a", "b", "c")
        assert caught.value.problems == (message,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[project]\nname =\n", "x.toml:2:7: is not TOML: invalid value"),
        ("\ufeff[project]\n", "x.toml:1:1: is not TOML: invalid statement"),
        ("a = 1\r\n[x\r\n", "x.toml:2:3: is not TOML: expected ']' at the end of a table declaration"),
        ("a = 1\nb = '", 'x.toml:2: is not TOML: expected "\'" at the end of the file'),
        ("a = " + "[" * 5000, "x.toml: is nested too deeply"),
        ("a = " + "9" * 5000, "x.toml: is not TOML: exceeds the limit"),
    ],
)
def test_a_text_that_is_not_toml_is_refused_with_the_place(text: str, message: str) -> None:
    assert problem(text).startswith(message)


def test_a_text_that_was_not_edited_is_the_same() -> None:
    for text in ("", "a=1", "a = 1\r\nb = 2\n", '# c\r\n\r\na = """\n"""'):
        assert TomlDocument(text, "x.toml").text == text


# ------------------------------------------------------------------ arrays


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('["a",]', '["a", "new"]'),
        ('[ "a" ]', '[ "a", "new" ]'),
        ("[]", '["new"]'),
        ('[\n  "a",  # first\n  "b"  # no comma\n]', '[\n  "a",  # first\n  "b",  # no comma\n  "new"\n]'),
        ('[\n\t"a",\n]', '[\n\t"a",\n\t"new",\n]'),
        ('[\n    "a",\n    # last\n]', '[\n    "a",\n    # last\n    "new"\n]'),
    ],
)
def test_an_array_keeps_its_layout_and_its_comments(before: str, after: str) -> None:
    assert (
        extended(f"[t]\nk = {before}  # end\nz = nan\n", ("t", "k"), "new")
        == f"[t]\nk = {after}  # end\nz = nan\n"
    )


# ------------------------------------------------------------------ keys and tables


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "[t]\na = 1\n\n# next\n[u]\n", "[t]\na = 1\nk = 'v'\n\n# next\n[u]\n", id="before comments"
        ),
        pytest.param("[t]\n# none yet\n[u]\n", "[t]\nk = 'v'\n# none yet\n[u]\n", id="in an empty table"),
        pytest.param("  [t]\n  a = 1\n", "  [t]\n  a = 1\n  k = 'v'\n", id="indented"),
        pytest.param("[t]\n[t.s]\na = 1\n", "[t]\nk = 'v'\n[t.s]\na = 1\n", id="before a table of it"),
        pytest.param("[t.s]\na = 1\n[u]\n", "[t.s]\na = 1\n[u]\n\n[t]\nk = 'v'\n", id="a table of its own"),
        pytest.param("t.a = 1\n[u]\n", "t.a = 1\nt.k = 'v'\n[u]\n", id="dotted"),
        pytest.param("t = { a = 1 }\n", "t = { a = 1, k = 'v'}\n", id="inline"),
        pytest.param('a = """\n[t]\n"""\n', 'a = """\n[t]\n"""\n\n[t]\nk = \'v\'\n', id="not in a text"),
        pytest.param("[t]\na = [\n[1]\n]\n", "[t]\na = [\n[1]\n]\nk = 'v'\n", id="not in an array"),
        pytest.param("", "[t]\nk = 'v'\n", id="in an empty file"),
        pytest.param("a = 1\n\n\n", "a = 1\n\n\n[t]\nk = 'v'\n", id="after blank lines"),
    ],
)
def test_a_key_goes_where_toml_and_the_layout_allow_it(before: str, after: str) -> None:
    assert added(before, ("t",), {"k": "v"}) == after.replace("'v'", '"v"')


def test_a_table_goes_after_the_last_of_its_like() -> None:
    assert added("[a.b.c]\n[a.x]\n[[a.b.d]]\nk = 1\n# next\n[z]\n", ("a", "b", "e"), {}) == (
        "[a.b.c]\n[a.x]\n[[a.b.d]]\nk = 1\n\n[a.b.e]\n\n# next\n[z]\n"
    )


def test_a_table_in_an_inline_table_is_one_too() -> None:
    assert added("[a]\nb = {}\n", ("a", "b", "c"), {}) == "[a]\nb = {c = {}}\n"
    assert added("[a]\nb = {}\n", ("a", "b", "c", "d"), {"k": "v"}) == '[a]\nb = {c = { d = { k = "v" } }}\n'


@pytest.mark.parametrize(
    "value", ["", 'a "b"\\c', "\x7f\t\n\x00é", ["a", "b"], [], {"a": {"b": ["c"]}}, {}, [{"a": "b"}]]
)
def test_a_literal_is_read_back_as_the_value(value: object) -> None:
    assert tomllib.loads(f"k = {literal(value)}") == {"k": value}


def test_a_path_is_dotted() -> None:
    assert dotted(("a", "b-c")) == "a.b-c"


# ------------------------------------------------------------------ line ends


@pytest.mark.parametrize("text", ["[t]\na = 1\n", "[t]\na = 1", "[t]\na = [\n  1\n]\n\n# end\n"])
def test_crlf_stays_crlf(text: str) -> None:
    for values in ({"k": "v"}, {"k": ["v"], "l": "w"}):
        lf, crlf = (added(form, ("t",), values) for form in (text, text.replace("\n", "\r\n")))
        assert crlf == lf.replace("\n", "\r\n")
    assert added(text.replace("\n", "\r\n"), ("u",), {}) == added(text, ("u",), {}).replace("\n", "\r\n")


def test_each_line_keeps_its_own_end_and_a_new_one_has_the_usual() -> None:
    assert (
        added('a = """\r\nb\n"""\r\n[t]\r\n', ("t",), {"k": "v"}) == 'a = """\r\nb\n"""\r\n[t]\r\nk = "v"\r\n'
    )
    assert (
        added("a = 1\r\nb = 1\nc = 1\n[t]\n", ("t",), {"k": "v"}) == 'a = 1\r\nb = 1\nc = 1\n[t]\nk = "v"\n'
    )


def test_a_last_line_without_an_end_gets_one_only_when_another_follows() -> None:
    assert added("[t]", ("t",), {"k": "v"}) == '[t]\nk = "v"'
    assert added("[t]\r\na = 1", ("t",), {"k": "v"}) == '[t]\r\na = 1\r\nk = "v"'
    assert extended("a = []\r\n[t]", ("a",), "v") == 'a = ["v"]\r\n[t]'


# ------------------------------------------------------------------ what cannot be done


@pytest.mark.parametrize("fault", [ValueError("a fault of tomlkit"), None])
def test_an_edit_that_cannot_be_made_is_left_to_the_user_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, fault: Exception | None
) -> None:
    def parse(text: str) -> tomlkit.TOMLDocument:
        if fault:
            raise fault
        return tomlkit.document()

    monkeypatch.setattr("skillpack.toml_document.tomlkit.parse", parse)
    document = TomlDocument("a = []\nb = {}\n", "x.toml")
    with pytest.raises(ConfigError) as caught:
        document.extend(("a",), ["v"])
    assert caught.value.problems == (
        'a: cannot be added to without rewriting what is there; add ["v"] by hand',
    )
    with pytest.raises(ConfigError) as caught:
        document.add(("b", "c"), {"k": "v"})
    assert caught.value.problems == (
        'b.c: cannot be added without rewriting what is there; add { k = "v" } by hand',
    )
    assert document.text == "a = []\nb = {}\n"
    assert not document.has("b", "c")
