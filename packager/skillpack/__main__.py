"""The command `skillpack`, also `python -m skillpack`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an interrupt while its modules are imported ends it as any other does."""
    try:
        from skillpack.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
