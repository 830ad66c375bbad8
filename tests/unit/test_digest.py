"""Digests, manifest and media types: the vectors of the design page "Formats"."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import sys

import pytest
from blake3 import blake3

from skillpack import digest
from skillpack.media_type import media_type
from skillpack.model import Allowed
from skillpack.runtime import digest as runtime_digest
from skillpack.runtime.digest import bundle_digest, canonical_json, index_digest, sha256_hex, skill_digest
from skillpack.runtime.text import plain_text
from support.bundles import DEMO, SOLO, make_bundle, make_source

DEMO_DIGEST = "sha256:41c3ba2f0c298f063033b3693191727447a953d78056ae4385a92893f77d9064"
SOLO_DIGEST = "sha256:a61f1685ac7316cb12593915f4497732a29100933bcf849a16880c005cbbf11a"
BUNDLE_DIGEST = "sha256:d43ac7d9a573e6f6078fcc5bc1c5b7205344c0aa609e78790780d4227ceb3cba"
DEMO_FILES = {
    "SKILL.md": "f3e05ec42354282b84dc174c4a9a84efedcb3c6a26445e3a0e482d5423dafb97",
    "assets/b.bin": "942e1e2a66a427b6551732f758bc314f22b9cdec9365a3425c9184de299392b5",
    "scripts/x.py": "cc42155088fca5730758db72b2a5bca33112a941dfaa2d43098ec422ce4ea213",
}


def test_the_vectors_of_the_format_hold() -> None:
    bundle = make_bundle({"demo": DEMO, "solo": SOLO})
    assert {path: file.digest for path, file in bundle["demo"].files.items()} == {
        path: f"sha256:{hexadecimal}" for path, hexadecimal in DEMO_FILES.items()
    }
    assert bundle["demo"].digest == DEMO_DIGEST
    assert bundle["solo"].digest == SOLO_DIGEST
    assert bundle.digest == BUNDLE_DIGEST


def test_a_skill_digest_is_the_base64_of_a_go_directory_hash() -> None:
    raw = bytes.fromhex(DEMO_DIGEST.removeprefix("sha256:"))
    assert base64.b64encode(raw).decode() == "QcO6LwwpjwYwM7NpMZFydEepU9eAVq5Dhakok/d9kGQ="


def test_a_skill_digest_does_not_depend_on_the_order_of_the_files() -> None:
    assert skill_digest(reversed(DEMO_FILES.items())) == skill_digest(DEMO_FILES.items()) == DEMO_DIGEST


def test_files_are_ordered_by_the_utf8_bytes_of_their_paths() -> None:
    # U+FFFD comes before U+1F600 in UTF-8, after it in UTF-16.
    files = {"\N{GRINNING FACE}.txt": "0" * 64, "\N{REPLACEMENT CHARACTER}.txt": "1" * 64}
    text = f"{'1' * 64}  \N{REPLACEMENT CHARACTER}.txt\n{'0' * 64}  \N{GRINNING FACE}.txt\n"
    assert skill_digest(files.items()) == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def test_a_bundle_digest_is_over_names_and_skill_digests_in_order() -> None:
    text = f"skillpack-bundle/1\n{DEMO_DIGEST[7:]}  demo\n{SOLO_DIGEST[7:]}  solo\n"
    assert bundle_digest([("solo", SOLO_DIGEST), ("demo", DEMO_DIGEST)]) == BUNDLE_DIGEST
    assert hashlib.sha256(text.encode()).hexdigest() == BUNDLE_DIGEST[7:]


def test_an_index_digest_is_over_canonical_json() -> None:
    text = '["é","a \\"b\\"",{"a":1,"b":[true,null]}]'
    assert index_digest("é", 'a "b"', '{"a":1,"b":[true,null]}') == (
        f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    )


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_has_not_is_no_canonical_json(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": [number]})


def test_canonical_json_has_every_character_as_itself_and_sorted_keys() -> None:
    assert (
        canonical_json({"ü": "\u2028", "a": "\N{GRINNING FACE}"}) == '{"a":"\N{GRINNING FACE}","ü":"\u2028"}'
    )


def test_an_interpreter_without_the_small_module_gives_the_same_digests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("_sha2", "_sha256"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(runtime_digest, "_hashers", {})
    assert sha256_hex(b"abc") == hashlib.sha256(b"abc").hexdigest()


def test_addressing_gives_both_digests_of_each_content() -> None:
    addressed = digest.address([make_source("demo", DEMO), make_source("solo", SOLO)])
    content = DEMO["scripts/x.py"]
    assert addressed.blake3[f"sha256:{hashlib.sha256(content).hexdigest()}"] == (
        f"blake3:{blake3(content).hexdigest()}"
    )
    assert addressed.bundle.digest == BUNDLE_DIGEST


def test_the_packed_manifest_is_canonical_json_with_one_newline_at_the_end() -> None:
    addressed = digest.address([make_source("solo", SOLO)])
    data = addressed.manifest()
    manifest = json.loads(data)
    assert (
        data
        == json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    )
    assert manifest == {
        "format": 1,
        "digest": addressed.bundle.digest,
        "skills": [
            {
                "name": "solo",
                "digest": SOLO_DIGEST,
                "frontmatter": {"name": "solo", "description": "One file"},
                "files": [
                    {
                        "path": "SKILL.md",
                        "size": len(SOLO["SKILL.md"]),
                        "digest": f"sha256:{hashlib.sha256(SOLO['SKILL.md']).hexdigest()}",
                        "blake3": f"blake3:{blake3(SOLO['SKILL.md']).hexdigest()}",
                        "media_type": "text/markdown",
                        "text": True,
                        "executable": False,
                    }
                ],
            }
        ],
    }


def test_the_packed_manifest_tells_the_exceptions_and_nothing_where_there_are_none() -> None:
    addressed = digest.address([make_source("solo", SOLO)])
    exception = Allowed(skill="solo", path="SKILL.md", rule="secret-content", sha256="0" * 64, reason="é")
    manifest = json.loads(addressed.manifest([exception]))
    assert manifest.pop("provenance") == {"allow": [dataclasses.asdict(exception)]}
    assert manifest == json.loads(addressed.manifest())


def test_the_manifest_of_a_bundle_has_no_blake3() -> None:
    bundle = make_bundle({"solo": SOLO})
    assert b"blake3" not in digest.manifest_bytes(bundle)
    assert json.loads(digest.manifest_bytes(bundle)) == bundle.manifest


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"", True), ("é\n".encode(), True), (b"a\0b", False), (b"\xff\xfe", False), (b"\xef\xbb\xbfx", True)],
)
def test_text_is_strict_utf8_without_nul(data: bytes, expected: bool) -> None:
    assert plain_text(data) is expected


@pytest.mark.parametrize(
    ("path", "is_text", "expected"),
    [
        ("SKILL.md", True, "text/markdown"),
        ("a/B.PNG", False, "image/png"),
        ("run.sh", True, "text/x-shellscript"),
        ("README", True, "text/plain"),
        ("README", False, "application/octet-stream"),
        ("x.unknown", True, "text/plain"),
        ("x.unknown", False, "application/octet-stream"),
        ("broken.py", False, "application/octet-stream"),
        ("drawing.svg", True, "image/svg+xml"),
        ("a.b/noextension", True, "text/plain"),
    ],
)
def test_media_types_come_from_our_own_table(path: str, is_text: bool, expected: str) -> None:
    assert media_type(path, is_text=is_text) == expected


@pytest.mark.parametrize(
    ("data", "is_text"),
    [
        (b"", True),
        (b"abc\n", True),
        ("ü".encode(), True),
        (b"a\0", False),
        ("ü\0".encode(), False),
        (b"\xff", False),
    ],
)
def test_a_fingerprint_has_both_digests_and_knows_text(data: bytes, *, is_text: bool) -> None:
    found = digest.fingerprint(data)
    assert found.sha256 == hashlib.sha256(data).hexdigest()
    assert f"blake3:{found.blake3}" == digest.content_address(data)
    assert found.is_text is is_text
