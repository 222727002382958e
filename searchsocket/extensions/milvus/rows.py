"""The rows of generations in Milvus, with the fields of spec 12.3 that a query compares; and kinds of vector index.

A row is a record from one generation on. Its key is a hash of the scope, the id and the generation that wrote it. The
catalogue has everything that users see.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from searchsocket.extensions.milvus import filters
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.filters import NEVER
from searchsocket.extensions.milvus.settings import MilvusSettings
from searchsocket.stores.base.conditions import stored_text
from searchsocket.stores.base.naming import generation_number, index_text
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.vectors import VectorRow
from searchsocket.system.batches import batches
from searchsocket.system.json_text import JsonObject
from searchsocket.types import EXACT, Filter, Generation, Vector

KEY, ID, VECTOR, BORN, DIED = "row_key", "record_id", "embedding", "born", "died"
# Name -> bytes of a text, or (items, bytes of each) of a list of texts.
_TEXTS = {KEY: 64, "scope": 256, ID: 512, BORN: 32, DIED: 32}
_LISTS = {"directories": (1024, 512), "tags": (1024, 512), "labels": (1024, 512)}
FIELDS = [*_TEXTS, *_LISTS, "hidden", VECTOR]
OWN_FIELDS = frozenset({KEY, ID, BORN, DIED})  # a collection with all of these was made by some version of this module
_MAX_IDS = 500
_RESULT_FIELDS = [ID, BORN, VECTOR]

_MAX_EF = 32_768
_AUTOMATIC = "AUTOINDEX"  # Zilliz Cloud replaces any kind by this one


def schema_of(dimensions: int, description: str) -> Any:
    """A `CollectionSchema`."""
    from pymilvus import DataType, MilvusClient

    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False, description=description)
    for name, length in _TEXTS.items():
        schema.add_field(name, DataType.VARCHAR, max_length=length, is_primary=name == KEY)
    for name, (items, length) in _LISTS.items():
        schema.add_field(name, DataType.ARRAY, element_type=DataType.VARCHAR, max_capacity=items, max_length=length)
    schema.add_field("hidden", DataType.BOOL)
    schema.add_field(VECTOR, DataType.FLOAT_VECTOR, dim=dimensions)
    return schema


def row_data(generation: Generation, row: VectorRow) -> JsonObject:
    """A new row."""
    return {
        KEY: _key(generation, row.id),
        "scope": generation.scope,
        BORN: generation.name,
        DIED: NEVER,
        ID: row.id,
        "directories": [stored_text(path) for path in row.ancestors],
        "tags": [stored_text(tag) for tag in row.tags],
        "labels": [stored_text(label) for label in row.labels],
        "hidden": row.is_hidden,
        VECTOR: row.vector,
    }


def marker(generation: Generation) -> JsonObject:
    """A row that no generation sees and that the next run deletes. If it is visible, so are all earlier writes."""
    nothing = np.zeros(generation.dimensions, np.float32)
    nothing[0] = 1.0
    row = VectorRow("", nothing, ancestors=(), tags=(), labels=(), is_hidden=True)
    return {**row_data(generation, row), DIED: generation.name}


def _key(generation: Generation, record_id: str) -> str:
    return hashlib.sha256("\0".join([generation.scope, record_id, generation.name]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class MilvusKind:
    """A kind of vector index with its parameters."""

    text: str  # see `VectorLimits.index`
    server_name: str
    build: Mapping[str, int]  # parameters of its construction
    effort_name: str = ""  # the parameter of queries; "" = it has no such parameter
    effort: int = 0
    max_effort: int = 0  # finds nearly all of the nearest rows, and takes much longer

    @property
    def is_exact(self) -> bool:
        return self.text == EXACT

    def difference(self, index: Mapping[str, object]) -> str:
        """Name the first difference between the index of a collection and this kind; "" if there is none.

        Args:
            index: The server's description; empty = no index. A missing parameter counts as equal.
        """
        if (name := index.get("index_type")) == _AUTOMATIC:
            return ""
        if name != self.server_name:
            return f"is of kind {name or 'none'}, not {self.server_name}"
        wrong = (f"has {key} {index[key]}, not {value}" for key, value in self.build.items() if key in index
                 and str(index[key]) != str(value))  # fmt: skip
        return next(wrong, "")

    def search_parameters(self, limit: int, *, thorough: bool = False) -> JsonObject:
        """The parameters of a query for so many rows.

        Args:
            thorough: Find nearly all of the nearest rows.
        """
        # "Set this parameter to 10 for the most accurate results" (Zilliz Cloud, which chooses the kind of index
        # itself); others ignore it.
        parameters = {"level": 10}
        if self.effort_name:
            effort = self.max_effort if thorough else self.effort
            if self.effort_name == "search_list":
                effort = min(effort, max(200, 10 * limit))  # the server refuses more
            parameters[self.effort_name] = effort if self.effort_name == "nprobe" else max(effort, limit)
        return {"params": parameters}


FLAT = MilvusKind(EXACT, "FLAT", {})


def kind_of(settings: MilvusSettings) -> MilvusKind:
    """The kind of index that the settings name."""
    hnsw, ivf, diskann = settings.hnsw, settings.ivf_sq8, settings.diskann
    match settings.index:
        case "hnsw":
            build = {"M": hnsw.m, "efConstruction": hnsw.ef_construction}
            return MilvusKind(index_text("hnsw", hnsw.model_dump()), "HNSW", build, "ef", hnsw.ef, _MAX_EF)
        case "ivf_sq8":
            text = index_text("ivf_sq8", ivf.model_dump())
            return MilvusKind(text, "IVF_SQ8", {"nlist": ivf.nlist}, "nprobe", ivf.nprobe, ivf.nlist)
        case "diskann":
            text = index_text("diskann", diskann.model_dump())
            return MilvusKind(text, "DISKANN", {}, "search_list", diskann.search_list, _MAX_EF)
        case _:
            return FLAT


def is_automatic(index: Mapping[str, object]) -> bool:
    """Return True if the server chose the kind itself."""
    return bool(index.get("index_type") == _AUTOMATIC)


class MilvusRows:
    """Implements `GenerationRows`."""

    max_rows = 16_384  # limit of a server's answer
    tolerance = 0.0

    def __init__(
        self, connection: MilvusConnection, collection: str, generation: Generation, kind: MilvusKind, *, is_exact: bool
    ) -> None:
        """Calls nothing yet."""
        self.index, self.is_exact = kind.text, is_exact
        self._kind = kind
        self._connection = connection
        self._collection = collection
        self._visible = filters.visible_to(generation.scope, generation.name)

    def nearest(self, vector: Vector, limit: int, where: Filter) -> Sequence[RowHit]:
        """At most `limit` rows that match, best first; with vectors if they fit into the answer."""
        hits = self._search(vector, limit, where, thorough=False)
        if self._kind.is_exact or len(hits) == limit:
            return hits
        # The index may not reach all rows that match. If fewer than `limit` match, return all; else add some of them.
        rows = self._query(self._visible + filters.matching(where), limit=limit)
        near = self._search(vector, limit, where, thorough=True) if len(rows) == limit else []
        by_key = {
            (row.id, row.born): replace(row, score=float(np.asarray(row.vector) @ vector)) for row in [*rows, *near]
        }
        return sorted(by_key.values(), key=lambda row: -row.score)[:limit]

    def named(self, ids: Sequence[str]) -> Sequence[RowHit]:
        """The rows of records, with vectors, in any order; each id appears once in `ids`."""
        rows: list[RowHit] = []
        for some in batches(ids, _MAX_IDS):
            rows += self._query(f"{self._visible} and {ID} in {filters.quoted_list(some)}")
        return rows

    def _search(self, vector: Vector, limit: int, where: Filter, *, thorough: bool) -> list[RowHit]:
        self._connection.load(self._collection)
        [hits] = self._connection.call(
            "search",
            self._collection,
            data=[vector],
            anns_field=VECTOR,
            limit=limit,
            filter=self._visible + filters.matching(where),
            output_fields=_RESULT_FIELDS,
            search_params=self._kind.search_parameters(limit, thorough=thorough),
        )
        return [_row(hit["entity"], hit["distance"]) for hit in hits]

    def _query(self, where: str, **options: int) -> list[RowHit]:
        self._connection.load(self._collection)
        rows = self._connection.call("query", self._collection, filter=where, output_fields=_RESULT_FIELDS, **options)
        return list(map(_row, rows))


def _row(fields: JsonObject, score: float = 0.0) -> RowHit:
    return RowHit(fields[ID], generation_number(fields[BORN]), score, fields[VECTOR])
