"""What is sent of a record: bounded in bytes and count, and found again by whatever a filter may name."""

import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.pinecone.namespace import PineconeRow, namespace_name, row_of, upsert_batches
from searchsocket.stores.base.conditions import NEVER
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.vectors import VectorRow
from searchsocket.stores.base.vectors import row_of as vector_row
from searchsocket.stores.table_vectors import TableVectors, table_row
from searchsocket.testing.store.samples import EAST, MAIN, NORTH, ids, record
from searchsocket.testing.vector_index import ONE, THREE, TWO, put, visible_ids
from searchsocket.testing.vector_index import row as new_vector
from searchsocket.types import Filter, Vector
from tests.extensions.pinecone.server import limits
from tests.extensions.pinecone.server.rows import Row
from tests.extensions.pinecone.server.service import Service

TEXTS = st.text(max_size=60)


def new_row(row: VectorRow) -> PineconeRow:
    return row_of(table_row("shop", ONE, row))


@given(
    st.lists(TEXTS, max_size=5),
    st.lists(TEXTS, max_size=5),
    st.text(min_size=1, max_size=40),
    st.integers(1, 3000),
)
@settings(max_examples=60, deadline=None)
def test_a_row_fits_and_its_size_is_no_smaller_than_what_is_sent(
    tags: list[str], labels: list[str], record_id: str, dimensions: int
) -> None:
    vector = np.random.default_rng(dimensions).standard_normal(dimensions).astype(np.float32)
    row = new_row(VectorRow(record_id, vector, ("/", "/a"), tuple(tags), tuple(labels), False))
    limits.check_id(row.key)
    limits.check_metadata(row.metadata)
    assert len(orjson.dumps({"_id": row.key, "embedding": row.vector, **row.metadata})) <= row.size
    assert np.allclose(np.array(row.vector, np.float32), vector, atol=1e-9)


@given(st.lists(st.integers(1, 60_000), max_size=80))
@settings(max_examples=30, deadline=None)
def test_no_batch_is_larger_than_a_request_may_be(sizes: list[int]) -> None:
    rows = [new_row(vector_row(record(str(i)), np.ones(size // 16 + 1, np.float32))) for i, size in enumerate(sizes)]
    batches = list(upsert_batches(rows))
    assert [row for batch in batches for row in batch] == rows
    for batch in batches:
        limits.check_count(list(batch), "documents")
        limits.check_size(
            orjson.dumps([{"_id": each.key, "embedding": each.vector, **each.metadata} for each in batch])
        )


def test_a_page_with_a_great_many_directories_is_kept_and_found(vectors: TableVectors) -> None:
    deep = "".join(f"/{number % 10}" for number in range(999))
    put(
        vectors, ONE, [vector_row(record("deep", url=deep, tags=("t",)), EAST), vector_row(record("a", url="/0"), EAST)]
    )
    snapshot = vectors.open(ONE)
    assert ids(snapshot.nearest(EAST, top_k=9, where=Filter("/0"))) == ["a", "deep"]
    for prefix in (deep, deep[:1000], "/0/1"):
        assert ids(snapshot.nearest(EAST, top_k=9, where=Filter(prefix, ("t",)))) == ["deep"]


def test_what_the_service_would_refuse_is_refused_by_name_before_it_is_sent(vectors: TableVectors) -> None:
    tags = tuple(f"tag {number}" for number in range(9000))
    with pytest.raises(VectorBackendUnavailable, match="9000 tags"):
        vectors.stage(ONE, [vector_row(record("a", tags=tags), EAST)], [])


def earlier_row(record_id: str, born: int, died: int, vector: Vector, *directories: str) -> Row:
    lists = {"directories": ["/", *directories], "tags": [], "labels": ["kind=section", "language=en"]}
    return Row(vector, {"record": record_id, "born": born, "died": died, "bucket": 7, "hidden": False, **lists})


EARLIER_ROWS = {  # by keys of 40 digits; all else is as today
    "7517b5589d413fa48a7e30238d803b35ec0f87b0": earlier_row("b", 20260101000000, 20260102000000, EAST, "/docs"),
    "578383a870d13e27421664e0d811434444d80367": earlier_row("a", 20260101000000, NEVER, EAST, "/page"),
    "479ecb190cbad0115b723df21d6e35788fd7a6b0": earlier_row("b", 20260102000000, NEVER, NORTH, "/docs"),
    "mark": Row(EAST, {
        "hidden": True, "kind": "mark", "scope": "main", "project_id": "shop", "model_id": "hash", "dimensions": 8,
        "generations": [ONE.name, TWO.name], "indexed_at": TWO.published_at, "records": 2,
    }),
}  # fmt: skip


@pytest.mark.parametrize("vectors", ["legacy"], indirect=True)
def test_rows_of_release_0_2_are_read_and_written_on(vectors: TableVectors, service: Service) -> None:
    """An upgrade loses no vector."""
    namespace = service.indexes["shop-8"].namespace("shop:main")
    namespace.write({key: lambda _, row=row: row for key, row in EARLIER_ROWS.items()})  # type: ignore[misc]
    namespace.searches.catch_up()
    assert [each.generations for each in vectors.registered()] == [(ONE.name, TWO.name)]
    assert [vectors.count(generation) for generation in (ONE, TWO)] == [2, 2]
    assert ids(vectors.open(TWO).nearest(NORTH, top_k=9, where=Filter("/docs"))) == ["b"]
    assert vectors.open(ONE).similarities(NORTH, ["a", "b"]) == [0.0, 0.0]
    vectors.retain(MAIN, [TWO])
    put(vectors, THREE, [new_vector("c")], gone=("a",))
    assert (visible_ids(vectors, TWO), visible_ids(vectors, THREE)) == (["a", "b"], ["c", "b"])
    assert "7517b5589d413fa48a7e30238d803b35ec0f87b0" not in namespace.searches.rows
    assert [each.generations for each in vectors.registered()] == [(TWO.name, THREE.name)]


@given(st.integers(0, 99_991_231_235_958), st.integers(1, 999))
def test_numbers_rise_as_names_do(stamp: int, later: int) -> None:
    first, second = (f"{str(at).zfill(14)[:8]}T{str(at).zfill(14)[8:]}Z-abc123" for at in (stamp, stamp + later))
    assert generation_number(first) < generation_number(second) < NEVER
    assert float(generation_number(second)) == generation_number(second)


@given(st.text(min_size=1, max_size=900), st.sampled_from(["main", "feature-a", "x" * 200]))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_every_project_and_scope_has_a_namespace_that_the_service_takes(project: str, scope: str) -> None:
    name = namespace_name(project, scope)
    limits.check_namespace(name)
    assert name != namespace_name(f"{project}:", scope)
