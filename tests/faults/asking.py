"""Prints what the skills below a directory answer and what code answers: python -I asking.py DIRECTORY."""

from __future__ import annotations

import hashlib
import sys


def main() -> None:
    """Import the skills as an agent does; every content is read, and every file of the runtime is loaded."""
    sys.path.insert(0, sys.argv[1])
    from agent import skills  # type: ignore[import-not-found] # it is where the first argument says

    bundle = skills.bundle
    bundle.preload()
    bundle.verify()
    bundle.session()
    answers = [bundle.digest, bundle.catalog(), bundle.to_json()]
    for skill in bundle.values():
        answers += [file.bytes() for file in skill.files.values()]
    builds = {
        value
        for module in [*sys.modules.values()]
        if module.__name__.startswith(skills.__name__)
        for name, value in vars(module).items()
        if name.startswith("_BUILD_")
    }
    print(hashlib.sha256(repr(answers).encode()).hexdigest(), *sorted(builds))


main()
