"""Remove all stored data of one scope."""

import shutil
from collections.abc import Mapping
from contextlib import nullcontext

from searchsocket.errors import IndexCorrupt
from searchsocket.pipeline.run.context import ScopeRun, homes_of
from searchsocket.pipeline.run.hooks import holding
from searchsocket.pipeline.run.report import reports_folder
from searchsocket.pipeline.unchanged.record import drop_records
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project
from searchsocket.state.project import ProjectState
from searchsocket.state.source_files import SourceFiles
from searchsocket.stores import make_store, make_vectors
from searchsocket.system.errors import system_error, system_errors
from searchsocket.types import Scope


def forget_scope(
    project: Project, scope: Scope, environ: Mapping[str, str], *, with_rows: bool = True, remote: bool = False
) -> None:
    """Delete the scope's index, mirror and state, in every corpus; the shared embedding cache is kept.

    Args:
        environ: Environment variables with addresses and keys.
        remote: Also delete the scope from a remote vector store.
        with_rows: False if the state of all scopes is deleted next.

    Raises:
        ProjectMismatch: The index belongs to another project.
        ScopeLocked: A run works on the scope.
        StateUnavailable: Something cannot be deleted.
        VectorBackendUnavailable: The remote store cannot be reached; nothing was deleted.
    """
    site, *others = homes_of(project)
    for home in (*others, site):  # while the site is there, the scope is listed
        if home is site or home.state_dir.is_dir():
            _forget(home, home.scope_named(scope.name), environ, with_rows=with_rows, remote=remote)


def _forget(project: Project, scope: Scope, environ: Mapping[str, str], *, with_rows: bool, remote: bool) -> None:
    here = project.settings.vector.model_copy(update={"provider": "local"})
    store = make_store(here, project.state_dir, project.id)
    index = make_vectors(project.settings.vector, project.id, project.environment(environ)) if remote else None
    state = ProjectState(project.state_dir)
    make_private_folders(project)
    with state.lock(scope.name), holding(ScopeRun(project, scope, "", environ=environ)) if remote else nullcontext():
        try:
            store.generation(scope)  # raises for another project's index, before anything is deleted
        except IndexCorrupt:
            store.repair(scope)  # a damaged index may be deleted
        if index:
            index.retain(scope, [])
        # Files first: on a full disk, deleting works and writing does not. After a crash in between, the next run
        # misses the generation and the mirror files that the rows refer to, and makes both again.
        store.delete_scope(scope)
        state_dir = project.state_dir
        for folder in (
            project.mirror_dir / scope.name,
            state_dir / "tmp" / scope.name,
            state_dir / "crawl" / scope.name,
            reports_folder(state_dir, scope.name),
        ):
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise system_error("cannot delete", folder, error) from error
        SourceFiles(state_dir).forget(scope.name)
        with system_errors("cannot delete", state_dir):
            drop_records(str(state_dir), scope.name)
        if with_rows:
            state.forget(scope.name)
