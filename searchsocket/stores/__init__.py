"""Stores of vectors, words and records. Extensions bring the databases on other machines."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

from searchsocket.errors import ConfigMissing
from searchsocket.extensions import store_named
from searchsocket.extensions.base import load
from searchsocket.project.project import index_folder
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.stores.base.vectors import VectorIndex, VectorLimits, VectorRow, VectorSnapshot, Written, whenever
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Scope, Vector, Vectors

if TYPE_CHECKING:
    from searchsocket.project.settings.model import VectorSettings
    from searchsocket.stores.base.tables import VectorTables
    from searchsocket.text.synonyms import SynonymSource


def make_store(
    settings: "VectorSettings",
    state_dir: Path,
    project_id: str,
    *,
    environ: Mapping[str, str] = MappingProxyType({}),
    synonyms: "SynonymSource | None" = None,
    local_only: bool = False,
) -> VectorStore:
    """The store that the settings name. It opens and writes nothing yet, and imports an engine at its first use.

    Args:
        state_dir: `vector.local.path` is relative to its parent folder; the default is inside it.
        environ: Contains addresses and keys.
        synonyms: From the settings and `curation.toml`; needed for searches only.
        local_only: The caller reads local data only and needs no address of a vector index.

    Raises:
        ConfigMissing: The environment lacks the address or key of the vector index.
    """
    from searchsocket.stores.local.store import LocalStore

    try:
        vectors = make_vectors(settings, project_id, environ)
    except ConfigMissing as error:
        if not local_only:
            raise
        vectors = Unaddressed(error)
    return LocalStore(
        index_folder(settings, state_dir),
        project_id,
        max_records=settings.local.max_records,
        vectors=vectors,
        synonyms=synonyms,
    )


def make_vectors(settings: "VectorSettings", project_id: str, environ: Mapping[str, str]) -> VectorIndex | None:
    """The remote vector index; None: vectors are in the index folder.

    Raises:
        ConfigMissing: The environment lacks its address or key, or nothing that is installed has the store.
    """
    if settings.provider == "local":
        return None
    store = store_named(settings.provider)
    if store and store.index:
        index: VectorIndex = load(store.index)(getattr(settings, settings.provider), project_id, environ)
        return index
    from searchsocket.stores.table_vectors import TableVectors

    return TableVectors(make_tables(settings, project_id, environ), project_id)


def make_tables(settings: "VectorSettings", project_id: str, environ: Mapping[str, str]) -> "VectorTables":
    """The database of a store that keeps its rows in tables.

    Raises:
        ConfigMissing: As `make_vectors`.
    """
    if store := store_named(settings.provider):
        tables: VectorTables = load(store.tables)(getattr(settings, settings.provider), project_id, environ)
        return tables
    from searchsocket.stores.installed import make_installed

    return make_installed(settings, environ)


class Unaddressed(VectorIndex, VectorSnapshot):
    """Opens every generation and sends no request: each method that needs the server raises the error of the settings.

    Args:
        error: The error that names the missing address or key.
    """

    def __init__(self, error: ConfigMissing) -> None:
        self._error = error

    @property
    def limits(self) -> VectorLimits:
        return VectorLimits(is_remote=True)

    def open(self, generation: Generation, written: Written = whenever) -> VectorSnapshot:
        """Return this object; every query of it raises the error."""
        return self

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        """Raise the error."""
        self._refuse()

    def seal(self, generation: Generation) -> None:
        """Raise the error."""
        self._refuse()

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Raise the error."""
        self._refuse()

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """Raise the error."""
        self._refuse()

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Raise the error."""
        self._refuse()

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Raise the error."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise self._error
