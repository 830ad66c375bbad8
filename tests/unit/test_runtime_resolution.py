"""Several ways of supply in one list: the design page "The runtime", "Where skills come from"."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from skillpack.runtime import CollisionError, SkillBundle, SkillNotFoundError, SkillSourceError, resolve
from support.authored import authored, bundle_of
from support.bundles import DEMO, make_bundle, skill_md


def resolved(sources: Any, context: object = None, **options: Any) -> SkillBundle:
    return asyncio.run(resolve(sources, context, **options))


def tree(root: Path, **bodies: str) -> str:
    """Write skills to a directory and return its path."""
    for name, body in bodies.items():
        (root / name).mkdir(parents=True)
        (root / name / "SKILL.md").write_bytes(skill_md(name, body=body))
    return str(root)


# ------------------------------------------------------------------ the ways


def test_all_ways_mix_and_the_last_wins(tmp_path: Path) -> None:
    async def tenant(context: dict[str, str]) -> list[object]:
        await asyncio.sleep(0)
        return [authored(f"policy-{context['tenant']}"), None]

    bundle = resolved(
        [
            tree(tmp_path / "skills", shared="# From disk\n", override="# From disk\n"),
            make_bundle({"demo": DEMO}),
            None,
            [authored("inline"), [authored("override", "# Last\n")]],
            tenant,
            lambda context: bundle_of(authored(f"plain-{context['tenant']}")),
        ],
        {"tenant": "acme"},
    )
    assert bundle.names == ("demo", "inline", "override", "plain-acme", "policy-acme", "shared")
    assert bundle["override"].body == "# Last\n"
    assert bundle["shared"].body == "# From disk\n"
    bundle.verify()
    assert SkillBundle.from_json(bundle.to_json()) == bundle


def test_no_sources_are_no_skills() -> None:
    assert resolved([]) == SkillBundle([])
    assert resolved((None, [None])) == SkillBundle([])
    assert resolved([lambda _: None]) == SkillBundle([])


def test_functions_get_the_context_and_are_called_once() -> None:
    seen: list[object] = []

    def supply(context: object) -> None:
        seen.append(context)

    resolved([supply], "c")
    resolved([supply])
    assert seen == ["c", None]


def test_a_function_may_name_a_directory(tmp_path: Path) -> None:
    path = tree(tmp_path, a="# A\n")
    assert resolved([lambda _: path]).names == ("a",)


def test_the_first_may_win() -> None:
    sources = [authored("a", "1"), lambda _: authored("a", "2")]
    assert resolved(sources, on_collision="first")["a"].body == "1"
    assert resolved(sources)["a"].body == "2"


def test_a_collision_may_be_an_error() -> None:
    with pytest.raises(CollisionError, match="two skills are named 'a'"):
        resolved([authored("a", "1"), authored("a", "2")], on_collision="error", on_error="report")
    assert resolved([authored("a"), authored("a")], on_collision="error").names == ("a",)


@pytest.mark.parametrize("on_collision", ["last", "first", "error"])
def test_two_functions_that_give_one_name_collide(on_collision: str) -> None:
    sources = [lambda _: authored("a", "1"), lambda _: authored("a", "2")]
    with pytest.raises(CollisionError, match="two functions supply different skills named 'a'"):
        resolved(sources, on_collision=on_collision, on_error="report")


def test_two_functions_may_give_the_same_skill() -> None:
    assert resolved([lambda _: authored("a"), lambda _: [authored("a")]]).names == ("a",)


# ------------------------------------------------------------------ what goes wrong


def failing(_: object) -> None:
    raise RuntimeError("the tenant\ntimed out")


def test_a_failure_ends_the_call_with_its_own_exception() -> None:
    with pytest.raises(RuntimeError, match="timed out"):
        resolved([failing])


def test_a_failure_may_be_reported_and_the_others_serve(tmp_path: Path) -> None:
    bundle = resolved([failing, str(tmp_path / "none"), authored("a")], on_error="report")
    assert bundle.names == ("a",)
    assert bundle.problems[0] == "failing — UNAVAILABLE: RuntimeError: the tenant timed out"
    assert bundle.problems[1].startswith(f"{tmp_path}/none — UNAVAILABLE: SkillSourceError: ")
    index = bundle.session().index()
    assert all(f"- {problem}" in index.splitlines() for problem in bundle.problems)


def test_a_reason_is_bounded() -> None:
    def supply(_: object) -> None:
        raise ValueError("x" * 10_000)

    (problem,) = resolved([supply], on_error="report").problems
    assert len(problem) < 300


def test_an_object_without_a_name_is_reported_by_its_class() -> None:
    class Supply:
        def __call__(self, _: object) -> None:
            raise ValueError("no")

    assert resolved([Supply()], on_error="report").problems == ("Supply — UNAVAILABLE: ValueError: no",)


def test_broken_skills_of_a_directory_are_problems_also_without_report(tmp_path: Path) -> None:
    path = tree(tmp_path, a="# A\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "SKILL.md").write_text("---\nname: b\n---\n", encoding="utf-8")
    bundle = resolved([path])
    assert bundle.names == ("a",)
    assert bundle.problems == ("b — INVALID: description-missing: there is no description",)


@pytest.mark.parametrize("sources", ["skills", None, {"a": 1}, authored("a"), iter([])])
def test_what_is_no_list_is_a_type_error(sources: object) -> None:
    with pytest.raises(TypeError, match="sources are a list, not '"):
        resolved(sources, on_error="report")


@pytest.mark.parametrize("entry", [5, b"skills", object(), [1], {1, 2}])
def test_a_malformed_entry_is_a_type_error_before_anything_is_called(entry: object) -> None:
    def supply(_: object) -> None:
        pytest.fail("called")

    with pytest.raises(
        TypeError, match="a source is a bundle, a skill, a list, the path of a directory or a function"
    ):
        resolved([supply, entry], on_error="report")


def test_a_mapping_that_is_no_bundle_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="a bundle or a skill is needed"):
        resolved([{"a": 1}])


@pytest.mark.parametrize("given", [5, [object()]])
def test_what_a_function_returns_is_held_against_the_same_list(given: object) -> None:
    with pytest.raises(TypeError, match="a source is a bundle"):
        resolved([lambda _: given])
    (problem,) = resolved([lambda _: given], on_error="report").problems
    assert "UNAVAILABLE: TypeError: a source is a bundle" in problem


def test_a_function_may_not_return_a_function() -> None:
    with pytest.raises(SkillSourceError, match="supplied a function, not skills"):
        resolved([lambda _: failing])


@pytest.mark.parametrize("options", [{"on_error": "ignore"}, {"on_collision": "newest"}])
def test_other_rules_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(options))} is"):
        resolved([], **options)


def test_a_directory_without_the_packager_is_a_source_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skillpack.sources", None)
    with pytest.raises(
        SkillSourceError, match=r"the directory 'skills' needs the packager, of which .* is missing"
    ):
        resolved(["skills"])


def test_a_foreign_bundle_is_no_different() -> None:
    bundle = resolved([dict(make_bundle({"demo": DEMO}))])
    assert bundle.names == ("demo",)
    with pytest.raises(SkillNotFoundError):
        bundle["x"]


def test_a_list_that_holds_itself_is_a_type_error() -> None:
    sources: list[Any] = []
    sources.append(sources)
    with pytest.raises(TypeError, match="a list of sources holds itself, or 100 lists lie in one another"):
        resolved(sources)


def test_a_directory_may_be_a_path_object(tmp_path: Path) -> None:
    assert resolved([Path(tree(tmp_path / "skills", pdf="# Hi\n"))]).names == ("pdf",)
    bundle = resolved([tmp_path / "none"], on_error="report")
    assert bundle.problems[0].startswith(f"{tmp_path / 'none'} — UNAVAILABLE: ")
