"""The service as a function of requests; `running.py` puts it behind a socket."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote

import orjson

from tests.extensions.pinecone.server import documents, limits, vectors
from tests.extensions.pinecone.server.documents import Answer
from tests.extensions.pinecone.server.indexes import LEGACY_FIELD, Index, new_index
from tests.extensions.pinecone.server.refused import Refused, demand
from tests.extensions.pinecone.server.throttle import A_SECOND_BY_FILTER, Throttle
from tests.extensions.pinecone.server.writing import page_of

VERSION = "2026-07"
Hook = Callable[[str, bytes], None]


class Service:
    """One project; what is asked of it is counted.

    Args:
        max_lag: How many requests later a write is seen, at most.
        clock: Of the limits a second; by default a tenth of a second goes by with each request.
    """

    def __init__(self, *, key: str = "right-key", max_lag: int = 0, clock: Callable[[], float] | None = None) -> None:
        self.key = key
        self.max_lag = max_lag
        self.indexes: dict[str, Index] = {}
        self.requests: Counter[str] = Counter()
        self.rows: Counter[str] = Counter()  # written, by verb
        self.base_url = getattr(self, "base_url", "")  # it stays when a test begins anew
        self.before: Hook | None = None  # asked before a request is looked at, and after it was done: may refuse
        self.after: Hook | None = None
        ticks = itertools.count()
        self._throttle = Throttle(clock or (lambda: next(ticks) / 10))

    def add_legacy(self, name: str, dimension: int, metric: str = "cosine") -> Index:
        """An index that was made before there were schemas."""
        managed = {"deployment_type": "managed", "cloud": "aws", "region": "us-east-1"}
        self.indexes[name] = Index(name, LEGACY_FIELD, dimension, metric, managed, {}, 0, self.max_lag)
        return self.indexes[name]

    def answer(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body."""
        try:
            found, more = self._answer(method, path, query, headers, body)
        except Refused as refused:
            self.requests["refused"] += 1
            error = {"status": refused.status, "error": {"code": refused.code, "message": refused.message}}
            return refused.status, refused.headers, orjson.dumps(error)
        data = orjson.dumps(found)
        if len(data) > limits.MAX_ANSWER_BYTES:
            message = f"the result of {len(data)} bytes exceeds the 4MB result size limit"
            return 400, {}, orjson.dumps({"error": {"code": "OUT_OF_RANGE", "message": message}})
        return 202 if method == "DELETE" else 201 if (method, path) == ("POST", "/indexes") else 200, more, data

    def _answer(self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Answer:
        verb = path.rpartition("/")[2]
        if self.before:
            self.before(verb, body)
        if headers.get("api-key") != self.key:
            raise Refused(401, "Invalid API Key", "UNAUTHENTICATED")
        demand(headers.get("x-pinecone-api-version") == VERSION, f"this server speaks {VERSION}")
        self.requests[f"{method} {path}" if path.startswith("/indexes") else verb] += 1
        if path.startswith("/indexes"):
            found: Answer = self._control(method, path, body), {}
        else:
            found = self._data(method, path, {name: each[-1] for name, each in parse_qs(query).items()}, query, body)
        if self.after:
            self.after(verb, body)
        return found

    def _control(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        name = unquote(path.removeprefix("/indexes").strip("/"))
        if not name and method == "GET":
            return {"indexes": [index.described(self.base_url) for index in self.indexes.values()]}
        if not name:
            index = new_index(_parsed(body), self.indexes)
            index.max_lag = self.max_lag
            self.indexes[index.name] = index
            return index.described(self.base_url)
        if name not in self.indexes:
            raise Refused(404, f"Resource {name} not found", "NOT_FOUND")
        if method == "DELETE":
            del self.indexes[name]
            return {}
        self.indexes[name].looks_until_ready -= 1
        return self.indexes[name].described(self.base_url)

    def _data(self, method: str, path: str, query: dict[str, str], raw_query: str, body: bytes) -> Answer:
        match = re.fullmatch(r"/data/([^/]+)/(.+)", path)
        if match is None or match[1] not in self.indexes:
            raise Refused(404, "Index not found", "NOT_FOUND")
        index = self.indexes[match[1]]
        for space in index.namespaces.values():
            space.tick()
        if method == "GET":
            return self._data_get(index, match[2], query, raw_query)
        if match[2].endswith("/upsert"):
            limits.check_size(body)
        given = _parsed(body)
        by_document = re.fullmatch(r"namespaces/([^/]+)/documents/(\w+)", match[2])
        if by_document:
            name, verb = unquote(by_document[1]), by_document[2]
        elif match[2] == "describe_index_stats":
            return vectors.stats(index)
        else:
            name, verb = str(given.get("namespace") or "__default__"), match[2].removeprefix("vectors/")
        is_known = verb in (documents.VERBS if by_document else vectors.VERBS)
        if not is_known:
            raise Refused(404, "no such path", "NOT_FOUND")
        self._throttle.check(index.name, name, verb)
        if "filter" in given and verb in ("update", "delete"):
            self._throttle.check(index.name, name, f"{verb} by metadata", A_SECOND_BY_FILTER)
        written = sum(space.written for space in index.namespaces.values())
        answer = documents.answer(index, name, verb, given) if by_document else vectors.answer(index, verb, given)
        self.rows[verb] += sum(space.written for space in index.namespaces.values()) - written
        return answer

    def _data_get(self, index: Index, path: str, query: dict[str, str], raw_query: str) -> Answer:
        name = query.get("namespace", "__default__")
        if path == "vectors/fetch":
            return vectors.fetch(index, name, parse_qs(raw_query).get("ids", []))
        if path == "vectors/list":
            limit = int(query.get("limit", "100"))
            return vectors.list_(index, name, query.get("prefix", ""), limit, query.get("paginationToken"))
        if path == "namespaces":
            counts = {name: len(space.fetches.rows) for name, space in index.namespaces.items()}
            named = [name for name in counts if name.startswith(query.get("prefix", ""))]
            limit = limits.check_whole("limit", int(query.get("limit", "100")), 1, limits.MAX_LIST_PAGE)
            found, more = page_of(named, limit, query.get("paginationToken"))
            described = [{"name": name, "record_count": str(counts[name])} for name in found]
            return {"namespaces": described, "total_count": len(named)} | more, {}
        raise Refused(404, "no such path", "NOT_FOUND")


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Refused(400, "the body is no JSON") from None
    demand(isinstance(given, dict), "the body must be an object")
    return dict(given)
