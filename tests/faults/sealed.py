"""Runs a scenario of `systems` in a mount namespace of its own, so that what it mounts is gone with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from faults.ground import Tally
    from faults.workplace import Workplace


def sealed(scenario: str, workplace: Workplace, *arguments: Any) -> Tally:
    """Return the tally of a scenario, by its name; the arguments after the workplace have to be JSON."""
    from faults.ground import Tally

    own = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--map-root-user", "--mount")
    done = subprocess.run(
        [*own, sys.executable, __file__, scenario, workplace.directory, json.dumps(arguments)],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, scenario
    told, runs, found, seconds = json.loads(done.stdout)
    return Tally(told, runs, Counter(found), seconds)


def main() -> None:
    """Run what the command line names, and print its tally."""
    from faults import systems
    from faults.workplace import Workplace

    scenario, directory, arguments = sys.argv[1:]
    tally = getattr(systems, scenario)(Workplace(Path(directory)), *json.loads(arguments))
    print(json.dumps([tally.scenario, tally.runs, tally.found, tally.seconds]))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
