"""Exclusion: the gitignore patterns of the configuration, and which of them were of use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Exclusions:
    """`exclude` of `[tool.skillpack]`: patterns with the meaning that git gives them in `.gitignore`.

    They are matched against `<root as written>/<path>`. As in git, the last pattern that matches decides, and
    the walk does not enter an excluded directory, so that nothing in it can be included again. Each pattern can
    match something: the configuration has refused blank lines, comments and what is malformed.
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self._patterns = tuple(patterns)
        self._unused = set(range(len(self._patterns)))
        if not self._patterns:
            return  # what follows takes a tenth of the start of a run
        from pathspec import GitIgnoreSpec

        self._files = GitIgnoreSpec.from_lines(self._patterns)
        # `a/**` is everything in `a`, but not `a` itself. pathspec, which is made for files, says that it matches
        # the directory `a/`: it would not be entered, and `!a/keep.md` after it would be of no use.
        self._directories = GitIgnoreSpec.from_lines(
            f"{pattern}/*/" if pattern.endswith("/**") else pattern for pattern in self._patterns
        )

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def match(self, path: str, *, is_directory: bool = False) -> str | None:
        """Return the pattern that excludes `path`, a POSIX path as findings show it, or None.

        Every pattern that matches counts as used, also where a later one decides.
        """
        if not self._patterns:
            return None
        path = path.removeprefix("./").lstrip("/")
        spec = self._files
        if is_directory:
            path, spec = f"{path}/", self._directories
        for index in tuple(self._unused):
            if spec.patterns[index].match_file(path) is not None:
                self._unused.remove(index)
        result = spec.check_file(path)
        return self._patterns[result.index] if result.include and result.index is not None else None

    def drops_all_of(self, directory: str, pattern: str) -> bool:
        """Return whether a pattern, one of these, says by its form that it drops all of a directory (a POSIX path).

        It matches the directory or one above, or it is such a pattern with `/*` or `/**` at its end.
        """
        from pathspec import GitIgnoreSpec

        path = f"{directory.removeprefix('./').lstrip('/')}/"
        forms = (pattern, pattern.removesuffix("/**").removesuffix("/*"))
        return any(GitIgnoreSpec.from_lines([form]).match_file(path) for form in forms)

    @property
    def unused(self) -> tuple[str, ...]:
        """The patterns that have matched nothing so far, in their order."""
        return tuple(self._patterns[index] for index in sorted(self._unused))
