"""The server of the tests refuses what the documentation of the service says is refused: nothing else makes it one."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pinecone import ApiError, Pinecone, RetryConfig
from pinecone.errors.exceptions import (
    ForbiddenError,
    PayloadTooLargeError,
    PineconeError,
    RateLimitError,
    UnauthorizedError,
)

from tests.extensions.pinecone.server import limits, where
from tests.extensions.pinecone.server.refused import Refused
from tests.extensions.pinecone.server.service import Service

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
KINDS = ("documents", "legacy")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = st.one_of(TEXTS, st.integers(-9, 9), st.booleans(), st.lists(TEXTS, max_size=3))
BAD_VALUES = st.one_of(
    st.none(), st.dictionaries(TEXTS, TEXTS, max_size=2), st.lists(st.integers(-9, 9), min_size=1, max_size=3)
)
NAMES = st.text("abcxyz", min_size=1, max_size=9)


class Client:
    """The vendor's, of an index of either kind with vectors of two dimensions."""

    def __init__(self, service: Service, kind: str, key: str = "right-key") -> None:
        self.kind = kind
        self.vendor = Pinecone(api_key=key, host=service.base_url, retry_config=RetryConfig(max_retries=0))
        if kind == "legacy":
            service.add_legacy("legacy", 2)
        elif "documents" not in service.indexes:
            vector = {"type": "dense_vector", "dimension": 2, "metric": "cosine"}
            self.vendor.indexes.create(name="documents", schema={"fields": {"embedding": vector}}, timeout=-1)
            service.indexes["documents"].looks_until_ready = 0
        self.index: Any = self.vendor.index(host=f"{service.base_url}/data/{kind}")
        # Without the tries of its own, which would wait between them.
        self.index._http._client._transport._config = RetryConfig(max_retries=0)

    def upsert(self, vector: list[float], metadata: dict[str, Any], row_id: str = "a") -> None:
        if self.kind == "legacy":
            self.index.upsert(vectors=[{"id": row_id, "values": vector, "metadata": metadata}], namespace="n")
        else:
            self.index.documents.upsert(namespace="n", documents=[{"_id": row_id, "embedding": vector, **metadata}])

    def search(self, filter_: dict[str, Any] | None, top_k: int = 5) -> list[str]:
        if self.kind == "legacy":
            found = self.index.query(vector=[1, 0], top_k=top_k, filter=filter_, namespace="n")
            return [each.id for each in found.matches]
        score_by = [{"type": "dense_vector", "field": "embedding", "values": [1, 0]}]
        answer = self.index.documents.search(namespace="n", score_by=score_by, top_k=top_k, filter=filter_)
        return [each.id for each in answer.matches]


@pytest.fixture(params=KINDS)
def client(request: pytest.FixtureRequest, service: Service) -> Client:
    service.max_lag = 0
    return Client(service, request.param)


@given(name=NAMES, value=BAD_VALUES)
@QUICK
def test_what_metadata_cannot_be_is_refused(client: Client, name: str, value: Any) -> None:
    with pytest.raises(PineconeError, match="400|Metadata value must"):  # the client looks at some of it before
        client.upsert([1, 0], {name: value})


@given(metadata=st.dictionaries(NAMES, VALUES, max_size=4))
@QUICK
def test_what_metadata_can_be_is_kept_and_found_again(client: Client, metadata: dict[str, Any]) -> None:
    client.upsert([1, 0], metadata)
    texts = {name: {"$eq": value} for name, value in metadata.items() if isinstance(value, str)}
    assert client.search(texts or None) == ["a"]


@given(
    vector=st.one_of(
        st.just([0, 0]), st.lists(st.floats(0.1, 1), min_size=1, max_size=5).filter(lambda each: len(each) != 2)
    )
)
@QUICK
def test_a_vector_that_is_zero_or_of_other_dimensions_is_refused(client: Client, vector: list[float]) -> None:
    with pytest.raises(ApiError, match="400"):
        client.upsert(vector, {})


@given(text=st.characters(codec="utf-8"), size=st.integers(-300, 300))
@QUICK
def test_forty_kilobytes_of_metadata_are_the_limit(client: Client, text: str, size: int) -> None:
    metadata = {"m": text * ((limits.MAX_METADATA_BYTES + size) // len(text.encode()))}
    try:
        limits.check_metadata(metadata)
    except Refused:
        with pytest.raises(ApiError, match="Metadata size"):
            client.upsert([1, 0], metadata)
    else:
        client.upsert([1, 0], metadata)


def test_batches_are_bounded_by_count_and_by_bytes(client: Client) -> None:
    rows = [{"id": str(i), "values": [1, 0]} for i in range(1001)]
    with pytest.raises(Refused, match="1001"):
        limits.check_count(rows, "vectors")
    heavy = [{"id": str(i), "values": [1, 0], "metadata": {"m": "x" * 40_000}} for i in range(60)]
    documents = [{"_id": each["id"], "embedding": each["values"], "m": "x" * 40_000} for each in heavy]
    options = {"vectors": heavy} if client.kind == "legacy" else {"documents": documents}
    upsert = client.index.upsert if client.kind == "legacy" else client.index.documents.upsert
    with pytest.raises(PayloadTooLargeError):
        upsert(namespace="n", **options)


@pytest.mark.parametrize(
    "refused",
    [
        {"a": {"$gt": "text"}},  # "$gt: number"
        {"a": {"$in": "text"}},
        {"a": {"$in": ["x"] * (where.MAX_VALUES + 1)}},
        {"a": {"$startsWith": "x"}},
        {"a": None},
        {"$gt": 3},  # "can't appear at the top level"
        {"$and": []},
        {"embedding": {"$eq": 1}},
    ],
)
def test_filters_that_are_none_are_refused(client: Client, refused: dict[str, Any]) -> None:
    if client.kind == "legacy" and "embedding" in refused:
        pytest.skip("an index without a schema has no data field")
    with pytest.raises(ApiError, match="400"):
        client.search(refused)


def test_answers_are_bounded(client: Client) -> None:
    for number in range(110):
        client.upsert([1, number], {"m": "x" * 40_000, "n": number}, str(number))
    options = {"namespace": "n", "filter": {"n": {"$gte": 0}}, "limit": 110}
    with pytest.raises(ApiError, match="4MB"):
        (client.index.fetch_by_metadata if client.kind == "legacy" else client.index.documents.fetch)(**options)


def test_more_than_a_hundred_requests_a_second_are_refused(service: Service) -> None:
    service.__init__(clock=lambda: 0.0)  # type: ignore[misc]
    client = Client(service, "documents")
    for number in range(100):
        client.upsert([1, number], {})
    with pytest.raises(RateLimitError) as refused:
        client.upsert([1, 100], {})
    assert (refused.value.retry_after, service.requests["upsert"]) == (1.0, 101)
    for _ in range(5):
        client.index.documents.delete(namespace="n", filter={"m": {"$eq": 1}})
    with pytest.raises(RateLimitError):
        client.index.documents.delete(namespace="n", filter={"m": {"$eq": 1}})


def test_keys_names_and_kinds_are_looked_at(service: Service) -> None:
    with pytest.raises(UnauthorizedError):
        Client(service, "legacy", key="wrong").upsert([1, 0], {})
    client = Client(service, "documents")
    with pytest.raises(ApiError, match="not supported on an index with a schema"):
        client.index.query(vector=[1, 0], top_k=1)
    for name in ("Shop", "a" * 46, "-a", "a.b"):
        with pytest.raises(Refused):
            limits.check_index_name(name)
    for bad in ("", "ü", "a" * 513, "a\0"):
        with pytest.raises(Refused):
            limits.check_id(bad)
    schema = {"fields": {"embedding": {"type": "dense_vector", "dimension": 2}}}
    for number in range(18):
        client.vendor.indexes.create(name=f"i{number}", schema=schema, timeout=-1)
    with pytest.raises(ForbiddenError):
        client.vendor.indexes.create(name="more", schema=schema, timeout=-1)


@given(lag=st.integers(1, 9), count=st.integers(2, 9))
@QUICK
def test_writes_are_seen_late_and_out_of_order_and_the_log_says_when(service: Service, lag: int, count: int) -> None:
    service.__init__(max_lag=lag)  # type: ignore[misc]
    client = Client(service, "documents")
    service.indexes["documents"].max_lag = lag
    documents = client.index.documents
    for number in range(count):
        place = documents.upsert(namespace="n", documents=[{"_id": str(number), "embedding": [1, number]}])
    last = place.response_info.lsn_committed
    for _ in range(lag + 1):
        score_by = [{"type": "dense_vector", "field": "embedding", "values": [1, 0]}]
        found = documents.search(namespace="n", score_by=score_by, top_k=99)
        if found.response_info.is_reconciled(last):
            assert len(found.matches) == count
    assert found.response_info.is_reconciled(last)
