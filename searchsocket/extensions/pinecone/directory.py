"""Find the index for vectors of given dimensions, of either kind, or create it."""

import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from searchsocket.errors import VectorBackendRefused, VectorBackendUnavailable
from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.extensions.pinecone.namespace import (
    DocumentNamespace,
    LegacyNamespace,
    Namespace,
    namespace_prefix,
    unless_absent,
)
from searchsocket.stores.base.upkeep import Finding

_LEGACY_FIELD = "_values"  # the service's field name for an index without a schema
_OUR_FIELD = "embedding"
_METRICS = ("cosine", "dotproduct")  # the same order for vectors of unit length
_MAX_INDEX_CHARS = 45
_READY_WAITS_S = (0.5, 1.0, *[2.0] * 60)


@dataclass(frozen=True, slots=True)
class Index:
    """An existing index."""

    name: str
    host: str
    dimensions: int
    vector_field: str
    client: Any  # the vendor's


class Directory:
    """The indexes of a project, with a cache of earlier lookups."""

    def __init__(self, connection: PineconeConnection, name: str, *, cloud: str, region: str) -> None:
        """Asks nothing yet.

        Args:
            name: Prefix of the index names, before the number of dimensions; an index of exactly this name counts too.
            cloud, region: Location of new indexes.
        """
        self._connection = connection
        self._name = re.sub(r"[^a-z0-9]+", "-", name.lower())[: _MAX_INDEX_CHARS - 6].strip("-") or "searchsocket"
        self._deployment = {"deployment_type": "managed", "cloud": cloud, "region": region}
        self._lock = threading.Lock()
        self._indexes: dict[int, Index] = {}

    def namespace(self, index: Index, name: str) -> Namespace:
        """The rows of a namespace in an index."""
        if index.vector_field == _LEGACY_FIELD:
            return LegacyNamespace(self._connection, index.client, index.name, name)
        return DocumentNamespace(self._connection, index.client, index.name, name, index.vector_field)

    def namespaces(self, index: Index, project_id: str | None = None) -> Mapping[str, int]:
        """The namespaces of a project in an index, or of all projects, with their numbers of rows."""
        prefix = "" if project_id is None else namespace_prefix(project_id)
        listed = self._connection.read(
            lambda: [namespace for page in index.client.list_namespaces() for namespace in page.namespaces], index.name
        )
        return {each.name: int(each.record_count) for each in listed if each.name.startswith(prefix)}

    def problems(self) -> Iterator[Finding]:
        """The indexes with our names that cannot be used."""
        indexes = self._connection.indexes()
        own = re.compile(rf"{self._name}-(\d+)")
        for model in self._connection.read(lambda: list(indexes.list())):
            if match := own.fullmatch(model.name):
                field, problem = _dense_field(model), ""
                if field is None or field[1].dimension != int(match[1]):
                    problem = f"does not have {match[1]} dimensions"
                elif field[1].metric not in _METRICS:
                    problem = f"uses the metric {field[1].metric!r}"
                if problem:
                    problem = f"Pinecone index {model.name!r} {problem}"
                    yield Finding(problem, "set another name in `vector.pinecone.index`")

    def find(self, dimensions: int) -> Index:
        """The index for vectors of so many dimensions.

        Raises:
            VectorBackendRefused: There is none, or the index of this name cannot be used.
        """
        with self._lock:
            index = self._indexes.get(dimensions)
            if index is None or self._connection.was_lost(index.name):
                index = self._existing(dimensions)
                if index is None:
                    raise VectorBackendRefused(
                        f"Pinecone has no index {self._own_name(dimensions)!r} for vectors of {dimensions} "
                        f"dimensions; `searchsocket index --resync` creates and fills it, without embedding again"
                    )
                self._indexes[dimensions] = index
            return index

    def make(self, dimensions: int) -> Index:
        """The index for vectors of so many dimensions, created if missing; returns when it can be used."""
        with self._lock:
            self._indexes.pop(dimensions, None)
            index = self._existing(dimensions) or self._create(dimensions)
            self._indexes[dimensions] = index
            return index

    def all(self) -> list[Index]:
        """All existing indexes of the project, of any dimensions."""
        indexes = self._connection.indexes()
        models = {model.name: model for model in self._connection.read(lambda: list(indexes.list()))}
        by_dimensions: dict[int, Index] = {}
        for name in sorted(models, reverse=True):  # the one without a number last, as it is the second choice
            field = _dense_field(models[name]) if re.fullmatch(rf"{self._name}(-\d+)?", name) else None
            is_ours = field and name in (self._name, self._own_name(field[1].dimension))
            if field and is_ours and field[1].metric in _METRICS and models[name].host:
                by_dimensions.setdefault(field[1].dimension, self._usable(models[name]))
        return list(by_dimensions.values())

    def _own_name(self, dimensions: int) -> str:
        return f"{self._name}-{dimensions}"

    def _existing(self, dimensions: int) -> Index | None:
        own = self._described(self._own_name(dimensions))
        if own is not None:
            index = self._usable(own)
            if index.dimensions != dimensions:
                raise VectorBackendRefused(
                    f"Pinecone index {own.name!r} has {index.dimensions} dimensions, not {dimensions}; set "
                    f"another name in `vector.pinecone.index`"
                )
            return index
        other = self._described(self._name)
        field = other and _dense_field(other)
        return self._usable(other) if other and field and field[1].dimension == dimensions else None

    def _create(self, dimensions: int) -> Index:
        name = self._own_name(dimensions)
        indexes = self._connection.indexes()
        vector = {"type": "dense_vector", "dimension": dimensions, "metric": "cosine"}
        options = {"schema": {"fields": {_OUR_FIELD: vector}}, "deployment": self._deployment, "timeout": -1}
        try:
            self._connection.write(lambda: indexes.create(name=name, **options), name)
        except VectorBackendUnavailable:
            if self._described(name) is None:  # another run was faster, or the answer was lost
                raise
        for wait_s in _READY_WAITS_S:
            model = self._described(name)
            if model is not None and model.status.ready and model.host:
                return self._usable(model)
            self._connection.sleep(wait_s)
        raise VectorBackendUnavailable(f"Pinecone index {name!r} is not ready after {sum(_READY_WAITS_S):.0f} s")

    def _described(self, name: str) -> Any:
        """The service's description of an index; None: there is none of this name."""
        indexes = self._connection.indexes()
        return self._connection.read(lambda: unless_absent(lambda: indexes.describe(name)), name)

    def _usable(self, model: Any) -> Index:
        field = _dense_field(model)
        if field is None:
            raise VectorBackendRefused(
                f"Pinecone index {model.name!r} has no field for dense vectors; set another name in "
                f"`vector.pinecone.index`"
            )
        name, vector = field
        if vector.metric not in _METRICS:
            raise VectorBackendRefused(
                f"Pinecone index {model.name!r} uses the metric {vector.metric!r}, not "
                f"{' or '.join(_METRICS)}; set another name in `vector.pinecone.index`"
            )
        if not model.host:
            raise VectorBackendUnavailable(f"Pinecone index {model.name!r} is {model.status.state}; run it again")
        return Index(model.name, model.host, vector.dimension, name, self._connection.data(model.host))


def _dense_field(model: Any) -> tuple[str, Any] | None:
    """The field of a schema for dense vectors; a schema has at most one."""
    fields = model.schema.fields.items()
    return next(((name, field) for name, field in fields if type(field).__name__ == "DenseVectorField"), None)
