"""`python -m tests.mutation`, from the top of the checkout."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # tests is not a package: what it shares is found from there, as pytest has it
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from mutation.command import main

    main()
