"""Create and check the collections of a project, one for each number of dimensions."""

import re
from typing import Any

from searchsocket.errors import ProjectMismatch, VectorBackendRefused
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.kinds import FLAT, MilvusKind, is_automatic
from searchsocket.extensions.milvus.rows import FIELDS, OWN_FIELDS, VECTOR, schema_of
from searchsocket.system.json_text import JsonObject

METRIC = "IP"  # of unit vectors, so the cosine
_MAX_LOAD_S = 3_600.0  # of a large collection whose index was replaced
_OWNER = "searchsocket, project "  # start of the description; Lite does not store it


class Collections:
    """The collections of a project, found by the prefix of their names; safe to share between threads."""

    def __init__(self, connection: MilvusConnection, name: str, project_id: str, kind: MilvusKind = FLAT) -> None:
        """Args: name: Prefix of the collections' names, before the number of dimensions."""
        self.kind = kind
        self._automatic: set[str] = set()
        self._connection = connection
        self._name = name
        self._project_id = project_id

    def name(self, dimensions: int) -> str:
        return f"{self._name}_{dimensions}"

    def there(self) -> list[tuple[str, int]]:
        """The existing collections and their dimensions, by name."""
        matches = (re.fullmatch(rf"{self._name}_(\d+)", name) for name in self._connection.call("list_collections"))
        return sorted((match[0], int(match[1])) for match in matches if match)

    def ensure(self, dimensions: int) -> str:
        """The collection of these dimensions: created if missing, and recreated empty if it had another shape.

        Raises:
            VectorBackendRefused: searchsocket did not create it.
            ProjectMismatch: It belongs to another project.
        """
        name = self.name(dimensions)
        if not self._connection.call("has_collection", name):
            self._create(name, dimensions)
        elif self.problem(name, dimensions):
            self._connection.call("drop_collection", name)
            self._create(name, dimensions)
        else:
            self.ensure_index(name)
        return name

    def is_exact(self, name: str) -> bool:
        """Return True if the index of a collection compares all vectors, as far as this process has seen."""
        return self.kind.is_exact and name not in self._automatic

    def ensure_index(self, name: str) -> None:
        """Give a collection the vector index of the settings; the server builds it from the stored rows.

        Queries fail until the collection is loaded again. If a run dies before that, the collection may have no index,
        and the next run builds it.
        """
        index = self.index(name)
        if is_automatic(index):
            self._automatic.add(name)
        if not self.kind.difference(index) and index.get("metric_type") == METRIC:
            return
        self._connection.call("release_collection", name)
        self._connection.forget(name)
        for each in self._connection.call("list_indexes", name):
            self._connection.call("drop_index", name, each)
        self._connection.call("create_index", name, self._index_params(), sync=False)
        self._connection.call("load_collection", name, timeout_s=_MAX_LOAD_S)

    def index(self, name: str) -> JsonObject:
        """The vector index of a collection, as the server describes it; empty if there is none."""
        indexes = self._connection.call("list_indexes", name)
        return (self._connection.call("describe_index", name, indexes[0]) if indexes else None) or {}

    def problem(self, name: str, dimensions: int) -> str:
        """The problem of a collection; "" if there is none.

        Raises:
            VectorBackendRefused: searchsocket did not create it.
            ProjectMismatch: It belongs to another project.
        """
        described = self._described(name)
        fields = {field["name"]: field for field in described["fields"]}
        if missing := [field for field in FIELDS if field not in fields]:
            return f"Milvus collection {name!r} has no field {missing[0]!r}"
        if (width := int(fields[VECTOR]["params"]["dim"])) != dimensions:
            return f"Milvus collection {name!r} has {width} dimensions, not {dimensions}"
        return ""

    def check_owner(self, name: str) -> None:
        """Refuse a collection of another project.

        Raises:
            ProjectMismatch: It belongs to another project.
        """
        self._described(name)

    def _described(self, name: str) -> JsonObject:
        described: JsonObject = self._connection.call("describe_collection", name)
        owner = str(described.get("description", ""))
        if owner.startswith(_OWNER) and owner != _OWNER + self._project_id:
            raise ProjectMismatch(
                f"Milvus collection {name!r} belongs to project {owner.removeprefix(_OWNER)[:200]!r}, not to "
                f"{self._project_id!r}; set another name in `vector.milvus.collection`"
            )
        if missing := OWN_FIELDS - {field["name"] for field in described["fields"]}:
            raise VectorBackendRefused(
                f"Milvus collection {name!r} has no field {min(missing)!r}, so it does not belong to "
                f"searchsocket; set another name "
                f"in `vector.milvus.collection`"
            )
        return described

    def _index_params(self) -> Any:
        from pymilvus import MilvusClient

        params = MilvusClient.prepare_index_params()
        params.add_index(VECTOR, index_type=self.kind.server_name, metric_type=METRIC, params=dict(self.kind.build))
        return params

    def _create(self, name: str, dimensions: int) -> None:
        self._connection.call(
            "create_collection",
            name,
            schema=schema_of(dimensions, _OWNER + self._project_id),
            index_params=self._index_params(),
            num_shards=1,  # with several shards, writes would become visible per shard
            consistency_level="Bounded",
        )
        self._connection.forget(name)
