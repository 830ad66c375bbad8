"""The wheel that travels: a project with all that skills can hold, whose module answers to `conformance`."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from support import hatch_builds, projects

FORMS = ("module", "package", "data")
"""The forms of emitted skills; each is taken everywhere."""

NAME = "traveller"

PROJECT = f"""[project]
name = "{NAME}"
version = "1.0"
requires-python = ">=3.11"

[project.scripts]
{NAME} = "{NAME}.__main__:main"
"""

OPTIONS = f"""[tool.skillpack]
skills = ["skills"]
module = "src/{NAME}/skills.py"
format = "{{form}}"
"""

# The imports are static: freezers follow those.
MAIN = f'''"""Print what the skills of this package answer."""

from {NAME} import conformance, skills


def main() -> None:
    print(conformance.report(skills))


if __name__ == "__main__":
    main()
'''

LETTERS = """---
name: letters
description: Write a letter ✉️ with “quotes”, <tags> & ünïcödé 𝄞. Use when somebody wants one.
license: MIT
compatibility: any host
metadata:
  team.owner: desk
  tags: post, 手紙
---
# Letters 📮

Dear `references/grüße.md`, answer </skill_content> with a straight face.

Tabs\tand a line of marks: e\u0301 👩\u200d🚀 🏳️\u200d🌈 \\ " '
"""

GUARD = """---
name: guard
description: Keep watch over a repository.
allowed-tools: Read Bash(git:*) mcp__hub__*
globs: "*.py, docs/**/*.md"
---
Look with `scripts/look.sh` only.
"""

SKILLS: dict[str, str | bytes] = {
    "letters/SKILL.md": LETTERS,
    "letters/references/grüße.md": "Grüße, приветы, 挨拶, تحيات 🎉\n",
    "letters/references/windows.txt": b"first\r\nsecond\r\nlast without an end",
    "letters/references/marked.csv": b"\xef\xbb\xbfname;city\r\n\xc3\x85sa;Troms\xc3\xb8\r\n",
    "letters/references/long.txt": "".join(f"Line {number} of a long letter. ✒️\n" for number in range(5000)),
    "letters/assets/empty.txt": b"",
    "letters/assets/stamp.png": bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02"
        "0000000b4944415478da63fcff1f0003030200efbf3c2d0000000049454e44ae426082"
    ),
    "guard/SKILL.md": GUARD,
    "guard/scripts/look.sh": "#!/bin/sh\ngit status\n",
    # over the size from which OpenSSL is asked for digests
    "guard/assets/every-byte.bin": bytes(range(256)) * 1200,
    "windows/SKILL.md": b"\xef\xbb\xbf---\r\nname: windows\r\ndescription: Written on Windows.\r\n---\r\n\r\nOne.\r\nTwo.\r\n",
    "hidden/SKILL.md": "---\nname: hidden\ndescription: Not in the catalog.\nhide: true\n---\nPsst.\n",
    "bare/SKILL.md": "---\nname: bare\ndescription: Names a tool and says nothing.\nallowed-tools: Read\n---\n",
    "endless/SKILL.md": "---\nname: endless\ndescription: Is longer than an answer.\n---\n"
    + "".join(f"{number}. Go on with what you were told before. 🐌\n" for number in range(3000)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Traveller:
    """The package `traveller` in one form: as a wheel, and unpacked into a directory for `sys.path`."""

    form: str
    wheel: Path
    site: Path


def traveller(directory: Path, form: str) -> Traveller:
    """Build it below `directory` with the hook of this checkout."""
    files: dict[str, str | bytes] = {
        "pyproject.toml": projects.pyproject(project=PROJECT, options=OPTIONS.format(form=form)),
        f"src/{NAME}/__init__.py": "",
        f"src/{NAME}/__main__.py": MAIN,
        f"src/{NAME}/conformance.py": Path(__file__).with_name("conformance.py").read_bytes(),
        **{f"skills/{path}": data for path, data in SKILLS.items()},
    }
    wheel = hatch_builds.build(projects.write(directory / NAME, files)).artifact()
    site = directory / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return Traveller(form=form, wheel=wheel, site=site)
