"""The hatch build hook of skillpack: a thin adapter between hatchling and the packager."""
