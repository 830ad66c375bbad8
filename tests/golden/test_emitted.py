"""What is emitted for two small skills, whole but for the runtime, against the texts that are checked in.

Anything here that changes is a change of what projects commit and ship.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillpack.digest import content_address
from skillpack.emit.folder import folder
from skillpack.emit.module import parts
from skillpack.emit.stub import stub
from support.authored import authored
from support.bundles import DEMO, make_bundle

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillpack.runtime import SkillBundle

EXPECTED = Path(__file__).parent / "emitted"

PARTS = {
    **DEMO,
    "notes.txt": 'Ein schöner Tag, \\ "quoted".\r\n\tIndented.\n'.encode(),
    "run.sh": b"exit 0\n",
    "zeros.bin": b"\0" * 40,
}


def bundle() -> SkillBundle:
    hush = authored(
        "hush",
        "Hush *softly*.\n",
        description="Says how\nto hush",
        tools=["Read"],
        globs=["*.py"],
        hidden=True,
        files={"run.sh": b"exit 0\n"},
    )
    return make_bundle({"demo": PARTS}, executable=["run.sh"]).overlay(hush)


def shown(path: str, data: bytes) -> str:
    """Return a file as the expected texts have it: without the runtime, whose digest is in the name of its folder."""
    text = data.decode("latin-1") if path.endswith(".bin") else data.decode("ascii")
    text = re.sub(r"_r[0-9a-f]{16}", "_r(runtime)", text)
    if path.startswith("_r") or path == "skills.py":
        text = re.sub(
            r'(?s)(?<=""")\n.*?(?=\n\n# ---- skillpack: the data begins|\Z)', "\n(runtime)\n", text, count=1
        )
    # what is no text stands as escapes, and so do line ends but LF
    text = re.sub(r"[^\n -~]", lambda found: f"\\x{ord(found[0]):02x}", text)
    name = re.sub(r"_r[0-9a-f]{16}", "_r(runtime)", path)
    return f"==> {name} <==\n{text}"


FORMS = ("module", "package", "data", "stub")


def emitted(form: str) -> dict[str, bytes]:
    match form:
        case "module":
            return {"skills.py": parts(bundle()).source}
        case "stub":
            return {"skills.pyi": stub(bundle())}
        case "package" | "data":
            return dict(folder(bundle(), form, content_address))
    raise AssertionError(form)


@pytest.mark.parametrize("form", FORMS)
def test_the_files_are_the_expected_ones(form: str, expect: Callable[[Path, str], None]) -> None:
    expect(EXPECTED / f"{form}.txt", "".join(shown(path, data) for path, data in emitted(form).items()))


def test_no_expected_text_is_left_of_a_form_that_has_gone() -> None:
    assert {path.name for path in EXPECTED.iterdir()} == {f"{form}.txt" for form in FORMS}
