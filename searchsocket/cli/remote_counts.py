"""`searchsocket status`: row counts of a remote vector store, compared with the local index."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from searchsocket.cli.output import count
from searchsocket.errors import SearchSocketError
from searchsocket.stores.base import VectorStore
from searchsocket.stores.base.upkeep import RegisteredScope
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Generation


@dataclass(frozen=True, slots=True)
class RemoteCounts:
    """Scopes and row counts of the remote vector store."""

    registered: Mapping[str, RegisteredScope]  # by scope
    rows: Mapping[str, int]  # of the live generation, by scope
    error: str = ""  # why there are no counts

    def line(self, generation: Generation) -> str:
        """Return the text for one scope that is live here."""
        if self.error:
            return self.error
        fix = f"; run `searchsocket index --resync --scope {generation.scope}`"
        scope = self.registered.get(generation.scope)
        if scope is None:
            return f"no rows{fix}"
        rows = self.rows[generation.scope]
        counts = f"{rows:,} of {count(generation.records, 'row')}, {count(len(scope.generations), 'generation')}"
        return counts if rows == generation.records else counts + fix

    def others(self, live: Sequence[Generation]) -> Iterator[RegisteredScope]:
        """Return the scopes that exist only in the remote store."""
        local_names = {generation.scope for generation in live}
        return (each for scope, each in self.registered.items() if scope not in local_names)

    def to_json(self) -> JsonObject:
        scopes = [
            {
                "scope": each.scope,
                "generations": list(each.generations),
                "indexedAt": each.indexed_at,
                "modelId": each.model_id,
                "records": each.records,
                "rows": self.rows.get(each.scope),
            }
            for each in self.registered.values()
        ]
        return {"error": self.error or None, "scopes": scopes}


def remote_counts(store: VectorStore, live: Sequence[Generation]) -> RemoteCounts | None:
    """Return counts for the project's scopes; None if vectors are stored in the index's folder."""

    if (remote := store.remote_index) is None:
        return None
    try:
        registered = {each.scope: each for each in remote.registered()}
        return RemoteCounts(registered, {each.scope: remote.count(each) for each in live})
    except SearchSocketError as error:
        return RemoteCounts({}, {}, f"[{error.code}] {error}")
