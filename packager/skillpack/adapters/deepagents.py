"""Skills in an agent of deepagents: a read-only folder of its virtual file system.

    from deepagents import create_deep_agent
    from myagent.skills import bundle
    from skillpack.adapters.deepagents import skill_backend

    agent = create_deep_agent(model=model, skills=["/skills/"], backend=skill_backend(bundle))

The framework reads each SKILL.md itself: it lists a renamed skill under the name that stands there.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

from skillpack.adapters._bundle import is_shown
from skillpack.adapters._framework import needed

with needed("skillpack[deepagents]"):
    from deepagents.backends import CompositeBackend, StateBackend
    from deepagents.backends.protocol import (
        FILE_NOT_FOUND,
        IS_DIRECTORY,
        PERMISSION_DENIED,
        BackendProtocol,
        DeleteResult,
        EditResult,
        FileDownloadResponse,
        FileInfo,
        FileUploadResponse,
        GlobResult,
        GrepMatch,
        GrepResult,
        LsResult,
        ReadResult,
        WriteResult,
    )
    from deepagents.backends.utils import compile_grep_include_glob, slice_read_response

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillpack.adapters._bundle import Bundle, SkillFile

REFUSAL = f"{PERMISSION_DENIED}: skills are read-only"


def skill_backend(bundle: Bundle, *, default: Any = None, mount: str = "/skills/") -> CompositeBackend:
    """Return a backend with the skills of a bundle below `mount` and all else in `default`, or in the agent's state.

    `mount` is an absolute path with `/` at both ends.
    """
    return CompositeBackend(
        default=StateBackend() if default is None else default, routes={mount: BundleBackend(bundle)}
    )


class BundleBackend(BackendProtocol):
    """The skills of a bundle as a read-only file system, a directory a skill, for a `CompositeBackend`.

    Text is read in lines as the framework wants it, any other file as base64; the framework finds the media type of a
    picture by its name. A hidden skill is in no listing and no search, and is read by its path. A wrong path is
    answered with the bundle's text, which names what there is, and a write with the error `permission_denied`.
    `IntegrityError` when the bundle's list of files is damaged; a damaged file is refused when it is read.
    """

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._files = {
            f"/{skill.name}/{path}": (skill, skill.file(path))
            for skill in bundle.values()
            for path in skill.files
        }

    def ls(self, path: str) -> LsResult:
        """List a directory."""
        start = _directory(path)
        entries: dict[str, FileInfo] = {}
        for place, file in self._below(start):
            name, slash, _ = place[len(start) :].partition("/")
            entries[name] = FileInfo(path=f"{start}{name}{slash}", is_dir=bool(slash))
            if not slash:
                entries[name]["size"] = file.size
        if not entries and start != "/":
            return LsResult(error=FILE_NOT_FOUND)
        return LsResult(entries=[entries[name] for name in sorted(entries)])

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """Return lines of a text, or a whole binary file."""
        file = self._file(file_path)
        if file is None:
            return ReadResult(error=self._missing(file_path))
        try:
            # The framework takes the ending of a name for the kind of its contents, whatever encoding they are told in.
            if file.is_text and (not is_shown(file.media_type) or file.path.endswith(".svg")):
                return slice_read_response({"content": file.text(), "encoding": "utf-8"}, offset, limit)
            content = b64encode(file.bytes()).decode("ascii")
        except ValueError as error:  # an IntegrityError, of whatever module
            return ReadResult(error=str(error))
        return ReadResult(file_data={"content": content, "encoding": "base64"})

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        """Search texts for a literal text, line by line."""
        matches: list[GrepMatch] = []
        try:
            for place, file in self._found(glob, path):
                lines = file.text().split("\n") if file.is_text else []
                for number, line in enumerate(lines, 1):
                    if pattern in line:
                        if len(matches) == max_count:
                            return GrepResult(matches=matches, truncated=True)
                        text = line.removesuffix("\r")
                        matches.append(GrepMatch(path=place, line=number, text=text))
        except ValueError as error:  # a pattern that the framework refuses, or an IntegrityError
            return GrepResult(error=str(error), matches=matches or None)
        return GrepResult(matches=matches)

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Find files by a pattern of their paths."""
        try:
            found = list(self._found(pattern, path))
        except ValueError as error:
            return GlobResult(error=str(error))
        return GlobResult(
            matches=[FileInfo(path=place, is_dir=False, size=file.size) for place, file in found]
        )

    def write(self, file_path: str, content: str) -> WriteResult:  # noqa: ARG002 - the framework names its arguments
        """Refuse."""
        return WriteResult(error=REFUSAL)

    def edit(
        self,
        file_path: str,  # noqa: ARG002 - as above
        old_string: str,  # noqa: ARG002
        new_string: str,  # noqa: ARG002
        replace_all: bool = False,  # noqa: ARG002
    ) -> EditResult:
        """Refuse."""
        return EditResult(error=REFUSAL)

    def delete(self, file_path: str) -> DeleteResult:  # noqa: ARG002 - as above
        """Refuse."""
        return DeleteResult(error=REFUSAL)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Refuse."""
        return [FileUploadResponse(path=path, error=PERMISSION_DENIED) for path, _ in files]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """Return the bytes of files."""
        return [self._download(path) for path in paths]

    def _download(self, path: str) -> FileDownloadResponse:
        file = self._file(path)
        if file is None:
            is_directory = any(place.startswith(_directory(path)) for place in self._files)
            return FileDownloadResponse(path=path, error=IS_DIRECTORY if is_directory else FILE_NOT_FOUND)
        try:
            return FileDownloadResponse(path=path, content=file.bytes())
        except ValueError as error:
            return FileDownloadResponse(path=path, error=str(error))

    def _below(self, start: str) -> Iterator[tuple[str, SkillFile]]:
        """Give the files below a directory that ends with `/`; those of a hidden skill only below its own."""
        for place, (skill, file) in self._files.items():
            if place.startswith(start) and not (start == "/" and skill.hidden):
                yield place, file

    def _found(self, pattern: str | None, path: str | None) -> Iterator[tuple[str, SkillFile]]:
        """Give the files below a directory, or the one file, whose path from there matches a pattern."""
        matches = None if pattern is None else compile_grep_include_glob(pattern)
        start = _directory(path or "/")
        one = self._file(start[:-1])
        for place, file in self._below(start) if one is None else [(start[:-1], one)]:
            if matches is None or matches(place[len(start) :] if one is None else place.rpartition("/")[2]):
                yield place, file

    def _file(self, place: str) -> SkillFile | None:
        return self._files[place][1] if place in self._files else None

    def _missing(self, path: str) -> str:
        name, _, rest = path.strip("/").partition("/")
        return str(self._bundle.call(self._bundle.tool_names[1], {"name": name, "path": rest}))


def _directory(path: str) -> str:
    """Return a path as that of a directory, with one `/` at both ends."""
    inner = path.strip("/")
    return f"/{inner}/" if inner else "/"
