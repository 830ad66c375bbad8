"""`python -m skillpack`, the same as the command `skillpack`."""

from __future__ import annotations

from skillpack.cli import main

if __name__ == "__main__":
    main()
