"""Create and check the collections of a project, one for each number of dimensions."""

import re
from collections.abc import Mapping
from typing import Any

from searchsocket.errors import ProjectMismatch, VectorBackendRefused
from searchsocket.stores.milvus.connection import MilvusConnection
from searchsocket.stores.milvus.schema import FIELDS, OWN_FIELDS, VECTOR, schema_of

METRIC = "IP"  # of unit vectors, so the cosine
_KIND = "FLAT"  # exact
_CHOSEN = "AUTOINDEX"  # what Zilliz Cloud makes of any kind that is asked for
_OWNER = "searchsocket, project "  # begins the description, where a server keeps it; Lite does not


class Collections:
    """Those whose name begins with that of a project's; safe to share between threads."""

    def __init__(self, connection: MilvusConnection, name: str, project_id: str) -> None:
        """Args: name: of the collections, which go on with the number of dimensions."""
        self._connection = connection
        self._name = name
        self._project_id = project_id

    def name(self, dimensions: int) -> str:
        return f"{self._name}_{dimensions}"

    def there(self) -> list[tuple[str, int]]:
        """Those that are there, and their dimensions, by name."""
        matches = (re.fullmatch(rf"{self._name}_(\d+)", name) for name in self._connection.call("list_collections"))
        return sorted((match[0], int(match[1])) for match in matches if match)

    def made(self, dimensions: int) -> str:
        """The collection of these dimensions: created if there is none, and empty again if it had another shape.

        Raises:
            VectorBackendRefused: Somebody else made it.
            ProjectMismatch: It is another project's.
        """
        name = self.name(dimensions)
        if not self._connection.call("has_collection", name):
            self._create(name, dimensions)
        elif self.problem(name, dimensions):
            self._connection.call("drop_collection", name)
            self._create(name, dimensions)
        return name

    def problem(self, name: str, dimensions: int) -> str:
        """The problem of a collection; "" if there is none.

        Raises:
            VectorBackendRefused: Somebody else made it.
            ProjectMismatch: It is another project's.
        """
        described = self._described(name)
        fields = {field["name"]: field for field in described["fields"]}
        if missing := [field for field in FIELDS if field not in fields]:
            return f"Milvus collection {name!r} has no field {missing[0]!r}"
        if (width := int(fields[VECTOR]["params"]["dim"])) != dimensions:
            return f"Milvus collection {name!r} has {width} dimensions, not {dimensions}"
        indexes = self._connection.call("list_indexes", name)
        index = self._connection.call("describe_index", name, indexes[0]) if indexes else {}
        if not index:
            return f"Milvus collection {name!r} has no vector index"
        if (metric := index.get("metric_type")) != METRIC:
            return f"Milvus collection {name!r} uses the metric {metric}, not {METRIC}"
        if (kind := index.get("index_type")) not in (_KIND, _CHOSEN):
            return f"Milvus collection {name!r} has an index of kind {kind}, not {_KIND}"
        return ""

    def check_owner(self, name: str) -> None:
        """See `problem`."""
        self._described(name)

    def _described(self, name: str) -> Mapping[str, Any]:
        described: Mapping[str, Any] = self._connection.call("describe_collection", name)
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

    def _create(self, name: str, dimensions: int) -> None:
        from pymilvus import MilvusClient

        index_params = MilvusClient.prepare_index_params()
        index_params.add_index(VECTOR, index_type=_KIND, metric_type=METRIC)
        self._connection.call(
            "create_collection",
            name,
            schema=schema_of(dimensions, _OWNER + self._project_id),
            index_params=index_params,
            num_shards=1,  # each shard would be seen by itself
            consistency_level="Bounded",
        )
        self._connection.forget(name)
