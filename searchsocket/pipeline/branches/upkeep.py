"""Delete the leftovers of interrupted runs, for every scope."""

import shutil
from collections.abc import Iterator

from searchsocket.backends import Backends
from searchsocket.errors import IndexCorrupt, ScopeLocked
from searchsocket.pipeline.branches.scopes import existing_scopes
from searchsocket.project.project import Project, index_folder
from searchsocket.stores.local.layout import read_current, remove_leftovers
from searchsocket.system.disk_space import Freed
from searchsocket.system.files import bytes_below
from searchsocket.system.locks import scope_lock


def tidy_scopes(project: Project, backends: Backends) -> Iterator[Freed]:
    """Delete the leftovers of interrupted runs, and generations that are neither live nor the previous one.

    A scope with a running run is left alone.
    """
    index = index_folder(project.settings.vector, project.state_dir)
    for scope in existing_scopes(project, backends.store)[0]:
        folders = (index / scope.name, project.state_dir / "tmp" / scope.name)
        before = sum(map(bytes_below, folders))
        note = ""
        try:
            with backends.state.lock(scope.name), scope_lock(index, scope.name):
                remove_leftovers(folders[0], read_current(folders[0]))
                backends.store.discard(scope)
                shutil.rmtree(folders[1], ignore_errors=True)
        except (ScopeLocked, IndexCorrupt) as error:
            note = str(error)
        freed = before - sum(map(bytes_below, folders))
        if freed or note:
            yield Freed("leftovers", scope.name, max(0, freed), note)
