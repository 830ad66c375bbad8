"""A package that cannot be built until its skills are mended."""
