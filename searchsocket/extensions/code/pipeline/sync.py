"""Update the index of a scope's source code in this process; if nothing changed, no run starts."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from searchsocket.events import OnEvent, ignore
from searchsocket.extensions.code.corpus import CODE
from searchsocket.extensions.code.parsing.paths import PathFilter
from searchsocket.extensions.code.pipeline.status import CodeComparison
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project
from searchsocket.state.project import ProjectState
from searchsocket.system.locators import path_of

if TYPE_CHECKING:
    from searchsocket.pipeline.run.summary import IndexSummary

_WAIT_S = 60.0  # for another run of the scope


def sync_code(
    project: Project,
    scope: str,
    comparison: CodeComparison,
    environ: Mapping[str, str],
    *,
    run_id: str,
    on_event: OnEvent = ignore,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> "IndexSummary | None":
    """Index stale files; None if there are none.

    Raises:
        SearchSocketError: A stage failed, or another run works on the scope; the live index is unchanged.
    """
    if not comparison.is_dirty:
        return None
    from searchsocket.pipeline.run.index import index_scope  # a third of the loading time, for a change only

    make_private_folders(project)  # the project's folder, which contains that of its code
    run = ScopeRun(
        project,
        project.scope_named(scope),
        run_id,
        RunOptions(),
        on_event,
        clock,
        environ,
        lock_timeout_s=_WAIT_S,
    )
    return index_scope(run.of(CODE))


def invalidate_code(home: Project, scope: str, pattern: str) -> tuple[str, ...]:
    """Mark the indexed files below a folder, or those that match a glob, for the next run.

    Until then, results show them as changed.

    Returns:
        The paths of the marked files.

    Raises:
        InvalidRequest: The pattern is invalid.
        ScopeLocked: A run works on the scope.
    """
    state = ProjectState(home.state_dir)
    files = PathFilter(pattern).checked()
    matches = files.matcher() or files.takes
    listed = state.listed(scope)
    paths = {url: path_of(file.locator) for url, file in listed.items()}
    urls = [url for url, path in paths.items() if matches(path)]
    if urls:
        with state.lock(scope), state.open(scope) as scope_state, scope_state.transaction():
            scope_state.extracts.forget(urls)
    return tuple(paths[url] for url in urls)
