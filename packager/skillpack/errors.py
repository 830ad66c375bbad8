"""The errors that a user can cause: one base, a few children, each with its exit code.

An error carries data; only the edges (the CLI and the hatch hook) turn it into text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillpack.secrets.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillpack.findings import Finding


class SkillpackError(Exception):
    """The base of every error that skillpack raises on purpose; `str()` is the message for a person, without a secret."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(redacted(message))


def lacks_memory(error: BaseException) -> bool:
    """Return whether an error says that memory ran out: the import of an extension module says so in words of the C library."""
    return isinstance(error, MemoryError) or (
        isinstance(error, ImportError) and "failed to map segment" in str(error)
    )


class ConfigError(SkillpackError):
    """The configuration is wrong.

    `problems` holds one line a fault, each beginning with its TOML path (`tool.skillpack.rules: …`) or with
    the command-line flag; all faults of a configuration come in one error.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(map(redacted, problems))
        super().__init__("\n".join(self.problems))


class RefusedError(SkillpackError):
    """At least one finding is an error: nothing is emitted. `findings` holds all of them, sorted."""

    exit_code = 1

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("")

    def __str__(self) -> str:
        # on demand: thousands of findings are told by reports, and nobody asks for this
        return "\n".join(finding.line_text() for finding in self.findings)


class OutputError(SkillpackError):
    """The output cannot be written: a foreign file, a missing or read-only directory, a full disk."""


class ArtifactError(SkillpackError):
    """An artifact is damaged, altered or beyond the bounds of `skillpack.artifact`."""

    exit_code = 1


class MissingArtifactError(SkillpackError):
    """There is nothing to read at the path given."""
