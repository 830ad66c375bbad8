"""Whatever skills hold, the emitted module holds it, and nothing but it; whatever a module holds, reading ends."""

from __future__ import annotations

from binascii import a2b_base64
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillpack import artifact, digest, verification
from skillpack.emit.layout import unix_lines
from skillpack.emit.literal import CATALOG, INDEX, GrammarError, encoding, parse, render
from skillpack.emit.module import parts
from skillpack.errors import ArtifactError
from skillpack.model import Frontmatter
from skillpack.rules import Level
from support.bundles import DEMO, SOLO, make_bundle, make_source
from support.emitted import emitted, executed, shape

if TYPE_CHECKING:
    from pathlib import Path

    from skillpack.findings import Finding
    from skillpack.runtime import SkillBundle

NAME = "_" + "0" * 64

# Names and paths without control characters: the packager refuses the others, whatever the level.
words = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/"), min_size=1, max_size=12
)
texts = st.text(st.sampled_from("\t\n\r\\\"'\0\x85\u2028é中😀") | st.characters(exclude_categories=["Cs"]))
segments = words.filter(lambda word: word not in (".", ".."))
paths = st.lists(segments, min_size=1, max_size=3).map("/".join)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
contents = (
    st.binary(max_size=300)
    | texts.map(str.encode)
    | st.lists(texts).map(lambda lines: "\n".join(lines).encode())
)


@st.composite
def skills(draw: st.DrawFn, name: str) -> Any:
    hidden = draw(st.booleans())
    made = Frontmatter(
        name=name,
        description=draw(texts),
        values=draw(st.dictionaries(texts, values, max_size=3)) | {"hide": hidden},
        license=draw(st.none() | texts),
        compatibility=draw(st.none() | texts),
        metadata=draw(st.dictionaries(texts, texts, max_size=3)),
        allowed_tools=draw(st.none() | st.lists(texts, min_size=1, max_size=3).map(tuple)),
        globs=tuple(draw(st.lists(texts, max_size=3))),
        hidden=hidden,
    )
    files = draw(st.dictionaries(paths, contents, max_size=4)) | {"SKILL.md": draw(texts).encode()}
    executable = draw(st.sets(st.sampled_from(sorted(files))))
    return make_source(name, files, executable=executable, frontmatter=made)


bundles = (
    st.lists(words, unique=True, max_size=3)
    .flatmap(lambda names: st.tuples(*(skills(name) for name in names)))
    .map(digest.address)
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("emit") / "skills.py"


def facts(bundle: SkillBundle) -> Any:
    return bundle.manifest, [
        (
            skill.name,
            skill.description,
            skill.hidden,
            skill.license,
            skill.compatibility,
            skill.metadata,
            skill.allowed_tools,
            skill.globs,
            {path: file.bytes() for path, file in skill.files.items()},
        )
        for skill in bundle.values()
    ]


@settings(deadline=None)
@given(st.binary() | texts.map(str.encode))
def test_any_content_comes_back_from_its_literal(data: bytes) -> None:
    form = encoding(data)
    source = render(NAME, data, form)
    (value,) = parse(source).values()
    namespace: dict[str, bytes | str] = {}
    exec(source, namespace)
    assert namespace[NAME] == value
    assert (value.encode() if isinstance(value, str) else a2b_base64(value) if form == "6" else value) == data
    assert source.isascii()
    assert source.count(b"\n") <= 4 + len(source) / 64


@settings(deadline=None)
@given(st.binary(), st.sampled_from([b"bytes", b"str"]))
def test_what_is_read_is_what_python_reads_or_an_error(inside: bytes, kind: bytes) -> None:
    prefix = b"b" if kind == b"bytes" else b""
    source = b'%b: %b = (\n    %b"%b"\n)\n' % (NAME.encode(), kind, prefix, inside)
    try:
        found = parse(source)
    except GrammarError:
        return
    namespace: dict[str, bytes | str] = {}
    exec(source, namespace)
    assert found == {NAME: namespace[NAME]}


@settings(deadline=None, max_examples=40)
@given(bundles)
def test_any_bundle_comes_back_from_python_and_from_the_reader(path: Path, made: digest.Addressed) -> None:
    source = emitted(made.bundle)
    expected = facts(made.bundle)
    ran = executed(source)
    ran.verify(made.bundle.digest)
    assert facts(ran) == expected
    path.write_bytes(source.replace(b"\n", b"\r\n"))
    (module,) = artifact.read(path).modules
    assert facts(module.bundle) == expected
    assert parts(module.bundle).source == source
    assert source.isascii()


EMPTY = shape(emitted(make_bundle({})))


@settings(deadline=None, max_examples=25)
@given(bundles)
def test_no_text_in_any_field_changes_the_shape_of_the_module(made: digest.Addressed) -> None:
    assert shape(emitted(made.bundle)) == EMPTY


SOURCES = make_bundle({"demo": DEMO, "solo": SOLO})
MODULE = emitted(SOURCES)
LITERALS = parse(parts(SOURCES).data)
FRAGMENTS = [
    b"",
    b"\n",
    b"\\",
    b'"',
    b"\r",
    b"\0",
    b"\xff",
    b"\t",
    b"()",
    b'"\n)\n',
    b'    b"',
    b"_INDEX: bytes = (\n",
    b"{}",
]


@st.composite
def edits(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` with some of its parts replaced, dropped, doubled or moved."""
    for _ in range(draw(st.integers(1, 3))):
        start, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        end = draw(st.sampled_from([start, min(start + 1, len(data)), end]))
        new = draw(st.binary(max_size=20) | st.sampled_from(FRAGMENTS) | st.just(data[start:end] * 2))
        data = data[:start] + new + data[end:]
    return data


def verify(path: Path, source: bytes) -> list[Finding] | None:
    """The errors of `skillpack verify`; None when the module cannot be read."""
    path.write_bytes(source)
    try:
        found = artifact.read(path)
    except ArtifactError:
        return None
    for module in found.modules:
        artifact.summary(module.bundle)
    findings = verification.verify(found, reread=reread, address=lambda _: "")
    return [finding for finding in findings if finding.level is Level.ERROR]


def reread(data: bytes, name: str) -> Frontmatter | None:
    fields = make_source(name, {"SKILL.md": data})[1]
    return replace(fields, name=str(fields.values.get("name", name)))


@settings(deadline=None)
@given(edits(MODULE))
def test_any_edit_of_a_module_is_seen_and_none_breaks_the_reader(path: Path, source: bytes) -> None:
    if unix_lines(source) != MODULE:
        assert verify(path, source) != []


@settings(deadline=None)
@given(st.data())
def test_any_edit_of_what_the_literals_hold_is_seen(path: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(LITERALS)))
    old = LITERALS[name]
    assert isinstance(old, bytes)
    new = data.draw(edits(old))
    if new != old:
        assert verify(path, MODULE.replace(render(name, old), render(name, new))) != []


@settings(deadline=None)
@given(st.data())
def test_hostile_catalogs_and_indexes_end_in_an_artifact_error(path: Path, data: st.DataObject) -> None:
    rows = st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=9)).map(b"".join)
    written = parts(SOURCES)
    head = b"skillpack 1 sha256:%064d sha256:%064d\n" % (0, 0)
    literals = render(CATALOG, head + data.draw(rows)) + render(INDEX, data.draw(rows))
    verify(path, written.head + literals + written.tail)
