"""Inputs and outputs of a run as files, to detect changes."""

import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from searchsocket.curation.rules import FILE_NAME
from searchsocket.errors import SearchSocketError, StateUnavailable
from searchsocket.extensions import extensions
from searchsocket.pipeline.extraction.job import extraction_key, project_converter
from searchsocket.pipeline.run.context import ScopeRun, corpora_of
from searchsocket.pipeline.run.hooks import hooks_of, listeners_of
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.pipeline.unchanged.record import RunRecord, record_bytes, record_path
from searchsocket.pipeline.unchanged.snapshot import CONFIGURATION, Paths, Snapshot, digest, file_clock_ns
from searchsocket.project.project import Project, index_folder
from searchsocket.sources.build_folder import find_build
from searchsocket.sources.files import is_inside
from searchsocket.sources.generators import used_generators
from searchsocket.sources.static_output import StaticOutputSource
from searchsocket.system.files import make_folder, write_atomic
from searchsocket.system.git import ask_git
from searchsocket.web.routes.kit import read_kit


@dataclass(frozen=True, slots=True)
class Inputs:
    """Inputs of the next run."""

    environment: str
    snapshot: Snapshot


def inputs_of(run: ScopeRun, now_ns: int) -> Inputs | None:
    """The inputs of the run, taken before it reads them; None if some of them are not files.

    Args:
        now_ns: The clock, before any file is checked.
    """
    settings = run.project.settings
    is_elsewhere = settings.vector.provider != "local" or hooks_of(run) or settings.extract.converters
    if is_elsewhere or len(corpora_of(settings)) > 1 or run.options.stated() or run.workspace is not None:
        return None
    try:
        if not isinstance(run.make_source(), StaticOutputSource):
            return None
        files, folders = files_and_folders(run)
        own = os.path.realpath(run.project.state_dir)
        if any(is_inside(own, os.path.realpath(folder)) for folder in folders):
            return None  # the run writes into a folder that it reads
        now_ns = file_clock_ns(own, now_ns)
        return Inputs(digest(run.environ), Snapshot.at(Paths(folders, files), now_ns))
    except (SearchSocketError, OSError):
        return None  # the run will report the problem


def files_and_folders(run: ScopeRun) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files and folders that a run reads, including missing ones that may appear."""
    root, settings = run.project.root, run.project.settings
    names = [*CONFIGURATION, FILE_NAME]

    def read(name: str) -> str | None:
        names.append(name)
        try:
            return (root / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    used_generators(read)
    kit = read_kit(read, settings.routes.dir, settings.routes.static_dir)
    configured = settings.source.static_output_dir.replace("{scope}", run.scope.name)
    folders = [configured] if configured else [*find_build(root).candidates_checked]
    folders += [kit.routes_dir, kit.static_dir]
    for extension in (each for each in extensions() if each.is_on(settings)):
        paths = (extension.setting(settings, key) for key in (extension.output_dir, *extension.input_paths))
        folders += [path.replace("{scope}", run.scope.name) for path in paths if path]
    if settings.embeddings.provider == "onnx":
        folders.append(settings.embeddings.model)  # an absolute path if it is a folder
    if settings.scope.mode == "git":
        names.append(_head(root))
    return _distinct(root, names), _distinct(root, folders)


def deciding_files(project: Project) -> tuple[str, ...]:
    """Small files that define a project and its current scope, existing or not."""
    head = [_head(project.root)] if project.settings.scope.mode == "git" else []
    return _distinct(project.root, [*CONFIGURATION, *head])


def _distinct(root: Path, names: list[str]) -> tuple[str, ...]:
    return tuple(sorted({os.path.join(root, name) for name in names}))


def _head(root: Path) -> str:
    """The file that names the branch; without git, its usual path, whose absence is watched."""
    with suppress(OSError, subprocess.SubprocessError):
        return f"{ask_git(root, 'rev-parse', '--absolute-git-dir')}/HEAD"
    return ".git/HEAD"


def keep_record(run: ScopeRun, inputs: Inputs, summary: IndexSummary, scope_name: str | None, now_ns: int) -> None:
    """Write the record of a successful run, if another run would find nothing to do; the caller has the lock.

    Args:
        inputs: Inputs taken before the run.
        scope_name: The scope that the command named.
        now_ns: The clock, after the run.
    """
    if listeners_of(run.project.settings):
        return  # they are told of each run
    if summary.pages["failed"] or not summary.deletion_eligible or not summary.generation or not _is_settled(run):
        return
    with suppress(OSError, StateUnavailable):  # then the next run checks everything
        project = run.project
        results = result_of(project, run.scope.name, now_ns, project.mirror_dir / run.scope.name)
        record = RunRecord(
            project=os.path.realpath(project.root),
            scope=run.scope.name,
            run_id=run.run_id,
            environment=inputs.environment,
            snapshots=(inputs.snapshot, results),
            cache=cache_of(run.backends.cache_file),
            summary=_of_no_change(summary).to_json(),
        )
        write_record(record, project, scope_name)


def result_of(home: Project, scope: str, now_ns: int, *more: Path) -> Snapshot:
    """A snapshot of the results of a run: state, index, and more.

    Raises:
        OSError: A file cannot be read.
    """
    index, state = index_folder(home.settings.vector, home.state_dir), home.state_dir / "state.db"
    paths = (state, Path(f"{state}-wal"), index / scope, index / "PROJECT", *more)
    trees = tuple(sorted(map(os.fspath, paths)))
    return Snapshot.at(Paths(trees), file_clock_ns(os.fspath(home.state_dir), now_ns))


def cache_of(file: Path) -> tuple[str, int, int]:
    """The embedding cache: path, inode and size."""
    info = file.stat()
    return os.fspath(file), info.st_ino, info.st_size


def write_record(record: RunRecord, home: Project, scope_name: str | None) -> None:
    """Write the record of a corpus into its state folder.

    Raises:
        StateUnavailable: The folder cannot be written.
    """
    path = Path(record_path(os.fspath(home.state_dir), scope_name))
    make_folder(path.parent)
    write_atomic(path, record_bytes(record))


def _is_settled(run: ScopeRun) -> bool:
    """Return True if a run over the same input would neither read a page again nor write anything."""
    settings = run.project.settings
    how = extraction_key(settings, run.site, project_converter(run.project.root, settings))
    live = run.backends.store.generation(run.scope)
    with run.state.open(run.scope.name) as state:
        return (
            not state.extracts.stale(how, everything=False)
            and not state.mirror.dirty()
            and state.published.is_of(live)
            and next(iter(state.published.changes()), None) is None
        )


def _of_no_change(summary: IndexSummary) -> IndexSummary:
    """The summary of a run without changes."""
    return replace(
        summary,
        pages={**summary.pages, "removed": 0},
        chunks={**summary.chunks, "changed": 0},
        embeddings={"reused": 0, "created": 0, "cut": 0, "leftOut": 0},
        records={"upserted": 0, "deleted": 0},
        estimated_tokens=0,
        estimated_cost_usd=0.0,
        seconds={},
    )
