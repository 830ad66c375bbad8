"""What a server of skills over MCP answers, in JSON types: the one implementation for every server, which knows no framework."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Literal

from skillpack.export.mcp import SKILL_MD, entry, faults, located, uri_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from skillpack.export.structure import AnyBundle, AnyFile, AnySkill

    _Json = dict[str, Any]

CacheScope = Literal["public", "private"]

TTL_MS = 300_000
"""How long a client may take an answer for fresh, in milliseconds: a bundle never changes, a server is replaced."""
MAX_PAGE_CHARS = 2**20
"""How much of a list is one answer, in characters of JSON; the entry of a skill is never split, however long it is."""
_MAX_ECHO_CHARS = 80
_DIRECTORY = "inode/directory"


class UnknownError(LookupError):
    """Nothing is at this URI, or the cursor was not given out: error -32602 of JSON-RPC; `str()` is its message."""


def checked(bundle: AnyBundle, *further: str) -> None:
    """Raise `ValueError` with a line for each thing for which hosts refuse a skill, and for each of `further`."""
    found = [*faults(bundle), *further]
    if found:
        told = "\n".join(found)
        raise ValueError(f"not served over MCP, select the other skills or repair these:\n{told}")


class Catalog:
    """The answers for one bundle: each method gives the result of one request.

    `ttl_ms` is in milliseconds. Raises `ValueError` with all reasons when hosts would refuse a skill. No contents are
    read before they are asked for.
    """

    def __init__(
        self, bundle: AnyBundle, *, ttl_ms: int = TTL_MS, cache_scope: CacheScope = "public"
    ) -> None:
        checked(bundle)
        self._bundle = bundle
        self._names = sorted(bundle)
        self._complete: _Json = {"resultType": "complete", "ttlMs": ttl_ms, "cacheScope": cache_scope}

    def skills(self, cursor: str | None = None) -> _Json:
        """Return a page of the entries of all skills (`skills/list`); raises `UnknownError` for a cursor."""
        return self._page("skills", cursor, lambda skill: [dict(entry(skill))])

    def skill(self, uri: str) -> _Json:
        """Return the entry of the skill whose SKILL.md is at a URI (`skills/get`); raises `UnknownError`."""
        skill, path = self._at(uri)
        if path != SKILL_MD:
            raise _unknown("skill", uri)
        return {**self._complete, "skill": entry(skill)}

    def resources(self, cursor: str | None = None) -> _Json:
        """Return a page of the list of all files (`resources/list`); raises `UnknownError` for a cursor."""
        return self._page("resources", cursor, lambda skill: list(self.files(skill)))

    def templates(self) -> _Json:
        """Return that no resource is made up when it is asked for (`resources/templates/list`)."""
        return {**self._complete, "resourceTemplates": []}

    def directory(self, uri: str, cursor: str | None = None) -> _Json:
        """Return what is in a directory of a skill, one level (`resources/directory/read`); raises `UnknownError`."""
        skill, path = self._at(uri)
        start = path.removesuffix("/")
        start = f"{start}/" if start else ""
        below = [other.removeprefix(start) for other in skill.files if other.startswith(start)]
        if not below or path == "/":
            raise _unknown("directory", uri)
        if cursor is not None:  # a skill's directory is one page
            raise UnknownError(f"unknown cursor: {_echo(cursor)}")
        names = sorted({part.partition("/")[0] for part in below}, key=lambda name: name.encode("utf-8"))
        return {**self._complete, "resources": [self._child(skill, f"{start}{name}") for name in names]}

    def read(self, uri: str) -> _Json:
        """Return the contents of a file (`resources/read`).

        Raises `UnknownError`, and the bundle's `IntegrityError` (a `ValueError`) for damaged contents.
        """
        skill, path = self._at(uri)
        file = skill.files.get(path)
        if file is None:
            raise _unknown("resource", uri)
        kind, content = payload(file)
        return {
            **self._complete,
            "contents": [{"uri": uri, "mimeType": file.media_type, kind: content}],
        }

    def files(self, skill: AnySkill) -> Iterator[_Json]:
        """Give the files of a skill as `resources/list` has them."""
        for path in sorted(skill.files, key=lambda path: path.encode("utf-8")):
            yield _resource(skill, path)

    def all_files(self) -> Iterator[tuple[_Json, AnyFile]]:
        """Give each file of each skill, and how `resources/list` has it."""
        for name in self._names:
            skill = self._bundle[name]
            for path, file in skill.files.items():
                yield _resource(skill, path), file

    def _child(self, skill: AnySkill, path: str) -> _Json:
        if path in skill.files:
            return _resource(skill, path)
        return {"uri": uri_of(skill.name, path), "name": f"{skill.name}/{path}", "mimeType": _DIRECTORY}

    def _at(self, uri: str) -> tuple[AnySkill, str]:
        """Return the skill that a URI names, and the path in it, which may be none."""
        found = located(uri)
        if found is None or found[0] not in self._bundle:
            raise _unknown("resource", uri)
        return self._bundle[found[0]], found[1]

    def _page(self, key: str, cursor: str | None, rows_of: Callable[[AnySkill], list[_Json]]) -> _Json:
        """Return the rows of as many whole skills as fit a page; a cursor is the place of the next skill."""
        first = self._place(cursor)
        rows: list[_Json] = []
        room = MAX_PAGE_CHARS
        for place in range(first, len(self._names)):
            more = rows_of(self._bundle[self._names[place]])
            room -= len(json.dumps(more))
            if room < 0 and rows:
                return {**self._complete, key: rows, "nextCursor": str(place)}
            rows += more
        return {**self._complete, key: rows}

    def _place(self, cursor: str | None) -> int:
        if cursor is None:
            return 0
        # no longer than Python makes a number of, and written as it was given out
        if cursor.isascii() and cursor.isdigit() and len(cursor) < 10:
            place = int(cursor)
            if 0 < place < len(self._names) and str(place) == cursor:
                return place
        raise UnknownError(f"unknown cursor: {_echo(cursor)}")


def payload(file: AnyFile) -> tuple[Literal["text", "blob"], str]:
    """Return a file's contents and the key they are sent under: text as it is, other bytes as base64.

    Raises the bundle's `IntegrityError` (a `ValueError`).
    """
    data = file.bytes()
    if file.is_text:
        try:
            return "text", data.decode("utf-8")
        except UnicodeDecodeError:  # of a bundle that says of binary contents that they are text
            pass
    return "blob", b64encode(data).decode("ascii")


def _resource(skill: AnySkill, path: str) -> _Json:
    file = skill.files[path]
    found = {
        "uri": uri_of(skill.name, path),
        "name": skill.name if path == SKILL_MD else f"{skill.name}/{path}",
        "mimeType": file.media_type,
        "size": file.size,
    }
    return {**found, "description": skill.description} if path == SKILL_MD else found


def _unknown(what: str, uri: str) -> UnknownError:
    return UnknownError(f"unknown {what}: {_echo(uri)}")


def _echo(text: str) -> str:
    return ascii(text[:_MAX_ECHO_CHARS])[:_MAX_ECHO_CHARS]
