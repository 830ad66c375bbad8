"""What `skillpack init` makes of a pyproject.toml: the hook, the options, and what uv has to watch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from skillpack.config import DEFAULT_SKILLS, PYPROJECT, is_package, split_package
from skillpack.errors import ConfigError
from skillpack.findings import visible
from skillpack.toml_document import TomlDocument, dotted, literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HATCH_TOML = "hatch.toml"

_BACKEND = ("build-system", "build-backend")
_REQUIRES = ("build-system", "requires")
_BUILD = ("tool", "hatch", "build")
_BUILD_IN_HATCH_TOML = ("build",)
_HOOK = ("hooks", "skillpack")
_TARGETS = ("wheel", "sdist")
_OPTIONS = ("tool", "skillpack")
_CACHE_KEYS = ("tool", "uv", "cache-keys")


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """The new texts of a pyproject.toml and of the hatch.toml beside it, in the line ends of the old.

    `changes` says what was done, a line a change, each beginning with its TOML path, behind the file's name where that
    is hatch.toml; empty when there was nothing to do, and then the texts are the old ones. `advice` says what is left
    to the user, in the same form.
    """

    text: str
    hatch_toml: str
    changes: tuple[str, ...]
    advice: tuple[str, ...]


def init(
    text: str,
    *,
    version: str,
    skills: Sequence[str] = (),
    module: str = "",
    default_skills: str = DEFAULT_SKILLS[0],
    default_module: str = "",
    hook: bool = True,
    uv: bool = False,
    hatch_toml: str = "",
) -> Initialised:
    """Set a project up for skillpack, given the text of its pyproject.toml with the line ends of the file.

    `version` is that of skillpack, to which the build requirement is pinned. `skills` and `module` are what the
    user asks for, POSIX paths as in `[tool.skillpack]`; they are written unless they are `default_skills` and
    `default_module`, which hold without them. Without `hook` the module is left to `skillpack bundle`, as it has
    to be where another back end than hatchling builds. `uv` says that uv is in use although there may be no
    `[tool.uv]`. `hatch_toml` is the text of the hatch.toml beside it: a `build` there stands in the place of the whole
    `[tool.hatch.build]` (hatchling, `HatchMetadata`), so that the hook belongs there.

    What is set already stays. Raises ConfigError with the place when a text is not TOML, when something else
    stands where a table or an array has to be, and when an entry would take rewriting what is there.
    """
    for path in (*skills, module):
        if re.search(r"[\ud800-\udfff]", path):
            raise ConfigError([f"{visible(path)}: is not Unicode, so that TOML cannot hold it; rename it"])
    project = TomlDocument(text, PYPROJECT)
    hatch = TomlDocument(hatch_toml, HATCH_TOML, place=f"{HATCH_TOML}: ")
    backend = project.text_at(*_BACKEND)
    hooked = hook and backend == "hatchling.build"
    changes: list[str] = []
    advice: list[str] = []
    if hooked:
        changes += _require(project, version)
        document, build = (hatch, _BUILD_IN_HATCH_TOML) if hatch.has("build") else (project, _BUILD)
        for_one = _hook_of_one_target(document, build)
        advice += for_one
        changes += [] if for_one else _hook(document, build)
    held = {"skills": [default_skills], "module": default_module}
    asked = {
        key: _normal(value)
        for key, value in (("skills", list(skills)), ("module", module))
        if value and _normal(project.value(*_OPTIONS, key, default=held[key])) != _normal(value)
    }
    changes += _set_options(project, asked)
    advice += _kept_options(project, asked)
    advice += _unrequired(project) if hooked else []
    if uv or project.has("tool", "uv") or backend.startswith("uv_build"):
        changes += _watch(project, backend, default_skills)
    if not hooked:
        emitted = project.text_at(*_OPTIONS, "module") or default_module or "src/PACKAGE/skills.py"
        advice += _bundling(backend, emitted)
    return Initialised(text=project.text, hatch_toml=hatch.text, changes=tuple(changes), advice=tuple(advice))


def requirement(version: str) -> str:
    """Return the build requirement for a version of skillpack: from it to the next release that may break.

    That is the next major version, and below 1 the next minor one. `version` is one of PEP 440.
    """
    parsed = Version(version)
    major, minor = parsed.major, parsed.minor
    least = f"{major}.{minor}" if minor or not major else str(major)
    if parsed.is_prerelease:  # >=1 does not admit 1.0rc1
        least = parsed.public
    return f"skillpack>={least},<{major + 1 if major else f'0.{minor + 1}'}"


def _require(project: TomlDocument, version: str) -> list[str]:
    required = project.array(*_REQUIRES)
    if required is None:
        raise ConfigError([f'{dotted(_REQUIRES)}: is missing; write requires = ["hatchling"]'])
    if any(map(_is_skillpack, required)):
        return []
    project.extend(_REQUIRES, [requirement(version)])
    return [f"{dotted(_REQUIRES)}: added {literal(requirement(version))}"]


def _is_skillpack(item: object) -> bool:
    return _required(item) == "skillpack"


def _required(item: object) -> str:
    """Return the normalised name in a requirement, empty where it is none."""
    try:
        return canonicalize_name(Requirement(str(item)).name)
    except InvalidRequirement:
        return ""


def _unrequired(project: TomlDocument) -> list[str]:
    """Say which distributions a build in an environment of its own would not have."""
    required = set(map(_required, project.array(*_REQUIRES) or ()))
    roots = filter(is_package, map(str, project.array(*_OPTIONS, "skills") or ()))
    names = dict.fromkeys(split_package(root)[0] for root in roots)
    return [
        f"{dotted(_REQUIRES)}: add {literal(name)}, whose skills are packed: builds in isolation have no other packages"
        for name in names
        if canonicalize_name(name) not in required
    ]


def _hook(document: TomlDocument, build: Sequence[str]) -> list[str]:
    hook = (*build, *_HOOK)
    if document.has(*hook) or all(_is_on_for(document, build, target) for target in _TARGETS):
        return []
    document.add(hook, {})
    return [f"{document.place}{dotted(hook)}: added, so that each build packs the skills"]


def _hook_of_one_target(document: TomlDocument, build: Sequence[str]) -> list[str]:
    """Say that the hook is on for one target alone, which may be meant: nothing is added then."""
    on = [target for target in _TARGETS if _is_on_for(document, build, target)]
    if document.has(*build, *_HOOK) or len(on) != 1:
        return []
    (target,) = on
    (other,) = set(_TARGETS) - {target}
    place = f"{document.place}{dotted((*build, 'targets', target, *_HOOK))}"
    way_out = f"write [{dotted((*build, *_HOOK))}] in its place"
    return [
        f"{place}: is on for the {target} alone, so that the {other} is built without skillpack; {way_out}"
    ]


def _is_on_for(document: TomlDocument, build: Sequence[str], target: str) -> bool:
    return document.has(*build, "targets", target, *_HOOK)


def _set_options(project: TomlDocument, asked: Mapping[str, object]) -> list[str]:
    new = {key: value for key, value in asked.items() if not project.has(*_OPTIONS, key)}
    if new:
        project.add(_OPTIONS, new)
    return [f"{dotted(_OPTIONS)}.{key}: set to {literal(value)}" for key, value in new.items()]


def _kept_options(project: TomlDocument, asked: Mapping[str, object]) -> list[str]:
    return [
        f"{dotted(_OPTIONS)}.{key}: is set and was left; to change it, write {literal(value)}"
        for key, value in asked.items()
        if _normal(project.value(*_OPTIONS, key)) != value
    ]


def _watch(project: TomlDocument, backend: str, default_skills: str) -> list[str]:
    """Let uv build again when a skill was edited; the first key replaces the list that uv has by itself."""
    keys = project.array(*_CACHE_KEYS)
    watched = {key.get("file") if isinstance(key, dict) else key for key in keys or ()}
    added = []
    for root in project.array(*_OPTIONS, "skills") or [default_skills]:
        *wider, own = _globs(str(root))
        # an absolute path is no glob for uv, which joins it to the project's directory
        if not str(root).startswith("/") and not is_package(str(root)) and watched.isdisjoint((own, *wider)):
            added.append({"file": own})
    if not added:
        return []
    if keys is None:
        # that list but for `dir = "src"`, which only sees src come and go
        setup = ("setup.py", "setup.cfg") if _front_name(backend) in {"", "setuptools"} else ()
        added = [*({"file": name} for name in (PYPROJECT, *setup)), *added]
        project.add(_CACHE_KEYS[:-1], {_CACHE_KEYS[-1]: added})
    else:
        project.extend(_CACHE_KEYS, added)
    entries = ", ".join(map(literal, added))
    return [f"{dotted(_CACHE_KEYS)}: added {entries}, so that uv builds again after a skill was edited"]


def _globs(root: str) -> list[str]:
    """Return the globs that name all files below a directory: the project's first, its own last."""
    parts = [re.sub(r"[*?[{]", r"[\g<0>]", part) for part in _normal(root).split("/") if part != "."]
    return ["/".join((*parts[:depth], "**", "*")) for depth in range(len(parts) + 1)]


def _bundling(backend: str, module: str) -> list[str]:
    """Say how the module gets into a build without the hook."""
    who = f"{backend} builds" if backend else "is not set, so setuptools builds"
    dropped = f"if git ignores {module}, the build leaves it out without a word; add"
    match _front_name(backend):
        case "poetry":
            entry = {"path": module, "format": ["sdist", "wheel"]}
            shipping = f"tool.poetry.include: {dropped} {literal(entry)}"
        case "hatchling":
            shipping = f"tool.hatch.build.artifacts: {dropped} {literal(f'/{module}')}"
        case "" | "setuptools" | "uv" | "pdm" | "flit":
            shipping = f"{dotted(_BACKEND)}: {module} ships as it is, whether git ignores it or not"
        case _:
            shipping = f"{dotted(_BACKEND)}: see with skillpack verify that the wheel holds {module}"
    return [
        f"{dotted(_BACKEND)}: {who} without the hook; run skillpack bundle first, and skillpack bundle --check in CI",
        shipping,
    ]


def _front_name(backend: str) -> str:
    """Return `flit` for `flit_core.buildapi`."""
    return re.split(r"[._:]", backend)[0]


def _normal(value: Any) -> Any:
    """Return a path, or each path of a list, as the configuration reads it: without empty segments and dots."""
    if isinstance(value, list):
        return [_normal(item) for item in value]
    segments = [segment for segment in str(value).split("/") if segment not in {"", "."}]
    return "/" * str(value).startswith("/") + "/".join(segments) or "."
