"""Write the indexes of a project again in the format of this release; no text is embedded."""

from collections.abc import Mapping
from dataclasses import dataclass

from searchsocket.backends import Backends
from searchsocket.errors import IndexFormat, ScopeNotIndexed, SearchSocketError
from searchsocket.pipeline.run.context import ScopeRun, corpora_by_name
from searchsocket.pipeline.run.hooks import changing
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project, index_folder
from searchsocket.stores.base.vector_store import PublishInfo
from searchsocket.stores.local.layout import FORMAT
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Scope


@dataclass(frozen=True, slots=True)
class IndexedScope:
    """One index: a scope of a corpus."""

    corpus: str
    project: Project  # with the settings of the corpus
    scope: Scope
    format: int  # of the live generation; 0 = it cannot be read
    error: SearchSocketError | None = None  # the reason if it cannot be read

    @property
    def is_older(self) -> bool:
        """Return True if an older release wrote it."""
        return isinstance(self.error, IndexFormat) if self.error else self.format < FORMAT


def indexed_scopes(project: Project) -> list[IndexedScope]:
    """Return the indexes of a project on this machine: those of the site by scope, then those of other corpora.

    Raises:
        ProjectMismatch: The index belongs to another project.
        VectorBackendUnavailable: The index folder cannot be read.
    """
    indexed = []
    for corpus in corpora_by_name().values():
        own = corpus.home(project)
        store = LocalStore(index_folder(own.settings.vector, own.state_dir), own.id)
        for name, generation in store.scopes():
            scope = own.scope_named(name)
            if isinstance(generation, SearchSocketError):
                indexed.append(IndexedScope(corpus.name, own, scope, 0, generation))
            elif manifest := store.manifest(scope):
                indexed.append(IndexedScope(corpus.name, own, scope, manifest.format))
    return indexed


def upgrade_scope(indexed: IndexedScope, environ: Mapping[str, str]) -> str:
    """Publish the live generation of a scope in the format of this release.

    A killed upgrade leaves the old generation live, and can be run again.

    Returns:
        The name of the new generation.

    Raises:
        ScopeLocked: A run works on the scope.
        IndexFormat: The format is so old that the scope must be indexed again.
        SearchSocketError: The index is damaged or cannot be written, or a hook of an extension refuses the change.
    """
    if indexed.error:
        raise indexed.error
    project, scope = indexed.project, indexed.scope
    backends = Backends(project, environ, calls=False)
    make_private_folders(project)
    run = ScopeRun(project, scope, "", environ=environ, corpus=corpora_by_name()[indexed.corpus])
    with backends.state.lock(scope.name), changing(run):
        before = backends.store.generation(scope)
        if before is None:
            raise ScopeNotIndexed(scope.name)
        info = PublishInfo.of(before)
        generation = backends.store.publish(scope, info, gate=lambda _: before.recall)
    return generation.name
