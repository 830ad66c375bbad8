"""The exceptions that an artifact was packed under, as its manifest or a configuration tells them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from skillpack import allowance, artifact, digest
from skillpack.findings import Allowance
from skillpack.model import Allowed
from skillpack.runtime.digest import skill_digest
from support.archives import make_zip
from support.bundles import DEMO, SOLO, make_bundle, make_source
from support.emitted import emitted

if TYPE_CHECKING:
    from pathlib import Path

ADDRESSED = digest.address([make_source("demo", DEMO), make_source("solo", SOLO)])
BINARY = hashlib.sha256(DEMO["assets/b.bin"]).hexdigest()
EXCEPTION = Allowed(
    skill="demo", path="assets/b.bin", rule="secret-name", sha256=BINARY, reason="nothing but three bytes"
)


def wheel(directory: Path, *manifests: bytes) -> artifact.Artifact:
    files = {"app/skills.py": emitted(ADDRESSED.bundle), "app/other.py": emitted(make_bundle({"solo": SOLO}))}
    for number, manifest in enumerate(manifests):
        files[f"x{number}-1.dist-info/extra_metadata/skillpack.json"] = manifest
    return artifact.read(make_zip(directory / "x.whl", files))


def entry(path: str, sha256: str = BINARY, reason: str = "nothing but three bytes") -> Allowance:
    return Allowance(path=path, rule="secret-name", sha256=sha256, reason=reason)


class TestRecorded:
    def test_what_was_packed_under_exceptions_tells_them(self, tmp_path: Path) -> None:
        other = Allowed(skill="é", path="b", rule="secret-dir", sha256="0" * 64, reason="\u202e")
        found = allowance.recorded(wheel(tmp_path, ADDRESSED.manifest([EXCEPTION, other])))
        assert found == (EXCEPTION, other)

    def test_every_manifest_counts(self, tmp_path: Path) -> None:
        manifests = [ADDRESSED.manifest([EXCEPTION]), b"{", ADDRESSED.manifest([EXCEPTION])]
        assert allowance.recorded(wheel(tmp_path, *manifests)) == (EXCEPTION, EXCEPTION)

    def test_more_than_the_form_has_is_passed_over(self, tmp_path: Path) -> None:
        facts = json.loads(ADDRESSED.manifest([EXCEPTION]))
        facts["provenance"]["allow"][0]["more"] = 1
        facts["provenance"]["more"] = 1
        assert allowance.recorded(wheel(tmp_path, json.dumps(facts).encode())) == (EXCEPTION,)

    @pytest.mark.parametrize(
        "provenance",
        [
            None,
            [],
            "x",
            {},
            {"allow": None},
            {"allow": 1},
            {"allow": {"skill": "x"}},
            {"allow": ["x"]},
            {"allow": [{}]},
            {"allow": [{"skill": 1, "path": "b", "rule": "c", "sha256": "d", "reason": "e"}]},
        ],
    )
    def test_another_form_tells_nothing(self, tmp_path: Path, provenance: Any) -> None:
        manifest = json.dumps({"provenance": provenance}).encode()
        assert allowance.recorded(wheel(tmp_path, manifest)) == ()

    @pytest.mark.parametrize(
        "manifest", [b"", b"\xff", b"[]", b"[" * 5_000, ADDRESSED.manifest([EXCEPTION]) + b" " * 1_200_000]
    )
    def test_what_is_no_manifest_tells_nothing(self, tmp_path: Path, manifest: bytes) -> None:
        assert allowance.recorded(wheel(tmp_path, manifest)) == ()


class TestKnown:
    @pytest.mark.parametrize(
        "path", ["skills/demo/assets/b.bin", "./x/another-name/assets/b.bin", "assets/b.bin"]
    )
    def test_a_file_is_found_by_its_digest_and_the_end_of_its_path(self, path: str) -> None:
        assert allowance.known(ADDRESSED.bundle, [entry(path)]) == (EXCEPTION,)

    @pytest.mark.parametrize(
        ("path", "sha256"),
        [("skills/demo/assets/b.bin", "0" * 64), ("skills/demo/b.bin", BINARY), ("my-assets/b.bin", BINARY)],
    )
    def test_other_contents_and_other_paths_are_not(self, path: str, sha256: str) -> None:
        assert allowance.known(ADDRESSED.bundle, [entry(path, sha256)]) == ()

    def test_a_directory_is_found_by_the_digest_of_its_files(self) -> None:
        bundle = make_bundle({"demo": {**DEMO, "assets/c/d.txt": b"d"}})
        sha256 = skill_digest(
            [("b.bin", BINARY), ("c/d.txt", hashlib.sha256(b"d").hexdigest())]
        ).removeprefix("sha256:")
        (found,) = allowance.known(bundle, [entry("skills/demo/assets", sha256)])
        assert (found.path, found.sha256) == ("assets", sha256)

    def test_of_the_same_file_in_two_skills_each_has_its_own_entry(self) -> None:
        bundle = make_bundle({"demo": DEMO, "solo": {**SOLO, "assets/b.bin": DEMO["assets/b.bin"]}})
        allow = [entry("skills/solo/assets/b.bin", reason="s"), entry("skills/demo/assets/b.bin", reason="d")]
        for entries in (allow, allow[::-1]):
            found = allowance.known(bundle, entries)
            assert [(exception.skill, exception.reason) for exception in found] == [
                ("demo", "d"),
                ("solo", "s"),
            ]

    def test_no_entries_are_no_exceptions(self) -> None:
        bundle = make_bundle({"demo": DEMO})
        assert allowance.known(bundle, []) == ()
