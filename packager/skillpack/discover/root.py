"""The skills roots: where each lies, opened without following a link that the project could contain."""

from __future__ import annotations

import contextlib
import errno
import posixpath
from typing import TYPE_CHECKING, NamedTuple

from skillpack.discover.link import find_target
from skillpack.discover.reading import ChangedError, Kind, open_top
from skillpack.model import SKILL_MD

if TYPE_CHECKING:
    from pathlib import Path

    from skillpack.discover.reading import Directory, Identity
    from skillpack.discover.walk import Walk


class Root(NamedTuple):
    """A skills root, or a single skill.

    `written` is as the user wrote it, in POSIX form without a slash at its end: every place below begins with
    it. `directory` is where it is, absolute or relative to the project.

    Of a root below `top`, an absolute directory, no link is followed on the way from there, and it counts as none
    outside the project. With `entries` the root has these skills and no others, whatever else lies there.
    """

    written: str
    directory: Path
    top: Path | None = None
    entries: frozenset[str] | None = None


class OpenRoot(NamedTuple):
    """An open root. `path` is absolute."""

    root: Root
    path: Path
    directory: Directory


def open_root(walk: Walk, root: Root, project: Path) -> OpenRoot | None:
    """Open a root; None, with a finding, when it cannot be.

    Links above the project's directory are followed: a project below `/tmp` is one also where that is a link.
    Below it none is, neither the root nor a directory on the way to it. Of a root outside the project this
    holds for the last component.
    """
    path = (project / root.directory).absolute()
    steps = steps_below(path, identity_of(project))
    outside = steps is None and root.top is None
    if root.top is not None:
        top, steps = root.top, path.relative_to(root.top).parts
    elif steps is not None:
        top = project.absolute()
    elif path.name in {"", ".."}:
        top, steps = path, ()
    else:
        top, steps = path.parent, (path.name,)
    try:
        directory = open_top(str(top), walk.system)
    except OSError as error:
        _refuse_unopened(walk, root, error)
        return None
    for index, step in enumerate(steps):
        parent = directory
        try:
            directory = parent.open_directory(step)
        except (OSError, ChangedError) as error:
            _refuse_step(walk, root, parent, top, steps, index, error)
            return None
        finally:
            parent.close()
    if outside:
        walk.report.add("root-outside", root.written, "the skills root lies outside the project")
    return OpenRoot(root=root, path=path, directory=directory)


def steps_below(path: Path, top: Identity) -> tuple[str, ...] | None:
    """Return the components of an absolute path below the directory `top`; None when it does not lie there.

    Directories are compared by what they are and not by their names, which differ in letter case or lead
    through links. The first directory on the way that is `top` counts, so that a link below it which leads back
    to it is one of the components; components that climb do not count.
    """
    for directory in reversed((path, *path.parents)):
        steps = path.parts[len(directory.parts) :]
        if ".." in steps:
            continue
        with contextlib.suppress(OSError):
            if identity_of(directory) == top:
                return steps
    return None


def identity_of(path: Path) -> Identity:
    """Return which directory `path` is, links followed. Raises `OSError`."""
    status = path.stat()
    return (status.st_dev, status.st_ino)


def _refuse_step(
    walk: Walk,
    root: Root,
    parent: Directory,
    top: Path,
    steps: tuple[str, ...],
    index: int,
    error: OSError | ChangedError,
) -> None:
    """Add the finding for a component of a root's path that could not be opened as a directory."""
    try:
        kind = parent.kind(steps[index])
    except OSError:
        kind = None
    if kind is Kind.LINK:
        _refuse_link(walk, root, top, steps, index)
    elif kind is Kind.FILE:
        home = posixpath.dirname(root.written)
        what = f"`{home}`, its directory" if root.written.endswith(SKILL_MD) and home else "a directory"
        walk.report.add(
            "root-missing", root.written, "a file, not a directory", hint=f"name {what} in `skills`"
        )
    elif kind is Kind.SPECIAL:
        message = "a FIFO, a socket or a device, not a directory"
        walk.report.add("root-missing", root.written, message, hint="name a directory in `skills`")
    else:
        _refuse_unopened(walk, root, error)


def _refuse_unopened(walk: Walk, root: Root, error: OSError | ChangedError) -> None:
    if isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENOTDIR):
        hint = "create the directory, or name another one in `skills`"
        message = "there is no such directory"
        if root.written.startswith("~") or any(sign in root.written for sign in "*?["):
            message += ", and `skills` takes paths as they are: no `~`, no patterns"
        walk.report.add("root-missing", root.written, message, hint=hint)
    else:
        walk.refuse_unread(root.written, error)


def _refuse_link(walk: Walk, root: Root, top: Path, steps: tuple[str, ...], index: int) -> None:
    """Add the finding for a root that is a link, or that lies behind one."""
    target = find_target(top.joinpath(*steps[: index + 1]), walk.project)
    rest = steps[index + 1 :]
    subject = f"its directory `{'/'.join(steps[: index + 1])}` is" if rest else "the skills root is"
    if target.where in ("inside", "above"):
        message = f"{subject} a symbolic link to {target.path}"
        hint = f"write {posixpath.normpath(posixpath.join(target.path, *rest))} in `skills` instead"
    elif target.where == "outside":
        message = f"{subject} a symbolic link to something outside the project"
        hint = "name the directory itself in `skills`, or put a copy of it in the place of the link"
    else:
        message = f"{subject} a symbolic link whose target cannot be found"
        hint = "put the directory in the place of the link"
    walk.report.add("symlink", root.written, message, hint=hint)
