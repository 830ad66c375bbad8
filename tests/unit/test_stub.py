"""The stub beside an emitted module: complete, taken from the runtime's source, and free of what skills say."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest

from skillpack import runtime
from skillpack.emit import stub as under_test
from skillpack.emit.layout import PUBLIC_NAMES, is_emitted
from skillpack.emit.runtime_source import runtime_source
from skillpack.emit.stub import stub, stub_path
from skillpack.runtime import SkillBundle
from support.authored import authored, bundle_of
from support.bundles import DEMO, SOLO, make_bundle
from support.emitted import emitted

STUB = stub(make_bundle({"solo": SOLO, "demo": DEMO}))
CLASSES = {node.name: node for node in ast.parse(STUB).body if isinstance(node, ast.ClassDef)}
PUBLIC_CLASSES = [name for name in PUBLIC_NAMES if name not in ("SkillName", "bundle")]


def named(*names: str) -> bytes:
    """Return the stub for skills of these names, whatever the packager would say of them."""
    skills = [authored(f"s{number}") for number, _ in enumerate(names)]
    for skill, name in zip(skills, names, strict=True):
        object.__setattr__(skill, "name", name)
    return stub(bundle_of(*skills))


def skill_names(source: bytes) -> ast.expr:
    for node in ast.parse(source).body:
        if (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.target.id == "SkillName"
        ):
            assert node.value is not None
            return node.value
    raise AssertionError


def literals(source: bytes) -> list[object]:
    return [node.value for node in ast.walk(skill_names(source)) if isinstance(node, ast.Constant)]


def members(node: ast.ClassDef) -> dict[str, ast.AST]:
    found: dict[str, ast.AST] = {}
    for member in node.body:
        if isinstance(member, ast.FunctionDef):
            found[member.name] = member
        elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            found[member.target.id] = member
    return found


def signature(node: ast.AST) -> str:
    """Return all of a method but its body, or an attribute's declaration."""
    if isinstance(node, ast.FunctionDef):
        node = ast.FunctionDef(node.name, node.args, [], node.decorator_list, node.returns)
    return ast.dump(node)


def public_members(cls: Any) -> set[str]:
    return {name for name in vars(cls) if not name.startswith("_")}


class TestTheText:
    def test_it_bears_the_line_of_what_skillpack_may_overwrite(self) -> None:
        assert is_emitted(STUB)

    def test_it_is_ascii_with_unix_lines_and_parses(self) -> None:
        source = named("é", "中😀")
        assert source.isascii()
        assert b"\r" not in source
        assert ast.parse(source).body

    def test_only_the_names_of_the_skills_make_a_difference(self) -> None:
        other = bundle_of(authored("solo", "# Other\n", tools=["Read"]), authored("demo", files={"a": b"x"}))
        assert stub(other) == STUB
        assert stub(bundle_of(authored("demo"))) == STUB.replace(b'    "solo",\n', b"")

    def test_hidden_skills_are_names_too(self) -> None:
        assert literals(stub(bundle_of(authored("ghost", hidden=True)))) == ["ghost"]

    def test_it_has_no_docstring_and_no_body(self) -> None:
        for node in ast.walk(ast.parse(STUB)):
            if isinstance(node, ast.FunctionDef):
                (only,) = node.body
                assert isinstance(only, ast.Expr)
                assert isinstance(only.value, ast.Constant)
                assert only.value.value is ...

    @pytest.mark.parametrize(
        "name",
        [
            '"]\nimport os #',
            "back\\slash",
            "tab\tnul\0",
            "'quotes\"",
            "\u2028\x85",
            "中😀",
            "class",
            "{name}",
        ],
    )
    def test_a_name_is_nothing_but_a_literal(self, name: str) -> None:
        source = named(name, "demo")
        assert literals(source) == sorted([name, "demo"])
        # everything else is as it always is
        assert ast.dump(ast.parse(source)).replace(ast.dump(skill_names(source)), "") == ast.dump(
            ast.parse(STUB)
        ).replace(ast.dump(skill_names(STUB)), "")

    def test_without_skills_there_is_no_name(self) -> None:
        source = stub(SkillBundle([]))
        assert ast.unparse(skill_names(source)) == "NoReturn"
        assert ast.parse(source).body

    def test_it_stands_beside_the_module(self) -> None:
        assert stub_path(Path("src/agent/skills.py")) == Path("src/agent/skills.pyi")


class TestWhatIsDeclared:
    def test_exactly_the_public_names_of_the_module(self) -> None:
        exported = [
            ast.literal_eval(node.value)
            for source in (STUB, emitted(SkillBundle([])))
            for node in ast.parse(source).body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        ]
        assert exported == [list(PUBLIC_NAMES)] * 2

    @pytest.mark.parametrize("name", PUBLIC_CLASSES)
    def test_every_public_member_of_a_class_and_of_its_bases(self, name: str) -> None:
        for cls in getattr(runtime, name).__mro__:
            if cls.__module__.startswith("skillpack.runtime"):
                declared = members(CLASSES[cls.__name__])
                assert public_members(cls) <= set(declared)
                assert not [
                    member for member in declared if member.startswith("_") and not member.endswith("__")
                ]

    def test_every_attribute_that_an_object_is_made_with(self) -> None:
        for node in ast.walk(ast.parse(runtime_source())):
            if isinstance(node, ast.ClassDef) and node.name in CLASSES:
                set_on_self = {
                    target.attr
                    for target in ast.walk(node)
                    if isinstance(target, ast.Attribute)
                    and isinstance(target.ctx, ast.Store)
                    and ast.unparse(target.value) == "self"
                    and not target.attr.startswith("_")
                }
                assert set_on_self <= set(members(CLASSES[node.name])), node.name

    def test_signatures_are_those_of_the_runtime(self) -> None:
        compared = 0
        for node in ast.walk(ast.parse(runtime_source())):
            if isinstance(node, ast.ClassDef) and node.name in CLASSES:
                own = members(node)
                assert [ast.dump(base) for base in node.bases] == [
                    ast.dump(base) for base in CLASSES[node.name].bases
                ]
                for name, member in members(CLASSES[node.name]).items():
                    assert signature(member) == signature(own[name])
                    compared += 1
        assert compared > 100

    def test_whatever_loads_a_skill_from_the_bundle_takes_its_name(self) -> None:
        narrowed = {
            name
            for name, node in members(CLASSES["_PackedBundle"]).items()
            if isinstance(node, ast.FunctionDef) and "name: SkillName" in ast.unparse(node.args)
        }
        takes_a_name = {
            name
            for name, function in inspect.getmembers(SkillBundle, inspect.isfunction)
            if "name" in inspect.signature(function).parameters
        }
        assert narrowed == {"__getitem__", "load", "read", "read_bytes", "extract"}
        assert (
            takes_a_name - {"__contains__", "__setattr__", "__delattr__", "_find", "_answer_load"} == narrowed
        )

    def test_what_stands_around_the_names_is_made_once(self) -> None:
        assert under_test._around() is under_test._around()
