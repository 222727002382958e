"""Schema of a row: the fields of spec 12.3 that a query compares. The catalogue has everything that users see.

A row is a record from one generation on. Its key is a hash of the scope, the id and the generation that wrote it.
"""

import hashlib
from typing import Any

import numpy as np

from searchsocket.stores.base import VectorRow
from searchsocket.stores.base.conditions import stored_text
from searchsocket.stores.milvus.filters import NEVER
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Generation

KEY, ID, VECTOR, BORN, DIED = "row_key", "record_id", "embedding", "born", "died"
# Name -> bytes of a text, or (items, bytes of each) of a list of texts.
_TEXTS = {KEY: 64, "scope": 256, ID: 512, BORN: 32, DIED: 32}
_LISTS = {"directories": (1024, 512), "tags": (1024, 512), "labels": (1024, 512)}
FIELDS = [*_TEXTS, *_LISTS, "hidden", VECTOR]
OWN_FIELDS = frozenset({KEY, ID, BORN, DIED})  # a collection with all of these was made by some version of this module


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
