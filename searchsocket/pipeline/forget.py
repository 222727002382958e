"""Removing what is kept of one scope, and of no other."""

import shutil
from contextlib import suppress

from searchsocket.access import make_private_folders
from searchsocket.errors import IndexCorrupt, StateUnavailable
from searchsocket.locks import scope_lock
from searchsocket.project import Project
from searchsocket.state.database import open_state, transaction, translated
from searchsocket.stores import make_store
from searchsocket.types import Scope


def forget_scope(project: Project, scope: Scope) -> None:
    """Delete the scope's index, mirror and state; the embedding cache is shared and stays.

    Raises:
        ProjectMismatch: The index belongs to another project.
        ScopeLocked: A run is at work on the scope.
        StateUnavailable: Something cannot be deleted.
    """
    store = make_store(project.settings.vector, project.state_dir, project.id)
    make_private_folders(project)
    with scope_lock(project.state_dir, scope.name):
        with suppress(IndexCorrupt):  # a damaged index may go
            store.generation(scope)  # that of another project may not: it is refused before anything is deleted
        # The state first: a crash in between leaves an index that is built anew, never a state that says "unchanged".
        _forget_state(project, scope)
        store.delete_scope(scope)
        state = project.state_dir
        for folder in (project.mirror_dir / scope.name, state / "tmp" / scope.name, state / "crawl" / scope.name):
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise StateUnavailable(f"cannot delete {folder}: {error.strerror or error}") from error


def _forget_state(project: Project, scope: Scope) -> None:
    path = project.state_dir / "state.db"
    if not path.exists():
        return
    with translated(path):
        db = open_state(path)
        try:
            with transaction(db):
                for table in ("scopes", "chunks", "chunked", "pages", "unpublished", "stage_results"):
                    db.execute(f"DELETE FROM {table} WHERE scope = ?", (scope.name,))
        finally:
            db.close()
