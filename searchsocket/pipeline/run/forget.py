"""Removing what is kept of one scope, and of no other."""

import shutil
from collections.abc import Mapping
from contextlib import nullcontext

from searchsocket.errors import IndexCorrupt
from searchsocket.pipeline.unchanged.record import drop_records
from searchsocket.project.access import make_private_folders
from searchsocket.project.corpora import code_home
from searchsocket.project.project import Project
from searchsocket.state import ProjectState
from searchsocket.stores import make_store, make_vectors
from searchsocket.stores.artifacts.live import scope_lease
from searchsocket.system.errors import system_error
from searchsocket.types import Scope


def forget_scope(
    project: Project, scope: Scope, environ: Mapping[str, str], *, with_rows: bool = True, remote: bool = False
) -> None:
    """Delete the scope's index, mirror and state, those of its code too; the embedding cache is shared and stays.

    Args:
        environ: Where addresses and keys are read.
        remote: Whether what a vector store elsewhere holds of the scope goes too.
        with_rows: False where the state of all scopes is deleted next.

    Raises:
        ProjectMismatch: The index belongs to another project.
        ScopeLocked: A run is at work on the scope.
        StateUnavailable: Something cannot be deleted.
        VectorBackendUnavailable: The store elsewhere cannot be reached; nothing was deleted.
    """
    code = code_home(project)
    if code.state_dir.is_dir():
        _forget(code, code.scope_named(scope.name), environ, with_rows=with_rows, remote=remote)
    _forget(project, scope, environ, with_rows=with_rows, remote=remote)


def _forget(project: Project, scope: Scope, environ: Mapping[str, str], *, with_rows: bool, remote: bool) -> None:
    here = project.settings.vector.model_copy(update={"provider": "local"})
    store = make_store(here, project.state_dir, project.id)
    index = make_vectors(project.settings.vector, project.id, environ) if remote else None
    state = ProjectState(project.state_dir)
    make_private_folders(project)
    with state.lock(scope.name), scope_lease(project, scope) if remote else nullcontext():
        try:
            store.generation(scope)  # that of another project is refused before anything is deleted
        except IndexCorrupt:
            store.repair(scope)  # a damaged one may go
        if index:
            index.retain(scope, [])
        # Files first: a full disk lets nobody write, and lets everybody delete. After a crash in between, the next run
        # finds neither the generation nor the mirror files that the rows speak of, and makes both anew.
        store.delete_scope(scope)
        written = project.state_dir
        for folder in (project.mirror_dir / scope.name, written / "tmp" / scope.name, written / "crawl" / scope.name):
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise system_error("cannot delete", folder, error) from error
        try:
            drop_records(str(written), scope.name)
        except OSError as error:
            raise system_error("cannot delete", written, error) from error
        if with_rows:
            state.forget(scope.name)
