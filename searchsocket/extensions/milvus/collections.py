"""The collections of a project, one for each number of dimensions, and its registry with one row per scope (spec 18).

The first row is the claim of the project on the name: two projects of one name would delete each other's rows.
"""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from typing import Any

from searchsocket.errors import ProjectMismatch, VectorBackendRefused
from searchsocket.extensions.milvus import filters
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.rows import FIELDS, FLAT, OWN_FIELDS, VECTOR, MilvusKind, is_automatic, schema_of
from searchsocket.stores.base.vectors import RegisteredScope
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Generation, Scope

METRIC = "IP"  # of unit vectors, so the cosine
_MAX_LOAD_S = 3_600.0  # of a large collection whose index was replaced
_OWNER = "searchsocket, project "  # start of the description; Lite does not store it

_KEY, _TEXT, _VECTOR = "row_key", "text", "unused"
_CLAIM, _SCOPE = "claim:", "scope:"
_MAX_SCOPES = 16_000  # limit of rows in one answer of a server
_MAX_TEXT_BYTES = 65_000


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


class Registry:
    """Registry of one project. Safe to share between threads."""

    def __init__(self, connection: MilvusConnection, name: str, project_id: str) -> None:
        """Args: name: Prefix of the names of the project's collections."""
        self._connection = connection
        self.name = f"{name}_registry"
        self._project_id = project_id
        self._is_claimed = False

    def check(self) -> bool:
        """Return True if this project has claimed the name.

        Raises:
            ProjectMismatch: Another project has claimed it.
        """
        if self._is_claimed:
            return True
        if not self._connection.call("has_collection", self.name):
            return False
        claims = [key.removeprefix(_CLAIM) for key, _ in self._rows(_CLAIM)]
        if others := [claim for claim in claims if claim != self._project_id]:
            raise ProjectMismatch(
                f"Milvus collections {self.name.removesuffix('_registry')!r} belong to project {others[0][:200]!r}, "
                f"not to {self._project_id!r}; set another name in `vector.milvus.collection`"
            )
        self._is_claimed = bool(claims)
        return self._is_claimed

    def claim(self) -> None:
        """Claim the name for this project, if it has not done so.

        Raises:
            ProjectMismatch: Another project was first.
        """
        if self.check():
            return
        if not self._connection.call("has_collection", self.name):
            self._create()
        self._put(_CLAIM + self._project_id, "")
        try:
            self.check()
        except ProjectMismatch:  # both claimed it at the same time, so neither gets it
            self._delete(_CLAIM + self._project_id)
            raise

    def scopes(self) -> list[RegisteredScope]:
        """The summary of each scope, by name."""
        if not self.check():
            return []
        return sorted((_registered(text, self.name) for _, text in self._rows(_SCOPE)), key=lambda each: each.scope)

    def add(self, generation: Generation) -> None:
        """Register one more generation."""
        before = next((scope for scope in self.scopes() if scope.scope == generation.scope), None)
        new = RegisteredScope.of([generation])
        if before:
            new = replace(new, generations=tuple(sorted({*before.generations, generation.name})))
        self._write(new)

    def keep(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Register exactly these generations of a scope."""
        if generations:
            self._write(RegisteredScope.of(list(generations)))
        elif self.check():
            self._delete(_SCOPE + scope.name)

    def drop(self) -> list[str]:
        """Delete the registry with the claim; returns the deleted collections."""
        if not self.check():
            return []
        self._connection.call("drop_collection", self.name)
        self._connection.forget(self.name)
        self._is_claimed = False
        return [self.name]

    def _write(self, scope: RegisteredScope) -> None:
        text = json.dumps(asdict(scope))
        if dict(self._rows(_SCOPE + scope.scope)).get(_SCOPE + scope.scope) != text:
            self._put(_SCOPE + scope.scope, text)

    def _rows(self, prefix: str) -> Sequence[tuple[str, str]]:
        """Keys and texts of the rows whose key has this prefix; `~` sorts after all following characters."""
        self._connection.load(self.name)
        where = f"{_KEY} >= {filters.quoted(prefix)} and {_KEY} < {filters.quoted(prefix + '~')}"
        rows = self._connection.call(
            "query", self.name, filter=where, output_fields=[_KEY, _TEXT], limit=_MAX_SCOPES, consistency_level="Strong"
        )
        return [(row[_KEY], row[_TEXT]) for row in rows]

    def _put(self, key: str, text: str) -> None:
        self._connection.load(self.name)
        self._connection.call("upsert", self.name, [{_KEY: key, _TEXT: text[:_MAX_TEXT_BYTES], _VECTOR: [1.0, 0.0]}])

    def _delete(self, key: str) -> None:
        self._connection.load(self.name)
        self._connection.call("delete", self.name, filter=f"{_KEY} in {filters.quoted_list([key])}")

    def _create(self) -> None:
        from pymilvus import DataType, MilvusClient

        schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field(_KEY, DataType.VARCHAR, max_length=512, is_primary=True)
        schema.add_field(_TEXT, DataType.VARCHAR, max_length=_MAX_TEXT_BYTES)
        schema.add_field(_VECTOR, DataType.FLOAT_VECTOR, dim=2)  # every collection must have one
        params = MilvusClient.prepare_index_params()
        params.add_index(_VECTOR, index_type="FLAT", metric_type="L2")
        self._connection.call(
            "create_collection", self.name, schema=schema, index_params=params, num_shards=1, consistency_level="Strong"
        )


def _registered(text: str, where: str) -> RegisteredScope:
    try:
        fields = json.loads(text)
        return RegisteredScope(**{**fields, "generations": tuple(fields["generations"])})
    except (ValueError, TypeError, KeyError) as error:
        raise VectorBackendRefused(
            f"Milvus collection {where!r} is damaged; run `searchsocket clean --all --remote`, then index again"
        ) from error
