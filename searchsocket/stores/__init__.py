"""Stores of vectors, words and records: one folder per store."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

from searchsocket.errors import ConfigMissing, KeyMissing
from searchsocket.project.project import index_folder
from searchsocket.stores.base import VectorIndex, VectorSnapshot, VectorStore
from searchsocket.stores.base.vectors import VectorLimits, VectorRow, Written, whenever
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Scope, Vector, Vectors

if TYPE_CHECKING:
    from searchsocket.project.settings.model import MilvusSettings, PineconeSettings, VectorSettings
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
    from searchsocket.stores.local import LocalStore

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
        ConfigMissing: The environment lacks its address or key.
    """
    match settings.provider:
        case "local":
            return None
        case "milvus":
            return _milvus(settings.milvus, project_id, environ)
        case "pinecone":
            return _pinecone(settings.pinecone, project_id, environ)
        case _:
            from searchsocket.stores.table_vectors import TableVectors

            return TableVectors(make_tables(settings, project_id, environ), project_id)


def make_tables(settings: "VectorSettings", project_id: str, environ: Mapping[str, str]) -> "VectorTables":
    """The database of a store that keeps its rows in tables.

    Raises:
        ConfigMissing: The environment lacks its address, or no installed package has the store.
    """
    match settings.provider:
        case "pgvector":
            from searchsocket.stores.pgvector import PgvectorTables

            postgres = settings.pgvector
            url = _address("pgvector", postgres.url_env, environ, "postgresql://user:password@host/database")
            hnsw = postgres.hnsw if postgres.index == "hnsw" else None
            return PgvectorTables(url, postgres.table or project_id, hnsw=hnsw, timeout_s=postgres.timeout_s)
        case "qdrant":
            from searchsocket.stores.qdrant import QdrantTables

            qdrant = settings.qdrant
            return QdrantTables(
                _address("qdrant", qdrant.url_env, environ, "http://127.0.0.1:6333"),
                qdrant.collection or project_id,
                api_key=environ.get(qdrant.api_key_env, "") if qdrant.api_key_env else "",
                hnsw=qdrant.hnsw if qdrant.index == "hnsw" else None,
                timeout_s=qdrant.timeout_s,
            )
        case _:
            from searchsocket.stores.installed import make_installed

            return make_installed(settings, environ)


def _address(provider: str, variable: str, environ: Mapping[str, str], example: str) -> str:
    """
    Raises:
        KeyMissing: The variable is not set.
    """
    if address := environ.get(variable, "").strip():
        return address
    raise KeyMissing(
        f"vector.provider is {provider}, but the environment variable {variable} with the server's address is not set, "
        f"e.g. {example}",
        f"set ${variable}",
    )


def _milvus(settings: "MilvusSettings", project_id: str, environ: Mapping[str, str]) -> VectorIndex:
    from searchsocket.stores.milvus import make_milvus

    uri = _address("milvus", settings.uri_env, environ, "http://127.0.0.1:19530")
    token = environ.get(settings.token_env, "") if settings.token_env else ""
    return make_milvus(settings, project_id, uri, token)


def _pinecone(settings: "PineconeSettings", project_id: str, environ: Mapping[str, str]) -> VectorIndex:
    from searchsocket.stores.pinecone import make_pinecone

    if not (key := environ.get(settings.api_key_env, "").strip()):
        raise KeyMissing(
            f"vector.provider is pinecone, but the environment variable {settings.api_key_env} with the key of a "
            "Pinecone project is not set",
            f"set ${settings.api_key_env}",
        )
    host = environ.get("PINECONE_CONTROLLER_HOST", "")  # the vendor's own variable
    return make_pinecone(settings, project_id, key, host)


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
        """See `VectorIndex.open`."""
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
