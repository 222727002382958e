"""Registry of a project on a server: a collection with one row per scope (spec 18).

The first row is the claim of the project on the name: two projects of one name would delete each other's rows.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace

from searchsocket.errors import ProjectMismatch, VectorBackendRefused
from searchsocket.extensions.milvus import filters
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.stores.base.vectors import RegisteredScope
from searchsocket.types import Generation, Scope

_KEY, _TEXT, _VECTOR = "row_key", "text", "unused"
_CLAIM, _SCOPE = "claim:", "scope:"
_MAX_SCOPES = 16_000  # limit of rows in one answer of a server
_MAX_TEXT_BYTES = 65_000


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
