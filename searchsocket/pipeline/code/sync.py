"""Brings the index of a scope's source code up to date, in this process: where nothing changed there is no run."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from searchsocket.code.paths import PathFilter
from searchsocket.events import OnEvent, ignore
from searchsocket.pipeline.code.status import CodeStanding
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project
from searchsocket.state import ProjectState
from searchsocket.system.locators import path_of

if TYPE_CHECKING:
    from searchsocket.pipeline.run.summary import IndexSummary

_WAIT_S = 60.0  # for another run of the scope


def sync_code(
    project: Project,
    scope: str,
    standing: CodeStanding,
    environ: Mapping[str, str],
    *,
    run_id: str,
    on_event: OnEvent = ignore,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> "IndexSummary | None":
    """Index what is stale; None where nothing is.

    Raises:
        SearchSocketError: A stage failed, or another run works on the scope; the live index is as it was.
    """
    if not standing.is_dirty:
        return None
    # Nothing of this is needed to know that nothing changed: half of what loading takes.
    from searchsocket.pipeline.run.context import ScopeRun
    from searchsocket.pipeline.run.corpora import CODE
    from searchsocket.pipeline.run.index import index_scope
    from searchsocket.pipeline.run.options import RunOptions

    make_private_folders(project)  # the one around that of its code
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
    """Mark the indexed files below a folder, or that a glob matches: they are read and cut again by the next run.

    Until then results say of them that they changed.

    Returns:
        Their paths.

    Raises:
        InvalidRequest: The pattern is none.
        ScopeLocked: A run works on the scope.
    """
    state = ProjectState(home.state_dir)
    files = PathFilter(pattern).checked()
    matches = files.matcher() or files.takes
    listed = state.listed(scope)
    paths = {url: path_of(file.locator) for url, file in listed.items()}
    urls = [url for url, path in paths.items() if matches(path)]
    if urls:
        with state.lock(scope), state.open(scope) as opened, opened.transaction():
            opened.extracts.forget(urls)
    return tuple(paths[url] for url in urls)
