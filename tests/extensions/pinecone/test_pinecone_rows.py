"""What is sent of a record: bounded in bytes and count, and found again by whatever a filter may name."""

import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.pinecone.filters import NEVER
from searchsocket.extensions.pinecone.index import PineconeVectors
from searchsocket.extensions.pinecone.namespace import namespace_name
from searchsocket.extensions.pinecone.rows import new_row, upsert_batches
from searchsocket.stores.base import VectorRow
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.vectors import row_of
from searchsocket.testing.store.samples import EAST, ids, record
from searchsocket.testing.vector_index import ONE, put
from searchsocket.types import Filter
from tests.extensions.pinecone.server import limits

TEXTS = st.text(max_size=60)


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
    row = new_row(ONE, VectorRow(record_id, vector, ("/", "/a"), tuple(tags), tuple(labels), False))
    limits.check_id(row.key)
    limits.check_metadata(row.metadata)
    assert len(orjson.dumps({"_id": row.key, "embedding": row.vector, **row.metadata})) <= row.size
    assert np.allclose(np.array(row.vector, np.float32), vector, atol=1e-9)


@given(st.lists(st.integers(1, 60_000), max_size=80))
@settings(max_examples=30, deadline=None)
def test_no_batch_is_larger_than_a_request_may_be(sizes: list[int]) -> None:
    rows = [new_row(ONE, row_of(record(str(i)), np.ones(size // 16 + 1, np.float32))) for i, size in enumerate(sizes)]
    batches = list(upsert_batches(rows))
    assert [row for batch in batches for row in batch] == rows
    for batch in batches:
        limits.check_count(list(batch), "documents")
        limits.check_size(
            orjson.dumps([{"_id": each.key, "embedding": each.vector, **each.metadata} for each in batch])
        )


def test_a_page_with_a_great_many_directories_is_kept_and_found(vectors: PineconeVectors) -> None:
    deep = "".join(f"/{number % 10}" for number in range(999))
    put(vectors, ONE, [row_of(record("deep", url=deep, tags=("t",)), EAST), row_of(record("a", url="/0"), EAST)])
    snapshot = vectors.open(ONE)
    assert ids(snapshot.nearest(EAST, top_k=9, where=Filter("/0"))) == ["a", "deep"]
    for prefix in (deep, deep[:1000], "/0/1"):
        assert ids(snapshot.nearest(EAST, top_k=9, where=Filter(prefix, ("t",)))) == ["deep"]


def test_what_the_service_would_refuse_is_refused_by_name_before_it_is_sent(vectors: PineconeVectors) -> None:
    tags = tuple(f"tag {number}" for number in range(9000))
    with pytest.raises(VectorBackendUnavailable, match="9000 tags"):
        vectors.stage(ONE, [row_of(record("a", tags=tags), EAST)], [])


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
