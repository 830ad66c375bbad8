"""The catalog beyond the one that a packed bundle has ready: of other bundles, in other styles, its cost."""

from __future__ import annotations

from skillpack.runtime.digest import canonical_json
from skillpack.runtime.listing import TYPE_CHECKING, advised
from skillpack.runtime.text import echo, escape, one_line

if TYPE_CHECKING:
    from typing import Any

    from skillpack.runtime.bundle import SkillBundle
    from skillpack.runtime.model import Skill


def shown_row(skill: Skill) -> tuple[str, str]:
    """Return name and description of a skill as a catalog shows them, on one line each."""
    return one_line(skill.name), one_line(skill.description)


def shown_rows(bundle: SkillBundle) -> list[tuple[str, str]]:
    """Return name and description of each skill that is not hidden, on one line each."""
    return [shown_row(skill) for skill in bundle._visible()]


def styled(bundle: Any, style: str) -> str:
    """Return what `SkillBundle.catalog` does, of whatever has rows and tools."""
    rows: list[tuple[str, str]] = bundle._rows()
    tools: tuple[str, str] = bundle._tools
    if style not in ("markdown", "xml", "json"):
        raise ValueError(f"a catalog is markdown, xml or json, not {echo(style)}")
    if style == "markdown" or not rows:
        return advised(catalog_lines(rows), *tools)
    advice = advised("-", *tools).removesuffix("\n\n-").partition("\n\n")[2]
    if style == "json":
        skills = [{"name": name, "description": description} for name, description in rows]
        return canonical_json({"instructions": advice, "skills": skills})
    items = "\n".join(
        f"  <skill>\n    <name>{escape(name)}</name>\n"
        f"    <description>{escape(description)}</description>\n  </skill>"
        for name, description in rows
    )
    return f"{advice}\n\n<available_skills>\n{items}\n</available_skills>"


def cost(bundle: SkillBundle) -> dict[str, Any]:
    """Return what `SkillBundle.catalog_cost` does."""
    chars = len(bundle.catalog())
    skills = {}
    for skill in bundle.values():
        body_chars = len(skill.body)
        skills[skill.name] = {
            "line_chars": 0 if skill.hidden else len(catalog_lines([shown_row(skill)])),
            "body_chars": body_chars,
            "body_tokens": -(-body_chars // 4),
        }
    return {"catalog": {"chars": chars, "tokens": -(-chars // 4)}, "skills": skills}


def catalog_lines(rows: list[tuple[str, str]]) -> str:
    """Return the lines of the Markdown catalog; names and descriptions are one line each."""
    return "\n".join([f"- **{name}**: {description}" for name, description in rows])
