"""`python -m harness_skill_use` runs on the skills of the wheel, with a project's folder on those found there."""

from __future__ import annotations

import sys
from pathlib import Path

from harness_skill_use import demo
from harness_skill_use.skills import SkillBundle, bundle


def main() -> None:
    if len(sys.argv) == 1:
        demo.packed(bundle)
        return
    # At run time only this needs skillpack: it reads and checks as a build does, and leaves out what is broken.
    from skillpack import from_directory

    project = Path(sys.argv[1])
    rules = {"name-missing": "off", "name-mismatch": "error"}
    folder = project / demo.SKILLS
    found = from_directory(folder, rules=rules) if folder.is_dir() else SkillBundle([])
    demo.discovered(SkillBundle([]).overlay(found), project)


if __name__ == "__main__":
    main()
