"""Emission: from a bundle to the bytes of an importable module; pure, deterministic, ASCII."""
