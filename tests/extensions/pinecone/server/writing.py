"""What both kinds of index do with rows: write, choose by a filter, order by nearness, cut into pages."""

import base64
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from tests.extensions.pinecone.server import where
from tests.extensions.pinecone.server.indexes import Index
from tests.extensions.pinecone.server.refused import Refused, demand
from tests.extensions.pinecone.server.rows import Change, Namespace, Row, View

ANY_FIELD = frozenset[str]()


def put(row: Row) -> Change:
    return lambda _: row


def patched(change: Callable[[Row], Row]) -> Change:
    """Of a row that is there: "Updates to a document that does not exist are accepted but have no effect"."""
    return lambda row: change(row) if row is not None else None


def gone(_: Row | None) -> None:
    return None


def chosen(view: View, filter_: object, data_fields: frozenset[str]) -> list[str]:
    """Ids of the rows that are seen and match.

    "matched_records is the point-in-time count of matching documents": a row that is not seen yet does not match.
    """
    where.check(filter_, data_fields)
    assert isinstance(filter_, Mapping)
    return [row_id for row_id, row in view.rows.items() if where.matches(row.metadata, filter_)]


def nearest(
    view: View, index: Index, vector: list[float], top_k: int, filter_: Any, data_fields: frozenset[str] = ANY_FIELD
) -> list[tuple[str, float]]:
    """ "Searches with metadata filters retrieve exactly the number of nearest-neighbor results that match"."""
    ids, matrix = view.matrix()
    if not ids:
        return []
    asked = np.array(vector, np.float32)
    scores = matrix @ asked
    if index.metric == "cosine":
        scores = scores / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(asked))
    if filter_ is not None:
        kept = set(chosen(view, filter_, data_fields))
        rows = [row for row, row_id in enumerate(ids) if row_id in kept]
    else:
        rows = list(range(len(ids)))
    # Equal scores come in an order of the service's own.
    rows.sort(key=lambda row: (-float(scores[row]), ids[row][::-1]))
    return [(ids[row], float(scores[row])) for row in rows[:top_k]]


def page_of(ids: Iterable[str], limit: int, token: str | None) -> tuple[list[str], dict[str, Any]]:
    """Some of many ids, and what leads to the next."""
    ordered = sorted(ids)
    try:
        after = base64.urlsafe_b64decode(token).decode() if token else ""
    except ValueError:
        raise Refused(400, "Invalid pagination token") from None
    left = [row_id for row_id in ordered if row_id > after]
    if len(left) <= limit:
        return left, {}
    return left[:limit], {"pagination": {"next": base64.urlsafe_b64encode(left[limit - 1].encode()).decode()}}


def held_namespace(index: Index, name: str) -> Namespace:
    """For a request that nothing of the kind can answer: "404: Namespace not found"."""
    demand(bool(name), "namespace must not be empty")
    if name not in index.namespaces:
        raise Refused(404, "Namespace not found", "NOT_FOUND")
    return index.namespaces[name]
