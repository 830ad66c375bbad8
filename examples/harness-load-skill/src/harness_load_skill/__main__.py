"""`python -m harness_load_skill [TENANT [WORKSPACE]]`: the skills of the wheel, and more if there is a tenant."""

from __future__ import annotations

import sys
from pathlib import Path

from harness_load_skill import demo
from harness_load_skill.skills import bundle


def main() -> None:
    match sys.argv[1:]:
        case []:
            demo.packed(bundle)
        case [tenant]:
            demo.supplied(bundle, tenant, None)
        case [tenant, workspace, *_]:
            demo.supplied(bundle, tenant, Path(workspace))


if __name__ == "__main__":
    main()
