"""Inputs and outputs of `searchsocket code sync`; if they are unchanged, it loads nothing."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress

from searchsocket.backends import Backends
from searchsocket.errors import SearchSocketError
from searchsocket.extensions.code.pipeline.staleness import compare_code, source_of
from searchsocket.extensions.code.sources.files import WorkingTreeSource
from searchsocket.pipeline.run.hooks import listeners_of
from searchsocket.pipeline.unchanged.inputs import cache_of, deciding_files, result_of, write_record
from searchsocket.pipeline.unchanged.record import RunRecord
from searchsocket.pipeline.unchanged.snapshot import TICK_NS, Paths, Snapshot, digest, file_clock_ns
from searchsocket.project.project import Project
from searchsocket.system.json_text import JsonObject


def keep_code_record(
    project: Project,
    home: Project,
    backends: Backends,
    scope: str,
    scope_name: str | None,
    environ: Mapping[str, str],
    summary: JsonObject,
    now_ns: Callable[[], int],
) -> None:
    """Record that nothing is stale, with the evidence; not if that cannot be watched, or changed only a moment ago.

    Args:
        home: The home of the source code; `backends` belong to it.
        scope_name: The scope that the command named.
        summary: The result of the next sync.
    """
    source = source_of(project, home.scope_named(scope))
    if (
        listeners_of(project.settings)
        or not isinstance(source, WorkingTreeSource)
        or project.settings.vector.provider != "local"
    ):
        return
    own = os.fspath(home.state_dir)
    with suppress(OSError, SearchSocketError), backends.state.lock(scope):  # without a record, the next sync checks all
        began_ns = file_clock_ns(own, now_ns())
        environment = digest(environ)
        settings = Snapshot.at(Paths(contents=deciding_files(project)), began_ns)
        if compare_code(project, home, backends, scope, source).is_dirty or source.report.failed:
            return
        files, folders = tuple(sorted(set(source.files))), tuple(sorted(set(source.folders)))
        present = [path for path in (*files, *folders) if os.path.lexists(path)]
        if any(os.stat(path).st_ctime_ns >= began_ns - TICK_NS for path in present):
            return  # a change after the check could have the same times
        record = RunRecord(
            project=os.path.realpath(project.root),
            scope=scope,
            run_id="",
            environment=environment,
            snapshots=(
                settings,
                Snapshot.at(Paths(files, listings=folders), began_ns),
                result_of(home, scope, began_ns),
            ),
            cache=cache_of(backends.cache_file),
            summary=summary,
        )
        write_record(record, home, scope_name)
