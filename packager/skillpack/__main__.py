"""The command `skillpack`, also `python -m skillpack`."""

from __future__ import annotations

import gc
import sys

GARBAGE_OBJECTS = 20_000
"""So many objects more than before are made until Python looks for those that only refer to each other."""


def main() -> None:
    """Run the command line; what stops the import of its modules ends it as anything else does."""
    # What a run makes stays to its end, and cycles are rare in it: to look for them as often as Python does is a tenth
    # of a short run. Never to look for them takes memory in a long one.
    before = gc.get_threshold()
    gc.set_threshold(GARBAGE_OBJECTS)
    try:
        from skillpack.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        raise SystemExit(130) from None
    except (MemoryError, ImportError) as error:
        from skillpack.errors import lacks_memory

        if not lacks_memory(error):
            raise
        sys.stderr.write("error: there is not enough memory to start\n")
        raise SystemExit(2) from None
    finally:
        gc.set_threshold(*before)


if __name__ == "__main__":
    main()
