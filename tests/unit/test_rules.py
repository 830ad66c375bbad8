"""The registry of codes: whole, true, and the only source of codes."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import skillpack
from skillpack.rules import RULES, SETTINGS, Level
from skillpack.rules.rule import FILES, PYPROJECT, SHELL
from skillpack.secrets import detection
from support import rule_examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.rules import Rule, Setting

PACKAGER = Path(skillpack.__file__).parent
HOOK = PACKAGER.parents[1] / "hatch_plugin" / "hatch_skillpack"
TESTS = Path(__file__).parent


# ------------------------------------------------------------------ entries


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_an_entry_says_why_what_to_do_and_shows_it(rule: Rule) -> None:
    for prose in (rule.why, rule.fix):
        assert re.fullmatch(r"[A-Z0-9`].*\.", prose), prose
        assert "  " not in prose
        assert "\n" not in prose
    assert len(re.findall(r"\.(?= |$)", rule.why)) <= 3
    assert rule.example.bad
    assert rule.example.bad != rule.example.good
    assert rule.example.is_skill_md or rule.example.where in {FILES, PYPROJECT, SHELL}


def test_what_is_pinned_is_an_error_at_every_setting() -> None:
    pinned = [rule for rule in RULES.values() if rule.pinned]
    assert pinned
    assert {level for rule in pinned for level in rule.levels} == {Level.ERROR}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_an_entry_holds_no_secret_and_nothing_like_one(rule: Rule) -> None:
    texts = (rule.title, rule.why, rule.fix, rule.example.bad, rule.example.good)
    assert list(detection.scan("\n".join(texts).encode())) == []


# ------------------------------------------------------------------ examples

UNPROVED = {
    "other-device": ("a mount takes a privilege that a test has not", "test_tree"),
    "unreadable": ("root reads everything, and tests may run as root", "test_tree"),
    "file-changed": ("a race, which a test cannot win each time", "test_tree"),
    "package-altered": ("takes an installed distribution", "test_distribution"),
    "artifact-manifest": ("takes a build and the command of the project wheel", "test_verification"),
    "runtime-older": ("there is no older release", "test_verification"),
}
"""The examples that are not run: why, and the test of this directory that brings the code about by other means."""

AT_BUILD = ("ships-unpacked", "ships-twice")
"""What only a build finds: these examples are run by a real one."""

PROVED = [rule for code, rule in RULES.items() if code not in {*UNPROVED, *AT_BUILD}]


@pytest.mark.parametrize("code", UNPROVED)
def test_an_example_that_is_not_run_has_a_test_of_its_own(code: str) -> None:
    _, module = UNPROVED[code]
    assert f'"{code}"' in (TESTS / f"{module}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", PROVED, ids=lambda rule: rule.code)
def test_what_is_bad_gives_the_code_with_its_levels_and_what_is_good_does_not(
    rule: Rule, tmp_path: Path
) -> None:
    example = rule.example
    bad = rule_examples.make_project(tmp_path / "bad")
    if not rule.configurable:
        rule_examples.bundle(bad)
    rule_examples.do(bad, example.where, example.bad)
    for setting, level in zip(SETTINGS, rule.levels, strict=True):
        assert levels(bad, rule, setting) == {level}
    if example.good:
        good = rule_examples.make_project(tmp_path / "good")
        rule_examples.do(good, example.where, example.good)
        assert levels(good, rule, "strict") == set()
        if example.is_skill_md:
            assert {finding.level for finding in rule_examples.findings(good, rule, "default")} <= {
                Level.NOTE
            }


def levels(project: Path, rule: Rule, setting: Setting) -> set[Level]:
    """Return the levels of the findings of a rule."""
    found = rule_examples.findings(project, rule, setting)
    return {finding.level for finding in found if finding.code == rule.code}


@pytest.mark.parametrize("code", AT_BUILD)
def test_what_a_build_finds_is_shown_by_a_build(code: str, tmp_path: Path) -> None:
    example = RULES[code].example
    for text, is_found in ((example.bad, True), (example.good, False)):
        project = rule_examples.make_project(tmp_path / str(is_found))
        rule_examples.do(project, example.where, text)
        assert (f": {code}: " in rule_examples.built_codes(project)) is is_found


# ------------------------------------------------------------------ where codes are used


class Codes(ast.NodeVisitor):
    """The codes that modules hand to whatever takes one: a parameter or a field `code` of the type str.

    An argument may be a literal, a choice between literals, a text with a field in it, a variable that is
    assigned literals, or a `code` that came from elsewhere. Anything else could not be checked and is `unclear`.
    Functions are known by their bare names: a call with too few arguments is one of another function.
    """

    def __init__(self, *sources: str) -> None:
        self.used: set[str] = set()
        self.unclear: list[str] = []
        self._fields: set[str] = set()
        self._parameters: dict[str, set[tuple[int, int]]] = defaultdict(set)
        self._scopes: list[ast.AST] = []
        trees = [ast.parse(source) for source in sources]
        for tree in trees:
            self._find_takers(tree)
        for tree in trees:
            self.visit(tree)

    def _find_takers(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            match node:
                case ast.ClassDef(name=name, body=body):
                    for part in body:
                        match part:
                            case ast.AnnAssign(target=ast.Name(id="code"), annotation=ast.Name(id="str")):
                                self._fields.add(name)
                            case ast.FunctionDef(name="__init__"):
                                self._add_parameter(name, part)
                case ast.FunctionDef(name=name) if name != "__init__":
                    self._add_parameter(name, node)

    def _add_parameter(self, name: str, function: ast.FunctionDef) -> None:
        """Keep the position of the code among the arguments of a call, and how many it has at least."""
        arguments = [argument for argument in function.args.args if argument.arg != "self"]
        for position, argument in enumerate(arguments):
            match argument:
                case ast.arg(arg="code", annotation=ast.Name(id="str")):
                    self._parameters[name].add((position, len(arguments) - len(function.args.defaults)))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._scopes.append(node)
        self.generic_visit(node)
        if node.name == "code":  # a property
            for part in ast.walk(node):
                if isinstance(part, ast.Return) and part.value is not None:
                    self._use(part.value)
        self._scopes.pop()

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        match node.func:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                given = len(node.args) + len(node.keywords)
                fitting = [at for at, least in self._parameters.get(name, ()) if given >= least]
                for position in fitting:
                    if position < len(node.args):
                        self._use(node.args[position])
                for word in node.keywords:
                    if word.arg == "code" and (fitting or name in self._fields):
                        self._use(word.value)

    def _use(self, argument: ast.expr) -> None:
        match argument:
            case ast.Constant(value=str(code)):
                self.used.add(code)
            case ast.IfExp(body=one, orelse=other):
                self._use(one)
                self._use(other)
            case ast.JoinedStr(values=parts):
                texts = [part.value if isinstance(part, ast.Constant) else None for part in parts]
                pattern = "".join(".+" if text is None else re.escape(str(text)) for text in texts)
                matching = {code for code in RULES if re.fullmatch(pattern, code)}
                self.used |= matching or {pattern}
            case ast.Attribute(attr="code"):
                pass
            case ast.Name(id=name):
                assigned = list(self._assigned(name))
                for value in assigned:
                    self._use(value)
                if not assigned and name != "code":
                    self.unclear.append(ast.unparse(argument))
            case _:
                self.unclear.append(ast.unparse(argument))

    def _assigned(self, name: str) -> Iterator[ast.expr]:
        """Yield what the function around assigns to a variable."""
        for node in ast.walk(self._scopes[-1]) if self._scopes else ():
            if not isinstance(node, ast.Assign):
                continue
            for target in node.targets:
                match target, node.value:
                    case ast.Name(id=found), value if found == name:
                        yield value
                    case ast.Tuple(elts=names), ast.Tuple(elts=values):
                        yield from (
                            value
                            for one, value in zip(names, values, strict=True)
                            if isinstance(one, ast.Name) and one.id == name
                        )


def test_every_code_that_a_module_uses_is_in_the_registry_and_the_other_way_round() -> None:
    modules = [
        path
        for root in (PACKAGER, HOOK)
        for path in sorted(root.rglob("*.py"))
        if path.parent.name != "rules"
    ]
    codes = Codes(*(path.read_text(encoding="utf-8") for path in modules))
    assert codes.unclear == []
    assert codes.used == RULES.keys()


TAKER = """
class Report:
    def add(self, code: str, path: str, hint: str = ""): ...
class Fault:
    code: str
"""


@pytest.mark.parametrize(
    ("use", "used", "unclear"),
    [
        ('report.add("bom", path)', {"bom"}, []),
        ('report.add("bomb", path)', {"bomb"}, []),
        ('report.add(code="bom", path=path)', {"bom"}, []),
        ('Fault(code="crlf" if x else "bom")', {"bom", "crlf"}, []),
        ('Fault(code=f"{key}-mismatch")', {"name-mismatch"}, []),
        ('Fault(code=f"{key}-nonsense")', {r".+\-nonsense"}, []),
        ("def f(code):\n    report.add(code, path)", set(), []),
        ("report.add(error.code, path)", set(), []),
        ('def f():\n    code, hint = "bom", ""\n    report.add(code, path)', {"bom"}, []),
        ('def f():\n    word = "bom"\n    report.add(word, path)', {"bom"}, []),
        ("report.add(word, path)", set(), ["word"]),
        ('report.add("b" + "om", path)', set(), ["'b' + 'om'"]),
        ('other("bom")', set(), []),
        ('seen.add("bomb")', set(), []),
    ],
)
def test_the_search_for_codes_finds_them(use: str, used: set[str], unclear: list[str]) -> None:
    codes = Codes(TAKER + use)
    assert (codes.used, codes.unclear) == (used, unclear)
