"""From an ordered list of addresses to a bundle: absence is quiet, whatever is broken has a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grid_assets.assets import AssetError, skill_of
from skillpack.runtime import SkillBundle

if TYPE_CHECKING:
    from grid_assets.venue import Venue
    from skillpack.runtime import Skill


def offered(venue: Venue, sources: object) -> SkillBundle:
    """Return the skills of all sources as they are now; of two with one name the first counts.

    `TypeError` when `sources` is not a list of addresses: that is a fault of the configuration, not of a source.
    """
    if not isinstance(sources, list) or not all(isinstance(address, str) for address in sources):
        raise TypeError("sources are a list of addresses")
    # Not `resolve`: to it functions have no order, and two of them with one name are a collision.
    parts = [_source(venue, address) for address in sources]
    return SkillBundle([]).with_tools("skill_load", "skill_read").overlay(*parts, on_collision="first")


def skill_at(venue: Venue, address: str, key: str = "") -> Skill:
    """Return the skill at an address, listed or not, named `key` if there is one. `ValueError` says why there is none, `OSError` that it is out of reach."""
    value = venue.resolve(address)
    if not isinstance(value, Mapping):
        raise AssetError(f"there is no skill at {address!a:.80}")
    return skill_of(value, venue, key)


def _source(venue: Venue, address: str) -> SkillBundle:
    try:
        value = venue.resolve(address)
    except OSError as error:
        return SkillBundle([], problems=[f"{address} — UNAVAILABLE: {error}"])
    if value is None:
        return SkillBundle([])
    if hasattr(value, "names"):  # a bundle, of whatever module: its classes are its own
        return SkillBundle([]).overlay(value)
    if not isinstance(value, Mapping):
        return SkillBundle([], problems=[f"{address} — INVALID: it is no directory"])
    return _directory(venue, {"": address} if address.startswith("a/") else value)


def _directory(venue: Venue, entries: Mapping[str, object]) -> SkillBundle:
    """Return the skills of a directory. Its keys are their names, whatever the assets call themselves: "" lets them."""
    found, problems = SkillBundle([]), []
    for key, value in entries.items():
        try:
            # another name, the same digest: what is loaded under one is loaded under the other
            found = found.overlay(_entry(venue, value, key))
        except ValueError as error:
            problems.append(f"{key or value} — INVALID: {error}")
        except OSError as error:
            problems.append(f"{key or value} — UNAVAILABLE: {error}")
    return found.overlay(SkillBundle([], problems=problems))


def _entry(venue: Venue, value: object, key: str) -> Skill:
    if isinstance(value, str):
        return skill_at(venue, value, key)
    if not isinstance(value, Mapping):
        raise AssetError(f"neither metadata nor an address but {type(value).__name__}")
    return skill_of(value, venue, key)
