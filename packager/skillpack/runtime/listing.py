"""The catalog that a packed bundle has ready: what a model is shown first.

An emitted package runs this file and `ready` before its catalog can be shown, and nothing else. So both are as little
code as possible; neither has the import of `__future__`, which takes as long as running a half of them.
"""

TYPE_CHECKING = False
"""False at run time, true for type checkers; importing it from `typing` would cost ten milliseconds."""

SkillName = str
"""A name to load a skill by; in the stub of an emitted module it is one of the names that are packed there."""


PARTS = ("_by_name", "_catalog", "_module", "_packed", "_style", "_tools", "digest", "problems")
"""The attributes that a bundle is made of."""


class Catalog:
    """What is always in the prompt: names and descriptions. A bundle has it, and a session."""

    __slots__ = ()
    _catalog: bytes
    _tools: tuple[str, str]

    def catalog(self, style: str = "markdown") -> str:
        """Return each skill's name and description, for the prompt; empty when there is no skill.

        `style` is `markdown` (a line a skill), `xml` or `json`; anything else is a `ValueError`.
        """
        if style != "markdown" or not self._catalog:
            from skillpack.runtime.disclosure import styled

            return styled(self, style)
        try:
            return advised(self._catalog.partition(b"\n")[2][:-1].decode(), *self._tools)
        except UnicodeDecodeError:
            from skillpack.runtime.model import damaged

            raise damaged(".") from None


def advised(lines: str, load: str, read: str) -> str:
    """Return the Markdown catalog with these lines, and what it tells the model to do with tools of these names."""
    return lines and (
        "## Available skills\n\n"
        "Skills hold instructions for particular tasks; only their names and descriptions are shown here.\n"
        f"When a task matches a description, call {load} with that name first, then follow what it says.\n"
        f"Read a file that a skill lists with {read} when it is needed; never guess names or paths.\n\n"
        f"{lines}"
    )
