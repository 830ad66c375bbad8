"""One build of one target: configuration in, the packager's pipeline, hatchling's build data out."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.builders.wheel import WheelBuilder, WheelBuilderConfig

from hatch_skillpack import footprint, options, shipping
from hatch_skillpack.placement import place
from hatch_skillpack.selection import Selection, pattern
from hatch_skillpack.staging import Staging
from skillpack import config, copies, pipeline, reporting, sdist, write
from skillpack.cache import Cache, kept_in
from skillpack.emit.layout import folder_of
from skillpack.errors import ConfigError, RefusedError, SkillpackError
from skillpack.findings import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hatch_skillpack.hook import SkillpackBuildHook
    from hatch_skillpack.placement import Placement
    from skillpack.config import Config
    from skillpack.pipeline import Packed

BuildData = dict[str, Any]

MANIFEST = "skillpack.json"
"""The manifest's name among the extra metadata of a wheel."""


class Build:
    """What the hook does for one version of one target; `end` has to follow `prepare`, whatever became of it."""

    def __init__(self, hook: SkillpackBuildHook) -> None:
        # the hook itself is not kept: it keeps this, and a circle would outlive a build that hatchling breaks off
        self._app = hook.app
        self._root = hook.root
        self._target = hook.target_name
        self._config = hook.build_config
        self._metadata = hook.metadata
        self._option_faults = tuple(options.faults(hook))
        self._selection = Selection(hook.build_config)
        self._staging: Staging | None = None

    def prepare(self, version: str, build_data: BuildData) -> None:
        """Pack the skills and change `build_data` so that the artifact gets them.

        Raises `SystemExit` with status 1, after display, when there is a reason not to.
        """
        app = self._app
        with self._refusing():
            settings, placement = self._configuration()
            cache = Cache(kept_in(settings, os.environ, sys.platform))
            with pipeline.pack(settings, output="kept", cache=cache) as packed:
                if self._target == "sdist":
                    self._prepare_sdist(packed, build_data)
                elif version == "editable":
                    self._prepare_editable(packed, build_data, placement)
                else:
                    self._prepare_wheel(packed, build_data, placement)
                if packed.report.has_errors:
                    raise RefusedError(packed.findings)
                verbose = app.verbosity > 0
                for line in reporting.lines(packed.findings, verbose=verbose):
                    app.display_warning(line)
                tally = reporting.tally(packed.findings, verbose=verbose)
                app.display_info("; ".join(filter(None, (packed.summary(), tally))))

    def clean(self) -> None:
        """Remove the emitted module from the source tree; a file that skillpack did not write stays."""
        with self._refusing():
            settings, _ = self._configuration()
            write.remove_output(settings.output(), root=settings.project)

    def end(self) -> None:
        """Give back what `prepare` took: the temporary directory and hatchling's tables."""
        self._selection.put_back()
        if self._staging is not None:
            self._staging.remove()

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Turn an error into its lines and `SystemExit`: front ends show these and no traceback."""
        try:
            yield
        except (SkillpackError, OSError, MemoryError) as error:
            self.end()
            for line in _lines(error):
                self._app.display_error(line)
            raise SystemExit(1) from None

    def _configuration(self) -> tuple[Config, Placement]:
        """Return the configuration and where the wheel has the module, or raise `ConfigError` with all faults."""
        problems = [*self._option_faults]
        index = self._sdist_index()
        try:
            settings = config.load(Path(self._root), output=sdist.default_module(index) or None)
            placement = self._placement(settings)
        except ConfigError as error:
            raise ConfigError([*problems, *error.problems]) from error
        if problems:
            raise ConfigError(problems)
        if (Path(self._root) / "PKG-INFO").is_file():
            settings = sdist.unpacked(settings, index)
        return settings, placement

    def _sdist_index(self) -> bytes | None:
        """Return the index of the sdist that is built from, if it is one and has an index."""
        root = Path(self._root)
        index = root / sdist.INDEX
        return index.read_bytes() if (root / "PKG-INFO").is_file() and index.is_file() else None

    def _placement(self, settings: Config) -> Placement:
        """Return where the wheel has the module; an sdist is asked, too, since a wheel has to come of it."""
        settings.output()
        wheel = self._config
        if not isinstance(wheel, WheelBuilderConfig):
            manager = wheel.builder.plugin_manager
            wheel = WheelBuilder(self._root, plugin_manager=manager, metadata=self._metadata).config
        placement = place(wheel, settings.module_written)
        if settings.also_files and not copies.home(placement.path):
            message = f"{placement.path} is in no package beside which the wheel could have files; set module to a file in one"
            raise ConfigError([f"tool.skillpack.also-files: {message}"])
        return placement

    def _prepare_wheel(self, packed: Packed, build_data: BuildData, placement: Placement) -> None:
        settings = packed.config
        emitted: dict[str, str] = {}
        written = module = ""
        for path, data in pipeline.emit(packed, settings.module_written, in_tree=False):
            # in the one-file form the path is empty; in the others what is imported comes last
            written, module = _below(settings.module_written, path), _below(placement.path, path)
            source = self._stage(data)
            emitted[source] = module
            build_data["force_include"][source] = written
        stub = pipeline.stub(packed)
        if stub is not None:
            source = self._stage(stub)
            emitted[source] = f"{module}i"
            build_data["force_include"][source] = f"{written}i"
        taken_out = [*footprint.emitted_paths(settings), sdist.FOLDER]
        copied: set[str] = set()
        home = copied_to = ""
        if settings.also_files:
            home, copied_to = copies.home(settings.module_written), copies.home(placement.path)
            for path, file in copies.files(packed.bundle):
                source = self._stage(file.bytes(), executable=file.executable)
                copied.add(source)
                build_data["force_include"][source] = f"{home}/{path}"
            # the checked files stand for a skills root that lies there
            taken_out += [
                path for path in footprint.root_paths(settings) if f"{path}/".startswith(f"{home}/")
            ]
        build_data["extra_metadata"][self._stage(packed.manifest(module, copied_to))] = MANIFEST
        self._selection.take_out(taken_out)
        if placement.stripped:
            self._selection.strip(placement.stripped)
        shipped = list(self._selection.files(build_data))
        shipping.refuse_second(shipped, emitted)
        if copied_to:
            shipping.refuse_beside(shipped, copied, copied_to)
        elif beside := copies.home(placement.path):
            shipping.refuse_altered(shipped, packed.bundle, beside)
        shipping.report(packed, shipped, "wheel")

    def _prepare_editable(self, packed: Packed, build_data: BuildData, placement: Placement) -> None:
        settings = packed.config
        module = settings.output()
        files = pipeline.emit(packed, settings.module_written, standing=folder_of(module))
        # a project may consist of skills alone; the place was just found to be one that the wheel ships
        module.parent.mkdir(parents=True, exist_ok=True)
        stub = pipeline.stub(packed)
        write.write_output(module, files, stub, root=settings.project, now=time.time())
        # an ignored file is none to hatchling, and where it is the only one nothing would be on the path
        written = settings.module_written
        build_data["artifacts"].append(
            pattern(written.removesuffix(".py") if settings.emits_folder else written)
        )
        if placement.stripped:
            self._selection.strip(placement.stripped)

    def _prepare_sdist(self, packed: Packed, build_data: BuildData) -> None:
        settings = packed.config
        for _ in pipeline.emit(packed, packed.config.module_written, in_tree=False):
            pass  # a wheel has to come of this sdist
        copies = {
            self._stage(data, executable=executable): path
            for path, data, executable in sdist.files(settings, packed.sources)
        }
        # a license file in a skill, say, which hatchling would take a second time
        targets = set(copies.values())
        own = {source: path for source, path in build_data["force_include"].items() if path not in targets}
        build_data["force_include"] = {**own, **copies}
        self._selection.take_out(
            [*footprint.emitted_paths(settings), *footprint.root_paths(settings), sdist.FOLDER]
        )
        shipping.report(packed, self._selection.files(build_data), "sdist")

    def _stage(self, data: bytes, *, executable: bool = False) -> str:
        self._staging = self._staging or Staging()
        return self._staging.add(data, executable=executable)


def _lines(error: SkillpackError | OSError | MemoryError) -> Iterable[str]:
    """Return what the command line prints of the same error."""
    match error:
        case RefusedError():
            return [*reporting.lines(error.findings), f"refused: {reporting.tally(error.findings)}"]
        case ConfigError():
            return [f"error: {visible(problem)}" for problem in error.problems]
        case OSError():
            path = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
            return [f"error: {visible(f'{path}{error.strerror}')}"]
        case MemoryError():
            return ["error: there is not enough memory for these skills"]
    return [f"error: {visible(str(error))}"]


def _below(module: str, path: str) -> str:
    """Return the place of an emitted file, of which `path` is what `pipeline.emit` gives, beside that of the module."""
    return f"{module.removesuffix('.py')}/{path}" if path else module
