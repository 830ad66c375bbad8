"""The three levels of disclosure: the catalog, a skill's instructions, a file."""

from __future__ import annotations

from skillpack.runtime.digest import canonical_json
from skillpack.runtime.model import Skills
from skillpack.runtime.text import TYPE_CHECKING, echo, escape, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from skillpack.runtime.text import _Directory


class Catalog:
    """What is always in the prompt: names and descriptions. A bundle has it, and a session."""

    __slots__ = ()
    _tools: tuple[str, str]
    _rows: Callable[[], list[tuple[str, str]]]

    def catalog(self, style: str = "markdown") -> str:
        """Return each skill's name and description, for the prompt; empty when there is no skill.

        `style` is `markdown` (a line a skill), `xml` or `json`; anything else is a `ValueError`.
        """
        rows = self._rows()
        if style not in ("markdown", "xml", "json"):
            raise ValueError(f"a catalog is markdown, xml or json, not {echo(style)}")
        if not rows:
            return ""
        load, read = self._tools
        advice = (
            "Skills hold instructions for particular tasks; only their names and descriptions are shown here.\n"
            f"When a task matches a description, call {load} with that name first, then follow what it says.\n"
            f"Read a file that a skill lists with {read} when it is needed; never guess names or paths."
        )
        if style == "json":
            skills = [{"name": name, "description": description} for name, description in rows]
            return canonical_json({"instructions": advice, "skills": skills})
        if style == "xml":
            items = "\n".join(
                f"  <skill>\n    <name>{escape(name)}</name>\n"
                f"    <description>{escape(description)}</description>\n  </skill>"
                for name, description in rows
            )
            return f"{advice}\n\n<available_skills>\n{items}\n</available_skills>"
        return f"## Available skills\n\n{advice}\n\n{catalog_lines(rows)}"


class Disclosure(Catalog, Skills):
    """Skills that can be shown to a model, little by little."""

    __slots__ = ()
    _tools: tuple[str, str]

    def _rows(self) -> list[tuple[str, str]]:
        return [(one_line(name), one_line(description)) for name, description in self._described()]

    def load(self, name: str, *, directory: _Directory | None = None, max_chars: int | None = None) -> str:
        """Return a skill's instructions in their frame, with its resources listed.

        `name` is a skill's name or its full `sha256:` digest. `directory` is where the skill's files are on
        the agent's disk, if they are. Over `max_chars` characters the instructions are cut at a line end and
        the last line says how to go on; the frame with the list of resources is never cut, so the answer is longer
        where that alone is. Raises `SkillNotFoundError` and `IntegrityError`.
        """
        from skillpack.runtime.frames import framed

        return framed(self, name, directory, max_chars)

    def read(self, name: str, path: str, offset: int = 0, limit: int = 50000) -> str:
        """Return a file's text from `offset`, at most `limit` characters, cut back to a line end.

        When more follows, the last line says how to go on. Of a binary file one line says type and size.
        Raises `SkillNotFoundError`, `ResourceNotFoundError`, `IntegrityError`, and `ValueError` for a
        negative offset, a limit below 1 or an offset past the end.
        """
        from skillpack.runtime.frames import piece

        return piece(self, name, path, offset, limit)

    def read_bytes(self, name: str, path: str) -> bytes:
        """Return a file's bytes; raises as `read` does."""
        return self._find(name).file(path).bytes()

    def catalog_cost(self) -> dict[str, Any]:
        """Return what the prompt pays, in characters and tokens (characters / 4, rounded up)."""
        chars = len(self.catalog())
        skills = {}
        for skill in self.values():
            body_chars = len(skill.body)
            line = catalog_line(one_line(skill.name), one_line(skill.description))
            skills[skill.name] = {
                "line_chars": 0 if skill.hidden else len(line),
                "body_chars": body_chars,
                "body_tokens": -(-body_chars // 4),
            }
        return {"catalog": {"chars": chars, "tokens": -(-chars // 4)}, "skills": skills}

    def trace_attributes(self) -> dict[str, str | int]:
        """Return the attributes for a trace: the bundle's digest and its number of skills."""
        return {"skillpack.bundle.digest": self.digest, "skillpack.bundle.skills": len(self)}


def catalog_lines(rows: Iterable[tuple[str, str]]) -> str:
    """Return the lines of the Markdown catalog; names and descriptions are one line each."""
    return "\n".join([catalog_line(name, description) for name, description in rows])


def catalog_line(name: str, description: str) -> str:
    """Return a skill's line in the Markdown catalog; both are one line."""
    return f"- **{name}**: {description}"
