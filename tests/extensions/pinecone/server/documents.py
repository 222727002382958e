"""`/namespaces/NAME/documents/*`: docs, reference/api/2026-07/data-plane."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.extensions.pinecone.server import limits, where, writing
from tests.extensions.pinecone.server.indexes import Index
from tests.extensions.pinecone.server.refused import Refused, demand
from tests.extensions.pinecone.server.rows import Row

Answer = tuple[dict[str, Any], dict[str, str]]  # body and headers
WRITES = ("upsert", "update", "delete")


def upsert(index: Index, name: str, body: Any) -> Answer:
    documents = limits.check_keys(body, {"documents"}).get("documents")
    limits.check_count(documents, "documents")
    rows = {}
    for document in documents:
        demand(isinstance(document, dict), "A document must be an object")
        row_id = limits.check_id(document.get("_id"))
        demand(row_id not in rows, f"Duplicate _id {row_id!r}")
        # docs: "Every dense_vector field is required"
        vector = limits.check_vector(document.get(index.vector_field), index.dimension)
        fields = {key: value for key, value in document.items() if key not in ("_id", index.vector_field)}
        limits.check_metadata({key: value for key, value in fields.items() if key not in index.other_fields})
        rows[row_id] = Row(np.array(vector, np.float32), fields)
    lsn = index.namespace(name).write({row_id: writing.put(row) for row_id, row in rows.items()})
    return {"upserted_count": len(rows)}, _committed(lsn)


def update(index: Index, name: str, body: Any) -> Answer:
    body = limits.check_keys(body, {"documents", "filter", "set_fields", "remove_fields"})
    space = writing.held_namespace(index, name)
    if "documents" in body:
        demand(len(body) == 1, "documents and the by-filter fields are mutually exclusive")
        limits.check_count(body["documents"], "documents")
        changes = {}
        for each in body["documents"]:
            row_id = limits.check_id(each.get("_id"))
            changes[row_id] = _patch({k: v for k, v in each.items() if k[0] != "_"}, each.get("_remove_fields", []))
        return {}, _committed(space.write(changes))
    matched = writing.chosen(space.searches, body.get("filter"), _data_fields(index))
    values, removed = body.get("set_fields") or {}, body.get("remove_fields") or []
    demand(bool(values) or bool(removed), "at least one of set_fields and remove_fields must be specified")
    demand(index.vector_field not in values, "update metadata fields across every document that matches a filter")
    limits.check_metadata(values)
    change = _patch(values, removed)
    return {"matched_records": len(matched)}, _committed(space.write(dict.fromkeys(matched, change)))


def delete(index: Index, name: str, body: Any) -> Answer:
    body = limits.check_keys(body, {"ids", "filter", "delete_all"})
    demand(len(body) == 1, "Exactly one of ids, filter, or delete_all must be specified")
    space = writing.held_namespace(index, name)
    if "ids" in body:
        limits.check_count(body["ids"], "ids", limits.MAX_IDS)
        return {}, _committed(space.write(dict.fromkeys(map(limits.check_id, body["ids"]), writing.gone)))
    if "delete_all" in body:
        demand(body["delete_all"] is True, "delete_all is true or not there")
        return {}, _committed(space.write(dict.fromkeys(space.searches.all_ids(), writing.gone)))
    matched = writing.chosen(space.searches, body["filter"], _data_fields(index))
    return {"matched_records": len(matched)}, _committed(space.write(dict.fromkeys(matched, writing.gone)))


def search(index: Index, name: str, body: Any) -> Answer:
    body = limits.check_keys(body, {"score_by", "top_k", "filter", "include_fields"})
    top_k = limits.check_whole("top_k", body.get("top_k"), 1, limits.MAX_TOP_K)
    limits.check_count(body.get("score_by"), "score_by", 100)
    demand(len(body["score_by"]) == 1, "a dense_vector clause must appear alone")
    clause = limits.check_keys(body["score_by"][0], {"type", "field", "values"})
    demand(clause.get("type") == "dense_vector", "this server scores by dense vectors")
    demand(clause.get("field") == index.vector_field, f"{clause.get('field')!r} is no dense_vector field of the schema")
    vector = limits.check_vector(clause.get("values"), index.dimension)
    if body.get("filter") is not None:
        where.check(body["filter"], _data_fields(index))
    usage = {"usage": {"read_units": 1}}
    if name not in index.namespaces:
        return {"matches": [], "namespace": name, **usage}, {}
    view = index.namespaces[name].searches
    found = writing.nearest(view, index, vector, top_k, body.get("filter"), _data_fields(index))
    include = body.get("include_fields") or []
    matches = [
        {"_id": row_id, "_score": score, **_fields(index, view.rows[row_id], include)} for row_id, score in found
    ]
    return {"matches": matches, "namespace": name, **usage}, {"x-pinecone-max-indexed-lsn": str(view.reconciled)}


def fetch(index: Index, name: str, body: Any) -> Answer:
    body = limits.check_keys(body, {"ids", "filter", "include_fields", "pagination_token", "limit"})
    demand(("ids" in body) != ("filter" in body), "exactly one of ids or filter")
    include = body.get("include_fields") or ["*"]
    answer = {"documents": {}, "namespace": name, "usage": {"read_units": 1}}
    if name not in index.namespaces:
        return answer, {}
    view = index.namespaces[name].fetches
    more: dict[str, Any] = {}
    if "ids" in body:
        limits.check_count(body["ids"], "ids", limits.MAX_IDS)
        found = [row_id for row_id in body["ids"] if row_id in view.rows]
    else:
        matched = writing.chosen(view, body["filter"], _data_fields(index))
        limit = limits.check_whole("limit", body.get("limit", 100), 1, limits.MAX_PAGE)
        found, more = writing.page_of(matched, limit, body.get("pagination_token"))
    documents = {row_id: {"_id": row_id, **_fields(index, view.rows[row_id], include)} for row_id in found}
    return answer | {"documents": documents} | more, {}  # "a fetch response carries no reconciled position"


def list_(index: Index, name: str, body: Any) -> Answer:
    body = limits.check_keys(body, {"prefix", "limit", "pagination_token"})
    limit = limits.check_whole("limit", body.get("limit", 100), 1, limits.MAX_LIST_PAGE)
    rows = index.namespaces[name].fetches.rows if name in index.namespaces else {}
    named = [row_id for row_id in rows if row_id.startswith(body.get("prefix", ""))]
    found, more = writing.page_of(named, limit, body.get("pagination_token"))
    listed = {"documents": [{"_id": row_id} for row_id in found], "namespace": name, "usage": {"read_units": 1}}
    return listed | more, {}


VERBS: dict[str, Callable[[Index, str, Any], Answer]] = {
    "upsert": upsert, "update": update, "delete": delete, "search": search, "fetch": fetch, "list": list_,
}  # fmt: skip


def answer(index: Index, name: str, verb: str, body: Any) -> Answer:
    if index.is_legacy:
        raise Refused(400, "The Documents API is not supported on an index without a schema", "FAILED_PRECONDITION")
    return VERBS[verb](index, limits.check_namespace(name), body)


def _patch(values: dict[str, Any], removed: list[str]) -> Any:
    def change(row: Row) -> Row:
        kept = {key: value for key, value in row.metadata.items() if key not in removed}
        return Row(row.vector, kept | values)

    return writing.patched(change)


def _fields(index: Index, row: Row, include: list[str]) -> dict[str, Any]:
    every = {**row.metadata, index.vector_field: row.vector.tolist()}
    return every if "*" in include else {key: every[key] for key in include if key in every}


def _data_fields(index: Index) -> frozenset[str]:
    return frozenset({index.vector_field, *index.other_fields})


def _committed(lsn: int) -> dict[str, str]:
    return {"x-pinecone-request-lsn": str(lsn)}
