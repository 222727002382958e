"""`/vectors/*`, `/query` and `/describe_index_stats`: the index of before, which keeps vectors with metadata."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.extensions.pinecone.server import limits, where, writing
from tests.extensions.pinecone.server.documents import Answer
from tests.extensions.pinecone.server.indexes import Index
from tests.extensions.pinecone.server.refused import Refused, demand
from tests.extensions.pinecone.server.rows import Row


def upsert(index: Index, body: Any) -> Answer:
    body = limits.check_keys(body, {"vectors", "namespace"})
    limits.check_count(body.get("vectors"), "vectors")
    changes = {}
    for each in body["vectors"]:
        limits.check_keys(each, {"id", "values", "metadata"})
        vector = limits.check_vector(each.get("values"), index.dimension)
        limits.check_metadata(each.get("metadata") or {})
        row = Row(np.array(vector, np.float32), each.get("metadata") or {})
        changes[limits.check_id(each.get("id"))] = writing.put(row)
    demand(len(changes) == len(body["vectors"]), "Duplicate id in a request")
    lsn = index.namespace(_name(body)).write(changes)
    return {"upsertedCount": len(changes)}, _committed(lsn)


def update(index: Index, body: Any) -> Answer:
    body = limits.check_keys(body, {"id", "values", "setMetadata", "filter", "dryRun", "namespace"})
    demand(("id" in body) != ("filter" in body), "exactly one of id or filter")
    space = writing.held_namespace(index, _name(body))
    values = body.get("setMetadata") or {}
    limits.check_metadata(values)
    if "filter" in body:
        demand("values" not in body, "Vector values cannot be updated by metadata")
        ids = writing.chosen(space.searches, body["filter"], frozenset())
    else:
        ids = [limits.check_id(body["id"])]
    vector = body.get("values")
    new = np.array(limits.check_vector(vector, index.dimension), np.float32) if vector is not None else None
    change = writing.patched(lambda row: Row(row.vector if new is None else new, row.metadata | values))
    lsn = space.write({} if body.get("dryRun") else dict.fromkeys(ids, change))
    return {"matchedRecords": len(ids)}, _committed(lsn)


def delete(index: Index, body: Any) -> Answer:
    body = limits.check_keys(body, {"ids", "deleteAll", "filter", "namespace"})
    demand(len(body.keys() - {"namespace"}) == 1, "exactly one of ids, deleteAll or filter")
    space = writing.held_namespace(index, _name(body))
    if "ids" in body:
        limits.check_count(body["ids"], "ids", limits.MAX_IDS)
        ids = [limits.check_id(each) for each in body["ids"]]
    elif "filter" in body:
        ids = writing.chosen(space.searches, body["filter"], frozenset())
    else:
        ids = list(space.searches.all_ids())
    return {}, _committed(space.write(dict.fromkeys(ids, writing.gone)))


def query(index: Index, body: Any) -> Answer:
    body = limits.check_keys(body, {"topK", "vector", "id", "filter", "includeValues", "includeMetadata", "namespace"})
    top_k = limits.check_whole("topK", body.get("topK"), 1, limits.MAX_TOP_K)
    vector = limits.check_vector(body.get("vector"), index.dimension)
    if body.get("filter") is not None:
        where.check(body["filter"])
    name = _name(body)
    if name not in index.namespaces:
        return {"matches": [], "namespace": name, "usage": {"readUnits": 1}}, {}
    view = index.namespaces[name].searches
    matches = [
        {"id": row_id, "score": score}
        | ({"values": view.rows[row_id].vector.tolist()} if body.get("includeValues") else {})
        | ({"metadata": view.rows[row_id].metadata} if body.get("includeMetadata") else {})
        for row_id, score in writing.nearest(view, index, vector, top_k, body.get("filter"))
    ]
    headers = {"x-pinecone-max-indexed-lsn": str(view.reconciled)}
    return {"matches": matches, "namespace": name, "usage": {"readUnits": 1}}, headers


def fetch_by_metadata(index: Index, body: Any) -> Answer:
    body = limits.check_keys(body, {"filter", "limit", "paginationToken", "namespace"})
    view = writing.held_namespace(index, _name(body)).fetches
    limit = limits.check_whole("limit", body.get("limit", 100), 1, limits.MAX_PAGE)
    matched = writing.chosen(view, body.get("filter"), frozenset())
    found, more = writing.page_of(matched, limit, body.get("paginationToken"))
    return {"vectors": _vectors(view.rows, found), "namespace": _name(body), "usage": {"readUnits": 1}} | more, {}


def fetch(index: Index, name: str, ids: list[str]) -> Answer:
    limits.check_count(ids, "ids", limits.MAX_IDS)
    rows = index.namespaces[name].fetches.rows if name in index.namespaces else {}
    found = [row_id for row_id in map(limits.check_id, ids) if row_id in rows]
    return {"vectors": _vectors(rows, found), "namespace": name, "usage": {"readUnits": 1}}, {}


def list_(index: Index, name: str, prefix: str, limit: int, token: str | None) -> Answer:
    limits.check_whole("limit", limit, 1, limits.MAX_LIST_PAGE)
    rows = index.namespaces[name].fetches.rows if name in index.namespaces else {}
    found, more = writing.page_of([row_id for row_id in rows if row_id.startswith(prefix)], limit, token)
    return {"vectors": [{"id": row_id} for row_id in found], "namespace": name, "usage": {"readUnits": 1}} | more, {}


def stats(index: Index) -> Answer:
    counts = {name: len(space.fetches.rows) for name, space in index.namespaces.items()}
    return {
        "namespaces": {name: {"vectorCount": count} for name, count in counts.items()},
        "dimension": index.dimension,
        "indexFullness": 0,
        "totalVectorCount": sum(counts.values()),
        "metric": index.metric,
        "vectorType": "dense",
    }, {}


VERBS: dict[str, Callable[[Index, Any], Answer]] = {
    "upsert": upsert, "update": update, "delete": delete, "query": query, "fetch_by_metadata": fetch_by_metadata,
}  # fmt: skip


def answer(index: Index, verb: str, body: Any) -> Answer:
    if not index.is_legacy:
        raise Refused(400, "The Vectors API is not supported on an index with a schema", "FAILED_PRECONDITION")
    return VERBS[verb](index, body)


def _vectors(rows: Mapping[str, Row], ids: list[str]) -> dict[str, Any]:
    return {
        row_id: {"id": row_id, "values": rows[row_id].vector.tolist(), "metadata": rows[row_id].metadata}
        for row_id in ids
    }


def _name(body: dict[str, Any]) -> str:
    return limits.check_namespace(body.get("namespace") or "__default__")


def _committed(lsn: int) -> dict[str, str]:
    return {"x-pinecone-request-lsn": str(lsn)}
