"""Removing what is kept of one scope, and of no other."""

import shutil

from searchsocket.errors import IndexCorrupt
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project
from searchsocket.state.database import open_state, transaction, translated
from searchsocket.stores import make_store
from searchsocket.system.errors import system_error
from searchsocket.system.locks import scope_lock
from searchsocket.types import Scope


def forget_scope(project: Project, scope: Scope, *, with_rows: bool = True) -> None:
    """Delete the scope's index, mirror and state; the embedding cache is shared and stays.

    Args:
        with_rows: False where all of `state.db` is deleted next.

    Raises:
        ProjectMismatch: The index belongs to another project.
        ScopeLocked: A run is at work on the scope.
        StateUnavailable: Something cannot be deleted.
    """
    store = make_store(project.settings.vector, project.state_dir, project.id)
    make_private_folders(project)
    with scope_lock(project.state_dir, scope.name):
        try:
            store.generation(scope)  # that of another project is refused before anything is deleted
        except IndexCorrupt:
            store.repair(scope)  # a damaged one may go
        # Files first: a full disk lets nobody write, and lets everybody delete. After a crash in between, the next run
        # finds neither the generation nor the mirror files that the rows speak of, and makes both anew.
        store.delete_scope(scope)
        state = project.state_dir
        for folder in (project.mirror_dir / scope.name, state / "tmp" / scope.name, state / "crawl" / scope.name):
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise system_error("cannot delete", folder, error) from error
        if with_rows:
            _forget_state(project, scope)


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
