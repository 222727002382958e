"""What `searchsocket status` tells of vectors on another machine, beside what is here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from searchsocket.cli.output import count

if TYPE_CHECKING:
    from searchsocket.stores.base import VectorStore
    from searchsocket.stores.base.upkeep import Registered
    from searchsocket.types import Generation


@dataclass(frozen=True, slots=True)
class RemoteCounts:
    """What the other machine says."""

    registered: "Mapping[str, Registered]"  # by scope
    rows: Mapping[str, int]  # that the live generation of a scope sees
    error: str = ""  # why nothing can be told

    def line(self, generation: "Generation") -> str:
        """Of one scope that is live here."""
        if self.error:
            return self.error
        known = self.registered.get(generation.scope)
        if known is None:
            return "no rows; run `searchsocket index --resync`"
        rows = self.rows[generation.scope]
        lost = "" if rows == generation.records else "; run `searchsocket doctor`"
        return f"{rows:,} of {count(generation.records, 'row')}, {count(len(known.generations), 'generation')}{lost}"

    def others(self, live: "Sequence[Generation]") -> "Iterator[Registered]":
        """Scopes that are kept there alone."""
        here = {generation.scope for generation in live}
        return (each for scope, each in self.registered.items() if scope not in here)

    def to_json(self) -> dict[str, Any]:
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


def remote_counts(store: "VectorStore", live: "Sequence[Generation]") -> RemoteCounts | None:
    """What there is of the scopes of the project; None where vectors are in the index's folder."""
    from searchsocket.errors import SearchSocketError

    if (elsewhere := store.elsewhere) is None:
        return None
    try:
        registered = {each.scope: each for each in elsewhere.registered()}
        return RemoteCounts(registered, {each.scope: elsewhere.count(each) for each in live})
    except SearchSocketError as error:
        return RemoteCounts({}, {}, f"[{error.code}] {error}")
