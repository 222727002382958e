"""Inputs and outputs of `searchsocket code sync`; if they are unchanged, it loads nothing."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from searchsocket.backends import Backends
from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.code.staleness import source_of
from searchsocket.pipeline.code.status import code_standing
from searchsocket.pipeline.unchanged.environment import digest
from searchsocket.pipeline.unchanged.inputs import deciding_files
from searchsocket.pipeline.unchanged.record import Record, record_path, written
from searchsocket.pipeline.unchanged.stamps import TICK_NS, bytes_of, file_clock_ns, names_in
from searchsocket.pipeline.unchanged.watched import Watched
from searchsocket.project.project import Project, index_folder
from searchsocket.sources.code.working_tree import WorkingTreeSource
from searchsocket.system.files import make_folder, write_atomic


def keep_code_record(
    project: Project,
    home: Project,
    backends: Backends,
    scope: str,
    asked: str | None,
    environ: Mapping[str, str],
    summary: Mapping[str, Any],
    now_ns: Callable[[], int],
) -> None:
    """Write down that nothing is stale, and what says so; not where that cannot be watched, or is a moment old only.

    Args:
        home: Of the source code; `backends` are its own.
        asked: The scope that the command named.
        summary: What the next sync answers.
    """
    source = source_of(project, home.scope_named(scope))
    if not isinstance(source, WorkingTreeSource) or project.settings.vector.provider != "local":
        return
    own = os.fspath(home.state_dir)
    with suppress(OSError, SearchSocketError), backends.state.lock(scope):  # who cannot keep one looks again next time
        began_ns = file_clock_ns(own, now_ns())
        decide = deciding_files(project)
        environment, bytes_now = digest(environ), bytes_of(decide)
        if code_standing(project, home, backends, scope, source).is_dirty or source.report.failed:
            return
        files, folders = tuple(sorted(set(source.files))), tuple(sorted(set(source.folders)))
        present = [path for path in (*files, *folders) if os.path.lexists(path)]
        if any(os.stat(path).st_ctime_ns >= began_ns - TICK_NS for path in present):  # noqa: PTH116
            return  # it may have changed since it was looked at, and show the same times
        index = index_folder(home.settings.vector, home.state_dir)
        left = (home.state_dir / "state.db", home.state_dir / "state.db-wal", index / scope, index / "PROJECT")
        cache = backends.cache_file
        held = cache.stat()
        record = Record(
            project=os.path.realpath(project.root),
            scope=scope,
            run_id="",
            environment=environment,
            files=decide,
            files_digest=bytes_now,
            source=Watched.at(files, began_ns),
            result=Watched.at(tuple(sorted(map(os.fspath, left))), began_ns),
            cache=(os.fspath(cache), held.st_ino, held.st_size),
            summary=summary,
            folders=folders,
            names=names_in(folders),
        )
        path = Path(record_path(own, asked))
        make_folder(path.parent)
        write_atomic(path, written(record))
