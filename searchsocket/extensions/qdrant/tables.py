"""Vectors in Qdrant, on a server or in a folder (the client's local mode, for a try).

Tested with the local mode of qdrant-client 1.20 only: no package registry has a server for the tests.
"""

import math
import re
import threading
import uuid
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from searchsocket.errors import ConfigMissing, VectorBackendRefused, VectorBackendUnavailable
from searchsocket.extensions.qdrant.settings import QdrantSettings
from searchsocket.project.settings.section import HnswSettings
from searchsocket.stores.base.conditions import Among, Between, Condition, Conditions, Either
from searchsocket.stores.base.naming import index_text, server_address
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.tables import FIELDS, TableRow
from searchsocket.system.batches import batches
from searchsocket.text.provider_words import provider_message
from searchsocket.types import EXACT, Vector

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

T = TypeVar("T")

_MAX_NUMBERS = 700_000  # of one request, which a server accepts up to 32 MB
_PAGE_ROWS = 1_000
_PAYLOAD_FIELDS = ["record", "born", "note"]
_ADVICE = {
    401: "it rejects the key; set a valid key in the variable of vector.qdrant.api_key_env",
    403: "the key in the variable of vector.qdrant.api_key_env lacks permission",
    404: "the collection does not exist; `searchsocket index --resync` creates and fills it, without embedding again",
}
_PASSING = (408, 429, 500, 502, 503, 504)


class QdrantTables:
    """Implements `VectorTables`: a collection for each number of dimensions."""

    max_rows = 10_000
    tolerance = 0.0

    def __init__(
        self, address: str, name: str, *, api_key: str = "", hnsw: HnswSettings | None = None, timeout_s: float = 10.0
    ) -> None:
        """Connects to nothing yet.

        Args:
            address: URL of a server, or a folder for the local mode.
            name: Prefix of the collection names.
            api_key: "" = the server needs none.
            hnsw: Finds most of the nearest rows by a graph; None compares all rows.
            timeout_s: For each request.
        """
        self.hnsw = hnsw
        self.index = index_text("hnsw", hnsw.model_dump()) if hnsw else EXACT
        self.is_local = "://" not in address
        self._address = address
        self._prefix = re.sub(r"\W", "_", name, flags=re.ASCII)
        self._api_key = api_key
        self._timeout_s = max(1, math.ceil(timeout_s))
        self._lock = threading.Lock()
        self._client: QdrantClient | None = None

    def __repr__(self) -> str:
        return f"QdrantTables({self._prefix})"

    def dimensions(self) -> Sequence[int]:
        """The numbers of dimensions of which there is a table."""
        collections = self.call(lambda client: client.get_collections()).collections
        matches = (re.fullmatch(rf"{self._prefix}_(\d+)", collection.name) for collection in collections)
        return sorted(int(match[1]) for match in matches if match)

    def create(self, dimensions: int) -> None:
        """Create the table if it does not exist, and switch its graph on or off as the settings require."""
        from qdrant_client import models

        name = f"{self._prefix}_{dimensions}"
        graph = models.HnswConfigDiff(m=0)  # no graph is built
        if self.hnsw:
            graph = models.HnswConfigDiff(m=self.hnsw.m, ef_construct=self.hnsw.ef_construction)
        vectors = models.VectorParams(size=dimensions, distance=models.Distance.DOT)  # of unit vectors: the cosine
        if self.call(lambda client: client.collection_exists(name)):
            if not self.is_local:
                self.call(lambda client: client.update_collection(name, hnsw_config=graph))
            return
        self.call(lambda client: client.create_collection(name, vectors, hnsw_config=graph))
        for field, kind in {} if self.is_local else FIELDS.items():
            self._index(name, field, models.PayloadSchemaType("integer" if kind is int else "keyword"))

    def _index(self, name: str, field: str, kind: "models.PayloadSchemaType") -> None:
        self.call(lambda client: client.create_payload_index(name, field, kind))

    def table(self, dimensions: int) -> "QdrantTable":
        """The table of vectors with this number of dimensions; calls nothing."""
        return QdrantTable(self, f"{self._prefix}_{dimensions}", dimensions)

    def begin(self) -> None:
        """Do nothing: Qdrant has no transactions."""

    def seal(self) -> None:
        """Do nothing: each write returned when it was visible."""

    def drop(self, dimensions: int) -> None:
        """Delete a table that has no rows left, if it exists."""
        self.call(lambda client: client.delete_collection(f"{self._prefix}_{dimensions}"))

    def call(self, ask: "Callable[[QdrantClient], T]") -> T:
        """The answer of the client.

        Raises:
            VectorBackendUnavailable: The server cannot be reached, or refuses.
        """
        client = self._connected()
        try:
            return ask(client)
        except Exception as error:  # noqa: BLE001  the client's own errors, and plain ones in local mode
            raise _refusal(error, self._api_key) from None

    def _connected(self) -> "QdrantClient":
        try:
            from qdrant_client import QdrantClient
        except ImportError as error:
            raise ConfigMissing(
                "vector.provider is qdrant, which needs the client: pip install 'searchsocket[qdrant]'"
            ) from error
        with self._lock:
            if self._client is None:
                try:
                    self._client = self._new_client(QdrantClient)
                except Exception as error:  # noqa: BLE001  a folder that is in use, an address that cannot be read
                    raise _refusal(error, self._api_key) from None
            return self._client

    def _new_client(self, kind: "type[QdrantClient]") -> "QdrantClient":
        if self.is_local:
            return kind(path=self._address, force_disable_check_same_thread=True)
        warnings.filterwarnings("ignore", "Api key is used with an insecure connection")  # as on one's own machine
        return kind(
            url=self._address,
            api_key=self._api_key or None,
            timeout=self._timeout_s,
            check_compatibility=False,  # a request, and a warning on stderr
        )


def make_tables(settings: QdrantSettings, project_id: str, environ: Mapping[str, str]) -> QdrantTables:
    """The collections of a project; connects to nothing yet.

    Raises:
        KeyMissing: The environment lacks the server's address.
    """
    return QdrantTables(
        server_address("qdrant", settings.url_env, environ, "http://127.0.0.1:6333"),
        settings.collection or project_id,
        api_key=environ.get(settings.api_key_env, "") if settings.api_key_env else "",
        hnsw=settings.hnsw if settings.index == "hnsw" else None,
        timeout_s=settings.timeout_s,
    )


def _refusal(error: Exception, api_key: str) -> VectorBackendUnavailable:
    """The error to raise; the key is never part of it."""
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, UnexpectedResponse):
        status = error.status_code or 0
        text = f"Qdrant answers {status}: {provider_message(error.content.decode('utf-8', 'replace'), api_key)}"
        text = f"{text}; {_ADVICE[status]}" if status in _ADVICE else text
        return (VectorBackendUnavailable if status in _PASSING else VectorBackendRefused)(text)
    text = f"Qdrant: {provider_message(str(error), api_key) or type(error).__name__}"
    if isinstance(error, ResponseHandlingException):
        return VectorBackendUnavailable(text)
    if re.search(r"Collection \S+ not found", text):
        text = f"{text}; {_ADVICE[404]}"
    return VectorBackendRefused(text)


class QdrantTable:
    """Implements `VectorTable`."""

    def __init__(self, tables: QdrantTables, name: str, dimensions: int) -> None:
        self._tables = tables
        self._name = name
        self._dimensions = dimensions

    def upsert(self, rows: Sequence[TableRow]) -> None:
        """Write at most 500 rows; a row with the key of another replaces it."""
        for batch in batches(map(_point, rows), max(1, _MAX_NUMBERS // self._dimensions)):
            self._upsert(batch)

    def _upsert(self, points: "Sequence[models.PointStruct]") -> None:
        self._tables.call(lambda client: client.upsert(self._name, list(points), wait=True))

    def end(self, where: Conditions, died: int) -> None:
        """Set the field `died` of all matching rows."""
        rows = _filter(where)
        self._tables.call(lambda client: client.set_payload(self._name, {"died": died}, rows, wait=True))

    def delete(self, where: Conditions) -> None:
        """Delete all matching rows."""
        from qdrant_client import models

        rows = models.FilterSelector(filter=_filter(where))
        self._tables.call(lambda client: client.delete(self._name, rows, wait=True))

    def nearest(self, vector: Vector, *, limit: int, where: Conditions) -> Sequence[RowHit]:
        """Return at most `limit` matching rows with their vectors, by falling inner product with a unit vector."""
        hits = self._nearest(vector, limit, where, is_exact=self._tables.hnsw is None)
        if self._tables.hnsw and len(hits) < limit:  # the graph may not reach all that match
            hits = self._nearest(vector, limit, where, is_exact=True)
        return hits

    def rows(self, where: Conditions) -> Sequence[RowHit]:
        """Return all matching rows with their vectors and notes, in any order."""
        conditions, hits = _filter(where), list[RowHit]()
        offset: models.ExtendedPointId | None = None
        while True:
            points, offset = self._page(conditions, offset)
            hits += [_hit(point.payload, 0.0, point.vector) for point in points]
            if offset is None:
                return hits

    def _page(
        self, conditions: "models.Filter", offset: "models.ExtendedPointId | None"
    ) -> "tuple[list[models.Record], models.ExtendedPointId | None]":
        return self._tables.call(
            lambda client: client.scroll(
                self._name, conditions, limit=_PAGE_ROWS, offset=offset, with_payload=_PAYLOAD_FIELDS, with_vectors=True
            )
        )

    def count(self, where: Conditions) -> int:
        """The number of matching rows."""
        conditions = _filter(where)
        return self._tables.call(lambda client: client.count(self._name, conditions, exact=True)).count

    def _nearest(self, vector: Vector, limit: int, where: Conditions, *, is_exact: bool) -> Sequence[RowHit]:
        from qdrant_client import models

        hnsw = self._tables.hnsw
        parameters = models.SearchParams(exact=is_exact, hnsw_ef=max(limit, hnsw.ef) if hnsw else None)
        answer = self._tables.call(
            lambda client: client.query_points(
                self._name,
                vector.tolist(),
                query_filter=_filter(where),
                search_params=None if self._tables.is_local else parameters,  # the local mode is exact
                limit=limit,
                with_payload=_PAYLOAD_FIELDS,
                with_vectors=True,
            )
        )
        return [_hit(point.payload, point.score, point.vector) for point in answer.points]


def _point(row: TableRow) -> "models.PointStruct":
    from qdrant_client import models

    payload = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(row).items()}
    del payload["key"], payload["vector"]
    return models.PointStruct(id=str(uuid.UUID(row.key)), vector=row.vector.tolist(), payload=payload)


def _hit(payload: Mapping[str, object] | None, score: float, vector: object) -> RowHit:
    fields = payload or {}
    return RowHit(
        str(fields.get("record", "")),
        int(str(fields.get("born", 0))),
        score,
        np.array(vector, np.float32),
        str(fields.get("note", "")),
    )


def _filter(where: Conditions) -> "models.Filter":
    from qdrant_client import models

    def condition_of(condition: Condition) -> models.Condition:
        match condition:
            case Between(field, low, high):
                return models.FieldCondition(key=field, range=models.Range(gte=low, lt=high))
            case Among(field, texts):
                return models.FieldCondition(key=field, match=models.MatchAny(any=list(texts)))
            case Either(conditions):
                return models.Filter(should=[condition_of(each) for each in conditions])

    return models.Filter(must=[condition_of(each) for each in where])
