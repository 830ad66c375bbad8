"""Laws of reviewed exceptions: only what was reviewed passes, and nothing that passes is told."""

from __future__ import annotations

import hashlib
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skillpack import config, pipeline
from skillpack.errors import RefusedError
from skillpack.findings import Allowance, Finding, Policy, Report
from skillpack.rules import ALLOWABLE, SETTINGS, Level
from skillpack.runtime.digest import skill_digest
from support import projects, tokens
from support.bundles import skill_md
from support.told import told

PATHS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30)
DIGESTS = st.from_regex(r"[0-9a-f]{64}", fullmatch=True)
REASONS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text.strip())
ENTRIES = st.builds(Allowance, path=PATHS, rule=st.sampled_from(ALLOWABLE), sha256=DIGESTS, reason=REASONS)


@settings(deadline=None)
@given(entry=ENTRIES)
def test_an_entry_is_read_as_it_was_written(entry: Allowance) -> None:
    text = entry.toml()
    assert all(line.isprintable() for line in text.split("\n"))
    (read,) = tomllib.loads(text)["tool"]["skillpack"]["allow"]
    assert Allowance(**read) == entry


@settings(deadline=None)
@given(
    entries=st.lists(ENTRIES, max_size=4),
    code=st.sampled_from(ALLOWABLE),
    path=PATHS,
    digest=DIGESTS,
    setting=st.sampled_from(SETTINGS),
    data=st.data(),
)
def test_what_differs_in_path_rule_or_digest_from_every_entry_stays_an_error(
    entries: list[Allowance], code: str, path: str, digest: str, setting: Any, data: st.DataObject
) -> None:
    # Entries that differ from the finding in one thing alone are the ones that could go wrong.
    for field, value in (
        ("path", data.draw(PATHS)),
        ("rule", data.draw(st.sampled_from(ALLOWABLE))),
        ("sha256", data.draw(DIGESTS)),
    ):
        near = {"path": path, "rule": code, "sha256": digest, "reason": "x", field: value}
        entries.append(Allowance(**near))
    assume(
        all(
            (entry.path, entry.rule, entry.sha256) != (path.removeprefix("./"), code, digest)
            for entry in entries
        )
    )
    report = Report(Policy(setting=setting, allow=tuple(entries)))
    assert report.add(code, path, "message", hint="hint", sha256=digest) is Level.ERROR


SUBJECTS = {
    "SKILL.md": "---\nname: a\ndescription: {}\n---\nbody\n",
    "SKILL.md ": "---\nname: a\ndescription: x\nmetadata:\n  k: {}\n---\nbody\n",
    "SKILL.md  ": "---\nname: a\ndescription: x\nmood: '{}'\n---\n{}\n",
    "notes.md": "first {}\nthen {}\n",
    "ca.p12": "{}",
    ".ssh/config": "# {}\n",
}
"""Paths, blanks at their end not counting, and contents with a secret in the braces."""


def run(project: Path) -> tuple[list[Finding], bool]:
    try:
        with pipeline.pack(config.load(project)) as packed:
            packed.manifest()
            return list(packed.findings), True
    except RefusedError as error:
        return list(error.findings), False


def allowed_by(findings: list[Finding]) -> str:
    """Return the entries that the findings ask for, each once, with a reason."""
    blocks = {finding.advice.partition("pyproject.toml:\n")[2]: None for finding in findings}
    return "\n".join(blocks).replace('reason = ""', 'reason = "made for a test"')


@settings(deadline=None, max_examples=60)
@given(
    rule=st.sampled_from(["github-token", "aws-access-key-id", "anthropic", "slack-token", "gcp-api-key"]),
    seed=st.integers(0, 1000),
    subjects=st.sets(st.sampled_from(sorted(SUBJECTS)), min_size=1, max_size=4),
    level=st.sampled_from(SETTINGS),
    edited=st.booleans(),
)
def test_an_allowed_secret_is_in_no_message_and_an_edit_of_it_is_never_allowed(
    rule: str, seed: int, subjects: set[str], level: str, edited: bool
) -> None:
    secret = tokens.example(rule, seed).secret.decode()
    files = {
        f"skills/a/{subject.strip()}": SUBJECTS[subject].replace("{}", secret) for subject in sorted(subjects)
    }
    with tempfile.TemporaryDirectory() as directory:
        options = f'[tool.skillpack]\nlevel = "{level}"\n'
        project = projects.write(
            Path(directory), {"pyproject.toml": options, "skills/a/SKILL.md": skill_md("a"), **files}
        )
        refused, good = run(project)
        assert not good
        pasted = options + allowed_by(refused)
        (project / "pyproject.toml").write_text(pasted, encoding="utf-8")
        if edited:
            projects.write(project, {path: f"{text}\n" for path, text in files.items()})
        findings, _ = run(project)
        secrets = [finding for finding in findings if finding.code in ALLOWABLE]
        assert {finding.level for finding in secrets} == {Level.ERROR if edited else Level.NOTE}
        said = "\n".join(f"{told(finding)} {finding.advice} {finding!r}" for finding in (*refused, *findings))
    assert not any(secret[start : start + 8] in said for start in range(4, len(secret) - 7))


@settings(deadline=None)
@given(
    files=st.dictionaries(PATHS, st.binary(max_size=8), min_size=1, max_size=4),
    other=st.dictionaries(PATHS, st.binary(max_size=8), min_size=1, max_size=4),
)
def test_the_digest_of_a_directory_is_that_of_one_set_of_files(
    files: dict[str, bytes], other: dict[str, bytes]
) -> None:
    # A line feed would let one name look like two lines, and is refused in every path.
    assume(not any("\n" in path for path in (*files, *other)))
    one, two = (
        skill_digest((path, hashlib.sha256(data).hexdigest()) for path, data in tree.items())
        for tree in (files, other)
    )
    assert (one == two) is (files == other)
