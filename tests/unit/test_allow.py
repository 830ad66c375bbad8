"""Reviewed exceptions: from a refusal, by way of what it says to paste, to a bundle and what is told of it."""

from __future__ import annotations

import hashlib
import json
import re
from random import Random
from typing import TYPE_CHECKING

import pytest

from skillpack import config, pipeline, reporting
from skillpack.errors import ConfigError, RefusedError
from skillpack.findings import Allowance
from skillpack.rules import Level
from support import projects, tokens
from support.bundles import skill_md
from support.told import told

if TYPE_CHECKING:
    from pathlib import Path

    from skillpack.findings import Finding
    from skillpack.pipeline import Packed

TOKEN = tokens.example("github-token")
PLACE = "skills/tls/references/ca.p12"
REFUSALS: dict[str, tuple[str, bytes]] = {
    "secret-name": ("references/ca.p12", b"\x00\x01"),
    "secret-dir": (".ssh/config", b"Host example.org\n"),
    "secret-content": ("references/tokens.md", b"a\n" + TOKEN.text + b"b\n" + TOKEN.text),
    "invisible-text": ("SKILL.md", skill_md("tls", body="a\u202eb\n\nc\u2066d\n")),
}
"""By code: a path in the skill `tls`, and contents that it refuses."""


def project(directory: Path, files: dict[str, bytes], options: str = "") -> Path:
    """Write a project whose skill `tls` has these files besides a good SKILL.md."""
    skill = {f"skills/tls/{path}": data for path, data in {"SKILL.md": skill_md("tls"), **files}.items()}
    return projects.write(directory, {"pyproject.toml": f"[tool.skillpack]\n{options}", **skill})


def configure(directory: Path, text: str) -> None:
    """Add lines to the pyproject.toml."""
    path = directory / "pyproject.toml"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{text}\n", encoding="utf-8")


def outcome(directory: Path, *skills: str) -> tuple[list[Finding], Packed | None]:
    try:
        with pipeline.pack(config.load(directory, skills=skills)) as packed:
            return list(packed.findings), packed
    except RefusedError as error:
        return list(error.findings), None


def errors(directory: Path, *skills: str) -> list[tuple[str, str]]:
    """Return place and code of what the project is refused for."""
    return [
        (finding.path, finding.code)
        for finding in outcome(directory, *skills)[0]
        if finding.level is Level.ERROR
    ]


def entries(directory: Path) -> list[str]:
    """Return what a refusal says to paste."""
    printed = "\n".join(reporting.lines(outcome(directory)[0]))
    return re.findall(r"^    \[\[tool\.skillpack\.allow\]\]\n(?:    \w+ = .*\n?){4}", printed, re.MULTILINE)


def entry(path: str, rule: str, data: bytes, reason: str = "public") -> str:
    sha256 = hashlib.sha256(data).hexdigest()
    return Allowance(path=path, rule=rule, sha256=sha256, reason=reason).toml()


@pytest.mark.parametrize("code", REFUSALS)
@pytest.mark.parametrize("level", ["lenient", "default", "strict"])
def test_what_a_refusal_prints_is_pasted_and_given_a_reason_and_that_is_all(
    tmp_path: Path, code: str, level: str
) -> None:
    path, data = REFUSALS[code]
    project(tmp_path, {path: data}, f'level = "{level}"')
    assert {found for _, found in errors(tmp_path)} == {code}
    (pasted,) = entries(tmp_path)
    configure(tmp_path, pasted)
    with pytest.raises(ConfigError, match=r"allow\[0\]\.reason: is blank; say why this may ship"):
        outcome(tmp_path)
    pyproject = tmp_path / "pyproject.toml"
    text = pyproject.read_text(encoding="utf-8")
    pyproject.write_text(text.replace('reason = ""', 'reason = "a public example"'), encoding="utf-8")
    findings, packed = outcome(tmp_path)
    assert packed is not None
    assert packed.bundle["tls"].file(path).bytes() == data
    allowed = [finding for finding in findings if finding.code == code]
    assert allowed
    assert all(finding.level is Level.NOTE for finding in allowed)
    assert all(finding.message.endswith("; allowed: a public example") for finding in allowed)
    assert "allow-unused" not in [finding.code for finding in findings]


def test_an_allowed_file_is_shown_with_its_reason_when_asked_and_counted_else(tmp_path: Path) -> None:
    project(tmp_path, {"references/ca.p12": b"\x00"})
    configure(tmp_path, entry(PLACE, "secret-name", b"\x00", "the public test CA"))
    findings, _ = outcome(tmp_path)
    assert list(reporting.lines(findings)) == []
    assert reporting.tally(findings) == "1 note (`skillpack check -v` lists them)"
    (line,) = reporting.lines(findings, verbose=True)
    assert line == (
        f"{PLACE}: note: secret-name: a file of this name usually holds a private key; allowed: the public test CA"
    )


@pytest.mark.parametrize("code", REFUSALS)
def test_an_edit_asks_again_and_says_so(tmp_path: Path, code: str) -> None:
    path, data = REFUSALS[code]
    project(tmp_path, {path: data})
    configure(tmp_path, entries(tmp_path)[0].replace('reason = ""', 'reason = "x"'))
    assert errors(tmp_path) == []
    (tmp_path / "skills/tls" / path).write_bytes(data + b"\n")
    findings, packed = outcome(tmp_path)
    assert packed is None
    assert {finding.code for finding in findings} == {code}
    assert all(finding.message.endswith("; it has changed since it was allowed") for finding in findings)
    configure(tmp_path, entries(tmp_path)[0].replace('reason = ""', 'reason = "x"'))
    findings, packed = outcome(tmp_path)
    assert packed is not None
    assert [finding.code for finding in findings if finding.level > Level.NOTE] == ["allow-unused"]


def test_a_file_that_comes_into_an_allowed_directory_asks_again(tmp_path: Path) -> None:
    project(tmp_path, {".ssh/config": b"Host example.org\n"})
    configure(tmp_path, entries(tmp_path)[0].replace('reason = ""', 'reason = "x"'))
    assert errors(tmp_path) == []
    projects.write(tmp_path, {"skills/tls/.ssh/more": "x"})
    assert errors(tmp_path) == [("skills/tls/.ssh", "secret-dir")]


def test_an_allowed_directory_still_has_its_files_looked_at(tmp_path: Path) -> None:
    project(tmp_path, {".ssh/id_rsa": b"x\n"})
    assert errors(tmp_path) == [("skills/tls/.ssh", "secret-dir"), ("skills/tls/.ssh/id_rsa", "secret-name")]
    configure(tmp_path, entries(tmp_path)[0].replace('reason = ""', 'reason = "x"'))
    assert errors(tmp_path) == [("skills/tls/.ssh/id_rsa", "secret-name")]


def test_an_exception_for_the_name_is_none_for_what_is_in_the_file(tmp_path: Path) -> None:
    project(tmp_path, {"references/ca.p12": TOKEN.text})
    configure(tmp_path, entry(PLACE, "secret-name", TOKEN.text))
    assert errors(tmp_path) == [(PLACE, "secret-content")]


@pytest.mark.parametrize(
    "path",
    [
        "skills/tls/references/CA.p12",
        "skills/tls/references/*.p12",
        "skills/tls/references",
        "references/ca.p12",
    ],
)
def test_a_path_that_is_not_exactly_the_files_allows_nothing_and_is_reported(
    tmp_path: Path, path: str
) -> None:
    project(tmp_path, {"references/ca.p12": b"\x00"})
    configure(tmp_path, entry(path, "secret-name", b"\x00"))
    findings, _ = outcome(tmp_path)
    assert [(finding.path, finding.code, finding.level) for finding in findings] == [
        ("pyproject.toml", "allow-unused", Level.WARNING),
        (PLACE, "secret-name", Level.ERROR),
    ]
    assert findings[0].message == f"the allow entry for {path}, secret-name, allows nothing"


def test_the_normal_form_of_a_path_counts(tmp_path: Path) -> None:
    project(tmp_path, {"caf\u00e9.p12": b"\x00"})
    configure(tmp_path, entry("skills/tls/cafe\u0301.p12", "secret-name", b"\x00"))
    assert errors(tmp_path) == [("skills/tls/caf\u00e9.p12", "secret-name")]


def test_a_project_that_is_itself_a_skill_has_paths_without_a_dot(tmp_path: Path) -> None:
    directory = projects.write(
        tmp_path / "tls",
        {
            "pyproject.toml": '[tool.skillpack]\nskills = ["."]\nexclude = ["/pyproject.toml"]\n',
            "SKILL.md": skill_md("tls"),
            "ca.p12": b"\x00",
        },
    )
    (pasted,) = entries(directory)
    assert '\n    path = "ca.p12"\n' in pasted
    configure(directory, pasted.replace('reason = ""', 'reason = "x"'))
    _, packed = outcome(directory)
    assert packed is not None
    assert [exception.path for exception in packed.allowed] == ["ca.p12"]


# ------------------------------------------------------------------ entries that are not needed


def test_an_entry_that_allows_nothing_is_a_warning_and_strictly_an_error(tmp_path: Path) -> None:
    project(tmp_path, {"references/ca.md": b"x"})
    configure(tmp_path, entry("skills/tls/references/ca.md", "secret-name", b"x"))
    findings, packed = outcome(tmp_path)
    assert packed is not None
    assert [(finding.path, finding.code) for finding in findings] == [("pyproject.toml", "allow-unused")]
    configure(tmp_path, "[tool.skillpack.rules]\nallow-unused = 'error'")
    assert errors(tmp_path) == [("pyproject.toml", "allow-unused")]


def test_entries_about_what_a_run_does_not_look_at_are_not_called_unused(tmp_path: Path) -> None:
    project(tmp_path, {"references/ca.p12": b"\x00"}, 'select = ["tls"]')
    projects.write(tmp_path, {"skills/other/SKILL.md": skill_md("other"), "skills/other/b.p12": b"\x00"})
    configure(tmp_path, entry("skills/other/b.p12", "secret-name", b"\x00"))
    configure(tmp_path, entry(PLACE, "secret-name", b"\x00"))
    for skills in ((), ("skills/tls",)):
        findings, packed = outcome(tmp_path, *skills)
        assert packed is not None
        assert "allow-unused" not in [finding.code for finding in findings]


def test_nothing_is_called_unused_when_not_all_was_seen(tmp_path: Path) -> None:
    project(tmp_path, {"a.md": b"", "b.md": b""}, "max-skill-files = 2")
    configure(tmp_path, entry(PLACE, "secret-name", b"\x00"))
    assert [finding.code for finding in outcome(tmp_path)[0]] == ["limit-files"]


# ------------------------------------------------------------------ what is told of them


def test_the_manifest_tells_them_and_no_digest_covers_it(tmp_path: Path) -> None:
    files = {"references/ca.p12": b"\x00", ".ssh/config": b"Host example.org\n"}
    project(tmp_path, {})
    with pipeline.pack(config.load(tmp_path)) as packed:
        assert "provenance" not in json.loads(packed.manifest())
    project(tmp_path, files)
    for number, pasted in enumerate(reversed(entries(tmp_path))):
        configure(tmp_path, pasted.replace('reason = ""', f'reason = "r{number}"'))
    with pipeline.pack(config.load(tmp_path)) as packed:
        first, second = packed.allowed
        manifest = json.loads(packed.manifest())
        assert manifest.pop("provenance") == {
            "allow": [
                {
                    "skill": "tls",
                    "path": ".ssh",
                    "rule": "secret-dir",
                    "sha256": first.sha256,
                    "reason": "r1",
                },
                {
                    "skill": "tls",
                    "path": "references/ca.p12",
                    "rule": "secret-name",
                    "sha256": hashlib.sha256(b"\x00").hexdigest(),
                    "reason": "r0",
                },
            ]
        }
        assert (first.rule, second.rule) == ("secret-dir", "secret-name")
        assert manifest["digest"] == packed.bundle.digest


def test_only_packed_skills_tell_of_exceptions_and_each_of_its_own(tmp_path: Path) -> None:
    project(tmp_path, {"ca.p12": b"\x00", "inner/SKILL.md": skill_md("inner"), "inner/ca.p12": b"\x00\x01"})
    copy = {"SKILL.md": skill_md("tls"), "ca.p12": b"\x00"}
    projects.write(tmp_path, {f"copies/tls/{path}": data for path, data in copy.items()})
    configure(tmp_path, 'nested = "split"\nskills = ["skills", "copies"]')
    for path, data in (
        ("skills/tls/ca.p12", b"\x00"),
        ("skills/tls/inner/ca.p12", b"\x00\x01"),
        ("copies/tls/ca.p12", b"\x00"),
    ):
        configure(tmp_path, entry(path, "secret-name", data))
    findings, packed = outcome(tmp_path)
    assert packed is not None
    assert [finding.code for finding in findings if finding.code != "secret-name"] == ["skill-repeated"]
    assert [(exception.skill, exception.path) for exception in packed.allowed] == [
        ("inner", "ca.p12"),
        ("tls", "ca.p12"),
    ]


# ------------------------------------------------------------------ a file with an allowed secret


def test_an_allowed_secret_is_quoted_by_no_finding_and_the_rest_of_its_file_is(tmp_path: Path) -> None:
    secret = TOKEN.secret.decode()
    skill = skill_md("tls", description=f"Use {secret}", mood=f'"{secret}"', body="a\u202eb\n")
    project(tmp_path, {"SKILL.md": skill})
    for rule in ("secret-content", "invisible-text"):
        configure(tmp_path, entry("skills/tls/SKILL.md", rule, skill))
    findings, packed = outcome(tmp_path)
    assert packed is not None
    assert not any(secret in told(finding) for finding in findings)
    by_code = {finding.code: finding for finding in findings}
    assert by_code["invisible-text"].message.startswith("U+202E ")
    assert by_code["field-unknown"].hint == "move it under metadata"


def test_a_name_that_is_an_allowed_secret_is_in_no_message_about_the_skills(tmp_path: Path) -> None:
    secret = tokens.text_of(Random(0), "gl" + "pat-", (tokens.DIGITS + tokens.LETTERS[26:], 20))
    skill = skill_md(secret)
    project(tmp_path, {"SKILL.md": skill}, 'max-catalog-chars = 1\nlevel = "lenient"')
    projects.write(tmp_path, {"skills/a/SKILL.md": skill_md("b"), "skills/c/SKILL.md": skill_md("d")})
    configure(tmp_path, entry("skills/tls/SKILL.md", "secret-content", skill))
    findings, _ = outcome(tmp_path)
    said = "\n".join(told(finding) for finding in findings)
    assert secret not in said
    assert "max-catalog-chars is 1: glpa…(26 characters) " in said
    assert "name and directory differ: a is named b, c is named d, tls is named glpa…(26 characters)" in said
    project(tmp_path, {"SKILL.md": skill}, 'select = ["none"]\nlevel = "lenient"')
    assert secret not in "\n".join(told(finding) for finding in outcome(tmp_path)[0])
