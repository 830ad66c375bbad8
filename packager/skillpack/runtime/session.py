"""A session: what changes during one conversation over a bundle."""

from __future__ import annotations

from _collections_abc import Mapping

from skillpack.runtime.answering import MAX_ANSWER_CHARS, ToolText
from skillpack.runtime.digest import canonical_json
from skillpack.runtime.disclosure import catalog_lines
from skillpack.runtime.errors import SkillDefinitionError, SkillNotFoundError
from skillpack.runtime.listing import TYPE_CHECKING
from skillpack.runtime.matching import allows, lacking, matches_glob
from skillpack.runtime.text import MAX_LISTED_NAMES, echo, listed, one_line, several, shown
from skillpack.runtime.tools import Toolset

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from skillpack.runtime.bundle import SkillBundle
    from skillpack.runtime.model import Skill, _Directory

STATE_FORMAT = 1
ROW_SHAPE = {
    "name": str,
    "digest": str,
    "chars": int,
    "tools": (None, [str]),
    "fresh": bool,
    "repeated": bool,
}
"""A loaded skill: `chars` of instructions, its allowed `tools`, `fresh` while these are in the conversation."""

STATE_SHAPE = {
    "format": int,
    "loaded": [ROW_SHAPE],
    "suggested": [str],
    "catalog": {str: str},
    "offered": int,
    "roster": {str: str},
}
"""`catalog` and `offered` are what the prompt shows, `roster` is what the model was told of since: name to digest."""


class SkillSession(Toolset):
    """One conversation: which skills are loaded, what was suggested, which set of skills the model knows.

    `SkillBundle.session` makes one. `bundle` is the set in force. `announcement` is the text about the last change
    of it for the end of the transcript, or empty: what `replace` returned, or what has changed since the state that
    was restored. It is for one conversation in one thread at a time. A copy goes its own way.
    """

    bundle: SkillBundle
    announcement: str
    _catalog = b""  # no catalog is ready: its rows are those of the beginning

    def __init__(
        self,
        bundle: SkillBundle,
        state: str | None = None,
        *,
        host_tools: Iterable[str] | None = None,
        max_body_chars: int | None = None,
        max_total_chars: int | None = None,
    ) -> None:
        self.bundle = bundle
        self._tools, self._style = bundle._tools, bundle._style
        self._host_tools = None if host_tools is None else several(host_tools, "host_tools")
        self._max_body, self._max_total = max_body_chars, max_total_chars
        if state is None:
            self._state: dict[str, Any] = {"format": STATE_FORMAT, "loaded": [], "suggested": []}
            self._fold()
        else:
            from skillpack.runtime.shape import read_json

            self._state = read_json(state, STATE_SHAPE, "the state of a session")
            if self._state["format"] != STATE_FORMAT or not 0 <= self._state["offered"] <= 2:
                raise ValueError("the state of a session is of another release of skillpack")
            rows = self._state["loaded"]
            if len({row["name"] for row in rows}) < len(rows) or any(row["chars"] < 0 for row in rows):
                raise ValueError(
                    "the state of a session has a skill twice, or one with less than no characters"
                )
        self.announcement = self._announce()

    def __copy__(self) -> SkillSession:
        import json

        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, _state=json.loads(self.to_json()))
        return twin

    def to_json(self) -> str:
        """Return the whole state as JSON for `SkillBundle.session`."""
        return canonical_json(self._state)

    def trace_attributes(self) -> dict[str, str | int | list[str]]:
        """Return the bundle's attributes for a trace and `skillpack.loaded`: `name@sha256:…` of each loaded skill."""
        loaded = [f"{row['name']}@{row['digest']}" for row in self._state["loaded"]]
        return {**self.bundle.trace_attributes(), "skillpack.loaded": loaded}

    # ------------------------------------------------------------------ loading

    @property
    def loaded(self) -> tuple[str, ...]:
        """The names of the loaded skills, in the order of their loading."""
        return tuple(row["name"] for row in self._state["loaded"])

    def load(self, name: str, *, directory: _Directory | None = None, max_chars: int | None = None) -> str:
        """Return a skill's instructions as `SkillBundle.load` does, and remember that it is loaded.

        A loaded skill, or the same content under another name, gives one line that says so. Asked once more, or
        after `compacted`, it gives the instructions again. Over a limit of the session nothing is loaded and the
        answer says by how much. With `host_tools` the last line names the tools that are missing.
        """
        return str(self._load(name, directory, max_chars))

    def read(self, name: str, path: str, offset: int = 0, limit: int = 50000) -> str:
        """Return a file's text as `SkillBundle.read` does; a skill need not be loaded for it."""
        return self.bundle.read(name, path, offset, limit)

    def unload(self, name: str) -> None:
        """Forget that a skill is loaded, by its name or that of the same content; else `SkillNotFoundError`."""
        digest = self.bundle[name].digest if name in self.bundle else None
        kept = [row for row in self._state["loaded"] if name != row["name"] and digest != row["digest"]]
        if len(kept) == len(self._state["loaded"]):
            raise SkillNotFoundError(name, self.loaded, "loaded skill")
        self._state["loaded"] = kept

    def compacted(self, keep: Iterable[str] = ()) -> None:
        """Say that the conversation was shortened: of the loaded skills only those in `keep` are still in it.

        They stay loaded, and loading one gives its instructions again. `SkillNotFoundError` for a name in `keep` that
        is not loaded.
        """
        kept = several(keep, "keep")
        for name in kept:
            if name not in self.loaded:
                raise SkillNotFoundError(name, self.loaded, "loaded skill")
        for row in self._state["loaded"]:
            row["fresh"] = row["fresh"] and row["name"] in kept

    def _load(self, name: str, directory: _Directory | None, max_chars: int | None) -> ToolText:
        skill = self._find(name)
        rows = self._state["loaded"]
        held = next((row for row in rows if row["digest"] == skill.digest), None)
        if held and held["fresh"] and not held["repeated"]:
            held["repeated"] = True
            other = (
                "" if held["name"] == skill.name else f" as {shown(held['name'])}, which has the same content"
            )
            text = f"{skill.name} is already loaded{other}; ask again if its instructions are out of sight"
            return ToolText(text, skill=skill.name)
        others = [row for row in rows if row is not held and row["name"] != skill.name]
        chars = len(skill.body)
        total = chars + sum(row["chars"] for row in others if row["fresh"])
        text = f"{skill.name} is not loaded: its instructions have {chars} characters"
        if self._max_body is not None and chars > self._max_body:
            return ToolText(f"{text}; the limit is {self._max_body}", is_error=True)
        if self._max_total is not None and total > self._max_total:
            text += f", with those of the loaded skills {total}; the limit is {self._max_total}"
            return ToolText(text, is_error=True)
        missing = lacking(skill, self._host_tools) if self._host_tools is not None else []
        tail = f"\n[Not available here, though {skill.name} names them: {listed(missing)}]" if missing else ""
        room = None if max_chars is None else max_chars - len(tail)
        text = self.bundle.load(skill.name, directory=directory, max_chars=room) + tail
        if held:
            held.update(fresh=True, repeated=False)
        else:
            row = {"name": skill.name, "digest": skill.digest, "chars": chars, "tools": skill.allowed_tools}
            self._state["loaded"] = [*others, {**row, "fresh": True, "repeated": False}]
        return ToolText(text, skill=skill.name)

    # ------------------------------------------------------------------ policy

    def permits(self, tool: str, argument: str | None = None, *, among: Iterable[str] | None = None) -> bool:
        """Return whether the loaded skills allow a tool: a guard-rail for an honest model, not a boundary.

        A model that loads no skill is not restricted, so what must never happen has to be refused elsewhere. The
        union of the `allowed_tools` of the loaded skills counts, and the skill tools are always allowed; a loaded
        skill without `allowed_tools` neither restricts nor widens. An entry `T` allows the tool T, `T(P)` with the
        argument P only, `T(P:*)` also with what begins with P and a blank and holds no line end and no sign of a
        shell, `T(*)` with any; without `argument` any entry that names T counts. `*` in a tool's name is a shell
        pattern. `among` are names: only these loaded skills count.
        """
        rows = self._restricting(among)
        entries = [entry for row in rows for entry in row["tools"]]
        return not rows or tool in self._tools or any(allows(entry, tool, argument) for entry in entries)

    def refuse(
        self, tool: str, argument: str | None = None, *, among: Iterable[str] | None = None
    ) -> str | None:
        """Return what to answer a model whose call the loaded skills do not allow, or None where they do.

        The parameters are those of `permits`.
        """
        names = None if among is None else several(among, "among")
        if self.permits(tool, argument, among=names):
            return None
        rows = self._restricting(names)
        entries = dict.fromkeys(entry for row in rows for entry in row["tools"])
        what = " with this argument" if argument is not None and self.permits(tool, among=names) else ""
        skills = listed([row["name"] for row in rows])
        allowed = listed([*entries, *self._tools])
        return f"{echo(tool)} is not allowed{what}: the loaded skills ({skills}) allow {allowed}"

    def permitted_tools(self, all_tools: Iterable[str]) -> tuple[str, ...]:
        """Return those of some names of tools that `permits` allows, in their order."""
        return tuple(tool for tool in several(all_tools, "permitted_tools") if self.permits(tool))

    def check_tools(self, all_tools: Iterable[str]) -> None:
        """Raise `SkillDefinitionError` when a skill allows a tool that is not among the names `all_tools`.

        For the moment when an agent is wired; every skill of the bundle is looked at, loaded or not.
        """
        tools = [*several(all_tools, "check_tools"), *self._tools]
        problems = [
            f"{skill.name}: allowed-tools names {listed(names)}, which no tool has"
            for skill in self.bundle.values()
            if (names := lacking(skill, tools))
        ]
        if problems:
            raise SkillDefinitionError(problems)

    def _restricting(self, among: Iterable[str] | None) -> list[dict[str, Any]]:
        rows = [row for row in self._state["loaded"] if row["tools"] is not None]
        if among is None:
            return rows
        names = several(among, "among")
        # what was loaded under another name is one content, so that an alias loses no restriction
        digests = [self.bundle[name].digest for name in names if name in self.bundle]
        return [row for row in rows if row["name"] in names or row["digest"] in digests]

    # ------------------------------------------------------------------ what there is to know

    def suggest(self, path: str) -> str:
        r"""Return a hint at skills whose `globs` match a file that the agent touched, or the empty string.

        `path` is relative to where the patterns begin, with `/` or `\` between its parts. Each skill is named once a
        session, and a loaded one is not.
        """
        digests = [row["digest"] for row in self._state["loaded"]]
        names = [
            skill.name
            for skill in self.bundle._visible()
            if skill.name not in self._state["suggested"]
            and skill.digest not in digests
            and any(matches_glob(path, pattern) for pattern in skill.globs)
        ]
        names = names[:MAX_LISTED_NAMES]
        self._state["suggested"] += names
        if not names:
            return ""
        return (
            f"[The file you work with matches the globs of {listed(names)}. Consider loading it with "
            f"{self._tools[0]}, if relevant.]"
        )

    def index(self) -> str:
        """Return a line for each skill with its state, and for each one that cannot be had, or the empty string.

        `(loaded)` marks what is in the conversation, `UNAVAILABLE` what was loaded and is gone; `bundle.problems`
        follow. It changes as the session does: it belongs at the end of a prompt, never in the cached prefix.
        """
        rows = self._state["loaded"]
        lines: list[str] = []
        for skill in self.bundle._visible():
            row = next((row for row in rows if skill.digest == row["digest"]), None)
            mark = "" if row is None else " (loaded)" if row["fresh"] else " (loaded, out of sight)"
            if row is None and skill.name in self.loaded:
                mark = " (loaded before it changed)"
            lines.append(f"- {one_line(skill.name)} — {one_line(skill.description)}{mark}")
        offered = [skill.digest for skill in self.bundle.values()]
        lines += [
            f"- {shown(row['name'])} — UNAVAILABLE: loaded, and no longer offered"
            for row in rows
            if row["name"] not in self.bundle and row["digest"] not in offered
        ]
        lines += [f"- {one_line(problem)}" for problem in self.bundle.problems]
        return "\n".join([f"[Skills, to be loaded with {self._tools[0]}]", *lines]) if lines else ""

    def replace(self, bundle: object) -> str:
        """Take another set of skills, a bundle of any module, and return the announcement of it.

        The announcement is for the end of the transcript. It names what is new, with descriptions, what has changed
        and what is withdrawn, then all skills; it is empty when nothing differs. `catalog` stays as it was, so that
        the cached prompt holds, until `rebase`. What is no bundle is a `TypeError`.
        """
        if not isinstance(bundle, Mapping) or not isinstance(getattr(bundle, "digest", None), str):
            raise TypeError(f"a bundle is needed, not {echo(type(bundle).__name__)}")
        own = type(self.bundle)((), tools=self._tools, style=self._style)
        self.bundle = own.overlay(bundle)
        self.announcement = self._announce()
        return self.announcement

    def rebase(self) -> None:
        """Take the set in force into `catalog` and the tools, when the conversation is shortened anyway.

        Calls `compacted`: no loaded skill is in the conversation any more.
        """
        self._fold()
        self.compacted()
        self.announcement = ""

    def _fold(self) -> None:
        self._state["catalog"] = dict(self.bundle._rows())
        self._state["offered"] = self.bundle._offered()
        self._state["roster"] = {one_line(skill.name): skill.digest for skill in self.bundle._visible()}

    def _announce(self) -> str:
        """Return what differs from the roster that the model knows, which it is from now on."""
        before = self._state["roster"]
        now = {one_line(skill.name): skill for skill in self.bundle._visible()}
        self._state["roster"] = {name: skill.digest for name, skill in now.items()}
        self._state["offered"] = max(self._state["offered"], self.bundle._offered())
        new = [name for name in now if name not in before]
        changed = [name for name in now if name in before and before[name] != now[name].digest]
        gone = [shown(name) for name in before if name not in now]
        if not (new or changed or gone):
            return ""
        lines = ["[The set of skills has changed.]"]
        if new:
            lines.append("Newly available:")
            lines.append(catalog_lines([(name, one_line(now[name].description)) for name in new]))
        if changed:
            lines.append(f"Changed, load again before use: {', '.join(changed)}")
        if gone:
            lines.append(f"No longer available: {', '.join(gone)}")
        lines.append(f"All skills now, to be loaded with {self._tools[0]}: {', '.join(now) or 'none'}")
        return "\n".join(lines)

    # ------------------------------------------------------------------ for `Toolset`

    def _rows(self) -> list[tuple[str, str]]:
        return [(one_line(name), one_line(text)) for name, text in self._state["catalog"].items()]

    def _offered(self) -> int:
        return int(self._state["offered"])

    def _find(self, name: str) -> Skill:
        return self.bundle._find(name)

    def _answer_load(self, name: str) -> ToolText:
        return self._load(name, None, MAX_ANSWER_CHARS)
