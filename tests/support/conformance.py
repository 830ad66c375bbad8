"""What an emitted module answers, as one SHA-256: the same wherever it runs, in every form.

The file travels with the module (`support.traveller` packs both), into interpreters that have nothing else: standard
library only, and no file is read or written. Left out is `extract` alone, which is there to write.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DIALECTS = ("openai", "openai-responses", "anthropic", "mcp")

ARGUMENTS: tuple[object, ...] = (
    None,
    "",
    "[]",
    "{",
    "null",
    '{"name": 7}',
    '{"name": "\\ud800"}',
    {},
    [],
    {"name": None},
    {"name": "\x00"},
    {"name": "x" * 70_000},
    "x" * 70_000,
)
"""What no tool can be called with."""


def report(module: Any) -> str:
    """Return a line for the interpreter, one for each section of answers and one for all, each name and value."""
    whole = hashlib.sha256()
    lines = [f"python {sys.version_info[0]}.{sys.version_info[1]}"]
    for section in SECTIONS:
        answers = json.dumps(list(section(module)), sort_keys=True, default=_plain).encode("ascii")
        whole.update(answers)
        lines.append(f"{section.__name__} {hashlib.sha256(answers).hexdigest()}")
    return "\n".join([*lines, f"all {whole.hexdigest()}"])


def _plain(value: object) -> object:
    """Return for JSON what is not: contents by their digest, a type by its name."""
    if isinstance(value, bytes):
        return [len(value), hashlib.sha256(value).hexdigest()]
    if isinstance(value, type):
        return value.__name__
    raise TypeError(f"no answer of a bundle: {type(value)}")


def _raised(call: Callable[..., object], *arguments: object, **options: object) -> list[object]:
    """Return what a call raises: its class, the built-in classes above it and its text."""
    try:
        call(*arguments, **options)
    except (LookupError, ValueError, AttributeError, TypeError) as error:
        return [[kind.__name__ for kind in type(error).__mro__], str(error)]
    raise AssertionError(f"{call} took {arguments} {options}")


def _answer(text: Any) -> list[object]:
    """Return an answer to a tool call with all that it says about itself."""
    file = None if text.file is None else [text.file.path, text.file.media_type, text.file.bytes()]
    return [text, text.is_error, text.skill, file]


# ------------------------------------------------------------------ one bundle


def catalog(module: Any) -> Iterator[object]:
    bundle = module.bundle
    for style in ("markdown", "xml", "json"):
        yield bundle.catalog(style)
    for renamed in (bundle.with_tools("skill.use", "skill.read", "enum"), bundle.select([])):
        yield [renamed.catalog(), renamed.tool_names, renamed.digest]
    yield [bundle.names, list(bundle), len(bundle), bundle.problems, repr(bundle)]
    yield [bundle.catalog_cost(), bundle.trace_attributes()]


def bodies(module: Any) -> Iterator[object]:
    bundle = module.bundle
    for name, skill in bundle.items():
        yield [name, skill.description, skill.hidden, skill.body, skill.frontmatter, repr(skill)]
        yield [skill.license, skill.compatibility, skill.allowed_tools, skill.globs, skill.metadata]
        yield [skill.metadata_for("team"), skill.metadata_list("tags")]
        yield [bundle.load(name), bundle.load(skill.digest, directory="skills/x")]
        yield [bundle.load(name, max_chars=limit) for limit in (0, 300, 3000)]


def resources(module: Any) -> Iterator[object]:
    bundle = module.bundle
    for name, skill in bundle.items():
        yield [list(skill.files), list(skill.resources)]
        for path, file in skill.files.items():
            yield [path, file.size, file.media_type, file.is_text, file.executable, repr(file)]
            yield [file.bytes(), bundle.read_bytes(name, path), bundle.read(name, path)]
            yield file.text() if file.is_text else _raised(file.text)
            if file.size:
                yield bundle.read(name, path, 1, 20)


def digests(module: Any) -> Iterator[object]:
    bundle = module.bundle
    yield [bundle.digest, bundle.verify(), bundle.verify(bundle.digest)]
    yield _raised(bundle.verify, f"sha256:{'0' * 64}")
    for skill in bundle.values():
        for file in skill.files.values():
            assert file.digest == f"sha256:{hashlib.sha256(file.bytes()).hexdigest()}", file
        yield [skill.digest, [file.digest for file in skill.files.values()]]
    yield bundle.manifest
    assert hash(bundle) == hash(bundle.digest)
    yield [bundle == bundle.select(["*"]), bundle == bundle.select([])]


# ------------------------------------------------------------------ tools


def tools(module: Any) -> Iterator[object]:
    bundle = module.bundle
    for toolset in (bundle, bundle.with_tools("use", "open", "enum"), bundle.session()):
        for function in toolset.tools():
            yield [function.__name__, function.__qualname__, function.__doc__, function.__annotations__]
            code = function.__code__
            yield [code.co_varnames[: code.co_argcount], function.__defaults__]
        load, read = toolset.tools()
        for name, skill in bundle.items():
            yield load(name)
            yield [read(name, path, limit=100) for path in skill.files]
        yield [load("no-such"), read("letters", "no-such"), read(name="letters", path="SKILL.md", offset=-1)]


def definitions(module: Any) -> Iterator[object]:
    bundle = module.bundle
    for dialect in DIALECTS:
        yield bundle.tool_definitions(dialect)
        yield bundle.with_tools("use", "open", "enum").tool_definitions(dialect)
        yield bundle.session().tool_definitions(dialect)
    dotted = bundle.with_tools("skill.use", "skill.read")
    yield [dotted.tool_definitions("mcp"), _raised(dotted.tool_definitions, "openai")]


def calls(module: Any) -> Iterator[object]:
    bundle = module.bundle
    for tool in ("load_skill", "read_skill_resource", "no_such_tool", ""):
        for arguments in ARGUMENTS:
            yield _answer(bundle.call(tool, arguments))
    for name in (*bundle.names, "Letters", "leters", "letters/../guard", "", "\U0001f4ee"):
        yield _answer(bundle.call("load_skill", {"name": name}))
        yield _answer(bundle.call("load_skill", json.dumps({"name": name})))
    for name, skill in bundle.items():
        for path in (*skill.files, "../SKILL.md", "skill.md", "/etc/passwd", ""):
            yield _answer(bundle.call("read_skill_resource", {"name": name, "path": path}))
    where = {"name": "letters", "path": "SKILL.md"}
    for offset, limit in ((0, 10), ("5", "7"), (10**9, 1), (-1, 1), (0, 0), (1.5, True), (None, None)):
        yield _answer(bundle.call("read_skill_resource", {**where, "offset": offset, "limit": limit}))


# ------------------------------------------------------------------ sessions and composition


def sessions(module: Any) -> Iterator[object]:
    bundle = module.bundle
    session = bundle.session(host_tools=["Read"])
    yield [session.catalog() == bundle.catalog(), session.tool_names, session.loaded, session.to_json()]
    yield [session.suggest("src/a.py"), session.suggest("src/a.py"), session.suggest("a\\b.md")]
    yield [session.permits("Bash", "rm"), session.refuse("Bash", "rm")]
    yield [_answer(session.call("load_skill", {"name": "guard"})) for _ in range(3)]
    yield [session.load("letters"), session.load("letters"), session.read("letters", "SKILL.md", 3, 50)]
    for tool, argument in (
        ("Read", None),
        ("Bash", None),
        ("Bash", "git log"),
        ("Bash", "git; rm"),
        ("mcp__hub__list", None),
        ("load_skill", None),
    ):
        yield [session.permits(tool, argument), session.refuse(tool, argument)]
        yield session.permits(tool, argument, among=["letters"])
    yield [session.permitted_tools(["Read", "Write"]), _raised(session.check_tools, ["Read"])]
    yield [session.index(), session.trace_attributes(), session.loaded]
    state = session.to_json()
    again = bundle.session(state)
    yield [state, again.to_json() == state, again.announcement, again.index()]
    yield [
        again.replace(bundle.rename({"guard": "watch"}).select(["!letters"])),
        again.index(),
        again.catalog(),
    ]
    yield [again.compacted(["guard"]), again.load("watch"), again.unload("watch"), again.loaded]
    yield [again.rebase(), again.catalog(), again.announcement, again.index()]
    bounded = bundle.session(max_body_chars=200, max_total_chars=300)
    yield [[_answer(bounded.call("load_skill", {"name": name})) for name in bundle], bounded.loaded]


def composition(module: Any) -> Iterator[object]:
    bundle, kind = module.bundle, module.SkillBundle
    both = bundle.overlay(bundle.rename({"guard": "watch"}), bundle["letters"])
    yield [both.names, both.digest, both.catalog(), both.load("watch"), both.manifest]
    yield [bundle.select(patterns).names for patterns in (["g*"], ["!g*"], ["*", "!letters"])]
    kept = both.to_json()
    again = kind.from_json(kept)
    yield [kept, again == both, again.to_json() == kept, again.verify(), again.with_tools("a", "b").to_json()]


# ------------------------------------------------------------------ what is refused


def errors(module: Any) -> Iterator[object]:
    bundle, kind = module.bundle, module.SkillBundle
    letters = bundle["letters"]
    for name in ("leters", "LETTERS", "", "sha256:0", "x" * 1000):
        yield _raised(bundle.load, name)
        yield _raised(letters.file, name)
        yield _raised(bundle.read, "letters", name)
        yield _raised(bundle.session().load, name)
    yield _raised(bundle.read, "letters", "SKILL.md", -1)
    yield _raised(bundle.read, "letters", "SKILL.md", 10**9)
    yield _raised(bundle.catalog, "yaml")
    yield _raised(bundle.tool_definitions, "cobol")
    yield _raised(bundle.with_tools, "a", "a")
    yield _raised(bundle.select, ["letters", "no-such"])
    yield _raised(bundle.select, "letters")
    yield _raised(bundle.rename, {"letters": "guard"})
    yield _raised(bundle.rename, {"letters": "../letters"})
    yield _raised(bundle.overlay, 7)
    yield _raised(bundle.overlay, bundle, on_collision="maybe")
    yield _raised(bundle.overlay, bundle.rename({"letters": "x", "guard": "letters"}), on_collision="error")
    yield _raised(bundle.session().unload, "letters")
    yield _raised(bundle.session, "{}")
    yield _raised(kind.from_json, "{}")
    # One word changed, and one digit of a digest.
    kept = bundle.to_json()
    yield _raised(kind.from_json, kept.replace("Dear", "Dead"))
    yield _raised(kind.from_json, kept.replace(letters.digest, f"sha256:{'0' * 64}"))
    for frozen in (bundle, letters, letters.file("SKILL.md")):
        yield _raised(setattr, frozen, "digest", "")
        yield _raised(delattr, frozen, "digest")


def pickles(module: Any) -> Iterator[object]:
    bundle = module.bundle
    assert pickle.loads(pickle.dumps(bundle)) is bundle
    answer = pickle.loads(pickle.dumps(bundle.call("load_skill", {"name": "no-such"})))
    yield [answer, answer.is_error]
    for error in (
        module.SkillNotFoundError("a", ("b",)),
        module.ResourceNotFoundError("a", ("b",)),
        module.IntegrityError(["a", "b"]),
        module.SkillDefinitionError(["a"]),
        module.CollisionError("a"),
        module.SkillSourceError("a"),
    ):
        again = pickle.loads(pickle.dumps(error))
        yield [type(again) is type(error), str(again)]
    for made in (bundle.select(["*"]), bundle["letters"], bundle["letters"].file("SKILL.md")):
        yield _raised(pickle.dumps, made)


SECTIONS = (
    catalog,
    bodies,
    resources,
    digests,
    tools,
    definitions,
    calls,
    sessions,
    composition,
    errors,
    pickles,
)
