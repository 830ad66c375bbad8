"""skillpack: pack agent skills into an importable, frozen Python module at build time.

Nothing is imported here, so that `skillpack.runtime` works where none of skillpack's dependencies is
installed.
"""
