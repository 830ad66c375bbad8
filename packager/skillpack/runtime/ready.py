"""The bundle of a package before it is used: it shows its catalog, and becomes a `SkillBundle` when asked for more.

Without .pyc files a class costs what it costs to compile, and `SkillBundle` more than all else that a catalog needs.
Its methods in place of those of a smaller class, added on first use, would show nobody what the class has. To make `bundle` itself when the module is asked for it was rejected: whoever asks for it
wants the catalog first.
"""

from _collections_abc import Mapping

from skillpack.runtime.listing import PARTS, TYPE_CHECKING, Catalog

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from skillpack.runtime.bundle import SkillBundle
    from skillpack.runtime.model import _Page


def _late(name: str) -> "Callable[..., Any]":
    return lambda bundle, *given: getattr(whole(bundle), name)(*given)


def _mapping(kind: "type[_Ready]") -> "type[_Ready]":
    """Give a class what Python looks for in classes alone, and register it as the mapping that it is then."""
    names = "contains copy deepcopy delattr dir eq getitem hash iter len reduce repr setattr"
    for name in names.split():
        setattr(kind, f"__{name}__", _late(f"__{name}__"))
    mapping: Any = Mapping  # checkers know nothing of its metaclass
    mapping.register(kind)
    return kind


@_mapping
class _Ready:
    """A `SkillBundle` that has not been asked for more than its catalog yet."""

    __slots__ = PARTS
    catalog = Catalog.catalog
    __reversed__ = None  # as a mapping has it, or its numbers would be asked for from the last

    def __getattr__(self, name: str) -> "Any":
        return getattr(whole(self), name)


def ready(
    catalog: bytes, skills: "Callable[[], bytes]", page: "Callable[[int], _Page]", module: str
) -> "Any":
    """Return the bundle of a package, made of what `SkillBundle.paged` takes."""
    bundle = _Ready()
    put = object.__setattr__
    put(bundle, "_catalog", catalog)
    put(bundle, "_packed", (skills, page))
    put(bundle, "_module", module)
    put(bundle, "_tools", ("load_skill", "read_skill_resource"))
    return bundle


def whole(bundle: object) -> "SkillBundle":
    """Return a bundle after it has become a `SkillBundle`."""
    from skillpack.runtime.bundle import grown

    return grown(bundle)
