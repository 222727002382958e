"""Removing what is kept of one scope, and of no other."""

import shutil
from collections.abc import Mapping

from searchsocket.errors import IndexCorrupt
from searchsocket.project.access import make_private_folders
from searchsocket.project.corpora import code_home
from searchsocket.project.project import Project
from searchsocket.state import make_state
from searchsocket.stores import make_store
from searchsocket.system.errors import system_error
from searchsocket.types import Scope


def forget_scope(project: Project, scope: Scope, environ: Mapping[str, str], *, with_rows: bool = True) -> None:
    """Delete the scope's index, mirror and state, those of its code too; the embedding cache is shared and stays.

    Args:
        environ: Where addresses and keys are read.
        with_rows: False where the state of all scopes is deleted next.

    Raises:
        ProjectMismatch: The index belongs to another project.
        ScopeLocked: A run is at work on the scope.
        StateUnavailable: Something cannot be deleted.
    """
    code = code_home(project)
    if code.state_dir.is_dir():
        _forget(code, code.scope_named(scope.name), environ, with_rows=with_rows)
    _forget(project, scope, environ, with_rows=with_rows)


def _forget(project: Project, scope: Scope, environ: Mapping[str, str], *, with_rows: bool) -> None:
    store = make_store(project.settings.vector, project.state_dir, project.id, environ=environ)
    state = make_state(project.state_dir)
    make_private_folders(project)
    with state.lock(scope.name):
        try:
            store.generation(scope)  # that of another project is refused before anything is deleted
        except IndexCorrupt:
            store.repair(scope)  # a damaged one may go
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
        if with_rows:
            state.forget(scope.name)
